"""Small exports as the programs write them."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

NOON = 1714564800.0
"""2024-05-01, 12:00 UTC."""


def chatgpt_node(id_: str, parent: str | None, role: str, *parts: Any, at: float | None = NOON, **fields: Any) -> dict:
    """A node of the tree with a message."""
    kind = "text" if all(isinstance(part, str) for part in parts) else "multimodal_text"
    message = {
        "id": id_,
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": at,
        "content": {"content_type": kind, "parts": list(parts)},
        "status": "finished_successfully",
        "weight": 1.0,
        "metadata": {},
        "recipient": "all",
    }
    return {"id": id_, "parent": parent, "children": [], "message": message | fields}


def chatgpt(*nodes: dict, title: str = "Dog talk", current: str | None = None, id_: str = "c1") -> dict:
    """A conversation of these nodes; the last is the current one."""
    root = {"id": "root", "parent": None, "children": [], "message": None}
    mapping = {node["id"]: node for node in (root, *nodes)}
    leaf = current or (nodes[-1]["id"] if nodes else "root")
    return {"title": title, "create_time": NOON, "mapping": mapping, "current_node": leaf, "conversation_id": id_}


def claude(*messages: dict, name: str = "Moving", uuid: str = "k1") -> dict:
    """A conversation of Claude."""
    return {
        "uuid": uuid,
        "name": name,
        "created_at": "2024-05-01T12:00:00.000000Z",
        "account": {"uuid": "a"},
        "chat_messages": list(messages),
    }


def claude_message(uuid: str, sender: str, text: str, **fields: Any) -> dict:
    """A message as the export has it."""
    content = [{"type": "text", "text": text}] if text else []
    at = {"created_at": "2024-05-01T12:00:01.000000Z"}
    return (
        {"uuid": uuid, "sender": sender, "text": text, "content": content, "attachments": [], "files": []} | at | fields
    )


SLACK_USERS = [
    {"id": "U1", "name": "maya", "profile": {"display_name": "Maya", "real_name": "Maya Lin"}},
    {"id": "U2", "name": "tom", "real_name": "Tom Ford", "profile": {"display_name": ""}},
]


def slack(days: Mapping[str, list[dict]], **lists: list[dict]) -> dict[str, str]:
    """The files of a workspace: `{"general/2024-05-01": […]}`."""
    files: dict[str, Any] = {
        "users.json": SLACK_USERS,
        "channels.json": [{"id": "C1", "name": "general", "members": ["U1", "U2"]}],
    }
    files |= {f"{name}.json": rows for name, rows in lists.items()}
    files |= {f"{day}.json": messages for day, messages in days.items()}
    return {name: json.dumps(value, indent=1) for name, value in files.items()}


def slack_message(ts: str, text: str, user: str = "U1", **fields: Any) -> dict:
    """A message of a channel."""
    return {"type": "message", "user": user, "text": text, "ts": ts} | fields


def written(path: Path, value: object, **how: Any) -> Path:
    """A JSON file."""
    path.write_text(json.dumps(value, **how), encoding="utf-8")
    return path


def zipped(path: Path, files: Mapping[str, str | bytes]) -> Path:
    """An archive."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def claude_code_line(uuid: str, kind: str, content: Any, **fields: Any) -> dict:
    """A line of a transcript of Claude Code."""
    line = {
        "parentUuid": None,
        "isSidechain": False,
        "userType": "external",
        "cwd": "/home/maya/src/harbour",
        "sessionId": "5d1f2a33-0c1b-4f5e-9a77-3f1d2c4b5a69",
        "version": "2.1.0",
        "type": kind,
        "message": {"role": kind, "content": content},
        "uuid": uuid,
        "timestamp": "2024-05-01T12:00:00.000Z",
    }
    return line | fields


def transcript(path: Path, *lines: dict, more: str = "") -> Path:
    """A transcript of these lines; `more` is what stands behind them."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines) + more, encoding="utf-8")
    return path

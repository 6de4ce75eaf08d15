"""ChatGPT's data export: `conversations.json`, or `conversations-000.json` and so on, each conversation a tree of messages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from goalmem.integrations.importers.json_stream import elements
from goalmem.integrations.importers.portions import Tree, attached, branches, path_to, portions, said, short_id, timed
from goalmem.integrations.importers.protocol import Chat, Export, ImportOptions, Place, Reading, Sample, text_of

FILES = re.compile(r"(?:.*/)?conversations(?:[-_]\d+)?\.json\Z")
LISTS = ("conversations",)
REASONING = ("thoughts", "reasoning_recap")
INSTRUCTIONS = ("user_editable_context", "model_editable_context")
MARKS = re.compile("\ue200.*?\ue201|【\\d+†[^】]*】", re.DOTALL)
"""Markers of citations and pictures: a run between two private use characters, or 【3†source】."""
LATEST = 1e12
"""Seconds of the year 30,000, above which a number is not a time."""
REMEDY = "Export your data from ChatGPT again"


class ChatGpt:
    """Reads ChatGPT's export from Settings → Data controls → Export data: the ZIP, its folder, or the file."""

    name = "chatgpt"
    title = "ChatGPT"

    def recognises(self, sample: Sample) -> bool:
        """A conversation has a mapping of nodes."""
        return any(isinstance(v, Mapping) and isinstance(v.get("mapping"), Mapping) for v in sample.values)

    def read(self, export: Export, reading: Reading) -> Iterator[Chat]:
        """Read the visible branch of each conversation; optionally the others, too."""
        for place, value in conversations(export, reading):
            yield from _conversation(place, value, reading)


def conversations(export: Export, reading: Reading) -> Iterator[tuple[Place, object]]:
    """Every conversation of an export, with its place."""
    for name in _files(export, reading):
        with export.open(name) as stream:
            yield from elements(stream, export.label(name), reading, LISTS)


def _files(export: Export, reading: Reading) -> list[str]:
    """The files of an export that hold conversations: the only one, or those that are named so."""
    names = list(export.names)
    found = names if len(names) == 1 else [name for name in names if FILES.match(name)]
    if not found:
        reading.refuse(Place(export.name), "there is no conversations.json in it", "Pass the whole export")
    return found


def _conversation(place: Place, value: object, reading: Reading) -> Iterator[Chat]:
    mapping = value.get("mapping") if isinstance(value, Mapping) else None
    if not isinstance(value, Mapping) or not isinstance(mapping, Mapping):
        reading.reject(place, "this is no conversation of ChatGPT: it has no mapping of messages", REMEDY)
        return
    began = timed(value.get("create_time"), place, reading, REMEDY)
    identity = text_of(value, "conversation_id", "id") or f"chatgpt-{text_of(value, 'title')}-{place.entry}"
    title = text_of(value, "title")
    tree = _tree(mapping)
    leaf = value.get("current_node")
    shown = path_to(tree, leaf if isinstance(leaf, str) and leaf in tree else None)
    messages = _messages(shown, mapping, began, place, reading)
    key = short_id(identity)
    yield from portions(key, title, messages, began or _first(messages), place)
    for leaf, nodes in branches(tree, shown):
        if not reading.options.branches:
            reading.passed_over["other branch"] += sum(1 for n in nodes if _dict(mapping.get(n)).get("message"))
            continue
        other = _messages(nodes, mapping, began, place, reading)
        yield from portions(f"{key}/{short_id(leaf)}", f"{title} (branch)", other, began or _first(other), place)


def _messages(
    nodes: list[str], mapping: Mapping[str, Any], began: datetime | None, place: Place, reading: Reading
) -> list[dict[str, Any]]:
    """The messages of nodes in order, those that hold something to remember."""
    messages: list[dict[str, Any]] = []
    at = began
    for node in nodes:
        raw = _dict(mapping.get(node)).get("message")
        if not isinstance(raw, Mapping):
            continue
        at = timed(raw.get("create_time"), place, reading, REMEDY) or at
        message, reason = _message(raw, node, at, reading.options)
        if message:
            messages.append(message)
        else:
            reading.passed_over[reason] += 1
    return messages


def _message(
    raw: Mapping[str, Any], node: str, at: datetime | None, options: ImportOptions
) -> tuple[dict[str, Any] | None, str]:
    """A message, or the reason to skip it."""
    author, content, about = _dict(raw.get("author")), _dict(raw.get("content")), _dict(raw.get("metadata"))
    role, kind = author.get("role"), str(content.get("content_type", "text"))
    if kind in INSTRUCTIONS:
        return None, "custom instructions"
    if about.get("is_visually_hidden_from_conversation") or raw.get("weight") == 0:
        return None, "hidden"
    if role == "system" and not options.tools:
        return None, "system"
    if kind in REASONING:
        return None, "reasoning"
    to_tool = raw.get("recipient") not in (None, "", "all")
    if (role == "tool" or to_tool) and not options.tools:
        return None, "tool"
    text, caption = _content(content)
    files = attached(about.get("attachments"), "name")
    text = "\n".join([text, *files] if text else files)
    if not text and not caption:
        return None, "media" if content.get("content_type") == "multimodal_text" else "empty"
    known = role if role in ("user", "assistant", "tool", "system") else "assistant"
    name = options.name if known == "user" else text_of(author, "name") if known == "tool" else ""
    return said(known, text, name=name, id=text_of(raw, "id") or node, at=at, caption=caption), ""


def _content(content: Mapping[str, Any]) -> tuple[str, str]:
    """The text, and descriptions of generated pictures. Unknown kinds of content contribute their text."""
    parts = content.get("parts")
    texts = [] if isinstance(parts, list) and parts else [text_of(content, "text", "result")]
    captions = []
    for part in parts if isinstance(parts, list) else []:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, Mapping):
            texts.append(text_of(part, "text"))  # spoken words, written down
            captions.append(text_of(_dict(_dict(part.get("metadata")).get("dalle")), "prompt"))
    text = "\n".join(MARKS.sub("", t).strip() for t in texts if t.strip()).strip()
    return text, "; ".join(c for c in captions if c)


def _tree(mapping: Mapping[str, Any]) -> Tree:
    """Node -> parent and time."""
    found = {}
    for node, held in mapping.items():
        parent = _dict(held).get("parent")
        time = _dict(_dict(held).get("message")).get("create_time")
        numeric = isinstance(time, int | float) and not isinstance(time, bool)
        when = float(time) if numeric and time is not None and abs(time) < LATEST else 0.0
        found[node] = (parent if isinstance(parent, str) else None, when)
    return found


def _first(messages: list[dict[str, Any]]) -> datetime | None:
    return next((m["at"] for m in messages if "at" in m), None)


def _dict(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}

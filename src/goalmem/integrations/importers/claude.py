"""Claude's data export: `conversations.json`, a list of conversations with `chat_messages`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from goalmem.integrations.importers.chatgpt import conversations
from goalmem.integrations.importers.portions import Tree, attached, branches, path_to, portions, said, short_id, timed
from goalmem.integrations.importers.protocol import Chat, Export, Place, Reading, Sample, text_of

ROLES = {"human": "user", "user": "user", "assistant": "assistant"}
TOOLS = ("tool_use", "tool_result")
EARLIEST = datetime.min.replace(tzinfo=UTC)
REMEDY = "Export your data from Claude again"


class Claude:
    """Reads Claude's export from Settings → Privacy → Export data: the ZIP, its folder, or the file."""

    name = "claude"
    title = "Claude"

    def recognises(self, sample: Sample) -> bool:
        """A conversation has `chat_messages`."""
        return any(isinstance(v, Mapping) and isinstance(v.get("chat_messages"), list) for v in sample.values)

    def read(self, export: Export, reading: Reading) -> Iterator[Chat]:
        """Read the last visible branch of each conversation; optionally the others, too."""
        for place, value in conversations(export, reading):
            yield from _conversation(place, value, reading)


def _conversation(place: Place, value: object, reading: Reading) -> Iterator[Chat]:
    raw = value.get("chat_messages") if isinstance(value, Mapping) else None
    if not isinstance(value, Mapping) or not isinstance(raw, list):
        reading.reject(place, "this is no conversation of Claude: it has no chat_messages", REMEDY)
        return
    began = timed(value.get("created_at"), place, reading, REMEDY)
    key = short_id(text_of(value, "uuid") or f"claude-{place.entry}")
    title = text_of(value, "name")
    messages, tree = _messages(raw, began, place, reading)
    leaf = value.get("current_leaf_message_uuid")
    shown = path_to(tree, leaf if isinstance(leaf, str) and leaf in tree else None) if tree else list(messages)
    yield from portions(key, title, _of(messages, shown), began, place)
    for leaf, nodes in branches(tree, shown):
        if reading.options.branches:
            yield from portions(f"{key}/{short_id(leaf)}", f"{title} (branch)", _of(messages, nodes), began, place)
        else:
            reading.passed_over["other branch"] += len(_of(messages, nodes))


def _messages(
    raw: list[Any], began: datetime | None, place: Place, reading: Reading
) -> tuple[dict[str, list[dict[str, Any]]], Tree]:
    """Messages (several for attachments), and the parents of messages; older exports have none, then messages follow
    each other.
    """
    found: dict[str, list[dict[str, Any]]] = {}
    parents: dict[str, tuple[str | None, float]] = {}
    at = began
    for place_in, message in enumerate(raw):
        if not isinstance(message, Mapping) or not isinstance(message.get("sender"), str):
            reading.reject(place, f"message {place_in + 1} of the conversation here has no sender", REMEDY)
            continue
        at = timed(message.get("created_at"), place, reading, REMEDY) or at
        identity = text_of(message, "uuid") or str(place_in)
        found[identity] = list(_said(message, identity, at, reading))
        parent = message.get("parent_message_uuid")
        if isinstance(parent, str):
            parents[identity] = (parent, (at or EARLIEST).timestamp())
    return found, parents if len(parents) == len(found) else {}


def _said(message: Mapping[str, Any], identity: str, at: datetime | None, reading: Reading) -> Iterator[dict[str, Any]]:
    options = reading.options
    role = ROLES.get(str(message["sender"]).casefold(), "assistant")
    name = options.name if role == "user" else ""
    text, reason = _content(message, tools=options.tools)
    files = message.get("attachments"), message.get("files")
    names = [line for part in files for line in attached(part, "file_name")]
    whole = "\n".join(([text] if text else []) + list(dict.fromkeys(names)))
    if whole:
        yield said(role, whole, name=name, id=identity, at=at)
    else:
        reading.passed_over[reason] += 1
    for number, file in enumerate(files[0] if isinstance(files[0], list) else [], 1):
        if not isinstance(file, Mapping) or not (extracted := text_of(file, "extracted_content")):
            continue
        if options.attachments:
            yield said(role, extracted, name=name, id=f"{identity}/{number}", at=at)
        else:
            reading.passed_over["attached text"] += 1


def _content(message: Mapping[str, Any], *, tools: bool) -> tuple[str, str]:
    """The text, or the reason that there is none. Blocks take precedence over `text`, which has placeholders."""
    blocks = message.get("content")
    if not isinstance(blocks, list) or not blocks:
        return text_of(message, "text").strip(), "empty"
    texts, left = [], "empty"
    for block in blocks:
        kind = block.get("type") if isinstance(block, Mapping) else None
        if isinstance(block, Mapping) and kind in TOOLS:
            left = "tool"
            texts += _tool(block) if tools else []
        elif isinstance(block, Mapping) and kind == "thinking":
            left = "reasoning" if left == "empty" else left
        elif isinstance(block, Mapping):
            texts.append(text_of(block, "text"))
    return "\n".join(t.strip() for t in texts if t.strip()), left


def _tool(block: Mapping[str, Any]) -> list[str]:
    """A tool call or its result as text."""
    if block.get("type") == "tool_use":
        return [f"{text_of(block, 'name')}: {block.get('input')}"]
    content = block.get("content")
    return [text_of(part, "text") for part in content if isinstance(part, Mapping)] if isinstance(content, list) else []


def _of(messages: Mapping[str, list[dict[str, Any]]], nodes: list[str]) -> list[dict[str, Any]]:
    return [message for node in nodes for message in messages.get(node, ())]

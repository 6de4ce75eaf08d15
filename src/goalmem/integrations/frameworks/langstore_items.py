"""An item of a LangGraph store as a turn of a memory.

The turn's text is what of the value is to be found: it is searched, and facts are read out of it. The value itself stands,
as JSON, in the id that we give the message, which is kept verbatim and never searched. A namespace is a space, an item a
session of it, whose last turn is the item as it is now.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from langgraph.store.base import get_text_at_path, tokenize_path

from goalmem.errors import InputError
from goalmem.io.chat_messages import LONGEST_NAME, UNSTORABLE
from goalmem.records import Turn

__all__ = [
    "FOUND",
    "WHOLE",
    "Document",
    "document_of",
    "message_of",
    "namespace_of",
    "session_of",
    "space_of",
    "text_of",
]

WHOLE = "$"
"""The path of the whole value, as in LangGraph."""
FOUND = "user"
"""Role of items that may be found. Facts in the first person are then those of whoever the namespace is about."""
UNFOUND = "system"
"""Role of items that are not indexed."""
NOTHING = "(not indexed)"
"""Text of items that are not indexed: a turn has some."""
LONGEST_INDEXED = 100_000
"""Characters of an item that are indexed, as many as a tool's message may have. The value is kept whole."""
FORM = "goalmem.item"
"""Names what an id is; with the number of its form."""
KEYED, HASHED = "item:", "item#"
"""Before a key, and before the hash of one that cannot be a session's name."""


@dataclass(frozen=True, slots=True)
class Document:
    """An item as it is kept."""

    key: str
    value: dict[str, Any]
    created: datetime
    updated: datetime


def space_of(root: str, namespace: Sequence[str]) -> str:
    """The space of a namespace. Labels hold no periods (LangGraph refuses them), so no two share one."""
    return f"{root}:{'.'.join(namespace)}"


def namespace_of(root: str, space: str) -> tuple[str, ...]:
    """The namespace of a space of this root."""
    path = space[len(root) + 1 :]
    return tuple(path.split(".")) if path else ()


def session_of(key: str) -> str:
    """The session of an item. Any text is a key; what cannot be a name is hashed."""
    if len(key) + len(KEYED) <= LONGEST_NAME and not UNSTORABLE.search(key):
        return KEYED + key
    return HASHED + hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def message_of(document: Document, text: str) -> dict[str, Any]:
    """The message to remember an item by.

    Raises InputError for a value that JSON cannot hold exactly.
    """
    about = {"form": FORM, "key": document.key}
    times = {"created": document.created.isoformat(), "updated": document.updated.isoformat()}
    try:
        written = {**about, **times, "value": checked(document.value, document.key)}
        # ASCII alone: NUL and lone surrogates are kept, too.
        identity = json.dumps(written, ensure_ascii=True, separators=(",", ":"))
    except InputError:
        raise
    except (TypeError, ValueError, RecursionError) as error:
        raise unwritable(document.key, str(error)) from error
    found = text.strip()[:LONGEST_INDEXED]
    return {"role": FOUND if found else UNFOUND, "content": found or NOTHING, "id": identity}


def document_of(turn: Turn) -> Document | None:
    """The item that a turn holds; None for a turn that is none."""
    if not turn.session.startswith((KEYED, HASHED)):
        return None
    try:
        held = json.loads(turn.external_id)
        if held["form"] != FORM:
            return None
        created, updated = (datetime.fromisoformat(held[name]) for name in ("created", "updated"))
        return Document(held["key"], held["value"], created, updated)
    except (ValueError, TypeError, KeyError):
        return None


def text_of(value: Mapping[str, Any], paths: Sequence[str]) -> str:
    """What some paths of a value say, one text a line; `$` says all of it."""
    said: list[str] = []
    for path in paths:
        said += lines_of(value) if path in ("", WHOLE) else get_text_at_path(value, tokenize_path(path))
    return "\n".join(dict.fromkeys(said))


def lines_of(value: object, name: str = "") -> Iterator[str]:
    """Everything in a value as it would be read out: a text stands alone, anything short behind its name."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from lines_of(inner, key)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from lines_of(inner, name)
    elif isinstance(value, str) and (" " in value.strip() or not name):
        yield value
    elif value is not None and value != "":
        yield f"{name}: {value}" if name else str(value)


def checked(value: object, key: str) -> object:
    """A value whose every name is a text: JSON would silently make texts of others."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if not isinstance(name, str):
                raise unwritable(key, f"a name in it is a {type(name).__name__}")
            checked(inner, key)
    elif isinstance(value, list | tuple):
        for inner in value:
            checked(inner, key)
    return value


def unwritable(key: str, why: str) -> InputError:
    """What is wrong with a value."""
    return InputError(
        f"The value of the item {key!r} cannot be written as JSON: {why}.",
        "Use dicts with text keys, lists, texts, numbers, booleans and None.",
    )

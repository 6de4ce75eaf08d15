"""Converts messages of an export to portions for goalmem with speaker, text, time and stable id.

Conversations may be trees: an edited or regenerated message has siblings, and one path is what the page shows.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, TypeAlias

from goalmem.integrations.importers.protocol import Chat, ImportOptions, Place, Reading, text_of
from goalmem.io.conversation import MESSAGES_AT_ONCE
from goalmem.io.dates import read_moment
from goalmem.store.metadata import UNSTORABLE

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\Z", re.IGNORECASE)
UUID_SHOWN = 13
"""Characters of a UUID that names are made with, 48 bits: among a million, two agree with a chance of .002."""
LONGEST_TITLE = 120
LONGEST_KEY = 200
LONGEST_SPEAKER = 200


def portions(
    key: str, title: str, messages: Iterable[dict[str, Any]], at: datetime | None, place: Place, user: str = ""
) -> Iterator[Chat]:
    """A conversation in portions of MESSAGES_AT_ONCE, each message with an id.

    Where an export gives none, the id is made of the message's place in the conversation and its content, so that importing
    again, or a later export of the same conversation, adds what is new. An id that comes again with other content is
    another message.
    """
    key, title, user = cleaned(key, LONGEST_KEY), cleaned(title, LONGEST_TITLE), cleaned(user, LONGEST_KEY)
    known: dict[str, str] = {}
    portion: list[dict[str, Any]] = []
    for place_in, message in enumerate(messages):
        content = _digest(message)
        own = str(message.get("id") or "") or f"{place_in}-{content}"
        if known.setdefault(own, content) != content:
            own = f"{own}-{content}"
        portion.append({**message, "id": own})
        if len(portion) == MESSAGES_AT_ONCE:
            yield Chat(key, title, tuple(portion), at, place, user)
            portion = []
    if portion:
        yield Chat(key, title, tuple(portion), at, place, user)


def said(
    role: str, text: str, *, name: str = "", id: str = "", at: datetime | None = None, caption: str = ""
) -> dict[str, Any]:
    """An OpenAI chat message without empty fields."""
    message: dict[str, Any] = {"role": role, "content": text}
    optional = {"name": cleaned(name, LONGEST_SPEAKER), "id": id, "at": at, "caption": caption}
    return message | {key: value for key, value in optional.items() if value}


def moment(value: object, options: ImportOptions) -> datetime | None:
    """A time in the user's zone; None if it is missing. Raises ValueError if it is invalid."""
    if value is None or value == "":
        return None
    try:
        found = read_moment(value)
    except OverflowError:
        found = None
    if found is None:
        raise ValueError(f"the time {str(value)[:60]!r} cannot be read")
    return placed(found, options)


def timed(value: object, place: Place, reading: Reading, remedy: str) -> datetime | None:
    """The same; None, and the export is refused or the time noted, where it is invalid."""
    try:
        return moment(value, reading.options)
    except ValueError as error:
        reading.reject(place, str(error), remedy)
        return None


def placed(found: datetime, options: ImportOptions) -> datetime:
    """A moment in the user's zone. Raises ValueError at the ends of the calendar."""
    try:
        if found.tzinfo is None:
            return found.replace(tzinfo=options.clock)
        return found.astimezone(options.zone) if options.zone else found
    except OverflowError as error:
        raise ValueError(f"the time {found} is out of range") from error


def attached(files: object, *keys: str) -> list[str]:
    """One line for each named file of a list."""
    found = [file for file in files if isinstance(file, Mapping)] if isinstance(files, list) else []
    return [f"[attached: {cleaned(name, LONGEST_TITLE)}]" for file in found if (name := text_of(file, *keys))]


def cleaned(text: str, longest: int) -> str:
    """A name on one line that can be stored."""
    return UNSTORABLE.sub("�", " ".join(text.split()))[:longest].rstrip()


def short_id(identity: str) -> str:
    """A short prefix of a UUID; other ids unchanged."""
    return identity[:UUID_SHOWN] if UUID.match(identity) else identity


def _digest(message: Mapping[str, Any]) -> str:
    words = "\x1f".join(str(message.get(key, "")) for key in ("name", "role", "content", "caption"))
    return hashlib.blake2b(words.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


Tree: TypeAlias = Mapping[str, tuple[str | None, float]]
"""Node -> its parent, and its time."""


def path_to(tree: Tree, leaf: str | None) -> list[str]:
    """The nodes from the root to `leaf`, by default the latest leaf."""
    if leaf is None:
        ends = leaves(tree)
        leaf = max(ends, key=lambda node: tree[node][1]) if ends else None
    path: list[str] = []
    seen: set[str] = set()
    while leaf is not None and leaf in tree and leaf not in seen:
        seen.add(leaf)
        path.append(leaf)
        leaf = tree[leaf][0]
    return path[::-1]


def branches(tree: Tree, shown: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Every other leaf, with those nodes of the path to it that no earlier path has."""
    seen = set(shown)
    for leaf in leaves(tree):
        fresh = [node for node in path_to(tree, leaf) if node not in seen]
        if fresh:
            seen.update(fresh)
            yield leaf, fresh


def leaves(tree: Tree) -> list[str]:
    """Nodes without children in the order of the file; for a cyclic tree, its last node."""
    parents = {parent for parent, _ in tree.values()}
    return [node for node in tree if node not in parents] or list(tree)[-1:]

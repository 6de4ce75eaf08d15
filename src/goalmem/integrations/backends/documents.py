"""Converts passages to turns with speaker, time and stable ids."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from goalmem.errors import FormatError
from goalmem.integrations.backends.protocol import TURN, Passage
from goalmem.io.conversation import Options
from goalmem.io.transcript import transcript
from goalmem.records import Turn, aware
from goalmem.store.metadata import UNSTORABLE

LONGEST = 200_000
"""Maximum characters of a passage; the rest is ignored."""
PART = 2_000
"""Maximum characters of a turn: longer passages are split at sentence ends, so that a question needs to read only
part of them.
"""
BLOCK_TURNS, BLOCK_CHARACTERS = 8, 4_000
"""Consecutive turns of a passage that are read together, so that pronouns can be resolved."""
UNDATED = datetime(1970, 1, 1, tzinfo=UTC)
"""Placeholder for an unknown time, replaced by the time of asking."""
HASH = re.compile(r"p[0-9a-f]{24}\Z")
PLACE = re.compile(r"(.+)#\d+\Z", re.DOTALL)
PICTURE = re.compile(r"\n\[shares a picture: (?P<caption>.+)\]\Z", re.DOTALL)
"""As `Turn.content` writes it."""
SENTENCE_END = re.compile(r"[.!?…][\"'”’)]*\s+|\n+")


@dataclass(frozen=True, slots=True)
class PassageDocument:
    """A passage of a backend with the turns in it."""

    passage: str
    """The backend's id, or a hash of the passage's content."""
    blocks: tuple[tuple[Turn, ...], ...]
    """The turns in order, in runs that are read together."""

    @property
    def turns(self) -> tuple[Turn, ...]:
        """All of them, in order."""
        return tuple(turn for block in self.blocks for turn in block)


def document_of(passage: Passage, space: str) -> PassageDocument:
    """The turns of a passage. The same passage always gives the same ones.

    A passage without a speaker may be a transcript (one line `Maya: …` per message); each message then becomes a turn.
    The only turn of a passage has the passage's id, one of several `ID#1`, `ID#2`, ….
    """
    text = UNSTORABLE.sub("\ufffd", passage.text[:LONGEST])
    identity = UNSTORABLE.sub("\ufffd", passage.id or "") or _hash(passage)
    known_as = str(passage.metadata.get(TURN) or passage.id or "")
    said = list(_said(passage, text))
    turns = [
        Turn(
            identity if len(said) == 1 else f"{identity}#{place}",
            space,
            passage.session or identity,
            place - 1,
            speaker or role,
            role,
            words,
            at or UNDATED,
            caption,
            known_as,
            dated=at is not None,
        )
        for place, (speaker, role, words, at, caption) in enumerate(said, 1)
    ]
    return PassageDocument(identity, tuple(_blocks(turns)))


def passage_ids(turn: str) -> tuple[str, ...]:
    """The ids of passages that a turn may be of."""
    found = PLACE.match(turn)
    return (turn, found[1]) if found else (turn,)


def is_hash(passage: str) -> bool:
    """True if an id is the hash of a passage without an id."""
    return HASH.match(passage) is not None


_Said = tuple[str, str, str, "datetime | None", str]
"""Speaker, role, words, time, caption."""


def _said(passage: Passage, text: str) -> Iterator[_Said]:
    if passage.speaker:
        named = re.match(rf"\s*{re.escape(passage.speaker)}\s*:\s+", text, re.IGNORECASE)
        yield from _of_one(passage, text[named.end() :] if named else text)
        return
    for message in _messages(text):
        at = message.get("at")
        moment = aware(at) if isinstance(at, datetime) else passage.at
        parts = list(_parts(message["content"]))
        for place, part in enumerate(parts, 1):
            caption = message.get("caption", "") if place == len(parts) else ""
            yield message.get("name", ""), message.get("role", passage.role), part, moment, caption


def _of_one(passage: Passage, text: str) -> Iterator[_Said]:
    shown = PICTURE.search(text)
    parts = list(_parts(text[: shown.start()] if shown else text))
    for place, part in enumerate(parts, 1):
        caption = shown["caption"] if shown and place == len(parts) else ""
        yield passage.speaker, passage.role, part, passage.at, caption


def _messages(text: str) -> list[dict[str, Any]]:
    """The messages of a transcript; of any other text, the text."""
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    try:
        read: list[Mapping[str, Any]] = []
        for conversation in transcript(lines, Options()):
            read += [
                m if m.get("at") or not conversation.at else {**m, "at": conversation.at} for m in conversation.messages
            ]
    except FormatError:
        read = []
    return [dict(m) for m in read if m["content"].strip()] or [{"content": text}]


def _parts(text: str) -> Iterator[str]:
    """Runs of whole sentences of at most PART characters; a longer sentence is cut."""
    start = 0
    while len(text) - start > PART:
        ends = [m.end() for m in SENTENCE_END.finditer(text, start, start + PART)]
        end = ends[-1] if ends else start + PART
        if text[start:end].strip():
            yield text[start:end].strip()
        start = end
    if text[start:].strip() or start == 0:
        yield text[start:].strip()


def _blocks(turns: list[Turn]) -> Iterator[tuple[Turn, ...]]:
    block: list[Turn] = []
    for turn in turns:
        if block and (len(block) == BLOCK_TURNS or sum(len(t.content) for t in (*block, turn)) > BLOCK_CHARACTERS):
            yield tuple(block)
            block = []
        block.append(turn)
    if block:
        yield tuple(block)


def _hash(passage: Passage) -> str:
    at = passage.at.isoformat() if passage.at else ""
    said = "\x1f".join((passage.session, passage.speaker, passage.role, at, passage.text))
    return "p" + hashlib.blake2b(said.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()

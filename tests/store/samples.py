"""Turns with everything derived from them, made up without an extractor."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from goalmem.logic.interval import Grain, Interval
from goalmem.records import Argument, Edge, Extraction, Fact, Mention, Modality, Turn
from goalmem.store import Batch, NewTurn, Store, TurnChange
from goalmem.store.protocol import Reanalysis

MODEL = "test-model"
DIMENSION = 8
START = datetime(2024, 3, 1, 9, 30, tzinfo=UTC)


def digest(*parts: object) -> str:
    """A short stable hash."""
    return hashlib.sha256("\0".join(map(str, parts)).encode(errors="surrogatepass")).hexdigest()[:24]


def fact(turn: Turn, place: int = 0, **changes: object) -> Fact:
    """A fact of `turn`: its speaker adopted Biscuit."""
    subject = Argument("subject", "I", 0, 1, "i", entity=turn.speaker, type="person", resolved="speaker")
    object_ = Argument("object", "Biscuit", 10, 17, "biscuit", entity="Biscuit", type="animal", modifiers=("small",))
    values: dict[str, object] = {
        "id": digest(turn.id, place),
        "space": turn.space,
        "turn": turn.id,
        "text": turn.content[:40],
        "start": place,
        "end": place + 40,
        "statement": f"{turn.speaker} adopted Biscuit",
        "kind": "clause",
        "predicate": "adopt",
        "args": (subject, object_),
        "polarity": True,
        "modality": Modality.ASSERTED,
        "speaker": turn.speaker,
        "said": turn.at,
        "when": Interval(datetime(2024, 2, 1), datetime(2024, 3, 1), Grain.MONTH),
        "when_text": "last month",
        "slot": "pet",
    }
    return Fact(**{**values, **changes})


def turn(text: str, place: int, space: str = "ana", session: str = "s1", **changes: object) -> Turn:
    """A turn; `place` tells apart two that say the same."""
    values: dict[str, object] = {
        "id": digest(space, session, text, place),
        "space": space,
        "session": session,
        "position": -1,
        "speaker": "Maya",
        "role": "user",
        "text": text,
        "at": START + timedelta(minutes=place),
    }
    return Turn(**{**values, **changes})


def derived(of: Turn, facts: int = 1, aliases: Sequence[tuple[str, str]] = ()) -> Extraction:
    """An extraction with facts, two mentions and an edge."""
    made = tuple(fact(of, place) for place in range(facts))
    mentions = (
        Mention(of.space, of.id, 0, 1, "I", of.speaker, "person"),
        Mention(of.space, of.id, 10, 17, "Biscuit", "Biscuit", "animal"),
    )
    edges = tuple(Edge(of.space, of.speaker, "adopt", "Biscuit", f.id, of.id) for f in made[:1])
    return Extraction(of.id, made, mentions, edges, tuple(aliases))


def new_turn(of: Turn, place: int = 0, extraction: Extraction | None = None) -> NewTurn:
    """A turn ready to store."""
    return NewTurn(
        turn=of,
        call_position=place,
        content_hash=digest(of.speaker, of.role, of.text),
        extraction=derived(of) if extraction is None else extraction,
        vector=bytes(range(2 * DIMENSION)),
        terms=hashlib.sha256(of.text.encode(errors="surrogatepass")).digest()[:16],
        features=hashlib.sha256(of.text.encode(errors="surrogatepass")).digest()[8:],
    )


def batch_of(turns: Sequence[NewTurn], space: str = "ana", session: str = "s1", at: datetime = START) -> Batch:
    """A batch of turns made elsewhere."""
    return Batch(space, session, at, tuple(turns))


def batch(texts: Sequence[str], space: str = "ana", session: str = "s1", first: int = 0) -> Batch:
    """A batch of turns with these texts."""
    places = range(first, first + len(texts))
    made = [turn(text, place, space, session) for text, place in zip(texts, places, strict=True)]
    return batch_of([new_turn(t, place) for t, place in zip(made, places, strict=True)], space, session)


def ids(of: Batch) -> list[str]:
    """Ids of a batch's turns."""
    return [new.turn.id for new in of.turns]


def change_of(store: Store, of: Turn, text: str | None = None, **changes: object) -> TurnChange:
    """What makes a stored turn another: its text, its metadata or when it expires."""
    (held,) = store.turns(of.space, [of.id]).values()
    wanted = replace(held, text=held.text if text is None else text, **changes)
    again = [new_turn(wanted)] if wanted.text != held.text else []
    before = store.versions(of.space, [of.id])[of.id][-1]
    return TurnChange(wanted, digest(wanted.speaker, wanted.role, wanted.text), before, START, Reanalysis(again))


def say(*words: str) -> None:
    """Report a line to the process that reads ours, at once."""
    sys.stdout.write(" ".join(words) + "\n")
    sys.stdout.flush()

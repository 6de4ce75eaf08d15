"""Messages of several spaces as lines of JSONL, and what a store holds of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from goalmem.store import open_store
from goalmem.store.rows import turn_digest
from goalmem.store.table_store import TableStore
from goalmem.store.transfer_places import ending_of

EVENTS = (
    "I adopted a beagle last Friday. His name is Biscuit.",
    "Biscuit ate my shoes, so I bought new ones.",
    "My sister Greta moved to Lisbon in March.",
    "I never liked sushi, but Greta loves it.",
    "We are going to visit her next summer.",
    "I sold my red bicycle for 300 dollars.",
)
SPEAKERS = ("Maya", "Leo")


def messages(spaces: int = 4, sessions: int = 2, turns: int = 4) -> list[dict[str, Any]]:
    """Messages by themselves; those of the spaces stand mixed, as they do in a log."""
    return [
        {
            "space": f"user-{space}",
            "session": f"day-{session}",
            "role": "user",
            "name": SPEAKERS[turn % 2],
            "content": f"{EVENTS[(space + session + turn) % len(EVENTS)]} That was number {turn}.",
            "at": f"2024-05-{1 + session:02}T09:{turn:02}:00",
        }
        for session in range(sessions)
        for turn in range(turns)
        for space in range(spaces)
    ]


def write(path: Path, lines: Iterable[Mapping[str, Any] | str]) -> Path:
    """A file of lines, those that are text as they are."""
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    return path


def held(place: str | Path) -> dict[str, list[bytes]]:
    """A checksum of everything that a store keeps of each turn, by space and in order."""
    model, dimension = ending_of(str(place)).model()
    store = open_store(str(place), model=model, dimension=dimension)
    try:
        assert isinstance(store, TableStore)
        rows = store.rows
        return {space: [turn_digest(kept) for kept in rows.turns(space, 0, 10_000)] for space in store.spaces()}
    finally:
        store.close()


def turns_in(place: str | Path) -> int:
    """How many turns a store holds."""
    return sum(map(len, held(place).values()))

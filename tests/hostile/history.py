"""Calls of several processes on one memory, and whether an order of them explains what each returned.

python -m tests.hostile.history STORE SEED CALLS TURNS, where TURNS is a list of ids in JSON; begins when it is told to.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from goalmem import ConflictError, Memory, NotFoundError, StoreBusyError

WORDS = "The lamp in the hall is"
"""How every text begins: what is searched for."""


class Letters:
    """An embedder that needs no model."""

    name, dimension = "letters", 8

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        return np.eye(8, dtype=np.float32)[[len(text) % 8 for text in texts]]


class Call(NamedTuple):
    """What was asked of a turn, from when to when by the clock of the machine, and what came of it."""

    turn: str
    what: str
    given: str
    result: str | None
    begun: float
    ended: float


def original(number: int) -> str:
    """What a turn says when it is added."""
    return f"{WORDS} number {number}."


def message(number: int) -> dict[str, str]:
    """The message that a turn is made from."""
    return {"content": original(number), "id": f"lamp-{number}"}


@dataclass(frozen=True, slots=True)
class Caller:
    """Calls a memory, or a server by its client."""

    memory: Any
    turns: Sequence[str]
    name: str

    def history(self, calls: int) -> list[Call]:
        """Make calls at random."""
        chance = random.Random(self.name)  # noqa: S311 - the same each time
        done: list[Call] = []
        deeds: tuple[Callable[[int, str], str | None], ...] = (
            self.add,
            self.update,
            self.forget,
            self.read,
            self.search,
        )
        for n in range(calls):
            number, do = chance.randrange(len(self.turns)), chance.choices(deeds, (3, 2, 2, 3, 2))[0]
            given = original(number) if do == self.add else f"{WORDS} now {self.name} {n}."
            begun = time.monotonic()
            with suppress(StoreBusyError):  # nothing was done: no call to explain
                result = do(number, given)
                done.append(Call(self.turns[number], do.__name__, given, result, begun, time.monotonic()))
        return done

    def add(self, number: int, _: str) -> str | None:
        """`new` or None."""
        try:
            return "new" if self.memory.add([message(number)], session="s").new else None
        except ConflictError:  # it was changed
            return None

    def update(self, number: int, given: str) -> str | None:
        try:
            return self.memory.update(self.turns[number], text=given) and "done"
        except NotFoundError:
            return None

    def forget(self, number: int, _: str) -> str | None:
        try:
            return self.memory.forget(turn=self.turns[number]) and "done"
        except NotFoundError:
            return None

    def read(self, number: int, _: str) -> str | None:
        try:
            return self.memory.turn(self.turns[number]).text
        except NotFoundError:
            return None

    def search(self, number: int, _: str) -> str | None:
        hits = self.memory.search(WORDS, k=50)
        return next((hit.turn.text for hit in hits if hit.turn.id == self.turns[number]), None)


def explained(calls: Sequence[Call], state: str | None) -> bool:
    """Whether the calls of one turn can be put in an order that explains every result, in which none comes before another
    that had ended when it began (Wing & Gong 1993, "Testing and Verifying Concurrent Objects"); `state` is what it says at first.
    """
    calls = sorted(calls, key=lambda call: call.begun)
    seen: set[tuple[frozenset[int], str | None]] = set()
    waiting: list[tuple[frozenset[int], str | None]] = [(frozenset(range(len(calls))), state)]
    while waiting:
        left, state = waiting.pop()
        if not left:
            return True
        if (left, state) in seen:
            continue
        seen.add((left, state))
        first_end = min(calls[n].ended for n in left)
        for n in left:
            if calls[n].begun <= first_end:
                fits, after = _done(calls[n], state)
                if fits:
                    waiting.append((left - {n}, after))
    return False


def _done(call: Call, state: str | None) -> tuple[bool, str | None]:
    """Whether a call can return what it did, and what the turn says then."""
    if call.what in ("read", "search"):
        return call.result == state, state
    if call.what == "add":
        return (call.result is None) == (state is not None), call.given if state is None else state
    changed = None if call.what == "forget" else call.given
    return (call.result is None) == (state is None), None if state is None else changed


def main(store: str, seed: str, calls: str, turns: str) -> None:
    """Print the history."""
    with Memory(store, embedder=Letters()) as memory:
        caller = Caller(memory, json.loads(turns), seed)
        memory.search(WORDS)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        sys.stdin.readline()
        json.dump(caller.history(int(calls)), sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])

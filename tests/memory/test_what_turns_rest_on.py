"""No turn keeps a meaning that it had from a turn which is changed, forgotten or expired, whoever does that and when."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from goalmem import Memory
from goalmem.errors import StoreBusyError
from goalmem.store.protocol import Batch
from tests.cases import one_in

NAMER = "My sister's name is Ann."
BEHIND = "She works at a bakery."


def said(text: str, **more: object) -> dict[str, object]:
    return {"role": "user", "name": "Maya", "content": text, **more}


def add(memory: Memory, *texts: str) -> list[str]:
    return list(memory.add([said(text) for text in texts]).turns)


@pytest.fixture
def two(tmp_path: Path) -> tuple[Memory, Memory]:
    """Two memories of one file, which share no lock."""
    return Memory(tmp_path / "m.goalmem"), Memory(tmp_path / "m.goalmem")


def before_storing(memory: Memory, do: Callable[[], object], times: int = 1) -> None:
    """Let something be done between the reading of new turns and their storing."""
    store, left = memory._parts.store, itertools.count(1)
    real = store.add

    def late(batch: Batch) -> list[str]:
        if next(left) <= times:
            do()
        return real(batch)

    store.add = late  # type: ignore[method-assign]


@pytest.mark.parametrize("how", one_in(2, ["changed", "forgotten", "session", "filter"]))
def test_a_turn_stored_while_its_context_changes_is_read_by_what_is_so_then(two: tuple[Memory, Memory], how: str):
    one, other = two
    (turn,) = one.add([said("Ida moved to Oslo.", metadata={"k": 1})]).turns
    change = {
        "changed": lambda: one.update(turn, text="Lena moved to Bergen."),
        "forgotten": lambda: one.forget(turn=turn),
        "session": lambda: one.forget(session="default"),
        "filter": lambda: one.forget(where={"k": 1}),
    }[how]
    before_storing(other, change)
    add(other, BEHIND)
    assert other.ask("Where does Ida work?").status == "unknown"
    lena = other.ask("Where does Lena work?")
    assert ("bakery" in lena.text) == (how == "changed")


def test_a_turn_whose_context_never_rests_is_not_stored(two: tuple[Memory, Memory]):
    one, other = two
    (turn,) = add(one, "Ida moved to Oslo.")
    names = itertools.count()
    before_storing(other, lambda: one.update(turn, text=f"Lena{next(names)} moved to Bergen."), times=99)
    with pytest.raises(StoreBusyError):
        add(other, BEHIND)
    assert other.stats().turns == 1


def test_a_turn_added_while_another_is_forgotten_is_read_again(two: tuple[Memory, Memory]):
    one, other = two
    (turn,) = add(one, "Ida moved to Oslo.")
    real, done = one._parts.store.forget, []

    def late(*args: object, **kwargs: object) -> object:
        if not done:
            done.append(add(other, BEHIND))
        return real(*args, **kwargs)  # type: ignore[arg-type]

    one._parts.store.forget = late  # type: ignore[method-assign, assignment]
    one.forget(turn=turn)
    assert one.ask("Where does Ida work?").status == "unknown"


@pytest.mark.parametrize("between", [0, 2, 9])
@pytest.mark.parametrize("how", ["forgotten", "expired"])
def test_who_was_named_by_a_turn_is_not_named_by_others_once_it_is_gone(between: int, how: str):
    memory = Memory()
    ends = datetime.now(UTC) + timedelta(hours=1)
    (turn,) = memory.add([said(NAMER, expires_at=ends)]).turns
    add(memory, *(f"I like song number {n}." for n in range(between)), "My sister lives in Rome.")
    assert memory.ask("Where does Ann live?").text == "Rome"
    if how == "forgotten":
        memory.forget(turn=turn)
    else:
        from goalmem.maintenance.reanalysis import purge_turns

        purge_turns(
            memory._parts.store, memory._parts.extractor, memory._parts.searcher, "default", ends + timedelta(seconds=1)
        )
    assert memory.ask("Where does Ann live?").status == "unknown"
    assert memory.ask("Where does my sister live?").text == "Rome"


def test_what_is_forgotten_leaves_the_space_as_if_it_had_never_been():
    texts = [NAMER, "Ann moved to Oslo.", BEHIND, "My sister likes tea.", "I live in Rome.", "She is tall."]
    for gone in (0, 1, 3):
        memory, never = Memory(), Memory()
        turns = add(memory, *texts)
        memory.forget(turn=turns[gone])
        add(never, *texts[:gone], *texts[gone + 1 :])
        facts = [sorted((f.text, str(f.args)) for f in m._parts.store.facts("default")) for m in (memory, never)]
        assert facts[0] == facts[1]

"""A life of a store in steps, and what it may hold after each: all of a step or nothing of it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, closing, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path

from goalmem.errors import GoalmemError
from goalmem.store import Batch, Store, open_store

from ..store.conformance import rule
from ..store.graph_conformance import chunk, imported
from ..store.samples import DIMENSION, MODEL, batch, change_of, ids

Held = dict[str, tuple[str, ...]]
"""What a store holds: for each turn what it said and says, for each rule its words, for the graph its triples."""

Around = Callable[[], AbstractContextManager[object]]

SAYS_NOTHING_STORED = ("othing of the call was stored", "Nothing was stored")


@dataclass(frozen=True, slots=True)
class Step:
    """A call, and what it makes of what is held."""

    do: Callable[[Store], object]
    effect: Callable[[Held], Held]
    in_parts: bool = False
    """Whether it takes several transactions, so that it may be done but for what the last of them tidies up."""


def brief(text: str) -> str:
    """Enough of a text to tell it from the others."""
    return f"{text[:9]} {len(text)}"


def _add(made: Batch) -> Step:
    said = {new.turn.id: (brief(new.turn.text),) for new in made.turns}
    return Step(lambda store: store.add(made), lambda held: said | held)


def _change(of: Batch, text: str) -> Step:
    turn = of.turns[0].turn

    def do(store: Store) -> None:
        if store.turns("ana", [turn.id]):
            store.change(change_of(store, turn, text))

    return Step(do, lambda held: held | ({turn.id: (*held[turn.id], brief(text))} if turn.id in held else {}))


def _forget(of: Batch, *, session: str | None = None) -> Step:
    gone = ids(of) if session else ids(of)[1:2]
    return Step(
        lambda store: store.forget("ana", session=session) if session else store.forget("ana", turn=gone[0]),
        lambda held: {key: value for key, value in held.items() if key not in gone},
    )


def life() -> list[Step]:
    """Turns are added, changed and forgotten, rules stated, a graph imported."""
    first, long, other = (
        batch(["red apple", "green pear", "blue plum"]),
        batch(["x" * 20_000, "y" * 9_000], first=3),
        batch(["fig", "date", "lime"], session="s2"),
    )
    return [
        _add(first),
        Step(lambda store: store.add_rules("ana", [rule("All plums are blue.")]), lambda held: held | {"rule": ("",)}),
        _add(long),
        _change(first, "a yellow apple"),
        _add(other),
        Step(lambda store: imported(store.graphs, chunk()), lambda held: held | {"graph": ("3",)}, in_parts=True),
        _forget(first),
        _add(batch(["after"], session="s3")),
        _forget(other, session="s2"),
        _add(batch(["last one", "z" * 6_000], session="s3", first=1)),
    ]


def opened(path: Path) -> Store:
    """The store at a path."""
    return open_store(path, model=MODEL, dimension=DIMENSION)


def held(store: Store) -> Held:
    """What a store holds; it must be sound."""
    assert not (found := store.check()), found
    turns = {turn.id: turn for turn in store.all_turns("ana")}
    versions = store.versions("ana", turns)
    assert all(versions[id_][-1].text == turn.text for id_, turn in turns.items())
    found = {id_: tuple(brief(one.text) for one in versions[id_]) for id_ in turns}
    rows = list(store.index_rows("ana"))
    assert {row.turn for row in rows} == turns.keys()
    assert {fact.turn for fact in store.facts("ana")} == turns.keys()
    assert {mention.turn for mention in store.mentions("ana")} == turns.keys()
    for id_, turn in turns.items():
        assert id_ in store.phrase("ana", turn.text)
    found |= {"rule": ("",)} if store.rules("ana") else {}
    triples = store.graphs.counts("ana").triples
    return found | ({"graph": (str(triples),)} if triples else {})


@dataclass
class Lived:
    """How far a life came: what the store may hold."""

    may: list[Held] = field(default_factory=lambda: [{}])
    errors: list[GoalmemError] = field(default_factory=list)
    after: list[tuple[int, list[Held]]] = field(default_factory=list)
    """What it may hold after each step, with what `clock` said then."""

    def step(self, store: Store, step: Step, around: Around) -> None:
        """Do a step; where it fails, it is done or not, and not if the error says so."""
        try:
            with around():
                step.do(store)
        except GoalmemError as error:
            self.errors.append(error)
            if step.in_parts or not any(words in str(error) for words in SAYS_NOTHING_STORED):
                self.may += [after for after in map(step.effect, self.may) if after not in self.may]
        else:
            self.may = list(map(step.effect, self.may))

    def at(self, time: int) -> list[Held]:
        """What it may hold when it ends at a time: a step that was begun is done or not."""
        before = [may for when, may in self.after if when <= time][-1:] or [[{}]]
        then = [may for when, may in self.after if when > time][:1] or [self.may]
        return before[0] + then[0]


def lived(path: Path, *, clock: Callable[[], int] = int, around: Around = nullcontext) -> Lived:
    """Open a store and live, each call within `around`; errors of goalmem are kept."""
    found = Lived()
    try:
        with around():
            store = opened(path)
    except GoalmemError as error:
        found.errors.append(error)
        return found
    with closing(store):
        for step in life():
            found.step(store, step, around)
            found.after.append((clock(), found.may))
    return found


def require_any_of(path: Path, may: list[Held]) -> None:
    """The store at a path opens, is sound, holds one of these, and is sound when the life was lived again."""
    with closing(opened(path)) as store:
        found = held(store)
        assert found in may, f"it holds {found}; it may hold {may}"
        for step in life():
            with suppress(KeyError):
                step.do(store)
        assert held(store)

"""Nothing crosses spaces; a store behaves like one plain list of turns per space."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from goalmem.records import Turn
from goalmem.store import Store, open_store

from .samples import DIMENSION, MODEL, batch_of, derived, ids, new_turn, turn

SPACES, SESSIONS, WORDS = ("ana", "bob", "Ana"), ("s1", "s2"), ("red", "green", "blue")

names = st.sampled_from(SPACES)
sessions = st.sampled_from(SESSIONS)
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)
adding = st.tuples(
    st.just("add"), names, sessions, st.lists(st.tuples(texts, st.integers(0, 5)), min_size=1, max_size=4)
)
forgetting_turn = st.tuples(st.just("turn"), names, sessions, st.integers(0, 20))
forgetting_session = st.tuples(st.just("session"), names, sessions, st.none())
forgetting_space = st.tuples(st.just("space"), names, sessions, st.none())
operations = st.lists(
    st.one_of(adding, adding, adding, forgetting_turn, forgetting_session, forgetting_space), max_size=15
)


@pytest.fixture
def store() -> Iterator[Store]:
    store = open_store(":memory:", model=MODEL, dimension=DIMENSION)
    yield store
    store.close()


class Model:
    """What should be there: turns in the order stored, per space."""

    def __init__(self) -> None:
        self.turns: dict[str, list[Turn]] = {}

    def apply(self, store: Store, kind: str, space: str, session: str, argument: object) -> None:
        """Do the same to the store and to the model, and compare what both report."""
        mine = self.turns.setdefault(space, [])
        if kind == "add":
            made = [turn(text, place, space, session) for text, place in argument]  # a speaker per space
            said = batch_of([new_turn(t, n) for n, t in enumerate(made)], space, session)
            fresh = list(dict.fromkeys(id_ for id_ in ids(said) if id_ not in {t.id for t in mine}))
            assert store.add(said) == fresh
            by_id = {t.id: t for t in made}
            mine += [by_id[id_] for id_ in fresh]
            return
        if kind == "turn":
            gone = [mine[argument % len(mine)]] if mine else []
            forgotten = store.forget(space, turn=gone[0].id if gone else "none")
        elif kind == "session":
            gone = [t for t in mine if t.session == session]
            forgotten = store.forget(space, session=session)
        else:
            gone = list(mine)
            forgotten = store.forget(space)
        self.turns[space] = [t for t in mine if t not in gone]
        left = {t.session for t in self.turns[space]}
        assert forgotten.turns == forgotten.facts == len(gone)
        assert forgotten.sessions == len({t.session for t in gone} - left)

    def compare(self, store: Store) -> None:
        """Every read of every space shows that space's turns and no other's."""
        assert store.spaces() == sorted(space for space, turns in self.turns.items() if turns)
        everywhere = [t.id for turns in self.turns.values() for t in turns]
        for space in SPACES:
            mine = self.turns.get(space, [])
            mine_ids = [t.id for t in mine]
            assert [t.id for t in store.all_turns(space)] == mine_ids
            assert [row.turn for row in store.index_rows(space)] == mine_ids
            assert store.turns(space, everywhere).keys() == set(mine_ids)
            assert {f.turn for f in store.facts(space, turns=everywhere)} == set(mine_ids)
            assert {m.turn for m in store.mentions(space)} == {e.turn for e in store.edges(space)} == set(mine_ids)
            assert set(store.facts(space)) == {f for t in mine for f in derived(t).facts}
            assert store.stats(space).turns == len(mine)
            for phrase in ("red", "green blue", "red red red"):
                assert store.phrase(space, phrase) == [t.id for t in mine if f" {phrase} " in f" {t.text} "]
            for session in SESSIONS:
                assert {t.id for t in store.session_turns(space, session)} == {
                    t.id for t in mine if t.session == session
                }
                assert set(store.known(space, session).values()) <= {t.id for t in mine if t.session == session}


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(operations)
def test_any_run_of_operations_ends_where_the_model_does(store: Store, run: list[tuple[str, str, str, object]]) -> None:
    for space in SPACES:
        store.forget(space)
    model = Model()
    versions: dict[str, list[tuple[int, int]]] = {space: [store.version(space)] for space in SPACES}
    for kind, space, session, argument in run:
        model.apply(store, kind, space, session, argument)
        for each in SPACES:
            versions[each].append(store.version(each))
            if each != space:
                assert versions[each][-1] == versions[each][-2], "another space's change shows"
    model.compare(store)
    assert store.check() == []

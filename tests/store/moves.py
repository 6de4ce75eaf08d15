"""What any move between two stores must do. Subclass `Moves` with the places `source` and `target`, where no store is yet."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta

import pytest

from goalmem.errors import ConflictError, NotFoundError
from goalmem.graph.imports import import_graph, source_of
from goalmem.graph.protocol import Name, Triple
from goalmem.graph.stored import StoredGraph, entries_of
from goalmem.records import Extraction
from goalmem.store import Store, open_store
from goalmem.store.transfer import PORTION, move
from goalmem.store.transfer_places import ending_of

from .children import start
from .conformance import rule
from .samples import DIMENSION, MODEL, START, batch, batch_of, change_of, derived, fact, ids, new_turn, turn

MANY = 3 * PORTION


@contextmanager
def opened(place: str) -> Iterator[Store]:
    store = open_store(place, model=MODEL, dimension=DIMENSION)
    try:
        yield store
    finally:
        store.close()


def fill(place: str) -> None:
    """A store with something of everything, and with gaps where turns were forgotten."""
    with opened(place) as store:
        made = batch(["the lazy dog", "gone soon", "a red \x00 barn"])
        store.add(made)
        said = turn("Ünï \x1a 🎉", 9, external_id="m-1", caption="a dog", role="assistant")
        several = Extraction(said.id, (fact(said), fact(said, 1, slot="", predicate="like")), *rest(said))
        two_passages = replace(new_turn(said, 4, several), vector=bytes(range(32)))
        store.add(batch_of([two_passages]))
        store.forget("ana", turn=ids(made)[1])
        store.add(batch(["elsewhere"], session="s2"))
        assert store.change(change_of(store, turn("elsewhere", 0, session="s2"), "else \x00 where", metadata={"n": 1}))
        store.add(batch(["theirs", "more"], space="bob\x00"))
        store.keep_reply("ana", "k1", "about a dog", ids(made)[:1])
        store.keep_reply("ana", "k0", "y", [])
        triples = [Triple("Ana", "owns", "Rex"), Triple("Rex", "eats", "meat"), Triple("Ana", "knows", "Bob")]
        import_graph(store.graphs, "ana", source_of([*triples, Name("Ana", "Ana María")], "pets"))
        store.add_rules("only rules", [rule("Bob is big."), rule("Big people are rough.")])


def rest(said: object) -> tuple[object, ...]:
    made = derived(said, 1, [("My Dog", "Biscuit")])
    return made.mentions, made.edges, made.aliases


class Moves:
    """A move, in any direction."""

    def test_everything_is_moved(self, source: str, target: str) -> None:
        fill(source)
        moved = move(source, target)
        assert (moved.spaces, moved.turns, moved.replies, moved.rules, moved.new) == (3, 6, 2, 2, True)
        with opened(source) as old, opened(target) as new:
            assert new.spaces() == old.spaces()
            for space in old.spaces():
                for session, _, _ in old.sessions(space):
                    assert new.session_turns(space, session) == old.session_turns(space, session)
                    assert new.known(space, session) == old.known(space, session)
                assert new.sessions(space) == old.sessions(space)
                assert new.facts(space) == old.facts(space)
                assert new.facts(space, entity="maya", predicate="like") == old.facts(
                    space, entity="maya", predicate="like"
                )
                assert (new.mentions(space), new.edges(space)) == (old.mentions(space), old.edges(space))
                assert (new.aliases(space), new.entities(space)) == (old.aliases(space), old.entities(space))
                assert new.rules(space) == old.rules(space)
                assert new.phrase(space, "lazy dog") == old.phrase(space, "lazy dog")
                pairs = zip(new.index_rows(space), old.index_rows(space), strict=True)
                assert all(replace(a, seq=0) == replace(b, seq=0) for a, b in pairs)
                assert new.versions(space) == old.versions(space)
            assert len(new.versions("ana")) == 1
            assert list(entries_of(new.graphs, "ana")) == list(entries_of(old.graphs, "ana"))
            found = StoredGraph(new.graphs, "ana")
            assert found.identifiers(found.named("ana maría")) == ["Ana"]
            assert [new.cached_reply("ana", key) for key in ("k0", "k1")] == ["y", "about a dog"]
            assert new.check() == []
            assert new.meta()["model"] == MODEL
            made = batch(["the lazy dog"])
            assert new.add(made) == []
            new.forget("ana", turn=ids(made)[0])
            assert new.cached_reply("ana", "k1") is None

    def test_moving_again_finds_that_it_was_done(self, source: str, target: str) -> None:
        fill(source)
        first = move(source, target)
        assert move(source, target) == replace(first, new=False)

    def test_a_target_that_holds_something_is_left_alone(self, source: str, target: str) -> None:
        fill(source)
        with opened(target) as store:
            store.add(batch(["mine"], space="cid"))
        with pytest.raises(ConflictError):
            move(source, target)
        with opened(target) as store:
            assert store.spaces() == ["cid"]

    def test_an_empty_store_is_no_obstacle_and_an_empty_source_moves(self, source: str, target: str) -> None:
        with opened(target):
            pass
        with opened(source):
            pass
        assert move(source, target).turns == 0
        fill(source)
        assert move(source, target).turns == 6

    def test_there_must_be_something_to_move(self, source: str, target: str) -> None:
        with pytest.raises(NotFoundError):
            move(source, target)
        assert not ending_of(target).exists()

    def test_a_move_that_was_killed_twice_goes_on_and_nobody_sees_half_of_it(self, source: str, target: str) -> None:
        with opened(source) as store:
            for session in ("a", "b"):
                made = [turn(f"turn {n}", n, session=session) for n in range(MANY // 2)]
                store.add(batch_of([new_turn(t, n) for n, t in enumerate(made)], session=session))
        for portions in (1, 2):
            child = start("child_move.py", source, target)
            assert child.stdout is not None
            for _ in range(portions):
                done, _ = child.stdout.readline().split()
                assert 0 < int(done) <= MANY
            child.kill()
            child.wait()
            child.stdout.close()
            assert child.stderr is not None
            child.stderr.close()
            assert not ending_of(target).exists()
        with opened(source) as store:
            store.add(batch(["said meanwhile"], session="a", first=MANY))
        moved = move(source, target)
        assert (moved.turns, moved.new) == (MANY + 1, True)
        with opened(target) as store:
            assert store.stats("ana").turns == MANY + 1
            assert store.sessions("ana")[0][:2] == ("a", START + timedelta(0))

    def test_what_was_forgotten_while_the_move_was_stopped_does_not_come_back(self, source: str, target: str) -> None:
        fill(source)
        model, dimension = ending_of(source).model()
        left = open_store(ending_of(target).staging, model=model, dimension=dimension)
        left.add(batch(["the lazy dog", "forgotten since"]))
        left.add(batch(["of a space that is gone"], space="gone"))
        left.close()
        assert move(source, target).turns == 6
        with opened(target) as store:
            assert "gone" not in store.spaces()
            assert store.phrase("ana", "forgotten since") == []

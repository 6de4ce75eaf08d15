"""What any change of a store's embedding model must do. Subclass `Changes` with the place `place`, where a store may be."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

import numpy as np
import pytest

from goalmem.errors import ConflictError, ModelError, OtherModelError
from goalmem.maintenance.reembedding import PORTION, give_up, reembed, reembedding_of, reindex, state
from goalmem.retrieve.search import Searcher, vectors_of
from goalmem.settings import Settings
from goalmem.store import Store, open_store
from goalmem.store.protocol import Reanalysis

from .children import start
from .samples import batch, change_of, ids, new_turn, turn
from .spelling import Spelling

OLD, NEW, THIRD = Spelling("old", 8), Spelling("new", 24), Spelling("third", 8)
SETTINGS = Settings()


@contextmanager
def opened(place: str, embedder: Spelling = OLD) -> Iterator[Store]:
    store = open_store(place, model=embedder.name, dimension=embedder.dimension)
    try:
        yield store
    finally:
        store.close()


def tell(
    store: Store, texts: list[str], space: str = "ana", session: str = "s1", embedder: Spelling = OLD
) -> list[str]:
    """Add turns with vectors of an embedder."""
    first = len(store.session_turns(space, session))
    made = batch(texts, space, session, first)
    vectors = vectors_of([new.turn for new in made.turns], embedder)
    turns = tuple(replace(new, vector=own) for new, own in zip(made.turns, vectors, strict=True))
    return store.add(replace(made, turns=turns))


def assert_whole(store: Store, embedder: Spelling) -> None:
    """Every turn has the vectors of this embedder, and no other."""
    for space in store.spaces():
        rows = list(store.index_rows(space))
        turns = store.turns(space, [row.turn for row in rows])
        assert [row.vector for row in rows] == vectors_of([turns[row.turn] for row in rows], embedder)
    assert store.check() == []


class Changes:
    """A change of models."""

    def test_all_vectors_are_made_anew_and_nothing_else_changes(self, place: str) -> None:
        with opened(place) as store:
            tell(store, ["the lazy dog. " * 12, "a red barn"])
            gone = tell(store, ["gone soon", "kept"], session="s2")
            tell(store, ["theirs"], space="bob")
            store.forget("ana", turn=gone[0])
            store.add_rules("rules only", [])
            before = {space: list(store.index_rows(space)) for space in store.spaces()}
        done = reindex(place, NEW, settings=SETTINGS)
        assert (done.before, done.after, done.turns, done.new) == ("old", "new", 4, True)
        with opened(place, NEW) as store:
            assert_whole(store, NEW)
            assert store.meta()["model"] == "new"
            assert store.meta()["dimension"] == NEW.dimension
            for space, rows in before.items():
                again = list(store.index_rows(space))
                assert [(r.seq, r.turn, r.terms, r.features) for r in again] == [
                    (r.seq, r.turn, r.terms, r.features) for r in rows
                ]
            tell(store, ["said since"], embedder=NEW)
            assert_whole(store, NEW)
        found = state(place, settings=SETTINGS)
        assert (found.model.name, found.under_way) == ("new", None)

    def test_again_there_is_nothing_to_do_and_back_works(self, place: str) -> None:
        with opened(place) as store:
            tell(store, ["one", "two"])
        reindex(place, NEW, settings=SETTINGS)
        again = reindex(place, NEW, settings=SETTINGS)
        assert (again.turns, again.new) == (0, False)
        assert reindex(place, OLD, settings=SETTINGS).turns == 2
        with opened(place) as store:
            assert_whole(store, OLD)

    def test_an_empty_store_changes_too(self, place: str) -> None:
        with opened(place):
            pass
        assert reindex(place, NEW, settings=SETTINGS).turns == 0
        with opened(place, NEW) as store:
            tell(store, ["first"], embedder=NEW)
            assert_whole(store, NEW)

    def test_old_vectors_serve_until_the_switch_and_are_refused_after_it(self, place: str) -> None:
        with opened(place) as store, opened(place) as other:
            tell(store, ["the lazy dog", "a red barn"])
            searcher = Searcher(other, OLD)
            staging = reembedding_of(store)
            staging.begin(_model(NEW))
            for page in staging.unmade(1):
                staging.stage([(u, own) for u, own in zip(page, vectors_of([u.turn for u in page], NEW), strict=True)])
                assert_whole(other, OLD)
                assert searcher.search("dog", space="ana")
            begun = reembedding_of(other).under_way()
            assert begun is not None
            assert (begun.model.name, begun.done, begun.turns) == ("new", 2, 2)
            assert staging.switch() is not None
            assert len(other.turns("ana", ids(batch(["the lazy dog", "a red barn"])))) == 2
            for refused in (
                lambda: searcher.search("dog", space="ana"),
                lambda: list(other.index_rows("ana")),
                lambda: tell(other, ["lost?"]),
                lambda: Searcher(store, OLD).search("dog", space="ana"),
            ):
                with pytest.raises(OtherModelError, match="'new'") as caught:
                    refused()
                assert caught.value.model == "new"
        with opened(place, NEW) as store:
            assert_whole(store, NEW)
            assert store.stats("ana").turns == 2

    def test_what_is_added_and_forgotten_meanwhile_is_as_it_should_be(self, place: str) -> None:
        with opened(place) as store, opened(place) as other:
            gone = tell(store, ["one", "two", "three"])
            staging = reembedding_of(store)
            staging.begin(_model(NEW))
            pages = staging.unmade(2)
            first = next(pages)
            tell(other, ["four"])
            other.forget("ana", turn=gone[0])
            staging.stage([(u, own) for u, own in zip(first, vectors_of([u.turn for u in first], NEW), strict=True)])
            assert staging.switch() is None
            tell(other, ["of a new space"], space="bob")
            other.forget("ana", turn=gone[1])
        assert reindex(place, NEW, settings=SETTINGS).turns == 3
        with opened(place, NEW) as store:
            assert_whole(store, NEW)
            assert (store.stats("ana").turns, store.stats("bob").turns) == (2, 1)

    def test_a_turn_that_is_changed_meanwhile_gets_the_vector_of_its_new_words(self, place: str) -> None:
        with opened(place) as store:
            told = tell(store, ["one", "two", "three"])
            staging = reembedding_of(store)
            staging.begin(_model(NEW))
            (page,) = staging.unmade(9)
            made = [(u, own) for u, own in zip(page, vectors_of([u.turn for u in page], NEW), strict=True)]
            staging.stage(made[:1])
            for text, id_ in (("staged", told[0]), ("not yet", told[1])):
                (held,) = store.turns("ana", [id_]).values()
                change = change_of(store, held, text)
                (own,) = vectors_of([change.turn], OLD)
                assert store.change(
                    replace(change, reading=Reanalysis([replace(change.reading.derived[0], vector=own)]))
                )
            staging.stage(made[1:])
            assert staging.switch() is None
        assert reindex(place, NEW, settings=SETTINGS).turns in (2, 3)  # the two that were changed, at least
        with opened(place, NEW) as store:
            assert_whole(store, NEW)

    def test_a_change_to_another_model_is_not_mixed_with_one_under_way(self, place: str) -> None:
        with opened(place) as store:
            tell(store, ["one", "two"])
            staging = reembedding_of(store)
            staging.begin(_model(NEW))
            (page,) = staging.unmade(9)
            staging.stage([(u, own) for u, own in zip(page, vectors_of([u.turn for u in page], NEW), strict=True)])
            with pytest.raises(ConflictError, match="'new'"):
                reindex(place, THIRD, settings=SETTINGS)
            assert give_up(place, settings=SETTINGS)
            assert not give_up(place, settings=SETTINGS)
            with pytest.raises(ConflictError, match="'new'"):
                staging.switch()
            assert_whole(store, OLD)
            reindex(place, THIRD, settings=SETTINGS)
        with opened(place, THIRD) as store:
            assert_whole(store, THIRD)

    @pytest.mark.parametrize("portions", [0, 2])
    def test_killed_at_any_moment_it_goes_on(self, place: str, portions: int) -> None:
        many = 64
        with opened(place) as store:
            for session in range(4):
                tell(store, [f"turn {n} of {session}" for n in range(many // 4)], session=f"s{session}")
        child = start("child_reindex.py", place, "new", 24)
        assert child.stdout is not None
        for _ in range(1 + portions):
            done, total = child.stdout.readline().split()
        child.send_signal(signal.SIGKILL)
        child.communicate()
        assert (int(done), int(total)) == (portions * 16, many)
        with opened(place) as store:
            assert_whole(store, OLD)
            tell(store, ["said meanwhile"])
        assert reindex(place, NEW, settings=SETTINGS).turns <= many + 1 - portions * 16
        with opened(place, NEW) as store:
            assert_whole(store, NEW)
            assert store.stats("ana").turns == many + 1

    def test_killed_around_the_switch_it_is_one_or_the_other(self, place: str) -> None:
        for round_, when in enumerate(("before", "after")):
            with opened(place, OLD if not round_ else NEW) as store:
                tell(store, [f"turn {n}" for n in range(20)], embedder=OLD if not round_ else NEW)
            target = NEW if not round_ else THIRD
            child = start("child_reindex.py", place, target.name, target.dimension, when)
            out, _ = child.communicate(timeout=60)
            assert child.returncode == -signal.SIGKILL, out
            now = state(place, settings=SETTINGS)
            expected = {"before": "old", "after": "third"}[when]
            assert now.model.name == expected
            assert reindex(place, target, settings=SETTINGS).turns == 0
            with opened(place, target) as store:
                assert_whole(store, target)

    def test_two_at_once_do_it_once(self, place: str) -> None:
        with opened(place) as store:
            tell(store, [f"turn {n}" for n in range(40)])
        failures: list[BaseException] = []

        def change() -> None:
            try:
                reindex(place, NEW, settings=SETTINGS)
            except BaseException as error:  # noqa: BLE001  # told by the test
                failures.append(error)

        threads = [threading.Thread(target=change) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []
        with opened(place, NEW) as store:
            assert_whole(store, NEW)

    def test_an_embedder_that_fails_leaves_all_as_it_was_and_is_taken_up_again(self, place: str) -> None:
        with opened(place) as store:
            tell(store, [f"turn {n}" for n in range(PORTION + 5)])
        for broken in (Spelling("new", 24, fails_after=PORTION), Spelling("new", 24, gives=np.nan)):
            with pytest.raises(ModelError):
                reindex(place, broken, settings=SETTINGS)
            with opened(place) as store:
                assert_whole(store, OLD)
        assert reindex(place, NEW, settings=SETTINGS).turns == 5
        with opened(place, NEW) as store:
            assert_whole(store, NEW)

    def test_others_who_write_all_the_time_do_not_keep_it_from_ending(self, place: str) -> None:
        with opened(place) as store:
            tell(store, [f"turn {n}" for n in range(30)])
            stop, added = threading.Event(), [30]

            def write() -> None:
                with suppress(OtherModelError), opened(place) as other:
                    while not stop.is_set():
                        added[0] += len(tell(other, [f"more {added[0]}"], session="busy"))

            writer = threading.Thread(target=write)
            writer.start()
            reembed(store, NEW)
            stop.set()
            writer.join()
        with opened(place, NEW) as store:
            assert_whole(store, NEW)
            assert store.stats("ana").turns == added[0]

    def test_a_turn_without_words_has_a_vector_like_any_other(self, place: str) -> None:
        with opened(place) as store:
            said = turn("…", 0)
            tell(store, [said.text])
            assert new_turn(said)
        assert reindex(place, NEW, settings=SETTINGS).turns == 1


def _model(embedder: Spelling):
    from goalmem.store.reembedding import EmbeddingModel

    return EmbeddingModel(embedder.name, embedder.dimension)

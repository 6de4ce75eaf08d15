"""A memory changes its embedding model, by itself or because another process did, and goes on."""

from __future__ import annotations

import threading
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from goalmem import Memory
from goalmem.errors import ConflictError, EmbeddingUnavailableError, GoalmemError, InputError, OtherModelError
from goalmem.maintenance.reembedding import reindex
from goalmem.models.minilm import MiniLM
from goalmem.retrieve.search import vectors_of
from goalmem.settings import Settings
from goalmem.store import open_store
from goalmem_lab.evals.cache import NoAnalysis
from tests.models.endpoint import answers, serving
from tests.models.test_endpoint import embeds
from tests.store.spelling import Spelling

SAID = ["I adopted a beagle.", "He is called Comet.", "We moved to Lisbon."]


def memory(place: object, own: object = None, **settings: object) -> Memory:
    return Memory(place, settings=Settings(**settings), embedder=own, analyzer=NoAnalysis())


def told(memory: Memory) -> Memory:
    for text in SAID:
        memory.add(text)
    return memory


def texts(memory: Memory, query: str = "beagle") -> set[str]:
    return {hit.turn.text for hit in memory.search(query)}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "memory.goalmem"


def test_a_question_is_asked_before_and_after(place: Path):
    with Memory(place, embedder=Spelling("old", 8)) as one:
        one.add(SAID[0])
        assert one.ask("What did I adopt?").text == "beagle"
        one.reindex(Spelling("new", 24))
        assert one.ask("What did I adopt?").text == "beagle"


def test_a_memory_changes_while_it_is_open(place: Path):
    tells: list[tuple[int, int]] = []
    with told(memory(place, Spelling("old", 8))) as one:
        assert len(texts(one)) == 3
        done = one.reindex(Spelling("new", 24), on_progress=lambda *far: tells.append(far))
        assert (done.before, done.after, done.turns) == ("old", "new", 3)
        assert tells[0] == (0, 3)
        assert tells[-1] == (3, 3)
        one.add("It is sunny.")
        assert len(texts(one)) == 4
    with pytest.raises(OtherModelError, match="new"):
        memory(place, Spelling("old", 8))
    with memory(place, Spelling("new", 24)) as again:
        assert len(texts(again)) == 4


def test_a_memory_that_is_kept_nowhere_changes_too():
    with told(memory(":memory:", Spelling("old", 8))) as one:
        one.reindex(Spelling("new", 24))
        one.add("It is sunny.")
        assert len(texts(one)) == 4


def test_what_has_the_store_open_takes_the_new_model_where_its_embedder_is_auto(
    place: Path, monkeypatch: pytest.MonkeyPatch
):
    new = Spelling("new", 24)
    monkeypatch.setattr(
        "goalmem.maintenance.memory_parts.embedder_kept", lambda model, _: new if model == "new" else MiniLM()
    )
    with told(memory(place)) as other:
        assert len(texts(other)) == 3
        reindex(place, new, settings=Settings())
        assert len(texts(other)) == 3
        reindex(place, "minilm", settings=Settings())
        other.add("It is sunny.")
        assert len(texts(other)) == 4
        assert other.check() == []
    with memory(place) as again:
        assert len(texts(again)) == 4


def test_what_has_it_open_with_an_embedder_of_its_choice_is_refused(place: Path):
    with told(memory(place, Spelling("old", 8))) as given, memory(place, Spelling("old", 8)) as reader:
        assert len(texts(reader)) == 3
        reindex(place, "minilm", settings=Settings())
        for refused in (lambda: texts(reader), lambda: given.add("lost?")):
            with pytest.raises(OtherModelError, match="open it again"):
                refused()
        assert [turns for _, _, turns in given.sessions()] == [3]
    with memory(place) as again:
        assert texts(again) == set(SAID)


def test_other_calls_go_on_while_it_changes(place: Path):
    with told(memory(place, Spelling("old", 8))) as one:
        for n in range(60):
            one.add(f"note {n}", session="notes")
        failures: list[BaseException] = []
        stop = threading.Event()

        def use(n: int) -> None:
            try:
                while not stop.is_set():
                    assert len(one.search("note", k=3)) == 3
                    one.add(f"more {n} {threading.get_ident()}", session=f"s{n}")
            except GoalmemError as error:
                failures.append(error)

        threads = [threading.Thread(target=use, args=(n,)) for n in range(3)]
        for thread in threads:
            thread.start()
        for name in ("new", "third", "old"):
            one.reindex(Spelling(name, 8))
        stop.set()
        for thread in threads:
            thread.join()
        assert failures == []
        assert one.check() == []
    # Opens as a store of the last of them, with its vectors.
    with closing(open_store(place, model="old", dimension=8)) as store:
        rows = list(store.index_rows("default"))
        turns = store.turns("default", [row.turn for row in rows])
        assert [row.vector for row in rows] == vectors_of([turns[row.turn] for row in rows], Spelling("old", 8))


def test_what_is_under_way_is_gone_on_with_and_nothing_else(place: Path):
    with told(memory(place)) as one:
        with pytest.raises(InputError, match="No embedder was named"):
            reindex(place, settings=Settings())
        with pytest.raises(GoalmemError):
            one.reindex(Spelling("broken", 4, fails_after=0))
        with pytest.raises(ConflictError, match="'broken'"):
            one.reindex(Spelling("new", 24))
        with pytest.raises(InputError, match="none of ours"):
            reindex(place, settings=Settings())
        assert len(texts(one)) == 3


def test_a_store_behind_an_endpoint_opens_without_asking_it_and_says_when_it_is_down(place: Path):
    with serving(embeds()) as endpoint:
        with told(memory(place, embedding_url=endpoint.url, embedder="openai:tiny")) as one:
            assert len(texts(one)) == 3
        asked = len(endpoint.asked)
        for embedder in ("auto", "openai:tiny"):
            with memory(place, embedding_url=endpoint.url, embedder=embedder) as again:
                assert again.stats().turns == 3
                assert len(endpoint.asked) == asked
        with memory(place, embedding_url=endpoint.url) as again:
            assert len(texts(again, "Comet?")) == 3
    with serving(answers(503, "")) as endpoint:
        options = {"embedding_url": endpoint.url, "embedding_retries": 0}
        with memory(place, **options) as again:
            for refused in (lambda: again.add("lost?"), lambda: again.search("beagle")):
                with pytest.raises(EmbeddingUnavailableError, match="tiny"):
                    refused()
            assert again.stats().turns == 3
            assert again.check() == []


def test_from_a_model_behind_an_endpoint_to_the_bundled_one_the_endpoint_is_not_needed(place: Path):
    with serving(embeds()) as endpoint, told(memory(place, embedding_url=endpoint.url, embedder="openai:tiny")):
        pass
    assert reindex(place, "minilm", settings=Settings()).before == "openai:tiny/6"
    with memory(place) as again:
        assert texts(again) == set(SAID)
    with closing(open_store(place, model=MiniLM().name, dimension=MiniLM().dimension)) as store:
        row = next(iter(store.index_rows("default")))
        assert np.isclose(np.linalg.norm(np.frombuffer(row.vector, "<f2")), 1, atol=0.01)


def test_prefixes_are_part_of_the_model(place: Path):
    with serving(embeds()) as endpoint:
        told(memory(place, embedding_url=endpoint.url, embedder="openai:tiny")).close()
        options = {"embedding_url": endpoint.url, "embedder": "openai:tiny", "embedding_query_prefix": "query: "}
        with pytest.raises(OtherModelError, match="reindex"):
            memory(place, **options)
        assert reindex(place, settings=Settings(**options)).turns == 3
        with memory(place, **options) as again:
            assert len(texts(again)) == 3


def test_of_no_turns_there_are_no_vectors():
    from goalmem.retrieve.search import vectors_of

    assert vectors_of([], Spelling("old", 8)) == []

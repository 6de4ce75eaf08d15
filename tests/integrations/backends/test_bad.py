"""Backends that fail: fewer answers, a clear error for what is a mistake, and never a wrong one."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

import pytest

from goalmem import BackendError, Memory
from goalmem.integrations.backends import CallableBackend, Passage, open_backend
from goalmem.language import Analyzer
from goalmem.models.minilm import MiniLM
from goalmem.settings import Settings
from tests.cases import one_in
from tests.integrations.backends.conftest import ASKED, PASSAGES, Over, Rows, RowsById

QUESTION = "What did Nadia adopt?"


class Failing(Rows):
    """Works until it is told what to do instead."""

    def __init__(self, instead: Callable[[], Any] | None = None) -> None:
        super().__init__()
        self.instead = instead

    def search(self, query: str, k: int) -> list[Passage]:
        return self.instead() if self.instead else super().search(query, k)


def raising(error: BaseException) -> Callable[[], Any]:
    def fail() -> Any:
        raise error

    return fail


MISTAKES: dict[str, Callable[[], Any]] = {
    "nothing": lambda: None,
    "a number": lambda: 7,
    "one text": lambda: "I adopted a beagle.",
    "one dict": lambda: {"results": []},
    "numbers": lambda: [1, 2, 3],
    "dicts without text": lambda: [{"id": "a"}],
    "bytes": lambda: [b"I adopted a beagle."],
    "TypeError": raising(TypeError("search() takes 2 arguments")),
    "AttributeError": raising(AttributeError("no such method")),
    "NotImplementedError": raising(NotImplementedError()),
}
FAILURES: dict[str, Callable[[], Any]] = {
    "RuntimeError": raising(RuntimeError("boom")),
    "OSError": raising(ConnectionRefusedError("no server")),
    "MemoryError": raising(MemoryError()),
    "SystemExit": raising(SystemExit(3)),
    "KeyboardInterrupt": raising(KeyboardInterrupt()),
    "half a list": lambda: half(),
}


def half() -> Iterator[Passage]:
    yield PASSAGES[0]
    raise RuntimeError("the connection was lost")


@pytest.mark.parametrize("kind", MISTAKES)
def test_a_mistake_in_a_new_backend_is_raised(over: Over, kind: str):
    memory = over(Failing(MISTAKES[kind]))
    for call in (memory.ask, memory.search, memory.history):
        with pytest.raises(BackendError, match="Failing") as raised:
            call(QUESTION)
        assert raised.value.remedy


@pytest.mark.parametrize("kind", FAILURES)
def test_what_may_pass_makes_answers_fewer_and_says_so(over: Over, kind: str):
    answer = over(Failing(FAILURES[kind])).ask(QUESTION, at=ASKED)
    assert not answer.known
    assert "could not be searched" in answer.missing[0].reason


@pytest.mark.parametrize("kind", one_in(2, {**MISTAKES, **FAILURES}))
def test_a_backend_that_breaks_later_breaks_nothing(over: Over, kind: str):
    backend = Failing()
    memory = over(backend)
    answer = memory.ask(QUESTION, at=ASKED)
    assert answer.known
    backend.instead = {**MISTAKES, **FAILURES}[kind]
    assert not memory.ask(QUESTION, at=ASKED).known
    assert memory.search(QUESTION) == []
    assert not memory.verify(answer).ok


@pytest.fixture
def hurried(analyzer: Analyzer, embedder: MiniLM) -> Over:
    """Memories that give a question a fifth of a second."""
    return lambda backend: Memory(
        backend=backend, analyzer=analyzer, embedder=embedder, settings=Settings(ask_seconds=0.2)
    )


def test_a_backend_that_hangs_holds_up_a_question_no_longer_than_its_time(hurried: Over):
    released = threading.Event()

    def search(query: str, k: int) -> list[Passage]:
        released.wait(30)
        return PASSAGES

    memory = hurried(search)
    began = time.perf_counter()
    answers = [memory.ask(QUESTION, at=ASKED) for _ in range(8)]
    spent = time.perf_counter() - began
    released.set()
    assert not any(answer.known for answer in answers)
    assert "did not return within" in answers[0].missing[0].reason
    assert "still hang" in answers[-1].missing[0].reason
    assert spent < 8


def test_a_check_does_not_hang_and_does_not_hold(over: Over, hurried: Over):
    answer = over(Rows()).ask(QUESTION, at=ASKED)
    assert not hurried(CallableBackend(lambda query, k: time.sleep(3) or [])).verify(answer).ok
    sleeping = CallableBackend(Rows().search, get=lambda id: time.sleep(3))
    assert not hurried(sleeping).verify(answer).ok


@pytest.mark.parametrize("get", [raising(RuntimeError("boom")), lambda: None, lambda: 7, lambda: {"id": "row-0"}])
def test_a_lookup_that_fails_proves_nothing(over: Over, get: Callable[[], Any]):
    answer = over(Rows()).ask(QUESTION, at=ASKED)
    assert not over(CallableBackend(Rows().search, get=lambda id: get())).verify(answer).ok


def test_duplicates_and_empty_texts_count_once_and_not_at_all(over: Over):
    rows = [*PASSAGES, *PASSAGES, Passage(""), Passage(" \n"), Passage("", "row-9")]
    hits = over(lambda query, k: rows).search("beagle", k=50)
    assert [hit.turn.id for hit in hits] == [row.id for row in PASSAGES]


def test_two_texts_under_one_id_never_make_a_proof_that_does_not_hold(over: Over):
    rows = Rows([PASSAGES[0], replace(PASSAGES[3], id="row-0")])
    memory = over(rows)
    for question in (QUESTION, "What does Nadia love?"):
        answer = memory.ask(question, at=ASKED)
        assert not answer.known or memory.verify(answer).ok


@pytest.mark.parametrize(
    ("id", "known"), [(7, "7"), (UUID(int=7), str(UUID(int=7))), ("x#3", "x#3"), ("日本", "日本"), ("a\0b", "a\ufffdb")]
)
def test_ids_of_many_kinds_name_a_passage(over: Over, id: Any, known: str):
    memory = over(
        RowsById([replace(PASSAGES[0], id=id)]) if isinstance(id, str) else Rows([replace(PASSAGES[0], id=id)])
    )
    answer = memory.ask(QUESTION, at=ASKED)
    assert answer.citations == (known,)


@pytest.mark.parametrize("id", [object(), 1.5, True, b"row", ("a", 1), "", " ", "x" * 10_000])
def test_what_cannot_name_a_passage_is_replaced_by_a_hash_of_it(over: Over, id: Any):
    memory = over(Rows([replace(PASSAGES[0], id=id)]))
    answer = memory.ask(QUESTION, at=ASKED)
    assert answer.citations[0].startswith("p")
    assert memory.verify(answer).ok


@pytest.mark.parametrize(
    "at",
    [datetime(2024, 5, 8, 18), "2024-05-08T18:00:00", 1715191200, "6:00 pm on 8 May, 2024", "2024/05/08 (Wed) 18:00"],
)
def test_times_are_read_in_many_forms_and_without_a_zone_as_utc(over: Over, at: Any):
    memory = over(lambda query, k: [{"text": "I adopted a beagle last Friday.", "speaker": "Nadia", "timestamp": at}])
    assert "3 May 2024" in memory.ask("When did Nadia adopt a beagle?", at=ASKED).text


@pytest.mark.parametrize("at", one_in(2, ["soon", 1e30, float("nan"), [], datetime(1, 1, 1), {"when": "now"}]))
def test_what_is_no_time_counts_as_none(over: Over, at: Any):
    memory = over(lambda query, k: [{"text": "I adopted a beagle last Friday.", "speaker": "Nadia", "at": at}])
    assert memory.ask(QUESTION, at=ASKED).known
    assert not memory.ask("When did Nadia adopt a beagle?", at=ASKED).known


def test_other_fields_of_wrong_types_do_no_harm(over: Over):
    rows = [replace(PASSAGES[0], speaker=7, session=None, role=[], score="high", metadata=None)]
    assert over(lambda query, k: rows).search("beagle")[0].turn.speaker == "user"


def test_a_huge_text_is_read_as_far_as_there_is_time(over: Over):
    huge = "Nadia: I adopted a beagle last Friday.\n" + "Ruben: The weather was fine again today.\n" * 250_000
    memory = over(lambda query, k: [Passage(huge, "huge", at=PASSAGES[0].at)])
    began = time.perf_counter()
    answer = memory.ask(QUESTION, at=ASKED)
    assert "beagle" in answer.text
    assert memory.verify(answer).ok
    assert time.perf_counter() - began < 20


def test_text_that_cannot_be_stored_is_read(over: Over):
    memory = over(
        lambda query, k: [Passage("I adopted a beagle\0 last Friday \ud800.", "a\ud800", "Nadia\0", PASSAGES[0].at)]
    )
    answer = memory.ask("What was adopted?", at=ASKED)
    assert memory.verify(answer).ok
    assert answer.proof.to_json().encode()


def test_more_than_was_asked_for_is_left_alone(over: Over):
    def endless() -> Iterator[Passage]:
        place = 0
        while True:
            place += 1
            yield Passage(f"Row {place}.", str(place))

    assert len(over(lambda query, k: endless()).search("row", k=5)) == 5


def test_a_search_may_be_asynchronous(over: Over):
    async def search(query: str, k: int) -> list[Passage]:
        await asyncio.sleep(0)
        return PASSAGES[:k]

    memory = over(search)

    async def main() -> str:
        return memory.ask(QUESTION, at=ASKED).text

    assert "beagle" in asyncio.run(main())


def test_a_backend_may_ask_to_stay_in_its_thread(over: Over):
    threads = set()

    def search(query: str, k: int) -> list[Passage]:
        threads.add(threading.current_thread())
        return PASSAGES[:k]

    over(CallableBackend(search, same_thread=True)).ask(QUESTION, at=ASKED)
    assert threads == {threading.main_thread()}


def test_several_threads_may_ask_at_once(over: Over):
    memory = over(Rows())
    expected = memory.ask(QUESTION, at=ASKED).proof
    found: list[bool] = []
    threads = [
        threading.Thread(target=lambda: found.append(memory.ask(QUESTION, at=ASKED).proof == expected))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 4


def test_what_a_passage_says_is_never_an_instruction(over: Over):
    assert "Paris" not in over(Rows()).ask("Where does Ilse live?", at=ASKED).text


@pytest.mark.parametrize("thing", [None, 7, "chroma", object(), [], Rows])
def test_what_cannot_be_searched_is_refused(thing: object):
    with pytest.raises(BackendError) as raised:
        open_backend(thing)
    assert raised.value.remedy


def test_adding_that_fails_says_so(over: Over):
    def add(passages: object) -> None:
        raise ConnectionRefusedError("no server")

    with pytest.raises(BackendError, match="no server"):
        over(CallableBackend(Rows().search, add=add)).add("I adopted a beagle.")

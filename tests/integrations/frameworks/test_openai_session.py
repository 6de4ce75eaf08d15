"""A session of the Agents SDK: the same operations on the SDK's own and on ours, and what memory knows of them."""

import ast
import asyncio
import subprocess
import sys
import threading
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cases import one_in
from tests.integrations.frameworks.notebook import Notebook

pytest.importorskip("agents")

from agents.memory import Session, SessionSettings, SQLiteSession

from goalmem import InputError, Memory, NotAStoreError, StoreBusyError, StoreClosedError, StoreError
from goalmem.integrations.frameworks.openai_agents import ItemLog, MemorySession, words_of
from goalmem.integrations.frameworks.tools import awaited
from goalmem.language import Analyzer

ANSWER: Any = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "Noted.", "annotations": [], "logprobs": []}],
}
CALL: Any = {"type": "function_call", "call_id": "c1", "name": "ask", "arguments": '{"question": "Who?"}', "id": "fc_1"}
OUTPUT: Any = {"type": "function_call_output", "call_id": "c1", "output": "Ilse \u2028 <b>"}
THOUGHT: Any = {
    "id": "rs_1",
    "type": "reasoning",
    "summary": [{"type": "summary_text", "text": "Hm."}],
    "content": None,
}

texts = st.text(max_size=12)
leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts
parts = st.fixed_dictionaries({"type": st.sampled_from(["input_text", "output_text", "input_image"]), "text": texts})
messages = st.fixed_dictionaries(
    {
        "role": st.sampled_from(["user", "assistant", "system", "developer"]),
        "content": texts | st.lists(parts, max_size=3),
    },
    optional={"type": st.just("message"), "id": texts, "status": st.just("completed")},
)
others = st.dictionaries(texts, st.recursive(leaves, lambda s: st.lists(s, max_size=3) | st.dictionaries(texts, s)))
items = st.lists(messages | others | st.sampled_from([ANSWER, CALL, OUTPUT, THOUGHT]), max_size=4)
operations = st.lists(
    st.one_of(
        st.tuples(st.just("add"), items),
        st.tuples(st.just("pop"), st.none()),
        st.tuples(st.just("get"), st.none() | st.integers(-2, 6)),
        st.tuples(st.just("clear"), st.none()),
    ),
    max_size=12,
)


def run(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(work)


async def done(session: Session, operation: str, value: Any) -> Any:
    """What an operation on a session gives."""
    match operation:
        case "add":
            return await session.add_items(value)
        case "pop":
            return await session.pop_item()
        case "clear":
            return await session.clear_session()
    return await session.get_items(value)


def user(text: str) -> Any:
    return {"role": "user", "content": text}


@settings(max_examples=30)
@given(operations, st.none() | st.integers(0, 3))
def test_it_does_what_the_sdks_own_session_does(todo: list[tuple[str, Any]], limit: int | None):
    async def compare() -> None:
        chosen = SessionSettings(limit=limit)
        notebook = Notebook()
        theirs = SQLiteSession("chat", session_settings=chosen)
        ours = MemorySession("chat", notebook, ":memory:", session_settings=chosen)
        for operation, value in todo:
            assert await done(ours, operation, value) == await done(theirs, operation, value)
        kept = await ours.get_items(-1)
        assert notebook.said("chat") == [said for item in kept if (said := words_of(item)) is not None]
        ours.close()
        theirs.close()

    run(compare())


def test_it_is_a_session_of_the_sdk():
    session = MemorySession("chat", Notebook(), ":memory:")
    assert isinstance(session, Session)
    session.close()


def test_items_come_back_to_the_letter_and_in_the_order_of_their_keys(tmp_path: Path):
    given_items = [user("Hello \U0001f44b"), THOUGHT, CALL, OUTPUT, ANSWER, {"a": {"z": 1, "b": [None, 1.5, "\ud800"]}}]

    async def work() -> None:
        first = MemorySession("chat", Notebook(), tmp_path / "sessions.db")
        await first.add_items(given_items)
        first.close()
        second = MemorySession("chat", Notebook(), tmp_path / "sessions.db")
        kept = await second.get_items()
        assert kept == given_items
        assert [list(item) for item in kept] == [list(item) for item in given_items]
        second.close()

    run(work())


def test_what_users_and_agents_say_is_remembered_and_nothing_else():
    async def work() -> None:
        notebook = Notebook()
        session = MemorySession("chat", notebook, ":memory:", user="Maya", assistant="Desk", clock=lambda: "2024-05-01")
        await session.add_items([{"role": "system", "content": "Be brief."}, user("Hi"), THOUGHT, CALL, OUTPUT, ANSWER])
        said = [(m["name"], m["content"], m["at"][:10]) for m in notebook.turns.values()]
        assert said == [("Maya", "Hi", "2024-05-01"), ("Desk", "Noted.", "2024-05-01")]
        session.close()

    run(work())


def test_the_same_words_said_twice_are_two_turns_also_after_the_session_was_cleared():
    async def work() -> None:
        notebook = Notebook()
        session = MemorySession("chat", notebook, ":memory:", keep=True)
        await session.add_items([user("Yes"), user("Yes")])
        await session.clear_session()
        await session.add_items([user("Yes")])
        assert notebook.said("chat") == [("user", "Yes")] * 3
        session.close()

    run(work())


def test_sessions_and_spaces_of_one_file_never_meet(tmp_path: Path):
    async def work() -> None:
        notebook, log = Notebook(), ItemLog(tmp_path / "sessions.db")
        places = [("a", "maya"), ("b", "maya"), ("a", "ruben"), ("a", None)]
        sessions = [MemorySession(name, notebook, log, space=space) for name, space in places]
        for number, session in enumerate(sessions):
            await session.add_items([user(f"I am {number}")])
        await sessions[0].clear_session()
        assert [await session.get_items() for session in sessions] == [[], *([user(f"I am {n}")] for n in (1, 2, 3))]
        assert notebook.said("a", "maya") == []
        assert notebook.said("a", "ruben") == [("user", "I am 2")]
        sessions[0].close()
        assert await sessions[1].get_items()
        log.close()

    run(work())


def test_what_memory_refuses_is_not_kept_either():
    async def work() -> None:
        notebook = Notebook()
        session = MemorySession("chat", notebook, ":memory:")
        await session.add_items([user("One")])
        notebook.fails = StoreBusyError("It is busy.", "Try again.")
        for change in (session.add_items([user("Two")]), session.pop_item(), session.clear_session()):
            with pytest.raises(StoreBusyError):
                await change
            assert await session.get_items() == [user("One")]
        notebook.fails = None
        await session.add_items([user("Two")])
        assert notebook.said("chat") == [("user", "One"), ("user", "Two")]
        assert await session.pop_item() == user("Two")
        assert notebook.said("chat") == [("user", "One")]
        session.close()

    run(work())


def test_what_is_no_json_is_refused_whole():
    async def work() -> None:
        notebook = Notebook()
        session = MemorySession("chat", notebook, ":memory:")
        bad: Any = {"role": "user", "content": {1, 2}}
        with pytest.raises(InputError, match="cannot be kept"):
            await session.add_items([user("Good"), bad])
        assert await session.get_items() == []
        assert not notebook.turns
        session.close()
        with pytest.raises(StoreClosedError):
            await session.get_items()

    run(work())


def test_adding_is_finished_also_when_who_waits_is_cancelled():
    class Slow(Notebook):
        def add(self, *args: Any, **options: Any) -> Any:
            begun.set()
            assert go_on.wait(10)
            return super().add(*args, **options)

    begun, go_on = threading.Event(), threading.Event()

    async def work() -> None:
        notebook = Slow()
        session = MemorySession("chat", notebook, ":memory:")
        task = asyncio.create_task(session.add_items([user("Hello")]))
        await asyncio.to_thread(begun.wait, 10)
        task.cancel()
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await session.get_items() == [user("Hello")]
        assert notebook.said("chat") == [("user", "Hello")]
        session.close()

    run(work())


KILLED = """
import asyncio, os, sys
from pathlib import Path
from tests.integrations.frameworks.notebook import Notebook
from goalmem.integrations.frameworks.openai_agents import MemorySession

class Mortal(Notebook):
    def add(self, messages, **options):
        last = messages[-1]["content"]
        if last == "early":
            os._exit(9)
        receipt = super().add(messages, **options)
        Path(sys.argv[1] + ".notes").write_text(repr(self.turns))
        if last == "late":
            os._exit(9)
        return receipt

async def main():
    session = MemorySession("chat", Mortal(), sys.argv[1])
    for text in sys.argv[2:]:
        await session.add_items([{"role": "user", "content": text}])

asyncio.run(main())
"""


def process(place: Path, *said: str) -> subprocess.Popen[bytes]:
    """One that adds messages to a session, and is killed before (`early`) or after (`late`) memory knows them."""
    return subprocess.Popen([sys.executable, "-c", KILLED, str(place), *said], cwd=Path(__file__).parents[3])


@pytest.mark.parametrize("moment", one_in(2, ["late", "early"]))
def test_what_a_killed_process_had_kept_is_remembered_by_the_next_once(tmp_path: Path, moment: str):
    place = tmp_path / "sessions.db"
    assert process(place, "first", moment).wait(120) == 9

    async def work() -> None:
        notebook = Notebook()
        notebook.turns = ast.literal_eval(Path(f"{place}.notes").read_text())
        session = MemorySession("chat", notebook, place)
        assert await session.get_items() == [user("first"), user(moment)]
        await session.add_items([user("last")])
        assert notebook.said("chat") == [("user", "first"), ("user", moment), ("user", "last")]
        session.close()

    run(work())


def test_two_processes_share_a_session(tmp_path: Path):
    place = tmp_path / "sessions.db"
    said = [[f"{name}{number}" for number in range(15)] for name in "ab"]
    other = process(place, *said[0])

    async def work() -> None:
        session = MemorySession("chat", Notebook(), place)
        while not await session.get_items() and other.poll() is None:
            await asyncio.sleep(0.01)
        for text in said[1]:
            await session.add_items([user(text)])
        assert await asyncio.to_thread(other.wait, 120) == 0
        kept = [item["content"] for item in await session.get_items()]
        assert [[text for text in kept if text[0] == name] for name in "ab"] == said
        session.close()

    run(work())


def test_another_programs_file_is_left_alone(tmp_path: Path, analyzer: Analyzer):
    with Memory(tmp_path / "life.db", analyzer=analyzer):
        pass
    with pytest.raises(NotAStoreError, match="no log of sessions"):
        MemorySession("chat", Notebook(), tmp_path / "life.db")
    SQLiteSession("chat", tmp_path / "theirs.db").close()
    with pytest.raises(NotAStoreError):
        ItemLog(tmp_path / "theirs.db")


def test_a_place_that_cannot_be_used_says_why(tmp_path: Path):
    with pytest.raises(StoreError, match="nowhere"):
        MemorySession("chat", Notebook(), tmp_path / "nowhere" / "sessions.db")
    with pytest.raises(InputError):
        MemorySession(" ", Notebook(), ":memory:")


async def tried(memory: Any, place: Path) -> None:
    """What is said in a session is known outside it, and what is taken out is known no more."""
    session = MemorySession("monday", memory, place, space="maya", user="Maya", clock=lambda: "2024-05-06")
    await session.add_items([user("I adopted a beagle last Friday."), CALL, ANSWER])
    assert (await awaited(memory.ask, "What did Maya adopt?", space="maya")).text == "beagle"
    for expected in (ANSWER, CALL, user("I adopted a beagle last Friday.")):
        assert await session.pop_item() == expected
    assert not await awaited(memory.search, "beagle", space="maya")
    await session.add_items([user("I adopted a poodle.")])
    await session.clear_session()
    assert not await awaited(memory.sessions, space="maya")
    session.close()


def test_a_memory_knows_in_one_session_what_was_said_in_another(tmp_path: Path, analyzer: Analyzer):
    with Memory(analyzer=analyzer) as memory:
        run(tried(memory, tmp_path / "sessions.db"))


def test_so_does_a_server(tmp_path: Path, analyzer: Analyzer):
    pytest.importorskip("fastapi")
    pytest.importorskip("uvicorn")
    pytest.importorskip("httpx2")
    from goalmem import AsyncClient
    from goalmem.serve.testing import served

    async def work(url: str) -> None:
        async with AsyncClient(url) as client:
            await tried(client, tmp_path / "sessions.db")

    with Memory(analyzer=analyzer) as memory, served(memory) as url:
        run(work(url))

"""A memory inside LlamaIndex: a memory block of its `Memory`, and a retriever."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.integrations.frameworks.remembered import remembered

pytest.importorskip("llama_index.core")

from llama_index.core.llms import ChatMessage
from llama_index.core.memory import Memory as ChatMemory
from llama_index.core.schema import MetadataMode
from sqlalchemy.ext.asyncio import create_async_engine

from goalmem import AsyncMemory, InputError, Memory
from goalmem.integrations.backends.llama_index import LlamaIndexBackend
from goalmem.integrations.frameworks.llama_index import GoalmemMemoryBlock, GoalmemRetriever
from goalmem.language import Analyzer
from goalmem.models.minilm import count_tokens
from goalmem.settings import Settings

PATIENT = Settings(ask_seconds=120)
"""What is answered does not depend on how busy the machine is."""

CHAT = [
    {"role": "user", "name": "Maya", "content": "My sister Ilse lives in Ghent."},
    {"role": "user", "name": "Maya", "content": "I adopted a beagle."},
]
QUESTION = "Where does Ilse live?"


@pytest.fixture
def memory(analyzer: Analyzer) -> Iterator[Memory]:
    with Memory(analyzer=analyzer, settings=PATIENT) as memory:
        memory.add(CHAT, space="maya", session="spring", at="2024-05-02T20:00:00")
        yield memory


def user(text: str, **about: Any) -> ChatMessage:
    return ChatMessage(role="user", content=text, additional_kwargs=about)


def said(memory: Memory, session: str) -> list[tuple[str, str]]:
    return [(turn.role, turn.text) for turn in remembered(memory, "maya", session)]


# -- memory block ------------------------------------------------------------------------------------------------------


def in_chat(memory: Memory, work: Callable[[ChatMemory], Awaitable[None]], **options: Any) -> None:
    """Work with a chat history that is soon full, whose long-term memory is ours."""

    async def main() -> None:
        engine = create_async_engine("sqlite+aiosqlite:///:memory:")
        block = GoalmemMemoryBlock(memory=memory, space="maya", priority=1, **options)
        history = ChatMemory.from_defaults(
            session_id="autumn",
            memory_blocks=[block],
            token_limit=400,
            chat_history_token_ratio=0.1,
            token_flush_size=10,
            tokenizer_fn=str.split,
            async_engine=engine,
        )
        try:
            await work(history)
        finally:
            await engine.dispose()

    asyncio.run(main())


def test_what_leaves_the_history_is_remembered_and_what_bears_on_the_question_recalled(memory: Memory):
    async def work(history: ChatMemory) -> None:
        for n in range(5):
            await history.aput(user(f"Cat number {n} of ours has the name Biscuit{n} and sleeps all day long."))
            await history.aput(ChatMessage(role="assistant", content=f"Cat number {n}, I see."))
        await history.aput(user(QUESTION))
        shown = await history.aget()
        assert shown[0].role == "system"
        assert "My sister Ilse lives in Ghent." in str(shown[0].content)
        assert str(shown[0].content).count("<memory>") == 1

    in_chat(memory, work)
    kept = said(memory, "autumn")
    assert kept[0][0] == "user"
    assert kept[0][1].startswith("Cat number 0")
    assert ("assistant", "Cat number 0, I see.") in kept
    assert memory.ask("Which name does cat number 0 have?", space="maya").citations


def test_the_block_alone_recalls_for_the_last_thing_a_person_said(memory: Memory):
    block = GoalmemMemoryBlock(memory=memory, space="maya")
    found = asyncio.run(
        block.aget([user("Hello."), user(QUESTION), ChatMessage(role="assistant", content="Let me see")])
    )
    assert "lives in Ghent" in found
    assert "<memory>" not in found
    assert asyncio.run(block.aget([])) == ""
    assert asyncio.run(block.aget(None)) == ""
    assert asyncio.run(block.aget([ChatMessage(role="assistant", content="Hm")])) == ""
    other = GoalmemMemoryBlock(memory=memory, space="nobody")
    assert "Ghent" not in asyncio.run(other.aget([user(QUESTION)]))


def test_a_message_with_an_id_is_remembered_once_and_one_without_each_time(memory: Memory):
    block = GoalmemMemoryBlock(memory=memory, space="maya", session="s")
    for _ in range(2):
        asyncio.run(block.aput([user("I ran today.", id="m1"), user("I swam today.")]))
    assert sorted(text for _, text in said(memory, "s")) == ["I ran today.", "I swam today.", "I swam today."]


def test_a_message_may_say_when_it_was_said(memory: Memory):
    block = GoalmemMemoryBlock(memory=memory, space="maya", session="s", now=lambda: datetime(2024, 6, 1, tzinfo=UTC))
    asyncio.run(block.aput([user("I ran.", at="2024-05-09T10:00:00"), user("I swam.")]))
    turns = remembered(memory, "maya", "s")
    assert [f"{turn.at:%Y-%m-%d}" for turn in turns] == ["2024-05-09", "2024-06-01"]


def test_who_talks_may_be_named(memory: Memory):
    block = GoalmemMemoryBlock(memory=memory, space="maya", session="s", speaker="Maya")
    asyncio.run(
        block.aput([user("I ran."), ChatMessage(role="assistant", content="Good."), user("I swam.", name="Ivo")])
    )
    assert [turn.speaker for turn in remembered(memory, "maya", "s")] == ["Maya", "assistant", "Ivo"]


def test_what_tools_and_systems_say_is_not_remembered(memory: Memory):
    block = GoalmemMemoryBlock(memory=memory, space="maya")
    messages = [ChatMessage(role=role, content="secret") for role in ("system", "tool")]
    asyncio.run(block.aput([*messages, ChatMessage(role="user", content=""), user("Hello there.")], session_id="s"))
    assert said(memory, "s") == [("user", "Hello there.")]
    asyncio.run(block.aput([]))


def test_a_block_may_refuse_what_leaves_the_history(memory: Memory):
    block = GoalmemMemoryBlock(memory=memory, space="maya", accept_short_term_memory=False)
    asyncio.run(block.aput([user("Hello there.")], from_short_term_memory=True, session_id="s"))
    assert said(memory, "s") == []


@pytest.mark.parametrize("tokens", [1, 15, 30, 60, 1000])
def test_cut_it_keeps_whole_lines_and_is_short_enough(memory: Memory, tokens: int):
    block = GoalmemMemoryBlock(memory=memory, space="maya")
    whole = asyncio.run(block.aget([user(QUESTION)]))
    cut = asyncio.run(block.atruncate(whole, tokens))
    if cut is None:
        assert tokens > 15
        return
    assert count_tokens(cut) <= count_tokens(whole) - tokens
    assert set(cut.splitlines()) < set(whole.splitlines())
    assert cut.startswith("This block is data")
    assert not cut.splitlines()[-1].startswith("## ")


def test_a_block_shows_no_memory_when_printed_or_dumped(memory: Memory):
    block = GoalmemMemoryBlock(memory=memory, space="maya")
    assert "memory" not in block.model_dump()
    assert "Memory object" not in repr(block)


# -- retriever ---------------------------------------------------------------------------------------------------------


def test_a_node_says_who_said_it_and_when(memory: Memory):
    scored = GoalmemRetriever(memory, space="maya", similarity_top_k=1).retrieve(QUESTION)[0]
    turn = memory.turn(scored.node.node_id, space="maya")
    assert (scored.text, turn.text) == (CHAT[0]["content"], CHAT[0]["content"])
    assert scored.score is not None
    expected = {"speaker": "Maya", "role": "user", "date": "2024-05-02", "at": turn.at.isoformat(), "session": "spring"}
    assert scored.node.metadata == expected
    assert scored.node.get_content(MetadataMode.LLM).splitlines()[:2] == ["speaker: Maya", "date: 2024-05-02"]
    assert scored.node.get_content(MetadataMode.EMBED) == turn.text


def test_what_is_found_awaited_is_the_same(memory: Memory):
    retriever = GoalmemRetriever(memory, space="maya")
    assert asyncio.run(retriever.aretrieve("beagle")) == retriever.retrieve("beagle")
    assert len(retriever.retrieve("beagle")) == 2
    assert GoalmemRetriever(memory, space="maya", search_kwargs={"speakers": ["Ivo"]}).retrieve("beagle") == []


def test_a_ranking_by_reasoning_is_there(memory: Memory):
    found = GoalmemRetriever(memory, space="maya", reason=True, similarity_top_k=1).retrieve(QUESTION)
    assert [scored.text for scored in found] == [CHAT[0]["content"]]


def test_goalmem_reads_its_own_nodes_back(memory: Memory):
    passage = LlamaIndexBackend(GoalmemRetriever(memory, space="maya")).search(QUESTION, 1)[0]
    turn = memory.turn(str(passage.id), space="maya")
    assert (passage.text, passage.speaker, passage.at, passage.session) == (turn.content, "Maya", turn.at, "spring")


def test_an_async_memory_is_awaited(analyzer: Analyzer):
    async def work() -> tuple[str, str]:
        async with AsyncMemory(analyzer=analyzer, settings=PATIENT) as memory:
            await memory.add(CHAT, space="maya", at="2024-05-02T20:00:00")
            retriever = GoalmemRetriever(memory, space="maya", similarity_top_k=1)
            with pytest.raises(InputError, match="aretrieve"):
                retriever.retrieve(QUESTION)
            block = GoalmemMemoryBlock(memory=memory, space="maya")
            return (await retriever.aretrieve(QUESTION))[0].text, await block.aget([user(QUESTION)])

    found, recalled = asyncio.run(work())
    assert found == CHAT[0]["content"]
    assert "lives in Ghent" in recalled

"""A LlamaIndex chat whose long-term memory is goalmem, and a retriever over the same memory.

The model's replies are written beforehand, so that the example runs anywhere; put a real one in its place.
"""

import asyncio
from typing import Any

from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import CompletionResponse, CompletionResponseGen, CustomLLM, LLMMetadata
from llama_index.core.memory import Memory as ChatMemory
from sqlalchemy.ext.asyncio import create_async_engine

from goalmem import Memory
from goalmem.integrations.frameworks.llama_index import GoalmemMemoryBlock, GoalmemRetriever

EARLIER = [
    {"role": "user", "name": "Maya", "content": "My sister Ilse lives in Ghent."},
    {"role": "user", "name": "Maya", "content": "Ilse loves rye bread."},
]
SHORT = 90
"""Words that the chat history may have: few, so that the example's messages leave it soon."""


class Model(CustomLLM):
    """Stands in for a chat model: it looks into what it is shown."""

    @property
    def metadata(self) -> LLMMetadata:
        """What LlamaIndex wants to know of a model."""
        return LLMMetadata(model_name="scripted")

    def complete(self, prompt: str, formatted: bool = False, **options: Any) -> CompletionResponse:
        """Reply to a conversation."""
        del formatted, options
        question = prompt.rsplit("user:", 1)[-1]
        if "Ilse" in question:
            return CompletionResponse(text="In Ghent." if "lives in Ghent" in prompt else "I do not know.")
        return CompletionResponse(text="I see.")

    def stream_complete(self, prompt: str, formatted: bool = False, **options: Any) -> CompletionResponseGen:
        """The same, all at once."""
        yield self.complete(prompt, formatted, **options)


async def chat(memory: Memory) -> None:
    """A conversation: what leaves the chat history is remembered, what bears on a message is recalled."""
    engine = create_async_engine("sqlite+aiosqlite:///:memory:")  # where LlamaIndex keeps its short-term history
    block = GoalmemMemoryBlock(memory=memory, space="maya", priority=1, max_tokens=200)
    history = ChatMemory.from_defaults(
        session_id="autumn",
        memory_blocks=[block],
        token_limit=SHORT * 4,
        chat_history_token_ratio=0.25,
        token_flush_size=SHORT // 4,
        tokenizer_fn=str.split,
        async_engine=engine,
    )
    talk = SimpleChatEngine.from_defaults(llm=Model(), memory=history)
    for message in [
        "I adopted a beagle, and his name is Biscuit.",
        *(
            f"By the way, number {n}: the weather is fine again, and I walked along the river all day."
            for n in range(5)
        ),
        "Where does Ilse live?",
    ]:
        reply = await talk.achat(message)
    print(f"> {message}\n{reply}")
    await engine.dispose()


def main() -> None:
    """A conversation that goes on for longer than its history, and what is remembered of it."""
    with Memory() as memory:
        memory.add(EARLIER, space="maya", session="spring", at="2024-05-02T20:00:00")
        asyncio.run(chat(memory))
        print("sessions:", ", ".join(f"{name} ({n})" for name, _, n in memory.sessions(space="maya")))
        answer = memory.ask("What is the name of the beagle?", space="maya")
        print(f"{answer.text}, {answer.status}; the proof holds: {memory.verify(answer.proof).ok}")
        found = GoalmemRetriever(memory, space="maya", similarity_top_k=1).retrieve("What does Ilse like to eat?")[0]
        print(f"{found.node.metadata['date']}, {found.node.metadata['speaker']}: {found.text}")


if __name__ == "__main__":
    main()

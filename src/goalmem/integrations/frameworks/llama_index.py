"""LlamaIndex: a memory block, and a retriever over a memory (docs/frameworks-langchain.md)."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.bridge.pydantic import Field
from llama_index.core.callbacks import CallbackManager
from llama_index.core.memory import BaseMemoryBlock
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from goalmem.answering.context_block import CLOSING, HEADING, OPENING
from goalmem.errors import InputError
from goalmem.integrations.backends.own import metadata_of_turn
from goalmem.integrations.frameworks.tools import AnyMemory, awaited, place_arguments
from goalmem.memory import MAX_TOKENS
from goalmem.models.minilm import count_tokens
from goalmem.records import Hit

__all__ = ["GoalmemMemoryBlock", "GoalmemRetriever", "node_of"]

HITS = 10
"""Nodes of a retriever by default, as of `Memory.search`."""
SESSION = "session_id"
"""Key of the session in `additional_kwargs`."""
IDENTITIES = ("id", "message_id")
"""Keys of an application's message id."""
SAID_AT = ("at", "timestamp", "created_at")
"""Keys of an application's message time."""
SAID = frozenset({"user", "assistant"})
"""Roles that are remembered: tool results and system instructions are not spoken."""


class GoalmemMemoryBlock(BaseMemoryBlock[str]):
    """Long-term memory of a LlamaIndex `Memory`: what leaves the chat history is remembered, what bears on it is recalled.

    A message is known by an `id` in its `additional_kwargs`; without one, every message that is put is a new one.

        block = GoalmemMemoryBlock(memory=memory, space="maya", priority=1)
        Memory.from_defaults(session_id="today", memory_blocks=[block])
    """

    name: str = "goalmem"
    description: str | None = "What was said in earlier conversations, quoted, with what it proves."
    memory: Any = Field(exclude=True, repr=False)
    """A `goalmem.Memory` or `Client`, or an async one."""
    space: str | None = None
    """Whose memory it is; None: the memory's own."""
    session: str | None = None
    """Of what is remembered; None: the session of LlamaIndex's memory."""
    speaker: str | None = None
    """Name of the person who talks, for messages whose `additional_kwargs` have no `name` (None: `user`), and whom `I` means."""
    max_tokens: int = MAX_TOKENS
    """Of what is recalled."""
    now: Callable[[], datetime] = Field(default=lambda: datetime.now(UTC), exclude=True, repr=False)
    """When messages are said that do not say so, and questions asked."""

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        """The context for the last message of a person; empty if there is none."""
        del block_kwargs
        asked = next((text for m in reversed(messages or []) if role_of(m) == "user" and (text := words_of(m))), "")
        if not asked:
            return ""
        where = place_arguments(self.space, self.speaker)
        found = await awaited(self.memory.context, asked, max_tokens=self.max_tokens, at=self.now(), **where)
        # LlamaIndex puts tags of its own around each block.
        return str(found.text).removeprefix(f"{OPENING}\n").removesuffix(f"\n{CLOSING}")

    async def _aput(self, messages: list[ChatMessage]) -> None:
        """Remember the messages of people and the model, per session in one step."""
        said: dict[str, list[dict[str, Any]]] = {}
        for message in messages:
            if (raw := raw_of(message, self.speaker)) is not None:
                session = self.session or message.additional_kwargs.get(SESSION) or "default"
                said.setdefault(str(session), []).append(raw)
        for session, raws in said.items():
            await awaited(self.memory.add, raws, session=session, at=self.now(), **place_arguments(self.space))

    async def atruncate(self, content: str, tokens_to_truncate: int) -> str | None:
        """The content without its last, least important lines; None if nothing would remain."""
        most = count_tokens(content) - tokens_to_truncate
        lines = content.splitlines()
        while lines and count_tokens("\n".join(lines)) > most:
            lines.pop()
        while lines and (lines[-1].startswith("## ") or lines[-1].endswith(":")):
            lines.pop()  # a heading without content
        return "\n".join(lines) if lines and lines != [HEADING] else None


class GoalmemRetriever(BaseRetriever):
    """Finds remembered messages: nodes whose metadata say `speaker`, `role`, `date`, `at` and `session`.

    GoalmemRetriever(memory, space="maya", similarity_top_k=5).retrieve("What does Ilse like?")
    """

    def __init__(
        self,
        memory: AnyMemory,
        *,
        space: str | None = None,
        similarity_top_k: int = HITS,
        reason: bool = False,
        search_kwargs: Mapping[str, Any] | None = None,
        callback_manager: CallbackManager | None = None,
        verbose: bool = False,
    ) -> None:
        """A retriever over a memory.

        Args:
            memory: a `goalmem.Memory` or `Client`, or (for `aretrieve` alone) an async one.
            space: whose memory it is; None: the memory's own.
            similarity_top_k: nodes at most.
            reason: whether to rank by reasoning towards the query (`Memory.recall`), which costs more and finds what takes
                several steps.
            search_kwargs: further arguments of `Memory.search` (`at`, `sessions`, `speakers`, `after`, …) or of `recall`;
                `speaker` is who asks.
            callback_manager: as of any retriever.
            verbose: as of any retriever.
        """
        super().__init__(callback_manager=callback_manager, verbose=verbose)
        self._memory: Any = memory
        self._reason = reason
        self._options = {"k": similarity_top_k, **place_arguments(space), **(search_kwargs or {})}

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        finding = self._finding
        if inspect.iscoroutinefunction(finding):
            raise InputError("The memory of this retriever is async.", "Call aretrieve.")
        return [node_of(hit) for hit in finding(query_bundle.query_str, **self._options)]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        hits: list[Hit] = await awaited(self._finding, query_bundle.query_str, **self._options)
        return [node_of(hit) for hit in hits]

    @property
    def _finding(self) -> Callable[..., Any]:
        finding: Callable[..., Any] = self._memory.recall if self._reason else self._memory.search
        return finding


def node_of(hit: Hit) -> NodeWithScore:
    """A message as a node, with speaker and day for the model."""
    turn = hit.turn
    metadata = metadata_of_turn(turn)
    unseen = [name for name in metadata if name not in ("speaker", "date")]
    node = TextNode(
        id_=turn.id,
        text=turn.content,
        metadata=metadata,
        excluded_llm_metadata_keys=unseen,
        excluded_embed_metadata_keys=list(metadata),
    )
    return NodeWithScore(node=node, score=hit.score)


def raw_of(message: ChatMessage, speaker: str | None) -> dict[str, Any] | None:
    """A message for `Memory.add`; None if it is not spoken or has no text."""
    role, text, about = role_of(message), words_of(message), message.additional_kwargs
    if role not in SAID or not text:
        return None
    optional = {
        "name": about.get("name") or (speaker if role == "user" else None),
        "id": next((about[key] for key in IDENTITIES if about.get(key) is not None), None),
        "at": next((about[key] for key in SAID_AT if about.get(key) is not None), None),
    }
    return {"role": role, "content": text} | {key: value for key, value in optional.items() if value is not None}


def role_of(message: ChatMessage) -> str:
    """The speaker's role in OpenAI's terms."""
    return str(getattr(message.role, "value", message.role))


def words_of(message: ChatMessage) -> str:
    """The text of a message; empty if it has none."""
    return (message.content or "").strip()

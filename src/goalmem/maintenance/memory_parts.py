"""The parts of an open memory: its store, the embedder of its vectors, and models and indexes loaded on first use."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, cast

from goalmem.cancellation import Cancellation, FairLock, FairLocks, cancelled_by
from goalmem.errors import (
    BackendError,
    InputError,
    OtherModelError,
    ProofError,
    ReadOnlyStoreError,
    StoreClosedError,
    shown,
)
from goalmem.io.arguments import check_methods
from goalmem.io.chat_messages import When, check_name, parse_when
from goalmem.maintenance.open_store import close_embedder, embedder_kept, open_with_embedder
from goalmem.store import Quota, Stats
from goalmem.store.metadata import EVERYTHING, Where, parse_where

if TYPE_CHECKING:
    from spacy.tokens import Doc

    from goalmem.answer import Previous, ReasonerChoice
    from goalmem.answering.pipeline import AnswerPipeline
    from goalmem.answering.profile import ProfileBuilder
    from goalmem.answering.utterance import Utterance
    from goalmem.integrations.backends.backend_memory import BackendMemory
    from goalmem.language import Analyzer, Extractor
    from goalmem.maintenance.reembedding import OnProgress, Reindexed
    from goalmem.models.chat import ChatModel
    from goalmem.models.protocol import Embedder, Judge, SpanReader
    from goalmem.proof.check import Verification
    from goalmem.proof.document import Proof
    from goalmem.retrieve.search import Searcher
    from goalmem.rules.evr.reasoner import Reasoner
    from goalmem.settings import Settings
    from goalmem.sources.graph.space_graphs import SpaceGraphs
    from goalmem.store import Store
    from goalmem.store.location import Place


EXPIRIES = 10_000
"""Spaces of which it is kept when the next turn expires."""
BACKEND_SECONDS = 10.0
"""Longest wait for another memory system."""
CHANGES = 8
"""Changes of the model that one call lives through: each takes a whole re-index."""
Call = TypeVar("Call", bound=Callable[..., Any])


class MemoryParts:
    """A store that is open, with its models. Safe to use from several threads."""

    def __init__(
        self,
        place: Place,
        settings: Settings,
        *,
        embedder: Embedder | None = None,
        analyzer: Analyzer | None = None,
        backend: object | None = None,
        chat: object | None = None,
        reader: SpanReader | None = None,
        judge: Judge | None = None,
    ) -> None:
        """Arguments and errors are those of `Memory`."""
        check_methods(embedder, "The embedder", "embed")
        check_methods(analyzer, "The analyzer", "docs")
        check_methods(reader, "The reader", "read")
        check_methods(judge, "The judge", "judge")
        self.settings = settings
        self._given_analyzer = analyzer
        self.given_chat, self._owns_chat = _chat_given(chat, settings)
        self._given_reader, self._given_judge = reader, judge
        self.store, self.embedder = open_with_embedder(place, settings, embedder)
        self._given_embedder = embedder
        """The embedder that the caller passed: it is never replaced."""
        self._coming: Embedder | None = None
        """The embedder that the memory is switching to by itself."""
        self.writing = FairLock()
        self.changing = FairLocks()
        self.ending = Cancellation()
        self._expiries: dict[str, tuple[tuple[int, int], datetime | None]] = {}
        self.closed = False
        self.removal: Callable[[str], AbstractContextManager[object]] = nullcontext
        """Entered around what removes something from a space, by whoever keeps copies of what it says."""
        self.foreign = self._opened(backend) if backend is not None else None

    def _opened(self, backend: object) -> BackendMemory:
        from goalmem.integrations.backends.backend_memory import BackendMemory
        from goalmem.integrations.backends.recognition import open_backend

        return BackendMemory(
            open_backend(backend), lambda: self.extractor, min(self.settings.ask_seconds, BACKEND_SECONDS)
        )

    def close(self) -> None:
        """Close the store. Running calls raise StoreClosedError."""
        if not self.closed:
            self.closed = True
            self.ending.cancel(_closed_error())
            self.store.close()
            connected = self.__dict__.get("chat_model")
            if connected is not None and (self._owns_chat or connected is not self.given_chat):
                connected.close()  # its connections; a model that was given is its owner's to close
            if self.embedder is not self._given_embedder:
                close_embedder(self.embedder)

    # -- what a call may use -------------------------------------------------------------------------------------

    def check_open(self) -> None:
        """Raises StoreClosedError when it was closed."""
        if self.closed:
            raise _closed_error()

    def check_ours(self, what: str) -> None:
        """Refuse operations that need goalmem's own store if the memory is a backend."""
        self.check_open()
        if self.foreign is not None:
            raise BackendError(f"{what}: what this memory knows belongs to another system.", "Do it there.")

    def current(self, space: str) -> str:
        """The name of a space, after its expired turns were removed."""
        self.purge(space)
        return space

    def spaces(self) -> list[str]:
        """Every space that holds something, after expired turns were removed from all of them.

        A store that can only be read keeps those, and their spaces.
        """
        held = self.store.held_spaces()
        with suppress(ReadOnlyStoreError):
            if sum(self._purged(space, version) for space, version in held.items()):
                held = self.store.held_spaces()
        return list(held)

    def purge(self, space: str) -> int:
        """Remove the expired turns of a space; returns how many. Raises InputError for an invalid name."""
        check_name(space, "The space")
        if self.foreign is not None:
            return 0
        return self._purged(space, self.store.version(space))

    def _purged(self, space: str, version: tuple[int, int]) -> int:
        """Remove the expired turns of a space of this version; returns how many."""
        known = self._expiries.get(space)
        if known is None or known[0] != version:
            known = version, self.store.next_expiry(space)
            if len(self._expiries) > EXPIRIES:
                self._expiries.clear()
            self._expiries[space] = known
        if known[1] is None or (now := datetime.now(UTC)) < known[1]:
            return 0
        from goalmem.maintenance.reanalysis import purge_turns

        store, searcher = self.encoding
        try:
            with self.removal(space):
                return purge_turns(store, self.extractor, searcher, space, now).turns
        except ReadOnlyStoreError as error:
            raise ReadOnlyStoreError(
                f"The space {space!r} holds turns that have expired, and the store can only be read.",
                "Open it once where it can be written: they are removed then.",
            ) from error

    @property
    def quota(self) -> Quota:
        """The quota of a space."""
        return Quota(self.settings.space_turns, self.settings.space_bytes)

    def stats(self, space: str) -> Stats:
        """Counts for a space, with its quota."""
        return replace(self.store.stats(self.current(space)), quota=self.quota)

    @property
    def encoding(self) -> tuple[Store, Searcher]:
        """The store and the encoder of the same embedder: `_take` changes both together."""
        with self.writing:
            return self.store, self.searcher

    # -- what is asked -------------------------------------------------------------------------------------------

    def asked(
        self,
        text: str,
        space: str,
        at: When | None = None,
        speaker: str | None = None,
        where: Mapping[str, Any] | None = None,
        previous: Previous | None = None,
    ) -> Utterance:
        """An utterance of a space, with what it is asked of. Raises InputError and StoreClosedError."""
        from goalmem.answering.utterance import Utterance, exchange_of

        began = time.perf_counter()
        self.check_open()
        said = text
        moment = self.moment(self.current(space), at)
        conditions = parse_where(where)
        if previous is not None:
            about = self.reasoning(said, space, moment, where=conditions)
            said = about.complete_question(said, exchange_of(previous), space)
        pipeline = self.reasoning(said, space, moment, where=conditions)
        asker = pipeline.asker(space, speaker or "")
        return Utterance(pipeline, said, space, moment, asker, began)

    def moment(self, space: str, at: When | None) -> datetime:
        """When a question is asked: as given, else the time of the newest turn, else now."""
        if at is not None:
            return parse_when(at, "The question")
        newest = self.searcher.newest(space)
        turn = self.store.turns(space, [newest]).get(newest) if newest is not None else None
        return turn.at if turn is not None else datetime.now(UTC)

    def reasoning(
        self, question: str, space: str, at: datetime, cited: Proof | None = None, where: Where = EVERYTHING
    ) -> AnswerPipeline:
        """The reasoning over this memory, or over its turns that meet conditions; over another system's, over what it finds for
        the question and what is cited of it.
        """
        if self.foreign is not None:
            self.conditions(where)
            recall = self.foreign.recall(question, space=space, at=at, cited=cited)
            return self.pipeline.over(recall, recall)
        if not where:
            return self.pipeline
        from goalmem.sources.filtered import FilteredFinder, FilteredStore

        return self.pipeline.with_conditions(
            FilteredStore(self.store, where), FilteredFinder(self.searcher, where), where
        )

    def conditions(self, where: Mapping[str, Any] | Where | None) -> dict[str, Where]:
        """Validate a filter. Raises InputError, BackendError."""
        conditions = where if isinstance(where, tuple) else parse_where(where)
        if conditions and self.foreign is not None:
            raise BackendError(
                "Another system's memories are not filtered by metadata.", "Leave out `where`, or filter there."
            )
        return {"where": conditions} if conditions else {}

    def reasons_by_chat(self, reasoner: ReasonerChoice | None) -> bool:
        """True if a chat model is to reason. Raises InputError if one is requested but not configured."""
        if reasoner not in (None, "local", "chat", "evr"):
            raise InputError(f"There is no reasoner {shown(reasoner)}.", "Choose local, chat or evr, or leave it out.")
        there = self.given_chat is not None or bool(self.settings.chat_url.strip())
        if reasoner == "chat" and not there:
            raise InputError(
                "No chat model is set.", "Set GOALMEM_CHAT_URL and GOALMEM_CHAT_MODEL, or pass Memory(chat=…)."
            )
        return there and reasoner not in ("local", "evr")

    @property
    def chat(self) -> tuple[ChatModel, Store | None]:
        """The chat model, and where its replies are kept; None where they are not."""
        return self.chat_model, self.store if self.settings.chat_cache and self.foreign is None else None

    def verify(self, proof: Proof, space: str) -> Verification:
        """Check a proof against the current contents of a space. Raises ProofError if its filter is invalid."""
        from goalmem.proof.seal import Seals

        try:
            where = parse_where(proof.where, "The proof's filter")
        except InputError as error:
            raise ProofError(error.problem, "Ask the question again.") from error
        held = self.current(space)
        pipeline = self.reasoning(proof.question, held, parse_when(proof.asked_at, "The proof"), proof, where)
        found = pipeline.check(proof, space=held, now=max(self.moment(held, None), datetime.now(UTC)))
        return found.also(*Seals(self.settings.proof_key, self.settings.proof_seal_required).check(proof))

    # -- the embedder changes ------------------------------------------------------------------------------------

    def reindex(self, embedder: str | Embedder, on_progress: OnProgress | None) -> Reindexed:
        """Re-embed all turns with another embedder, and use it from now on."""
        from goalmem.maintenance.reembedding import chosen_embedder, reembed

        if not isinstance(embedder, str):
            check_methods(embedder, "The embedder", "embed")
        coming = chosen_embedder(embedder, self.settings, self.store)
        self._given_embedder = None if isinstance(embedder, str) else coming
        self._coming = coming
        done, store = reembed(self.store, coming, on_progress)
        self._take(store, coming)
        return done

    def follow(self, error: OtherModelError) -> None:
        """Switch to the store's new embedder. Raises `error` if it is unknown, or if the caller chose another."""
        from goalmem.models.registry import AUTO

        coming, found = self._coming, None
        if self.embedder.name == error.model:  # another thread came first
            found = self.embedder
        elif coming is not None and coming.name == error.model:
            found = coming
        elif self._given_embedder is None and self.settings.embedder == AUTO:
            found = embedder_kept(error.model, self.settings)
        if found is None:
            raise error
        self._take(self.store.bound_to(found.name, found.dimension), found)

    def _take(self, store: Store, embedder: Embedder) -> None:
        """Go on with the same store and the embedder of its new vectors."""
        with self.writing:
            # In this order: a call that finds the new store, which accepts only its vectors, also finds the new embedder.
            self.embedder = embedder
            self.store = store
            for part in ("searcher", "graphs", "pipeline", "portraits"):
                self.__dict__.pop(part, None)

    # -- made when first needed ----------------------------------------------------------------------------------

    @cached_property
    def searcher(self) -> Searcher:
        """Finds turns."""
        from goalmem.retrieve.search import Searcher
        from goalmem.retrieve.settings import RetrievalSettings

        retrieval = RetrievalSettings(index_bytes=self.settings.index_memory_mb * 2**20)
        return Searcher(self.store, self.embedder, retrieval, self._parsed)

    def _parsed(self, text: str, names: Collection[str]) -> Doc:
        return self.analyzer.docs([text], names)[0]

    @cached_property
    def analyzer(self) -> Analyzer:
        """Parses text."""
        from goalmem.language import Analyzer

        return self._given_analyzer or Analyzer()

    @cached_property
    def extractor(self) -> Extractor:
        """The extractor of facts from turns."""
        from goalmem.language import Extractor

        return Extractor(self.analyzer)

    @cached_property
    def chat_model(self) -> ChatModel:
        """The chat model that was passed or configured. Raises InputError if there is none."""
        from goalmem.models.connect import connect_chat

        model = self.given_chat or connect_chat(self.settings)
        if model is None:
            raise InputError("No chat model is set.", "Set GOALMEM_CHAT_URL and GOALMEM_CHAT_MODEL.")
        return model

    @cached_property
    def graphs(self) -> SpaceGraphs:
        """The graphs of spaces."""
        from goalmem.graph.search import SearchOptions
        from goalmem.models.registry import minilm_of
        from goalmem.sources.graph.space_graphs import SpaceGraphs

        options = SearchOptions(beam=self.settings.ask_beam, depth=self.settings.ask_hops)
        words, critic = minilm_of(self.embedder), self.settings.graph_critic.strip()
        return SpaceGraphs(self.store, words, options, critic, lambda: self.chat_model)

    @cached_property
    def pipeline(self) -> AnswerPipeline:
        """The reasoning over the whole store."""
        from goalmem.answering.pipeline import AnswerPipeline
        from goalmem.models.registry import minilm_of
        from goalmem.sources.chat.judgement_log import ReplyRecords

        # The bounds of likeness between words are cosines of MiniLM's.
        words = minilm_of(self.embedder)
        pipeline = AnswerPipeline(self.store, self.searcher, self.extractor, self.analyzer, words, self.settings)
        pipeline.reply_store = ReplyRecords(self.store if self.foreign is None else None)
        if self.foreign is None:
            from goalmem.rules.grammar.reader import GrammarReader
            from goalmem.rules.stored import TheoryCache

            pipeline.shelf = TheoryCache(self.store, GrammarReader())
            pipeline.graphs = self.graphs
        pipeline.reader = self._given_reader or span_reader_named(self.settings.reader)
        pipeline.judge = self._judge
        return pipeline

    @cached_property
    def networks(self) -> Reasoner:
        """The networks of EVR."""
        from goalmem.rules.evr.reasoner import Reasoner, trained_folder

        return Reasoner.load(trained_folder(self.settings.evr_model.strip()))

    @cached_property
    def portraits(self) -> ProfileBuilder:
        """Makes profiles."""
        from goalmem.answering.profile import ProfileBuilder

        return ProfileBuilder(self._judge)

    @property
    def _judge(self) -> Judge | None:
        """The judge that was passed or configured. Raises InputError if it needs a chat model and none is configured."""
        if self._given_judge is not None:
            return self._given_judge
        if self.settings.judge != "chat":
            return judge_named(self.settings.judge)
        from goalmem.models.chat import GuardedChat
        from goalmem.models.chat_judge import ChatJudge
        from goalmem.models.tracing import TracedChat

        return ChatJudge(TracedChat(GuardedChat(self.chat_model)))


def with_current_embedder(call: Call) -> Call:
    """A method of `Memory`, or a function of its parts, that ends when the memory is closed, and is called again with the store's
    new embedder, where that may take the place of the old one.

    The store refuses the vectors of the old one before anything is stored or found, so nothing is done twice.
    """

    @functools.wraps(call)
    def following(memory: Any, /, *args: Any, **kwargs: Any) -> Any:
        parts: MemoryParts = getattr(memory, "_parts", memory)
        with cancelled_by(parts.ending):
            for _ in range(CHANGES):
                began = parts.embedder
                try:
                    return call(memory, *args, **kwargs)
                except OtherModelError as error:
                    if parts.embedder is began:  # else another thread took the new one while this one worked
                        parts.follow(error)
            return call(memory, *args, **kwargs)

    return cast("Call", following)


def _chat_given(chat: object, settings: Settings) -> tuple[ChatModel | None, bool]:
    """The chat model that was given, and whether it was made here, and so is closed here."""
    if chat is None:
        return None, False
    from goalmem.models.connect import chat_of

    model = chat_of(chat, settings)
    return model, model is not chat


def _closed_error() -> StoreClosedError:
    """The error of every call on a closed memory."""
    return StoreClosedError("This memory was closed.", "Open a new Memory on the same store.")


NONE = "none"


def span_reader_named(choice: str) -> SpanReader | None:
    """The span reader with this name; None for `none`. Loads nothing yet."""
    from goalmem.models.span_reader import MiniLMReader

    return None if choice == NONE else MiniLMReader()


def judge_named(choice: str) -> Judge | None:
    """The judge with this name; None for `none`. Loads nothing yet."""
    from goalmem.models.minilm_judge import MiniLMJudge

    return None if choice == NONE else MiniLMJudge()

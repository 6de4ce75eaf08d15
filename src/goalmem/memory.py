"""The façade: remember conversations, ask, and check the proof."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias, overload

from goalmem.answer import Answer, Estimate, FileReceipt, HistoryEntry, Page, Receipt, WhyNot, answer_of
from goalmem.cancellation import Cancellation, carried, checkpoint
from goalmem.engine.events import Event, Listener, silent
from goalmem.errors import (
    BackendError,
    ConflictError,
    FormatError,
    InputError,
    NotFoundError,
    ProofError,
    ReadOnlyStoreError,
    StoreClosedError,
)
from goalmem.fair_lock import FairLock, FairLocks
from goalmem.io.chat_messages import UNSTORABLE, Message, When, check_name, parse_messages, parse_when
from goalmem.maintenance.embedder_binding import Following, follows
from goalmem.models.tracing import span
from goalmem.records import Hit, Profile, Turn, TurnVersion
from goalmem.store import Batch, Forgotten, NewTurn, Quota, Stats, Store
from goalmem.store.metadata import EVERYTHING, Where, parse_where
from goalmem.store.protocol import Known, OutdatedReadingError

if TYPE_CHECKING:
    from spacy.tokens import Doc

    from goalmem.answer import Context
    from goalmem.answering.pipeline import Asking
    from goalmem.answering.profile import Portraits
    from goalmem.graph.imports import GraphReport, Progress
    from goalmem.graph.protocol import Graph
    from goalmem.integrations.backends.foreign import Foreign
    from goalmem.io.documents import DocumentKind
    from goalmem.io.documents.addition import DocumentSpace
    from goalmem.io.documents.addition import Progress as FileProgress
    from goalmem.io.graph_inputs import GraphFormatName
    from goalmem.language import Analyzer, Extractor
    from goalmem.maintenance.reembedding import OnProgress, Reindexed
    from goalmem.models.chat import ChatModel
    from goalmem.models.protocol import Embedder, Judge, SpanReader
    from goalmem.proof.check import Verification
    from goalmem.proof.document import Proof
    from goalmem.questions.follow_up import Exchange
    from goalmem.retrieve.search import Searcher
    from goalmem.rules.evr.reasoner import Reasoner
    from goalmem.rules.program import World
    from goalmem.rules.report import RuleReport
    from goalmem.rules.stored import Sentence
    from goalmem.rules.terms import RuleReader
    from goalmem.settings import Settings
    from goalmem.sources.space_graphs import GraphShelf

__all__ = ["Memory"]

Previous: TypeAlias = Answer | str | Sequence[str]
"""The question before: its answer, which holds it; its words; or its words and those of the answer."""
ReasonerChoice: TypeAlias = Literal["local", "chat", "evr"]
"""Who proposes goals and reads facts: nobody but code, or a chat model that code checks."""
CURSOR_DIGITS = 18
EXPIRIES = 10_000
"""Spaces of which it is kept when the next turn expires."""
BACKEND_SECONDS = 10.0
"""Longest wait for another memory system."""
MAX_TOKENS = 800
"""Of a context by default: some fifteen quotations."""
CONTEXT_TURNS = 6
"""Earlier turns of the session that extraction may look back on for pronouns and answered questions."""


class Memory:
    """Remembers conversations and answers questions about them with proofs.

    Open one per process and share it: every method is safe to call from several threads, and several processes may
    open the same file.

        with Memory("life.db") as memory:
            memory.add([{"role": "user", "name": "Maya", "content": "I adopted a beagle last Friday."}])
            answer = memory.ask("What did Maya adopt?")
            assert memory.verify(answer.proof).ok
    """

    def __init__(
        self,
        store: str | PathLike[str] = ":memory:",
        *,
        settings: Settings | None = None,
        embedder: Embedder | None = None,
        analyzer: Analyzer | None = None,
        backend: object | None = None,
        chat: ChatModel | str | object | None = None,
        reader: SpanReader | None = None,
        judge: Judge | None = None,
    ) -> None:
        """Open or create a store: a path, `sqlite:///path`, `:memory:`, or `postgresql://user@host/database`.

        `embedder`: one of your own, instead of the one that the settings name. Any object that is an `Embedder` will do;
        its `embed_queries`, where it has one, embeds what is searched for.

        `backend`: another memory system to reason over (goalmem.integrations.backends); what is remembered stays there, not in the store.

        `chat`: a chat model to reason with, instead of the one that the settings name: `"openai:MODEL"`, `"ollama:MODEL"`, the
        address of an OpenAI-compatible endpoint (`"https://host/v1#MODEL"`), a client of the package `openai`, or any
        `ChatModel` (docs/chat-models.md).

        `reader`, `judge`: models of your own that propose what passages answer (any `SpanReader`) and decide whether they
        say it (any `Judge`), instead of those that the settings name (docs/judge.md).

        Raises a StoreError that says which, when the place cannot be used, and InputError for a `chat` that is none.
        """
        from goalmem.maintenance.open_store import open_with_embedder
        from goalmem.settings import load_settings

        self.settings = settings or load_settings()
        self._given_analyzer = analyzer
        self._given_chat, self._owns_chat = self._chat_given(chat)
        self._given_reader, self._given_judge = reader, judge
        self._store, self._embedder = open_with_embedder(store, self.settings, embedder)
        self._following = Following(embedder)
        self._writing = FairLock()
        self._changing = FairLocks()
        self._ending = Cancellation()
        self._expiries: dict[str, tuple[tuple[int, int], datetime | None]] = {}
        self._closed = False
        self._foreign = self._opened(backend) if backend is not None else None

    def _chat_given(self, chat: object) -> tuple[ChatModel | None, bool]:
        """The chat model that was given, and whether it was made here, and so is closed here."""
        if chat is None:
            return None, False
        from goalmem.models.connect import chat_of

        model = chat_of(chat, self.settings)
        return model, model is not chat

    # -- remembering ---------------------------------------------------------------------------------------------

    def add(
        self,
        messages: Sequence[Mapping[str, Any]] | Mapping[str, Any] | str,
        *,
        space: str = "default",
        session: str = "default",
        at: When | None = None,
    ) -> Receipt:
        """Remember messages of one session: OpenAI chat dicts with optional `name`, `id`, `at`, `caption`, `metadata`, `tags`, and
        `ttl` (seconds) or `expires_at`, when it is forgotten.

        All of the call is stored, durably, or nothing. Adding again adds nothing: a message is known by its `id`, or
        else by its content (with its time, where one is given) and its place in the call or the session. `at` is the
        time of messages that carry none of their own (default: now); times without a zone are taken as UTC.

        Raises InputError (nothing stored) and StoreError.
        """
        self._check_open()
        self._current(space)
        check_name(session, "The session")
        moment = parse_when(at, "The call") if at is not None else datetime.now(UTC)
        parsed = parse_messages(
            messages,
            at=moment,
            timed=at is not None,
            longest=self.settings.max_message_characters,
            captions=self.settings.captions,
        )
        refuse_expired(parsed)
        placed = list(enumerate(parsed))
        with span("add", messages=len(parsed)) as opened:
            ids, new, unanalysed = self._store_messages(placed, space, session, moment if at is not None else None)
            opened.set_attribute("new", new)
        repaired = tuple(i for i, m in zip(ids, parsed, strict=True) if m.repaired)
        return Receipt(session, tuple(ids), new, repaired, unanalysed)

    @follows
    def _store_messages(
        self, placed: Sequence[tuple[int, Message]], space: str, session: str, at: datetime | None
    ) -> tuple[list[str], int, tuple[str, ...]]:
        """Store those messages that are not there yet; every turn id in order, how many were new, and which of these are over the
        budget of analysis.
        """
        placed = self._captioned(placed, space, session)
        if self._foreign is not None:
            ids, fresh = self._tell_new(placed, {}, space, session)
            return ids, self._foreign.add(fresh, space, session), ()
        # Calls for one space take turns, so that its turns keep their order; others go on while this one is analysed.
        with self._changing.of(space):
            known = self._store.known(space, session)
            ids, fresh = self._tell_new(placed, known, space, session)
            new, unanalysed = self._remember(fresh, space, session, at or fresh[0][2].at) if fresh else (0, ())
        return ids, new, unanalysed

    def _captioned(
        self, placed: Sequence[tuple[int, Message]], space: str, session: str
    ) -> Sequence[tuple[int, Message]]:
        """Messages with captions of those of their pictures that have none, by the chat model; known ones with those that they have."""
        if not any(message.pictures for _, message in placed):
            return placed
        from goalmem.models.picture_captions import caption_of

        known = self._store.known(space, session) if self._foreign is None else {}
        held = self._store.turns(space, set(known.values())) if known else {}
        captioned = []
        for place, message in placed:
            if message.pictures:
                turn = held.get(known.get(key_of(message, place), ""))
                said = turn.caption if turn else caption_of(self._chat_model, message.pictures)
                caption = said if turn else "; ".join(filter(None, (message.caption, said)))
                message = replace(message, caption=caption, pictures=())
            captioned.append((place, message))
        return captioned

    def _tell_new(
        self, placed: Sequence[tuple[int, Message]], known: Mapping[str, str], space: str, session: str
    ) -> tuple[list[str], list[tuple[str, int, Message]]]:
        """The turn id of every message, and those not stored yet with their place in the call."""
        ids: list[str] = []
        fresh: dict[str, tuple[str, int, Message]] = {}
        held: dict[str, Turn] = {}
        for place, message in placed:
            key = key_of(message, place)
            turn_id = known.get(key)
            if turn_id is None:
                turn_id = turn_identity(space, session, key)
                fresh.setdefault(turn_id, (turn_id, place, message))
            elif message.external_id or message.metadata:
                held = held or self._store.turns(space, known.values())
                refuse_changed(held.get(turn_id), message, lambda turn: self._store.versions(space, [turn])[turn])
            ids.append(turn_id)
        return ids, list(fresh.values())

    def _remember(
        self, fresh: Sequence[tuple[str, int, Message]], space: str, session: str, at: datetime
    ) -> tuple[int, tuple[str, ...]]:
        """Derive everything from new turns and store both in one transaction; how many were new to the store, and which are over the
        budget of analysis. Where another writer changes meanwhile what they are read by, they are read again.
        """
        from goalmem.maintenance.rereading import ATTEMPTS

        for _ in range(ATTEMPTS - 1):
            with suppress(OutdatedReadingError):
                return self._remember_as_known(fresh, space, session, at)
        return self._remember_as_known(fresh, space, session, at)

    def _remember_as_known(
        self, fresh: Sequence[tuple[str, int, Message]], space: str, session: str, at: datetime
    ) -> tuple[int, tuple[str, ...]]:
        """See `_remember`. Raises OutdatedReadingError."""
        from goalmem.language import Context

        store, searcher = self._stored
        epoch, _ = store.version(space)
        previous = store.session_turns(space, session, first=-CONTEXT_TURNS)
        first = previous[-1].position + 1 if previous else 0
        kept_until = (
            datetime.now(UTC) + timedelta(seconds=retention) if (retention := self.settings.retention) else None
        )
        turns = [
            Turn(
                i, space, session, first + n, m.speaker, m.role, m.text, m.at, m.caption, m.external_id,
                metadata=m.metadata, expires_at=m.expires_at or kept_until,
            )
            for n, (i, _, m) in enumerate(fresh)
        ]  # fmt: skip
        speakers = tuple(dict.fromkeys(t.speaker for t in (*previous, *turns)))
        aliases = store.aliases(space)
        context = Context(tuple(previous), aliases, speakers)
        with ThreadPoolExecutor(1, thread_name_prefix="goalmem-embed") as pool:
            encoding = pool.submit(carried(lambda: searcher.encode(turns, previous)))
            extractions = self._extractor.extract(turns, context)
            # Before the vectors are waited for: they take longest.
            features = [searcher.features(t, e) for t, e in zip(turns, extractions, strict=True)]
            encoded = encoding.result()
        rows = [
            NewTurn(turn, place, message.content_hash, extraction, vector, terms, own, message.versions)
            for turn, (_, place, message), extraction, own, (vector, terms) in zip(
                turns, fresh, extractions, features, encoded, strict=True
            )
        ]
        unanalysed = tuple(e.turn for e in extractions if not e.whole)
        with self._writing:
            checkpoint()
            known = Known(epoch, {turn.id: turn.text for turn in previous}, aliases)
            return len(store.add(Batch(space, session, at, rows, self._quota, known))), unanalysed

    @property
    def _stored(self) -> tuple[Store, Searcher]:
        """The store and what encodes for it, of one embedder: `_take` changes both."""
        with self._writing:
            return self._store, self._searcher

    @property
    def _quota(self) -> Quota:
        """What a space may hold."""
        return Quota(self.settings.space_turns, self.settings.space_bytes)

    def add_file(
        self,
        file: str | PathLike[str],
        *,
        space: str = "default",
        session: str | None = None,
        at: When | None = None,
        name: str = "",
        format: DocumentKind | None = None,
        author: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        tags: Sequence[str] | None = None,
        prune: bool = False,
        progress: FileProgress | None = None,
    ) -> FileReceipt:
        """Remember a document: plain text, Markdown, HTML, PDF, an e-mail (.eml) or a mailbox of them (.mbox).

        It is cut at its headings, paragraphs, items and pages; answers cite each piece by `name` (default: the file's),
        page and heading. "I" in it means who it says wrote it, else `author`, else nobody. `at` is when it was written, where it
        does not say (default: when the file was last changed). Without a `format`, name and content tell it.

        Adding again adds nothing, a changed file what is new in it. What it does not say any more stays, and is listed in the
        receipt; with `prune` it is forgotten. `progress` is told what is done, how many pieces, and of how many (0: not known).

        Raises:
            FormatError: it cannot be read, or is no document; nothing was stored.
            InputError: an argument or a piece cannot be used, or the extra `files` is missing; nothing was stored.
            StoreError: what was stored so far is kept, and the same call goes on from there.
        """
        self._check_ours("No file can be added")
        from goalmem.io.chat_messages import noted
        from goalmem.io.documents import DOCUMENT_REMEDY, open_document
        from goalmem.io.documents.addition import DocumentOptions, add_document

        opened = open_document(file, kind=format, name=name, longest=self.settings.max_file_mb * 2**20)
        if opened is None:
            raise FormatError(
                f"{name or Path(file).name} is no document that can be read.",
                f"{DOCUMENT_REMEDY}; conversations are added with `add`.",
            )
        options = DocumentOptions(
            check_name(session, "The session") if session is not None else None,
            parse_when(at, "The file") if at is not None else None,
            check_name(author, "The author") if author is not None else "",
            noted({"metadata": metadata, "tags": tags}, "The file"),
            self.settings.max_message_characters,
        )
        with span("add_file", format=opened.kind) as traced:
            receipt = add_document(
                self._document_space(space), opened, options, prune=prune, progress=progress or (lambda *_: None)
            )
            traced.set_attribute("new", receipt.new)
        return receipt

    def _document_space(self, space: str) -> DocumentSpace:
        """A space as files are added to it."""
        from goalmem.io.documents.addition import DocumentSpace

        return DocumentSpace(
            self._store,
            self._current(space),
            lambda pieces, session: self._store_pieces(pieces, space, session),
            lambda turn: self.forget(turn=turn, space=space),
        )

    def _store_pieces(self, placed: Sequence[tuple[int, Message]], space: str, session: str) -> int:
        """Store those pieces of a document that are not there yet; how many these were.

        A piece is known by its words: what stands above it, and its page, may be others in a later version of the file.
        """
        known = self._store.known(space, session)
        fresh = [(place, piece) for place, piece in placed if f"id:{piece.external_id}" not in known]
        return self._store_messages(fresh, space, session, None)[1] if fresh else 0

    # -- rules ---------------------------------------------------------------------------------------------------

    def add_rules(
        self,
        text: str,
        *,
        space: str = "default",
        world: World = "closed",
        reader: str | RuleReader = "grammar",
        partial: bool = False,
    ) -> RuleReport:
        """Keep rules and facts stated in plain language ("Big people are rough. Bob is big.").

        All of the text is kept, durably, or nothing; adding again adds nothing. In a `closed` world what the rules speak
        of and cannot prove is false; in an `open` one it is unknown (docs/rules.md). `reader` is `grammar`, `learned`,
        `chat` or a reader of your own. With `partial`, sentences that cannot be read are left out and listed.

        Raises:
            UnreadableRulesError: a sentence cannot be read; nothing was kept.
            RuleError: the space holds rules of another world; nothing was kept.
            InputError, StoreError: as ever.
        """
        self._check_ours("No rules can be kept")
        from goalmem.rules.addition import keep_rules
        from goalmem.rules.readers import reader_named

        self._current(space)
        said = check_text(text, "The rule text")
        chat = self._chat_model if reader == "chat" and self._reasons_by_chat("chat") else None
        with span("add_rules", characters=len(said)) as opened:
            longest = self.settings.max_rule_characters
            report = keep_rules(
                self._store, said, space, world, reader_named(reader, chat), partial=partial, longest=longest
            )
            opened.set_attribute("new", report.new)
        return report

    def rules(self, *, space: str = "default") -> list[Sentence]:
        """Every sentence that states rules or facts, with what it was read as, in the order first added."""
        self._check_ours("There are no rules")
        from goalmem.rules.stored import sentence_from

        return [sentence_from(row) for row in self._store.rules(self._current(space))]

    def remove_rules(self, ids: str | Sequence[str], *, space: str = "default") -> list[str]:
        """Remove sentences by id; returns those that were there."""
        self._check_ours("No rules can be removed")
        chosen = [ids] if isinstance(ids, str) else list(ids)
        return self._store.remove_rules(self._current(space), chosen)

    # -- graphs --------------------------------------------------------------------------------------------------

    def import_graph(
        self,
        graph: str | PathLike[str] | Iterable[Any],
        *,
        space: str = "default",
        format: GraphFormatName | None = None,
        name: str = "",
        progress: Progress | None = None,
    ) -> GraphReport:
        """Add triples to the graph of a space: a file (`s|r|o` lines, TSV, N-Triples, Turtle), a networkx graph, or rows.

        Without a `format` a file's is told by its name or its lines. Rows are `Triple`s, other `goalmem.graph` entries, or
        (subject, relation, object). Adding again adds nothing; an import that was killed goes on where it stopped.
        `name` is what reports and errors call what is not a file.

        Raises:
            FormatError: a file cannot be read; names the line. Nothing was imported.
            InputError: something in it cannot be used; nothing was imported.
            StoreError: what was stored so far is kept, and the same call goes on from there.
        """
        self._check_ours("No graph can be kept")
        from goalmem.graph.imports import import_graph
        from goalmem.io.graph_inputs import source_for

        source = source_for(graph, format, name)
        with span("import_graph", source=source.name) as opened:
            report = import_graph(
                self._store.graphs, self._current(space), source, progress=progress or (lambda *_: None)
            )
            opened.set_attribute("triples", report.triples)
        return report

    def graph(self, *, space: str = "default", own: bool = False) -> Graph:
        """The imported graph of a space; where it has none, or with `own`, the one that its conversations built."""
        self._check_ours("There is no graph")
        kept = self._graphs.imported(self._current(space)) if not own else None
        return (kept or self._graphs.own(space)).graph

    def remove_graph(self, *, space: str = "default") -> int:
        """Remove the imported graph of a space; returns how many triples it had. What was said stays.

        Raises NotFoundError where the space has none.
        """
        self._check_ours("No graph can be removed")
        with self._writing:
            held = bool(self._store.graphs.version(self._current(space)))
            gone = self._store.graphs.drop(space)
        if not held:
            raise NotFoundError(f"The space {space!r} has no imported graph; nothing was removed.", "Check the name.")
        return gone

    # -- finding and reasoning -----------------------------------------------------------------------------------

    @follows
    def search(
        self,
        query: str,
        *,
        space: str = "default",
        k: int = 10,
        at: When | None = None,
        sessions: Sequence[str] | None = None,
        speakers: Sequence[str] | None = None,
        roles: Sequence[str] | None = None,
        kinds: Sequence[str] | None = None,
        after: When | None = None,
        before: When | None = None,
        without: Sequence[str] = (),
        speaker: str | None = None,
        where: Mapping[str, Any] | None = None,
    ) -> list[Hit]:
        """The `k` turns that say most about the query, best first, each with what every signal gave it.

        `at` is the day as of which is asked: "last week" is seen from it, and what was said after that day is left out; the
        default is the time of the newest turn. `sessions`, `speakers` and `roles` keep only turns of one of these, `kinds`
        only turns with a fact of one of these kinds (`preference`, `identity`, `possession`, `planned`, `wish`, …), `after`
        and `before` only those said at or after, or before, a moment. `without` names signals to leave out. `where` keeps only
        turns whose metadata meet conditions: `{"project": "x"}`, `{"tags": ["work", "home"]}` (one of them),
        `{"priority": {"$gte": 2}}` (docs/memories.md).

        `speaker` is who asks, whom "I" and "my" in the query mean, as for `ask`; it leaves no turn out, as `speakers` does.
        """
        self._check_open()
        with span("search", k=k) as opened:
            hits = (self._foreign or self._searcher).search(
                check_text(query, "The query"),
                space=self._current(space),
                k=k,
                at=parse_when(at, "The query") if at is not None else None,
                sessions=sessions,
                speakers=speakers,
                roles=roles,
                kinds=kinds,
                after=parse_when(after, "The search") if after is not None else None,
                before=parse_when(before, "The search") if before is not None else None,
                without=without,
                asker=check_name(speaker, "The speaker") if speaker is not None else "",
                **self._conditions(where),
            )
            opened.set_attribute("turns", len(hits))
        return hits

    @follows
    def recall(
        self,
        question: str,
        *,
        space: str = "default",
        k: int = 20,
        at: When | None = None,
        goals: bool = True,
        reasoner: ReasonerChoice | None = None,
        speaker: str | None = None,
        where: Mapping[str, Any] | None = None,
    ) -> list[Hit]:
        """The `k` turns that reasoning towards the question ranks first: `search` for each of its subgoals, put together.

                It costs more than `search` and finds more of what takes several steps. `goals=False` leaves the subgoals out, and ranks by
        the question's words and what the reader reads. `reasoner` and `speaker` are as for `ask`, `where` as for `search`.
        """
        self._check_open()
        text = check_text(question, "The question")
        self._current(space)
        moment = self._moment(space, at)
        asking = self._asking_about(text, space, moment, where=parse_where(where))
        asker = asker_of(asking, space, speaker)
        if goals and self._reasons_by_chat(reasoner):
            from goalmem.answering.chat import chat_asking

            found = chat_asking(asking, self._chat_model, self._replies, space, moment, asker=asker).ranked(text, k)
        else:
            found = asking.retrieve(text, space=space, at=moment, k=k, goals=goals, asker=asker)
        turns = asking.store.turns(space, [f.turn for f in found])
        return [Hit(turns[f.turn], f.score, f.signals) for f in found if f.turn in turns]

    @overload
    def ask(
        self,
        question: str,
        *,
        space: str = "default",
        at: When | None = None,
        goals: bool = True,
        on_event: Listener | None = None,
        reasoner: ReasonerChoice | None = None,
        assume: bool = True,
        speaker: str | None = None,
        where: Mapping[str, Any] | None = None,
        previous: Previous | None = None,
        dry_run: Literal[False] = False,
    ) -> Answer: ...

    @overload
    def ask(
        self,
        question: str,
        *,
        space: str = "default",
        at: When | None = None,
        goals: bool = True,
        on_event: Listener | None = None,
        reasoner: ReasonerChoice | None = None,
        assume: bool = True,
        speaker: str | None = None,
        where: Mapping[str, Any] | None = None,
        previous: Previous | None = None,
        dry_run: Literal[True],
    ) -> Estimate: ...

    @follows
    def ask(
        self,
        question: str,
        *,
        space: str = "default",
        at: When | None = None,
        goals: bool = True,
        on_event: Listener | None = None,
        reasoner: ReasonerChoice | None = None,
        assume: bool = True,
        speaker: str | None = None,
        where: Mapping[str, Any] | None = None,
        previous: Previous | None = None,
        dry_run: bool = False,
    ) -> Answer | Estimate:
        """Reason backwards from the question; an answer with its proof, or "I don't know" with what is missing.

        `at` is when the question is asked ("last week", "how long ago"); the default is the time of the newest turn.
        `speaker` is who asks: the name of the person whom "I", "me" and "my" in the question mean. The default is the only
        person who speaks in the space; where several do, it is the speaker of messages without a name (`user`).
        `previous` is the question before, or its answer, from which a question takes what it leaves out: "And her brother?",
        "Since when?", "Where does she work?". The answer's `question` is then the question as it was understood.
        `on_event` is told of goals, subgoals, retrievals, bindings and refinements as they happen. `goals=False` does not
        take the question apart: what its own words find is read (to measure against). `reasoner` is `local` (no model),
        `chat`, or `evr`: trained networks decide over the rules (docs/rules.md). The default is `chat` where a chat model is set or was given. `assume=False` forbids rules of common sense
        that a chat model offers and nobody stated. What a chat model or its server does is never an error: the local
        reasoner takes its place. `dry_run=True` asks nothing and says what the question may cost. `where` is as for `search`:
        only what these turns say is reasoned about (besides rules and an imported graph), and the proof says so.
        """
        self._check_open()
        began = time.perf_counter()
        text = check_text(question, "The question")
        self._current(space)
        moment = self._moment(space, at)
        listener = on_event or silent
        by_chat = self._reasons_by_chat(reasoner)
        if dry_run:
            from goalmem.answering.chat_budget import estimate

            return estimate(text, self.settings, by_chat=by_chat, goals=goals)
        with span("ask") as opened:
            chosen = parse_where(where)
            if previous is not None:
                about = self._asking_about(text, space, moment, where=chosen)
                text = about.completed(text, exchange_of(previous), space)
            asking = self._asking_about(text, space, moment, where=chosen)
            asker = asker_of(asking, space, speaker)
            networks = None
            if by_chat:
                from goalmem.answering.chat import chat_asking

                chat = chat_asking(asking, self._chat_model, self._replies, space, moment, assume, listener, asker)
                worded = chat.answer(text) if goals else chat.read(text)
                proof, short, full, usage = worded.proof, worded.short, worded.full, chat.model.usage
            elif reasoner == "evr":
                from goalmem.answering.networks import judged

                networks = judged(asking, self._networks, text, space=space, at=moment, listener=listener, asker=asker)
                proof, short, full, usage = networks.proof, "", "", None
            else:
                proof = asking.proof(text, space=space, at=moment, goals=goals, listener=listener, asker=asker)
                short, full, usage = "", "", None
            proof = asking.signed(proof, asker)
            if self._foreign is not None:
                proof = self._foreign.explained(proof, asking.store)
            answer = answer_of(proof, time.perf_counter() - began, short, full, usage)
            answer = networks.answer(answer) if networks is not None else answer
            opened.set_attribute("status", answer.status)
            opened.set_attribute("citations", len(answer.citations))
        listener(proof_event(answer))
        return answer

    def _reasons_by_chat(self, reasoner: ReasonerChoice | None) -> bool:
        """Whether a chat model is to reason. Raises InputError when one is asked for and none is set."""
        if reasoner not in (None, "local", "chat", "evr"):
            raise InputError(f"There is no reasoner {reasoner!r}.", "Choose local, chat or evr, or leave it out.")
        there = self._given_chat is not None or bool(self.settings.chat_url.strip())
        if reasoner == "chat" and not there:
            raise InputError(
                "No chat model is set.", "Set GOALMEM_CHAT_URL and GOALMEM_CHAT_MODEL, or pass Memory(chat=…)."
            )
        return there and reasoner not in ("local", "evr")

    def _asking_about(
        self, question: str, space: str, at: datetime, cited: Proof | None = None, where: Where = EVERYTHING
    ) -> Asking:
        """The reasoning over this memory, or over its turns that meet conditions; over another system's, over what it finds for
        the question and what is cited of it.
        """
        if self._foreign is None and not where:
            return self._asking
        if self._foreign is None:
            from goalmem.sources.filtered import FilteredFinder, FilteredStore

            return self._asking.narrowed(
                FilteredStore(self._store, where), FilteredFinder(self._searcher, where), where
            )
        self._conditions(where)
        recall = self._foreign.recall(question, space=space, at=at, cited=cited)
        return self._asking.over(recall, recall)

    def _conditions(self, where: Mapping[str, Any] | Where | None) -> dict[str, Where]:
        """Conditions as an argument; none where there are none. Raises InputError, BackendError."""
        conditions = where if isinstance(where, tuple) else parse_where(where)
        if conditions and self._foreign is not None:
            raise BackendError(
                "Another system's memories are not filtered by metadata.", "Leave out `where`, or filter there."
            )
        return {"where": conditions} if conditions else {}

    @follows
    def context(
        self,
        utterance: str,
        *,
        space: str = "default",
        max_tokens: int = MAX_TOKENS,
        at: When | None = None,
        count: Callable[[str], int] | None = None,
        speaker: str | None = None,
        where: Mapping[str, Any] | None = None,
        previous: Previous | None = None,
    ) -> Context:
        """What memory has to say to any utterance (a question, a request, a plan), as a block ready for a prompt.

        Facts stand by subgoal, with dates and turn ids, quoted as data; what is missing is said. The block has at most
        `max_tokens` tokens, counted with `count`, or else with the bundled tokenizer. `speaker` is whose utterance it is and
        `previous` the question before it, as for `ask`, `where` as for `search`.
        """
        self._check_open()
        from goalmem.answering.context import context_of

        if max_tokens < 1:
            raise InputError(f"A context of {max_tokens} tokens holds nothing.", "Give max_tokens=1 or more.")
        text = check_text(utterance, "The utterance")
        moment = self._moment(self._current(space), at)
        with span("context", max_tokens=max_tokens) as opened:
            chosen = parse_where(where)
            if previous is not None:
                about = self._asking_about(text, space, moment, where=chosen)
                text = about.completed(text, exchange_of(previous), space)
            asking = self._asking_about(text, space, moment, where=chosen)
            asker = asker_of(asking, space, speaker)
            found = context_of(asking, text, space=space, at=moment, max_tokens=max_tokens, count=count, asker=asker)
            opened.set_attribute("tokens", found.tokens)
            opened.set_attribute("turns", len(found.sources))
            opened.set_attribute("missing", len(found.missing))
        return found

    def _moment(self, space: str, at: When | None) -> datetime:
        """When a question is asked: as given, else the time of the newest turn, else now."""
        if at is not None:
            return parse_when(at, "The question")
        newest = self._searcher.newest(space)
        turn = self._store.turns(space, [newest]).get(newest) if newest is not None else None
        return turn.at if turn is not None else datetime.now(UTC)

    def why_not(
        self,
        question: str,
        *,
        space: str = "default",
        at: When | None = None,
        speaker: str | None = None,
        where: Mapping[str, Any] | None = None,
    ) -> WhyNot:
        """Why a question has no answer: which stage failed for each missing goal, with the nearest facts.

        `speaker` and `where` are as for `ask`.
        """
        answer = self.ask(question, space=space, at=at, speaker=speaker, where=where)
        stages = [m.stage for m in answer.missing]
        stage = "answered" if answer.known else (stages[0] if stages else "not-unified")
        return WhyNot(question, stage, answer.missing, answer)

    @follows
    def verify(self, proof: Proof | Answer | str, *, space: str | None = None) -> Verification:
        """Check a proof again, without the engine that made it, against what the store holds now.

        Accepts a Proof, an Answer or a proof's JSON. Raises ProofError when the document is malformed.
        """
        self._check_open()
        from goalmem.proof.document import Proof, ProofFormatError

        claimed = proof.status if isinstance(proof, Answer) else ""
        if isinstance(proof, Answer):
            proof = proof.proof
        if isinstance(proof, str | bytes):
            try:
                proof = Proof.from_json(proof)
            except ProofFormatError as error:
                raise ProofError(f"The proof cannot be read: {error}", "Pass what Proof.to_json() gave.") from error
        held = self._current(space or proof.space)
        try:
            where = parse_where(proof.where, "The proof's filter")
        except InputError as error:
            raise ProofError(error.problem, "Ask the question again.") from error
        asking = self._asking_about(proof.question, held, parse_when(proof.asked_at, "The proof"), proof, where)
        found = asking.check(proof, space=held, now=max(self._moment(held, None), datetime.now(UTC)))
        return found.claimed(claimed or proof.status, proof.status)

    @follows
    def history(self, about: str, *, space: str = "default") -> list[HistoryEntry]:
        """What was said about something over time, oldest first; what a later statement replaced says by which.

        `about` is an entity (`Maya`), a fact id, or words ("Maya job").
        """
        self._check_open()
        from goalmem.sources.history import history
        from goalmem.sources.similarity import Wording

        held = self._current(space)
        subject = check_text(about, "The subject")
        asking = self._asking_about(subject, held, datetime.now(UTC))
        wording = Wording(asking.store.aliases(held), asking.likeness)
        return history(asking.store, asking.searcher, wording, held, subject)

    @follows
    def profile(
        self, who: str | None = None, *, space: str = "default", at: When | None = None, limit: int = 50
    ) -> Profile:
        """What is known of somebody now: sentences that hold, each with the turn that was judged to say it.

        Args:
            who: a name, as it was said; default: the only person who speaks, else the unnamed user.
            space: whose memory.
            at: of which time; default: that of the newest turn.
            limit: the most statements, of which the newest are given.
        """
        self._check_open()
        most = check_count(limit, "The limit of a profile")
        from goalmem.sources.similarity import Wording

        held = self._current(space)
        name = check_name(who, "The person") if who is not None else ""
        moment = self._moment(held, at)
        asking = self._asking_about(name or "I", held, moment)
        wording = Wording(asking.store.aliases(held), asking.likeness)
        who = name or asking.asker(held)
        return self._portraits.profile(asking.store, who, wording, held, moment, most)

    # -- keeping -------------------------------------------------------------------------------------------------

    def turn(self, turn_id: str, *, space: str = "default") -> Turn:
        """One turn, verbatim. Raises NotFoundError."""
        self._check_open()
        keeper = self._foreign or self._store
        self._current(space)
        turn = keeper.turns(space, [turn_id]).get(turn_id)
        if turn is None:
            raise NotFoundError(
                f"There is no turn {turn_id!r} in the space {space!r}.", "Take turn ids from add, search or a proof."
            )
        return turn

    def get(self, turn_id: str, *, space: str = "default") -> Turn:
        """The same as `turn`."""
        return self.turn(turn_id, space=space)

    def get_all(
        self,
        *,
        space: str = "default",
        where: Mapping[str, Any] | None = None,
        session: str | None = None,
        limit: int = 100,
        cursor: str | None = None,
    ) -> Page:
        """Turns in the order stored, `limit` at a time; the `next` of a page is the `cursor` of the one behind it.

        `where` is as for `search`. Raises InputError for a cursor that no page gave.
        """
        self._check_ours("Turns cannot be listed")
        if limit < 1:
            raise InputError(f"A page of {limit} turns holds nothing.", "Give limit=1 or more.")
        if cursor is not None and not (cursor.isascii() and cursor.isdigit() and len(cursor) <= CURSOR_DIGITS):
            raise InputError(f"The cursor {cursor!r} is of no page.", "Pass `next` of a page unchanged.")
        found = self._store.listed(
            self._current(space), parse_where(where), session, after=int(cursor or 0), limit=limit + 1
        )
        return Page([turn for _, turn in found[:limit]], str(found[limit - 1][0]) if len(found) > limit else None)

    @follows
    def update(
        self,
        turn_id: str,
        *,
        text: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        tags: Sequence[str] | None = None,
        ttl: float | timedelta | None = None,
        expires_at: When | None = None,
        space: str = "default",
    ) -> Turn:
        """Change what a turn says, or what is noted about it; the turn as it is then. It keeps its id, its place and its time.

        What is not given stays. A new `text` is read again, with the turns behind it that may rest on it, and nothing follows
        from the old one any more: a proof that cites it fails in `verify`, with the reason. `metadata` takes the place of all
        but the tags, `tags` that of the tags; `expires_at="never"` lets the turn stay. What it was before can be read with
        `versions`. All of it is changed, durably, or nothing; the same again changes nothing.

        Raises NotFoundError, InputError and StoreError; nothing is changed then.
        """
        self._check_ours("Nothing can be updated")
        from goalmem.maintenance.turn_update import TurnUpdate

        wanted = TurnUpdate(
            self.settings.max_message_characters, self._quota,
            text=text, metadata=metadata, tags=tags, ttl=ttl, expires_at=expires_at,
        )  # fmt: skip
        held = self._current(space)
        with span("update"), self._changing.of(held):
            store, searcher = self._stored
            return wanted.apply(store, self._extractor, searcher, held, turn_id)

    def versions(self, turn_id: str, *, space: str = "default") -> list[TurnVersion]:
        """What a turn was, oldest first, each until when; the last is what it is now. Raises NotFoundError."""
        self._check_ours("There are no versions")
        self.turn(turn_id, space=space)
        return self._store.versions(space, [turn_id]).get(turn_id, [])

    @follows
    def forget(
        self,
        *,
        turn: str | None = None,
        session: str | None = None,
        space: str = "default",
        where: Mapping[str, Any] | None = None,
        dry_run: bool = False,
    ) -> Forgotten:
        """Remove a turn, a session, turns that meet conditions (as for `search`; of a session, where one is named), or (with none
        of these) the whole space, with all that was derived from it alone. `dry_run` removes nothing and says what would go.

        Raises NotFoundError when there is no such turn, session or space.
        """
        self._check_ours("Nothing can be forgotten")
        if turn is not None and (session is not None or where is not None):
            raise InputError("A turn was given, and what else to forget.", "Name the one to forget.")
        conditions, held = parse_where(where), self._current(space)
        if where is not None and not conditions:
            raise InputError("The filter has no condition.", "Leave out `where` to forget all of a session or space.")
        with self._changing.of(held):
            if dry_run or (turn is None and session is None and not conditions):
                with self._writing:
                    gone = self._store.forget(held, turn=turn, session=session, where=conditions, dry_run=dry_run)
            else:
                from goalmem.maintenance.forgetting import forget_turns

                store, searcher = self._stored
                gone = forget_turns(store, self._extractor, searcher, held, turn, session, conditions)
        if conditions:
            return gone
        if not gone.turns and not gone.rules and not gone.triples:
            what = f"turn {turn!r}" if turn else f"session {session!r}" if session else "turn"
            raise NotFoundError(f"There is no {what} in the space {space!r}; nothing was forgotten.", "Check the name.")
        return gone

    @follows
    def purge(self, *, space: str = "default") -> int:
        """Remove what has expired by now; how many turns that were. Every other call does so first, in its space."""
        self._check_open()
        held = check_name(space, "The space")
        if self._foreign is not None:
            return 0
        version = self._store.version(held)
        known = self._expiries.get(held)
        if known is None or known[0] != version:
            known = version, self._store.next_expiry(held)
            if len(self._expiries) > EXPIRIES:
                self._expiries.clear()
            self._expiries[held] = known
        if known[1] is None or (now := datetime.now(UTC)) < known[1]:
            return 0
        from goalmem.maintenance.forgetting import purge_turns

        store, searcher = self._stored
        try:
            return purge_turns(store, self._extractor, searcher, held, now).turns
        except ReadOnlyStoreError as error:
            raise ReadOnlyStoreError(
                f"The space {held!r} holds turns that have expired, and the store can only be read.",
                "Open it once where it can be written: they are removed then.",
            ) from error

    def _current(self, space: str) -> str:
        """The name of a space, from which what has expired is gone."""
        check_name(space, "The space")
        self.purge(space=space)
        return space

    def export(self, target: str | PathLike[str], *, space: str | None = None) -> int:
        """Write every turn, rule and graph (of one space, or all) as JSONL; returns the number of turns. `import_` reads it back."""
        self._check_ours("Nothing can be exported")
        from goalmem.io.portable import export

        for held in [space] if space is not None else self._store.spaces():
            self._current(held)
        return export(self._store, Path(target), [space] if space is not None else None)

    def import_(self, origin: str | PathLike[str], *, space: str | None = None) -> int:
        """Add what `export` wrote, rules and graphs included, rebuilding all that is derived; returns the number of new turns.

        Interrupted or repeated imports continue where they stopped. `space` puts everything into that space.
        """
        self._check_open()
        from goalmem.graph.imports import import_graph, source_of
        from goalmem.io.portable import GraphPortion, RulePortion, portions

        new = 0
        for portion in portions(Path(origin)):
            if isinstance(portion, RulePortion):
                self._store.add_rules(space or portion.space, portion.rules)
            elif isinstance(portion, GraphPortion):
                import_graph(self._store.graphs, space or portion.space, source_of(portion.entries, portion.name))
            else:
                now = datetime.now(UTC)
                alive = [(n, m) for n, m in portion.messages if m.expires_at is None or m.expires_at > now]
                new += self._store_messages(alive, space or portion.space, portion.session, portion.at)[1]
        return new

    def stats(self, *, space: str = "default") -> Stats:
        """Counts for a space, and the size of the store."""
        self._check_ours("There are no counts")
        return replace(self._store.stats(self._current(space)), quota=self._quota)

    def spaces(self) -> list[str]:
        """Every space that holds something."""
        self._check_ours("Spaces cannot be listed")
        return self._store.spaces()

    def sessions(self, *, space: str = "default") -> list[tuple[str, datetime, int]]:
        """Every session of a space: id, time, number of turns, in order of time."""
        self._check_ours("Sessions cannot be listed")
        return self._store.sessions(self._current(space))

    def check(self) -> list[str]:
        """Problems found in the store's file; empty when it is sound."""
        self._check_open()
        return self._store.check()

    def reindex(self, embedder: str | Embedder, *, on_progress: OnProgress | None = None) -> Reindexed:
        """Change the embedding model: make every vector anew with another embedder, by name or one of your own.

        The old vectors serve until all of the new take their place at once; other calls and other processes go on meanwhile.
        Stopped or killed, the same call goes on where it was. `on_progress` is told how many turns are done, and how many
        there are. Raises as `goalmem.maintenance.reembedding.reindex`, which also takes a store that cannot be opened any more.
        """
        self._check_ours("There are no vectors to make anew")
        from goalmem.maintenance.reembedding import chosen_embedder, reembed

        coming = chosen_embedder(embedder, self.settings, self._store)
        self._following = Following(None if isinstance(embedder, str) else coming, coming)
        done, store = reembed(self._store, coming, on_progress)
        self._take(store, coming)
        return done

    def _take(self, store: Store, embedder: Embedder) -> None:
        """Go on with the same store and the embedder of its new vectors."""
        with self._writing:
            # In this order: whoever finds the new store, which takes its vectors, finds the new embedder, too.
            self._embedder = embedder
            self._store = store
            for part in ("_searcher", "_asking", "_portraits"):
                self.__dict__.pop(part, None)

    def close(self) -> None:
        """Release the store. Closing twice is fine; any other later call, and those that go on, raise StoreClosedError."""
        if not self._closed:
            self._closed = True
            self._ending.cancel(closed_error())
            self._store.close()
            connected = self.__dict__.get("_chat_model")
            if connected is not None and (self._owns_chat or connected is not self._given_chat):
                connected.close()  # its connections; a model that was given is its owner's to close
            self._following.close(self._embedder)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- parts, made when first needed ---------------------------------------------------------------------------

    @cached_property
    def _searcher(self) -> Searcher:
        from goalmem.retrieve.search import Searcher
        from goalmem.retrieve.settings import RetrievalSettings

        retrieval = RetrievalSettings(index_bytes=self.settings.index_memory_mb * 2**20)
        return Searcher(self._store, self._embedder, retrieval, self._parsed)

    def _parsed(self, text: str, names: Collection[str]) -> Doc:
        return self._analyzer.docs([text], names)[0]

    @cached_property
    def _analyzer(self) -> Analyzer:
        from goalmem.language import Analyzer

        return self._given_analyzer or Analyzer()

    @cached_property
    def _extractor(self) -> Extractor:
        from goalmem.language import Extractor

        return Extractor(self._analyzer)

    @cached_property
    def _chat_model(self) -> ChatModel:
        from goalmem.models.connect import connect_chat

        model = self._given_chat or connect_chat(self.settings)
        if model is None:
            raise InputError("No chat model is set.", "Set GOALMEM_CHAT_URL and GOALMEM_CHAT_MODEL.")
        return model

    @property
    def _replies(self) -> Store | None:
        """Where replies of the chat model are kept; None where they are not."""
        return self._store if self.settings.chat_cache and self._foreign is None else None

    @cached_property
    def _graphs(self) -> GraphShelf:
        from goalmem.graph.search import SearchOptions
        from goalmem.models.registry import minilm_of
        from goalmem.sources.space_graphs import GraphShelf

        options = SearchOptions(beam=self.settings.ask_beam, depth=self.settings.ask_hops)
        words, critic = minilm_of(self._embedder), self.settings.graph_critic.strip()
        return GraphShelf(self._store, words, options, critic, lambda: self._chat_model)

    @cached_property
    def _networks(self) -> Reasoner:
        from goalmem.rules.evr.reasoner import Reasoner, trained_folder

        return Reasoner.load(trained_folder(self.settings.evr_model.strip()))

    @cached_property
    def _asking(self) -> Asking:
        from goalmem.answering.pipeline import Asking
        from goalmem.models.bundled import span_reader_named
        from goalmem.models.registry import minilm_of
        from goalmem.sources.judgement_log import Records

        # The bounds of likeness between words are cosines of MiniLM's.
        words = minilm_of(self._embedder)
        asking = Asking(self._store, self._searcher, self._extractor, self._analyzer, words, self.settings)
        asking.ledger = Records(self._store if self._foreign is None else None)
        if self._foreign is None:
            from goalmem.rules.grammar.reader import GrammarReader
            from goalmem.rules.stored import Shelf

            asking.shelf = Shelf(self._store, GrammarReader())
            asking.graphs = self._graphs
        asking.reader = self._given_reader or span_reader_named(self.settings.reader)
        asking.judge = self._given_judge or self._judge
        return asking

    @cached_property
    def _portraits(self) -> Portraits:
        from goalmem.answering.profile import Portraits

        return Portraits(self._given_judge or self._judge)

    @property
    def _judge(self) -> Judge | None:
        """The judge that the settings name. Raises InputError for a chat model where none is set."""
        if self.settings.judge != "chat":
            from goalmem.models.bundled import judge_named

            return judge_named(self.settings.judge)
        from goalmem.models.chat_guard import Guarded
        from goalmem.models.chat_judge import ChatJudge
        from goalmem.models.tracing import TracedChat

        return ChatJudge(TracedChat(Guarded(self._chat_model)))

    def _opened(self, backend: object) -> Foreign:
        from goalmem.integrations.backends.foreign import Foreign
        from goalmem.integrations.backends.recognition import open_backend

        return Foreign(open_backend(backend), lambda: self._extractor, min(self.settings.ask_seconds, BACKEND_SECONDS))

    def _check_ours(self, what: str) -> None:
        """Refuse on a backend what only a store of our own can do."""
        self._check_open()
        if self._foreign is not None:
            raise BackendError(f"{what}: what this memory knows belongs to another system.", "Do it there.")

    def _check_open(self) -> None:
        if self._closed:
            raise closed_error()


def closed_error() -> StoreClosedError:
    """What every call of a closed memory raises."""
    return StoreClosedError("This memory was closed.", "Open a new Memory on the same store.")


def key_of(message: Message, place: int) -> str:
    """What a message is known by in its session: its id, or else its content and place."""
    return f"id:{message.external_id}" if message.external_id else f"at:{message.first_hash}:{place}"


def turn_identity(space: str, session: str, key: str) -> str:
    """A turn's id: the same for the same message in the same session and space, on any machine."""
    return "t" + hashlib.blake2b("\x1f".join((space, session, key)).encode(), digest_size=12).hexdigest()


def refuse_expired(messages: Sequence[Message]) -> None:
    """What has expired already would be forgotten before it was remembered."""
    now = datetime.now(UTC)
    for message in messages:
        if message.expires_at is not None and message.expires_at <= now:
            raise InputError(
                f"A message expired at {message.expires_at.isoformat()}.", "Leave it out, or let it expire later."
            )


def refuse_changed(held: Turn | None, message: Message, versions: Callable[[str], Sequence[TurnVersion]]) -> None:
    """A message that is known must come with content that it has or had, and with the metadata, where it has any."""
    if held and (held.text != message.text or (message.metadata and held.metadata != message.metadata)):
        of_text = [version for version in versions(held.id) if version.text == message.text]
        if any(not message.metadata or version.metadata == message.metadata for version in of_text):
            held = replace(held, text=message.text, metadata=message.metadata)
    if held and message.metadata and held.metadata != message.metadata:
        raise ConflictError(
            f"The message {message.external_id or message.text[:40]!r} is known in this session with other metadata.",
            f"Forget turn {held.id} first, or add the message as it was.",
        )
    if held and (held.text, held.caption, held.speaker) != (message.text, message.caption, message.speaker):
        raise ConflictError(
            f"The message id {message.external_id!r} is known in this session with other content.",
            f"Forget turn {held.id} first, or give the changed message an id of its own.",
        )


def check_count(count: object, what: str) -> int:
    """A number of things. Raises InputError for anything else."""
    if isinstance(count, int) and count >= 1:
        return count
    raise InputError(f"{what} is {count!r}.", "Give a number, 1 or more.")


def check_text(text: object, what: str) -> str:
    """Any text that says something; what cannot be stored is replaced."""
    if not isinstance(text, str) or not text.strip():
        raise InputError(f"{what} is {text!r}.", "Pass some text.")
    return UNSTORABLE.sub("\ufffd", text)


def asker_of(asking: Asking, space: str, speaker: str | None) -> str:
    """Whom `I` means in a question. Raises InputError for what is no name."""
    return asking.asker(space, check_name(speaker, "The speaker") if speaker is not None else "")


def exchange_of(previous: Previous) -> Exchange:
    """The question before, with its answer where one is known. Raises InputError for anything else."""
    from goalmem.questions.follow_up import Exchange

    if isinstance(previous, Answer):
        return Exchange(previous.question, previous.text if previous.known else "")
    if isinstance(previous, str):
        return Exchange(check_text(previous, "The previous question"))
    said = [check_text(part, "The previous question or its answer") for part in previous]
    if not 1 <= len(said) <= 2:
        raise InputError(
            f"`previous` has {len(said)} texts.",
            "Give the previous question, or the question and its answer, or the Answer.",
        )
    return Exchange(*said)


def proof_event(answer: Answer) -> Event:
    """An answer as it is told to who listens."""
    data = {
        "status": answer.status,
        "answer": answer.text,
        "confidence": answer.confidence,
        "seconds": answer.seconds,
        "turns": answer.citations,
    }
    return Event("proof", answer.text, data)

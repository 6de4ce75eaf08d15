"""The façade: remember conversations, ask, and check the proof."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, overload

from goalmem.answer import (
    Answer,
    Estimate,
    FileReceipt,
    HistoryEntry,
    Page,
    Previous,
    ReasonerChoice,
    Receipt,
    WhyNot,
    proof_of,
)
from goalmem.engine.events import Listener, silent
from goalmem.errors import InputError, NotFoundError, shown
from goalmem.io.arguments import with_checked_arguments
from goalmem.io.chat_messages import When, parse_messages, parse_when
from goalmem.maintenance.memory_parts import MemoryParts, with_current_embedder
from goalmem.models.tracing import span
from goalmem.records import Hit, Profile, Turn, TurnVersion
from goalmem.store import Forgotten, Stats
from goalmem.store.metadata import parse_where

if TYPE_CHECKING:
    from goalmem.answer import Context
    from goalmem.graph.imports import GraphReport, Progress
    from goalmem.graph.protocol import Graph
    from goalmem.io.documents import DocumentKind
    from goalmem.io.documents.addition import Progress as FileProgress
    from goalmem.io.triples_files import GraphFormatName
    from goalmem.language import Analyzer
    from goalmem.maintenance.reembedding import OnProgress, Reindexed
    from goalmem.models.chat import ChatModel
    from goalmem.models.protocol import Embedder, Judge, SpanReader
    from goalmem.proof.check import Verification
    from goalmem.proof.document import Proof
    from goalmem.rules.program import World
    from goalmem.rules.stored import RuleReport, Sentence
    from goalmem.rules.terms import RuleReader
    from goalmem.settings import Settings


MAX_TOKENS = 800
"""Of a context by default: some fifteen quotations."""


@with_checked_arguments
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
        address of an OpenAI-compatible endpoint (`"https://host/v1#MODEL"`), a client of the package `openai` with its model
        (`(client, MODEL)`), or any
        `ChatModel` (docs/chat-models.md).

        `reader`, `judge`: models of your own that propose what passages answer (any `SpanReader`) and decide whether they
        say it (any `Judge`), instead of those that the settings name (docs/judge.md).

        Raises a StoreError that says which, when the place cannot be used, and InputError for a `chat` that is none, or
        for a setting that cannot be so.
        """
        from goalmem.settings import Settings, check_settings, load_settings

        if settings is not None and not isinstance(settings, Settings):
            raise InputError(
                f"The settings are {shown(settings)}.", "Give what `load_settings` returned, or leave them out."
            )
        if settings is not None:
            check_settings(settings)
        self.settings = settings or load_settings()
        self._parts = MemoryParts(
            store,
            self.settings,
            embedder=embedder,
            analyzer=analyzer,
            backend=backend,
            chat=chat,
            reader=reader,
            judge=judge,
        )

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

        Messages without words, which only call tools, are left out: the receipt has no turn of them.

        Raises InputError (nothing stored) and StoreError.
        """
        self._parts.check_open()
        self._parts.current(space)
        moment = parse_when(at, "The call") if at is not None else datetime.now(UTC)
        parsed = parse_messages(
            messages,
            at=moment,
            timed=at is not None,
            longest=self.settings.max_message_characters,
            captions=self.settings.captions,
        )
        from goalmem.maintenance.memory_turns import refuse_expired, store_messages

        refuse_expired(parsed)
        placed = list(enumerate(parsed))
        with span("add", messages=len(parsed)) as opened:
            ids, new, unanalysed = store_messages(
                self._parts, placed, space, session, moment if at is not None else None
            )
            opened.set_attribute("new", new)
        repaired = tuple(i for i, m in zip(ids, parsed, strict=True) if m.repaired)
        return Receipt(session, tuple(ids), new, repaired, unanalysed)

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

        A long one is stored whole and analysed up to `settings.file_analysis_characters`; the receipt counts pieces behind them
        (`unanalysed`), which are found by their words.

        Adding again adds nothing, a changed file what is new in it. What it does not say any more stays, and is listed in the
        receipt; with `prune` it is forgotten. `progress` is told what is done, how many pieces, and of how many (0: not known).

        Raises:
            FormatError: it cannot be read, or is no document; nothing was stored.
            InputError: an argument or a piece cannot be used, or the extra `files` is missing; nothing was stored.
            StoreError: what was stored so far is kept, and the same call goes on from there.
        """
        self._parts.check_ours("No file can be added")
        from goalmem.io.documents.addition import DocumentOptions, add_document, document_at
        from goalmem.maintenance.memory_turns import document_space

        opened = document_at(file, format, name, self.settings.max_file_mb)
        longest = self.settings.max_message_characters
        analysed = self.settings.file_analysis_characters
        options = DocumentOptions.given(session, at, author, metadata, tags, longest, analysed)
        with span("add_file", format=opened.kind) as traced:
            receipt = add_document(
                document_space(self._parts, space), opened, options, prune=prune, progress=progress or (lambda *_: None)
            )
            traced.set_attribute("new", receipt.new)
        return receipt

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
        self._parts.check_ours("No rules can be kept")
        from goalmem.rules.stored import keep_rules
        from goalmem.rules.theory import reader_named

        self._parts.current(space)
        chat = self._parts.chat_model if reader == "chat" and self._parts.reasons_by_chat("chat") else None
        with span("add_rules", characters=len(text)) as opened:
            longest = self.settings.max_rule_characters
            report = keep_rules(
                self._parts.store, text, space, world, reader_named(reader, chat), partial=partial, longest=longest
            )
            opened.set_attribute("new", report.new)
        return report

    def rules(self, *, space: str = "default") -> list[Sentence]:
        """Every sentence that states rules or facts, with what it was read as, in the order first added."""
        self._parts.check_ours("There are no rules")
        from goalmem.rules.stored import sentence_from

        return [sentence_from(row) for row in self._parts.store.rules(self._parts.current(space))]

    def remove_rules(self, ids: str | Sequence[str], *, space: str = "default") -> list[str]:
        """Remove sentences by id; returns those that were there."""
        self._parts.check_ours("No rules can be removed")
        with self._parts.removal(self._parts.current(space)):
            return self._parts.store.remove_rules(space, [ids] if isinstance(ids, str) else list(ids))

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
        self._parts.check_ours("No graph can be kept")
        from goalmem.graph.imports import import_graph
        from goalmem.io.triples_files import source_for

        source = source_for(graph, format, name)
        with span("import_graph", source=source.name) as opened:
            report = import_graph(
                self._parts.store.graphs, self._parts.current(space), source, progress=progress or (lambda *_: None)
            )
            opened.set_attribute("triples", report.triples)
        return report

    def graph(self, *, space: str = "default", own: bool = False) -> Graph:
        """The imported graph of a space; where it has none, or with `own`, the one that its conversations built."""
        self._parts.check_ours("There is no graph")
        kept = self._parts.graphs.imported(self._parts.current(space)) if not own else None
        return (kept or self._parts.graphs.own(space)).graph

    def remove_graph(self, *, space: str = "default") -> int:
        """Remove the imported graph of a space; returns how many triples it had. What was said stays.

        Raises NotFoundError where the space has none.
        """
        self._parts.check_ours("No graph can be removed")
        with self._parts.writing:
            held = bool(self._parts.store.graphs.version(self._parts.current(space)))
            with self._parts.removal(space):
                gone = self._parts.store.graphs.drop(space)
        if not held:
            raise NotFoundError(f"The space {space!r} has no imported graph; nothing was removed.", "Check the name.")
        return gone

    # -- finding and reasoning -----------------------------------------------------------------------------------

    @with_current_embedder
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
        from goalmem.retrieve.filters import Filters

        parts = self._parts
        parts.check_open()
        with span("search", k=k) as opened:
            hits = (parts.foreign or parts.searcher).search(
                query,
                space=self._parts.current(space),
                k=k,
                at=parse_when(at, "The query") if at is not None else None,
                filters=Filters(
                    sessions=sessions,
                    speakers=speakers,
                    roles=roles,
                    kinds=kinds,
                    after=parse_when(after, "The search") if after is not None else None,
                    before=parse_when(before, "The search") if before is not None else None,
                    **parts.conditions(where),
                ),
                without=without,
                asker=speaker or "",
            )
            opened.set_attribute("turns", len(hits))
        return hits

    @with_current_embedder
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
        asked = self._parts.asked(question, space, at, speaker, where)
        return asked.recall(self._parts.chat if self._parts.reasons_by_chat(reasoner) else None, k, goals=goals)

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

    @with_current_embedder
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
        parts = self._parts
        parts.check_open()
        by_chat = parts.reasons_by_chat(reasoner)
        if dry_run:
            from goalmem.answering.chat_budget import estimate

            return estimate(question, self.settings, by_chat=by_chat, goals=goals)
        with span("ask") as opened:
            asked = parts.asked(question, space, at, speaker, where, previous)
            chat, listener = parts.chat if by_chat else None, on_event or silent
            networks = parts.networks if reasoner == "evr" else None
            answer = asked.answer(chat, networks, parts.foreign, goals=goals, assume=assume, listener=listener)
            opened.set_attribute("status", answer.status)
            opened.set_attribute("citations", len(answer.citations))
        return answer

    @with_current_embedder
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

        Facts stand by subgoal, with dates and turn ids, quoted as data; what is missing is said. Lines of the asker's
        profile that matter to the utterance stand first. The block has at most
        `max_tokens` tokens, counted with `count`, or else with the bundled tokenizer. `speaker` is whose utterance it is and
        `previous` the question before it, as for `ask`, `where` as for `search`.
        """
        with span("context", max_tokens=max_tokens) as opened:
            asked = self._parts.asked(utterance, space, at, speaker, where, previous)
            found = asked.context(max_tokens, count, self._parts.portraits)
            opened.set_attribute("tokens", found.tokens)
            opened.set_attribute("turns", len(found.sources))
            opened.set_attribute("missing", len(found.missing))
        return found

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

    @with_current_embedder
    def verify(self, proof: Proof | Answer | str, *, space: str | None = None) -> Verification:
        """Check a proof again, without the engine that made it, against what the store holds now.

        Accepts a Proof, an Answer or a proof's JSON. Raises ProofError when the document is malformed.
        """
        self._parts.check_open()
        read = proof_of(proof)
        found = self._parts.verify(read, space or read.space)
        return found.claimed(proof.status if isinstance(proof, Answer) else read.status, read.status)

    @with_current_embedder
    def history(self, about: str, *, space: str = "default") -> list[HistoryEntry]:
        """What was said about something over time, oldest first; what a later statement replaced says by which.

        `about` is an entity (`Maya`), a fact id, or words ("Maya job").
        """
        return self._parts.asked(about, space, datetime.now(UTC)).history()

    @with_current_embedder
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
        name = who or ""
        asked = self._parts.asked(name or "I", space, at)
        return asked.profile(self._parts.portraits, name, limit)

    # -- keeping -------------------------------------------------------------------------------------------------

    def turn(self, turn_id: str, *, space: str = "default") -> Turn:
        """One turn, verbatim. Raises NotFoundError."""
        self._parts.check_open()
        keeper = self._parts.foreign or self._parts.store
        self._parts.current(space)
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
        self._parts.check_ours("Turns cannot be listed")
        after, chosen = Page.position(cursor), parse_where(where)
        found = self._parts.store.listed(self._parts.current(space), chosen, session, after=after, limit=limit + 1)
        return Page.of(found, limit)

    @with_current_embedder
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
        self._parts.check_ours("Nothing can be updated")
        from goalmem.maintenance.reanalysis import TurnEdit

        wanted = TurnEdit(
            self.settings.max_message_characters, self._parts.quota,
            text=text, metadata=metadata, tags=tags, ttl=ttl, expires_at=expires_at,
        )  # fmt: skip
        held = self._parts.current(space)
        with span("update"), self._parts.changing.of(held):
            store, searcher = self._parts.encoding
            return wanted.apply(store, self._parts.extractor, searcher, held, turn_id)

    def versions(self, turn_id: str, *, space: str = "default") -> list[TurnVersion]:
        """What a turn was, oldest first, each until when; the last is what it is now. Raises NotFoundError."""
        self._parts.check_ours("There are no versions")
        self.turn(turn_id, space=space)
        return self._parts.store.versions(space, [turn_id]).get(turn_id, [])

    def forget(
        self,
        *,
        turn: str | None = None,
        session: str | None = None,
        space: str = "default",
        where: Mapping[str, Any] | None = None,
        everything: bool = False,
        dry_run: bool = False,
    ) -> Forgotten:
        """Remove a turn, a session, turns that meet conditions (as for `search`; of a session, where one is named), or
        `everything` of the space, with all that was derived from it alone. `dry_run` removes nothing and says what would go.

        Raises InputError unless one of these is given, NotFoundError when there is no such turn, session or space.
        """
        from goalmem.maintenance.memory_turns import forget

        return forget(
            self._parts, space, turn=turn, session=session, where=where, everything=everything, dry_run=dry_run
        )

    @with_current_embedder
    def purge(self, *, space: str = "default") -> int:
        """Remove what has expired by now; how many turns that were. Every other call does so first, in its space."""
        self._parts.check_open()
        return self._parts.purge(space)

    def export(self, target: str | PathLike[str], *, space: str | None = None) -> int:
        """Write every turn, rule and graph (of one space, or all) as JSONL; returns the number of turns. `import_` reads it back."""
        self._parts.check_ours("Nothing can be exported")
        from goalmem.io.portable import export

        for held in [space] if space is not None else self._parts.store.spaces():
            self._parts.current(held)
        return export(self._parts.store, Path(target), [space] if space is not None else None)

    def import_(self, origin: str | PathLike[str], *, space: str | None = None) -> int:
        """Add what `export` wrote, rules and graphs included, rebuilding all that is derived; returns the number of new turns.

        Interrupted or repeated imports continue where they stopped. `space` puts everything into that space.
        """
        self._parts.check_open()
        from goalmem.io.portable import portions
        from goalmem.maintenance.memory_turns import import_portions

        return import_portions(self._parts, portions(Path(origin)), space)

    def stats(self, *, space: str = "default") -> Stats:
        """Counts for a space, and the size of the store."""
        self._parts.check_ours("There are no counts")
        return self._parts.stats(space)

    @with_current_embedder
    def spaces(self) -> list[str]:
        """Every space that holds something that has not expired."""
        self._parts.check_ours("Spaces cannot be listed")
        return self._parts.spaces()

    def sessions(self, *, space: str = "default") -> list[tuple[str, datetime, int]]:
        """Every session of a space: id, time, number of turns, in order of time."""
        self._parts.check_ours("Sessions cannot be listed")
        return self._parts.store.sessions(self._parts.current(space))

    def check(self) -> list[str]:
        """Problems found in the store and in all that is derived from its turns; empty when it is sound. `goalmem check` repairs."""
        self._parts.check_open()
        from goalmem.maintenance.check import check

        return list(check(self._parts.store, self._parts.embedder).found)

    def reindex(self, embedder: str | Embedder, *, on_progress: OnProgress | None = None) -> Reindexed:
        """Change the embedding model: make every vector anew with another embedder, by name or one of your own.

        The old vectors serve until all of the new take their place at once; other calls and other processes go on meanwhile.
        Stopped or killed, the same call goes on where it was. `on_progress` is told how many turns are done, and how many
        there are. Raises as `goalmem.maintenance.reembedding.reindex`, which also takes a store that cannot be opened any more.
        """
        self._parts.check_ours("There are no vectors to make anew")
        return self._parts.reindex(embedder, on_progress)

    def close(self) -> None:
        """Release the store. Closing twice is fine; any other later call, and those that go on, raise StoreClosedError."""
        self._parts.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

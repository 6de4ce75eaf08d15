"""The façade: remember conversations, ask, and check the proof."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from goalmem.answer import UNKNOWN, Answer, HistoryEntry, Receipt, WhyNot
from goalmem.errors import ConflictError, InputError, NotFoundError, StoreClosedError
from goalmem.messages import UNSTORABLE, Message, When, check_name, parse_messages, parse_when
from goalmem.records import Hit, Turn
from goalmem.store import Batch, Forgotten, NewTurn, Stats, Store, open_store

if TYPE_CHECKING:
    from goalmem.extract import Analyzer, Extractor
    from goalmem.extract.names import Names
    from goalmem.logic.proof import Proof
    from goalmem.logic.terms import Goal
    from goalmem.logic.verify import Verification
    from goalmem.models.protocol import Embedder
    from goalmem.prove.outcome import Outcome
    from goalmem.prove.step import Source
    from goalmem.reasoners.local import LocalReasoner
    from goalmem.retrieve.search import Searcher
    from goalmem.settings import Settings
    from goalmem.sources.background import BackgroundSource, RuleBook
    from goalmem.sources.memory import MemorySource
    from goalmem.sources.wording import Likeness

__all__ = ["Memory"]

ONE_ONLY = frozenset({"time", "number", "age", "duration"})
"""Types of answers of which there is one: several make a conflict, not a list."""
MOST_LISTED = 6
"""Things named where one was asked for; more than this say that the question was not understood."""
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
    ) -> None:
        """Open or create a store: a path, `sqlite:///path`, or `:memory:`.

        Raises a StoreError that says which, when the place cannot be used.
        """
        from goalmem.models.minilm import MiniLM
        from goalmem.settings import load_settings

        self.settings = settings or load_settings()
        self._embedder = embedder or MiniLM()
        self._given_analyzer = analyzer
        self._store: Store = open_store(
            store,
            busy_timeout=self.settings.busy_timeout,
            model=self._embedder.name,
            dimension=self._embedder.dimension,
        )
        self._writing = threading.Lock()
        self._known_names: dict[str, tuple[tuple[int, int], Names]] = {}
        self._closed = False

    # -- remembering ---------------------------------------------------------------------------------------------

    def add(
        self,
        messages: Sequence[Mapping[str, Any]] | Mapping[str, Any] | str,
        *,
        space: str = "default",
        session: str = "default",
        at: When | None = None,
    ) -> Receipt:
        """Remember messages of one session: OpenAI chat dicts with optional `name`, `id`, `at` and `caption`.

        All of the call is stored, durably, or nothing. Adding again adds nothing: a message is known by its `id`, or
        else by its content (with its time, where one is given) and its place in the call or the session. `at` is the
        time of messages that carry none of their own (default: now); times without a zone are taken as UTC.

        Raises InputError (nothing stored) and StoreError.
        """
        self._check_open()
        check_name(space, "The space")
        check_name(session, "The session")
        moment = parse_when(at, "The call") if at is not None else datetime.now(UTC)
        parsed = parse_messages(messages, at=moment, timed=at is not None, longest=self.settings.max_message_characters)
        placed = list(enumerate(parsed))
        ids, new = self._store_messages(placed, space, session, moment if at is not None else None)
        repaired = tuple(i for i, m in zip(ids, parsed, strict=True) if m.repaired)
        return Receipt(session, tuple(ids), new, repaired)

    def _store_messages(
        self, placed: Sequence[tuple[int, Message]], space: str, session: str, at: datetime | None
    ) -> tuple[list[str], int]:
        """Store those messages that are not there yet; every turn id in order, and how many were new."""
        with self._writing:
            known = self._store.known(space, session)
            ids, fresh = self._tell_new(placed, known, space, session)
            new = self._remember(fresh, space, session, at or fresh[0][2].at) if fresh else 0
        return ids, new

    def _tell_new(
        self, placed: Sequence[tuple[int, Message]], known: Mapping[str, str], space: str, session: str
    ) -> tuple[list[str], list[tuple[str, int, Message]]]:
        """The turn id of every message, and those not stored yet with their place in the call."""
        ids: list[str] = []
        fresh: dict[str, tuple[str, int, Message]] = {}
        held: dict[str, Turn] = {}
        for place, message in placed:
            key = f"id:{message.external_id}" if message.external_id else f"at:{message.content_hash}:{place}"
            turn_id = known.get(key)
            if turn_id is None:
                turn_id = turn_identity(space, session, key)
                fresh.setdefault(turn_id, (turn_id, place, message))
            elif message.external_id:
                held = held or self._store.turns(space, known.values())
                refuse_changed(held.get(turn_id), message)
            ids.append(turn_id)
        return ids, list(fresh.values())

    def _remember(self, fresh: Sequence[tuple[str, int, Message]], space: str, session: str, at: datetime) -> int:
        """Derive everything from new turns and store both in one transaction; how many were new to the store."""
        from goalmem.extract import Context

        previous = self._store.session_turns(space, session, first=-CONTEXT_TURNS)
        first = previous[-1].position + 1 if previous else 0
        turns = [
            Turn(i, space, session, first + n, m.speaker, m.role, m.text, m.at, m.caption, m.external_id)
            for n, (i, _, m) in enumerate(fresh)
        ]
        speakers = tuple(dict.fromkeys(t.speaker for t in (*previous, *turns)))
        context = Context(tuple(previous), self._store.aliases(space), speakers)
        with ThreadPoolExecutor(1, thread_name_prefix="goalmem-embed") as pool:
            encoding = pool.submit(self._searcher.encode, turns, previous)
            extractions = self._extractor.extract(turns, context)
            encoded = encoding.result()
        rows = [
            NewTurn(turn, place, message.content_hash, extraction, vector, terms)
            for turn, (_, place, message), extraction, (vector, terms) in zip(
                turns, fresh, extractions, encoded, strict=True
            )
        ]
        return len(self._store.add(Batch(space, session, at, rows)))

    # -- finding and reasoning -----------------------------------------------------------------------------------

    def search(
        self,
        query: str,
        *,
        space: str = "default",
        k: int = 10,
        at: When | None = None,
        sessions: Sequence[str] | None = None,
        speakers: Sequence[str] | None = None,
        without: Sequence[str] = (),
    ) -> list[Hit]:
        """The `k` turns that say most about the query, best first, each with what every signal gave it.

        `at` anchors relative dates in the query ("last week"); the default is the time of the newest turn.
        `sessions` and `speakers` keep only turns of these; `without` names signals to leave out.
        """
        self._check_open()
        return self._searcher.search(
            check_text(query, "The query"),
            space=check_name(space, "The space"),
            k=k,
            at=parse_when(at, "The query") if at is not None else None,
            sessions=sessions,
            speakers=speakers,
            without=without,
        )

    def ask(self, question: str, *, space: str = "default", at: When | None = None) -> Answer:
        """Reason backwards from the question; an answer with its proof, or "I don't know" with what is missing.

        `at` is when the question is asked ("last week", "how long ago"); the default is the time of the newest turn.
        """
        self._check_open()
        began = time.perf_counter()
        text = check_text(question, "The question")
        check_name(space, "The space")
        moment = self._moment(space, at)
        proofs = self._proofs(text, space, moment)
        best = next((p for p in proofs if p.status != "unknown"), None) or max(proofs, key=closeness)
        return answer_of(best, time.perf_counter() - began)

    def _proofs(self, question: str, space: str, at: datetime) -> list[Proof]:
        """Proofs of the alternative goals of a question, up to the first that answers it."""
        from goalmem.prove.assemble import build_proof
        from goalmem.prove.budget import Budget
        from goalmem.prove.engine import prove

        limits = self.settings
        budget = Budget(seconds=limits.ask_seconds, depth=limits.ask_depth, breadth=limits.ask_breadth)
        source = self._memory_source(space, at)
        sources: list[Source] = [source, self._background(source)]
        proofs: list[Proof] = []
        for goal in self._reasoner.goals(question, at, source.names):
            goal, outcome = settled(goal, lambda g: prove(g, sources, budget))
            proof = build_proof(
                outcome,
                goal,
                question=question,
                space=space,
                asked_at=at,
                abstain_reason=doubt(goal, outcome, limits.answer_threshold),
            )
            proofs.append(proof)
            if proof.status != "unknown":
                break
        return proofs

    def _moment(self, space: str, at: When | None) -> datetime:
        """When a question is asked: as given, else the time of the newest turn, else now."""
        if at is not None:
            return parse_when(at, "The question")
        return self._store.stats(space).last or datetime.now(UTC)

    def why_not(self, question: str, *, space: str = "default", at: When | None = None) -> WhyNot:
        """Why a question has no answer: which stage failed for each missing goal, with the nearest facts."""
        answer = self.ask(question, space=space, at=at)
        stages = [m.stage for m in answer.missing]
        stage = "answered" if answer.known else (stages[0] if stages else "not-unified")
        return WhyNot(question, stage, answer.missing, answer)

    def verify(self, proof: Proof | Answer | str, *, space: str | None = None) -> Verification:
        """Check a proof again, without the engine that made it, against what the store holds now.

        Accepts a Proof, an Answer or a proof's JSON. Raises ProofError when the document is malformed.
        """
        self._check_open()
        from goalmem.logic.proof import Proof, ProofFormatError
        from goalmem.logic.verify import verify

        if isinstance(proof, Answer):
            proof = proof.proof
        if isinstance(proof, str | bytes):
            try:
                proof = Proof.from_json(proof)
            except ProofFormatError as error:
                from goalmem.errors import ProofError

                raise ProofError(f"The proof cannot be read: {error}", "Pass what Proof.to_json() gave.") from error
        from goalmem.sources.check import Checker

        held = check_name(space or proof.space, "The space")
        source = self._memory_source(held, parse_when(proof.asked_at, "The proof"))
        checker = Checker(source, self._background(source), self._analyzer, self._reasoner)
        return verify(proof, evidence=checker, entails=checker, closed=checker, isa=checker, reader=checker)

    def history(self, about: str, *, space: str = "default") -> list[HistoryEntry]:
        """What was said about something over time, oldest first; what a later statement replaced says by which.

        `about` is an entity (`Maya`), a fact id, or words ("Maya job").
        """
        self._check_open()
        from goalmem.sources.history import history
        from goalmem.sources.wording import Wording

        held = check_name(space, "The space")
        wording = Wording(self._store.aliases(held), self._likeness)
        return history(self._store, self._searcher, wording, held, check_text(about, "The subject"))

    # -- keeping -------------------------------------------------------------------------------------------------

    def turn(self, turn_id: str, *, space: str = "default") -> Turn:
        """One turn, verbatim. Raises NotFoundError."""
        self._check_open()
        turn = self._store.turns(space, [turn_id]).get(turn_id)
        if turn is None:
            raise NotFoundError(
                f"There is no turn {turn_id!r} in the space {space!r}.", "Take turn ids from add, search or a proof."
            )
        return turn

    def forget(self, *, turn: str | None = None, session: str | None = None, space: str = "default") -> Forgotten:
        """Remove a turn, a session, or (with neither) the whole space, with all that was derived from it alone.

        Raises NotFoundError when there is no such turn, session or space.
        """
        self._check_open()
        if turn is not None and session is not None:
            raise InputError("Both a turn and a session were given.", "Name the one to forget.")
        with self._writing:
            gone = self._store.forget(check_name(space, "The space"), turn=turn, session=session)
        if not gone.turns:
            what = f"turn {turn!r}" if turn else f"session {session!r}" if session else "turn"
            raise NotFoundError(f"There is no {what} in the space {space!r}; nothing was forgotten.", "Check the name.")
        return gone

    def export(self, target: str | PathLike[str], *, space: str | None = None) -> int:
        """Write every turn (of one space, or all) as JSONL; returns the number of turns. `import_` reads it back."""
        self._check_open()
        from goalmem.portable import export

        return export(self._store, Path(target), [check_name(space, "The space")] if space is not None else None)

    def import_(self, origin: str | PathLike[str], *, space: str | None = None) -> int:
        """Add what `export` wrote, rebuilding all that is derived; returns the number of new turns.

        Interrupted or repeated imports continue where they stopped. `space` puts everything into that space.
        """
        self._check_open()
        from goalmem.portable import portions

        new = 0
        for portion in portions(Path(origin)):
            new += self._store_messages(portion.messages, space or portion.space, portion.session, portion.at)[1]
        return new

    def stats(self, *, space: str = "default") -> Stats:
        """Counts for a space, and the size of the store."""
        self._check_open()
        return self._store.stats(check_name(space, "The space"))

    def spaces(self) -> list[str]:
        """Every space that holds something."""
        self._check_open()
        return self._store.spaces()

    def sessions(self, *, space: str = "default") -> list[tuple[str, datetime, int]]:
        """Every session of a space: id, time, number of turns, in order of time."""
        self._check_open()
        return self._store.sessions(check_name(space, "The space"))

    def check(self) -> list[str]:
        """Problems found in the store's file; empty when it is sound."""
        self._check_open()
        return self._store.check()

    def close(self) -> None:
        """Release the store. Closing twice is fine; any other later call raises StoreClosedError."""
        if not self._closed:
            self._closed = True
            self._store.close()

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
        return Searcher(self._store, self._embedder, retrieval)

    @cached_property
    def _analyzer(self) -> Analyzer:
        from goalmem.extract import Analyzer

        return self._given_analyzer or Analyzer()

    @cached_property
    def _extractor(self) -> Extractor:
        from goalmem.extract import Extractor

        return Extractor(self._analyzer)

    @cached_property
    def _reasoner(self) -> LocalReasoner:
        from goalmem.reasoners.local import LocalReasoner

        return LocalReasoner(self._analyzer)

    @cached_property
    def _likeness(self) -> Likeness:
        from goalmem.sources.wording import Likeness

        return Likeness(self._embedder)

    def _memory_source(self, space: str, at: datetime) -> MemorySource:
        from goalmem.sources.memory import MemorySource

        names = self._names(space)
        return MemorySource(self._store, self._searcher, self._extractor, self._likeness, space, at, names)

    def _names(self, space: str) -> Names:
        """The names known in a space, read again when something was added or forgotten."""
        from goalmem.extract.names import Names

        version = self._store.version(space)
        held = self._known_names.get(space)
        if held is None or held[0] != version:
            types = {name: kind for name, (kind, _) in self._store.entities(space).items()}
            types |= {alias: types.get(name, "") for alias, name in self._store.aliases(space).items()}
            types |= dict.fromkeys(self._searcher.speakers(space), "person")
            held = self._known_names[space] = (version, Names(types))
        return held[1]

    def _background(self, source: MemorySource) -> BackgroundSource:
        from goalmem.sources.background import BackgroundSource

        return BackgroundSource(source.reader, source.wording, self._rule_book)

    @cached_property
    def _rule_book(self) -> RuleBook:
        from goalmem.sources.background import RuleBook

        return RuleBook(self._extractor)

    def _check_open(self) -> None:
        if self._closed:
            raise StoreClosedError("This memory was closed.", "Open a new Memory on the same store.")


def turn_identity(space: str, session: str, key: str) -> str:
    """A turn's id: the same for the same message in the same session and space, on any machine."""
    return "t" + hashlib.blake2b("\x1f".join((space, session, key)).encode(), digest_size=12).hexdigest()


def refuse_changed(held: Turn | None, message: Message) -> None:
    """A message id that is known must come with the content that it had."""
    if held and (held.text, held.caption, held.speaker) != (message.text, message.caption, message.speaker):
        raise ConflictError(
            f"The message id {message.external_id!r} is known in this session with other content.",
            f"Forget turn {held.id} first, or give the changed message an id of its own.",
        )


def check_text(text: object, what: str) -> str:
    """Any text that says something; what cannot be stored is replaced."""
    if not isinstance(text, str) or not text.strip():
        raise InputError(f"{what} is {text!r}.", "Pass some text.")
    return UNSTORABLE.sub("\ufffd", text)


def settled(goal: Goal, prove: Callable[[Goal], Outcome]) -> tuple[Goal, Outcome]:
    """The outcome of a goal; where several things answer it equally well, that of asking for all of them.

    Facts that name different times or numbers for one thing are left in conflict: they cannot all hold.
    """
    from goalmem.logic.terms import Aggregate

    outcome = prove(goal)
    kind = set(goal.answer.type.split()) if goal.answer is not None else set()
    if outcome.conflict and goal.aggregate is Aggregate.ONE and kind and not kind & ONE_ONLY:
        listed = replace(goal, aggregate=Aggregate.LIST)
        every = prove(listed)
        if len(every.solutions) <= MOST_LISTED:
            return listed, every
    return goal, outcome


def doubt(goal: Goal, outcome: Outcome, least: float) -> str | None:
    """Why an answer is better withheld: competing values of what has one, or too little confidence."""
    from goalmem.logic.terms import Aggregate

    if outcome.conflict and outcome.status == "proved" and goal.aggregate is Aggregate.ONE:
        return "Different answers are equally well supported, and nothing said settles which holds."
    if outcome.solutions and outcome.solutions[0].score < least:
        return f"The best proof is too weak ({outcome.solutions[0].score:.2f}; at least {least:.2f} is asked for)."
    return None


def closeness(proof: Proof) -> tuple[int, float]:
    """How near a failed proof came."""
    return (-len(proof.missing), proof.root.score if proof.root else 0.0)


def answer_of(proof: Proof, seconds: float) -> Answer:
    """A proof as an answer."""
    known = proof.status != "unknown"
    return Answer(
        question=proof.question,
        text=proof.answer if known else UNKNOWN,
        status=proof.status,
        values=tuple(v.text for v in proof.values),
        confidence=proof.confidence,
        proof=proof,
        citations=tuple(dict.fromkeys(e.turn for e in proof.evidence())) if known else (),
        missing=proof.missing,
        seconds=seconds,
    )

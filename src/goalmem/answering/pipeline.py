"""From a question to a proof that has been checked: reasoner, engine, assembly, checker."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property, partial
from typing import TYPE_CHECKING

from goalmem.answering.inquiry import Inquiry
from goalmem.answering.policy import (
    AnyChecker,
    closeness,
    doubt,
    goal_event,
    held_by,
    is_anything,
    is_loose,
    read_out,
    settled,
)
from goalmem.answering.premises import with_denied_premise
from goalmem.answering.search_again import SearchAgain
from goalmem.engine.budget import Budget
from goalmem.engine.events import Event, Listener, silent
from goalmem.engine.outcome import Outcome
from goalmem.engine.search import prove
from goalmem.extract import Analyzer, Extractor
from goalmem.extract.names import Names
from goalmem.graph.record import OnRecord
from goalmem.logic.terms import Goal
from goalmem.messages import parse_when
from goalmem.models.protocol import Embedder, Judge, SpanReader
from goalmem.proof.build import build_proof
from goalmem.proof.check import Verification
from goalmem.proof.document import NOT_HELD, Proof, reached
from goalmem.reasoners.asked import passage_question
from goalmem.reasoners.local import ASKER, LocalReasoner, not_understood
from goalmem.retrieve.search import Ranked
from goalmem.rules.answering import prove_statement, unspoken
from goalmem.rules.kept import Shelf
from goalmem.rules.record import goal_of
from goalmem.rules.steps import SOURCE
from goalmem.settings import Settings
from goalmem.sources.background import BackgroundSource, RuleBook
from goalmem.sources.check import Checker
from goalmem.sources.evidence_store import Finder, Recollection
from goalmem.sources.graph import EdgeSource
from goalmem.sources.graph_check import GraphedChecker
from goalmem.sources.judgement_log import Judgements, Ledger, Records
from goalmem.sources.memory import MemorySource
from goalmem.sources.passages import READ, Offer, PassageSource
from goalmem.sources.ranking import GoalRanking
from goalmem.sources.ruled_check import RuledChecker
from goalmem.sources.rules import RuleSource
from goalmem.sources.similarity import Likeness
from goalmem.sources.space_graphs import GraphShelf, KeptGraph, named_in

if TYPE_CHECKING:
    from goalmem.answering.chat import ChatAsking
    from goalmem.answering.graph_walks import GraphAsking
    from goalmem.models.chat import ChatModel

__all__ = ["Asking"]


@dataclass
class Asking:
    """Answers questions over one store. Safe to use from several threads."""

    store: Recollection
    searcher: Finder
    extractor: Extractor
    analyzer: Analyzer
    embedder: Embedder
    settings: Settings
    reader: SpanReader | None = None
    """What reads answers out of passages; without it, only facts prove."""
    judge: Judge | None = None
    """What decides whether passages say what was read; without it, nothing is read."""
    ledger: Ledger = field(default_factory=Records)
    """Where it is on record what a chat model judged."""
    shelf: Shelf | None = None
    """The rules of spaces; None where none can be kept."""
    graphs: GraphShelf | None = None
    """The graphs of spaces; None where none can be kept."""
    _names: dict[str, tuple[tuple[int, int], Names, frozenset[str]]] = field(default_factory=dict)

    def asker(self, space: str, name: str = "") -> str:
        """Whom `I` means in a question of that person; without a name of the only one who speaks, else of the unnamed user."""
        return self.searcher.asker(space, name) or ASKER

    def signed(self, proof: Proof, asker: str) -> Proof:
        """The proof with who asked, put on record where a chat model had a part in it."""
        named = on_proof(asker)
        if proof.asker == named:
            return proof
        signed = proof.model_copy(update={"asker": named}).sealed()
        Judgements(self.ledger, proof.space, named).keep(signed)
        return signed

    def proof(
        self,
        question: str,
        *,
        space: str,
        at: datetime,
        goals: bool = True,
        listener: Listener = silent,
        asker: str = ASKER,
    ) -> Proof:
        """The proof of the first goal that answers the question; else the one that came nearest. Always one that holds.

        What is found is checked before it is handed out, as `check` would: an answer that fails is withheld.
        Without `goals` the question is not taken apart: the answer is read out of what its own words find.
        """
        listener(Event("question", question))
        rules = self.rules(space)
        if rules is not None and goals and (alone := alone_proof(rules, question, space, at, listener)) is not None:
            return alone
        inquiry = self.inquiry(question, space, at, listener, apart=goals, asker=asker)
        limits = self.settings
        budget = Budget(seconds=limits.ask_seconds, depth=limits.ask_depth, breadth=limits.ask_breadth)
        failed: list[Proof] = []
        loose: list[Proof] = []
        walks, walked = self.walks(space, at, listener), None
        for offered in inquiry.goals:
            # What a graph holds is surer than what is read out of passages.
            if goals and walked is None and (read_out(offered) or offered is inquiry.goals[-1]):
                walked = walks.imported(inquiry)
                if walked is not None and walked.status != "unknown" and read_out(offered):
                    return walked
            listener(goal_event(offered))
            outcome = settled(offered, prove(offered, inquiry.sources, budget, listener=listener))
            proof = self.built(offered, outcome, question, space, at, inquiry.checker, asker=asker)
            if proof.status == "unknown":
                failed.append(proof)
            elif is_loose(offered, proof):
                loose.append(proof)
            else:
                return proof
        told = next((p for p in loose if not (failed and is_anything(p))), None)
        if told is None and walked is not None and (walked.status != "unknown" or not self.store.version(space)[1]):
            return walked
        if told is None and goals and limits.ask_edges:
            told = walks.own(question)
        return told or with_denied_premise(max(failed, key=closeness), inquiry)

    def by_graph(
        self, question: str, *, space: str, at: datetime, listener: Listener = silent, asker: str = ASKER
    ) -> Proof | None:
        """The proof of a walk over the space's imported graph; None where it has none, or no walk answers."""
        if self.graph(space) is None:
            return None
        proof = self.walks(space, at, listener).imported(self.inquiry(question, space, at, silent, asker=asker))
        return proof if proof is not None and proof.status != "unknown" else None

    def walks(self, space: str, at: datetime, listener: Listener = silent) -> GraphAsking:
        """What asks the graphs of a space."""
        from goalmem.answering.graph_walks import GraphAsking

        return GraphAsking(self, space, at, listener)

    def retrieve(
        self, question: str, *, space: str, at: datetime, k: int, goals: bool = True, asker: str = ASKER
    ) -> list[Ranked]:
        """The `k` turns that reasoning towards the question ranks first; without `goals`, the same without its subgoals."""
        inquiry = self.inquiry(question, space, at, silent, apart=goals, asker=asker)
        return inquiry.ranking.ranked(k, inquiry.passages)

    def offers(self, question: str, *, space: str, at: datetime) -> list[Offer]:
        """What the passages that a question's words find offer as its answer; nothing where no span may answer it."""
        inquiry = self.inquiry(question, space, at, silent)
        asked = passage_question(inquiry.goals[-1].atoms[0])
        if asked is None or inquiry.passages is None:
            return []
        return inquiry.passages.offers(*asked, inquiry.ranking.turns(READ))

    def rules(self, space: str) -> RuleSource | None:
        """The rules of a space as a source of steps; None where it has none."""
        theory = self.shelf.theory(space) if self.shelf is not None else None
        if self.shelf is None or theory is None:
            return None
        alone = self.shelf.alone(space) and self.graph(space) is None
        return RuleSource(theory, alone, partial(self._mentioned, self.shelf, space))

    def _mentioned(self, shelf: Shelf, space: str, name: str) -> bool:
        """Whether a turn of the space speaks of someone or something, or was said by them."""
        said_by = (speaker.casefold() for speaker in self.searcher.speakers(space))
        kept = self.graph(space)
        told = kept is not None and bool(len(kept.graph.named(name)))
        return told or name.casefold() in said_by or shelf.mentions(space, name)

    def by_rules(
        self, question: str, *, space: str, at: datetime, listener: Listener = silent, asker: str = ASKER
    ) -> Proof | None:
        """The proof of a question that the rules of a space decide, with what is remembered; None where they do not."""
        rules = self.rules(space)
        if rules is None or rules.asked(question) is None:
            return None
        proof = self.proof(question, space=space, at=at, listener=listener, asker=asker)
        by_rules = proof.root is not None and any(n.source == SOURCE for n in reached(proof.root, proof.lemmas))
        return proof if rules.alone or (proof.status != "unknown" and by_rules) else None

    def check(self, proof: Proof, *, space: str, now: datetime | None = None) -> Verification:
        """Check a proof against what the store holds now, without the engine that made it.

        The engine only searches for what a proof that claims all may have left out. `now`: see `proof.check.verify`.
        """
        at = parse_when(proof.asked_at, "The proof")
        if (own := self.walks(space, at).checked(proof)) is not None:
            return own
        about = self.inquiry(proof.question, space, at, silent, asker=proof.asker or ASKER)
        checker = self.checker(about.memory, about.background, about.passages, proof, since=True)
        again = SearchAgain(about, self.settings.ask_depth, self.settings.ask_breadth)
        return held_by(proof, checker, again, now)

    def checker(
        self,
        source: MemorySource,
        background: BackgroundSource,
        passages: PassageSource | None = None,
        proof: Proof | None = None,
        *,
        since: bool = False,
    ) -> AnyChecker:
        """What proofs about one space are checked with; a proof over its graph is to be named.

        `since`: what was said since the question was asked counts, too.
        """
        judgements, least = (
            Judgements(self.ledger, source.space, on_proof(source.asker)),
            self.settings.answer_threshold,
        )
        plain = Checker(source, background, self.analyzer, self._reasoner, passages, judgements, least, since)
        rules, kept = self.rules(source.space), self.graph(source.space)
        edges = EdgeSource(kept.graph, source.reader, source.wording, kept.frames) if kept is not None else None
        more = (edges,) if edges is not None else ()
        checker = plain if rules is None else RuledChecker(plain, rules, more)
        if kept is None or edges is None:
            return checker
        return GraphedChecker(checker, edges, kept.record(proof, self.on_record(source.space)))

    def on_record(self, space: str) -> OnRecord:
        """Whether a critic that is a chat model is on record with a reading."""
        return Judgements(self.ledger, space).goal

    def graph(self, space: str) -> KeptGraph | None:
        """The imported graph of a space; None where it has none."""
        return self.graphs.imported(space) if self.graphs is not None else None

    def built(
        self,
        goal: Goal,
        outcome: Outcome,
        question: str,
        space: str,
        at: datetime,
        checker: AnyChecker,
        *,
        judge: str = "",
        reason: str | None = None,
        asker: str = ASKER,
    ) -> Proof:
        """The proof of an outcome; without what does not hold when checked. With `reason` the answer is withheld for it.

        `judge` is the chat model that read the question as the goal; what it judged is put on record here.
        """
        reason = reason or doubt(goal, outcome, self.settings.answer_threshold)
        for why in (reason, reason or NOT_HELD):
            proof = build_proof(
                outcome, goal, question=question, space=space, asked_at=at, abstain_reason=why, judge=judge
            )
            Judgements(self.ledger, space, on_proof(asker)).keep(proof)
            if held_by(proof, checker).ok:
                return proof
        return proof.withheld(reason or NOT_HELD)

    def inquiry(
        self, question: str, space: str, at: datetime, listener: Listener, *, apart: bool = True, asker: str = ASKER
    ) -> Inquiry:
        """What one question is asked of. `apart`: it is taken apart into goals; else only read out of passages."""
        source, background = self._sources(space, at, listener, question, asker)
        reasoner, names = self._reasoner, source.names
        readings = tuple(reasoner.goals(question, at, names, asker)) if apart else ()
        whole = reasoner.passage_goal(question, at, names, asker) if self.reading else None
        rules = self.rules(space)
        asked = rules.asked(question) if rules is not None and apart else None
        stated = (goal_of(question, asked),) if asked is not None else ()
        goals = (*readings, whole) if whole is not None else readings or (not_understood(question, question),)
        ranking = GoalRanking(source, question, goals if apart else (whole,) if whole is not None else ())
        goals = (*stated, *(g for g in goals if g not in stated))
        passages = self._passages(source, ranking.turns)
        checker = self.checker(source, background, passages)
        kept = self.graph(space) if apart else None
        edges = EdgeSource(kept.graph, source.reader, source.wording, kept.frames) if kept is not None else None
        return Inquiry(question, goals, source, background, passages, ranking, checker, rules, edges)

    def _passages(self, source: MemorySource, turns: Callable[[int], Sequence[Ranked]]) -> PassageSource | None:
        """The turns of a space as passages; None where nothing is read."""
        if self.reader is None or self.judge is None:
            return None
        self._names_of(source.space)
        return PassageSource(source, self.reader, turns, self._names[source.space][2], self.judge)

    @property
    def reading(self) -> bool:
        """Whether answers are read out of passages."""
        return self.reader is not None and self.judge is not None

    def _sources(
        self, space: str, at: datetime, listener: Listener = silent, question: str = "", asker: str = ASKER
    ) -> tuple[MemorySource, BackgroundSource]:
        """What steps come from, for one question."""
        names, kept = self._names_of(space), self.graph(space)
        if kept is not None:
            names = names.and_these(named_in(question, link) for link in kept.topics(question, named=True))
        if asker != ASKER:
            names = names.and_these([asker])
        memory = MemorySource(
            self.store, self.searcher, self.extractor, self.likeness, space, at, names, listener=listener, asker=asker
        )
        return memory, BackgroundSource(memory.reader, memory.wording, self._rule_book)

    def _names_of(self, space: str) -> Names:
        """The names known in a space, read again when something was added or forgotten."""
        version = self.store.version(space)
        held = self._names.get(space)
        if held is None or held[0] != version:
            types = {name: kind for name, (kind, _) in self.store.entities(space).items()}
            people = {owner for name, kind in types.items() for owner in people_in(name, kind)}
            types |= {alias: types.get(name, "") for alias, name in self.store.aliases(space).items()}
            speakers = self.searcher.speakers(space)
            types |= dict.fromkeys(speakers, "person")
            known = frozenset(people | {s.casefold() for s in speakers})
            held = self._names[space] = (version, Names(types), known)
        return held[1]

    def with_chat(
        self,
        model: ChatModel,
        replies: Ledger | None,
        space: str,
        at: datetime,
        assume: bool = True,
        listener: Listener = silent,
        asker: str = ASKER,
    ) -> ChatAsking:
        """One question's reasoning with a chat model, whose replies are kept in `replies` where that is given."""
        from goalmem.answering.chat import ChatAsking, metered

        return ChatAsking(self, metered(model, self.settings, replies, space), space, at, assume, listener, asker)

    def over(self, store: Recollection, searcher: Finder) -> Asking:
        """The same reasoning over another memory, with all that takes time to load shared."""
        # Loads the model of the vectors, where no memory of our own did, before the time of a question begins to run.
        self.likeness.learn(("thing",))
        other = replace(self, store=store, searcher=searcher, _names={})
        for name, made in vars(type(self)).items():
            if isinstance(made, cached_property):
                setattr(other, name, getattr(self, name))
        return other

    @cached_property
    def likeness(self) -> Likeness:
        """Cosines of phrases, remembered from question to question."""
        return Likeness(self.embedder)

    @cached_property
    def _reasoner(self) -> LocalReasoner:
        return LocalReasoner(self.analyzer)

    @cached_property
    def _rule_book(self) -> RuleBook:
        return RuleBook(self.extractor)


def alone_proof(rules: RuleSource, question: str, space: str, at: datetime, listener: Listener) -> Proof | None:
    """The proof over rules where nothing else is remembered; None where something is, or they do not speak of it."""
    asked = rules.theory.statement(question) if rules.alone else None
    if asked is None:
        return None
    listener(goal_event(goal_of(question, asked)))
    if rules.asked(question) is None:
        return unspoken(asked, question, at, space)
    return prove_statement(rules.theory, asked, question, at, space)


def on_proof(asker: str) -> str:
    """An asker as a proof names them: empty for the unnamed user."""
    return "" if asker == ASKER else asker


def people_in(name: str, kind: str) -> list[str]:
    """The people that an entity's name names, in lower case: `Ines` of `Ines's brother`, whoever is a person."""
    owner, mark, _ = name.casefold().partition("'s ")
    return [owner] if len(owner) > 1 and (mark or kind == "person") else []

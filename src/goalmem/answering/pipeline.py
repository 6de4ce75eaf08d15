"""From a question to a checked proof: reasoner, engine, proof builder, checker."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property, partial
from typing import TYPE_CHECKING

from goalmem.answering.inquiry import QuestionInquiry, SearchAgain
from goalmem.answering.policy import (
    AnswerPolicy,
    is_anything,
    is_doubted,
    is_loose,
    is_needless,
    is_read_out,
    nearest_failure,
    outdoes_reading,
)
from goalmem.engine.budget import Budget
from goalmem.engine.events import Event, Listener, silent
from goalmem.engine.search import prove
from goalmem.engine.step import Source
from goalmem.graph.entity_linking import Link
from goalmem.graph.evidence_text import TRIPLE
from goalmem.graph.record import GraphRecord, check_graph_proof
from goalmem.io.chat_messages import parse_when
from goalmem.language import Analyzer, Extractor
from goalmem.language.names import Names
from goalmem.logic.syntax import canonical, format_atom
from goalmem.logic.terms import Aggregate, Atom, Evidence, Goal, Variable
from goalmem.models.protocol import Embedder, Excerpt, Judge, SpanReader, Statement, Verdict
from goalmem.proof.check import Check, Verification, verified_by
from goalmem.proof.document import Proof
from goalmem.proof.node_check import Oracles
from goalmem.proof.path import ProofPath
from goalmem.proof.status import READ as READ_OUT
from goalmem.proof.status import kind_of
from goalmem.questions.follow_up import PreviousQuestion, complete_question
from goalmem.questions.local import LocalReasoner, not_understood, words_in
from goalmem.questions.states import is_of_state, state_goals
from goalmem.questions.whole_question import RECALLED, passage_question, quotes_question, walk_goal
from goalmem.questions.wording import without_pleasantries
from goalmem.records import ASKER
from goalmem.retrieve.search import RankedTurn
from goalmem.rules.record import goal_of
from goalmem.rules.source import RuleSource
from goalmem.rules.stored import TheoryCache
from goalmem.rules.theory import Theory
from goalmem.settings import Settings
from goalmem.sources.background import BackgroundSource, background_book
from goalmem.sources.chat.check import ChatChecker
from goalmem.sources.chat.judgement_log import Judgements, ReplyRecords, ReplyStore
from goalmem.sources.evidence_store import EvidenceStore, TurnFinder, said_by
from goalmem.sources.facts.check import FactChecker
from goalmem.sources.facts.clause_answer import ClauseSource
from goalmem.sources.facts.source import MemorySource
from goalmem.sources.facts.state_source import StateSource
from goalmem.sources.graph.source import EdgeChecker, EdgeSource
from goalmem.sources.graph.space_graphs import SpaceGraph, SpaceGraphs, named_in
from goalmem.sources.graph.walks import IMPORTED, OWN, RecallCritic, RecallSource, WalkSource
from goalmem.sources.passages.check import PassageChecker
from goalmem.sources.passages.effort import FOUND
from goalmem.sources.passages.offers import Offer
from goalmem.sources.passages.source import PassageSource
from goalmem.sources.passages.succession import Successions
from goalmem.sources.passages.texts import PassageTexts
from goalmem.sources.phrase_cosine import PhraseCosine
from goalmem.sources.ranking import GoalRanking
from goalmem.sources.space_check import SpaceChecker
from goalmem.store.metadata import EVERYTHING, Where, as_object

if TYPE_CHECKING:
    from spacy.tokens import Doc

PARSED_AHEAD = 3
"""Goals of a question whose atoms are parsed together: of those that follow few are reached."""
OWN_COST = 2
"""Walks over the space's own edges cost more than reading its turns."""


@dataclass
class AnswerPipeline:
    """Answers questions over one store. Safe to use from several threads."""

    store: EvidenceStore
    searcher: TurnFinder
    extractor: Extractor
    analyzer: Analyzer
    embedder: Embedder
    settings: Settings
    reader: SpanReader | None = None
    """Reads answers out of passages; without it, only facts prove."""
    judge: Judge | None = None
    """Decides if passages say what was read; without it, nothing is read."""
    reply_store: ReplyStore = field(default_factory=ReplyRecords)
    """Records what a chat model judged."""
    shelf: TheoryCache | None = None
    """The rules of spaces; None if none can be stored."""
    graphs: SpaceGraphs | None = None
    """The graphs of spaces; None if none can be stored."""
    where: Where = EVERYTHING
    """The conditions that `store` and `searcher` are restricted to."""
    rule_override: Theory | None = None
    """The space's rules with another way to decide them than the solver. Proofs are still checked with the solver."""
    _names: dict[str, tuple[tuple[int, int], Names, frozenset[str]]] = field(default_factory=dict)

    def asker(self, space: str, name: str = "") -> str:
        """The name that `I` refers to. Without `name`, it is the only speaker's, otherwise the unnamed user's."""
        return self.searcher.asker(space, name) or ASKER

    def as_of(self, space: str, at: datetime) -> bool:
        """True if something was said after that day."""
        newest = self.searcher.newest(space)
        last = self.store.turns(space, [newest]).get(newest) if newest is not None else None
        return last is not None and not said_by(last.at, at)

    def complete_question(self, question: str, previous: PreviousQuestion, space: str) -> str:
        """Complete a question that refers to the previous one."""
        return complete_question(question, previous, self._read, self._names_of(space))

    def _read(self, text: str) -> Doc:
        return self.analyzer.docs([text])[0]

    def signed(self, proof: Proof, asker: str) -> Proof:
        """Add the asker and the conditions on turns to a proof; record it if a chat model had a part in it."""
        named, where = recorded_asker(asker), as_object(self.where)
        if (proof.asker, proof.where) == (named, where):
            return proof
        signed = proof.model_copy(update={"asker": named, "where": where}).digested()
        Judgements(self.reply_store, proof.space, named).keep(signed)
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
        """Return the proof of the first goal that answers the question, otherwise the one that came nearest. The proof always holds.

        An answer is checked as `check` does before it is returned; one that fails is withheld. Without `goals` the question is not split:
        the answer is read out of the turns that its own words find.
        """
        listener(Event("question", question))
        inquiry = self.inquiry(question, space, at, listener, apart=goals, asker=asker)
        path = self.path(inquiry, space, at, listener)
        budget = self.budget()
        failed: list[tuple[Goal, Proof]] = []
        loose: list[Proof] = []
        read: Proof | None = None
        likely: Proof | None = None
        for offered in inquiry.goals:
            if is_needless(offered, loose, read, likely, failed):
                continue
            proof = path.proved(offered, inquiry.sources, budget)
            if proof.status == "unknown":
                failed.append((offered, proof))
                if is_of_state(offered.atoms[0]) and proof.missing[0].stage == "superseded":
                    return proof  # The last statement leaves it open, so earlier ones cannot answer.
            elif is_loose(offered, proof):
                loose.append(proof)
            elif kind_of(proof) == READ_OUT and not is_read_out(offered):
                # Another goal may prove the same, or find what is surer.
                read = proof if read is None or proof.confidence > read.confidence else read
            elif proof.status == "likely" and not is_read_out(offered):
                likely = likely or proof  # The same.
            elif likely is not None and words_of(proof) != words_of(likely):
                break
            elif read is None or outdoes_reading(offered) or words_of(proof) == words_of(read):
                surer = (p for p in loose if is_doubted(p) and p.confidence > proof.confidence)
                return next(surer, None) or as_proved(proof, loose)
        if likely is None or (read is not None and words_of(likely) != words_of(read)):
            likely = read
        if likely is not None:
            return as_proved(likely, loose)
        told = next((p for p in loose if not (failed and is_anything(p))), None)
        return told or with_denied_premise(nearest_failure(failed, inquiry.has_turns), inquiry)

    def retrieve(
        self, question: str, *, space: str, at: datetime, k: int, goals: bool = True, asker: str = ASKER
    ) -> list[RankedTurn]:
        """Rank the `k` best turns by reasoning towards the question; without `goals`, leave out its subgoals."""
        inquiry = self.inquiry(question, space, at, silent, apart=goals, asker=asker)
        return inquiry.ranking.ranked(k, inquiry.passages)

    def offers(self, question: str, *, space: str, at: datetime) -> Sequence[Offer]:
        """Return the answers that passages offer for a question; none if no span can answer it."""
        inquiry = self.inquiry(question, space, at, silent)
        asked = next((q for g in inquiry.goals if (q := passage_question(g.atoms[0])) is not None), None)
        if asked is None or inquiry.passages is None:
            return []
        return inquiry.passages.offers.of(*asked, inquiry.ranking.turns(FOUND)).offers

    def rules(self, space: str) -> RuleSource | None:
        """The rules of a space as a source of steps; None if it has none."""
        theory = self.shelf.theory(space) if self.shelf is not None else None
        if self.shelf is None or theory is None:
            return None
        alone = self.shelf.alone(space) and self.graph(space) is None
        return RuleSource(theory, alone, mentioned=partial(self._mentioned, self.shelf, space))

    def _mentioned(self, shelf: TheoryCache, space: str, name: str) -> bool:
        """True if a turn of the space names someone or something, or was said by them."""
        said_by = (speaker.casefold() for speaker in self.searcher.speakers(space))
        kept = self.graph(space)
        told = kept is not None and bool(len(kept.graph.named(name)))
        return told or name.casefold() in said_by or shelf.mentions(space, name)

    def check(self, proof: Proof, *, space: str, now: datetime | None = None) -> Verification:
        """Check a proof against the current contents of the store, without the engine that made it.

        The engine only searches for solutions that a complete proof may have left out. `now`: see `proof.check.verify`.
        """
        at = parse_when(proof.asked_at, "The proof")
        about = self.inquiry(proof.question, space, at, silent, asker=proof.asker or ASKER)
        if self.graphs is not None and not self.where and is_own_walk(proof):
            own = self.graphs.own(space)
            if own.critic.name == proof.judge:
                record = own.record(Judgements(self.reply_store, space), proof)
                return check_graph_proof(proof, own.graph, record=record).also(self._said_since(proof, space, at))
        checker = self.checker(about.memory, about.background, about.passages, proof, since=not proof.as_of)
        again = SearchAgain(about, self.settings.ask_depth, self.settings.ask_breadth)
        checked = verified_by(proof, checker, again, now, space=space)
        return checked.also(self._said_since(proof, space, at))

    def _said_since(self, proof: Proof, space: str, at: datetime) -> Check:
        """Check that something was said after the day that a proof is said to be about."""
        since = not proof.as_of or self.as_of(space, at)
        return Check("", "as of", since, "something is remembered from after its day, if it is about an earlier one")

    def checker(
        self,
        source: MemorySource,
        background: BackgroundSource,
        passages: PassageSource | None = None,
        proof: Proof | None = None,
        *,
        since: bool = False,
    ) -> Oracles:
        """Return the checkers for proofs about one space. Name the `proof` if its goal is a walk.

        `since`: statements made after the question was asked count, too.
        """
        space, least = source.space, self.settings.answer_threshold
        judgements = Judgements(self.reply_store, space, recorded_asker(source.asker))
        facts = FactChecker(source, since)
        kept = self.graph(space)
        return SpaceChecker(
            facts,
            background,
            ChatChecker(facts, judgements),
            self.analyzer,
            self._reasoner,
            least,
            PassageChecker(passages.texts, passages.judge, facts) if passages is not None else None,
            self.rules(space),
            EdgeChecker(self._edges(kept, source), kept.record(judgements, proof)) if kept is not None else None,
            partial(self._own_record, self.graphs, space, judgements) if self.graphs and not self.where else None,
        )

    def _own_record(self, graphs: SpaceGraphs, space: str, judgements: Judgements) -> GraphRecord:
        return graphs.own(space).record(judgements)

    def _edges(self, kept: SpaceGraph, memory: MemorySource) -> EdgeSource:
        """The edges of a graph as a source of steps."""
        return EdgeSource(kept.graph, memory.reader, memory.similarity, kept.frames)

    def graph(self, space: str) -> SpaceGraph | None:
        """The imported graph of a space; None if it has none."""
        return self.graphs.imported(space) if self.graphs is not None else None

    def budget(self) -> Budget:
        """The budget of one question."""
        limits = self.settings
        return Budget(seconds=limits.ask_seconds, depth=limits.ask_depth, breadth=limits.ask_breadth)

    def path(self, inquiry: QuestionInquiry, space: str, at: datetime, listener: Listener = silent) -> ProofPath:
        """The path from the goals of one question to checked proofs."""
        keep = Judgements(self.reply_store, space, recorded_asker(inquiry.memory.asker)).keep
        policy = AnswerPolicy(self.settings.answer_threshold)
        unread = not_understood(inquiry.question)
        return ProofPath(
            inquiry.question,
            space,
            at,
            inquiry.checker,
            policy,
            keep,
            listener,
            as_of=self.as_of(space, at),
            unread=unread,
        )

    def inquiry(
        self, question: str, space: str, at: datetime, listener: Listener, *, apart: bool = True, asker: str = ASKER
    ) -> QuestionInquiry:
        """Prepare one question. If `apart`, it is split into goals; otherwise it is only read out of passages.

        If a space holds only rules, a statement is asked of them alone, as it stands.
        """
        rules = self.rules(space)
        if rules is not None and self.rule_override is not None:
            rules = replace(rules, theory=self.rule_override)
        if apart and rules is not None and rules.alone and (said := rules.theory.statement(question)) is not None:
            asked = rules.asked(question)
            known = replace(rules, literal=asked)
            memory, background = self._sources(space, at, listener, "", asker)
            goal = goal_of(question, said)
            checker, ranking = self.checker(memory, background), GoalRanking(memory, question, ())
            return QuestionInquiry(
                question, (goal,), (known,), memory, background, None, ranking, checker, False, goal if asked else None
            )
        source, background = self._sources(space, at, listener, question, asker)
        reasoner, names = self._reasoner, source.names
        # A reading that loses a word of the question is not asked, but may still help to find turns.
        loosely = tuple(reasoner.goals(question, at, names, asker)) if apart else ()
        plain = without_pleasantries(question)
        first = [g for g in loosely[:PARSED_AHEAD] if not any(map(quotes_question, g.atoms))]
        source.reader.parse_ahead(
            (a for g in first for a in g.atoms), (without_pleasantries(question), *map(words_in, first))
        )
        readings = tuple(reasoner.whole_goals(question, at, names, asker)) if apart else ()
        whole = reasoner.passage_goal(question, at, names, asker) if self.reading else None
        read = tuple(reasoner.read_goals(question, at, names, asker)) if apart and whole is not None else ()
        asked = rules.asked(question) if rules is not None and apart else None
        stated = goal_of(question, asked) if asked is not None else None
        ranking = GoalRanking(source, plain, (*loosely, whole) if whole is not None else loosely)
        nothing = not_understood(question)
        goals = (*(g for g in readings if g != nothing), *(read or filter(None, (whole,)))) or (nothing,)
        goals = goals if stated is None else (stated, *(g for g in goals if g != stated))
        asked_for = frozenset(g.answer for g in goals if g.answer is not None and g.aggregate is Aggregate.ONE)
        passages = self._passages(source, ranking.turns, plain, asked_for)
        checker = self.checker(source, background, passages)
        kept = self.graph(space) if apart else None
        edges = self._edges(kept, source) if kept is not None else None
        held = state_goals(question, asker) if apart else ()
        state = StateSource(source) if held else None
        walks = self._walks(space, source, listener) if apart else []
        every: tuple[Source | None, ...] = (rules, state, source, background, edges, passages, *walks)
        sources = tuple(s for s in every if s is not None)
        goals = with_walks(question, goals, [w.name for w in walks])
        others = goals[stated is not None :] if state is None or not state.left_open(held) else ()
        goals = (*goals[: stated is not None], *held, *others)
        told = bool(self.store.version(space)[1])
        return QuestionInquiry(question, goals, sources, source, background, passages, ranking, checker, told, stated)

    def _walks(self, space: str, memory: MemorySource, listener: Listener) -> list[WalkSource | RecallSource]:
        """Walks over the graphs of a space: the imported one, and the space's own edges if they are enabled. Last, what the critic knows by
        itself, if that is enabled.
        """
        kept, has_turns = self.graph(space), bool(self.store.version(space)[1])

        def topics(question: str) -> list[Link]:
            """Topics of a question. If the space contains turns, only names spelled as in the graph count, and a name that memory knows and
            the graph does not belongs to something else.
            """
            said = (question[slice(*span)] for span in memory.names.said_in(question)) if has_turns else ()
            known = kept is not None and all(len(kept.graph.named(name)) for name in said)
            return kept.topics(question, named=has_turns) if kept is not None and known else []

        found: list[WalkSource | RecallSource] = [kept.walks(topics, IMPORTED, 0, listener)] if kept is not None else []
        if self.settings.ask_edges and self.graphs is not None and not self.where:  # its edges cover all turns
            own = self.graphs.own(space)
            found.append(own.walks(partial(own.topics, named=True), OWN, OWN_COST, listener))
        if self.settings.graph_own_knowledge and kept is not None and isinstance(kept.critic, RecallCritic):
            found.append(kept.recalled(topics, kept.critic))
        return found

    def _passages(
        self,
        source: MemorySource,
        turns: Callable[[int], Sequence[RankedTurn]],
        question: str,
        answers: frozenset[Variable],
    ) -> PassageSource | None:
        """The turns of a space as passages; None if nothing is read."""
        if self.reader is None or self.judge is None:
            return None
        clauses = ClauseSource(source, self._read)
        texts, judge = PassageTexts(source, self._people(source.space)), VerdictCache(self.judge)
        return PassageSource(texts, self.reader, turns, judge, question, answers, clauses)

    @property
    def reading(self) -> bool:
        """True if answers are read out of passages."""
        return self.reader is not None and self.judge is not None

    def _sources(
        self, space: str, at: datetime, listener: Listener = silent, question: str = "", asker: str = ASKER
    ) -> tuple[MemorySource, BackgroundSource]:
        """The sources of steps for one question."""
        names, kept = self._names_of(space), self.graph(space)
        if kept is not None:
            names = names.and_these(named_in(question, link) for link in kept.topics(question, named=True))
        if asker != ASKER:
            names = names.and_these([asker])
        memory = MemorySource(
            self.store, self.searcher, self.extractor, self.cosine, space, at, names, listener=listener, asker=asker
        )
        if self.reader is not None and self.judge is not None:
            texts = PassageTexts(memory, self._people(space))
            memory.later.given_anew = Successions(texts, self.reader, VerdictCache(self.judge)).likelihood
        return memory, BackgroundSource(memory.reader, background_book(self.extractor, self.analyzer.parser))

    def _people(self, space: str) -> frozenset[str]:
        """The people of a space, by their names in lower case."""
        self._names_of(space)
        return self._names[space][2]

    def _names_of(self, space: str) -> Names:
        """The names known in a space; read again after it changed."""
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

    def over(self, store: EvidenceStore, searcher: TurnFinder) -> AnswerPipeline:
        """The same pipeline over another memory. Models and caches are shared."""
        # Load the embedding model before the time of a question starts, if no memory of ours did.
        self.cosine.learn(("thing",))
        other = replace(self, store=store, searcher=searcher, _names={})
        for name, made in vars(type(self)).items():
            if isinstance(made, cached_property):
                setattr(other, name, getattr(self, name))
        return other

    def with_conditions(self, store: EvidenceStore, searcher: TurnFinder, where: Where) -> AnswerPipeline:
        """The same pipeline over the turns that meet conditions, with the rules and the imported graph of the space."""
        other = self.over(store, searcher)
        other.where = where
        return other

    def with_rules(self, theory: Theory) -> AnswerPipeline:
        """The same pipeline with the space's rules decided by `theory`."""
        other = self.over(self.store, self.searcher)
        other.rule_override = theory
        return other

    @cached_property
    def cosine(self) -> PhraseCosine:
        """Cosines of phrases, cached from question to question."""
        return PhraseCosine(self.embedder)

    @cached_property
    def _reasoner(self) -> LocalReasoner:
        return LocalReasoner(self.analyzer)


def words_of(proof: Proof) -> set[str]:
    """The words of an answer. If facts and passages give the same answer, the facts prove it."""
    return {word for value in proof.values for word in value.text.casefold().split()} - {"and"}


def as_proved(proof: Proof, loose: Sequence[Proof]) -> Proof:
    """A loose proof with the same answer, or a certain one that lists more; otherwise the proof."""
    words = words_of(proof)
    return next((p for p in loose if words == words_of(p) or (p.confidence == 1 and words < words_of(p))), proof)


def with_walks(question: str, goals: tuple[Goal, ...], sources: Sequence[str]) -> tuple[Goal, ...]:
    """Add the goals that ask where the question leads in a graph. An imported graph is more certain than passages and comes before them;
    the space's own edges come last.
    """
    read = next((n for n, goal in enumerate(goals) if is_read_out(goal)), len(goals))
    first = [walk_goal(question, name) for name in sources if name == IMPORTED]
    last = [walk_goal(question, name) for name in (OWN, RECALLED) if name in sources]
    return (*goals[:read], *first, *goals[read:], *last)


def is_own_walk(proof: Proof) -> bool:
    """True if a proof's goal is a walk over the space's own edges, in the form used before walks were steps."""
    steps = [step for solution in proof.root.children for step in solution.children] if proof.root is not None else []
    cited = any(e.turn.startswith(TRIPLE) for e in proof.evidence())
    return bool(proof.judge and steps) and all(s.kind == "edge" for s in steps) and not cited


def recorded_asker(asker: str) -> str:
    """An asker as a proof names them: empty for the unnamed user."""
    return "" if asker == ASKER else asker


def people_in(name: str, kind: str) -> list[str]:
    """Lower-case names of people in an entity's name: `Ines` in `Ines's brother`, and any person's own name."""
    owner, mark, _ = name.casefold().partition("'s ")
    return [owner] if len(owner) > 1 and (mark or kind == "person") else []


class VerdictCache:
    """A `Judge` that asks another judge once for each pair. It keeps every pair, so it is made for one question."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._verdicts: dict[tuple[Statement, Excerpt], Verdict] = {}

    @property
    def name(self) -> str:
        """The name of the other judge."""
        return self._judge.name

    @property
    def digest(self) -> str:
        """The digest of the other judge; empty if it has none."""
        return str(getattr(self._judge, "digest", ""))

    def judge(self, pairs: Sequence[tuple[Statement, Excerpt]]) -> list[Verdict]:
        """A verdict for each pair. Raises what the other judge raises."""
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self._verdicts]
        if new:
            self._verdicts.update(zip(new, self._judge.judge(new), strict=True))
        return [self._verdicts[pair] for pair in pairs]


PREMISES = 3
"""Most parts of a question that are checked as premises."""
DENIED = "what was said denies “{}”"
PREPOSITIONS = frozenset("in at on for to from by with of about into during since until as".split())
"""Prepositions before an answer, which are left out with it."""


def with_denied_premise(proof: Proof, inquiry: QuestionInquiry) -> Proof:
    """If a premise of the question is denied, name it as missing in an unknown proof, with the turn that denies it.

    A premise is a part of a goal without its answer. It is denied if a fact disproves it; otherwise the proof is returned unchanged.
    """
    for atom in _premises(inquiry) if proof.missing else ():
        # Use the words of the subgoal, which is already parsed and searched for.
        denies = _disproved(inquiry, inquiry.memory.reader.read(without_answer(atom)).text)
        if denies is None:
            continue
        premise = premise_of(atom)
        named = next((m for m in proof.missing if m.atom == canonical(atom)), proof.missing[0])
        denied = named.model_copy(
            update={"stage": "denied", "reason": DENIED.format(premise), "nearest": (denies, *named.nearest)}
        )
        others = tuple(m for m in proof.missing if m is not named)
        return proof.model_copy(update={"missing": (denied, *others)}).digested()
    return proof


def premise_of(atom: Atom) -> str:
    """An atom as a statement without its answer: `Bo bought a boat in (x:place)` as `Bo bought a boat`."""
    text = " ".join(p if isinstance(p, str) else f"some {p.type}" for p in without_answer(atom).parts)
    return " ".join(text.split())


def without_answer(atom: Atom) -> Atom:
    """An atom without its last variable and the preposition before it."""
    parts = list(atom.parts)
    if len(parts) > 1 and not isinstance(parts[-1], str) and isinstance(parts[-2], str):
        said = parts[-2].split()
        if said and said[-1].lower() in PREPOSITIONS and len(said) > 1:
            parts[-2:] = [" ".join(said[:-1])]
    return replace(atom, parts=tuple(parts))


def _disproved(inquiry: QuestionInquiry, premise: str) -> Evidence | None:
    """The words of a fact that contradicts the premise."""
    goal = Goal(premise, (Atom((premise,)),), None, Aggregate.WHETHER)
    facts = [s for s in inquiry.sources if not s.cost]
    outcome = prove(goal, facts, Budget(depth=1, breadth=1))
    if not outcome.solutions or not outcome.solutions[0].against or outcome.conflict:
        return None
    steps = [n.step for n in outcome.solutions[0].nodes if n.step is not None]
    return next((e for step in steps for e in step.evidence), None)


def _premises(inquiry: QuestionInquiry) -> list[Atom]:
    """The parts of the question that state something, each once."""
    atoms = [a for g in inquiry.ranking.goals for a in g.atoms if not a.negated and not quotes_question(a)]
    return list({format_atom(a): a for a in atoms}.values())[:PREMISES]

"""Answer with a chat model: it proposes goals, reads facts and words the answer; code checks each of these, with the same engine and proof.

If a reply cannot be used, the local reasoner does that step. If the model is not available, it does the whole question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from goalmem.answering.chat_budget import limited_model
from goalmem.answering.inquiry import QuestionInquiry
from goalmem.answering.pipeline import AnswerPipeline
from goalmem.answering.policy import is_loose, is_walk_goal, nearest_failure, quotes_the_question, rests_on
from goalmem.engine.budget import Budget
from goalmem.engine.events import Event, Listener, silent
from goalmem.engine.outcome import SearchOutcome
from goalmem.engine.search import prove
from goalmem.engine.step import NearMiss, Request, Step
from goalmem.language.terms import WORD, stem
from goalmem.language.words.function_words import NEGATIVES_QUOTED
from goalmem.logic.terms import Aggregate, Goal, Variable
from goalmem.models.chat import ChatModel, Metered
from goalmem.models.chat_prompts import PromptFact
from goalmem.proof.document import Node, Proof
from goalmem.questions.chat import ChatReasoner
from goalmem.questions.chat_goals import Decomposition
from goalmem.questions.chat_replies import AnswerReply, RejectedError
from goalmem.questions.local import not_understood
from goalmem.records import ASKER
from goalmem.retrieve.search import RankedTurn
from goalmem.rules.derivation import SOURCE as RULES
from goalmem.sources.chat.candidates import CandidateQuery, CandidateRetriever
from goalmem.sources.chat.judgement_log import ReplyStore
from goalmem.sources.chat.source import BEST, ChatReading, ChatSource, goal_read
from goalmem.sources.chat.unifier import Unifier
from goalmem.sources.ranking import GoalRanking, QueryRanking

REFINING = 2
"""Calls that a refinement needs at least: one to propose it, one to read what it finds."""
RANKED = 200
"""Turns kept of a ranking: many more than are shown to the model, so that the turn of a proved answer is among them."""
UNGROUNDED = "The chat model's wording says what no cited fact says"


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """A proof, and the chat model's wording of what it proves."""

    proof: Proof
    short: str = ""
    """Empty: use the wording of the proof."""
    full: str = ""


@dataclass
class ChatPipeline:
    """Answers one question with a chat model."""

    pipeline: AnswerPipeline
    model: Metered
    """Counts and limits its calls. A refused call is done without the model."""
    space: str
    at: datetime
    assume: bool = True
    listener: Listener = silent
    asker: str = ASKER
    """The person that `I` refers to in the question."""

    def __post_init__(self) -> None:
        limits = self.pipeline.settings
        budget = Budget(
            limits.chat_seconds,
            limits.ask_calls,
            limits.ask_tokens,
            depth=limits.ask_depth,
            breadth=limits.ask_breadth,
        )
        budget.start()
        self._budget = budget
        self._reasoner = ChatReasoner(self.model, budget, self.listener, self.at, self.asker)
        self._evidence = limits.chat_facts
        self._retriever = CandidateRetriever(self.pipeline.store, self.pipeline.searcher, self.space, self.at)

    # -- with goals --------------------------------------------------------------------------------------------------

    def answer(self, question: str) -> ChatAnswer:
        """Answer by the first goal that is proved; otherwise say why none is.

        Questions that rules decide need no model. For others the order is: the goals by facts; refinements of what stays open; an answer
        read out of the facts for the question as it stands, which may fit only the topic; a walk over the imported graph.
        """
        self.listener(Event("question", question))
        inquiry = self.pipeline.inquiry(question, self.space, self.at, self.listener, asker=self.asker)
        proofs = self._without_model(
            inquiry, [g for g in inquiry.goals if not quotes_the_question(g)] if inquiry.rule_goal else []
        )
        ruled = next((p for p in proofs if p.status != "unknown" or inquiry.alone), None)
        if ruled is not None and (inquiry.alone or rests_on(ruled, RULES)):
            return ChatAnswer(ruled)
        answered = self._answer(question, inquiry)
        if answered.proof.status != "unknown":
            return answered
        walked = self._without_model(inquiry, [g for g in inquiry.goals if is_walk_goal(g)])
        return next((ChatAnswer(p) for p in walked if p.status != "unknown"), answered)

    def _without_model(self, inquiry: QuestionInquiry, goals: Sequence[Goal]) -> Iterator[Proof]:
        """Yield the proofs that sources without a model find for the goals, one by one."""
        path, budget = self.pipeline.path(inquiry, self.space, self.at, self.listener), self.pipeline.budget()
        sources = [s for s in inquiry.sources if not s.cost]
        return (path.proved(goal, sources, budget) for goal in goals)

    def _answer(self, question: str, inquiry: QuestionInquiry) -> ChatAnswer:
        if not self.pipeline.settings.chat_reads:
            return ChatAnswer(self._proved_locally(question, inquiry))
        plan = self._plan(question, inquiry)
        failed: list[tuple[Goal, Proof]] = []
        for refining in (False, True):
            if refining and not self._budget.allows(model_calls=REFINING):
                break
            for goal, outcome in self._attempts(inquiry, plan, refining=refining):
                proof = self._built(inquiry, goal, outcome, plan.judge)
                if proof.status != "unknown":
                    return self._sure(inquiry, self._worded(inquiry, proof, goal, outcome, plan.judge))
                failed.append((goal, proof))
        if (read := self._read(question, inquiry, plan)) is not None:
            return self._sure(inquiry, ChatAnswer(read))
        if self._reasoner.gone or self._reasoner.failed or not failed:
            local = self.pipeline.proof(
                question, space=self.space, at=self.at, listener=self.listener, asker=self.asker
            )
            if local.status != "unknown" or not failed:
                return ChatAnswer(local)
        return ChatAnswer(nearest_failure(failed, inquiry.has_turns))

    def _sure(self, inquiry: QuestionInquiry, found: ChatAnswer) -> ChatAnswer:
        """The answer with a proof that needs no model, if one is certain of the same answer."""
        if found.proof.status != "likely":
            return found
        proofs = self._without_model(inquiry, [g for g in inquiry.goals if not quotes_the_question(g)])
        same = (p for p in proofs if p.status in ("proved", "disproved") and p.answer == found.proof.answer)
        return replace(found, proof=next(same, found.proof))

    def _proved_locally(self, question: str, inquiry: QuestionInquiry) -> Proof:
        """The proof that code finds for the model's goals, then for its own. Both also see the turns that the model's queries find."""
        found = goals_of_kind(self._reasoner.decompose(question) or Decomposition(), inquiry.goals)
        ranking = self._ranking(question, inquiry, found)
        if inquiry.passages is not None:
            inquiry = inquiry.reading(replace(inquiry.passages, ranked=lambda k: ranking.ranked(k, None)))
        budget = self.pipeline.budget()
        path = self.pipeline.path(inquiry, self.space, self.at, self.listener)
        loose: list[Proof] = []
        failed: list[tuple[Goal, Proof]] = []
        for offered in dict.fromkeys((*found.goals, *inquiry.goals)):
            judge = self.model.name if offered in found.goals and offered not in inquiry.goals else ""
            proof = path.proved(offered, inquiry.sources, budget, judge=judge)
            if proof.status != "unknown" and not is_loose(offered, proof):
                return proof
            if proof.status == "unknown":
                failed.append((offered, proof))
            else:
                loose.append(proof)
        return loose[0] if loose else nearest_failure(failed, inquiry.has_turns)

    def _ranking(self, question: str, inquiry: QuestionInquiry, found: Decomposition) -> QueryRanking:
        """Rank turns by the question, by its goals as the model and the code read it, and by the model's queries."""
        goals = (*found.goals, *inquiry.ranking.goals)
        return QueryRanking(GoalRanking(inquiry.memory, question, goals), found.queries)

    def _plan(self, question: str, inquiry: QuestionInquiry) -> ChatPlan:
        """Split the question into goals, and rank the turns for them."""
        found = goals_of_kind(self._reasoner.decompose(question) or Decomposition(), inquiry.goals)
        judge = self.model.name if found.goals else ""
        # The model reads the question as it stands; it is not proved as a goal.
        own = tuple(g for g in inquiry.goals if not quotes_the_question(g))
        goals = found.goals or (() if self._reasoner.gone else own)
        ranking = self._ranking(question, inquiry, found)
        turns = [r.turn for r in ranking.ranked(RANKED, inquiry.passages)]
        self._retriever.take(question, turns)
        unifier = Unifier(self._reasoner, inquiry.memory, question, self.pipeline.settings.chat_orders)
        local = [s for s in inquiry.sources if not s.cost]
        source = ChatSource(unifier, self._retriever, local, self.assume, evidence=self._evidence)
        return ChatPlan(goals, judge, ranking, source)

    def _attempts(
        self, inquiry: QuestionInquiry, plan: ChatPlan, *, refining: bool
    ) -> Iterator[tuple[Goal, SearchOutcome]]:
        """Yield each goal with the outcome of its search; the next goal is searched only if this one failed."""
        plan.source.refining = refining
        path = self.pipeline.path(inquiry, self.space, self.at, self.listener)
        for offered in plan.goals if not (refining and self._reasoner.gone) else ():
            yield offered, path.outcome(offered, [plan.source], self._budget)

    def _built(
        self, inquiry: QuestionInquiry, goal: Goal, outcome: SearchOutcome, judge: str, reason: str = ""
    ) -> Proof:
        """Build the proof of an outcome, record it and check it. An answer that fails the check is withheld."""
        path = self.pipeline.path(inquiry, self.space, self.at, self.listener)
        return path.proof(goal, outcome, judge=judge, reason=reason or None)

    def _worded(
        self, inquiry: QuestionInquiry, proof: Proof, goal: Goal, outcome: SearchOutcome, judge: str
    ) -> ChatAnswer:
        """Let the model word the proved answer. A wording that says anything else is withheld."""
        if not self.pipeline.settings.chat_wording or not any(n.judge for _, n in _walk(proof)):
            return ChatAnswer(proof)
        turns = list(dict.fromkeys(e.turn for e in proof.evidence()))
        facts = _cited(proof)
        ungrounded: list[str] = []

        def checked(reply: AnswerReply) -> AnswerWording:
            said = checked_wording(reply, proof, facts)
            if isinstance(said, str):
                ungrounded.append(said)
                raise RejectedError(said)
            return said

        values = [v.text for v in proof.values] or [proof.answer]
        said = self._reasoner.answer(proof.question, values, facts, checked, turns)
        if said is None and ungrounded:
            return ChatAnswer(self._built(inquiry, goal, outcome, judge, f"{UNGROUNDED}: {ungrounded[-1]}."))
        return ChatAnswer(proof, said.short, said.full) if said is not None else ChatAnswer(proof)

    # -- without -----------------------------------------------------------------------------------------------------

    def read(self, question: str) -> ChatAnswer:
        """Answer in one call: the model reads the turns that the question's own words find. Serves as a baseline."""
        if not self.pipeline.settings.chat_reads:
            proof = self.pipeline.proof(
                question, space=self.space, at=self.at, goals=False, listener=self.listener, asker=self.asker
            )
            return ChatAnswer(proof)
        self.listener(Event("question", question))
        inquiry = self.pipeline.inquiry(question, self.space, self.at, self.listener, asker=self.asker)
        unifier = Unifier(self._reasoner, inquiry.memory, question)
        goal, outcome = self._outcome(question, inquiry, ChatReading(unifier, asks_whether(inquiry.goals)))
        if outcome.status == "unknown" and (self._reasoner.gone or self._reasoner.failed):
            local = self.pipeline.proof(
                question, space=self.space, at=self.at, goals=False, listener=self.listener, asker=self.asker
            )
            if local.status != "unknown":
                return ChatAnswer(local)
        return ChatAnswer(self._built(inquiry, goal, outcome, self.model.name))

    def _read(self, question: str, inquiry: QuestionInquiry, plan: ChatPlan) -> Proof | None:
        """The proof of an answer that the model reads out of the turns found for the goals; None if no such answer holds."""
        if self._reasoner.gone:
            return None
        goal, outcome = self._outcome(question, inquiry, ChatReading(plan.source.unifier, asks_whether(inquiry.goals)))
        proof = self._built(inquiry, goal, outcome, self.model.name) if outcome.status != "unknown" else None
        return proof if proof is not None and proof.status != "unknown" else None

    def _outcome(self, question: str, inquiry: QuestionInquiry, reading: ChatReading) -> tuple[Goal, SearchOutcome]:
        """Let the model read the turns ranked for the question, and return the goal with its outcome."""
        candidates = self._retriever.find([CandidateQuery(question)], self._evidence)
        turns = tuple(c.turn.id for c in candidates)
        self.listener(Event("retrieval", question, {"turns": len(turns), "best": turns[:BEST], "subgoals": ()}))
        local = next((g.answer for g in inquiry.goals if g.answer is not None), None)
        variable = Variable("x", local.type if local is not None else "thing")
        steps = reading.steps(variable, candidates)
        goal = goal_read(question, variable, steps)
        return goal, prove(goal, [FixedSource(steps)], self._budget, listener=self.listener)

    # -- ranking -----------------------------------------------------------------------------------------------------

    def ranked(self, question: str, k: int) -> list[RankedTurn]:
        """Rank the `k` most useful turns, by the question's goals and by the model's queries. Costs one call."""
        inquiry = self.pipeline.inquiry(question, self.space, self.at, self.listener, asker=self.asker)
        return self._plan(question, inquiry).ranking.ranked(k, inquiry.passages)


def chat_pipeline(
    pipeline: AnswerPipeline,
    model: ChatModel,
    replies: ReplyStore | None,
    space: str,
    at: datetime,
    assume: bool = True,
    listener: Listener = silent,
    asker: str = ASKER,
) -> ChatPipeline:
    """Return a pipeline for one question. The model's replies are stored in `replies` if it is given."""
    return ChatPipeline(
        pipeline, limited_model(model, pipeline.settings, replies, space), space, at, assume, listener, asker
    )


@dataclass(frozen=True)
class ChatPlan:
    """A question split into goals by a model."""

    goals: tuple[Goal, ...]
    """Tried in order: the model's goals, otherwise the local ones; none if the model is not available."""
    judge: str
    """Name of the model that read the question as these goals; empty if code did."""
    ranking: QueryRanking
    source: ChatSource


@dataclass(frozen=True)
class FixedSource:
    """A source that returns the given steps."""

    given: Sequence[Step]
    name: str = "memory"
    closed: bool = False
    cost: int = 0

    def steps(self, _request: Request, /) -> Sequence[Step]:
        """Return the given steps."""
        return self.given

    def near_misses(self, _request: Request, /) -> Sequence[NearMiss]:
        """Say that the chat model found no answer."""
        return (NearMiss("never-said", "the chat model reads no answer in what was found", None, 0.0),)


def asks_whether(readings: Sequence[Goal]) -> bool | None:
    """True if the answer is yes or no, False if it is a value, as the local reasoner reads the question; None if its readings differ."""
    understood = [g for g in readings if g != not_understood(g.question)]
    kinds = {g.aggregate is Aggregate.WHETHER for g in understood if g.answer or g.aggregate is Aggregate.WHETHER}
    return kinds.pop() if len(kinds) == 1 else None


def goals_of_kind(found: Decomposition, readings: Sequence[Goal]) -> Decomposition:
    """Drop the model's goals that ask for a value if the question is a yes/no question, and the other way round."""
    whether = asks_whether(readings)
    if whether is None:
        return found
    goals = tuple(g for g in found.goals if (g.answer is None if whether else g.aggregate is not Aggregate.WHETHER))
    return replace(found, goals=goals)


def _cited(proof: Proof) -> list[PromptFact]:
    """The quotes that a proof cites, as the model sees them, in the order in which they were said."""
    evidence = sorted(proof.evidence(), key=lambda e: (e.order, e.start))
    return [PromptFact(n, datetime.fromisoformat(e.said), e.speaker, e.quote) for n, e in enumerate(evidence, 1)]


def _walk(proof: Proof) -> list[tuple[str, Node]]:
    return list(proof.root.walk()) if proof.root is not None else []


# -- a proved answer in a model's words, checked ---------------------------------------------------------------------

LONGEST = 600
"""Characters of an answer's wording."""
UNKNOWN = re.compile(
    r"\b(?:i don['’]?t know|unknown|not (?:known|mentioned|stated|specified|answered)|no answer)\b", re.IGNORECASE
)
TOKEN = re.compile(r"\d(?:[\d.,]*\d)?|[^\W\d_]+(?:['’][^\W_]+)*|[^\w\s,;]")
"""A number, a word or a sign. A short wording must have the same tokens as the answer."""
JOINING = frozenset({"a", "an", "the", "and"})
"""Words that do not change a short answer."""
EMPTY = frozenset(
    "a an the of to in on at for by with from and is are was were be been being has have had do does did it its he "
    "she they his her their them him that this these those there as yes who whom which what when where".split()
)
"""Words that a sentence may add to the facts. None of them negates, narrows, joins by `or` or orders in time."""


@dataclass(frozen=True, slots=True)
class AnswerWording:
    """A wording that passed the checks."""

    short: str
    """Empty if it differs from the proof's own wording in more than small words; the answer is then the proof's wording."""
    full: str


def checked_wording(reply: AnswerReply, proof: Proof, facts: Sequence[PromptFact]) -> AnswerWording | str:
    """Return the wording, without a full sentence that fails its checks. If the short answer says something unproved, return that problem."""
    short, full = reply.short.strip()[:LONGEST], reply.full.strip()[:LONGEST]
    if UNKNOWN.search(short) or not short:
        return "it says that the facts do not answer the question"
    if proof.answer in ("Yes", "No"):
        first = (WORD.findall(short) or [""])[0].casefold()
        if first != proof.answer.casefold():
            return f"{short!r} is not {proof.answer!r}"
        return AnswerWording(proof.answer, _full(full, proof, facts))
    given = _content(" ".join([proof.answer, *(v.text for v in proof.values), proof.question]))
    if new := [w for w in WORD.findall(short) if _content(w) - given]:
        return f"{new[0]!r} stands in no value"
    same = _tokens(short) == _tokens(proof.answer)
    return AnswerWording(short.rstrip(". ") if same else "", _full(full, proof, facts))


def _full(full: str, proof: Proof, facts: Sequence[PromptFact]) -> str:
    """Return the sentence; return nothing if it adds content, omits the answer, or negates what is not negated."""
    said = _content(full)
    given = " ".join([proof.question, *(f"{f.speaker} {f.words} {f.day.day} {f.day:%B %Y}" for f in facts)])
    answer = _content(" ".join([proof.answer, *(v.text for v in proof.values)]))
    denied = proof.answer == "No" or _denies(f"{proof.question} {proof.answer}")
    known = answer | _content(given) | _content(" ".join(NEGATIVES_QUOTED))
    return full if answer - {"yes", "no"} <= said <= known and said and _denies(full) == denied else ""


def _denies(text: str) -> bool:
    """True if the text contains a negation."""
    words = {w.casefold().replace("’", "'") for w in WORD.findall(text)}
    return bool(words & NEGATIVES_QUOTED) or any(w.endswith("n't") for w in words)


def _tokens(text: str) -> list[str]:
    """The tokens that give a short answer its meaning, in order."""
    return [t for t in map(str.casefold, TOKEN.findall(text.strip(" ."))) if t not in JOINING]


def _content(text: str) -> frozenset[str]:
    words = (w.casefold().replace("’", "'").removesuffix("'s") for w in WORD.findall(text))
    return frozenset(stem(w) for w in words if w not in EMPTY)

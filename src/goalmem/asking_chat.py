"""Asking with a chat model: its goals, its reading of the facts, its wording, each checked, over the same engine and proof.

Where the model gives nothing that can be used, the local reasoner takes the step; where it is not to be had, the whole
question.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from goalmem.answer import Estimate
from goalmem.connecting import prices_of
from goalmem.logic.proof import Node, Proof
from goalmem.logic.syntax import canonical
from goalmem.logic.terms import Aggregate, Atom, Goal, Variable
from goalmem.models.chat import ChatLimits, ChatModel, Metered
from goalmem.models.chat_cache import Cached
from goalmem.prove.budget import Budget
from goalmem.prove.engine import prove
from goalmem.prove.events import Event, Listener, silent
from goalmem.prove.outcome import Outcome
from goalmem.prove.step import NearMiss, Request, Step
from goalmem.reasoners.chat import ChatReasoner, longest_call
from goalmem.reasoners.chat_prompts import Shown
from goalmem.reasoners.chat_replies import Answered, Read, RejectedError
from goalmem.reasoners.chat_wording import Worded, worded
from goalmem.retrieve.search import Ranked
from goalmem.sources.candidates import EVIDENCE, Candidate, Retriever, Wanted
from goalmem.sources.grounding import Grounding
from goalmem.sources.judged import BEST, ChatSource
from goalmem.sources.unifying import Unifier, shown
from goalmem.tracing import TracedChat

if TYPE_CHECKING:
    from goalmem.asking import Asking, Inquiry
    from goalmem.settings import Settings
    from goalmem.sources.judgements import Ledger

__all__ = ["ChatAnswer", "ChatAsking", "estimate", "metered"]

READ = 0.9
"""What an answer is worth that a model reads out of facts."""
RANK_OFFSET = 60
"""Of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009)."""
USUAL = ("decompose", "unify", "refine", "unify", "answer")
"""The calls of a question that one refinement solves."""
A_FACT = 160
"""Characters of a fact as it is shown, on average: of messages between people."""
YES_NO = {"yes": True, "no": False}
UNGROUNDED = "The chat model's wording says what no cited fact says"


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """A proof, and how the chat model words what it proves."""

    proof: Proof
    short: str = ""
    """Empty: as the proof has it."""
    full: str = ""


@dataclass
class ChatAsking:
    """Answers one question with a chat model."""

    asking: Asking
    model: Metered
    """Counted and limited: what it refuses is done without it."""
    space: str
    at: datetime
    assume: bool = True
    listener: Listener = silent

    def __post_init__(self) -> None:
        limits = self.asking.settings
        budget = Budget(
            limits.chat_seconds,
            limits.ask_calls,
            limits.ask_tokens,
            depth=limits.ask_depth,
            breadth=limits.ask_breadth,
        )
        budget.start()
        self._budget = budget
        self._reasoner = ChatReasoner(self.model, budget, self.listener, self.at)
        self._retriever = Retriever(self.asking.store, self.asking.searcher, self.space, self.at)

    # -- with goals --------------------------------------------------------------------------------------------------

    def answer(self, question: str) -> ChatAnswer:
        """The answer by the first goal that is proved; else why none is."""
        inquiry = self.asking.inquiry(question, self.space, self.at, self.listener)
        self.listener(Event("question", question))
        failed: list[Proof] = []
        for goal, outcome, judge in self._attempts(question, inquiry):
            proof = self._built(inquiry, goal, outcome, judge)
            if proof.status != "unknown":
                return self._worded(inquiry, proof, goal, outcome, judge)
            failed.append(proof)
        if self._reasoner.gone or self._reasoner.failed:
            local = self.asking.proof(question, space=self.space, at=self.at, listener=self.listener)
            if local.status != "unknown" or not failed:
                return ChatAnswer(local)
        return ChatAnswer(max(failed, key=_closeness))

    def _attempts(self, question: str, inquiry: Inquiry) -> Iterator[tuple[Goal, Outcome, str]]:
        """Each goal with what searching for it came to, lazily: the next one only if this one failed."""
        from goalmem.asking import goal_event, settled

        goals = self._reasoner.goals(question)
        judge = self.model.name if goals else ""
        if goals is None and self._reasoner.gone:
            return
        unifier = Unifier(self._reasoner, inquiry.memory, question, self.asking.settings.chat_orders)
        source = ChatSource(unifier, self._retriever, inquiry.sources, self.assume)
        for offered in goals or inquiry.goals:
            self.listener(goal_event(offered))
            goal, outcome = settled(offered, lambda g: prove(g, [source], self._budget, listener=self.listener))
            yield goal, outcome, judge

    def _built(self, inquiry: Inquiry, goal: Goal, outcome: Outcome, judge: str, reason: str = "") -> Proof:
        """The proof of an outcome, put on record and checked; without what does not hold."""
        return self.asking.built(
            goal, outcome, goal.question, self.space, self.at, inquiry.checker, judge=judge, reason=reason or None
        )

    def _worded(self, inquiry: Inquiry, proof: Proof, goal: Goal, outcome: Outcome, judge: str) -> ChatAnswer:
        """The proved answer in the model's words, which must say nothing else; else withheld."""
        if not any(n.judge for _, n in _walk(proof)):
            return ChatAnswer(proof)
        turns = list(dict.fromkeys(e.turn for e in proof.evidence()))
        facts = _cited(proof)
        ungrounded: list[str] = []

        def checked(reply: Answered) -> Worded:
            said = worded(reply, proof, facts)
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
        """The answer that the model reads out of what the question's own words find, in one call (to measure against)."""
        self.listener(Event("question", question))
        candidates = self._retriever.find([Wanted(question)], EVIDENCE)
        turns = tuple(c.turn.id for c in candidates)
        self.listener(Event("retrieval", question, {"turns": len(turns), "best": turns[:BEST], "subgoals": ()}))
        inquiry = self.asking.inquiry(question, self.space, self.at, self.listener)
        local = inquiry.goals[0]
        variable = Variable("x", local.answer.type if local.answer is not None else "thing")
        steps: list[Step] = []

        def checked(reply: Read) -> list[Step]:
            return self._read_steps(reply, candidates, variable, Grounding(inquiry.memory.wording))

        if candidates:
            steps = self._reasoner.read(question, shown(candidates), checked, turns) or []
        if not steps and (self._reasoner.gone or self._reasoner.failed):
            local_proof = self.asking.proof(question, space=self.space, at=self.at, goals=False, listener=self.listener)
            if local_proof.status != "unknown":
                return ChatAnswer(local_proof)
        goal = _goal_read(question, variable, steps)
        outcome = prove(goal, [Once(steps)], self._budget, listener=self.listener)
        return ChatAnswer(self._built(inquiry, goal, outcome, self.model.name))

    def _read_steps(
        self, reply: Read, candidates: Sequence[Candidate], variable: Variable, grounding: Grounding
    ) -> list[Step]:
        """A step for each value that stands in a cited fact. Raises RejectedError when there are values and none does."""
        numbered = dict(enumerate(candidates, 1))
        cited = [numbered[n] for n in reply.facts if n in numbered]
        said = [v.strip(" .") for v in reply.values if v.strip(" .") and v.strip(" .").casefold() != "i don't know"]
        if said and not cited:
            raise RejectedError("facts names no fact that was given")
        if len(said) == 1 and said[0].casefold() in YES_NO:
            step = Step("memory", "fact", READ, evidence=cited[0].evidence, judge=self.model.name)
            return [replace(step, negated=not YES_NO[said[0].casefold()])]
        steps, problems = [], []
        for value in said:
            found = [grounding.binding(variable, value, c) for c in cited]
            held = next(((b, c) for b, c in zip(found, cited, strict=True) if not isinstance(b, str)), None)
            if held is None:
                problems.append(f"{value!r} stands in no fact that is named")
                continue
            evidence = held[1].evidence
            steps.append(Step("memory", "fact", READ, (held[0],), evidence=evidence, judge=self.model.name))
        if problems and not steps:
            raise RejectedError("; ".join(problems[:2]))
        return steps

    # -- ranking -----------------------------------------------------------------------------------------------------

    def ranked(self, question: str, k: int) -> list[Ranked]:
        """The `k` turns that reasoning towards the question ranks first: those that a step of it rests on, then those
        that its searches rank high, put together by reciprocal rank.
        """
        inquiry = self.asking.inquiry(question, self.space, self.at, self.listener)
        first: list[str] = []
        for goal, outcome, judge in self._attempts(question, inquiry):
            proof = self._built(inquiry, goal, outcome, judge)
            first += [e.turn for e in proof.evidence()]
            if proof.status != "unknown":
                break
        scores: dict[str, float] = {}
        for ranking in self._retriever.rankings or [self._retriever.ranked(Wanted(question))]:
            for place, turn in enumerate(ranking, 1):
                scores[turn] = scores.get(turn, 0.0) + 1 / (RANK_OFFSET + place)
        for turn in dict.fromkeys(first):
            scores[turn] = scores.get(turn, 0.0) + 1.0
        best = sorted(scores, key=lambda turn: (-scores[turn], turn))[:k]
        return [Ranked(turn, round(scores[turn], 6)) for turn in best]


@dataclass(frozen=True)
class Once:
    """A source of given steps."""

    given: Sequence[Step]
    name: str = "memory"
    closed: bool = False

    def steps(self, _request: Request, /) -> Sequence[Step]:
        """The steps."""
        return self.given

    def near_misses(self, _request: Request, /) -> Sequence[NearMiss]:
        """Why there are none."""
        return (NearMiss("never-said", "the chat model reads no answer in what was found", None, 0.0),)


def metered(model: ChatModel, settings: Settings, replies: Ledger | None, space: str) -> Metered:
    """A chat model for one question: traced, its replies kept where `replies` is given, counted and limited."""
    traced: ChatModel = TracedChat(model)
    if replies is not None:
        get = partial(replies.cached_reply, space)
        traced = Cached(traced, get, partial(replies.keep_reply, space))
    limits = ChatLimits(settings.ask_calls, settings.ask_tokens, settings.chat_seconds)
    return Metered(traced, limits=limits, prices=prices_of(settings))


def estimate(question: str, settings: Settings, *, by_chat: bool = True, goals: bool = True) -> Estimate:
    """What a question may cost, from the prompts and the settings alone."""
    prices = prices_of(settings)
    tasks = USUAL if goals else ("read",)
    prompts = replies = 0
    for task in tasks if by_chat else ():
        shown_facts = {"decompose": 0, "answer": 3, "refine": 3}.get(task, EVIDENCE)
        asked, answered = longest_call(task, len(question) + shown_facts * A_FACT)
        prompts, replies = prompts + asked, replies + answered
    calls = min(settings.ask_calls, len(tasks)) if by_chat else 0
    most_calls = (settings.ask_calls if goals else 2) if by_chat else 0
    tokens, most = prompts + replies, settings.ask_tokens if by_chat else 0
    money = prices.of(prompts, replies) if prices is not None else None
    dearest = max(prices.of(most, 0), prices.of(0, most)) if prices is not None else None
    return Estimate(calls, min(tokens, most), most_calls, most, money, dearest)


def _goal_read(question: str, variable: Variable, steps: Sequence[Step]) -> Goal:
    """The question itself as a goal."""
    if steps and not steps[0].bindings:
        return Goal(question, (canonical(Atom((f"the answer to “{question}” is yes",))),), None, Aggregate.WHETHER)
    atom = canonical(Atom((f"“{question}” is answered by ", variable)))
    return Goal(question, (atom,), variable, Aggregate.LIST if len(steps) > 1 else Aggregate.ONE)


def _cited(proof: Proof) -> list[Shown]:
    """What a proof cites, as a model sees it, in the order in which it was said."""
    evidence = sorted(proof.evidence(), key=lambda e: (e.said, e.turn, e.start))
    return [Shown(n, datetime.fromisoformat(e.said), e.speaker, e.quote) for n, e in enumerate(evidence, 1)]


def _walk(proof: Proof) -> list[tuple[str, Node]]:
    return list(proof.root.walk()) if proof.root is not None else []


def _closeness(proof: Proof) -> tuple[int, float]:
    return (-len(proof.missing), proof.root.score if proof.root else 0.0)

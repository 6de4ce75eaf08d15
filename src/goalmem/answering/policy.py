"""Rules for turning an outcome into an answer: which values to list, and what is too loose or too uncertain to return."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from goalmem.answering.joint import joint_solutions
from goalmem.answering.multiplicity import Multiplicity, happens_once, multiplicity
from goalmem.engine.outcome import SearchOutcome, Solution
from goalmem.engine.search import CONFLICT_MARGIN
from goalmem.engine.step import Step
from goalmem.logic.evaluate import RECKONED, pair_of
from goalmem.logic.syntax import canonical
from goalmem.logic.terms import Aggregate, Goal
from goalmem.proof.document import Proof, all_nodes
from goalmem.proof.status import (
    PASSAGES,
    PROVED,
    calibrated,
    kind_of,
    kind_of_solution,
    required_confidence,
)
from goalmem.questions.states import is_of_state
from goalmem.questions.wh import EITHER
from goalmem.questions.whole_question import RECALLED, TIMED, is_of_passages, is_walk, quotes_question, walk_question
from goalmem.sources.certainty.doubts import DOUBTFUL
from goalmem.sources.facts.source import OF_ANOTHER_TIME
from goalmem.sources.graph.walks import OWN

MOST_LISTED = 6
"""Most activities listed. If facts list more, the question was not understood."""
WEAK = "The best proof is too weak"
TOO_WEAK = WEAK + " ({:.2f}; at least {:.2f} is asked for)."
SURE = 0.75
"""A fact with a lower score gives way to what is read from passages: on LoCoMo's development half such facts have an F1 of .2."""
UNSETTLED = frozenset({"superseded", "not-asserted"})
"""Stages at which facts fit a goal and still do not answer."""
SAME_WORDS = "The same words are read as the time or amount of both, which tells neither from the other."


@dataclass(frozen=True, slots=True)
class AnswerPolicy:
    """The policy for answers from a memory."""

    least: float = 0.0
    """An answer with less confidence is withheld."""

    def resolve_conflict(self, goal: Goal, outcome: SearchOutcome) -> SearchOutcome:
        """Choose one answer if the goal asks for one."""
        return resolve_conflict(goal, outcome)

    def withholding_reason(self, goal: Goal, outcome: SearchOutcome) -> str | None:
        """Why the answer should be withheld; None if it should not."""
        return withholding_reason(goal, outcome, self.least)


def is_read_out(goal: Goal) -> bool:
    """True if the goal's answer is read out of passages."""
    return any(map(is_of_passages, goal.atoms))


def is_walk_goal(goal: Goal) -> bool:
    """True if the goal's answer is found by a walk over a graph."""
    return any(map(is_walk, goal.atoms))


def quotes_the_question(goal: Goal) -> bool:
    """True if a goal quotes the whole question, so that it is answered by reading or walking and not proved in parts."""
    return any(map(quotes_question, goal.atoms))


def rests_on(proof: Proof, source: str) -> bool:
    """True if a step of an answer comes from the source."""
    return proof.root is not None and any(n.source == source for n in all_nodes(proof.root, proof.lemmas))


def resolve_conflict(goal: Goal, outcome: SearchOutcome) -> SearchOutcome:
    """Choose one answer if the goal asks for one (design.md, What an answer may be called).

    Different values with equal support stay in conflict if there can be only one value, unless it may have changed since; otherwise
    (`What am I allergic to?`) all are given that hold together, or the latest.
    """
    values = multiplicity(goal)
    if not outcome.conflict or goal.aggregate is not Aggregate.ONE or values is Multiplicity.ONE:
        return outcome
    newest = max(outcome.solutions, key=lambda s: (newest_said(s), s.score, -first_said(s)))
    at_once = sum(newest_said(s) == newest_said(newest) for s in outcome.solutions)
    if values is Multiplicity.ONE_AT_A_TIME and at_once > 1:
        return outcome
    joint = joint_solutions(goal, newest, outcome.solutions)
    others = tuple(s for s in outcome.solutions if s not in joint)
    return replace(outcome, solutions=(*joint, *others), conflict=False, joint=len(joint))


def newest_said(solution: Solution) -> tuple[str, str, int]:
    """When the newest words that a solution rests on were said (`Evidence.order`)."""
    told = (e.order for n in solution.nodes if n.step is not None for e in n.step.evidence)
    return max(told, default=("", "", 0))


def first_said(solution: Solution) -> int:
    """Where the words of a solution's values begin in their turns."""
    spans = [b.span for b in solution.substitution.bindings if b.span]
    cited = [e for n in solution.nodes if n.step is not None for e in n.step.evidence]
    return min((e.start + e.quote.find(s) for e in cited for s in spans if s in e.quote), default=0)


def is_needless(
    offered: Goal,
    loose: Iterable[Proof],
    read: Proof | None,
    likely: Proof | None,
    failed: Iterable[tuple[Goal, Proof]],
) -> bool:
    """True for a goal that cannot answer better: the whole question after what facts say or what was read in parts, and what is partly read,
    or reckoned with, where facts speak of all parts and leave it open.
    """
    if not is_read_out(offered):
        return any(map(is_doubted, loose))
    if likely is not None or (read is not None and len(read.goal.atoms) > 1):
        return True
    facts = [proof for goal, proof in failed if goal.aggregate is offered.aggregate and not is_read_out(goal)]
    if (offered.aggregate in TIMED or happens_once(offered)) and any(map(is_in_conflict, facts)):
        return True
    partly = offered.aggregate in RECKONED or not all(map(is_of_passages, offered.atoms))
    return partly and any(is_in_conflict(proof) or is_told_of(proof, offered) for proof in facts)


def outdoes_reading(offered: Goal) -> bool:
    """True for a goal whose answer counts more than what was read before: one that is read as a whole, or reckoned from facts."""
    return is_read_out(offered) or offered.aggregate in RECKONED


def is_in_conflict(proof: Proof) -> bool:
    """True if what facts say leaves a question open: two times of one event, or times whose order is not known."""
    return any(m.stage == "conflict" and WEAK not in m.reason for m in proof.missing)


def is_told_of(proof: Proof, offered: Goal) -> bool:
    """True if facts say what a goal would read, but were replaced, are of another time, or are not stated as so."""
    stated = set(map(canonical, offered.atoms))
    return any(m.atom not in stated and (m.stage in UNSETTLED or m.reason == OF_ANOTHER_TIME) for m in proof.missing)


def is_loose(goal: Goal, proof: Proof) -> bool:
    """True if facts fit so loosely that reading may find better: if all values are wanted, or if a single fact fits badly. A walk over the
    space's own edges gives way to any earlier answer.
    """
    if is_walk_goal(goal):
        return any(of[1] in (OWN, RECALLED) for atom in goal.atoms if (of := walk_question(atom)) is not None)
    if goal.answer is None or kind_of(proof) != PROVED:
        return goal.aggregate is Aggregate.WHETHER and not quotes_the_question(goal) and is_doubted(proof)
    listed = goal.aggregate is Aggregate.LIST and not goal.answer.type.startswith(EITHER)
    return listed or (goal.aggregate in (Aggregate.ONE, Aggregate.LIST) and fits_badly(proof))


def fits_badly(proof: Proof) -> bool:
    """True if the answer rests on a single fact with a low score. Answers combined from facts and rules cannot be read anywhere."""
    steps = [node for _, node in proof.root.walk()] if proof.root is not None else []
    facts = [node for node in steps if node.kind == "fact"]
    direct = all(node.kind in ("aggregate", "conjunction", "fact") for node in steps)
    return direct and len(facts) == 1 and facts[0].weight < SURE


def is_doubted(proof: Proof) -> bool:
    """True if an answer rests on a fact that something contradicts; only reading finds better."""
    nodes = [node for _, node in proof.root.walk()] if proof.root is not None else []
    return any(node.kind == "fact" and node.source != PASSAGES and node.weight == DOUBTFUL for node in nodes)


def is_anything(proof: Proof) -> bool:
    """True if facts list nearly everything that somebody did: every clause tells of an activity, so the question selected nothing."""
    wanted = proof.goal.answer
    return wanted is not None and wanted.type == "activity" and len(proof.values) > MOST_LISTED


def withholding_reason(goal: Goal, outcome: SearchOutcome, least: float) -> str | None:
    """Why an answer should be withheld: competing values for a single one, or too little confidence."""
    if outcome.conflict and outcome.status == "proved" and goal.aggregate in (Aggregate.ONE, Aggregate.EACH):
        return "Different answers are equally well supported, and nothing said settles which holds."
    if outcome.solutions:
        best = outcome.solutions[0]
        if goal.aggregate in (*TIMED, *RECKONED) and read_alike(best):
            return SAME_WORDS
        if goal.aggregate is Aggregate.DURATION and happened_twice(goal, outcome.solutions):
            return (
                "An event that the question measures from or to was told of two times, and nothing says which is meant."
            )
        confidence = calibrated(best.score, kind_of_solution(best))
        if confidence < required_confidence(goal.aggregate, least):
            weak = TOO_WEAK.format(confidence, least)
            return weak if (step := best.doubted_step) is None else f"{doubt_text(step)} {weak}"
    return None


def happened_twice(goal: Goal, solutions: Sequence[Solution]) -> bool:
    """True if one of two events that a duration is measured between has two different times with equally good proofs."""
    pair = pair_of(goal)
    if pair is None or not pair[1]:
        return False
    best = solutions[0]
    rivals = [s.substitution for s in solutions if s.score >= best.score * (1 - CONFLICT_MARGIN)]
    for name in pair:
        times = [s[name].interval for s in rivals if name in s]
        if any(a is not None and b is not None and not a.overlaps(b) for a, b in combinations(times, 2)):
            return True
    return False


def doubt_text(step: Step) -> str:
    """Say what was read and how strongly the judge doubts it."""
    read = next((b.span or b.value.text for b in step.bindings), "") or "it"
    judged = step.judge_record
    assert judged is not None
    return (
        f"“{read}” was read, but {judged.judge} finds it said there with a probability of {judged.certainty:.2f} only."
    )


def read_alike(solution: Solution) -> bool:
    """True if the times or amounts of two events were read out of the same words, or one was read out of words that state the other."""
    steps = [n.step for n in solution.nodes if n.step is not None]
    return any(PASSAGES in (a.source, b.source) and _places(a) & _places(b) for a, b in combinations(steps, 2))


def _places(step: Step) -> frozenset[tuple[str, int]]:
    """Where the words of a step's values begin, each with its turn."""
    return frozenset(
        (e.turn, e.start + e.quote.find(b.span))
        for e in step.evidence
        for b in step.bindings
        if b.span and b.span in e.quote
    )


def nearest_failure(failed: Sequence[tuple[Goal, Proof]], told: bool) -> Proof:
    """The failed proof that came nearest. If the space has only a graph, a failed walk is most informative; if it contains turns, the other
    goals are. That nothing of the kind was changed tells only something where nothing else was asked.
    """
    walked = [proof for goal, proof in failed if is_walk_goal(goal)]
    read = [proof for goal, proof in failed if not is_walk_goal(goal)]
    said = [proof for proof in read if not is_of_state(proof.goal.atoms[0])]
    return max((said or read if told else walked) or read or walked, key=closeness)


def closeness(proof: Proof) -> tuple[int, float]:
    """Sort key: how near a failed proof came."""
    return (-len(proof.missing), proof.root.score if proof.root else 0.0)

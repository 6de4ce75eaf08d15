"""Check a proof without the engine that made it. Nothing in the document is trusted.

What can be recomputed is recomputed: quotes, hashes, substitutions, rule instances, constraints, aggregates, scores, the digest. An oracle
decides what a text says, by reading the evidence again (`proof.oracles`); another search decides if an answer is complete.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from goalmem.logic.evaluate import OPERATORS, conditions, evaluate, holds, needs_all, pair_of
from goalmem.logic.syntax import canonical
from goalmem.logic.terms import Aggregate, Goal, Value
from goalmem.proof.check_evidence import EvidenceChecks
from goalmem.proof.check_nodes import SCORE_TOLERANCE, NodeChecks
from goalmem.proof.document import VERSION, Node, Proof, all_nodes
from goalmem.proof.node_check import Check, CheckersBySource, Checks, Oracles, is_walk
from goalmem.proof.oracles import (
    ClosedWorld,
    EntailmentOracle,
    EvidenceReader,
    EvidenceTurn,
    FoundSolution,
    ProofRecord,
    QuestionReader,
    ReadingRecord,
    SolutionOracle,
    StatusOracle,
    TypeOracle,
)
from goalmem.proof.seal import SEAL, Seal, seal_told
from goalmem.proof.status import grade
from goalmem.records import aware

__all__ = [
    "Check",
    "ClosedWorld",
    "EntailmentOracle",
    "EvidenceReader",
    "EvidenceTurn",
    "QuestionReader",
    "SolutionOracle",
    "TypeOracle",
    "Verification",
    "verified_by",
    "verify",
]

AHEAD = timedelta(days=366)
"""How far the date of a question may lie after today and after all turns: simulated time may run ahead, but not by years."""


@dataclass(frozen=True, slots=True)
class Verification:
    """All checks made on a proof; `ok` if every one holds."""

    ok: bool
    checks: tuple[Check, ...]

    @property
    def failures(self) -> tuple[Check, ...]:
        """The checks that failed."""
        return tuple(c for c in self.checks if not c.ok)

    @property
    def superseded(self) -> bool:
        """True if the proof fails because its evidence was superseded or denied later."""
        return any(c.name == "superseded" for c in self.failures)

    @property
    def seal(self) -> Seal:
        """The state of the proof's seal, as seen with the key of this memory (`GOALMEM_PROOF_KEY`)."""
        return next((seal_told(c.detail) for c in self.checks if c.name == SEAL), "not sealed")

    @property
    def told_of_seal(self) -> bool:
        """True if the proof has a seal, or if a key is set that could have sealed it."""
        return any(c.name == SEAL for c in self.checks)

    def also(self, *made: Check) -> Verification:
        """The same verification with more checks."""
        return Verification(self.ok and all(c.ok for c in made), (*self.checks, *made))

    def claimed(self, status: str, proved: str) -> Verification:
        """The same, for an answer of that status: it fails if the proof has another status, as when networks were trusted."""
        if status == proved:
            return self
        return self.also(Check("", "answer", False, f"it says {status}, its proof {proved}"))


def verify(
    proof: Proof,
    *,
    evidence: EvidenceReader,
    entails: EntailmentOracle | CheckersBySource,
    closed: ClosedWorld | None = None,
    isa: TypeOracle | None = None,
    reader: QuestionReader | None = None,
    again: SolutionOracle | None = None,
    now: datetime | None = None,
    space: str | None = None,
) -> Verification:
    """Check every step of `proof`, and that the answer follows from them.

    A proof of status unknown is checked as far as it goes: its citations exist, it claims no answer, and it names what is missing.

    `entails` checks all steps, or gives the checker of each source (`CheckersBySource`). Without `closed`, no rule and no closed world is
    accepted; without `isa`, `entails` checks types; without `reader`, the goal is taken as the question's; without `again`, completeness is
    not checked. `now` is the later of today and the day of the newest turn; without it, a proof may be of any day. `space` is the one that
    `evidence` reads; without it, a proof may be of any. A question for one thing that has several answers may be proved as their list.
    Raises only what the oracles raise.

    Evidence must hold now, not only on the day of the proof: a `SupersessionOracle` says what was said since.
    """
    checks = Checks()
    goal = proof.goal.goal(proof.question)
    answered = proof.status != "unknown"
    words = EvidenceChecks(checks, evidence, entails, proof.asked_at)
    solutions = proof.root.children if proof.root is not None else ()
    walks = [node for solution in solutions for node in solution.children if is_walk(node)]
    nodes = NodeChecks(checks, words, goal, entails, closed, isa, proof.lemmas, answered, walks)
    _document(checks, proof, now)
    if space is not None:
        checks.note("", "space", proof.space == space, f"it is of the space {space!r}")
    _goal(checks, goal, answered=answered)
    if reader is not None:
        _question(checks, proof, goal, reader)
    for i, lemma in enumerate(proof.lemmas):
        nodes.lemma(f"lemmas[{i}]", lemma)
    if proof.lemmas:
        tops = [n for n in (proof.root, *proof.alternatives) if n is not None]
        used = {n.lemma for top in tops for n in all_nodes(top, proof.lemmas)} - {None}
        checks.note("lemmas", "used", len(used) == len(proof.lemmas), "every lemma is used")
    if proof.root is not None:
        _root(checks, nodes, proof, goal, proof.root)
    for i, node in enumerate(proof.alternatives):
        _alternative(checks, nodes, proof, goal, node, f"alternatives[{i}]")
    twice = len(set(map(key_of, proof.alternatives))) < len(proof.alternatives)
    checks.note("", "alternatives", not twice, "every alternative is given once")
    if not answered:
        _unknown(checks, proof, goal)
    else:
        _answered(checks, proof, goal)
        _graded(checks, proof, entails)
        # A search takes longer than everything else, so it is skipped for a proof that already failed.
        sound = all(c.ok for c in checks.made)
        found = again.solutions(proof) if again is not None and sound else None
        if found is not None:
            check_complete(checks, proof, goal, found)
    for i, missing in enumerate(proof.missing):
        for j, cited in enumerate(missing.nearest):
            words.cited(f"missing[{i}].nearest[{j}]", cited)
    return Verification(all(c.ok for c in checks.made), tuple(checks.made))


def verified_by(
    proof: Proof,
    checker: Oracles,
    again: SolutionOracle | None = None,
    now: datetime | None = None,
    reader: QuestionReader | None = None,
    space: str | None = None,
) -> Verification:
    """Check a proof with one checker for everything; `again` checks that it is complete.

    `reader` says what the question asks if the checker cannot, as for an utterance that is no question.
    """
    asks = reader or checker
    return verify(proof, evidence=checker, entails=checker, isa=checker, reader=asks, again=again, now=now, space=space)


def _document(checks: Checks, proof: Proof, now: datetime | None) -> None:
    """Check that the document is unchanged, and that its format and date are possible."""
    told = f"it is format {proof.version}"
    if proof.version < VERSION:
        told += "; it has no digest, so that a change of what nothing rests on (notes, costs) is not seen"
    checks.note("", "format", 1 <= proof.version <= VERSION, told)
    if proof.version > 1:
        checks.note("", "digest", proof.digest == proof.fingerprint(), "nothing was changed since it was written")
    if now is not None:
        asked, today = map(aware, (datetime.fromisoformat(proof.asked_at), now))
        checks.note("", "asked at", asked - today <= AHEAD, f"it was asked by {today:%Y-%m-%d}, or not long after")


def _question(checks: Checks, proof: Proof, goal: Goal, reader: QuestionReader) -> None:
    """Check that the question, read again as on the day it was asked, has this goal."""
    asked = datetime.fromisoformat(proof.asked_at)
    found = len(proof.root.children) if proof.root is not None else 0
    several = goal.aggregate is Aggregate.LIST and (found > 1 or proof.status == "unknown")
    readings = (goal, replace(goal, aggregate=Aggregate.ONE)) if several else (goal,)
    asks = any(reader.asks(g, asked) for g in readings)
    judges = [n.judge for top in (proof.root, *proof.alternatives) if top for _, n in top.walk() if n.judge]
    judged = bool(judges)
    if proof.judge and isinstance(reader, ReadingRecord):
        # If a model is named as the question's reader, its own reading counts.
        asks = any(reader.read_by(g, asked, proof.judge) for g in readings)
        judged = True
    checks.note("goal", "question", asks, "the question asks it")
    # A chat model would not answer the same again: its proofs are on record as a whole.
    if judged and proof.version > 1 and proof.status != "unknown" and isinstance(reader, ProofRecord):
        judge = proof.judge or judges[0]
        checks.note("", "on record", reader.kept(proof.fingerprint(), judge), f"it was made so with {judge}")


def _graded(checks: Checks, proof: Proof, entails: object) -> None:
    """Check that the status is the one that the leaves give."""
    may = entails.grade(proof) if isinstance(entails, StatusOracle) else grade(proof)
    if proof.status == "disproved":
        checks.note(
            "", "sure enough", may == "proved", f"by how sure its steps are it is not told as certain but as {may}"
        )
    else:
        checks.note("", "sure enough", proof.status == may, f"by how sure its steps are it is {may}")


def _goal(checks: Checks, goal: Goal, *, answered: bool) -> None:
    """Check the goal: its answer is one of its variables, and its constraints compare times."""
    variables = {v.name: v for a in goal.atoms for v in a.variables}
    compared = {s for c in goal.constraints for s in (c.left, c.right) if isinstance(s, str)}
    answer = goal.answer
    if answer is None:
        named = not answered or goal.aggregate is Aggregate.WHETHER or pair_of(goal) is not None
    else:
        named = variables.get(answer.name) == answer or (answer.name in compared and answer.name not in variables)
    checks.note("goal", "answer", bool(goal.atoms) and named, "the answer is a variable of the goal")
    known = all(c.op in OPERATORS for c in goal.constraints)
    checks.note("goal", "constraints", known, "a constraint compares two times")


def _root(checks: Checks, nodes: NodeChecks, proof: Proof, goal: Goal, root: Node) -> None:
    checks.note("root", "kind", root.kind == "aggregate" and _bare(root), "the root is the aggregate of its solutions")
    checks.note("root", "children", bool(root.children), "the root has solutions")
    if not needs_all(goal):
        one = len(root.children) == 1 or _may_hold_together(goal, root.children)
        checks.note("root", "children", one, "one solution answers the question, or several that hold together")
    for i, child in enumerate(root.children):
        nodes.solution(f"root.children[{i}]", child, partial=proof.status == "unknown")
    different = len(set(map(key_of, root.children))) == len(root.children)
    checks.note("root", "distinct", different, "no solution is counted twice")
    least = min((c.score for c in root.children), default=0.0)
    checks.note("root", "score", _close(root.score, least), "the score is the least of the solutions'")


def _may_hold_together(goal: Goal, solutions: Sequence[Node]) -> bool:
    """True if solutions give every variable but the answer the same value, and none says the opposite: each is true by itself. If they are
    the answer together, another search finds them so.
    """
    if goal.aggregate is not Aggregate.ONE or goal.answer is None:
        return False
    asked = goal.answer.name
    others = {tuple((n, v.key) for n, v in sorted(s.values().items()) if n != asked) for s in solutions}
    return len(others) == 1 and not any(node.negated for s in solutions for _, node in s.walk())


def _alternative(checks: Checks, nodes: NodeChecks, proof: Proof, goal: Goal, node: Node, path: str) -> None:
    nodes.solution(path, node, partial=False)
    opposed = sum(n.negated for _, n in node.walk())
    checks.note(path, "opposed", opposed <= 1, "at most one step says the opposite")
    if proof.status == "unknown" or proof.root is None:
        return
    best = max((c.score for c in proof.root.children), default=0.0)
    checks.note(path, "score", node.score <= best + SCORE_TOLERANCE, "it is not better than the answer")
    if goal.aggregate is Aggregate.WHETHER:
        different = bool(opposed) == (proof.answer != "No")
    else:
        own = evaluate(goal, [node.values()], _asked(proof))
        different = [v.key for v in own.values] != [v.key for v in proof.values]
    checks.note(path, "different", different, "its answer is another one")


def _answered(checks: Checks, proof: Proof, goal: Goal) -> None:
    """Check that status, answer and confidence agree with the root."""
    root = proof.root
    checks.note("", "missing", not proof.missing, "an answered question lacks nothing")
    if root is None:
        checks.note("", "root", ok=False, detail=f"a {proof.status} goal has a proof")
        return
    opposed = [n for _, n in root.walk() if n.negated]
    values: tuple[Value, ...]
    denied = proof.status == "likely" and goal.aggregate is Aggregate.WHETHER and bool(opposed)
    if proof.status == "disproved" or denied:
        fits = goal.aggregate is Aggregate.WHETHER and len(opposed) == 1
        answer, values, why = "No", (Value("No", "no"),), "one step says the opposite of what was asked"
    else:
        result = evaluate(goal, [c.values() for c in root.children], _asked(proof))
        fits, answer, values, why = not opposed, result.text, result.values, result.undecided
        checks.note("root", "decided", not result.undecided, result.undecided or "the solutions decide the answer")
    checks.note("", "status", fits, why or "no step says the opposite of what was asked")
    checks.note("", "answer", bool(answer) and proof.answer == answer, f"the solutions come to {answer!r}")
    checks.note("", "values", proof.values == values, f"the values come to {[v.text for v in values]}")
    checks.note("", "confidence", _close(proof.confidence, root.score), "the confidence is the root's score")


def _unknown(checks: Checks, proof: Proof, goal: Goal) -> None:
    """Check that an unknown proof has no answer, names what is missing, and does not prove the goal."""
    bare = not proof.answer and not proof.values and proof.confidence == 0
    checks.note("", "answer", bare, "what is not known has no answer")
    once = len({m.atom for m in proof.missing}) == len(proof.missing)
    checks.note("", "missing", bool(proof.missing) and once, "what is missing is named, each part once")
    nodes = list(proof.root.walk()) if proof.root is not None else []
    known = {canonical(a) for a in goal.atoms} | {n.ground for _, n in nodes}
    named = all(m.atom in known for m in proof.missing)
    checks.note("", "missing", named, "what is missing is a part of the goal or of its proof")
    if proof.root is not None:
        assumed = any(n.kind == "assumed" for _, n in nodes)
        unmet = any(holds(c, s.values()) is not True for c in conditions(goal) for s in proof.root.children)
        checks.note("root", "status", assumed or unmet, "something in it is not proved")


def _asked(proof: Proof) -> datetime:
    return datetime.fromisoformat(proof.asked_at).replace(tzinfo=None)


def _bare(node: Node) -> bool:
    """True if the node contains nothing but its children and their score."""
    return node == Node(kind=node.kind, score=node.score, children=node.children)


def _close(a: float, b: float) -> bool:
    return math.isclose(a, b, abs_tol=SCORE_TOLERANCE)


# -- checks on what a proof claims of all ----------------------------------------------------------------------------

SCORE_SHIFT, READ_SHIFT = 0.02, 0.1
"""Tolerance between a solution's score and that of a new search: for facts, and for what is read out of passages, whose score depends on
how well the turn ranks and so changes with every new turn."""

SolutionKey = tuple[bool, tuple[tuple[str, str], ...]]
"""True if it is against the goal; and the key of each variable's value, in lower case: keys that differ in case are one."""


def check_complete(checks: Checks, proof: Proof, goal: Goal, found: Sequence[FoundSolution]) -> None:
    """Compare the solutions of an answered proof with those that a search finds.

    If all solutions count, each one found must be in the root, and each that is the answer together with others. If one is enough, every
    other that is equally good must be among the alternatives. None may be listed that the search does not find, or for which it finds less:
    each needs a solution of the search for itself, by its keys or, since sources may normalise a name in different ways, by its words.
    """
    root = proof.root.children if proof.root is not None else ()
    counted = {key_of(n): n for n in root}
    shown = counted if needs_all(goal) else {**counted, **{key_of(n): n for n in proof.alternatives}}
    anew = {found_key(f, goal): f for f in found}
    if goal.aggregate is Aggregate.ONE:
        joint = {key for key, f in anew.items() if f.joint}
        same = set(counted) == joint if joint else len(root) == 1
        checks.note("root", "joint", same, "the values that hold together, by a search, are the answer")
    worded = {_worded(_as_found(n), goal) for n in shown.values()}
    left_out = [f for key, f in anew.items() if key not in shown and _worded(f, goal) not in worded]
    told = f"a search finds “{_named(left_out, goal)}”, too" if left_out else "a search finds no other"
    checks.note("root", "complete", not left_out, told)
    spare = Counter(_worded(f, goal) for key, f in anew.items() if key not in counted)
    unmatched = [n for key, n in counted.items() if key not in anew]
    spare.subtract(_worded(_as_found(n), goal) for n in unmatched)
    invented = [n for n in unmatched if spare[_worded(_as_found(n), goal)] < 0]
    told = (
        f"a search does not find “{_named(map(_as_found, invented), goal)}”" if invented else "a search finds the same"
    )
    checks.note("root", "found again", not invented, told)
    for i, node in enumerate(root):
        if (again := anew.get(key_of(node))) is not None:
            shift = READ_SHIFT if again.read else SCORE_SHIFT
            # A reader may find more than facts do, which alone prove a chat model's goal.
            close = math.isclose(node.score, again.score, abs_tol=shift) or (again.read and node.score < again.score)
            checks.note(f"root.children[{i}]", "worth", close, f"a search finds it worth {again.score:.2f}")


def key_of(node: Node) -> SolutionKey:
    """The identity of a solution in a proof."""
    return _key(any(n.negated for _, n in node.walk()), node.values())


def found_key(found: FoundSolution, goal: Goal) -> SolutionKey:
    """The same for a solution that a search finds."""
    return _key(found.against, {name: value for name, value in found.values.items() if name in goal.names})


def _key(against: bool, values: Mapping[str, Value]) -> SolutionKey:
    return against, tuple(sorted((name, value.key.casefold()) for name, value in values.items()))


def _worded(found: FoundSolution, goal: Goal) -> SolutionKey:
    """The same by the words that are shown: sources may normalise keys in different ways (`bruge`, `bruges`)."""
    worded = {name: value.text.casefold() for name, value in found.values.items() if name in goal.names}
    return found.against, tuple(sorted(worded.items()))


def _as_found(node: Node) -> FoundSolution:
    against = any(n.negated for _, n in node.walk())
    return FoundSolution(node.values(), node.score, against)


def _named(found: Iterable[FoundSolution], goal: Goal) -> str:
    """Solutions by their answers."""
    name = goal.answer.name if goal.answer is not None else ""
    told = [f.values[name].text if name in f.values else "no" if f.against else "yes" for f in found]
    return "”, “".join(dict.fromkeys(told))

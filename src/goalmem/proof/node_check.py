"""Checkers for the steps of one source, and the checks that sources share.

Each step of a proof is checked by the checker of its source (`NodeChecker`), which reads the cited evidence again and needs neither the
engine nor the source. Checks that are independent of the source are in `check_nodes`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol, runtime_checkable

from goalmem.logic.syntax import format_atom
from goalmem.logic.terms import Alignment, Atom, Binding, Evidence, Goal
from goalmem.proof.document import Judgement, Node
from goalmem.proof.oracles import (
    ClosedWorld,
    EntailmentOracle,
    EvidenceReader,
    JudgementRecord,
    JudgeOracle,
    QuestionReader,
    RuleSentences,
    SupersessionOracle,
    TypeOracle,
    WalkOracle,
    WeightOracle,
)


@dataclass(frozen=True, slots=True)
class Check:
    """One check: the path of the node in the document, the name of the check, if it holds, and the detail."""

    node: str
    name: str
    ok: bool
    detail: str


@dataclass(slots=True)
class Checks:
    """All checks made so far."""

    made: list[Check] = field(default_factory=list)

    def note(self, node: str, name: str, ok: bool, detail: str) -> None:
        """Add a check. `detail` says what holds, or what should hold if `ok` is false."""
        self.made.append(Check(node, name, bool(ok), detail))


WEIGHT_TOLERANCE = 1e-2
"""A quantised network's results vary by some thousandths with the rest of the batch."""
CERTAINTY_TOLERANCE = 2e-2
"""The same, for a judge's probability."""

Finding = tuple[str, bool, str]
"""The name of a check, if it holds, and the detail."""


@dataclass(frozen=True, slots=True)
class ProofContext:
    """The proof that a step is part of."""

    goal: Goal
    answered: bool = True
    """True if an answer rests on the step; it must then still hold."""
    walks: Sequence[Node] = ()
    """The steps of the proof's answer that are walks over a graph: a walk's weight depends on all of them."""


class NodeChecker(Protocol):
    """Checks that the steps of one source close their atoms in the way that they claim."""

    def check(self, node: Node, about: ProofContext) -> Iterable[Finding]:
        """Yield the findings on a `fact`, an `edge`, a `rule` or a `closed-world` step."""
        ...


@runtime_checkable
class ValueReader(Protocol):
    """A `NodeChecker` with this method reads values out of what steps cite."""

    def reads_value(self, node: Node, about: ProofContext, held: Binding) -> bool:
        """True if what the step cites gives the value as the binding has it: its key and type, how it was derived, from which words."""
        ...


@runtime_checkable
class Explainer(Protocol):
    """A `NodeChecker` with this method makes steps that say why: with an alignment or a note. Steps of others have neither."""

    def explains(self, node: Node, about: ProofContext) -> bool:
        """True if alignment and note of the step, if it has them, are those that the source gives for what the step cites."""
        ...


@runtime_checkable
class CheckersBySource(Protocol):
    """Knows the checker of every source."""

    def of(self, node: Node) -> NodeChecker:
        """The checker of a step, by its source and judge."""
        ...


class Oracles(EvidenceReader, QuestionReader, TypeOracle, CheckersBySource, Protocol):
    """Everything that checking a proof needs, in one object."""


@dataclass(frozen=True, slots=True)
class SourceOracles:
    """The oracles of one source, by protocol."""

    entails: EntailmentOracle
    judged: JudgementRecord | None
    judges: JudgeOracle | None
    weights: WeightOracle | None
    supersession: SupersessionOracle | None
    walks: WalkOracle | None

    @classmethod
    def of(cls, oracle: EntailmentOracle) -> SourceOracles:
        """Look up the protocols of an oracle. Done once for each proof, since this takes longer than a check."""
        return cls(
            oracle,
            oracle if isinstance(oracle, JudgementRecord) else None,
            oracle if isinstance(oracle, JudgeOracle) else None,
            oracle if isinstance(oracle, WeightOracle) else None,
            oracle if isinstance(oracle, SupersessionOracle) else None,
            oracle if isinstance(oracle, WalkOracle) else None,
        )


@dataclass(frozen=True)
class OracleChecker:
    """Checks every step with the same oracles, as if there were one source."""

    entails: EntailmentOracle
    closed: ClosedWorld | None = None

    @cached_property
    def oracles(self) -> SourceOracles:
        """The oracles of `entails`, by protocol."""
        return SourceOracles.of(self.entails)

    def check(self, node: Node, about: ProofContext) -> Iterable[Finding]:
        """Yield the findings on a step."""
        match node.kind:
            case "edge" if is_walk(node):
                return check_walk(self.oracles, node, about)
            case "fact" | "edge":
                return check_leaf(self.oracles, node, about)
            case "rule":
                return self._stated(node)
            case "closed-world":
                return check_denial(node, self.closed)
            case _:
                return unknown_kind(node)

    def explains(self, _node: Node, _about: ProofContext, /) -> bool:
        """Accept any explanation: the oracles know none."""
        return True

    def _stated(self, node: Node) -> Iterator[Finding]:
        known = node.rule is not None and self.closed is not None and self.closed.states(node.rule)
        if not known and node.rule is not None and node.judge and self.oracles.judged is not None:
            known = self.oracles.judged.assumed(node.rule, node.judge)
        closed: object = self.closed
        yield from check_rule(node, known, closed if isinstance(closed, RuleSentences) and not node.judge else None)


def check_leaf(oracles: SourceOracles, node: Node, about: ProofContext) -> Iterator[Finding]:
    """Check a step that its own evidence closes: entailment, weight, and that it still holds."""
    if not node.evidence or node.goal is None:
        yield "entailed", False, "a fact has evidence"
        return
    bindings = {b.variable.name: b for b in node.bindings}
    if node.judge and oracles.judged is not None and node.ground is not None:
        ok, why = oracles.judged.judged(node.ground, bindings, node.evidence, node.negated, node.judge)
    else:
        ok, why = oracles.entails.entails(node.goal, bindings, node.evidence, node.negated)
    yield "entailed", ok, why or "the evidence says it"
    yield from _judged_again(oracles, node, node.goal, bindings)
    if oracles.weights is not None and not node.judge:
        worth = oracles.weights.weight(about.goal, node.goal, bindings, node.evidence)
        yield "weight", _same_weight(node, worth), f"the step is worth {worth}"
    if oracles.supersession is not None and about.answered:
        later = oracles.supersession.replaced(about.goal, node.goal, bindings, node.evidence, node.negated)
        holds_still = "nothing said later replaces or denies it"
        yield "superseded", not later, f"later it was said: “{later}”" if later else holds_still


def _judged_again(oracles: SourceOracles, node: Node, goal: Atom, bindings: Mapping[str, Binding]) -> Iterator[Finding]:
    """Check that the recorded judgement is what the judge says now, and that there is one if a judge is needed."""
    held = node.judgement
    if held is not None:
        verdict = "contradicted" if node.negated else "entailed"
        yield "verdict", held.verdict == verdict, f"the judge found it {held.verdict}"
    if oracles.judges is not None and not node.judge:
        anew = oracles.judges.judgement(goal, bindings, node.evidence, node.negated)
        yield "judgement", _same_judgement(held, anew), f"the judge says {_judgement_text(anew)}"


def check_walk(oracles: SourceOracles, node: Node, about: ProofContext) -> Iterator[Finding]:
    """Check that the edges below the step lead to its values, and that the question asks for such a walk. Edges have no weight of their
    own.
    """
    plain = all(e.kind == "edge" and e.weight == 1 and not (e.bindings or e.children) for e in node.children)
    own = all(e.source == node.source and e.judgement is None for e in node.children)
    yield (
        "edges",
        plain and own and not node.negated,
        "a walk is made of edges of its graph, each worth 1, that nobody judges",
    )
    if oracles.walks is None:
        yield "entailed", False, f"no graph is known by the name of {node.source!r}"
        return
    ok, why, worth = oracles.walks.walked(about.goal, node, about.walks)
    yield "entailed", ok, why
    yield "weight", _same_weight(node, worth), f"the walk is worth {worth}"


def check_rule(
    node: Node, known: bool, sentences: RuleSentences | None = None, *, worth: float | None = None
) -> Iterator[Finding]:
    """Check that a rule is known and has its weight. If the sentences that state rules are stored, check that the evidence states it."""
    yield "stated", known, "the rule is stated, or assumed as it was offered"
    if worth is not None:
        yield "weight", _same_weight(node, worth), f"the step is worth {worth}"
    if sentences is not None and node.rule is not None:
        cited = sentences.stated_in(node.rule, node.evidence[:1]) and cites_naming(node, node.evidence[1:])
        yield "cited", cited, "what it cites states the rule"


def check_denial(node: Node, closed: ClosedWorld | None) -> Iterator[Finding]:
    """Check that a denial holds, or a statement is false, because a closed source does not prove the statement."""
    ground = node.ground
    if ground is None:
        return
    positive = Atom(ground.parts)
    fails = ground.negated != node.negated and ground.ground and closed is not None and not closed.proves(positive)
    yield "closed world", fails, f"nothing stated proves: {format_atom(positive)}"


def unknown_kind(node: Node) -> Iterator[Finding]:
    """Reject a step of a kind that its source does not have."""
    yield "kind", False, f"no step of {node.source or 'this source'} is a {node.kind}"


def is_walk(node: Node) -> bool:
    """True if a step is a walk over a graph: an edge made of edges."""
    return node.kind == "edge" and bool(node.children)


def alike(a: Alignment, b: Alignment) -> bool:
    """True if two alignments say the same, with scores as close as computing them again makes them."""
    return replace(a, score=b.score) == b and math.isclose(a.score, b.score, abs_tol=WEIGHT_TOLERANCE)


def cites_naming(node: Node, evidence: Sequence[Evidence]) -> bool:
    """True if the evidence beside a rule, each turn once, is where the values of the node's variables were read."""
    turns = {e.turn for e in evidence}
    return len(turns) == len(evidence) and turns <= {b.turn for b in node.bindings}


def _same_weight(node: Node, worth: float | None) -> bool:
    return worth is None or math.isclose(node.weight, worth, abs_tol=WEIGHT_TOLERANCE)


def _same_judgement(held: Judgement | None, anew: Judgement | None) -> bool:
    """True if a judge still says the same. Other models, and earlier versions of this one, cannot be asked again."""
    if held is None or anew is None:
        return held is anew
    same = (held.judge, held.digest, held.verdict) == (anew.judge, anew.digest, anew.verdict)
    return same and math.isclose(held.certainty, anew.certainty, abs_tol=CERTAINTY_TOLERANCE)


def _judgement_text(judgement: Judgement | None) -> str:
    if judgement is None:
        return "nothing"
    model = f" with model {judgement.digest[:12]}" if judgement.digest else ""
    return f"{judgement.verdict} ({judgement.certainty:.2f}){model}"

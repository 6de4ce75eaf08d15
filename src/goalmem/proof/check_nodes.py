"""Check the steps of a proof: each closes its atom, and together they prove the goal."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from goalmem.logic.evaluate import conditions, holds
from goalmem.logic.syntax import canonical, format_atom
from goalmem.logic.terms import Atom, Binding, Goal
from goalmem.logic.unify import apply_rule, same_statement
from goalmem.proof.check_evidence import EvidenceChecks, rule_texts
from goalmem.proof.document import Node, all_nodes
from goalmem.proof.node_check import (
    CheckersBySource,
    Checks,
    Explainer,
    Finding,
    NodeChecker,
    OracleChecker,
    ProofContext,
    ValueReader,
    cites_naming,
    is_walk,
)
from goalmem.proof.oracles import ClosedWorld, EntailmentOracle, TypeOracle

_OPPOSING = frozenset({"fact", "edge", "rule", "closed-world", "lemma"})
"""Kinds of step that may contradict the question."""
SCORE_TOLERANCE = 1e-6
"""Scores are products of at most some tens of floats."""


@dataclass(slots=True)
class NodeChecks:
    """Checks the solutions of one proof."""

    checks: Checks
    words: EvidenceChecks
    goal: Goal
    entails: EntailmentOracle | CheckersBySource
    closed: ClosedWorld | None
    isa: TypeOracle | None
    lemmas: tuple[Node, ...] = ()
    answered: bool = True
    """True if an answer rests on the steps; they must then still hold."""
    walks: Sequence[Node] = ()
    """The steps of the proof's answer that are walks over a graph: a walk's weight depends on all of them."""
    _proved: int = field(default=0, init=False)
    """Number of checked lemmas; only these may be referred to."""
    _about: ProofContext = field(init=False)
    _alone: OracleChecker | None = field(default=None, init=False)
    """Checks every step if the oracles have no checkers by source."""

    def __post_init__(self) -> None:
        self._about = ProofContext(self.goal, self.answered, self.walks)
        if not isinstance(self.entails, CheckersBySource):
            self._alone = OracleChecker(self.entails, self.closed)

    def of(self, node: Node) -> NodeChecker:
        """The checker of a node's source."""
        if self._alone is not None:
            return self._alone
        assert isinstance(self.entails, CheckersBySource)
        return self.entails.of(node)

    def lemma(self, path: str, node: Node) -> None:
        """Check the next lemma: it is proved from earlier ones, binds nothing, contradicts nothing and assumes nothing."""
        below = [n for _, n in node.walk()]
        plain = not any(n.bindings or n.negated or n.kind == "assumed" for n in below)
        ground = all(n.goal is not None and n.goal.ground and n.goal == n.ground for n in below)
        self.checks.note(path, "plain", plain and ground, "a lemma is ground and stands by itself")
        again = any(earlier.ground == node.ground for earlier in self.lemmas[: self._proved])
        self.checks.note(path, "once", not again and node.kind != "lemma", "a lemma is proved once")
        self._step(path, node, top=False, partial=False)
        self._proved += 1

    def solution(self, path: str, node: Node, *, partial: bool) -> None:
        """Check that a solution proves every atom of the goal, and nothing else, under one substitution.

        If `partial`, parts may be assumed and constraints may fail.
        """
        note = self.checks.note
        plain = Node(kind="conjunction", score=node.score, bindings=node.bindings, children=node.children)
        note(path, "kind", node == plain, "a solution is the conjunction of the goal's atoms")
        atoms = tuple(canonical(a) for a in self.goal.atoms)
        note(path, "children", tuple(c.goal for c in node.children) == atoms, "its parts are the goal's atoms")
        self._one_substitution(path, node, partial=partial)
        if not partial:
            values = {b.variable.name: b.value for b in node.bindings}
            for c in conditions(self.goal):
                note(path, "constraint", holds(c, values) is True, f"{c.left} lies {c.op} {c.right}")
        self._score(path, node)
        for i, child in enumerate(node.children):
            self._step(f"{path}.children[{i}]", child, top=True, partial=partial)

    def _one_substitution(self, path: str, node: Node, *, partial: bool) -> None:
        """Check that every variable has one value throughout, read from what the solution cites."""
        held: dict[str, Binding] = {}
        same = True
        for _, below in list(node.walk())[1:]:
            for b in below.bindings:
                same &= held.setdefault(b.variable.name, b) == b
        claimed = self.goal.names
        own = {b.variable.name: b for b in node.bindings}
        below_ = {n: b for n, b in held.items() if n in claimed}
        same &= own == below_ and len(own) == len(node.bindings)
        self.checks.note(path, "equality", same, "each variable stands for one thing")
        opposed = any(n.negated for _, n in node.walk())
        bound = partial or opposed or claimed <= set(own)
        self.checks.note(path, "bound", bound, "every variable of the goal is bound")
        cited = list(all_nodes(node, self.lemmas)) if held else []
        evidence = [e for n in cited for e in n.evidence]
        rules = rule_texts(cited)
        given = " ".join([self.goal.question, *map(format_atom, self.goal.atoms)])
        types = {v.name: v.type for a in self.goal.atoms for v in a.variables}
        for name, b in sorted(held.items()):
            self.words.binding(path, b, evidence, rules, given)
            known = types.get(name, b.variable.type) == b.variable.type
            is_a = self.isa is None or self.isa.is_a(b.value, b.variable.type)
            self.checks.note(path, f"type {name}", known and is_a, f"{b.value.text!r} is a {b.variable.type}")
            self.checks.note(path, f"read {name}", self._is_read(b, node), f"a step reads {b.value.text!r} so")

    def _is_read(self, held: Binding, solution: Node) -> bool:
        """True if a step that rests on the binding's turn reads the value as it is held, or is of a source that reads no values by itself."""
        readers = [n for _, n in solution.walk() if n.goal is not None and self._rests_on(n, held)]
        checkers = [(self.of(n), n) for n in readers]
        return (
            any(not isinstance(c, ValueReader) or c.reads_value(n, self._about, held) for c, n in checkers)
            or not readers
        )

    def _rests_on(self, node: Node, held: Binding) -> bool:
        """True if the step binds the value, no step below does, and the binding's turn is cited by it or below."""
        if held not in node.bindings or any(held in c.bindings for c in node.children):
            return False
        return any(e.turn == held.turn for n in all_nodes(node, self.lemmas) for e in n.evidence)

    def _step(self, path: str, node: Node, *, top: bool, partial: bool, checker: NodeChecker | None = None) -> None:
        """`checker` overrides the checker of the step's source."""
        if node.goal is None or node.ground is None:
            self.checks.note(path, "goal", ok=False, detail="a step has a goal")
            return
        self._grounding(path, node, node.goal, node.ground)
        self.checks.note(
            path, "opposed", not node.negated or self._may_oppose(node, top=top), "only a top step opposes"
        )
        self._score(path, node)
        self.checks.note(path, "cites", len(set(node.evidence)) == len(node.evidence), "it cites nothing twice")
        for i, e in enumerate(node.evidence):
            self.words.cited(f"{path}.evidence[{i}]", e)
        for entry in node.alignment:
            self.words.alignment(path, entry, node)
        checker = checker or self.of(node)
        self._closed(path, node, node.goal, node.ground, checker, partial=partial)
        below = checker if is_walk(node) else None
        for i, child in enumerate(node.children):
            self._step(f"{path}.children[{i}]", child, top=False, partial=partial, checker=below)

    def _may_oppose(self, node: Node, *, top: bool) -> bool:
        return top and node.kind in _OPPOSING and self.goal.answer is None

    def _grounding(self, path: str, node: Node, goal: Atom, ground: Atom) -> None:
        values = {b.variable.name: b.value for b in node.bindings}
        self.checks.note(path, "ground", canonical(goal.substitute(values)) == ground, "it is the goal as bound")
        assumed = any(n.kind == "assumed" for _, n in node.walk())
        self.checks.note(path, "open", ground.ground or node.negated or assumed, "no variable is left open")
        variables = {v.name: v for v in goal.variables}
        extra = self.goal.names
        fits = all(variables.get(b.variable.name, b.variable) == b.variable for b in node.bindings)
        named = all(b.variable.name in variables or b.variable.name in extra for b in node.bindings)
        once = len({b.variable.name for b in node.bindings}) == len(node.bindings)
        self.checks.note(path, "bindings", fits and named and once, "only variables of the goal are bound, each once")

    def _score(self, path: str, node: Node) -> None:
        expected = 0.0 if node.kind == "assumed" else node.weight * math.prod(c.score for c in node.children)
        within = node.kind == "assumed" or node.weight > 0
        close = math.isclose(node.score, expected, abs_tol=SCORE_TOLERANCE)
        self.checks.note(path, "score", within and close, f"the score comes to {expected:.6g}")

    def _closed(self, path: str, node: Node, goal: Atom, ground: Atom, by: NodeChecker, *, partial: bool) -> None:
        """Check that the step closes its atom in the way that it claims."""
        match node.kind:
            case "fact" | "edge" | "closed-world":
                self._found(path, by.check(node, self._about))
            case "rule":
                self._rule(path, node, ground, by)
            case "refinement":
                self._refinement(path, node, goal, ground)
            case "lemma":
                self._lemma(path, node, ground)
            case "assumed":
                self.checks.note(path, "assumed", partial, "nothing is assumed in a proof")
            case _:
                self.checks.note(path, "kind", ok=False, detail=f"no step is a {node.kind}")
        self._bare(path, node)
        explained = self._is_explained(node, ground, by)
        self.checks.note(path, "explained", explained, "what it says of how it was read is what its source says")

    def _is_explained(self, node: Node, ground: Atom, by: NodeChecker) -> bool:
        """True if alignment and note of a step are those of its source."""
        plain = not node.alignment and not node.note
        match node.kind:
            case "fact" | "edge":
                return by.explains(node, self._about) if isinstance(by, Explainer) else plain
            case "closed-world":
                return node.note.casefold() in ("", f"nothing proves: {format_atom(Atom(ground.parts))}".casefold())
        return plain

    def _found(self, path: str, findings: Iterable[Finding]) -> None:
        for name, ok, detail in findings:
            self.checks.note(path, name, ok, detail)

    def _bare(self, path: str, node: Node) -> None:
        """Check that the step has no fields that steps of its kind do not use."""
        if node.kind not in ("rule", "refinement") and not is_walk(node):
            self.checks.note(path, "children", not node.children, "a leaf rests on nothing else")
        if node.kind != "rule":
            self.checks.note(path, "rule", node.rule is None and not node.instance, "it uses no rule")
        if node.kind != "lemma":
            self.checks.note(path, "lemma", node.lemma is None, "it uses no lemma")
        if node.kind != "refinement":
            self.checks.note(path, "relation", node.relation is None, "only a refinement asks for a relation")
        if node.kind == "assumed":
            plain = Node(kind=node.kind, goal=node.goal, ground=node.ground, score=0.0, bindings=node.bindings)
            self.checks.note(path, "plain", node == plain, "what is assumed is of no source")
        if node.kind not in ("fact", "edge") or is_walk(node):
            self.checks.note(path, "judgement", node.judgement is None, "only what is read is judged")
        if node.kind in ("closed-world", "assumed", "lemma") or is_walk(node):
            # A closed-world step may cite who is meant, if the question does not say it.
            named = node.kind == "closed-world" and cites_naming(node, node.evidence)
            bare = not node.alignment and (named or not node.evidence)
            self.checks.note(path, "cites", bare, "it cites nothing")

    def _rule(self, path: str, node: Node, ground: Atom, by: NodeChecker) -> None:
        if node.rule is None:
            self.checks.note(path, "rule", ok=False, detail="a rule is named")
            return
        self._found(path, by.check(node, self._about))
        head, body = apply_rule(node.rule, node.instance)
        variables = {v.name for a in (node.rule.head, *node.rule.body) for v in a.variables}
        self.checks.note(
            path, "instance", set(node.instance) == variables, "all of the rule's variables stand for something"
        )
        said = replace(ground, negated=not ground.negated) if node.negated else ground
        self.checks.note(path, "head", same_statement(head, said), "what follows is the goal, or its opposite")
        grounds = [c.ground for c in node.children]
        fits = len(grounds) == len(body) and all(
            g is not None and same_statement(b, g) for b, g in zip(body, grounds, strict=True)
        )
        self.checks.note(path, "body", fits, "its conditions are proved, each once")

    def _refinement(self, path: str, node: Node, goal: Atom, ground: Atom) -> None:
        *antecedents, again = node.children or (Node(kind="assumed"),)
        self.checks.note(path, "again", again.goal == goal and again.ground == ground, "the goal itself is proved last")
        reach, waiting = {v.name for v in goal.variables}, list(antecedents)
        while linked := [a for a in waiting if a.goal is not None and reach & {v.name for v in a.goal.variables}]:
            waiting = [a for a in waiting if a not in linked]
            reach |= {v.name for a in linked if a.goal is not None for v in a.goal.variables}
        self.checks.note(path, "antecedents", bool(antecedents) and not waiting, "its antecedents share its variables")

    def _lemma(self, path: str, node: Node, ground: Atom) -> None:
        number = node.lemma
        known = number is not None and 0 <= number < self._proved
        proved = self.lemmas[number] if known and number is not None else None
        self.checks.note(path, "lemma", known, "it was proved before")
        if proved is not None and proved.ground is not None:
            said = replace(ground, negated=not ground.negated) if node.negated else ground
            self.checks.note(path, "lemma", proved.ground == said, "the lemma says it, or its opposite")
            close = math.isclose(node.weight, proved.score, abs_tol=SCORE_TOLERANCE)
            self.checks.note(path, "weight", close, "it is worth what the lemma is")

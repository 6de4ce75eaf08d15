"""Checks on the steps of a proof: each was taken as it says, and together they prove the goal."""

from __future__ import annotations

import math
from dataclasses import dataclass

from goalmem.logic.check_evidence import EvidenceChecks, rule_texts
from goalmem.logic.checks import Checks
from goalmem.logic.evaluate import conditions, holds
from goalmem.logic.oracles import ClosedWorld, Entailment, Judged, TypeOracle
from goalmem.logic.proof import Node
from goalmem.logic.rules import applied, same_statement
from goalmem.logic.syntax import canonical, format_atom
from goalmem.logic.terms import Atom, Binding, Goal

__all__ = ["NodeChecks"]

SCORE_TOLERANCE = 1e-6
"""Scores are products of at most some tens of doubles."""


@dataclass(slots=True)
class NodeChecks:
    """Checks the solutions of one proof."""

    checks: Checks
    words: EvidenceChecks
    goal: Goal
    entails: Entailment
    closed: ClosedWorld | None
    isa: TypeOracle | None

    def solution(self, path: str, node: Node, *, partial: bool) -> None:
        """A solution proves every atom of the goal, and nothing else, under one substitution.

        With `partial`, parts of it may be assumed and constraints may fail.
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
        """Every variable stands for one thing throughout, read from what the solution cites."""
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
        evidence = [e for _, n in node.walk() for e in n.evidence]
        rules = rule_texts(node)
        given = " ".join([self.goal.question, *map(format_atom, self.goal.atoms)])
        types = {v.name: v.type for a in self.goal.atoms for v in a.variables}
        for name, b in sorted(held.items()):
            self.words.binding(path, b, evidence, rules, given)
            known = types.get(name, b.variable.type) == b.variable.type
            is_a = self.isa is None or self.isa.is_a(b.value, b.variable.type)
            self.checks.note(path, f"type {name}", known and is_a, f"{b.value.text!r} is a {b.variable.type}")

    def _step(self, path: str, node: Node, *, top: bool, partial: bool) -> None:
        if node.goal is None or node.ground is None:
            self.checks.note(path, "goal", ok=False, detail="a step has a goal")
            return
        self._grounding(path, node, node.goal, node.ground)
        self.checks.note(
            path, "opposed", not node.negated or self._may_oppose(node, top=top), "only a top step opposes"
        )
        self._score(path, node)
        for i, e in enumerate(node.evidence):
            self.words.cited(f"{path}.evidence[{i}]", e)
        for entry in node.alignment:
            self.words.alignment(path, entry, node)
        self._closed(path, node, node.goal, node.ground, partial=partial)
        for i, child in enumerate(node.children):
            self._step(f"{path}.children[{i}]", child, top=False, partial=partial)

    def _may_oppose(self, node: Node, *, top: bool) -> bool:
        return top and node.kind in ("fact", "edge") and self.goal.answer is None

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

    def _closed(self, path: str, node: Node, goal: Atom, ground: Atom, *, partial: bool) -> None:
        """The step closes its atom in the way that it says."""
        match node.kind:
            case "fact" | "edge":
                self._entailed(path, node, goal)
            case "rule":
                self._rule(path, node, ground)
            case "refinement":
                self._refinement(path, node, goal, ground)
            case "closed-world":
                self._closed_world(path, ground)
            case "assumed":
                self.checks.note(path, "assumed", partial, "nothing is assumed in a proof")
            case _:
                self.checks.note(path, "kind", ok=False, detail=f"no step is a {node.kind}")
        if node.kind not in ("rule", "refinement"):
            self.checks.note(path, "children", not node.children, "a leaf rests on nothing else")
        if node.kind != "rule":
            self.checks.note(path, "rule", node.rule is None and not node.instance, "it uses no rule")
        if node.kind in ("closed-world", "assumed"):
            self.checks.note(path, "cites", not node.evidence and not node.alignment, "it cites nothing")

    def _entailed(self, path: str, node: Node, goal: Atom) -> None:
        if not node.evidence:
            self.checks.note(path, "entailed", ok=False, detail="a fact has evidence")
            return
        bindings = {b.variable.name: b for b in node.bindings}
        ok, why = self.entails.entails(goal, bindings, node.evidence, node.negated)
        if not ok and node.judge and isinstance(self.entails, Judged) and node.ground is not None:
            ok, why = self.entails.judged(node.ground, bindings, node.evidence, node.negated, node.judge)
        self.checks.note(path, "entailed", ok, why or "the evidence says it")

    def _rule(self, path: str, node: Node, ground: Atom) -> None:
        if node.rule is None:
            self.checks.note(path, "rule", ok=False, detail="a rule is named")
            return
        stated = self.closed is not None and self.closed.states(node.rule)
        if not stated and node.judge and isinstance(self.entails, Judged):
            stated = self.entails.assumed(node.rule, node.judge)
        self.checks.note(path, "stated", stated, "the rule is stated, or assumed as it was offered")
        head, body = applied(node.rule, node.instance)
        variables = {v.name for a in (node.rule.head, *node.rule.body) for v in a.variables}
        self.checks.note(
            path, "instance", set(node.instance) == variables, "all of the rule's variables stand for something"
        )
        self.checks.note(path, "head", same_statement(head, ground), "what follows is the goal")
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

    def _closed_world(self, path: str, ground: Atom) -> None:
        positive = Atom(ground.parts)
        fails = ground.negated and ground.ground and self.closed is not None and not self.closed.proves(positive)
        self.checks.note(path, "closed world", fails, f"nothing stated proves: {format_atom(positive)}")

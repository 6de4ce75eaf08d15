"""Checks of proofs from a theory: its sentences and rules are read and searched again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from goalmem.logic.terms import Aggregate, Atom, Binding, Derivation, Evidence, Goal, Rule, Value
from goalmem.proof.document import Node, Proof
from goalmem.proof.node_check import Finding, OracleChecker, ProofContext, check_denial, check_rule, unknown_kind
from goalmem.proof.oracles import EvidenceTurn
from goalmem.rules.compiled import Ground, folded, ground
from goalmem.rules.demand import OverBudgetError
from goalmem.rules.derivation import ENTITY
from goalmem.rules.program import Program, Strategy
from goalmem.rules.terms import Literal


@dataclass
class TheoryRecord:
    """Evidence reader, closed world, entailment and type oracle of one theory alone, for `logic.verify`."""

    theory: Program

    def content(self, turn_id: str) -> EvidenceTurn | None:
        """The sentence with this id."""
        numbers = self.theory.telling.numbers.get(turn_id)
        return EvidenceTurn(self.theory.telling.evidence(numbers[0]).quote, "", "") if numbers else None

    def states(self, rule: Rule) -> bool:
        """True if a clause of the theory reads so, with or without the conditions that its variables' types repeat."""
        return any(self._reads(number, rule) for number in self._concluding(rule))

    def stated_in(self, rule: Rule, evidence: Sequence[Evidence]) -> bool:
        """True if the sentence cited states the rule."""
        numbers = self.theory.telling.numbers.get(evidence[0].turn, ()) if evidence else ()
        return any(self._reads(number, rule) for number in numbers)

    def proves(self, atom: Atom) -> bool:
        """True if the ground atom, in any reading, is stated, derivable, or undecided because of a cycle or the
        budget; searched again.
        """
        return any(self._may_hold(literal) for literal in self.theory.vocabulary.readings(atom))

    def entails(
        self, _atom: Atom, _bindings: Mapping[str, Binding], _evidence: Sequence[Evidence], _negated: bool, /
    ) -> tuple[bool, str]:
        """Always None: a theory entails statements only by its rules."""
        return False, "a theory's sentences are rules and facts, no evidence of anything else"

    def of(self, _node: Node, /) -> OracleChecker:
        """The checker of every step: all steps belong to the theory."""
        return OracleChecker(self, self)

    def is_a(self, value: Value, type: str) -> bool:
        """True if the value is a constant of the theory; rules do not determine types."""
        return bool(type) and is_constant(value)

    def asks(self, goal: Goal, _asked: datetime) -> bool:
        """True if the question reads as the goal."""
        literal = self.theory.statement(goal.question)
        return literal is not None and goal_of(goal.question, literal) == goal

    def _may_hold(self, literal: Literal) -> bool:
        try:
            solved = self.theory.undecided(literal)
        except OverBudgetError:
            return True
        held: Ground = ground(literal)
        return solved.model.holds(held) or held in solved.model.undecided

    def _reads(self, number: int, rule: Rule) -> bool:
        """True if a clause reads so, with or without the conditions that its variables' types repeat."""
        clause = self.theory.clauses[number]
        if len(rule.body) == len(clause.body):
            return clause.rule == rule
        return len(rule.body) < len(clause.body) and self.theory.typed(number).rule == rule

    def _concluding(self, rule: Rule) -> Iterator[int]:
        """The clauses that may state a rule: those whose conclusion matches a reading of its head."""
        index = self.theory.index
        for literal in self.theory.vocabulary.readings(rule.head):
            if literal.ground and not rule.body:
                yield from index.stating(ground(literal))
            held = (literal.predicate.casefold(), literal.negated)
            yield from (r.number for r in index.rules.get(held, ()) if len(r.body) >= len(rule.body))


def goal_of(question: str, literal: Literal) -> Goal:
    """A statement as a goal: a yes/no question, or a question for a value."""
    atom = literal.atom
    if not atom.variables:
        return Goal(question, (atom,), None, Aggregate.WHETHER)
    return Goal(question, (atom,), atom.variables[0], Aggregate.LIST)


def is_constant(value: Value) -> bool:
    """True if a value is what a constant of a theory becomes."""
    return value == Value(value.text, folded(value.text), ENTITY)


@dataclass(frozen=True)
class RuleChecker:
    """Checks the steps by the rules of one space."""

    record: TheoryRecord
    may_hold: Callable[[Atom], bool]
    """True if a ground atom is proved or undecided; searched again."""

    def check(self, node: Node, _about: ProofContext, /) -> Iterable[Finding]:
        """What is found of a rule, or of what holds by failure."""
        match node.kind:
            case "rule":
                return check_rule(node, node.rule is not None and self.states(node.rule), self, worth=1.0)
            case "closed-world":
                return check_denial(node, self)
            case _:
                return unknown_kind(node)

    def reads_value(self, _node: Node, _about: ProofContext, held: Binding, /) -> bool:
        """True if the value is a constant of the theory, derived from its own words."""
        how = Derivation.QUOTED if folded(held.span) == held.value.key else Derivation.RESOLVED
        return is_constant(held.value) and held.derivation is how

    def states(self, rule: Rule) -> bool:
        """True if the rule is stated in the space."""
        return self.record.states(rule)

    def stated_in(self, rule: Rule, evidence: Sequence[Evidence]) -> bool:
        """True if the sentence cited states the rule."""
        return self.record.stated_in(rule, evidence)

    def proves(self, atom: Atom) -> bool:
        """True if the ground atom is proved or may be."""
        return self.may_hold(atom)


def strategy_of(proof: Proof) -> Strategy:
    """The strategy: the question was proved, its opposite was, or neither."""
    tops = [n for solution in (proof.root.children if proof.root is not None else ()) for n in solution.children]
    if proof.status == "unknown" or any(n.kind == "closed-world" for n in tops):
        return Strategy.FAIL_TO_PROVE
    denied = any(n.negated for top in tops for _, n in top.walk())
    return Strategy.INVERSE_PROOF if denied else Strategy.PROOF

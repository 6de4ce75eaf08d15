"""What checks proofs by a theory: its sentences, its rules as they read, and what they prove, searched anew."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from goalmem.logic.terms import Aggregate, Atom, Binding, Evidence, Goal, Rule, Value
from goalmem.proof.document import Node, Proof
from goalmem.proof.node_check import Finding, OracleChecker, ProofContext, check_denial, check_rule, unknown_kind
from goalmem.proof.oracles import EvidenceTurn
from goalmem.rules.compiled import Ground, folded, ground
from goalmem.rules.demand import OverBudgetError
from goalmem.rules.program import Program, Strategy
from goalmem.rules.terms import Literal


@dataclass
class Record:
    """Evidence reader, closed world, entailment and type oracle of one theory alone, for `logic.verify`."""

    theory: Program

    def content(self, turn_id: str) -> EvidenceTurn | None:
        """The sentence with this id."""
        numbers = self.theory.telling.numbers.get(turn_id)
        return EvidenceTurn(self.theory.telling.evidence(numbers[0]).quote, "", "") if numbers else None

    def states(self, rule: Rule) -> bool:
        """Whether a clause of the theory reads so, with or without the conditions that its variables' types repeat."""
        return any(self._reads(number, rule) for number in self._concluding(rule))

    def stated_in(self, rule: Rule, evidence: Sequence[Evidence]) -> bool:
        """Whether the sentence cited states the rule."""
        numbers = self.theory.telling.numbers.get(evidence[0].turn, ()) if evidence else ()
        return any(self._reads(number, rule) for number in numbers)

    def proves(self, atom: Atom) -> bool:
        """Whether the ground atom, however it may be read, is stated, derived or left open, by a circle or
        because too much bears on it: searched anew.
        """
        return any(self._may_hold(literal) for literal in self.theory.vocabulary.readings(atom))

    def entails(
        self, _atom: Atom, _bindings: Mapping[str, Binding], _evidence: Sequence[Evidence], _negated: bool, /
    ) -> tuple[bool, str]:
        """Nothing: what a theory says, it says by its rules."""
        return False, "a theory's sentences are rules and facts, no evidence of anything else"

    def of(self, _node: Node, /) -> OracleChecker:
        """What checks any step: all are the theory's."""
        return OracleChecker(self, self)

    def is_a(self, value: Value, type: str) -> bool:
        """Whether the value is a constant of the theory as it is compared; of which type, no rule says."""
        return bool(type) and value.key == folded(value.text) and value.interval is None and value.number is None

    def asks(self, goal: Goal, _asked: datetime) -> bool:
        """Whether the question reads as the goal."""
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
        """Whether a clause reads so, with or without the conditions that its variables' types repeat."""
        clause = self.theory.clauses[number]
        if len(rule.body) == len(clause.body):
            return clause.rule == rule
        return len(rule.body) < len(clause.body) and self.theory.typed(number).rule == rule

    def _concluding(self, rule: Rule) -> Iterator[int]:
        """The clauses that may state a rule: those that conclude what its head may be read as."""
        index = self.theory.index
        for literal in self.theory.vocabulary.readings(rule.head):
            if literal.ground and not rule.body:
                yield from index.stating(ground(literal))
            held = (literal.predicate.casefold(), literal.negated)
            yield from (r.number for r in index.rules.get(held, ()) if len(r.body) >= len(rule.body))


def goal_of(question: str, literal: Literal) -> Goal:
    """A statement as a goal: whether it holds, or of what it does."""
    atom = literal.atom
    if not atom.variables:
        return Goal(question, (atom,), None, Aggregate.WHETHER)
    return Goal(question, (atom,), atom.variables[0], Aggregate.LIST)


@dataclass(frozen=True)
class RuleChecker:
    """Checks the steps by the rules of one space."""

    record: Record
    may_hold: Callable[[Atom], bool]
    """Whether a ground atom is proved or may be, by all that may prove it: searched anew."""

    def check(self, node: Node, _about: ProofContext, /) -> Iterable[Finding]:
        """What is found of a rule, or of what holds by failure."""
        match node.kind:
            case "rule":
                return check_rule(node, node.rule is not None and self.states(node.rule), self, worth=1.0)
            case "closed-world":
                return check_denial(node, self)
            case _:
                return unknown_kind(node)

    def states(self, rule: Rule) -> bool:
        """Whether the rule is stated in the space."""
        return self.record.states(rule)

    def stated_in(self, rule: Rule, evidence: Sequence[Evidence]) -> bool:
        """Whether the sentence cited states the rule."""
        return self.record.stated_in(rule, evidence)

    def proves(self, atom: Atom) -> bool:
        """Whether the ground atom is proved or may be."""
        return self.may_hold(atom)


def strategy_of(proof: Proof) -> Strategy:
    """Whether the question was proved, its opposite was, or neither could be."""
    tops = [n for solution in (proof.root.children if proof.root is not None else ()) for n in solution.children]
    if proof.status == "unknown" or any(n.kind == "closed-world" for n in tops):
        return Strategy.FAIL_TO_PROVE
    denied = any(n.negated for top in tops for _, n in top.walk())
    return Strategy.INVERSE_PROOF if denied else Strategy.PROOF

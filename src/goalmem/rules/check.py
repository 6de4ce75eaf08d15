"""What checks the use of a space's rules: that they are stated as they read, and that what is denied follows from nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from goalmem.logic.terms import Atom, Evidence, Rule
from goalmem.proof.document import Node
from goalmem.proof.node_check import About, Finding, failing, foreign, stated
from goalmem.rules.record import Record

__all__ = ["RuleChecker"]


@dataclass(frozen=True)
class RuleChecker:
    """Checks the steps by the rules of one space."""

    record: Record
    may_hold: Callable[[Atom], bool]
    """Whether a ground atom is proved or may be, by all that may prove it: searched anew."""

    def check(self, node: Node, _about: About, /) -> Iterable[Finding]:
        """What is found of a rule, or of what holds by failure."""
        match node.kind:
            case "rule":
                return stated(node, node.rule is not None and self.states(node.rule), self)
            case "closed-world":
                return failing(node, self)
            case _:
                return foreign(node)

    def states(self, rule: Rule) -> bool:
        """Whether the rule is stated in the space."""
        return self.record.states(rule)

    def stated_in(self, rule: Rule, evidence: Sequence[Evidence]) -> bool:
        """Whether the sentence cited states the rule."""
        return self.record.stated_in(rule, evidence)

    def proves(self, atom: Atom) -> bool:
        """Whether the ground atom is proved or may be."""
        return self.may_hold(atom)

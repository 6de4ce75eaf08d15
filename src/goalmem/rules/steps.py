"""From a derivation to the engine's steps: what a proof says of each rule that was used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

from goalmem.engine.step import Proved, Step
from goalmem.logic.syntax import format_atom
from goalmem.logic.terms import Binding, Evidence, Value, Variable
from goalmem.logic.terms import Derivation as How
from goalmem.rules.compiled import Ground, Index, folded
from goalmem.rules.derivation import Derivation
from goalmem.rules.terms import Clause, cited, sentence_id, sentence_of

__all__ = ["SOURCE", "Telling"]

SOURCE = "rules"
"""The name of the source in steps and proofs."""


@dataclass
class Telling:
    """Turns derivations over one theory into steps. Deterministic, and safe to use from several threads."""

    index: Index
    clauses: Sequence[Clause]
    _evidence: dict[int, Evidence] = field(default_factory=dict)

    def step(
        self,
        derivation: Derivation,
        *,
        negated: bool = False,
        bindings: Iterable[Binding] = (),
        named: Mapping[str, str] = MappingProxyType({}),
    ) -> Step:
        """The step that closes a goal by a derivation; `negated` when it derives the opposite.

        `named` prints constants that only the question names.
        """
        made: dict[int, Proved] = {}
        for part in derivation.steps():
            atom = self.index.said(part.statement, named).atom
            made[id(part)] = Proved(atom, self._step(part, tuple(made[id(c)] for c in part.children), named))
        top, bound = made[id(derivation)].step, tuple(bindings)
        cited = {e.turn for p in made.values() for e in p.step.evidence} if bound else set()
        naming = (self._naming(b.turn, b.value.key) for b in bound if b.turn not in cited)
        evidence = tuple(dict.fromkeys((*top.evidence, *(e for e in naming if e is not None))))
        return Step(SOURCE, top.kind, 1.0, bound, (), evidence, rule=top.rule, negated=negated, note=top.note,
                    instance=top.instance, proved=top.proved)  # fmt: skip

    def failing(self, statement: Ground, *, negated: bool, named: Mapping[str, str] = MappingProxyType({})) -> Step:
        """The step that closes a denial, or (`negated`) denies a statement, because nothing derives the statement."""
        positive = self.index.said((statement[0], False, statement[2]), named)
        return Step(SOURCE, "closed-world", 1.0, negated=negated, note=f"nothing proves: {format_atom(positive.atom)}")

    def binding(self, variable: Variable, constant: str) -> Binding:
        """A variable that stands for a constant of the theory, read from the first sentence that names it."""
        number = self.index.naming[constant]
        evidence, text = self.evidence(number), self.index.domain[constant]
        at = evidence.quote.casefold().find(text.casefold())
        span = evidence.quote[at : at + len(text)] if at >= 0 else ""
        how = How.QUOTED if span and folded(span) == constant else How.RESOLVED
        return Binding(variable, Value(text, constant, "entity"), how, span, evidence.turn)

    def evidence(self, number: int) -> Evidence:
        """The sentence that states a clause."""
        if number not in self._evidence:
            self._evidence[number] = cited(sentence_of(self.clauses[number]))
        return self._evidence[number]

    def _step(self, part: Derivation, below: tuple[Proved, ...], named: Mapping[str, str]) -> Step:
        if part.kind == "failure":
            return self.failing(part.statement, negated=False, named=named)
        clause, names = self.clauses[part.clause], dict[str, str]()
        if part.instance is not None:
            said = (self.index.domain.get(c) or named.get(c, c) for c in part.instance.binding)
            names = dict(zip(part.instance.rule.variables, said, strict=True))
        return Step(SOURCE, "rule", 1.0, evidence=(self.evidence(part.clause),), rule=clause.rule,
                    instance=names, proved=below)  # fmt: skip

    def _naming(self, turn: str, constant: str) -> Evidence | None:
        number = self.index.naming.get(constant)
        evidence = self.evidence(number) if number is not None else None
        return evidence if evidence is not None and evidence.turn == turn else None

    @cached_property
    def numbers(self) -> dict[str, list[int]]:
        """The clauses that each sentence states, by its id."""
        found: dict[str, list[int]] = {}
        for number, clause in enumerate(self.clauses):
            found.setdefault(sentence_id(sentence_of(clause)), []).append(number)
        return found

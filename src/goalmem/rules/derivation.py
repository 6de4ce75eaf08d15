"""Derivations of a statement: the shortest one, all others on request, and their conversion to proof steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice, product
from types import MappingProxyType
from typing import Literal

from goalmem.cancellation import checkpoint
from goalmem.engine.step import ProvedAtom, Step
from goalmem.logic.syntax import format_atom
from goalmem.logic.terms import Binding, Evidence, Value, Variable
from goalmem.logic.terms import Derivation as How
from goalmem.rules.compiled import Ground, Index, folded
from goalmem.rules.demand import Instance
from goalmem.rules.terms import Clause, cited, sentence_id, sentence_of
from goalmem.rules.wellfounded import WellFoundedModel

MAX_LISTED_DEPTH = 100
"""Rules one inside another in proofs that are listed. The shortest proof has no such limit."""


@dataclass(frozen=True, slots=True, eq=False)
class RuleDerivation:
    """A ground literal and the last step of its proof."""

    statement: Ground
    kind: Literal["fact", "rule", "failure"]
    clause: int = -1
    """The number of the clause that states or derives it; -1 where it holds by failure."""
    instance: Instance | None = None
    children: tuple[RuleDerivation, ...] = ()
    """For a rule: its body, in the rule's order. Parts are shared, not repeated."""
    height: int = 0
    """Rules one inside another."""

    def steps(self) -> Iterator[RuleDerivation]:
        """Every distinct derivation in it, each after those that it rests on."""
        done: set[int] = set()
        work = [(self, iter(self.children))]
        while work:
            checkpoint()
            derivation, children = work[-1]
            child = next((c for c in children if id(c) not in done), None)
            if child is not None:
                work.append((child, iter(child.children)))
                continue
            work.pop()
            if id(derivation) not in done:
                done.add(id(derivation))
                yield derivation


@dataclass(slots=True)
class Shortest:
    """Finds the shortest derivation of every true literal of a model, level by level of nested rules.

    Of equally short ones the rule stated first counts. A denied condition counts as stated where a fact says it, then
    as failed, then as derived.
    """

    model: WellFoundedModel
    stating: Callable[[Ground], Sequence[int]]
    """The numbers of the clauses that state a literal as a fact."""
    best: dict[Ground, tuple[int, Instance]] = field(default_factory=dict)
    """Height and last rule of each derived literal."""
    _made: dict[Ground, RuleDerivation] = field(default_factory=dict)

    def __post_init__(self) -> None:
        waiting: dict[Ground, list[Instance]] = {}
        left: dict[Instance, int] = {}
        wave: list[Instance] = []
        for statement in self.model.true:
            checkpoint()
            for instance in self.model.instances[statement]:
                if not all(map(self.model.satisfied, instance.body)):
                    continue
                awaited = {c for c in instance.body if not self._given(c)}
                left[instance] = len(awaited)
                for condition in awaited:
                    waiting.setdefault(condition, []).append(instance)
                if not awaited:
                    wave.append(instance)
        height = 1
        while wave:
            checkpoint()
            following: list[Instance] = []
            for instance in sorted(wave, key=_stated_first):
                if instance.head in self.best:
                    continue
                self.best[instance.head] = (height, instance)
                for waits in waiting.get(instance.head, ()):
                    left[waits] -= 1
                    if not left[waits]:
                        following.append(waits)
            wave, height = following, height + 1

    def derivation(self, statement: Ground) -> RuleDerivation | None:
        """The shortest derivation of a literal; None where it is neither stated, nor derived, nor failed.

        A denial that is asked for is derived wherever it can be; as a condition of a rule, it may just fail.
        """
        if statement in self.best and not self.model.stated(statement):
            return self._made_from(self.best[statement], statement)
        return self._part(statement)

    def _made_from(self, found: tuple[int, Instance], statement: Ground) -> RuleDerivation:
        height, instance = found
        parts = (self._made.get(c) or self._part(c) for c in instance.body)
        children = tuple([p for p in parts if p is not None])
        return RuleDerivation(statement, "rule", instance.rule.number, instance, children, height)

    def _part(self, statement: Ground) -> RuleDerivation | None:
        work = [statement]
        while work:
            checkpoint()
            top = work[-1]
            if top in self._made:
                work.pop()
                continue
            found = None if self._given(top) else self.best.get(top)
            if found is None:
                leaf = self._leaf(top)
                if leaf is None:
                    return None
                self._made[top] = leaf
                continue
            open_ = [c for c in found[1].body if c not in self._made]
            if open_:
                work += open_
                continue
            self._made[top] = self._made_from(found, top)
        return self._made[statement]

    def _given(self, statement: Ground) -> bool:
        """True if a literal needs no rule: a fact states it, or it holds by failure."""
        model = self.model
        return model.stated(statement) or (model.closed and statement[1] and model.fails(statement))

    def _leaf(self, statement: Ground) -> RuleDerivation | None:
        stated = self.stating(statement)
        if stated:
            return RuleDerivation(statement, "fact", stated[0])
        return RuleDerivation(statement, "failure") if self._given(statement) else None


def proofs(
    model: WellFoundedModel,
    stating: Callable[[Ground], Sequence[int]],
    statement: Ground,
    limit: int,
    above: frozenset[Ground] = frozenset(),
) -> Iterator[RuleDerivation]:
    """Non-circular proofs of a literal, each part in at most `limit` ways; the model must contain `every` instance.

    `above`: what it is to prove.
    """
    stated = stating(statement)
    yield from (RuleDerivation(statement, "fact", number) for number in stated)
    if not stated and model.closed and statement[1] and model.fails(statement):
        yield RuleDerivation(statement, "failure")
    if statement not in model.true or statement in above or len(above) >= MAX_LISTED_DEPTH:
        return
    inside = above | {statement}
    for instance in sorted(model.instances[statement], key=_stated_first):
        if not all(map(model.satisfied, instance.body)):
            continue
        parts = [tuple(islice(proofs(model, stating, c, limit, inside), limit)) for c in instance.body]
        for children in product(*parts):
            height = 1 + max((c.height for c in children), default=0)
            yield RuleDerivation(statement, "rule", instance.rule.number, instance, children, height)


def _stated_first(instance: Instance) -> tuple[int, tuple[str, ...]]:
    return instance.rule.number, instance.binding


SOURCE = "rules"
"""The name of the source in steps and proofs."""
ENTITY = "entity"
"""The type of a constant as a value: rules do not say of which kind their things are."""


@dataclass
class DerivationSteps:
    """Turns derivations over one theory into steps. Deterministic, and safe to use from several threads."""

    index: Index
    clauses: Sequence[Clause]
    _evidence: dict[int, Evidence] = field(default_factory=dict)

    def step(
        self,
        derivation: RuleDerivation,
        *,
        negated: bool = False,
        bindings: Iterable[Binding] = (),
        named: Mapping[str, str] = MappingProxyType({}),
    ) -> Step:
        """The step that closes a goal by a derivation; `negated` when it derives the opposite.

        `named` prints constants that only the question names.
        """
        made: dict[int, ProvedAtom] = {}
        for part in derivation.steps():
            atom = self.index.said(part.statement, named).atom
            made[id(part)] = ProvedAtom(atom, self._step(part, tuple(made[id(c)] for c in part.children), named))
        top, bound = made[id(derivation)].step, tuple(bindings)
        cited = {e.turn for p in made.values() for e in p.step.evidence} if bound else set()
        naming = (self._naming(b.turn, b.value.key) for b in bound if b.turn not in cited)
        evidence = tuple(dict.fromkeys((*top.evidence, *(e for e in naming if e is not None))))
        return Step(SOURCE, top.kind, 1.0, bound, (), evidence, rule=top.rule, negated=negated, note=top.note,
                    instance=top.instance, proved=top.proved)  # fmt: skip

    def failing(self, statement: Ground, *, negated: bool, named: Mapping[str, str] = MappingProxyType({})) -> Step:
        """The step that proves a negated statement, or (`negated`) refutes a statement, because no rule derives it."""
        positive = self.index.said((statement[0], False, statement[2]), named)
        return Step(SOURCE, "closed-world", 1.0, negated=negated, note=f"nothing proves: {format_atom(positive.atom)}")

    def binding(self, variable: Variable, constant: str) -> Binding:
        """A variable bound to a constant of the theory, with the first sentence that mentions it as evidence."""
        number = self.index.naming[constant]
        evidence, text = self.evidence(number), self.index.domain[constant]
        at = evidence.quote.casefold().find(text.casefold())
        span = evidence.quote[at : at + len(text)] if at >= 0 else ""
        how = How.QUOTED if span and folded(span) == constant else How.RESOLVED
        return Binding(variable, Value(text, constant, ENTITY), how, span, evidence.turn)

    def evidence(self, number: int) -> Evidence:
        """The sentence that states a clause."""
        if number not in self._evidence:
            self._evidence[number] = cited(sentence_of(self.clauses[number]))
        return self._evidence[number]

    def _step(self, part: RuleDerivation, below: tuple[ProvedAtom, ...], named: Mapping[str, str]) -> Step:
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

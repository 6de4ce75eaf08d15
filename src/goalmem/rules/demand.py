"""Grounding on demand: instances of rules that are relevant to a goal, demanded top-down and found bottom-up.

Tabled evaluation (Tamaki and Sato 1986; Chen and Warren 1996): each call is opened once and its answers are handed to
all that wait for them, so that cycles end and no part is proved twice. It works off a list, not the stack, whatever the
depth. What a rule denies is taken for possible here; `wellfounded` decides what holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from goalmem.cancellation import checkpoint
from goalmem.engine.budget import Budget
from goalmem.errors import RuleError
from goalmem.rules.compiled import Args, Call, CompiledRule, Ground, Index, Pattern

PORTION = 256
"""Conditions tried between two looks at the budget."""


class OverBudgetError(RuleError):
    """More applications of rules bear on a question than may be tried."""

    def __init__(self, shortage: str) -> None:
        super().__init__(
            f"Too many applications of rules bear on the question: {shortage}.",
            "Give rules whose variables stand for anything a condition that says of what they speak.",
        )


@dataclass(frozen=True, slots=True, eq=False)
class Instance:
    """A rule with constants for all of its variables."""

    rule: CompiledRule
    binding: Args
    """By the rule's variables."""
    head: Ground
    body: tuple[Ground, ...]


@dataclass(slots=True)
class RuleFrame:
    """A partly evaluated rule: conditions from `at` on remain."""

    rule: CompiledRule
    order: tuple[int, ...]
    at: int
    binding: Sequence[str | None]
    table: DemandTable


@dataclass(slots=True)
class DemandTable:
    """The answers that rules give to one call, and who waits for them."""

    answers: dict[Args, None] = field(default_factory=dict)
    waiting: list[RuleFrame] = field(default_factory=list)


@dataclass(slots=True)
class RuleGrounding:
    """The ground instances that are relevant to the demanded literals."""

    index: Index
    closed: bool
    """True if a denied condition holds by failure."""
    domain: Sequence[str]
    """Values of variables that no condition binds."""
    every: bool = False
    """True to try rules for stated facts, too, as a list of all proofs needs."""
    budget: Budget = field(default_factory=Budget)
    """Each condition tried costs one inference."""
    instances: dict[Ground, list[Instance]] = field(default_factory=dict)
    _tables: dict[Call, DemandTable] = field(default_factory=dict)
    _seen: set[tuple[int, Args]] = field(default_factory=set)
    _agenda: list[RuleFrame] = field(default_factory=list)

    def demand(self, call: Call) -> None:
        """Find all instances that bear on a call. Raises OverBudgetError where the budget does not reach so far."""
        self._open(call)
        while self._agenda:
            checkpoint()
            if not self.budget.allows(inferences=1):
                raise OverBudgetError(self.budget.shortage)
            tried = 0
            while self._agenda and tried < PORTION:
                self._go_on(self._agenda.pop())
                tried += 1
            self.budget.spend(inferences=tried)

    def _open(self, call: Call) -> DemandTable | None:
        """The table of a call; None where no rule can answer it."""
        predicate, negated, terms = call
        if (predicate, negated) not in self.index.rules:
            return None
        if not self.every and None not in terms and self.index.matching((predicate, negated), terms):
            return None
        table = self._tables.get(call)
        if table is None:
            table = self._tables[call] = DemandTable()
            for rule in self.index.heading(call):
                binding = rule.opened(call)
                if binding is not None:
                    bound = frozenset(i for i, b in enumerate(binding) if b is not None)
                    order = self.index.plan(rule, bound, closed=self.closed)
                    self._agenda.append(RuleFrame(rule, order, 0, binding, table))
        return table

    def _go_on(self, frame: RuleFrame) -> None:
        if frame.at == len(frame.order):
            self._finish(frame)
            return
        pattern = frame.rule.body[frame.order[frame.at]]
        terms = pattern.under(frame.binding)
        if pattern.negated and self.closed:
            self._deny(frame, pattern, terms)
            return
        self._ask(frame, pattern, terms)

    def _ask(self, frame: RuleFrame, pattern: Pattern, terms: tuple[str | None, ...]) -> None:
        """Go on with every answer to a condition, those to come included."""
        for args in self.index.matching(pattern.signed, terms):
            self._answered(frame, pattern, args)
        table = self._open((*pattern.signed, terms))
        if table is not None:
            table.waiting.append(frame)
            for args in tuple(table.answers):
                self._answered(frame, pattern, args)

    def _deny(self, frame: RuleFrame, pattern: Pattern, terms: tuple[str | None, ...]) -> None:
        """Assume that a negated condition may hold, and demand the literal that decides it."""
        if None in terms:
            term = next(t for t in pattern.terms if isinstance(t, int) and frame.binding[t] is None)
            self._enumerate(frame, term)
            return
        index, positive, denied = self.index, (pattern.predicate, False), pattern.signed
        if index.states(denied):
            self._open((*denied, terms))
        elif index.matching(positive, terms):
            return
        self._open((*positive, terms))
        self._agenda.append(RuleFrame(frame.rule, frame.order, frame.at + 1, frame.binding, frame.table))

    def _answered(self, frame: RuleFrame, pattern: Pattern, args: Args) -> None:
        binding = pattern.bound(args, frame.binding)
        if binding is not None:
            self._agenda.append(RuleFrame(frame.rule, frame.order, frame.at + 1, binding, frame.table))

    def _enumerate(self, frame: RuleFrame, variable: int) -> None:
        """Bind a variable that no condition binds to every constant of the theory."""
        for constant in self.domain:
            binding = list(frame.binding)
            binding[variable] = constant
            self._agenda.append(RuleFrame(frame.rule, frame.order, frame.at, binding, frame.table))

    def _finish(self, frame: RuleFrame) -> None:
        if None in frame.binding:
            self._enumerate(frame, frame.binding.index(None))
            return
        rule, binding = frame.rule, tuple(b for b in frame.binding if b is not None)
        args = _args(rule.head, binding)
        key = (rule.number, binding)
        if key not in self._seen:
            self._seen.add(key)
            head = (rule.head.predicate, rule.head.negated, args)
            body = tuple([(p.predicate, p.negated, _args(p, binding)) for p in rule.body])
            self.instances.setdefault(head, []).append(Instance(rule, binding, head, body))
        self._tell(frame.table, rule, args)

    def _tell(self, table: DemandTable, rule: CompiledRule, args: Args) -> None:
        """Hand a new answer to all that wait for it; those who ask for facts know a fact already."""
        if args in table.answers or args in self.index.facts.get(rule.head.signed, ()):
            return
        table.answers[args] = None
        for frame in tuple(table.waiting):
            self._answered(frame, frame.rule.body[frame.order[frame.at]], args)


def _args(pattern: Pattern, binding: Iterable[str]) -> Args:
    values = tuple(binding)
    return tuple([values[t] if isinstance(t, int) else t for t in pattern.terms])

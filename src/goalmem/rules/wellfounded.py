"""The well-founded model of the statements relevant to a goal (Van Gelder, Ross and Schlipf 1991).

It is worked out component by component: statements that need each other are decided together, after all that they rest
on. On stratified theories, locally stratified ones included, it is the perfect model and leaves nothing undecided.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from goalmem.cancellation import checkpoint
from goalmem.rules.compiled import Ground
from goalmem.rules.demand import Instance

Condition = bool | Ground
"""A condition of an instance: decided, or waiting for a statement."""


def denied(statement: Ground) -> Ground:
    """The opposite of a ground literal."""
    return statement[0], not statement[1], statement[2]


@dataclass(slots=True)
class WellFoundedModel:
    """The truth of ground literals, as far as instances and facts decide it."""

    stated: Callable[[Ground], bool]
    """True if a fact says it."""
    instances: Mapping[Ground, Sequence[Instance]]
    closed: bool
    """True if a denied condition holds by failure."""
    true: set[Ground] = field(default_factory=set)
    """Literals that instances derive, beyond the facts."""
    undecided: set[Ground] = field(default_factory=set)
    """Literals that depend on their own negation."""

    def __post_init__(self) -> None:
        for component in self._components():
            checkpoint()
            self._decide(component)

    def holds(self, statement: Ground) -> bool:
        """True if a literal is stated or derived."""
        return statement in self.true or self.stated(statement)

    def fails(self, statement: Ground) -> bool:
        """True if a negated literal holds because nothing derives its atom."""
        positive = denied(statement)
        return not self.holds(positive) and positive not in self.undecided

    def satisfied(self, condition: Ground) -> bool:
        """True if a condition of a rule holds, by derivation or by failure."""
        return self.holds(condition) or (self.closed and condition[1] and self.fails(condition))

    def needs(self, statement: Ground) -> Iterator[Ground]:
        """The literals that a literal depends on directly, through one rule."""
        for instance in self.instances.get(statement, ()):
            for condition in instance.body:
                yield condition
                if self.closed and condition[1]:
                    yield denied(condition)

    def _decide(self, component: Collection[Ground]) -> None:
        """The alternating fixpoint: alternates lower and upper bounds until they no longer change."""
        members = frozenset(component)
        # The most frequent case by far: one statement that does not rest on itself.
        if len(members) == 1 and not any(n in members for s in members for n in self.needs(s)):
            (statement,) = members
            self._decide_one(statement)
            return
        certain: set[Ground] = set()
        while True:
            possible = self._derived(members, certain, may=True)
            more = self._derived(members, possible, may=False)
            if more == certain:
                break
            certain = more
        self.true |= certain
        self.undecided |= possible - certain

    def _decide_one(self, statement: Ground) -> None:
        for instance in self.instances[statement]:
            if all(map(self.satisfied, instance.body)):
                self.true.add(statement)
                return
        if any(all(map(self._may, i.body)) for i in self.instances[statement]):
            self.undecided.add(statement)

    def _may(self, condition: Ground) -> bool:
        if self.satisfied(condition) or condition in self.undecided:
            return True
        return self.closed and condition[1] and denied(condition) in self.undecided

    def _derived(self, members: frozenset[Ground], proved: Collection[Ground], *, may: bool) -> set[Ground]:
        """The least set of derivable members, given that those not in `proved` fail; `may`: undecided conditions
        hold.
        """
        found: set[Ground] = set()
        left: list[int] = []
        instances: list[Instance] = []
        waiting: dict[Ground, list[int]] = {}
        agenda: list[Ground] = []
        for instance in (i for m in members for i in self.instances[m]):
            checkpoint()
            conditions = {self._condition(c, members, proved, may=may) for c in instance.body}
            if False in conditions:
                continue
            awaited = [c for c in conditions if not isinstance(c, bool)]
            for statement in awaited:
                waiting.setdefault(statement, []).append(len(instances))
            instances.append(instance)
            left.append(len(awaited))
            if not awaited:
                agenda.append(instance.head)
        while agenda:
            statement = agenda.pop()
            if statement in found:
                continue
            found.add(statement)
            for number in waiting.get(statement, ()):
                left[number] -= 1
                if not left[number]:
                    agenda.append(instances[number].head)
        return found

    def _condition(
        self, condition: Ground, members: frozenset[Ground], proved: Collection[Ground], *, may: bool
    ) -> Condition:
        """Evaluate a condition of a member: a truth value, or the member that it waits for."""
        if self.holds(condition) or (may and condition in self.undecided):
            return True
        if self.closed and condition[1]:
            positive = denied(condition)
            if positive in members:
                failed = positive not in proved and not self.stated(positive)
            else:
                failed = self.fails(condition) or (may and positive in self.undecided)
            if failed:
                return True
        return condition if condition in members else False

    def _components(self) -> Iterator[list[Ground]]:
        """The strongly connected components, each after those that it rests on (Tarjan 1972), worked off a list."""
        order: dict[Ground, int] = {}
        low: dict[Ground, int] = {}
        path: list[Ground] = []
        on_path: set[Ground] = set()
        for root in self.instances:
            if root in order:
                continue
            work = [self._entered(root, order, low, path, on_path)]
            while work:
                checkpoint()
                statement, following = work[-1]
                step = next((n for n in following if n not in order or n in on_path), None)
                if step is None:
                    work.pop()
                    if work:
                        above = work[-1][0]
                        low[above] = min(low[above], low[statement])
                    if low[statement] == order[statement]:
                        yield _popped(path, on_path, statement)
                elif step in order:
                    low[statement] = min(low[statement], order[step])
                else:
                    work.append(self._entered(step, order, low, path, on_path))

    def _entered(
        self,
        statement: Ground,
        order: dict[Ground, int],
        low: dict[Ground, int],
        path: list[Ground],
        on_path: set[Ground],
    ) -> tuple[Ground, Iterator[Ground]]:
        order[statement] = low[statement] = len(order)
        path.append(statement)
        on_path.add(statement)
        return statement, iter([n for n in self.needs(statement) if n in self.instances])


def _popped(path: list[Ground], on_path: set[Ground], first: Ground) -> list[Ground]:
    """The component that began with `first`, taken off the path."""
    component = [path.pop()]
    while component[-1] != first:
        component.append(path.pop())
    on_path.difference_update(component)
    return component

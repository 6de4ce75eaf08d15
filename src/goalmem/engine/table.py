"""The table of what the sources were asked already: each call is made once in a search; and which refinements of an atom are worth trying.

Those are about its variables and repeat neither it nor an earlier one. This is what can be told without knowing the language: statements
are the same when they have the same words, whatever their variables are called. Sources that know it also refuse the same thing in other words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from goalmem.cancellation import OutOfTimeError
from goalmem.engine.budget import Budget
from goalmem.engine.state import OpenAtom, SearchState, call_key
from goalmem.engine.step import ExhaustiveSource, ListingSource, RefiningSource, Request, Source, Step
from goalmem.logic.syntax import format_rule
from goalmem.logic.terms import Atom, Goal, Substitution, Variable

SURE = 0.75
"""Least score of a step that closes an atom, for which dearer sources are not asked about it."""
CLOSED_WIDTH = 100_000
"""Alternatives taken from a closed source: failure means "false" there, so that none may be cut off."""
REFINEMENT = "refinement"
"""The kind of step that `breadth` limits."""


@dataclass(slots=True)
class RefinementLog:
    """The angles on one atom, as far as they were asked for."""

    offered: list[Step]
    """Refinements that were offered and not tried yet."""
    taken: list[tuple[Step, ...]] = field(default_factory=list)
    """For each angle the steps by it: at most one refinement, with what came with it."""
    known: set[tuple[object, ...]] = field(default_factory=set)
    """Steps that were offered before: an angle brings something new."""
    ended: bool = False

    @property
    def tried(self) -> tuple[Step, ...]:
        """The refinements and unstated rules taken."""
        return tuple(s for steps in self.taken for s in steps if s.subgoals)

    @property
    def breadth(self) -> int:
        """How many of them refine the atom."""
        return sum(any(s.subgoals for s in steps) for steps in self.taken)


@dataclass(slots=True)
class GoalTable:
    """Asks sources and remembers the answers."""

    goal: Goal
    sources: Sequence[Source]
    width: int
    """Facts, edges and rules tried for one atom, from open sources."""
    breadth: int
    """Refinements tried for one atom."""
    budget: Budget = field(default_factory=Budget)
    _answers: dict[str, tuple[Step, ...]] = field(default_factory=dict)
    _angles: dict[str, RefinementLog] = field(default_factory=dict)
    _whole: frozenset[str] | None = None

    def steps(self, state: SearchState, open_: OpenAtom) -> tuple[Step, ...]:
        """All steps worth trying for an open atom, best first, equal ones in an order of their own; no refinements.

        Sources are asked with the bindings of the atom's own variables alone, so that one answer serves every state
        that agrees in these.
        """
        key = atom_key(open_, state.substitution)
        if key not in self._answers:
            request = self.request(state, open_)
            found = self._offered(request, inferred=open_.rules > 0)
            self._answers[key] = self._best([s for s in found if s.kind != REFINEMENT])
            refinements = sorted((s for s in found if s.kind == REFINEMENT), key=_in_order)
            self._angles[key] = RefinementLog(refinements, known=set(map(_in_order, self._answers[key])))
        return self._answers[key]

    def _offered(self, request: Request, *, inferred: bool) -> list[Step]:
        """What the sources offer, the cheapest first: dearer ones are asked while nothing cheaper is sure.

        What only a rule of common knowledge asks for (`inferred`) is asked of the cheapest alone.
        """
        found: list[Step] = []
        cheapest = min((source.cost for source in self.sources), default=0)
        for cost in sorted({source.cost for source in self.sources}):
            if cost > cheapest and (inferred or any(s.score >= SURE and not s.subgoals for s in found)):
                break
            for source in (s for s in self.sources if s.cost == cost):
                whole = source.name in self.whole
                found += _usable(_in_time(source.steps, replace(request, limit=CLOSED_WIDTH) if whole else request))
        return found

    def angle(self, state: SearchState, open_: OpenAtom, number: int) -> tuple[Step, ...]:
        """The steps by the `number`-th angle on an atom whose other steps failed; nothing when there is no other.

        What the sources offered with their other steps is tried first; then those that refine are asked for one more.
        """
        self.steps(state, open_)
        angles = self._angles[atom_key(open_, state.substitution)]
        while len(angles.taken) <= number and angles.breadth < self.breadth and not angles.ended:
            steps = self._next(state, open_, angles)
            angles.known |= set(map(_in_order, steps))
            angles.ended = not steps
            if steps:
                angles.taken.append(steps)
        return angles.taken[number] if number < len(angles.taken) else ()

    def refinable(self, state: SearchState, open_: OpenAtom) -> bool:
        """Whether an atom that was asked for may be refined: a refinement is on offer, or a source can be asked for one."""
        offered = self._angles[atom_key(open_, state.substitution)].offered
        return self.breadth > 0 and (bool(offered) or any(isinstance(s, RefiningSource) for s in self.sources))

    @property
    def whole(self) -> frozenset[str]:
        """Names of the sources of whose steps none is cut off."""
        if self._whole is None:
            exhaustive = (s for s in self.sources if s.closed or (isinstance(s, ExhaustiveSource) and s.exhaustive))
            self._whole = frozenset(s.name for s in exhaustive)
        return self._whole

    def lists(self, atom: Atom) -> bool:
        """Whether some source lists of what a negated atom holds."""
        return any(isinstance(s, ListingSource) and s.lists(atom) for s in self.sources)

    def request(self, state: SearchState, open_: OpenAtom) -> Request:
        """What a source is asked about an open atom."""
        atoms = tuple(o.atom for o in state.open)
        bound = relevant(open_, state.substitution)
        limit = max(self.width, self.breadth)
        return Request(open_.atom, bound, self.goal, atoms, open_.level, limit, budget=self.budget)

    def _next(self, state: SearchState, open_: OpenAtom, angles: RefinementLog) -> tuple[Step, ...]:
        """One more angle. Steps that close the atom are enough of one: looking for a refinement may find them."""
        beside: list[Step] = []
        if not (refinement := self._refinement(state, open_, angles)):
            request = replace(self.request(state, open_), tried=angles.tried)
            found = [s for source in self.sources for s in self._asked(source, request)]
            new = [s for s in _usable(found) if _in_order(s) not in angles.known]
            angles.offered = sorted((s for s in new if s.kind == REFINEMENT), key=_in_order)
            refinement = self._refinement(state, open_, angles)
            beside = [s for s in new if s.kind != REFINEMENT]
        beside = [s for s in beside if not s.subgoals or is_new(s, open_.atom, state.substitution, angles.tried)]
        return (*self._best(beside), *refinement)

    def _refinement(self, state: SearchState, open_: OpenAtom, angles: RefinementLog) -> tuple[Step, ...]:
        """The best refinement on offer that is none of those tried, taken off."""
        while angles.offered:
            step = angles.offered.pop(0)
            if is_linked(step, open_.atom) and is_new(step, open_.atom, state.substitution, angles.tried):
                return (step,)
        return ()

    def _asked(self, source: Source, request: Request) -> Sequence[Step]:
        return _in_time(source.refine, request) if isinstance(source, RefiningSource) else ()

    def _best(self, steps: list[Step]) -> tuple[Step, ...]:
        whole = self.whole
        kept: list[Step] = []
        facts = 0
        for step in sorted(steps, key=_in_order):
            facts += step.source not in whole
            if step.source in whole or facts <= self.width:
                kept.append(step)
        return tuple(kept)


def atom_key(open_: OpenAtom, substitution: Substitution) -> str:
    """What an open atom asks of the sources, by its variables as they are called."""
    names = ",".join(v.name for v in open_.atom.variables)
    return f"{open_.level}|{names}|{call_key(open_.atom, substitution)}"


def relevant(open_: OpenAtom, substitution: Substitution) -> Substitution:
    """The bindings of the atom's own variables."""
    names = {v.name for v in open_.atom.variables}
    return Substitution(tuple(b for b in substitution.bindings if b.variable.name in names))


def _in_time(asked: Callable[[Request], Sequence[Step]], request: Request) -> Sequence[Step]:
    """What a source offers; nothing where a ceiling of seconds is met before, which the budget notes."""
    try:
        return asked(request)
    except OutOfTimeError:
        request.budget.cut()
        return ()


def _usable(steps: Sequence[Step]) -> list[Step]:
    return [s for s in steps if 0 < s.score <= 1]


def _in_order(step: Step) -> tuple[object, ...]:
    """Best first; equal scores by what the step says, the later said first: the order of offers never decides."""
    said = tuple((tuple(-ord(c) for c in e.said), e.turn, e.start, e.end) for e in step.evidence)
    bound = tuple((b.variable.name, b.value.key, b.value.text) for b in step.bindings)
    subgoals = tuple(call_key(a, Substitution()) for a in step.subgoals)
    rule = format_rule(step.rule) if step.rule is not None else ""
    return -step.score, step.kind, step.source, step.negated, bound, said, rule, subgoals


def is_new(step: Step, atom: Atom, substitution: Substitution, tried: Iterable[Step]) -> bool:
    """Whether a step that turns `atom` into subgoals says anything else than the atom, and than the steps `tried`."""
    (asked,) = _folded((atom,), substitution)
    subgoals = _folded(step.subgoals, substitution)
    if asked in subgoals or all(_key(a) == _key(asked) for a in subgoals):
        return False
    own = frozenset(v.name for v in asked.variables)
    said = _named_by_place(subgoals, own)
    return all(said != _named_by_place(_folded(t.subgoals, substitution), own) for t in tried)


def is_linked(step: Step, atom: Atom) -> bool:
    """Whether every subgoal shares a variable with `atom`, itself or through other subgoals."""
    reach = {v.name for v in atom.variables}
    waiting = [{v.name for v in a.variables} for a in step.subgoals]
    while linked := [names for names in waiting if names & reach]:
        waiting = [names for names in waiting if not names & reach]
        reach = reach.union(*linked)
    return bool(step.subgoals) and not waiting


def _named_by_place(atoms: Iterable[Atom], own: frozenset[str]) -> frozenset[Atom]:
    """The atoms with every variable outside `own` named by where it stands, in an order of their own."""
    names: dict[str, str] = {}

    def named(part: str | Variable) -> str | Variable:
        if isinstance(part, str) or part.name in own:
            return part
        return replace(part, name=names.setdefault(part.name, f"~{len(names)}"))

    ordered = sorted(atoms, key=lambda a: (_key(a), str(a)))
    return frozenset(Atom(tuple(map(named, a.parts)), a.negated) for a in ordered)


def _folded(atoms: Iterable[Atom], substitution: Substitution) -> tuple[Atom, ...]:
    """The atoms as bound, with the case and the spacing of their words made one, and variables of any type."""

    def folded(part: str | Variable) -> str | Variable:
        return " ".join(part.casefold().split()) if isinstance(part, str) else replace(part, type="")

    return tuple(Atom(tuple(map(folded, a.substitute(substitution).parts)), a.negated) for a in atoms)


def _key(atom: Atom) -> str:
    return call_key(atom, Substitution())

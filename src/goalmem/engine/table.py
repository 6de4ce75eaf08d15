"""A table of calls, so that each source is asked once for each atom in a search; and the choice of refinements worth trying.

A refinement must be about the atom's variables and must repeat neither the atom nor an earlier refinement. This is checked without
knowledge of the language: statements are equal if they have the same words, whatever their variables are called. Sources that know the
language also reject paraphrases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from goalmem.cancellation import OutOfTimeError
from goalmem.engine.budget import Budget
from goalmem.engine.state import OpenAtom, SearchState, call_key
from goalmem.engine.step import ExhaustiveSource, ListingSource, RefiningSource, Request, Source, Step
from goalmem.logic.evaluate import needs_all
from goalmem.logic.syntax import format_rule
from goalmem.logic.terms import Atom, Goal, Substitution, Variable

SURE = 0.75
"""Least score of a closing step at which more expensive sources are not asked for the atom."""
CLOSED_WIDTH = 100_000
"""Alternatives taken from a closed source. None may be cut off, because failure means "false" there."""
REFINEMENT = "refinement"
"""The kind of step that `breadth` limits."""


@dataclass(slots=True)
class RefinementLog:
    """The refinements of one atom that were requested so far."""

    offered: list[Step]
    """Refinements offered and not tried yet."""
    taken: list[tuple[Step, ...]] = field(default_factory=list)
    """For each refinement tried: its steps, at most one refinement and what came with it."""
    known: set[tuple[object, ...]] = field(default_factory=set)
    """Steps offered before: a new refinement must add something."""
    ended: bool = False

    @property
    def tried(self) -> tuple[Step, ...]:
        """The refinements and unstated rules tried."""
        return tuple(s for steps in self.taken for s in steps if s.subgoals)

    @property
    def breadth(self) -> int:
        """How many of them refine the atom."""
        return sum(any(s.subgoals for s in steps) for steps in self.taken)


@dataclass(slots=True)
class GoalTable:
    """Asks sources and caches their steps."""

    goal: Goal
    sources: Sequence[Source]
    width: int
    """Facts, edges and rules tried for one atom, from open sources."""
    breadth: int
    """Refinements tried for one atom."""
    budget: Budget = field(default_factory=Budget)
    left_out: bool = field(default=False, init=False)
    """True if there was more for an atom than was tried: if all solutions count, they are not all known."""
    _answers: dict[str, tuple[Step, ...]] = field(default_factory=dict)
    _angles: dict[str, RefinementLog] = field(default_factory=dict)
    _whole: frozenset[str] | None = None

    def steps(self, state: SearchState, open_: OpenAtom) -> tuple[Step, ...]:
        """All steps worth trying for an open atom, best first, in an order independent of the sources; no refinements.

        Sources see only the bindings of the atom's own variables, so that one answer serves every state that agrees in these.
        """
        key = atom_key(open_, state.substitution)
        if key not in self._answers:
            request = self.request(state, open_)
            found = self._offered(request, inferred=open_.inferred)
            self._answers[key] = self._best([s for s in found if s.kind != REFINEMENT])
            refinements = sorted((s for s in found if s.kind == REFINEMENT), key=_in_order)
            self._angles[key] = RefinementLog(refinements, known=set(map(_in_order, self._answers[key])))
        return self._answers[key]

    def _offered(self, request: Request, *, inferred: bool) -> list[Step]:
        """What the sources offer, cheapest first. More expensive ones are asked only while nothing cheaper is certain.

        What a rule asks for (`inferred`) is only looked up in the cheapest sources.
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
        """The steps by the `number`-th refinement of an atom whose other steps failed; none if there is no other.

        Refinements that the sources offered with their other steps are tried first; then refining sources are asked for one more.
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
        """True if an atom may be refined: a refinement is on offer, or a source can be asked for one."""
        offered = self._angles[atom_key(open_, state.substitution)].offered
        return self.breadth > 0 and (bool(offered) or any(isinstance(s, RefiningSource) for s in self.sources))

    @property
    def angles(self) -> int:
        """Most refinements tried for one atom."""
        return max((log.breadth for log in self._angles.values()), default=0)

    @property
    def whole(self) -> frozenset[str]:
        """Names of the sources whose steps are never cut off."""
        if self._whole is None:
            exhaustive = (s for s in self.sources if s.closed or (isinstance(s, ExhaustiveSource) and s.exhaustive))
            self._whole = frozenset(s.name for s in exhaustive)
        return self._whole

    def lists(self, atom: Atom) -> bool:
        """True if a source lists the instances of a negated atom."""
        return any(isinstance(s, ListingSource) and s.lists(atom) for s in self.sources)

    def request(self, state: SearchState, open_: OpenAtom) -> Request:
        """The request for an open atom."""
        atoms = tuple(o.atom for o in state.open)
        bound = relevant(open_, state.substitution)
        limit = max(self.width + needs_all(self.goal), self.breadth)  # one more shows that there are more
        return Request(
            open_.atom, bound, self.goal, atoms, open_.level, limit, budget=self.budget, leave_out=self._leave_out
        )

    def _leave_out(self) -> None:
        self.left_out = True

    def _next(self, state: SearchState, open_: OpenAtom, angles: RefinementLog) -> tuple[Step, ...]:
        """One more refinement. Steps that close the atom are enough, since the search for a refinement may find some."""
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
        """Take the best refinement on offer that was not tried."""
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
        if facts > self.width:
            self._leave_out()
        return tuple(kept)


def atom_key(open_: OpenAtom, substitution: Substitution) -> str:
    """The cache key of an open atom, with the names of its variables."""
    names = ",".join(v.name for v in open_.atom.variables)
    return f"{open_.level}|{names}|{call_key(open_.atom, substitution)}"


def relevant(open_: OpenAtom, substitution: Substitution) -> Substitution:
    """The bindings of the atom's own variables."""
    names = {v.name for v in open_.atom.variables}
    return Substitution(tuple(b for b in substitution.bindings if b.variable.name in names))


def _in_time(asked: Callable[[Request], Sequence[Step]], request: Request) -> Sequence[Step]:
    """What a source offers; nothing if a ceiling of seconds is reached first, which the budget records."""
    try:
        return asked(request)
    except OutOfTimeError:
        request.budget.cut()
        return ()


def _usable(steps: Sequence[Step]) -> list[Step]:
    return [s for s in steps if 0 < s.score <= 1]


def _in_order(step: Step) -> tuple[object, ...]:
    """Sort key: best first, equal scores by content, the latest evidence first. The order of offers has no influence."""
    said = tuple((tuple(-ord(c) for c in e.said), e.turn, e.start, e.end) for e in step.evidence)
    bound = tuple((b.variable.name, b.value.key, b.value.text) for b in step.bindings)
    subgoals = tuple(call_key(a, Substitution()) for a in step.subgoals)
    rule = format_rule(step.rule) if step.rule is not None else ""
    return -step.score, step.kind, step.source, step.negated, bound, said, rule, subgoals


def is_new(step: Step, atom: Atom, substitution: Substitution, tried: Iterable[Step]) -> bool:
    """True if the subgoals of a step differ from `atom` and from the steps `tried`."""
    (asked,) = _folded((atom,), substitution)
    subgoals = _folded(step.subgoals, substitution)
    if asked in subgoals or all(_key(a) == _key(asked) for a in subgoals):
        return False
    own = frozenset(v.name for v in asked.variables)
    said = _named_by_place(subgoals, own)
    return all(said != _named_by_place(_folded(t.subgoals, substitution), own) for t in tried)


def is_linked(step: Step, atom: Atom) -> bool:
    """True if every subgoal shares a variable with `atom`, directly or through other subgoals."""
    reach = {v.name for v in atom.variables}
    waiting = [{v.name for v in a.variables} for a in step.subgoals]
    while linked := [names for names in waiting if names & reach]:
        waiting = [names for names in waiting if not names & reach]
        reach = reach.union(*linked)
    return bool(step.subgoals) and not waiting


def _named_by_place(atoms: Iterable[Atom], own: frozenset[str]) -> frozenset[Atom]:
    """The atoms with every variable outside `own` renamed by its position."""
    names: dict[str, str] = {}

    def named(part: str | Variable) -> str | Variable:
        if isinstance(part, str) or part.name in own:
            return part
        return replace(part, name=names.setdefault(part.name, f"~{len(names)}"))

    ordered = sorted(atoms, key=lambda a: (_key(a), str(a)))
    return frozenset(Atom(tuple(map(named, a.parts)), a.negated) for a in ordered)


def _folded(atoms: Iterable[Atom], substitution: Substitution) -> tuple[Atom, ...]:
    """The atoms as bound, with case and spacing normalised and types removed."""

    def folded(part: str | Variable) -> str | Variable:
        return " ".join(part.casefold().split()) if isinstance(part, str) else replace(part, type="")

    return tuple(Atom(tuple(map(folded, a.substitute(substitution).parts)), a.negated) for a in atoms)


def _key(atom: Atom) -> str:
    return call_key(atom, Substitution())

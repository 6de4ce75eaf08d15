"""A state of the search: open goals, what is bound, and what was closed on the way. Immutable."""

from __future__ import annotations

from dataclasses import dataclass, field

from goalmem.engine.outcome import ClosedAtom
from goalmem.engine.step import Step
from goalmem.logic.terms import Atom, Substitution, Variable


@dataclass(frozen=True, slots=True)
class OpenAtom:
    """An atom to be closed, and where it came from."""

    id: int
    atom: Atom
    level: int = 0
    """Refinements above it."""
    rules: int = 0
    """Rules above it."""
    ancestors: frozenset[str] = frozenset()
    """Call keys, with and without variable names, of what it is to help prove."""
    after: frozenset[int] = frozenset()
    """Ids of what must be closed before it: open ones, also those that the steps for what it waits for opened."""
    root: int = 0
    """Which atom of the goal it serves."""
    top: bool = False
    """True for the atoms of the goal itself."""


@dataclass(frozen=True, slots=True)
class ClosedEntry:
    """A closed atom, by the step that closed it and the ids that this step opened."""

    id: int
    atom: Atom
    step: Step
    children: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchState:
    """Open goals + substitution + steps so far + score (design.md, The engine)."""

    open: tuple[OpenAtom, ...]
    substitution: Substitution = field(default_factory=Substitution)
    closed: tuple[ClosedEntry, ...] = ()
    score: float = 1.0
    next_id: int = 0
    against: bool = False
    """True once a step was taken that says the opposite of its atom."""
    failure: str = ""
    """Why this state can go no further, where that is not for want of a step."""
    later: int = 0
    """How many angles failed before those that were taken to come here, over all of its refinements."""

    @property
    def names(self) -> frozenset[str]:
        """The variables that stand for something in it already."""
        atoms = (*(o.atom for o in self.open), *(e.atom for e in self.closed))
        return frozenset(v.name for a in atoms for v in a.variables) | frozenset(self.substitution)


def call_key(atom: Atom, substitution: Substitution) -> str:
    """What an atom asks under a substitution, whatever its open variables are called."""
    names: dict[str, str] = {}
    out = ["-" if atom.negated else "+"]
    for part in atom.parts:
        if isinstance(part, str):
            out.append(part)
        elif part.name in substitution:
            out.append(f"\x01{substitution[part.name].key}\x02")
        else:
            out.append(f"\x03{names.setdefault(part.name, str(len(names)))}:{part.type}\x02")
    return "".join(out)


def named_key(atom: Atom, substitution: Substitution) -> str:
    """What an atom asks under a substitution, of which open variables."""
    names = ",".join(v.name for v in atom.variables if v.name not in substitution)
    return f"{names}={call_key(atom, substitution)}"


def signature(state: SearchState, kept: frozenset[str]) -> str:
    """What is left to do and what the goal's own variables (`kept`) stand for: states that agree in it differ only in
    how they got there, so that the best of them is enough. It does not depend on the order of anything.
    """
    keys = {o.id: call_key(o.atom, state.substitution) for o in state.open}
    opens = sorted(state.open, key=lambda o: (keys[o.id], o.level))
    names: dict[str, str] = {}
    out = ["!" if state.against else "."]
    for o in opens:
        awaited = "\x07".join(sorted(keys[i] for i in o.after))
        out.append(f"\x04{o.level},{awaited},{o.atom.negated:d}")
        for part in o.atom.parts:
            if isinstance(part, str):
                out.append(part)
            elif part.name in state.substitution:
                out.append(f"\x01{part.name if part.name in kept else ''}={state.substitution[part.name].key}\x02")
            else:
                name = part.name if part.name in kept else names.setdefault(part.name, f"~{len(names)}")
                out.append(f"\x03{name}:{part.type}\x02")
    bound = sorted((b.variable.name, b.value.key) for b in state.substitution.bindings if b.variable.name in kept)
    return "".join(out) + "\x05" + "\x06".join(f"{n}={k}" for n, k in bound)


def rename_apart(atoms: tuple[Atom, ...], keep: frozenset[str], mark: int) -> tuple[Atom, ...]:
    """The atoms with every variable outside `keep` renamed `name~mark`: a rule's own variables are new at each use."""

    def renamed(part: str | Variable) -> str | Variable:
        if isinstance(part, str) or part.name in keep:
            return part
        return Variable(f"{part.name.partition('~')[0]}~{mark}", part.type)

    return tuple(Atom(tuple(map(renamed, a.parts)), a.negated) for a in atoms)


def tree(state: SearchState, roots: tuple[int, ...]) -> tuple[ClosedAtom, ...]:
    """The steps taken, as one tree for each of `roots`; what is open has no step."""
    entries = {e.id: e for e in state.closed}
    opens = {o.id: o for o in state.open}

    def grown(id_: int) -> ClosedAtom:
        entry = entries.get(id_)
        if entry is None:
            return ClosedAtom(opens[id_].atom, None)
        return ClosedAtom(entry.atom, entry.step, tuple(grown(c) for c in entry.children))

    return tuple(map(grown, roots))

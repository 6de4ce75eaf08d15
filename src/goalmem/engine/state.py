"""A state of the search: open atoms, bindings, and closed atoms. Immutable."""

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
    """Rules of closed sources above it."""
    inferred: bool = False
    """Whether a rule is above it that no model assumed: then it is looked up, and not read out of passages."""
    ancestors: frozenset[str] = frozenset()
    """Call keys, with and without variable names, of the atoms that it helps to prove."""
    after: frozenset[int] = frozenset()
    """Ids of open atoms to be closed before it, including those opened by steps for them."""
    root: int = 0
    """Index of the goal's atom that it serves."""
    top: bool = False
    """True for the atoms of the goal itself."""


@dataclass(frozen=True, slots=True)
class ClosedEntry:
    """A closed atom, with the step that closed it and the ids that this step opened."""

    id: int
    atom: Atom
    step: Step
    children: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchState:
    """Open atoms, substitution, closed atoms and score (design.md, The engine)."""

    open: tuple[OpenAtom, ...]
    substitution: Substitution = field(default_factory=Substitution)
    closed: tuple[ClosedEntry, ...] = ()
    score: float = 1.0
    next_id: int = 0
    against: bool = False
    """True after a step that contradicts its atom."""
    failure: str = ""
    """Why this state cannot be continued, unless steps are missing."""
    later: int = 0
    """Refinements that failed before those taken on the way here."""

    @property
    def names(self) -> frozenset[str]:
        """Variables already used in the state."""
        atoms = (*(o.atom for o in self.open), *(e.atom for e in self.closed))
        return frozenset(v.name for a in atoms for v in a.variables) | frozenset(self.substitution)


def call_key(atom: Atom, substitution: Substitution) -> str:
    """A key of what an atom asks under a substitution, independent of the names of open variables."""
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
    """The same, with the names of the open variables."""
    names = ",".join(v.name for v in atom.variables if v.name not in substitution)
    return f"{names}={call_key(atom, substitution)}"


def signature(state: SearchState, kept: frozenset[str]) -> str:
    """A key of the open atoms and the values of the goal's own variables (`kept`). States with the same key differ only in how they were
    reached, so that the best one is enough. Independent of any order.
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
    """Rename every variable outside `keep` to `name~mark`: a rule's variables are new in each use."""

    def renamed(part: str | Variable) -> str | Variable:
        if isinstance(part, str) or part.name in keep:
            return part
        return Variable(f"{part.name.partition('~')[0]}~{mark}", part.type)

    return tuple(Atom(tuple(map(renamed, a.parts)), a.negated) for a in atoms)


def tree(state: SearchState, roots: tuple[int, ...]) -> tuple[ClosedAtom, ...]:
    """The steps taken, as one tree for each of `roots`; open atoms have no step."""
    entries = {e.id: e for e in state.closed}
    opens = {o.id: o for o in state.open}

    def grown(id_: int) -> ClosedAtom:
        entry = entries.get(id_)
        if entry is None:
            return ClosedAtom(opens[id_].atom, None)
        return ClosedAtom(entry.atom, entry.step, tuple(grown(c) for c in entry.children))

    return tuple(map(grown, roots))

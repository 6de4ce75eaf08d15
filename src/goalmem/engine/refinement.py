"""Which refinements of an atom are worth trying: those about its variables that repeat neither it nor an earlier one.

This is what can be told without knowing the language: statements are the same when they have the same words, whatever
their variables are called. Sources that know it also refuse the same thing in other words.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from goalmem.engine.state import call_key
from goalmem.engine.step import Step
from goalmem.logic.terms import Atom, Substitution, Variable

__all__ = ["is_linked", "is_new"]


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

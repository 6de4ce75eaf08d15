"""Which open atom to close next: the most constrained one, so that the search branches least."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from goalmem.engine.state import Open, State, call_key, named_key
from goalmem.logic.terms import Atom

__all__ = ["Choice", "choose"]


@dataclass(frozen=True, slots=True)
class Choice:
    """The atom to close next; None when the state can go no further."""

    open: Open | None
    floundered: bool = False
    """True when what is left cannot be asked, although something may be true of it."""


def choose(state: State, failed: Collection[Open] = (), lists: Callable[[Atom], bool] = lambda _: False) -> Choice:
    """The atom with the fewest open variables; then one that shares a bound variable; then the one that says most.

    After those that nothing closes as they are (`failed`) comes one that may bind a variable of theirs: what is found
    for an atom depends on what is known already.

    An atom waits for what it comes after. A negated one waits until it is ground, since failure to prove it says
    nothing about its instances, unless some source lists these (`lists`). One that asks what it is itself to help prove would go in a circle: it waits until
    another atom has bound its variables, and ends the state when none can or when it asks for the very same ones.
    """
    ready = [o for o in state.open if not o.after]
    if any(named_key(o.atom, state.substitution) in o.ancestors for o in ready):
        return Choice(None)
    askable = [
        o
        for o in ready
        if not (o.atom.negated and _open_variables(o.atom, state) and not lists(o.atom))
        and call_key(o.atom, state.substitution) not in o.ancestors
    ]
    if failed:
        lacking = {v.name for o in failed for v in o.atom.variables} - set(state.substitution)
        askable = [o for o in askable if o not in failed and lacking & {v.name for v in o.atom.variables}]
        return Choice(min(askable, key=lambda o: _constrained(o, state), default=None))
    if not askable:
        return Choice(None, floundered=True)
    return Choice(min(askable, key=lambda o: _constrained(o, state)))


def _open_variables(atom: Atom, state: State) -> int:
    return sum(v.name not in state.substitution for v in atom.variables)


def _constrained(open_: Open, state: State) -> tuple[object, ...]:
    atom = open_.atom
    open_variables = _open_variables(atom, state)
    shares = open_variables < len(atom.variables)
    words = sum(len(p.split()) for p in atom.parts if isinstance(p, str))
    return open_variables, not shares, -words, named_key(atom, state.substitution), open_.level

"""What a search tells its listener: what it set out to prove, and each step of the states it goes on with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from goalmem.engine.events import Event, Listener, silent
from goalmem.engine.state import Entry, State
from goalmem.logic.syntax import format_atom, format_rule
from goalmem.logic.terms import Goal

__all__ = ["Teller"]


@dataclass(slots=True)
class Teller:
    """Tells each thing once, however many states of the search share it."""

    listener: Listener = silent
    _told: set[tuple[str, ...]] = field(default_factory=set)

    def begun(self, goal: Goal) -> None:
        """A search for a proof of `goal` begins."""
        if self.listener is silent:
            return
        atoms = tuple(map(format_atom, goal.atoms))
        self.listener(Event("subgoals", " & ".join(atoms), {"atoms": atoms}))

    def reached(self, state: State) -> None:
        """The search goes on with this state."""
        if self.listener is silent or not state.closed:
            return
        for event in events_of(state.closed[-1]):
            key = (event.kind, event.text, str(event.data.get("turn", "")))
            if key not in self._told:
                self._told.add(key)
                self.listener(event)


def events_of(entry: Entry) -> Iterator[Event]:
    """A step as what it opened, or as what it bound."""
    step = entry.step
    atom = format_atom(entry.atom)
    if step.subgoals:
        subgoals = tuple(map(format_atom, step.subgoals))
        yield Event(
            "refinement",
            f"{atom} if {' and '.join(subgoals)}",
            {
                "atom": atom,
                "subgoals": subgoals,
                "by": step.kind,
                "source": step.source,
                "relation": step.relation.value if step.relation is not None else None,
                "rule": format_rule(step.rule) if step.rule is not None else None,
            },
        )
    for binding in step.bindings:
        variable = binding.variable
        yield Event(
            "binding",
            f"{variable} = {binding.value.text}",
            {
                "variable": variable.name,
                "type": variable.type,
                "value": binding.value.text,
                "turn": binding.turn,
                "atom": atom,
                "source": step.source,
                "score": step.score,
            },
        )

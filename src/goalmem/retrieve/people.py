"""Who of a space's speakers are people, and which of them a question may come from."""

from __future__ import annotations

from collections.abc import Collection, Sequence

__all__ = ["MACHINES", "only", "spelled"]

MACHINES = frozenset({"assistant", "system", "tool"})
"""Roles that are no person's."""


def only(people: Sequence[str]) -> str:
    """The one name of some; empty where there are none or several."""
    return people[0] if len(set(people)) == 1 else ""


def spelled(name: str, known: Collection[str]) -> str:
    """A name as it is known, whatever its capitals; as it is given, where it is not known."""
    if name in known:
        return name
    return next((k for k in known if k.casefold() == name.casefold()), name)

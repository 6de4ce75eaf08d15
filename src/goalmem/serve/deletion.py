"""Forgetting, and what would go."""

from __future__ import annotations

from typing import Any

from goalmem.errors import InputError, NotFoundError
from goalmem.memory import Memory
from goalmem.serve.plain import turn_row
from goalmem.serve.requests import Forget
from goalmem.serve.stores import store_of

__all__ = ["forget"]

SHOWN = 100
"""Turns of a preview that are shown; all are counted."""


def forget(memory: Memory, space: str, wanted: Forget) -> dict[str, Any]:
    """Forget, or say what would go. Raises InputError unless exactly one thing is named, NotFoundError when it is not there."""
    if sum((wanted.turn is not None, wanted.session is not None, wanted.everything)) != 1:
        raise InputError("It is not said what to forget.", "Send one of `turn`, `session` and `everything: true`.")
    if wanted.preview:
        return _preview(memory, space, wanted)
    gone = memory.forget(turn=wanted.turn, session=wanted.session, space=space)
    counts = {
        "turns": gone.turns,
        "facts": gone.facts,
        "sessions": gone.sessions,
        "rules": gone.rules,
        "triples": gone.triples,
    }
    return {"preview": False, **counts, "items": []}


def _preview(memory: Memory, space: str, wanted: Forget) -> dict[str, Any]:
    store = store_of(memory)
    if wanted.everything:
        held = memory.stats(space=space)
        if not (held.turns or held.rules or held.triples):
            raise NotFoundError(f"There is nothing in the space {space!r}.", "Check the name.")
        counts = {
            "turns": held.turns,
            "facts": held.facts,
            "sessions": held.sessions,
            "rules": held.rules,
            "triples": held.triples,
        }
        return {"preview": True, **counts, "items": []}
    if wanted.turn is not None:
        turns = [memory.turn(wanted.turn, space=space)]
        alone = len(store.session_turns(space, turns[0].session)) == 1
    else:
        turns = store.session_turns(space, wanted.session or "")
        alone = True
    if not turns:
        raise NotFoundError(f"There is no session {wanted.session!r} in the space {space!r}.", "Check the name.")
    facts = len(store.facts(space, turns=[t.id for t in turns]))
    counts = {"turns": len(turns), "facts": facts, "sessions": int(alone), "rules": 0, "triples": 0}
    return {"preview": True, **counts, "items": [turn_row(t) for t in turns[:SHOWN]]}

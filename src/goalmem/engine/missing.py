"""What a failed search lacked: for each part left open, the conditions that the nearest facts failed."""

from __future__ import annotations

from dataclasses import replace

from goalmem.engine.outcome import Missing
from goalmem.engine.state import Open, State, named_key
from goalmem.engine.step import NearMiss
from goalmem.engine.table import Table

__all__ = ["MAX_MISSES", "missing_parts"]

MAX_MISSES = 3
"""Near misses kept for one atom."""


def missing_parts(state: State, table: Table, *, shortage: str = "") -> tuple[Missing, ...]:
    """What keeps `state` from being a proof, the most constrained part first.

    `shortage` says in words which limit ended the search; empty when it was through.
    """
    parts: dict[str, Missing] = {}
    if state.failure:
        last = state.closed[-1]
        evidence = last.step.evidence[0] if last.step.evidence else None
        miss = NearMiss("not-unified", state.failure, evidence, last.step.score)
        atom = last.atom.substitute(state.substitution)
        parts[named_key(last.atom, state.substitution)] = Missing(atom, (miss,))
    for open_ in sorted(
        (as_asked(o, state, table) for o in state.open),
        key=lambda o: (_open_variables(o, state), named_key(o.atom, state.substitution)),
    ):
        key = named_key(open_.atom, state.substitution)
        if key not in parts:
            misses = _misses(state, open_, table, shortage)
            parts[key] = Missing(open_.atom.substitute(state.substitution), misses)
    return tuple(parts.values())


def as_asked(open_: Open, state: State, table: Table) -> Open:
    """The goal's own atom that a rule's condition serves: what one rule of common knowledge would have needed is no part of
    the question. What a rule needs that somebody stated is worth saying.
    """
    stated = {s.name for s in table.sources if s.closed}
    rules = (e for e in state.closed if e.step.kind == "rule" and e.step.source not in stated)
    by_rule = any(open_.id in entry.children for entry in rules)
    return replace(open_, atom=table.goal.atoms[open_.root], top=True) if by_rule else open_


def _misses(state: State, open_: Open, table: Table, shortage: str) -> tuple[NearMiss, ...]:
    if shortage:
        return (NearMiss("over-budget", f"{shortage} before this was found", None, 0.0),)
    request = table.request(state, open_)
    found = [m for source in table.sources for m in source.near_misses(request)]
    found.sort(key=lambda m: (-m.score, m.stage, m.reason, m.evidence.turn if m.evidence else ""))
    return tuple(found[:MAX_MISSES]) or (NearMiss("never-said", "nothing remembered says this", None, 0.0),)


def _open_variables(open_: Open, state: State) -> int:
    return sum(v.name not in state.substitution for v in open_.atom.variables)

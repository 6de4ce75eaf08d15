"""Conditions on what callers noted about turns, as SQL for both databases; each goes through the index of `attribute`."""

from __future__ import annotations

from collections.abc import Sequence

from goalmem.store.codec import attribute
from goalmem.store.metadata import Condition, Where
from goalmem.store.tables import Dialect, Query, Tables

__all__ = ["conditions_on", "matching", "restrict"]

_SIGNS = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
_NUMBER, _TEXT, _BEHIND_TEXTS = "#", "=", ">"
"""Marks of `codec.attribute`, and what sorts behind every text."""


def conditions_on(dialect: Dialect, where: Where, column: str) -> tuple[list[str], dict[str, object]]:
    """A condition for each of `where` on the column of a turn's number, and their parameters."""
    found, values = _selects(dialect, where)
    return [f"{column} IN ({select})" for select in found], values


def _selects(dialect: Dialect, where: Where) -> tuple[list[str], dict[str, object]]:
    """A SELECT of the numbers of the turns that meet each condition, and the parameters of all."""
    found: list[str] = []
    values: dict[str, object] = {}
    for place, condition in enumerate(where):
        name = f"where_{place}"
        tests = _bounds(condition, name, values) if condition.bounds else _choices(condition, name, values)
        values[f"{name}_name"] = condition.key
        found.append(
            f"SELECT a.{dialect.place[0]} FROM attribute AS a"
            f" WHERE a.space = :space AND a.key = :{name}_name AND ({tests})"
        )
    return found, values


def restrict(query: Query, where: Where, column: str, dialect: Dialect) -> None:
    """Let a query find only turns that meet the conditions."""
    conditions, values = conditions_on(dialect, where, column)
    query.where(*conditions, **values)


def matching(tables: Tables, where: Where, numbers: Sequence[int] | None) -> list[int]:
    """Numbers of the turns that meet the conditions, in order; only of these, where `numbers` are given."""
    if numbers is None and where:
        selects, values = _selects(tables.dialect, where)
        return sorted({seq for (seq,) in tables.rows(" INTERSECT ".join(selects), **values)})
    query = Query(tables, "SELECT t.seq FROM turn AS t", "t")
    if numbers is not None:
        query.where("t.seq IN :numbers", numbers=list(numbers))
    restrict(query, where, "t.seq", tables.dialect)
    return [seq for (seq,) in query.rows("ORDER BY t.seq")]


def _choices(condition: Condition, name: str, values: dict[str, object]) -> str:
    tests = []
    for n, one in enumerate(condition.any_of):
        values[f"{name}_text_{n}"], values[f"{name}_number_{n}"] = attribute(one)
        tests.append(f"a.text = :{name}_text_{n} AND a.number = :{name}_number_{n}")
    return " OR ".join(tests)


def _bounds(condition: Condition, name: str, values: dict[str, object]) -> str:
    of_texts = isinstance(condition.bounds[0][1], str)
    column = "a.text" if of_texts else "a.number"
    tests = [f"{column} {_SIGNS[operator]} :{name}_{operator}" for operator, _ in condition.bounds]
    values |= {f"{name}_{o}": f"{_TEXT}{b}" if of_texts else float(b) for o, b in condition.bounds}
    if of_texts:
        values |= {f"{name}_first": _TEXT, f"{name}_end": _BEHIND_TEXTS}
        tests += [f"a.text >= :{name}_first", f"a.text < :{name}_end"]
    else:
        values[f"{name}_mark"] = _NUMBER
        tests.append(f"a.text = :{name}_mark")
    return " AND ".join(tests)

"""Metadata conditions as SQL for both databases; each uses the index of `attribute`."""

from __future__ import annotations

from collections.abc import Iterable

from goalmem.store.codec import attribute
from goalmem.store.metadata import AnyOf, Condition, NotFilter, Where
from goalmem.store.tables import Dialect, Query, Tables

_SIGNS = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
_NUMBER, _TEXT, _BEHIND_TEXTS = "#", "=", ">"
"""Type marks of `codec.attribute`, and a string that sorts after every text."""


def conditions_on(dialect: Dialect, where: Where, column: str) -> tuple[list[str], dict[str, object]]:
    """A condition for each of `where` on the column of a turn's number, and their parameters."""
    values: dict[str, object] = {}
    return [f"{column} IN ({_select(dialect, condition, values)})" for condition in where], values


def _select(dialect: Dialect, condition: Condition | AnyOf | NotFilter, values: dict[str, object]) -> str:
    """A SELECT of the numbers of the turns that meet a condition, as their `seq`; its parameters are added to `values`."""
    if isinstance(condition, AnyOf):
        return " UNION ".join(_grouped(_all_of(dialect, where, values)) for where in condition.filters)
    if isinstance(condition, NotFilter):
        every = "SELECT t.seq FROM turn AS t WHERE t.space = :space"
        return f"{every} EXCEPT {_grouped(_all_of(dialect, condition.where, values))}"
    name = f"where_{len(values)}"
    values[f"{name}_name"] = condition.key
    tests = _bounds(condition, name, values) if condition.bounds else _choices(condition, name, values)
    return (
        f"SELECT a.{dialect.place[0]} AS seq FROM attribute AS a"
        f" WHERE a.space = :space AND a.key = :{name}_name AND ({tests})"
    )


def _all_of(dialect: Dialect, where: Where, values: dict[str, object]) -> str:
    """The same of turns that meet all conditions."""
    return " INTERSECT ".join(_grouped(_select(dialect, condition, values)) for condition in where)


def _grouped(select: str) -> str:
    """A compound SELECT as a part of another: SQLite takes no brackets around it (sqlite.org/lang_select.html, section 3)."""
    return f"SELECT x.seq FROM ({select}) AS x"


def restrict(query: Query, where: Where, column: str, dialect: Dialect) -> None:
    """Let a query find only turns that meet the conditions."""
    conditions, values = conditions_on(dialect, where, column)
    query.where(*conditions, **values)


def matching(tables: Tables, where: Where, *, numbers: Iterable[int] | None = None) -> list[int]:
    """Numbers (`IndexRow.seq`) of the turns that meet the conditions, in order; of `numbers`, where these are given."""
    if numbers is None and where:
        values: dict[str, object] = {}
        select = _all_of(tables.dialect, where, values)
        return sorted({seq for (seq,) in tables.rows(select, **values)})
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

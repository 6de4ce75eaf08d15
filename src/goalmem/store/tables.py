"""The rows of one space inside a transaction, asked for in statements that both databases understand.

A statement is written once. Its parameters are named (`:name`; `:space` is the space's key and always there), and
`IN :name` takes a list. What the two write differently comes from the `Dialect`: how rows of derived tables are joined
with their turn, which order they were stored in, and where vectors are.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, ClassVar, Concatenate, ParamSpec, Protocol, TypeVar

from goalmem.records import Turn
from goalmem.store.codec import TURN
from goalmem.store.protocol import NewTurn

Row = tuple[Any, ...]
Rows = list[Row]
P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Table:
    """A table, as far as both databases have the same columns of it, beside the space."""

    name: str
    columns: tuple[str, ...]
    types: str
    """PostgreSQL's types of the columns."""

    @property
    def listed(self) -> str:
        """The columns."""
        return ", ".join(self.columns)


@dataclass(frozen=True, slots=True)
class Dialect:
    """What one database writes in its own way. `{0}` stands for the name of a table in the statement."""

    name: str
    numbers: str
    """A list of numbers, `:numbers`, as a table `n` with the column `value`."""
    sorted: str
    """An ORDER BY `{0}`, where the order in which tables are joined does not give it."""
    owned: str
    """A condition to put before one on rows that are of a space by what they belong to, where these name the space, too."""
    space: str
    """The column of `space` that holds the space's key."""
    rule: tuple[str, str]
    """Columns of `rule`: a sentence's id, and in which order they were kept."""
    reply: tuple[str, str, str]
    """The table of replies, and its columns: the key's key, and in which order they were kept."""
    reply_turns: tuple[str, str]
    """The table of the turns that replies were asked about, and its column of their numbers."""
    size: str
    """Bytes of a text, `{0}`."""
    turn: Table
    """Turns, the first columns of `writes.TURN`."""
    place: tuple[str, ...]
    """Columns of a row derived from a turn: the turn's number and, where it is no order of its own, its place in the turn."""
    fact: tuple[str, ...]
    """The same of a fact: `Tables.places`."""
    fact_entity: tuple[str, ...]
    """Columns of `fact_entity` that name a fact, the first of `fact`."""
    counted: str
    """What counts the turns of a space in an UPDATE that adds `:turns` of them."""
    turns: str
    """Turns `t` with their sessions `s`."""
    of_turn: str
    """Joins a row derived from a turn with that turn, `t`."""
    order: str
    """Columns that order the rows derived from turns as they were stored."""
    same_fact: str
    """That a row of `fact_entity` names a fact, `f`."""
    facts_of_entity: str
    """That a fact `f` names the entity `:entity`."""
    signals: str
    """Joins turns `t` with what they are found by."""
    signal: str
    """Columns of the same: vectors, terms, features; `Tables.with_vectors` fills in the first."""
    name_key: str
    """A condition to put before one on a name of any length; `{0}` is the column, `{1}` the parameter."""
    index: Mapping[tuple[str, str], str]
    """What makes the database find rows of a table by a column, where it would not by itself."""
    unused: str
    """Keeps a condition from choosing the index, where the database has no statistics to choose by."""

    def looked_up(self, columns: str, table: str, column: str) -> str:
        """A SELECT of the rows `x` of a table that hold one of `:numbers` in a column, looked up one by one."""
        rows = f"{table} AS x {self.index.get((table, column), '')}"
        return f"SELECT {columns} FROM {self.numbers} CROSS JOIN {rows} WHERE x.space = :space AND x.{column} = n.value"

    @property
    def numbered_turns(self) -> str:
        """A SELECT of turns behind their numbers, whose conditions are to follow."""
        return f"SELECT t.seq, {TURN} FROM {self.turns} WHERE t.space = :space"


class Tables(Protocol):
    """One space in a transaction."""

    @property
    def name(self) -> str:
        """Of the space."""
        ...

    @property
    def dialect(self) -> Dialect:
        """Of the database."""
        ...

    def rows(self, statement: str, **values: object) -> Rows:
        """The rows that a SELECT finds. A list of more than a few hundred texts may be asked in parts."""
        ...

    def run(self, statement: str, **values: object) -> int:
        """Run a statement that writes; how many rows it changed."""
        ...

    def each(self, statement: str, numbers: Sequence[int], **values: object) -> Rows:
        """The rows that a SELECT finds for one number after another, each of which is `:value` in it."""
        ...

    def add(self, table: Table, rows: Iterable[Row], *, fresh: bool = False) -> int:
        """Add rows to a table; with `fresh` those that are not there yet. How many were added."""
        ...

    def make(self) -> None:
        """Make the space where it is new, and hold it until the transaction ends."""
        ...

    def hold(self) -> bool:
        """Hold the space until the transaction ends; False where there is no such space."""
        ...

    def next_change(self) -> int:
        """A number that no change of the store had: a space that was emptied and filled again never shows an old one."""
        ...

    def text_removed(self, *, more: bool = False) -> None:
        """Note that deleted text is to be overwritten; where `more` is to go, not before that has gone."""
        ...

    def key(self, name: str) -> Any:
        """What stands for a name in an index."""
        ...

    def next_turn(self) -> int:
        """The number of the next turn. Never used again."""
        ...

    def places(self, facts: Sequence[tuple[int, int]]) -> Rows:
        """The columns `Dialect.fact` of new facts, given the number of the turn and the place in it of each."""
        ...

    def add_turns(self, numbered: Sequence[tuple[int, NewTurn]], rows: Sequence[Row]) -> None:
        """Add turns, with what their phrases are found by; `rows` are the columns `writes.TURN`."""
        ...

    def add_signals(self, numbered: Sequence[tuple[int, NewTurn]]) -> None:
        """Add what turns that are there are found by."""
        ...

    def remove_turns(self, numbers: Sequence[int], *, every: bool) -> int:
        """Remove turns, `every` one of the space or some, and all that is derived from them; how many facts that were."""
        ...

    def change_text(self, seq: int, turn: Turn) -> None:
        """Give a turn that is there another text, with what its phrases are found by, and none of what is derived from it."""
        ...

    def remove_derived(self, numbered: Sequence[tuple[int, NewTurn]]) -> None:
        """Remove what was read out of turns and is to be added anew."""
        ...

    def with_phrase(self, phrase: str, limit: int) -> list[str]:
        """Ids of turns that hold the words of a phrase next to each other, in the order stored."""
        ...

    def database_bytes(self) -> int:
        """Size of the whole store."""
        ...

    def session(self, name: str) -> Any:
        """The key of a session; of none where there is no such session."""
        ...

    def with_vectors(self, rows: Rows, place: int) -> Rows:
        """Rows that begin with the number of a turn, its vectors in column `place`; empty where they are lost."""
        ...


class SpaceTransactions(ABC):
    """Transactions in the spaces of a database; what works in one is given its `Tables`."""

    dialect: ClassVar[Dialect]
    """Of the database."""

    @abstractmethod
    def spaces(self) -> list[str]:
        """Every space that holds something, sorted."""

    @abstractmethod
    def read(self, space: str, query: Callable[[Any], T]) -> T:
        """What `query` finds in one state of the space; where there is no such space, it finds no rows."""

    @abstractmethod
    def read_vectors(self, space: str, query: Callable[[Any], T]) -> T:
        """As `read`, for what reads vectors. Raises OtherModelError where they are of another model by now."""

    @abstractmethod
    def write(self, space: str, work: Callable[[Any], T]) -> T:
        """Do `work` in one durable transaction. Work that raises leaves nothing behind."""

    @abstractmethod
    def write_vectors(self, space: str, work: Callable[[Any], T]) -> T:
        """As `write`, for what adds vectors. Raises OtherModelError where they are of another model by now."""

    def write_much(self, space: str, work: Callable[[Any], T]) -> T:
        """As `write`, for work that goes through many rows."""
        return self.write(space, work)


def reading(query: Callable[Concatenate[Any, P], T]) -> Callable[Concatenate[SpaceTransactions, str, P], T]:
    """A method that gives what a query finds in one state of a space, which is named in the place of its tables: the other
    parameters, the result and the documentation are the query's.
    """
    return _asked_by(lambda store: store.read, query)


def reading_vectors(query: Callable[Concatenate[Any, P], T]) -> Callable[Concatenate[SpaceTransactions, str, P], T]:
    """As `reading`, for what reads vectors."""
    return _asked_by(lambda store: store.read_vectors, query)


def _asked_by(
    run: Callable[[SpaceTransactions], Callable[[str, Callable[[Any], T]], T]],
    query: Callable[Concatenate[Any, P], T],
) -> Callable[Concatenate[SpaceTransactions, str, P], T]:
    @wraps(query)
    def method(self: SpaceTransactions, space: str, /, *args: P.args, **kwargs: P.kwargs) -> T:
        given: Any = [_read_out(value) for value in args]
        named: Any = {name: _read_out(value) for name, value in kwargs.items()}
        return run(self)(space, lambda tables: query(tables, *given, **named))

    return method


def _read_out(value: object) -> object:
    """A generator is read before a connection is taken: it may itself ask the store."""
    return list(value) if isinstance(value, Iterator) else value


def drop_if_empty(tables: Tables) -> None:
    """Delete the space where it holds neither turns nor rules nor a graph."""
    empty = (f"NOT EXISTS (SELECT 1 FROM {table} WHERE space = :space)" for table in ("turn", "rule", "graph"))
    tables.run(f"DELETE FROM space WHERE {tables.dialect.space} = :space AND {' AND '.join(empty)}")


def renew_epoch(tables: Tables) -> None:
    """Tell every process that has the space in memory to read it anew."""
    tables.run(f"UPDATE space SET epoch = :epoch WHERE {tables.dialect.space} = :space", epoch=tables.next_change())


class Query:
    """A SELECT within a space, whose conditions are added from the most selective on.

    Only the first may choose the index: SQLite has no statistics and would as soon go through a space by a common
    predicate as through the ten turns asked for. A unary plus keeps the others from it (sqlite.org/optoverview.html,
    section 8.1.1).
    """

    def __init__(self, tables: Tables, select: str, table: str) -> None:
        """`table`: by which name in `select` the rows are of the space."""
        self._tables = tables
        self._select = select
        self._space = f"{table}.space = :space"
        self._conditions: list[str] = []
        self._values: dict[str, object] = {}

    def where(self, *conditions: str, **values: object) -> None:
        """Add conditions that begin with a column, unless one of their values is None."""
        if any(value is None for value in values.values()):
            return
        unused = self._tables.dialect.unused if self._conditions else ""
        self._conditions += [unused + condition for condition in conditions]
        self._values |= values

    def named(self, table: str, column: str, name: str | None) -> None:
        """Add that a column of the table holds a name, unless that is None."""
        key = self._tables.dialect.name_key.format(f"{table}.{column}", column)
        self.where(f"{key}{table}.{column} = :{column}", f"{table}.space = :space", **{column: name})

    def among(self, table: str, ids: Iterable[str] | None) -> None:
        """Add that the table's id is one of `ids`, unless that is None."""
        listed = None if ids is None else list(dict.fromkeys(ids))
        self.where(f"{table}.id IN :{table}_ids", f"{table}.space = :space", **{f"{table}_ids": listed})

    def rows(self, tail: str = "", **values: object) -> Rows:
        """The rows found."""
        unused = self._tables.dialect.unused if self._conditions else ""
        conditions = " AND ".join([*self._conditions, unused + self._space])
        return self._tables.rows(f"{self._select} WHERE {conditions} {tail}", **self._values, **values)

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
class TableColumns:
    """Columns of a table that both databases share, without the space."""

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
    """The SQL that differs between databases. `{0}` stands for the name of a table in the statement."""

    name: str
    numbers: str
    """A list of numbers, `:numbers`, as a table `n` with the column `value`."""
    sorted: str
    """An ORDER BY `{0}`, where the order in which tables are joined does not give it."""
    owned: str
    """A condition, put first, for rows that belong to a space through another row, if the table also has the space's
    key.
    """
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
    turn: TableColumns
    """Turns, the first columns of `writes.TURN`."""
    place: tuple[str, ...]
    """Columns of a row derived from a turn: the turn's number and, where it is no order of its own, its place in the turn."""
    fact: tuple[str, ...]
    """The same of a fact: `Tables.places`."""
    fact_entity: tuple[str, ...]
    """Columns of `fact_entity` that name a fact, the first of `fact`."""
    counted: str
    """Assignment in an UPDATE of a space that adds `:turns` to its number of turns."""
    turns: str
    """Turns `t` with their sessions `s`."""
    of_turn: str
    """Joins a row derived from a turn with that turn, `t`."""
    order: str
    """Columns that order the rows derived from turns as they were stored."""
    same_fact: str
    """Condition that a row of `fact_entity` belongs to the fact `f`."""
    facts_of_entity: str
    """Condition that a fact `f` mentions the entity `:entity`."""
    signals: str
    """Joins turns `t` with their signals."""
    signal: str
    """Columns of the same: vectors, terms, features; `Tables.with_vectors` fills in the first."""
    name_key: str
    """A condition to put before one on a name of any length; `{0}` is the column, `{1}` the parameter."""
    index: Mapping[tuple[str, str], str]
    """Hint that makes the database use the index of a column."""
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
    """The rows of one space within a transaction."""

    @property
    def name(self) -> str:
        """Name of the space."""

    @property
    def dialect(self) -> Dialect:
        """The dialect of the database."""

    def rows(self, statement: str, **values: object) -> Rows:
        """The rows that a SELECT finds. A list of more than a few hundred texts may be asked in parts."""

    def run(self, statement: str, **values: object) -> int:
        """Run a statement that writes; how many rows it changed."""

    def each(self, statement: str, numbers: Sequence[int], **values: object) -> Rows:
        """The rows that a SELECT finds for one number after another, each of which is `:value` in it."""

    def add(self, table: TableColumns, rows: Iterable[Row], *, fresh: bool = False) -> int:
        """Add rows to a table; with `fresh` those that are not there yet. How many were added."""

    def make(self) -> None:
        """Make the space where it is new, and hold it until the transaction ends."""

    def hold(self) -> bool:
        """Lock the space until the transaction ends; False if it does not exist."""

    def next_change(self) -> int:
        """A number that no change of the store had: a space that was emptied and filled again never shows an old one."""

    def text_removed(self, *, more: bool = False) -> None:
        """Note that deleted text is to be overwritten; where `more` is to go, not before that has gone."""

    def key(self, name: str) -> Any:
        """The index key of a name."""

    def next_turn(self) -> int:
        """The number of the next turn. Never used again."""

    def places(self, facts: Sequence[tuple[int, int]]) -> Rows:
        """The columns `Dialect.fact` of new facts, given the number of the turn and the place in it of each."""

    def add_turns(self, numbered: Sequence[tuple[int, NewTurn]], rows: Sequence[Row]) -> None:
        """Insert turns with their phrase index; `rows` are the columns `writes.TURN`."""

    def add_signals(self, numbered: Sequence[tuple[int, NewTurn]]) -> None:
        """Insert the signals of existing turns."""

    def remove_turns(self, numbers: Sequence[int], *, every: bool) -> int:
        """Remove turns, `every` one of the space or some, and all that is derived from them; how many facts that were."""

    def change_text(self, seq: int, turn: Turn) -> None:
        """Replace the text of an existing turn and its phrase index; removes everything derived from it."""

    def remove_derived(self, numbered: Sequence[tuple[int, NewTurn]]) -> None:
        """Remove the derived rows of turns that are analysed again."""

    def with_phrase(self, phrase: str, limit: int) -> list[str]:
        """Ids of turns that hold the words of a phrase next to each other, in the order stored."""

    def database_bytes(self) -> int:
        """Size of the whole store."""

    def session(self, name: str) -> Any:
        """The key of a session; None if it does not exist."""

    def with_vectors(self, rows: Rows, place: int) -> Rows:
        """Rows that begin with the number of a turn, its vectors in column `place`; empty where they are lost."""


class SpaceTransactions(ABC):
    """Transactions in the spaces of a database; the work gets their `Tables`."""

    dialect: ClassVar[Dialect]
    """The dialect of the database."""

    @abstractmethod
    def spaces(self) -> list[str]:
        """Every space, sorted; also those that hold nothing but notes of what expired."""

    @abstractmethod
    def read(self, space: str, query: Callable[[Any], T]) -> T:
        """Run `query` in one snapshot of the space; for a missing space it finds no rows."""

    @abstractmethod
    def read_vectors(self, space: str, query: Callable[[Any], T]) -> T:
        """Like `read`, for queries of vectors. Raises OtherModelError if the vectors are of another model by now."""

    @abstractmethod
    def write(self, space: str, work: Callable[[Any], T]) -> T:
        """Run `work` in one durable transaction; if it raises, nothing is stored."""

    @abstractmethod
    def write_vectors(self, space: str, work: Callable[[Any], T]) -> T:
        """Like `write`, for work that adds vectors. Raises OtherModelError if the vectors are of another model by
        now.
        """

    def write_much(self, space: str, work: Callable[[Any], T]) -> T:
        """As `write`, for work that goes through many rows."""
        return self.write(space, work)


def reading(query: Callable[Concatenate[Any, P], T]) -> Callable[Concatenate[SpaceTransactions, str, P], T]:
    """Make a query a method that takes the name of a space in place of its tables and runs in one snapshot; the other
    parameters, the result and the documentation are those of the query.
    """
    return _asked_by(lambda store: store.read, query)


def reading_vectors(query: Callable[Concatenate[Any, P], T]) -> Callable[Concatenate[SpaceTransactions, str, P], T]:
    """Like `reading`, for queries of vectors."""
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


def held_by(space: str) -> str:
    """SQL that is true if a space holds turns, rules or a graph. `space`: the SQL of its key."""
    return " OR ".join(f"EXISTS (SELECT 1 FROM {table} WHERE space = {space})" for table in ("turn", "rule", "graph"))


def drop_if_empty(tables: Tables) -> None:
    """Delete the space where it holds neither turns nor rules nor a graph."""
    tables.run(f"DELETE FROM space WHERE {tables.dialect.space} = :space AND NOT ({held_by(':space')})")


def renew_epoch(tables: Tables) -> None:
    """Make every process that has the space in memory reload it."""
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

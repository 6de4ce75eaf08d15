"""Earlier versions of changed turns: one row per version, deleted together with its turn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import itemgetter

from goalmem.records import Turn, TurnVersion
from goalmem.store.codec import expiry, metadata_of, microseconds, moment
from goalmem.store.metadata import written
from goalmem.store.tables import Query, Row, Rows, TableColumns, Tables

_STATE = "text, metadata, expires, content_hash"


def state_row(turn: Turn | TurnVersion, content_hash: str) -> Row:
    """The columns `_STATE` of a turn or of a version."""
    return turn.text, written(turn.metadata), expiry(turn.expires_at), content_hash


def version_of(text: str, metadata: str, expires: int, content_hash: str, until: int | None = None) -> TurnVersion:
    """A version from the columns `_STATE` and when it ended."""
    ends, ended = moment(expires, 0) if expires else None, None if until is None else moment(until, 0)
    return TurnVersion(text, metadata_of(metadata), ends, content_hash, ended)


def add_versions(tables: Tables, of_turns: Iterable[tuple[int, int, Sequence[TurnVersion]]]) -> None:
    """Keep earlier versions of turns, by the number of each and that of the first version given."""
    place = tables.dialect.place[0]
    table = TableColumns(
        "version", (place, "n", *_STATE.split(", "), "until"), "bigint integer text text bigint text bigint"
    )
    tables.add(
        table,
        [
            (seq, n, *state_row(version, version.content_hash), microseconds(version.until)[0])
            for seq, first, every in of_turns
            for n, version in enumerate(every, start=first)
            if version.until is not None
        ],
    )


def versions(tables: Tables, turns: Iterable[str] | None = None) -> dict[str, list[TurnVersion]]:
    """Turn id -> its versions, the current one last; of these turns, or (None) of all that were ever changed."""
    place = tables.dialect.place[0]
    now = Query(tables, f"SELECT t.seq, t.id, {_columns('t')} FROM turn AS t", "t")
    if turns is None:
        now.where(f"t.seq IN (SELECT {place} FROM version WHERE space = :space)")
    now.among("t", turns)
    found = sorted(now.rows(), key=itemgetter(0))
    before = _earlier(tables, f"v.{place} IN :numbers", numbers=[row[0] for row in found])
    return {id_: [*before.get(seq, []), version_of(*state)] for seq, id_, *state in found}


def versions_between(tables: Tables, first: int, last: int) -> dict[int, list[TurnVersion]]:
    """Earlier versions of the turns with these numbers, by number."""
    return _earlier(tables, f"v.{tables.dialect.place[0]} BETWEEN :first AND :last", first=first, last=last)


def _earlier(tables: Tables, condition: str, **values: object) -> dict[int, list[TurnVersion]]:
    place = tables.dialect.place[0]
    query = Query(tables, f"SELECT v.{place}, {_columns('v')}, v.until FROM version AS v", "v")
    query.where(condition, **values)
    found: dict[int, list[TurnVersion]] = {}
    for seq, *row in query.rows(f"ORDER BY v.{place}, v.n"):
        found.setdefault(seq, []).append(version_of(*row))
    return found


def _columns(short: str) -> str:
    return ", ".join(f"{short}.{column}" for column in _STATE.split(", "))


def known_before(tables: Tables, session: str) -> Rows:
    """Id, content hash, position and place in the call of each version of a session's turns, last first."""
    dialect = tables.dialect
    select = f"SELECT t.id, v.content_hash, t.position, t.call_position FROM version AS v {dialect.of_turn.format('v')}"
    query = Query(tables, select, "v")
    query.where("t.session = :session", session=tables.session(session))
    return query.rows("ORDER BY t.position DESC, v.n DESC")


def fate(tables: Tables, turn: str) -> str:
    """Describe why a turn is not what it was; empty if unknown."""
    at = tables.rows("SELECT max(at) FROM expired WHERE space = :space AND id = :id", id=turn)[0][0]
    if at:
        return f"turn {turn} expired on {moment(at, 0):%Y-%m-%d}"
    join = tables.dialect.of_turn.format("v")
    query = Query(tables, f"SELECT max(v.until) FROM version AS v {join}", "v")
    query.where("t.id = :turn", "t.space = :space", turn=turn)
    until = query.rows()[0][0]
    return f"turn {turn} was changed on {moment(until, 0):%Y-%m-%d}" if until is not None else ""

"""The soundness of a store: its file, its references, and whether everything is there that a turn needs.

What only reading a turn's text can tell (does a fact quote its turn?) is `goalmem.maintenance.check`.
"""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from zlib import crc32

from goalmem.store import phrase_check
from goalmem.store.codec import TURN, turn_of
from goalmem.store.failures import DamagedRowError
from goalmem.store.phrase_check import CHECK
from goalmem.store.phrases import words
from goalmem.store.transactions import snapshot


class Remedy(StrEnum):
    """How a finding is repaired."""

    REINDEX = "reindex"
    """Build SQLite's own indices again."""
    DROP = "drop"
    """Delete orphaned rows."""
    RENUMBER = "renumber"
    """Count again."""
    PHRASES = "phrases"
    """Build the phrase index again."""
    DERIVE = "derive"
    """Analyse the turn again and replace what is derived from it."""
    BACKUP = "backup"
    """None: only a backup has the row that was there."""
    LOCKS = "locks"
    """No automatic repair: the database administrator corrects tables, policies and roles as the finding says."""
    FILE = "file"
    """No automatic repair: pages of the file are damaged, and the file should not be written."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is not as it should be."""

    text: str
    remedy: Remedy
    turns: tuple[int, ...] = ()
    """Numbers of the turns to analyse again."""
    space: str = ""
    """Space of these turns, if numbers are per space."""


_DERIVED = frozenset(
    {
        "signal",
        "next_signal",
        "fact",
        "fact_entity",
        "mention",
        "edge",
        "alias",
        "replies",
        "reply_turns",
        "attribute",
        "version",
    }
)
"""Tables whose rows follow from turns, or cost only time to have again."""
_PRIMARY_CODE = 0xFF
"""The low byte of an extended result code (sqlite.org/rescode.html)."""
_INDEX_FAULTS = ("missing from index", "wrong # of entries in index", "non-unique entry in index")
"""Reports of `PRAGMA integrity_check` that say an index is wrong and the table is not (sqlite.org/pragma.html)."""

_WITHOUT_SIGNAL = "SELECT seq FROM turn WHERE NOT EXISTS (SELECT 1 FROM signal WHERE signal.turn = turn.seq)"
_ODD_VECTOR = (
    "SELECT turn FROM signal WHERE length(vector) = 0"
    " OR length(vector) % (2 * (SELECT value FROM meta WHERE key = 'dimension')) <> 0"
)
_ODD_TERMS = "SELECT turn FROM signal WHERE length(terms) % 8 <> 0 OR length(features) % 8 <> 0"

_READ_OF_TURNS = ("fact", "mention", "edge", "alias")
"""Derived tables with text columns."""
_GRAPH = {
    "nodes without a number of their own": (
        "SELECT count(*) FROM graph AS g WHERE EXISTS (SELECT 1 FROM graph_node WHERE space = g.space)"
        " AND (SELECT count(*) <> 1 + max(node) OR min(node) <> 0 FROM graph_node WHERE space = g.space)"
    ),
    "relations without a number or a name of their own": (
        "SELECT count(*) FROM graph AS g WHERE EXISTS (SELECT 1 FROM graph_relation WHERE space = g.space)"
        " AND (SELECT count(*) <> 1 + max(relation) OR min(relation) <> 0 OR min(name) = ''"
        " FROM graph_relation WHERE space = g.space)"
    ),
    "triples of what is not there": (
        "SELECT count(*) FROM graph_edge AS e"
        " LEFT JOIN graph_node AS s ON s.space = e.space AND s.node = e.subject"
        " LEFT JOIN graph_node AS o ON o.space = e.space AND o.node = e.object"
        " LEFT JOIN graph_relation AS r ON r.space = e.space AND r.relation = e.relation"
        " WHERE s.node IS NULL OR o.node IS NULL OR r.relation IS NULL"
    ),
    "triples that are found from one side alone": (
        # An import that is under way, or was cut off, has merged those of one side before the others (`graphs_import`).
        "SELECT (SELECT count(*) FROM graph_edge_back AS b"
        " LEFT JOIN graph_edge AS e ON e.space = b.space"
        " AND e.subject = b.subject AND e.relation = b.relation AND e.object = b.object"
        " WHERE e.space IS NULL AND NOT EXISTS (SELECT 1 FROM graph_import AS i WHERE i.space = b.space AND NOT i.done))"
        " + (SELECT count(*) FROM graph_edge AS e LEFT JOIN graph_edge_back AS b ON b.space = e.space"
        " AND b.object = e.object AND b.relation = e.relation AND b.subject = e.subject WHERE b.space IS NULL)"
    ),
    "nodes of an unknown kind": "SELECT count(*) FROM graph_node WHERE kind NOT BETWEEN 0 AND 2",
    "names of nodes that are not there": (
        "SELECT count(*) FROM graph_label AS l LEFT JOIN graph_node AS n ON n.space = l.space AND n.node = l.node"
        " WHERE n.node IS NULL"
    ),
    "words of nodes that are not there": (
        "SELECT count(*) FROM graph_key AS k LEFT JOIN graph_node AS n ON n.space = k.space AND n.node = k.node"
        " WHERE n.node IS NULL"
    ),
}
"""Problems of imported graphs, each with a count query."""

_TO_DERIVE = {
    "turns without vector and terms": _WITHOUT_SIGNAL,
    "turns with vectors of another length": _ODD_VECTOR,
    "turns with terms of another length": _ODD_TERMS,
} | {
    f"turns with {what} of another space": (
        f"SELECT turn.seq FROM {table} JOIN turn ON turn.seq = {table}.turn WHERE {table}.space <> turn.space"
    )
    for table, what in {"fact": "facts", "mention": "mentions", "edge": "edges", "alias": "aliases"}.items()
}
_COUNTED = {
    "counts of changes too many or too few": ("SELECT abs(count(*) - 1) FROM epoch", Remedy.RENUMBER),
    "turns above their space's last number": (
        "SELECT count(*) FROM turn JOIN space ON space.id = turn.space WHERE turn.seq > space.last_seq",
        Remedy.RENUMBER,
    ),
    "turns whose session is of another space": (
        "SELECT count(*) FROM turn JOIN session ON session.id = turn.session WHERE session.space <> turn.space",
        Remedy.BACKUP,
    ),
    "replies asked about a turn of another space": (
        "SELECT count(*) FROM reply_turns JOIN replies ON replies.id = reply_turns.reply"
        " JOIN turn ON turn.seq = reply_turns.turn WHERE replies.space <> turn.space",
        Remedy.DROP,
    ),
}


def file_problems(connection: sqlite3.Connection) -> list[str]:
    """Problems of the file itself and of references between rows; works on any schema version."""
    return [finding.text for finding in _file_findings(connection)]


def examine(connection: sqlite3.Connection, *, read_only: bool) -> list[Finding]:
    """Problems of the file, its references and its contents, in one snapshot; empty if sound.

    Raises sqlite3.DatabaseError where the file is too damaged to be asked.
    """
    torn = [] if read_only else list(_torn_index(connection))
    with snapshot(connection), lenient(connection):
        return [
            *_file_findings(connection),
            *_text_findings(connection),
            *_row_findings(connection),
            *(torn or _phrase_findings(connection)),
        ]


@contextmanager
def lenient(connection: sqlite3.Connection) -> Iterator[None]:
    """Replace invalid UTF-8 in texts that are read inside this context."""
    before, connection.text_factory = connection.text_factory, _marked
    try:
        yield
    finally:
        connection.text_factory = before


def _marked(text: bytes) -> str:
    return text.decode(errors="replace")


def _file_findings(connection: sqlite3.Connection) -> list[Finding]:
    found = [
        Finding(text, Remedy.REINDEX if any(fault in text for fault in _INDEX_FAULTS) else Remedy.FILE)
        for (text,) in connection.execute("PRAGMA integrity_check")
        if text != "ok"
    ]
    dangling = _dangling(connection)
    return found + [Finding(text, Remedy.DROP if table in _DERIVED else Remedy.BACKUP) for table, text in dangling]


def _text_findings(connection: sqlite3.Connection) -> Iterator[Finding]:
    """Rows with invalid UTF-8, which cannot be read: counted by table, derived rows by turn."""
    query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'phrase%' ORDER BY name <> 'turn'"
    lost: set[int] = set()
    for table in [name for (name,) in connection.execute(query)]:
        number = {"turn": "seq"}.get(table, "turn" if table in _READ_OF_TURNS else "0")
        found = list(_no_texts(connection, table, number))
        if table == "turn":
            lost.update(found)
        if table not in _READ_OF_TURNS:
            if found:
                yield Finding(f"{len(found)} rows of {table} that are not valid UTF-8", Remedy.BACKUP)
        elif turns := tuple(dict.fromkeys(turn for turn in found if turn not in lost)):
            yield Finding(f"{len(turns)} turns with a row of {table} that is not valid UTF-8", Remedy.DERIVE, turns)


def _no_texts(connection: sqlite3.Connection, table: str, number: str) -> Iterator[int]:
    """The `number` of each row of a table with a text that is not valid UTF-8."""
    columns = [name for _, name, kind, *_ in connection.execute(f"PRAGMA table_info({table})") if kind == "TEXT"]
    if not columns:
        return
    connection.text_factory = bytes
    try:
        for turn, *texts in connection.execute(f"SELECT {number}, {', '.join(columns)} FROM {table}"):
            if not all(map(_is_text, texts)):
                yield turn
    finally:
        connection.text_factory = _marked


def _is_text(written: object) -> bool:
    if not isinstance(written, bytes):
        return written is None
    try:
        return written.isascii() or bool(written.decode())
    except UnicodeDecodeError:
        return False


def _row_findings(connection: sqlite3.Connection) -> Iterator[Finding]:
    kept = connection.execute("SELECT turn, vector, checksum FROM signal WHERE checksum <> 0")
    if altered := tuple(turn for turn, vector, noted in kept if crc32(vector) != noted):
        yield Finding(f"{len(altered)} turns with damaged vectors", Remedy.DERIVE, altered)
    for what, sql in _TO_DERIVE.items():
        if turns := tuple(dict.fromkeys(number for (number,) in connection.execute(sql))):
            yield Finding(f"{len(turns)} {what}", Remedy.DERIVE, turns)
    for what, (sql, remedy) in _COUNTED.items():
        if number := connection.execute(sql).fetchone()[0]:
            yield Finding(f"{number} {what}", remedy)
    for what, sql in _GRAPH.items():
        if number := connection.execute(sql).fetchone()[0]:
            yield Finding(f"{number} {what} in imported graphs (import them again)", Remedy.BACKUP)


def _dangling(connection: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """Tables and descriptions of rows with dangling references."""
    for table, row, parent, _ in connection.execute("PRAGMA foreign_key_check"):
        name = f"row {row}" if row is not None else "a row"
        yield table, f"{name} of {table} refers to a {parent} that is not there"


def _torn_index(connection: sqlite3.Connection) -> Iterator[Finding]:
    """Check the structure of the phrase index. Takes the write lock but writes nothing."""
    try:
        _ask_index(connection)
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & _PRIMARY_CODE == sqlite3.SQLITE_BUSY:
            raise
        yield _torn(error)
    except (sqlite3.DatabaseError, MemoryError) as error:
        yield _torn(error)


def _ask_index(connection: sqlite3.Connection) -> None:
    """Raise SQLite's error for the phrase index. A file is checked in a subprocess, since SQLite may crash."""
    (file,) = [file for _, name, file in connection.execute("PRAGMA database_list") if name == "main"]
    if not file or not sys.executable or getattr(sys, "frozen", False):
        connection.execute(CHECK)
        return
    (busy,) = connection.execute("PRAGMA busy_timeout").fetchone()
    done = subprocess.run(  # noqa: S603 - this Python, on a script of ours
        [sys.executable, "-I", "-S", phrase_check.__file__, file, str(busy)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise sqlite3.DatabaseError("SQLite crashed while it read it")
    if done.stdout:
        code, _, words = done.stdout.strip().partition(" ")
        error = sqlite3.OperationalError(words)
        error.sqlite_errorcode = int(code)
        raise error


def _torn(error: sqlite3.Error | MemoryError) -> Finding:
    return Finding(
        f"the phrase index is damaged: {str(error) or 'it asks for more memory than there is'}", Remedy.PHRASES
    )


def _phrase_findings(connection: sqlite3.Connection) -> Iterator[Finding]:
    """Compare the phrase index with the words of every turn."""
    try:
        held = _indexed(connection)
    except (sqlite3.DatabaseError, MemoryError) as error:
        yield _torn(error)
        return
    lost = turns = told = 0
    for seq, space, *row in connection.execute(
        f"SELECT t.seq, t.space, {TURN} FROM turn AS t LEFT JOIN session AS s ON s.id = t.session"
    ):
        marks, expected = held.pop(seq, 0), 0
        with suppress(DamagedRowError):  # found where turns are read
            said = words(turn_of("", tuple(row)).content)
            turns, told = turns + 1, told + len(said)
            for place, word in enumerate(said):
                expected ^= _mark(f"{space}·{word}", place)
            lost += marks != expected
    if lost:
        yield Finding(f"{lost} turns whose words the phrase index does not hold", Remedy.PHRASES)
    if held:
        yield Finding(f"{len(held)} turns in the phrase index that are not there", Remedy.PHRASES)
    if not lost and not held and _counted(connection) != (turns, told):
        yield Finding("the phrase index has counted other turns and words than there are", Remedy.PHRASES)


def _counted(connection: sqlite3.Connection) -> tuple[int, ...]:
    """Turns and words that the index says it holds: its averages record, varints of the file format (sqlite.org/fts5.html,
    section 9). Its own check leaves the record out, and where it is damaged no turn can be forgotten.
    """
    ((record,),) = connection.execute("SELECT block FROM phrase_data WHERE id = 1").fetchall() or ((b"",),)
    found, number = [], 0
    for byte in record:
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            found.append(number)
            number = 0
    return tuple(found) or (0, 0)


def _indexed(connection: sqlite3.Connection) -> dict[int, int]:
    """Turn number -> checksum of its words and positions in the index."""
    connection.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.indexed USING fts5vocab(main, phrase, instance)")
    held: dict[int, int] = {}
    for term, seq, place in connection.execute('SELECT term, doc, "offset" FROM temp.indexed'):
        held[seq] = held.get(seq, 0) ^ _mark(term, place)
    return held


def _mark(term: str, place: int) -> int:
    """Hash of a word at a position. The index folds ASCII; `words` has folded the rest."""
    return crc32(f"{place} {term}".encode(errors="surrogatepass"))

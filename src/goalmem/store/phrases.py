"""The phrase index: words next to each other, found by FTS5.

Every word is written as `<space number>·<word>`, so a posting list belongs to one space and a phrase of one space can
neither match nor cost anything in another. The index keeps no text of its own (FTS5 `content=''`): the words to
remove are computed from the turn, which is why `words` is frozen: a turn's words must come out the same when it is
forgotten as when it was stored, on any Python.

So the character classes of the words are those of Unicode 3.2, which Python carries unchanged; a letter newer than that is
a word by itself. Characters of scripts written without spaces are words by themselves too, so that any run of them is a
phrase. Punctuation, symbols and emoji separate words. They are folded, without diacritics, in order.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from unicodedata import ucd_3_2_0

from goalmem.store.codec import TURN, turn_of

_UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR")
_DIACRITICS = range(0x300, 0x370)
"""The block of combining marks that Latin, Greek and Cyrillic letters carry."""
_VARIANTS = range(0xFE00, 0xFE10)
"""Variation selectors: how a character is drawn, not which it is."""
_SYMBOLS = (range(0x2000, 0x2C00), range(0x1F000, 0x20000))
"""Unicode ranges of symbols and emoji, including future ones."""
_LONGEST = 64
"""Characters. A longer word (a data URL, say) is held as a hash, which keeps the index small and matches exactly."""


class _Folding(dict[int, str]):
    """Code point -> its folding; filled on demand."""

    def __missing__(self, point: int) -> str:
        folded = self[point] = _fold(chr(point))
        return folded


def _fold(character: str) -> str:
    point = ord(character)
    if point in _DIACRITICS or point in _VARIANTS:
        return ""
    category = ucd_3_2_0.category(character)
    if category == "Cn":
        return " " if any(point in block for block in _SYMBOLS) else f" {character} "
    if category[0] not in "LNM":
        return " "
    if ucd_3_2_0.name(character, "").startswith(_UNSPACED):
        return f" {character} "
    folded = ucd_3_2_0.normalize("NFKD", ucd_3_2_0.normalize("NFKD", character).casefold())
    return "".join(c if ucd_3_2_0.category(c)[0] in "LNM" else " " for c in folded if ord(c) not in _DIACRITICS)


_folding = _Folding()


def words(text: str) -> list[str]:
    """The words of `text`, folded, in order."""
    return [w if len(w) <= _LONGEST else _digest(w) for w in text.translate(_folding).split()]


def _digest(word: str) -> str:
    return blake2b(word.encode(), digest_size=_LONGEST // 4).hexdigest()


_STEP = 500
"""Pages of the index rewritten in one step: some hundredths of a second."""
_MOVED = 2
"""Rows that a step changes at least, unless nothing is left to do."""
_LONGEST_QUERY = 32
"""Maximum number of words in an FTS5 query, whose cost grows with each. The rest of a longer phrase is compared with
the text.
"""


def index_words(connection: sqlite3.Connection, space: int, seq: int, content: str) -> None:
    """Add a turn's words."""
    connection.execute("INSERT INTO phrase (rowid, words) VALUES (?, ?)", (seq, _qualified(space, words(content))))


def remove_words(connection: sqlite3.Connection, space: int, seq: int) -> None:
    """Remove a turn's words; the turn must still be there."""
    content = _content(connection, seq)
    connection.execute(
        "INSERT INTO phrase (phrase, rowid, words) VALUES ('delete', ?, ?)", (seq, _qualified(space, words(content)))
    )


def settle(connection: sqlite3.Connection, *, begun: bool) -> bool:
    """Take a step in rewriting the index without what was removed, which until then stays in it as a mark; False when that is done.

    Outside any transaction: each step is one. (sqlite.org/fts5.html, section 6.8)
    """
    before = connection.total_changes
    connection.execute("INSERT INTO phrase (phrase, rank) VALUES ('merge', ?)", (_STEP if begun else -_STEP,))
    return connection.total_changes - before >= _MOVED


def find(connection: sqlite3.Connection, space: int, phrase: str, limit: int) -> list[str]:
    """Ids of turns that hold the words of `phrase` next to each other, in the order stored."""
    wanted = words(phrase)
    if not wanted or limit < 1:
        return []
    if len(wanted) <= _LONGEST_QUERY:
        return [id_ for id_, _ in _matches(connection, space, wanted, limit)]
    whole = f" {' '.join(wanted)} "
    found: list[str] = []
    for id_, seq in _matches(connection, space, wanted[:_LONGEST_QUERY], -1):
        if whole in f" {' '.join(words(_content(connection, seq)))} ":
            found.append(id_)
            if len(found) == limit:
                break
    return found


def _matches(
    connection: sqlite3.Connection, space: int, wanted: Sequence[str], limit: int
) -> Iterator[tuple[str, int]]:
    return connection.execute(
        "SELECT t.id, t.seq FROM phrase AS p JOIN turn AS t ON t.seq = p.rowid"
        " WHERE p.words MATCH ? AND t.space = ? ORDER BY p.rowid LIMIT ?",
        (f'"{_qualified(space, wanted)}"', space, limit),
    )


def _qualified(space: int, of: Sequence[str]) -> str:
    return " ".join(f"{space}·{word}" for word in of)


def _content(connection: sqlite3.Connection, seq: int) -> str:
    query = f"SELECT {TURN} FROM turn AS t JOIN session AS s ON s.id = t.session WHERE t.seq = ?"
    return turn_of("", connection.execute(query, (seq,)).fetchone()).content

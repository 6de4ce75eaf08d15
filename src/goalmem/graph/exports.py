"""A space's graph as plain data, portion by portion, and back: what an export holds of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple
from itertools import islice
from typing import Any

from goalmem.errors import InputError
from goalmem.graph.protocol import Entry, Kinded, Name, Triple
from goalmem.graph.stored import entries_of
from goalmem.store.graph_store import GraphStore

__all__ = ["PORTION", "entries_in", "portions_of"]

PORTION = 20_000
"""Triples of a portion: some two megabytes as JSON."""
_FIELDS: tuple[tuple[str, type[Entry]], ...] = (("triples", Triple), ("names", Name), ("kinds", Kinded))
_KINDS = frozenset({"entity", "literal", "mediator"})


def portions_of(store: GraphStore, space: str) -> Iterator[dict[str, list[list[Any]]]]:
    """Everything that a space's graph holds: triples, with the names and kinds of what they are the first to name."""
    described: dict[str, list[Name | Kinded]] = {}
    for entry in entries_of(store, space):
        if not isinstance(entry, Triple):
            described.setdefault(entry.identifier, []).append(entry)
    triples = (entry for entry in entries_of(store, space) if isinstance(entry, Triple))
    while portion := list(islice(triples, PORTION)):
        ends = dict.fromkeys(end for triple in portion for end in (triple.subject, triple.object))
        told = [entry for end in ends for entry in described.pop(end, ())]
        written = {
            name: _rows(entry for entry in (*portion, *told) if isinstance(entry, kind)) for name, kind in _FIELDS
        }
        yield {name: rows for name, rows in written.items() if rows}


def entries_in(portion: Mapping[str, Any]) -> list[Entry]:
    """The entries of a portion. Raises InputError for what is none."""
    found: list[Entry] = []
    for name, kind in _FIELDS:
        rows = portion.get(name, [])
        if not isinstance(rows, list):
            raise InputError(f"Its {name} are no list.", "Pass a file that export wrote.")
        found += [_entry(name, kind, row) for row in rows]
    return found


def _rows(entries: Iterable[Entry]) -> list[list[Any]]:
    return [list(astuple(entry)) for entry in entries]


def _entry(name: str, kind: type[Entry], row: Sequence[Any]) -> Entry:
    texts = 3 if name == "triples" else 2
    whole = isinstance(row, list) and len(row) >= texts and all(isinstance(t, str) and t.strip() for t in row[:texts])
    flags = row[texts:] if whole else []
    known = name != "kinds" or (whole and row[1] in _KINDS)
    if not whole or not known or not all(isinstance(f, bool) for f in flags):
        raise InputError(f"{row!r} is none of its {name}.", "Pass a file that export wrote.")
    try:
        return kind(*row)
    except TypeError:
        raise InputError(f"{row!r} is none of its {name}.", "Pass a file that export wrote.") from None

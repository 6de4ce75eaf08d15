"""Import graphs into a store: validated completely first, then stored in chunks; an interrupted import resumes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from typing import Protocol

import numpy as np

from goalmem.cancellation import checkpoint
from goalmem.errors import InputError
from goalmem.graph.entity_names import LONGEST_NAME, folded, implied_kind, name_key, readable, word_key, words_of
from goalmem.graph.protocol import Entry, Kinded, Name, NodeKind, Triple
from goalmem.language.terms import is_unicode
from goalmem.store.graph_store import GraphStore
from goalmem.store.graphs import ENTITY, LITERAL, MEDIATOR, Chunk, ImportState, Spelling

KINDS: dict[NodeKind, int] = {"entity": ENTITY, "literal": LITERAL, "mediator": MEDIATOR}
_CHUNK = 200_000
"""Entries stored in a transaction: about a second of work."""
_LONGEST_WORD = 64
"""Maximum characters of a word that is indexed for spelling correction."""

Progress = Callable[[str, int, int], None]
"""Called with the phase ("checking", "reading", "storing"), the progress, and the total; 0 if unknown."""


class GraphSource(Protocol):
    """Something to import, which can be read more than once."""

    @property
    def name(self) -> str:
        """Name in errors and reports."""

    @property
    def digest(self) -> str:
        """Digest of its content, which identifies imports that were already done."""

    def entries(self) -> Iterator[Entry]:
        """Its entries, the same on each call. Raises InputError with the location of what cannot be read."""


@dataclass(frozen=True, slots=True)
class GraphReport:
    """Result for one source."""

    source: str
    triples: int
    """Triples that were new to the graph, over all the runs that the import took."""
    entries: int
    """Triples, names and kinds that the source holds."""
    known: bool
    """True when all of it had been imported before."""


def import_graph(
    store: GraphStore, space: str, source: GraphSource, *, progress: Progress = lambda *_: None
) -> GraphReport:
    """Add the content of a source to the graph of a space. Repeated or concurrent imports add nothing twice.

    Raises:
        InputError: something in it cannot be used; nothing was imported.
        StoreError: one of its subclasses; what was stored so far is kept, and the same call goes on from there.
    """
    state = store.import_state(space, source.digest)
    held: list[Entry] | None = None
    if state is None:
        total, held = _checked(source, progress)
        state = store.begin(space, source.digest, source.name, total)
    if state.done:
        return GraphReport(source.name, 0, state.total, known=True)
    if state.entries < state.total:
        entries = source.entries() if held is None else iter(held)
        state = _stage(store, space, source.name, entries, state, progress)
    for merged, steps in store.merge(space, state.number):
        progress("storing", merged.steps, steps)
        state = merged
    return GraphReport(source.name, state.triples, state.total, known=False)


def source_of(entries: Iterable[Entry], name: str) -> GraphSource:
    """A source of entries that are in memory. Raises InputError for one that cannot be stored."""
    held = list(entries)
    digest = blake2b(digest_size=16)
    for place, entry in enumerate(held, 1):
        _require_text(entry, f"{name}, entry {place}")
        digest.update(repr(entry).encode())
    return _Held(name, digest.hexdigest(), held)


def spelling(name: str) -> Spelling:
    """Lookup keys of a name, or of an identifier that is a name."""
    own = readable(name)
    if own is None:
        return Spelling((), ())
    words = words_of(own)
    if not words:
        return Spelling((name_key(folded(own)),), ())
    distinct = dict.fromkeys(words if len(words) <= LONGEST_NAME else ())
    kept = [word for word in distinct if len(word) <= _LONGEST_WORD]
    return Spelling((name_key(words), *map(word_key, distinct)), kept)


@dataclass(frozen=True, slots=True)
class _Held:
    name: str
    digest: str
    held: list[Entry]

    def entries(self) -> Iterator[Entry]:
        return iter(self.held)


def _checked(source: GraphSource, progress: Progress) -> tuple[int, list[Entry] | None]:
    """Read all entries of a source without storing them; returns their number, and the entries if they fit one chunk."""
    entries = source.entries()
    held = list(islice(entries, _CHUNK))
    total = len(held)
    triples = any(isinstance(entry, Triple) for entry in held)
    for entry in entries:
        total += 1
        triples = triples or isinstance(entry, Triple)
        if total % _CHUNK == 0:
            checkpoint()
            progress("checking", total, 0)
    if not triples:
        raise InputError(f"{source.name} holds no triples.", "Pass a source with at least one.")
    return total, held if total <= _CHUNK else None


def _stage(
    store: GraphStore, space: str, name: str, entries: Iterator[Entry], state: ImportState, progress: Progress
) -> ImportState:
    next(islice(entries, state.entries, state.entries), None)
    while state.entries < state.total and not state.done:
        checkpoint()
        portion = list(islice(entries, _CHUNK))
        if not portion:
            raise InputError(f"{name} changed while it was imported.", "Import it again.")
        reached = store.stage(space, state.number, _chunk(state.chunks, portion), spelling)
        if reached.chunks > state.chunks + 1:  # another process is ahead
            next(islice(entries, gap := reached.entries - state.entries - len(portion), gap), None)
        state = reached
        progress("reading", state.entries, state.total)
    return state


def _chunk(number: int, entries: list[Entry]) -> Chunk:
    identifiers: dict[str, int] = {}
    relations: dict[str, int] = {}
    rows: list[tuple[int, int, int]] = []
    given: dict[int, int] = {}
    names: list[tuple[int, int, str]] = []
    for entry in entries:
        if isinstance(entry, Triple):
            subject = identifiers.setdefault(entry.subject, len(identifiers))
            relation = relations.setdefault(entry.relation, len(relations))
            rows.append((subject, relation, identifiers.setdefault(entry.object, len(identifiers))))
        elif isinstance(entry, Name):
            names.append((identifiers.setdefault(entry.identifier, len(identifiers)), entry.rank, entry.text))
        elif isinstance(entry, Kinded):
            given[identifiers.setdefault(entry.identifier, len(identifiers))] = KINDS[entry.kind]
    kinds = {place: MEDIATOR for i, place in identifiers.items() if implied_kind(i) == "mediator"} | given
    triples = np.array(rows, dtype=np.uint32).reshape(-1, 3)
    return Chunk(number, len(entries), list(identifiers), list(relations), triples, kinds, given, names)


def _require_text(entry: Entry, where: str) -> None:
    texts: tuple[object, ...] = (
        (entry.subject, entry.relation, entry.object)
        if isinstance(entry, Triple)
        else (entry.identifier, entry.text)
        if isinstance(entry, Name)
        else (entry.identifier,)
    )
    for text in texts:
        if not isinstance(text, str) or not text.strip() or "\0" in text or not is_unicode(text):
            raise InputError(f"{where}: {text!r} is not a valid name.", "Pass text that is not empty and holds no NUL.")

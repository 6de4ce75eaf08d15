"""Whether a store is sound, down to what is derived from each turn; and what is derived, built anew where it is not.

Turns are the truth: what they say is compared with the hash that was kept of it, and never changed. Everything else is
compared with the turn that it names, and read out of that turn again where it does not fit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from goalmem.errors import ReadOnlyStoreError
from goalmem.messages import digest_of
from goalmem.records import Turn
from goalmem.store import NewTurn, SqliteStore
from goalmem.store import rebuild as rebuilding
from goalmem.store.contents import Kept, aliases_before, kept_turns, numbered_turns, numbers
from goalmem.store.integrity import Finding, Remedy

if TYPE_CHECKING:
    from goalmem.extract import Analyzer, Extractor
    from goalmem.models.protocol import Embedder
    from goalmem.retrieve.search import Searcher

__all__ = ["Checked", "check"]

OnProgress = Callable[[str, int, int], None]
"""Told what is done, how many turns are done, and how many there are."""

PAGE = 500
"""Turns read at a time."""
PORTION = 64
"""Turns read anew in one transaction."""
NEARBY = 6
"""Turns before and behind one that is read anew: what its pronouns may stand for, and who takes part."""
HASH_LENGTH = 64
"""Hexadecimal digits of SHA-256."""
UNIT = 0.02
"""How far a vector's length may be from 1: half-precision numbers of a unit vector add up to less than a tenth of it."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check found, what of it was repaired, and what remains."""

    found: tuple[str, ...]
    repaired: tuple[str, ...] = ()
    remaining: tuple[str, ...] = ()

    @property
    def sound(self) -> bool:
        """True when nothing remains."""
        return not self.remaining


@dataclass(frozen=True, slots=True)
class Faults:
    """Turns whose contents do not fit, by their numbers."""

    altered: Counter[str] = field(default_factory=Counter)
    """What cannot be mended, and how often."""
    unfit: dict[str, list[int]] = field(default_factory=dict)
    """What can be read again, and of which turns."""

    def findings(self) -> list[Finding]:
        """The same in words."""
        lost = [Finding(f"{number} {what}", Remedy.BACKUP) for what, number in self.altered.items()]
        return lost + [Finding(f"{len(of)} {what}", Remedy.DERIVE, tuple(of)) for what, of in self.unfit.items()]


def check(
    store: SqliteStore,
    embedder: Embedder,
    *,
    repair: bool = False,
    rebuild: bool = False,
    analyzer: Analyzer | None = None,
    on_progress: OnProgress | None = None,
) -> Checked:
    """Check a store; with `repair`, build anew what follows from turns where it is damaged, and check again.

    With `rebuild` all that is derived is built anew, damaged or not: as this goalmem reads it. What a check finds and
    cannot repair are turns whose text was altered, turns without a session, and damaged pages of the file; to a file with
    damaged pages nothing is written.

    Raises ReadOnlyStoreError when it is to be repaired and cannot be written.
    """
    tell = on_progress or (lambda *_: None)
    found = survey(store, embedder.dimension, tell)
    texts = tuple(finding.text for finding in found)
    hopeless = any(finding.remedy is Remedy.FILE for finding in found)
    wanted = rebuild or (repair and any(finding.remedy is not Remedy.BACKUP for finding in found))
    if hopeless or not wanted:
        return Checked(texts, (), texts)
    if store.read_only:
        raise ReadOnlyStoreError("A store that cannot be written cannot be repaired.", "Copy it to where it can be.")
    repaired = mend(store, embedder, analyzer, found, tell, everything=rebuild)
    remaining = tuple(finding.text for finding in survey(store, embedder.dimension, tell))
    return Checked(texts, tuple(repaired), remaining)


def survey(store: SqliteStore, dimension: int, tell: OnProgress) -> list[Finding]:
    """Everything that is not as it should be."""
    found = store.examine()
    if any(finding.remedy is Remedy.FILE for finding in found):
        return found  # the rows of a damaged page may be anything
    faults = Faults()
    known = {turn for finding in found for turn in finding.turns}
    done, total = 0, sum(store.stats(space).turns for space in store.spaces())
    for page in _pages(store):
        for kept in page:
            if kept.seq not in known:
                _judge(kept, dimension, faults)
        done += len(page)
        tell("checked", done, total)
    return found + faults.findings()


def _pages(store: SqliteStore) -> Iterator[list[Kept]]:
    """Every turn with what is kept of it, some at a time; no reader holds back a checkpoint for long."""
    after = 0
    while page := _page(store, after):
        yield page
        after = page[-1].seq


def _page(store: SqliteStore, after: int) -> list[Kept]:
    with store.looking() as connection:
        return kept_turns(connection, after, PAGE)


def _judge(kept: Kept, dimension: int, faults: Faults) -> None:
    """Compare all that is kept of a turn with its text."""
    turn = kept.turn
    if turn is None:
        faults.altered["turns that cannot be read"] += 1
    elif not _is_unaltered(turn, kept.content_hash):
        faults.altered["turns whose text is not what was stored"] += 1
    else:
        for what in _unfit(kept, turn, dimension):
            faults.unfit.setdefault(what, []).append(kept.seq)


def _is_unaltered(turn: Turn, content_hash: str) -> bool:
    """Whether a turn is what its hash was made of; one that is no hash of ours tells nothing."""
    if len(content_hash) != HASH_LENGTH:
        return True
    return content_hash in (digest_of(turn, timed=False), digest_of(turn, timed=True))


def _unfit(kept: Kept, turn: Turn, dimension: int) -> Iterator[str]:
    """What is derived from a turn and does not follow from it; at most one of each kind."""
    from goalmem.retrieve.enrich import turn_features
    from goalmem.retrieve.personal import personal_features
    from goalmem.retrieve.words import encode_terms

    if not _are_unit(kept.vector, dimension):
        yield "turns with damaged vectors"
    if kept.terms != encode_terms(turn.content):
        yield "turns with damaged terms"
    extraction = kept.extraction
    if extraction is None:
        yield "turns with facts that cannot be read"
        return
    if any(f.text != turn.content[f.start : f.end] or f.start < 0 for f in extraction.facts):
        yield "turns with facts that they do not say"
    if any(m.text != turn.content[m.start : m.end] or m.start < 0 for m in extraction.mentions):
        yield "turns with mentions that are not in them"
    if not kept.indexed:
        yield "turns whose facts are not found by the entities that they name"
    # Turns stored before there were features have none.
    if kept.features and _set(kept.features) != _set(personal_features(turn) + turn_features(extraction)):
        yield "turns with damaged features, or facts that are not there"


def _are_unit(vector: bytes, dimension: int) -> bool:
    """Whether the bytes are vectors of length 1."""
    rows = np.frombuffer(vector, dtype="<f2").astype(np.float32).reshape(-1, dimension)
    return bool(np.all(np.abs(np.linalg.norm(rows, axis=1) - 1.0) < UNIT))  # false of what is no number


def _set(features: bytes) -> frozenset[int]:
    return frozenset(np.frombuffer(features, dtype="<u8").tolist())


def mend(
    store: SqliteStore,
    embedder: Embedder,
    analyzer: Analyzer | None,
    found: Sequence[Finding],
    tell: OnProgress,
    *,
    everything: bool = False,
) -> list[str]:
    """Do what mends these findings; what was done, in words."""
    remedies = {finding.remedy for finding in found}
    done: list[str] = []
    with store.mending() as connection:
        if Remedy.REINDEX in remedies or everything:
            rebuilding.reindex(connection)
            done.append("indices built again")
        if Remedy.DROP in remedies:
            done.append(f"{rebuilding.drop_dangling(connection)} rows deleted that belonged to nothing")
        if Remedy.RENUMBER in remedies:
            rebuilding.renumber(connection)
            done.append("turns counted again")
        if Remedy.PHRASES in remedies or everything:
            rebuilding.rebuild_phrases(connection)
            done.append("phrase index built again")
        rebuilding.renew_epoch(connection)
        every = numbers(connection) if everything else []
    wanted = every or sorted({turn for finding in found for turn in finding.turns})
    if wanted:
        done.append(f"{_read_again(store, embedder, analyzer, wanted, tell)} turns read again")
    return done


def _read_again(
    store: SqliteStore, embedder: Embedder, analyzer: Analyzer | None, wanted: Sequence[int], tell: OnProgress
) -> int:
    """Derive everything from these turns again; how many there were."""
    from goalmem.extract import Analyzer, Extractor
    from goalmem.retrieve.search import Searcher

    parser = analyzer or Analyzer()
    extractor, searcher = Extractor(parser), Searcher(store, embedder)
    done = 0
    for run in _runs(store, wanted):
        made = list(_derived(store, run, extractor, searcher))
        with store.mending() as connection:
            done += rebuilding.replace_derived(connection, made)
            rebuilding.renew_epoch(connection)
        tell("read again", done, len(wanted))
    return done


def _runs(store: SqliteStore, wanted: Sequence[int]) -> Iterator[list[tuple[int, Turn]]]:
    """The turns, with their numbers, in runs that follow one another in one session, in the order stored."""

    def neighbours(entry: tuple[int, tuple[int, Turn]]) -> tuple[str, str, int]:
        place, (_, turn) = entry
        return turn.space, turn.session, turn.position - place

    for start in range(0, len(wanted), PORTION):
        with store.looking() as connection:
            found = numbered_turns(connection, wanted[start : start + PORTION])
        for _, run in groupby(enumerate(found), key=neighbours):
            yield [entry for _, entry in run]


def _derived(
    store: SqliteStore, run: Sequence[tuple[int, Turn]], extractor: Extractor, searcher: Searcher
) -> Iterable[tuple[int, NewTurn]]:
    """What these turns say, read as they were when they were added: after those before them."""
    from goalmem.extract import Context

    first, turns = run[0][1], [turn for _, turn in run]
    around = store.session_turns(
        first.space, first.session, first=max(0, first.position - NEARBY), last=turns[-1].position + NEARBY
    )
    previous = [turn for turn in around if turn.position < first.position]
    speakers = tuple(dict.fromkeys(turn.speaker for turn in around))
    with store.looking() as connection:
        aliases = aliases_before(connection, first.space, run[0][0])
    with ThreadPoolExecutor(1, thread_name_prefix="goalmem-embed") as pool:
        encoding = pool.submit(searcher.encode, turns, previous)
        extractions = extractor.extract(turns, Context(tuple(previous), aliases, speakers))
        encoded = encoding.result()
    for (seq, turn), extraction, (vector, terms) in zip(run, extractions, encoded, strict=True):
        # Its place in the call and its hash are kept with the turn, and stay as they are.
        yield seq, NewTurn(turn, 0, "", extraction, vector, terms, searcher.features(turn, extraction))

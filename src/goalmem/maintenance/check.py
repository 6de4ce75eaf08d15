"""Whether a store is sound, down to what is derived from each turn; and what is derived, built anew where it is not.

Turns are the truth: what they say is compared with the hash that was kept of it, and never changed. Everything else is
compared with the turn that it names, and read out of that turn again where it does not fit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from goalmem.errors import CorruptStoreError, ReadOnlyStoreError, RuleError
from goalmem.io.chat_messages import digest_of
from goalmem.maintenance.reanalysis import read_again
from goalmem.records import Turn
from goalmem.store.contents import StoredTurn
from goalmem.store.integrity import Finding, Remedy
from goalmem.store.repair import Repairs
from goalmem.store.sqlite import SqliteStore

if TYPE_CHECKING:
    from goalmem.language import Analyzer
    from goalmem.models.protocol import Embedder
    from goalmem.store import Store


OnProgress = Callable[[str, int, int], None]
"""Called with the step, the number of turns done, and the number of all turns."""

PAGE = 500
"""Turns read at a time."""
NOT_OURS = frozenset({Remedy.BACKUP, Remedy.LOCKS})
"""Findings that are reported but not repaired."""
HASH_LENGTH = 64
"""Hexadecimal digits of SHA-256."""
UNIT = 0.02
"""Tolerance for a vector's length around 1: the rounding of half-precision unit vectors is below a tenth of it."""


@dataclass(frozen=True, slots=True)
class CheckReport:
    """Result of a check: findings, repairs, and remaining findings."""

    found: tuple[str, ...]
    repaired: tuple[str, ...] = ()
    remaining: tuple[str, ...] = ()

    @property
    def sound(self) -> bool:
        """True if no finding remains."""
        return not self.remaining


@dataclass(frozen=True, slots=True)
class Faults:
    """Turns whose contents do not fit, by their numbers."""

    altered: Counter[str] = field(default_factory=Counter)
    """Findings without a remedy, with their number."""
    unfit: dict[str, list[int]] = field(default_factory=dict)
    """Findings that another analysis repairs, with their turns."""

    def findings(self, space: str) -> list[Finding]:
        """The same in words; `space` where numbers are a space's own."""
        where = f" in the space {space!r}" if space else ""
        lost = [Finding(f"{number} {what}{where}", Remedy.BACKUP, space=space) for what, number in self.altered.items()]
        return lost + [
            Finding(f"{len(of)} {what}{where}", Remedy.DERIVE, tuple(of), space) for what, of in self.unfit.items()
        ]


def check(
    store: Store,
    embedder: Embedder,
    *,
    repair: bool = False,
    rebuild: bool = False,
    analyzer: Analyzer | None = None,
    on_progress: OnProgress | None = None,
) -> CheckReport:
    """Check a store. With `repair`, rebuild damaged derived data and check again.

    With `rebuild` all that is derived is built anew, damaged or not: as this goalmem reads it. What a check finds and
    cannot repair are turns whose text was altered, turns without a session, and damaged pages of the file; to a file with
    damaged pages nothing is written.

    Raises ReadOnlyStoreError when it is to be repaired and cannot be written.
    """
    tell = on_progress or (lambda *_: None)
    found = survey(store, embedder.dimension, tell)
    texts = tuple(finding.text for finding in found)
    hopeless = any(finding.remedy is Remedy.FILE for finding in found)
    wanted = rebuild or (repair and any(finding.remedy not in NOT_OURS for finding in found))
    if hopeless or not wanted:
        return CheckReport(texts, (), texts)
    if store.read_only:
        raise ReadOnlyStoreError("A store that cannot be written cannot be repaired.", "Copy it to where it can be.")
    repaired = mend(store, store.repairs(), embedder, analyzer, found, tell, everything=rebuild)
    remaining = tuple(finding.text for finding in survey(store, embedder.dimension, tell))
    return CheckReport(texts, tuple(repaired), remaining)


def survey(store: Store, dimension: int, tell: OnProgress) -> list[Finding]:
    """Everything that is not as it should be."""
    found = store.examine()
    if any(finding.remedy is Remedy.FILE for finding in found):
        return found  # the rows of a damaged page may be anything
    # Numbers are a file's own, but a database's are each space's own.
    keyed = not isinstance(store, SqliteStore)
    faults: dict[str, Faults] = {}
    known = {(f.space, turn) for f in found if f.remedy is Remedy.DERIVE for turn in f.turns}
    try:
        done, total = 0, sum(store.stats(space).turns for space in store.spaces())
        for page in store.kept_pages(PAGE):
            for kept in page:
                space = kept.space if keyed else ""
                if (space, kept.seq) not in known:
                    _judge(kept, dimension, faults.setdefault(space, Faults()))
            done += len(page)
            tell("checked", done, total)
        found += [finding for space in store.spaces() for finding in _unreadable(store, space)]
    except CorruptStoreError as error:
        found.append(Finding(error.problem, Remedy.BACKUP))
    return found + [finding for space, one in faults.items() for finding in one.findings(space)]


def _unreadable(store: Store, space: str) -> Iterator[Finding]:
    """Unreadable rows that are stored beside turns and cannot be derived again."""
    from goalmem.rules.stored import sentence_from

    kept: dict[str, Callable[[str], object]] = {
        "the times of sessions": store.sessions,
        "earlier versions of turns": partial(_require_versions, store),
        "when turns expire": store.next_expiry,
        "rules": lambda space: [sentence_from(row) for row in store.rules(space)],
    }
    for what, read in kept.items():
        try:
            read(space)
        except (CorruptStoreError, RuleError) as error:
            yield Finding(f"{what} in the space {space!r} cannot be read: {error.problem}", Remedy.BACKUP)


def _require_versions(store: Store, space: str) -> None:
    """Raise CorruptStoreError if an earlier version of a turn does not match its hash."""
    versions = store.versions(space)
    for id_, turn in store.turns(space, versions).items():
        for version in versions[id_]:
            if not _is_unaltered(replace(turn, text=version.text), version.content_hash):
                raise CorruptStoreError("one is not what was stored", "Restore a backup.")


def _judge(kept: StoredTurn, dimension: int, faults: Faults) -> None:
    """Compare all that is kept of a turn with its text."""
    turn = kept.turn
    if turn is None:
        faults.altered["turns that cannot be read"] += 1
    elif not _is_unaltered(turn, kept.content_hash):
        faults.altered["turns whose text is not what was stored"] += 1
    elif not kept.as_stored[0]:
        faults.altered["turns whose metadata, time or place is not what was stored"] += 1
    else:
        for what in _unfit(kept, turn, dimension):
            faults.unfit.setdefault(what, []).append(kept.seq)


def _is_unaltered(turn: Turn, content_hash: str) -> bool:
    """True if a turn matches its hash. A hash in another format cannot be checked."""
    if len(content_hash) != HASH_LENGTH:
        return True
    return content_hash in (digest_of(turn, timed=False), digest_of(turn, timed=True))


def _unfit(kept: StoredTurn, turn: Turn, dimension: int) -> Iterator[str]:
    """Derived data of a turn that does not follow from it; at most one finding of each kind."""
    from goalmem.language.terms import encode_terms
    from goalmem.retrieve.enrich import turn_features
    from goalmem.retrieve.passages import personal_features

    if not _are_unit(kept.vector, dimension):
        yield "turns with damaged vectors"
    if kept.terms != encode_terms(turn.content):
        yield "turns with damaged terms"
    extraction = kept.extraction
    if extraction is None:
        yield "turns with facts that cannot be read"
        return
    if not kept.as_stored[1]:
        yield "turns whose facts and names are not what was stored"
    if any(f.text != turn.content[f.start : f.end] or f.start < 0 for f in extraction.facts):
        yield "turns with facts that they do not say"
    if any(m.text != turn.content[m.start : m.end] or m.start < 0 for m in extraction.mentions):
        yield "turns with mentions that are not in them"
    if not kept.indexed:
        yield "turns whose facts are not found by the entities that they name"
    # Turns stored by older versions have no features.
    if kept.features and _set(kept.features) != _set(personal_features(turn) + turn_features(extraction)):
        yield "turns with damaged features, or facts that are not there"


def _are_unit(vector: bytes, dimension: int) -> bool:
    """True if the bytes are vectors of length 1."""
    rows = np.frombuffer(vector, dtype="<f2").astype(np.float32).reshape(-1, dimension)
    return bool(np.all(np.abs(np.linalg.norm(rows, axis=1) - 1.0) < UNIT))  # False for NaN


def _set(features: bytes) -> frozenset[int]:
    return frozenset(np.frombuffer(features, dtype="<u8").tolist())


# -- repair: analyse turns again and delete orphaned rows -----------------------------------------------------------
# A file is repaired as a whole, a database one space at a time.

PORTION = 64
"""Turns analysed again per transaction."""


def mend(
    store: Store,
    repairs: Repairs,
    embedder: Embedder,
    analyzer: Analyzer | None,
    found: Sequence[Finding],
    tell: OnProgress,
    *,
    everything: bool = False,
) -> list[str]:
    """Apply the remedies of these findings; returns what was done."""
    done = repairs.apply({finding.remedy for finding in found}, everything=everything)
    wanted = repairs.numbers() if everything else _named(found, repairs)
    if any(wanted.values()):
        done.append(f"{_read_again(store, repairs, embedder, analyzer, wanted, tell)} turns read again")
    return done


def _named(found: Sequence[Finding], repairs: Repairs) -> dict[str, list[int]]:
    """The turns that findings name, by space, each once and in order; no space is named where numbers are of them all."""
    named: dict[str, set[int]] = {}
    for finding in found:
        named.setdefault(finding.space, set()).update(finding.turns)
    anywhere = named.pop("", set())
    if anywhere:
        for space, numbers in repairs.numbers().items():
            named.setdefault(space, set()).update(anywhere.intersection(numbers))
    return {space: sorted(turns) for space, turns in named.items()}


def _read_again(
    store: Store,
    repairs: Repairs,
    embedder: Embedder,
    analyzer: Analyzer | None,
    wanted: Mapping[str, Sequence[int]],
    tell: OnProgress,
) -> int:
    """Derive everything from these turns again; how many there were."""
    from goalmem.language import Analyzer, Extractor
    from goalmem.retrieve.search import Searcher

    parser = analyzer or Analyzer()
    extractor, searcher = Extractor(parser), Searcher(store, embedder)
    done, total = 0, sum(map(len, wanted.values()))
    for space, chosen in wanted.items():
        for run in _runs(repairs, space, chosen):
            numbers, turns = zip(*run, strict=True)
            made = read_again(store, turns, extractor, searcher)
            done += repairs.replace(space, list(zip(numbers, made, strict=True)))
            tell("read again", done, total)
    return done


def _runs(repairs: Repairs, space: str, wanted: Sequence[int]) -> Iterator[list[tuple[int, Turn]]]:
    """The turns, with their numbers, in runs that follow one another in one session, in the order stored."""

    def neighbours(entry: tuple[int, tuple[int, Turn]]) -> tuple[str, str, int]:
        place, (_, turn) = entry
        return turn.space, turn.session, turn.position - place

    for start in range(0, len(wanted), PORTION):
        found = repairs.turns(space, wanted[start : start + PORTION])
        for _, run in groupby(enumerate(found), key=neighbours):
            yield [entry for _, entry in run]

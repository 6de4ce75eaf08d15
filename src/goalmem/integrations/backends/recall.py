"""A backend's memories for one question: turns, facts and names for reasoning."""

from __future__ import annotations

import math
import re
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property

from goalmem.integrations.backends.calls import BackendCaller, CallAllowance
from goalmem.integrations.backends.documents import PassageDocument, document_of, is_hash, passage_ids
from goalmem.integrations.backends.protocol import Passage, lookup_of
from goalmem.language import Extractor, TurnContext
from goalmem.records import Extraction, Fact, Turn
from goalmem.retrieve.filters import day_after
from goalmem.retrieve.index import MACHINES, known_spelling, only_name
from goalmem.retrieve.search import RankedTurn
from goalmem.sources.evidence_store import EvidenceStore

KEPT_CHARACTERS = 1_000_000
"""Characters of read turns whose facts are kept: some 7,000 messages, with facts of about 50 MB."""


class BlockReader:
    """Reads runs of turns independently of each other, so that a check reads the same.

    Safe to use from several threads.
    """

    def __init__(self, extractor: Callable[[], Extractor], *, kept: int = KEPT_CHARACTERS) -> None:
        """`extractor` is called on first use: it takes a second to load."""
        self._extractor = extractor
        self._kept = kept
        self._read: OrderedDict[tuple[Turn, ...], Sequence[Extraction]] = OrderedDict()
        self._characters = 0
        self._lock = threading.Lock()

    def read(self, block: tuple[Turn, ...]) -> Sequence[Extraction]:
        """An extraction a turn, in order. Raises ModelError when the language model is not installed."""
        with self._lock:
            if block in self._read:
                self._read.move_to_end(block)
                return self._read[block]
        dated = all(turn.dated for turn in block)
        found = self._extractor().extract(block, TurnContext(dated=dated))
        with self._lock:
            if block not in self._read:
                self._read[block] = found
                self._characters += length(block)
            while self._characters > self._kept:
                oldest, _ = self._read.popitem(last=False)
                self._characters -= length(oldest)
        return found


def length(block: Sequence[Turn]) -> int:
    """Characters of some turns."""
    return sum(len(turn.content) for turn in block)


SEED = 40
"""Passages that the question itself finds, and passages that a quote finds when it is checked."""
MOST_PARTS = 8
"""Turns taken of one passage at a search."""
READ_AT_ONCE = 25_000
"""Characters that one search may bring to be read: about a second of language analysis."""
REPLACED = 3
"""Number of statements per slot (`Fact.slot`) that are searched with, to find what replaced them."""
LAST = 1000
"""Rank with score 0. Scores fall with the logarithm of the rank, like those of goalmem's search: on LoCoMo's
development half, 60 turns scaled to [0, 1], the mean is .82 at rank 2, .63 at 5, .49 at 10, .36 at 20.
"""
WORD = re.compile(r"\w{3,}")


@dataclass
class BackendRecall:
    """The view of a backend for one question: implements `Recollection` and `Finder`.

    Names and aliases come from the results for the question: a check of the answer asks the same question and so knows
    the same names.
    """

    caller: BackendCaller
    reader: BlockReader
    space: str
    at: datetime
    patience: CallAllowance
    _documents: dict[str, PassageDocument] = field(default_factory=dict)
    _turns: dict[str, Turn] = field(default_factory=dict)
    _blocks: dict[str, tuple[Turn, ...]] = field(default_factory=dict)
    """The run in which each turn is read."""
    _found: dict[tuple[str, int], list[RankedTurn]] = field(default_factory=dict)
    _read: dict[str, Extraction] = field(default_factory=dict)
    _gone: set[str] = field(default_factory=set)
    _sought: set[str] = field(default_factory=set)
    _known: tuple[Extraction, ...] = ()
    _asked: tuple[str, ...] = ()
    """The turns that the question finds."""
    _speakers: tuple[str, ...] = ()
    _people: tuple[str, ...] = ()
    _lock: threading.RLock = field(default_factory=threading.RLock)
    """Subgoals may run concurrently; the lock is not held during calls of the backend."""

    def seed(self, question: str) -> None:
        """Search with the question. Raises BackendError for a mistake in a backend that has never answered."""
        found = [self._turns[r.turn] for r in self.rank(question, space=self.space, k=SEED, at=self.at)]
        self._asked = tuple(self._brought(question, SEED))
        self._known = tuple(self._read[turn.id] for turn in found if turn.id in self._read)
        self._speakers = tuple(dict.fromkeys(turn.speaker for turn in found if turn.speaker != turn.role))
        self._people = tuple(dict.fromkeys(turn.speaker for turn in found if turn.role not in MACHINES))

    def look_up(self, turn: str, quotes: Iterable[str]) -> None:
        """Fetch a cited turn: by its id if supported, or by searching for its quotation."""
        passages = passage_ids(turn)
        if lookup_of(self.caller.backend) is None or is_hash(passages[-1]):
            for quote in quotes:
                if turn not in self._turns:
                    self.rank(quote, space=self.space, k=SEED)
            return
        for passage in passages:
            again = self.caller.get(passage, self.patience)
            if again is not None:
                with self._lock:
                    self._keep(replace(again, id=passage))
        if turn not in self._turns:
            # A search may still find a deleted passage.
            self._gone.add(turn)

    # -- as a Finder -------------------------------------------------------------------------------------------------

    def rank(
        self,
        query: str,
        *,
        space: str,
        k: int = 10,
        at: datetime | None = None,
        asker: str = "",
        read: bool = True,
    ) -> Sequence[RankedTurn]:
        """Turns of the passages that the backend finds, best first, of a long passage those nearest to the query's words.

        A backend is not told who asks.
        """
        del asker
        if space != self.space or not query.strip():
            return []
        if (query, k) not in self._found:
            passages = self.caller.search(query, k, self.patience)
            with self._lock:
                chosen = [
                    (turn, passage.score)
                    for passage in passages
                    for turn in nearest(self._keep(passage), query)
                    if self._was_said(turn, at or self.at) and turn.id not in self._gone
                ][:k]
                if read:
                    self._read_turns([turn.id for turn, _ in chosen])
                self._found[query, k] = [
                    RankedTurn(turn.id, worth(place), {"backend": score})
                    for place, (turn, score) in enumerate(chosen, 1)
                ]
        return self._found[query, k]

    def speakers(self, space: str) -> tuple[str, ...]:
        """Speakers of the passages found."""
        return self._speakers if space == self.space else ()

    def newest(self, space: str) -> str | None:
        """Of the turns found, the latest one said before the question."""
        said = ((turn.at, turn.id) for turn in self._turns.values()) if space == self.space else ()
        return max(said, default=(None, None))[1]

    def asker(self, space: str, name: str = "") -> str:
        """A person's name as what the question found spells it; without one that of the only person who speaks there."""
        return known_spelling(name, self._speakers) if name else only_name(self._people if space == self.space else ())

    # -- as a Recollection -------------------------------------------------------------------------------------------

    def turns(self, space: str, ids: Iterable[str]) -> dict[str, Turn]:
        """The turns found."""
        if space != self.space:
            return {}
        return {i: self._turns[i] for i in ids if i in self._turns and i not in self._gone}

    def session_turns(self, space: str, session: str, *, first: int = 0, last: int | None = None) -> list[Turn]:
        """Turns of a passage that is a conversation. The order of passages in a session is unknown."""
        held = self._documents.get(session) if space == self.space else None
        turns = [self._turns[t.id] for t in held.turns if t.session == session] if held is not None else []
        end = None if last is None else last + 1 if last >= 0 else len(turns) + last + 1
        return turns[first:end]

    def facts(
        self,
        space: str,
        *,
        ids: Iterable[str] | None = None,
        turns: Iterable[str] | None = None,
        entity: str | None = None,
        predicate: str | None = None,
        slot: str | None = None,
        newest: int | None = None,
    ) -> list[Fact]:
        """Facts read so far; for a slot, the backend is also searched for later values."""
        if space != self.space:
            return []
        if slot is not None and slot not in self._sought:
            self._sought.add(slot)
            self.seek(slot, list(self._read))
        with self._lock:
            if turns is not None:
                turns = list(turns)
                self._read_turns(turns)
            among = list(self._read if turns is None else turns)
        return self.facts_among(among, ids=ids, entity=entity, predicate=predicate, slot=slot, newest=newest)

    def facts_among(
        self,
        turns: Iterable[str],
        *,
        ids: Iterable[str] | None = None,
        entity: str | None = None,
        predicate: str | None = None,
        slot: str | None = None,
        newest: int | None = None,
    ) -> list[Fact]:
        """The facts of some turns that satisfy all conditions; none of turns that were not read."""
        wanted = set(ids) if ids is not None else None
        low = entity.casefold() if entity is not None else None
        found = [
            fact
            for turn in dict.fromkeys(turns)
            if turn in self._read and turn not in self._gone and self._was_said(self._turns[turn], self.at)
            for fact in self._read[turn].facts
            if (wanted is None or fact.id in wanted)
            and (predicate is None or fact.predicate == predicate)
            and (slot is None or fact.slot == slot)
            and (low is None or any(a.entity.casefold() == low for a in fact.args))
        ]
        found.sort(key=lambda f: (f.said, self._turns[f.turn].position, f.turn, f.start, f.id))
        return found if newest is None else found[-newest:]

    def found_for(self, query: str, k: int, slot: str = "") -> EvidenceStore:
        """See `SearchedStore.found_for`."""
        return FoundFor(self, query, k, slot)

    def ids_found(self, query: str, k: int, slot: str) -> list[str]:
        """Ids of the turns that the question, a query, and the values that these tell of a slot bring to be read."""
        found = [*self._asked, *self._brought(query, k)]
        return [*found, *self.seek(slot, found)] if slot else found

    def _brought(self, query: str, k: int) -> list[str]:
        """Ids of the turns that a search brings to be read."""
        ranked = self.rank(query, space=self.space, k=k, at=self.at)
        return [turn.id for block in self._first_blocks([r.turn for r in ranked]) for turn in block]

    def entities(self, space: str) -> dict[str, tuple[str, int]]:
        """Entities in the passages found."""
        if space != self.space:
            return {}
        mentions = [m for extraction in self._known for m in extraction.mentions]
        counts = Counter(m.entity for m in mentions)
        types = {m.entity: m.type for m in reversed(mentions)}
        return {entity: (types[entity], count) for entity, count in counts.items()}

    def aliases(self, space: str) -> dict[str, str]:
        """Aliases stated in the passages found."""
        if space != self.space:
            return {}
        ordered = sorted(self._known, key=lambda e: (self._turns[e.turn].at, e.turn))
        return {alias.lower(): name for extraction in ordered for alias, name in extraction.aliases}

    def version(self, space: str) -> tuple[int, int]:
        """The number of passages found."""
        return (1, len(self._documents)) if space == self.space else (0, 0)

    def fate(self, space: str, turn: str) -> str:
        """Always empty: another system's changes are unknown."""
        del space, turn
        return ""

    # -- below -------------------------------------------------------------------------------------------------------

    def _keep(self, passage: Passage) -> PassageDocument:
        """Keep the first version of each passage; undated turns count as said at the time of the question."""
        document = document_of(passage, self.space)
        held = self._documents.get(document.passage)
        if held is None:
            # `a#2` may be the second turn of `a`, or a passage of that id: who came first has it.
            held = PassageDocument(
                document.passage, tuple(b for b in document.blocks if not any(t.id in self._turns for t in b))
            )
            self._documents[document.passage] = held
            for block in held.blocks:
                self._blocks |= dict.fromkeys((t.id for t in block), block)
                self._turns |= {t.id: t if t.dated else replace(t, at=self.at) for t in block}
        return held

    def _read_turns(self, ids: Sequence[str]) -> None:
        """Read the turns that were not read yet, with those of their run, as many as one search may bring."""
        for block in self._first_blocks(ids):
            if block[0].id not in self._read:
                for turn, extraction in zip(block, self.reader.read(block), strict=True):
                    self._read[turn.id] = extraction if turn.dated else restamped(extraction, self.at)

    def _first_blocks(self, ids: Sequence[str]) -> list[tuple[Turn, ...]]:
        """The runs of the first turns, as many as one search may bring to be read."""
        characters, blocks = 0, list[tuple[Turn, ...]]()
        for block in dict.fromkeys(self._blocks[i] for i in ids if i in self._blocks):
            characters += length(block)
            if blocks and characters > READ_AT_ONCE:
                break
            blocks.append(block)
        return blocks

    def _was_said(self, turn: Turn, at: datetime) -> bool:
        """True if a turn was said by the end of a day; undated turns always count."""
        return not turn.dated or turn.at < day_after(at)

    def seek(self, slot: str, turns: Collection[str]) -> list[str]:
        """Search for statements about a slot at other times than in some turns; returns the turns found."""
        known = {f.statement: f for f in self.facts_among(turns, slot=slot)}
        newest = sorted(known, key=lambda s: known[s].said, reverse=True)[:REPLACED]
        return [turn for statement in newest for turn in self._brought(statement, SEED)]


@dataclass
class FoundFor:
    """What is found of a backend for the facts of a subgoal, as an `EvidenceStore`: it does not change with other searches."""

    recall: BackendRecall
    query: str
    k: int
    slot: str

    @cached_property
    def found(self) -> Sequence[str]:
        """Ids of the turns found."""
        return self.recall.ids_found(self.query, self.k, self.slot)

    def facts(
        self,
        space: str,
        *,
        ids: Iterable[str] | None = None,
        turns: Iterable[str] | None = None,
        entity: str | None = None,
        predicate: str | None = None,
        slot: str | None = None,
        newest: int | None = None,
    ) -> list[Fact]:
        """See `EvidenceStore.facts`: of any turns that are named, else of those found."""
        recall = self.recall
        if turns is not None or space != recall.space:
            return recall.facts(
                space, ids=ids, turns=turns, entity=entity, predicate=predicate, slot=slot, newest=newest
            )
        return recall.facts_among(self.found, ids=ids, entity=entity, predicate=predicate, slot=slot, newest=newest)

    def turns(self, space: str, ids: Iterable[str]) -> dict[str, Turn]:
        """See `EvidenceStore.turns`."""
        return self.recall.turns(space, ids)

    def session_turns(self, space: str, session: str, *, first: int = 0, last: int | None = None) -> list[Turn]:
        """See `EvidenceStore.session_turns`."""
        return self.recall.session_turns(space, session, first=first, last=last)

    def entities(self, space: str) -> dict[str, tuple[str, int]]:
        """See `EvidenceStore.entities`."""
        return self.recall.entities(space)

    def aliases(self, space: str) -> dict[str, str]:
        """See `EvidenceStore.aliases`."""
        return self.recall.aliases(space)

    def version(self, space: str) -> tuple[int, int]:
        """See `EvidenceStore.version`."""
        return self.recall.version(space)

    def fate(self, space: str, turn: str) -> str:
        """See `EvidenceStore.fate`."""
        return self.recall.fate(space, turn)


def worth(place: int) -> float:
    """The score of a place in a ranking, from 1: scores of other systems are of many kinds, and only their order is known."""
    return max(0.0, 1 - math.log(place) / math.log(LAST))


def nearest(document: PassageDocument, query: str) -> Sequence[Turn]:
    """The turns of a passage that share most words with a query, best first; of a short passage all."""
    turns = document.turns
    if len(turns) <= MOST_PARTS:
        return turns
    words = set(WORD.findall(query.casefold()))
    return sorted(turns, key=lambda t: -len(words & set(WORD.findall(t.content.casefold()))))[:MOST_PARTS]


def restamped(extraction: Extraction, at: datetime) -> Extraction:
    """The facts of an undated turn with the time of asking."""
    return replace(extraction, facts=tuple(replace(fact, said=at) for fact in extraction.facts))

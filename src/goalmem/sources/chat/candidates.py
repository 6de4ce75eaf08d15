"""Find turns that may contain what subgoals ask for. The kind of missing evidence decides where to look (Goal-Mem, relation types):
temporal -> turns with times; causal -> turns around the event; entity -> turns that mention what the subgoal names; semantic -> whatever
its words find.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from goalmem.language import find_times
from goalmem.language.sentences import sentence_spans
from goalmem.logic.terms import Evidence, Relation
from goalmem.records import Turn
from goalmem.sources.evidence_store import EvidenceStore, TurnFinder, evidence_of

EVIDENCE = 20
"""Turns shown to a model in one call: the evidence budget of an answer, with and without goals."""
LOOKED_AT = 60
"""Turns of a ranking that are considered when a relation type reorders them."""
MENTIONING = 400
"""Turns of a ranking among which mentions of an entity are searched."""
EVENTS, AROUND = 5, 2
"""For a causal subgoal: events whose surroundings are used, and turns on each side."""
TIMED = 0.5
"""Weight of containing a time, as a share of the best score of the ranking."""
LONGEST = 360
"""Characters of a turn that are shown; of a longer one, the sentences with most of the query's words."""
SHORT = 80
"""Up to this many characters, a turn is shown with the question before it, because it may not be understandable alone."""
WORD = re.compile(r"\w{3,}")


@dataclass(frozen=True, slots=True)
class CandidateQuery:
    """One query for candidates."""

    text: str
    """A plain sentence."""
    relation: Relation = Relation.SEMANTIC
    names: tuple[str, ...] = ()
    """The names in the query, in lower case, each under every alias."""


@dataclass(frozen=True, slots=True)
class TurnCandidate:
    """A part of a turn that may prove something."""

    turn: Turn
    start: int
    end: int
    """`turn.content[start:end]` is shown and quoted."""
    before: Turn | None = None
    """The previous turn by another speaker, if this one is too short to be understood alone."""

    @property
    def text(self) -> str:
        """The words shown."""
        return self.turn.content[self.start : self.end]

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The part, and the previous turn if that is shown, too."""
        own = evidence_of(self.turn, self.start, self.end)
        return (own,) if self.before is None else (own, evidence_of(self.before, 0, len(self.before.content)))


@dataclass
class CandidateRetriever:
    """Finds turns of one space for one question, and caches the results."""

    store: EvidenceStore
    searcher: TurnFinder
    space: str
    at: datetime
    _turns: dict[str, Turn] = field(default_factory=dict)
    _ranked: dict[tuple[object, ...], list[str]] = field(default_factory=dict)

    def take(self, text: str, turns: Sequence[str]) -> None:
        """Use a ranking computed elsewhere, best first, instead of searching for the text."""
        self._ranked[text, Relation.SEMANTIC, ()] = list(turns)

    def find(
        self, wanted: Sequence[CandidateQuery], k: int = EVIDENCE, without: Collection[str] = ()
    ) -> list[TurnCandidate]:
        """The `k` turns that the rankings of all queries put first, taken in rotation; returned in the order in which they were said.

        Those in `without` are omitted, but count among the `k`: this returns what is new among the first, not what follows them.

        The order says nothing about relevance, so results must not depend on it.
        """
        rankings = [self.ranked(w) for w in wanted]
        chosen = [t for t in list(dict.fromkeys(_in_turn(rankings)))[:k] if t not in without]
        turns = self.turns(chosen)
        words = {w.casefold() for each in wanted for w in WORD.findall(each.text)}
        found = [self._candidate(turns[i], words) for i in chosen if i in turns]
        return sorted(found, key=lambda c: (c.turn.at, c.turn.session, c.turn.position, c.turn.id))

    def ranked(self, wanted: CandidateQuery) -> list[str]:
        """Turn ids for one query, best first."""
        key = (wanted.text, wanted.relation, wanted.names)
        if key not in self._ranked:
            match wanted.relation:
                case Relation.TEMPORAL:
                    found = self._timed(wanted.text)
                case Relation.CAUSAL:
                    found = self._around(wanted.text)
                case Relation.ENTITY if wanted.names:
                    found = self._mentioning(wanted.text, wanted.names)
                case _:
                    found = self._rank(wanted.text, LOOKED_AT)
            self._ranked[key] = found
        return self._ranked[key]

    def turns(self, ids: Iterable[str]) -> dict[str, Turn]:
        """Turns by id, cached; forgotten turns are missing."""
        wanted = list(ids)
        if missing := [i for i in wanted if i not in self._turns]:
            self._turns |= self.store.turns(self.space, missing)
        return {i: self._turns[i] for i in wanted if i in self._turns}

    def _rank(self, text: str, k: int) -> list[str]:
        return [r.turn for r in self.searcher.rank(text, space=self.space, k=k, at=self.at)]

    def _timed(self, text: str) -> list[str]:
        """Turns with times come first among equals."""
        ranked = self.searcher.rank(text, space=self.space, k=LOOKED_AT, at=self.at)
        if not ranked:
            return []
        turns = self.turns(r.turn for r in ranked)
        most = max(r.score for r in ranked)
        scores = {
            r.turn: r.score
            + TIMED * most * bool(find_times(turns[r.turn].content[:LONGEST], self.at.replace(tzinfo=None)))
            for r in ranked
            if r.turn in turns
        }
        return sorted(scores, key=lambda turn: -scores[turn])

    def _around(self, text: str) -> list[str]:
        """The best matching events, each with the turns before and after it."""
        ranked = self._rank(text, LOOKED_AT)
        events = self.turns(ranked[:EVENTS])
        found: list[str] = []
        for event in events.values():
            first, last = max(0, event.position - AROUND), event.position + AROUND
            near = self.store.session_turns(self.space, event.session, first=first, last=last)
            self._turns |= {t.id: t for t in near}
            found += [event.id, *(t.id for t in near)]
        return list(dict.fromkeys((*found, *ranked)))

    def _mentioning(self, text: str, names: Collection[str]) -> list[str]:
        """Turns that mention the names, or are said by them, before all others."""
        ranked = self._rank(text, MENTIONING)
        said = {f.turn for name in sorted(names) for f in self.store.facts(self.space, turns=ranked, entity=name)}
        turns = self.turns(ranked)
        said |= {i for i, t in turns.items() if t.speaker.casefold() in names}
        return [*(i for i in ranked if i in said), *(i for i in ranked if i not in said)]

    def _candidate(self, turn: Turn, words: Collection[str]) -> TurnCandidate:
        start, end = stretch(turn.content, words)
        before = None
        if end - start <= SHORT and turn.position > 0:
            earlier = self.store.session_turns(
                self.space, turn.session, first=turn.position - 1, last=turn.position - 1
            )
            before = next((t for t in earlier if t.speaker != turn.speaker and asks(t.content)), None)
        return TurnCandidate(turn, start, end, before)


def asks(content: str) -> bool:
    """True if a text ends with a question, which the next turn may answer."""
    return content.rstrip().endswith("?") and len(content) <= LONGEST


def stretch(content: str, words: Collection[str]) -> tuple[int, int]:
    """Start and end of the sentences with most of `words`, at most `LONGEST` characters."""
    if len(content) <= LONGEST:
        return 0, len(content)
    sentences = sentence_spans(content)
    if not sentences:
        return 0, LONGEST
    counts = [len({w.casefold() for w in WORD.findall(content[a:b])} & set(words)) for a, b in sentences]
    best = max(range(len(sentences)), key=lambda i: (counts[i], -i))
    first = last = best
    while True:
        sides = [(counts[i], -i, i) for i in (first - 1, last + 1) if 0 <= i < len(sentences)]
        fitting = [s for s in sides if sentences[max(last, s[2])][1] - sentences[min(first, s[2])][0] <= LONGEST]
        if not fitting:
            break
        side = max(fitting)[2]
        first, last = min(first, side), max(last, side)
    start, end = sentences[first][0], sentences[last][1]
    return start, min(len(content[:end].rstrip()), start + LONGEST)


def _in_turn(rankings: Sequence[Sequence[str]]) -> Iterable[str]:
    """The first of each ranking, then the second of each, and so on."""
    for place in range(max(map(len, rankings), default=0)):
        for ranking in rankings:
            if place < len(ranking):
                yield ranking[place]

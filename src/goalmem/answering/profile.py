"""What is known about a person now: lasting facts that still hold and that their turns state, by topic and newest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from threading import Lock

from goalmem.answering.profile_sentences import excerpt_of, is_misread, is_plain, is_readable, sentence_of, shown_text
from goalmem.answering.profile_topics import TOPICS, bearer, has_passed, is_for_good, topic_of
from goalmem.language.morphology import singular
from goalmem.models.protocol import Judge, Statement
from goalmem.records import Fact, Modality, Profile, ProfileStatement
from goalmem.sources.certainty.doubts import HALF_A_YEAR, Doubts
from goalmem.sources.certainty.replacements import Slots
from goalmem.sources.certainty.topics import is_former_state
from goalmem.sources.evidence_store import EvidenceStore
from goalmem.sources.similarity import Similarity

__all__ = ["TOPICS", "ProfileBuilder"]

MOST_SHOWN = 50
"""Statements of a profile by default."""
SAID, SAID_PLAINLY = 0.4, 0.2
"""Least probability that its sentence states a fact, and the same for a plain clause. Of 100 statements of the laboratory's conversations, read
one by one, 91 were true, current and of use (29 November 2026); before profiles had topics to fit, about 40 were."""
MOST_JUDGED = 400
"""Newest statements judged for one profile."""
MOST_HELD = 100
"""People and things of somebody whose own facts are read, too."""
MOST_PROFILES = 100
"""Profiles cached."""
KEPT = 20_000
"""Verdicts cached for later profiles."""


@dataclass
class ProfileBuilder:
    """Builds profiles. Verdicts are cached for the next one. Safe to use from several threads."""

    judge: Judge | None
    _known: dict[tuple[object, ...], list[tuple[Fact, float]]] = field(default_factory=dict)
    """What was found of a person for a version of a space."""
    _verdicts: dict[str, float] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def profile(
        self,
        store: EvidenceStore,
        who: str,
        similarity: Similarity,
        space: str,
        at: datetime,
        most: int = MOST_SHOWN,
        where: str = "",
    ) -> Profile:
        """Return at most `most` statements about `who`, a name or `user` for the unnamed user, as of a time.

        `where`: the conditions that the store is restricted to, in words.
        """
        name = similarity.canonical(who)
        key = (space, store.version(space), name, at, where)
        known = self._known.get(key)
        if known is None:
            told = [f for f in _facts_of(store, space, name, similarity) if f.said <= at]
            current = list(islice(Currency(store, space, similarity, at).lasting(told), MOST_JUDGED))
            known = _without_repetitions(self._stated(store, space, current), similarity)
            with self._lock:
                if len(self._known) >= MOST_PROFILES:
                    self._known.clear()
                self._known[key] = known
        named = (f.subject for f, _ in known if similarity.canonical(f.subject) == name)
        shown = sorted((_statement(f, at, sure) for f, sure in known[:most]), key=lambda s: TOPICS.index(s.topic))
        return Profile(next(named, who), at, tuple(shown), len(known))

    def stated(self, store: EvidenceStore, space: str, facts: Sequence[Fact]) -> list[ProfileStatement]:
        """Return the facts that can be read alone and that their turns state, in the same order."""
        asserted = [f for f in facts if f.modality is Modality.ASSERTED and is_readable(f)]
        now = datetime.now(UTC)
        return [_statement(f, now, sure) for f, sure in self._stated(store, space, asserted)]

    def current(
        self, store: EvidenceStore, similarity: Similarity, space: str, at: datetime, facts: Sequence[Fact]
    ) -> list[ProfileStatement]:
        """Return such of these facts as still hold at a time, in the same order."""
        currency = Currency(store, space, similarity, at)
        asserted = (f for f in facts if f.modality is Modality.ASSERTED and is_readable(f) and not has_passed(f, at))
        said = self._stated(store, space, [f for f in asserted if currency.holds(f)])
        return [_statement(f, at, sure) for f, sure in said]

    def _stated(self, store: EvidenceStore, space: str, facts: Sequence[Fact]) -> list[tuple[Fact, float]]:
        """The facts that their turns state, with the probability of that."""
        sure = self._judged(store, space, facts)
        return [(f, sure[f.id]) for f in facts if sure.get(f.id, 0.0) >= (SAID_PLAINLY if is_plain(f) else SAID)]

    def _judged(self, store: EvidenceStore, space: str, facts: Sequence[Fact]) -> dict[str, float]:
        """Fact id -> the probability that its turn states it. Without a judge it is 1."""
        if self.judge is None:
            return {fact.id: 1.0 for fact in facts}
        with self._lock:
            sure = {f.id: self._verdicts[f.id] for f in facts if f.id in self._verdicts}
        turns = store.turns(space, {f.turn for f in facts if f.id not in sure})
        new = [f for f in facts if f.turn in turns and f.id not in sure and not is_misread(turns[f.turn].content, f)]
        pairs = [(Statement(sentence_of(f), ""), excerpt_of(turns[f.turn], f)) for f in new]
        found = {f.id: v.entailed for f, v in zip(new, self.judge.judge(pairs) if pairs else [], strict=True)}
        with self._lock:
            if len(self._verdicts) + len(found) > KEPT:
                self._verdicts.clear()
            self._verdicts |= found
        return sure | found


@dataclass
class Currency:
    """Tells which facts of a space still hold at a time, as answers are told it: by what replaced, ended or took them back."""

    store: EvidenceStore
    space: str
    similarity: Similarity
    at: datetime

    def __post_init__(self) -> None:
        self.slots = Slots(self.store, self.space, self.similarity, self.at)
        self.doubts = Doubts(self.slots.statements, self.at, self.similarity.cosine)

    def lasting(self, told: Sequence[Fact]) -> Iterator[Fact]:
        """Yield the facts of a profile that hold and can be read alone, newest first; of what is said again, only the newest."""
        seen = set[object]()
        for fact in reversed(self.slots.statements.in_order(told)):
            if topic_of(fact, self.at) and is_readable(fact) and (same := self._said_by(fact)) not in seen:
                seen.add(same)
                if self.holds(fact):
                    yield fact

    def _said_by(self, fact: Fact) -> object:
        """What a fact says, in whatever words."""
        of = bearer(fact)
        about = self.similarity.canonical(of.entity or of.text) if of is not None else ""
        return (fact.kind, fact.predicate, fact.polarity, about, self.slots.said_of(fact))

    def holds(self, fact: Fact) -> bool:
        """True if nothing that was said by the time may have replaced, ended or taken back what a fact says, and no time has."""
        present = fact.modality is not Modality.PLANNED
        outgrown = fact.slot == "age" and (self.at - fact.said).days > HALF_A_YEAR
        return not (
            outgrown
            or self.slots.superseded_by(fact) is not None
            or self.doubts.has_parted(fact)
            or self.doubts.of(fact, (), fact.statement, present=False)
            or (present and is_former_state(fact))
            or (present and not is_for_good(fact) and self._is_over(fact))
        )

    def _is_over(self, fact: Fact) -> bool:
        return self.doubts.is_ended(fact) or self.doubts.leaves_open(fact, fact.statement, present=True, past=False)


def _statement(fact: Fact, at: datetime, sure: float) -> ProfileStatement:
    topic = topic_of(fact, at) or TOPICS[-1]
    return ProfileStatement(shown_text(fact), topic, fact.id, fact.turn, fact.said, fact.when, round(sure, 3))


def _without_repetitions(said: Sequence[tuple[Fact, float]], similarity: Similarity) -> list[tuple[Fact, float]]:
    """Leave out whom somebody has where it is said who that is: `has a dog`, beside `Rex is Ann's dog`."""
    relations = {f.id: _relation(f, similarity) for f, _ in said}
    named = {(owner, noun) for owner, noun, name in filter(None, relations.values()) if name}
    seen, kept = set[tuple[str, str, str]](), list[tuple[Fact, float]]()
    for fact, sure in said:
        relation = relations[fact.id]
        if relation is not None:
            if relation in seen or (not relation[2] and fact.kind == "possession" and relation[:2] in named):
                continue
            seen.add(relation)
        kept.append((fact, sure))
    return kept


def _relation(fact: Fact, similarity: Similarity) -> tuple[str, str, str] | None:
    """Whose, what and who, of `my sister Ines` and `has two sisters`; None for other facts."""
    subject, identity = fact.arg("subject"), fact.kind == "identity"
    what = fact.arg("attribute" if identity else "object")
    if subject is None or what is None or not (identity or fact.predicate == "have"):
        return None
    owner = what.entity.rpartition("'s ")[0] if identity else subject.entity
    name = subject.entity if identity else what.entity
    told = name if "'s " not in name and (identity or fact.kind == "clause") else ""
    return (similarity.canonical(owner), singular(what.head), told.casefold()) if owner else None


def _facts_of(store: EvidenceStore, space: str, name: str, similarity: Similarity) -> list[Fact]:
    """The facts about a person, by any of their names."""
    names = {name, *(alias for alias in store.aliases(space) if similarity.canonical(alias) == name)}
    found = {f.id: f for called in sorted(names) for f in store.facts(space, entity=called)}
    held = (f.arg("object") for f in found.values() if f.predicate == "have")
    owned = (e for e in store.entities(space) if e.casefold().startswith(tuple(f"{called}'s " for called in names)))
    theirs = sorted({*owned, *(a.entity for a in held if a is not None and a.entity)})[:MOST_HELD]
    found |= {f.id: f for called in theirs for f in store.facts(space, entity=called)}
    return [f for f in found.values() if _is_of(f, name, similarity)]


def _is_of(fact: Fact, name: str, similarity: Similarity) -> bool:
    """True if a fact is about a person, about what or whom they have, or about who is theirs (`Ines is Ann's sister`)."""
    of = bearer(fact)
    about = [of, fact.arg("attribute") if fact.kind == "identity" else None]
    named = (similarity.canonical(a.entity or a.text) for a in about if a is not None)
    owned = (a.entity for a in about[1:] if a is not None)
    return any(n == name or n.startswith(f"{name}'s ") for n in named) or any(
        similarity.canonical(e.rpartition("'s ")[0]) == name for e in owned if "'s " in e
    )

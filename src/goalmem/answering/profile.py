"""What is known about a person now: valid facts that are confirmed by their turns, by topic and newest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice, pairwise
from threading import Lock
from unicodedata import category

from goalmem.language.lexicon import is_a, is_known, is_mainly, supersenses
from goalmem.language.lexnames import NounKind, VerbKind
from goalmem.language.words.function_words import ALMOST
from goalmem.language.words.nouns import OCCUPATIONS, RELATED
from goalmem.language.words.pronouns import FIRST_PERSON, POSSESSIVES, SECOND_PERSON, THIRD_PERSON
from goalmem.models.protocol import Excerpt, Judge, Statement
from goalmem.records import Argument, Fact, Modality, Profile, ProfileStatement, Turn
from goalmem.sources.certainty.replacements import Slots
from goalmem.sources.evidence_store import EvidenceStore, line_before
from goalmem.sources.similarity import Similarity
from goalmem.sources.spans import one_line, sentence_around

TOPICS = ("people", "home", "work", "likes", "health", "belongings", "plans", "other")
"""In the order shown."""
MOST_SHOWN = 50
"""Statements of a profile by default."""
SAID, SAID_PLAINLY = 0.6, 0.2
"""Least probability that a turn states a fact, and the same for a plain clause. Of 100 accepted statements of the laboratory's 35 held-out
conversations, read one by one, 92 were true (24 November 2026)."""
LONGEST_PLAIN = 14
"""Words of a plain clause."""
MOST_JUDGED = 400
"""Newest statements judged for one profile."""
KEPT = 20_000
"""Verdicts cached for later profiles."""
AROUND = 120
"""Characters around a fact that the judge sees, up to the ends of their sentences."""
SHORTEST, LONGEST = 3, 24
"""Words of a sentence that is informative and quick to read."""
SURELY = frozenset({"speaker", "name", "alias", "owner"})
"""Ways of finding a subject (`Argument.resolved`) that are seldom wrong."""
DANGLING = frozenset(THIRD_PERSON) | frozenset(
    "this that these those one ones there here something somebody someone nothing thing things same so".split()
)
"""Words that only the conversation explains: a sentence with one of them cannot be read alone."""
MINE = FIRST_PERSON | SECOND_PERSON | POSSESSIVES
CIRCUMSTANCE = frozenset({"manner", "time", "frequency"})
HEALTH = NounKind.named("body state")
"""Kinds of nouns for how somebody is."""
THINGS = NounKind.named("animal artifact food object plant possession substance")
"""Kinds of nouns for what can be had."""


@dataclass
class ProfileBuilder:
    """Builds profiles. Verdicts are cached for the next one. Safe to use from several threads."""

    judge: Judge | None
    _verdicts: dict[str, float] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def profile(
        self, store: EvidenceStore, who: str, similarity: Similarity, space: str, at: datetime, most: int = MOST_SHOWN
    ) -> Profile:
        """Return at most `most` statements about `who`, a name or `user` for the unnamed user, as of a time."""
        name = similarity.canonical(who)
        told = [f for f in store.facts(space, entity=name) if f.said <= at and _is_of(f, name, similarity)]
        standing = list(islice(_valid_facts(store, told, similarity, space, at), MOST_JUDGED))
        known = self._said(store, space, standing, at)
        named = next((f.subject for f in told if similarity.canonical(f.subject) == name), who)
        return Profile(named, at, tuple(sorted(known[:most], key=lambda s: TOPICS.index(s.topic))), len(known))

    def stated(self, store: EvidenceStore, space: str, facts: Sequence[Fact]) -> list[ProfileStatement]:
        """Return the facts that can be read alone and that their turns state, in the same order."""
        asserted = [f for f in facts if f.modality is Modality.ASSERTED and _is_readable(f)]
        return self._said(store, space, asserted, datetime.now(UTC))

    def _said(self, store: EvidenceStore, space: str, facts: Sequence[Fact], at: datetime) -> list[ProfileStatement]:
        sure = self._judged(store, space, facts)
        return [
            ProfileStatement(_sentence(f), _topic(f, at), f.id, f.turn, f.said, f.when, round(sure[f.id], 3))
            for f in facts
            if sure.get(f.id, 0.0) >= (SAID_PLAINLY if _is_plain(f) else SAID)
        ]

    def _judged(self, store: EvidenceStore, space: str, facts: Sequence[Fact]) -> dict[str, float]:
        """Fact id -> the probability that its turn states it. Without a judge it is 1."""
        if self.judge is None:
            return {fact.id: 1.0 for fact in facts}
        with self._lock:
            sure = {f.id: self._verdicts[f.id] for f in facts if f.id in self._verdicts}
        turns = store.turns(space, {f.turn for f in facts if f.id not in sure})
        new = [f for f in facts if f.turn in turns and f.id not in sure and not _is_quoted(turns[f.turn].content, f)]
        pairs = [(Statement(_sentence(f), ""), _excerpt(store, turns[f.turn], f)) for f in new]
        found = {f.id: v.entailed for f, v in zip(new, self.judge.judge(pairs) if pairs else [], strict=True)}
        with self._lock:
            if len(self._verdicts) + len(found) > KEPT:
                self._verdicts.clear()
            self._verdicts |= found
        return sure | found


def _valid_facts(
    store: EvidenceStore, told: Sequence[Fact], similarity: Similarity, space: str, at: datetime
) -> Iterator[Fact]:
    """Yield the facts that hold at the time and can be read alone, newest first, without duplicates."""
    slots, seen = Slots(store, space, similarity), set[object]()
    for fact in reversed(slots.statements.in_order(told)):
        same = (fact.predicate, fact.polarity, similarity.canonical(fact.subject), slots.said_of(fact))
        if same in seen or not _is_readable(fact) or not _holds(fact, at):
            continue
        seen.add(same)
        if (newer := slots.superseded_by(fact)) is None or newer.said > at:
            yield fact


def _excerpt(store: EvidenceStore, turn: Turn, fact: Fact) -> Excerpt:
    """The sentences around a fact, with the end of the previous turn."""
    start, _ = sentence_around(turn.content, max(0, fact.start - AROUND), fact.start)
    _, end = sentence_around(turn.content, fact.end, min(len(turn.content), fact.end + AROUND))
    said = turn.at if turn.dated else None
    return Excerpt(one_line(turn.content[start:end]), turn.speaker, said, line_before(store, turn).rstrip())


def _is_readable(fact: Fact) -> bool:
    """True if a fact is a sentence that can be understood without the conversation."""
    subject, words = fact.arg("subject"), fact.statement.casefold().split()
    others = [a for a in fact.args if a.role != "subject"]
    if subject is None or not subject.text or subject.resolved not in SURELY:
        return False
    verb = fact.predicate.split()[0]
    return (
        SHORTEST <= len(words) <= LONGEST
        and is_known(verb, "v")
        and supersenses(verb, "v")[:1] != (VerbKind.COMMUNICATION,)
        and any(a.role not in CIRCUMSTANCE for a in others)
        and not any(_dangles(a) for a in others)
        and not any(a == b for a, b in pairwise(words))
        and not _repeats(words)
        and not any(_is_guessed(a, subject) for a in others)
        and not any(c in '?…"“(' or category(c) == "So" for c in fact.statement)
        and not any(a.head in ALMOST or (a.role == "attribute" and " and " in a.text) for a in others)
    )


def _is_plain(fact: Fact) -> bool:
    """True if a fact is a short clause that begins with its subject and has no break. Such clauses are seldom misread."""
    subject = fact.arg("subject")
    words = fact.text.split()
    return (
        subject is not None
        and subject.start == fact.start
        and len(words) <= LONGEST_PLAIN
        and not set(fact.text) & set(",;:()/+=–—")
        and "." not in fact.text[:-1]
    )


def _dangles(argument: Argument) -> bool:
    """True if an argument contains an unresolved word that refers to something else."""
    if argument.entity:
        return False
    words = {w.strip(".,;:!'").casefold() for w in argument.text.split()}
    return not words or argument.head.isdigit() or argument.head in DANGLING or bool(words & (DANGLING | MINE))


def _is_guessed(argument: Argument, subject: Argument) -> bool:
    """True if an argument is whatever a pronoun seemed to mean, the subject itself, or a loose phrase of manner ("all fine")."""
    itself = bool(argument.entity) and (
        argument.entity == subject.entity
        or (argument.role == "attribute" and argument.entity.startswith(f"{subject.entity}'s "))
    )
    return (
        itself
        or argument.resolved in ("pronoun", "presumed")
        or (argument.role == "manner" and " " in argument.text.strip())
    )


def _repeats(words: Sequence[str]) -> bool:
    """True if two words follow each other twice: two arguments hold the same phrase."""
    pairs = list(pairwise(words))
    return len(set(pairs)) < len(pairs)


def _is_quoted(content: str, fact: Fact) -> bool:
    """True if a fact lies in quotation marks: somebody else's words, or a title."""
    before = content[: fact.start]
    return before.count('"') % 2 == 1 or before.count("“") > before.count("”")


def _is_of(fact: Fact, name: str, similarity: Similarity) -> bool:
    """True if a fact is about a person, or about what or whom they have."""
    subject = similarity.canonical(fact.subject)
    return subject == name or subject.startswith(f"{name}'s ")


def _holds(fact: Fact, at: datetime) -> bool:
    """True if a fact is about something that is so, was done, or is still to come."""
    if fact.modality is Modality.PLANNED:
        return fact.when is not None and fact.when.end > at.replace(tzinfo=None)
    return fact.modality is Modality.ASSERTED


def _sentence(fact: Fact) -> str:
    text = fact.statement.strip().rstrip(".,;:")
    return f"{text[:1].upper()}{text[1:]}."


def _topic(fact: Fact, at: datetime) -> str:
    """One of `TOPICS`, by the kinds of its verb and nouns."""
    verbs, subject = set(supersenses(fact.predicate, "v")[:1]), fact.arg("subject")
    said = [a for a in fact.args if a.role in ("object", "indirect", "attribute", "as")]
    nouns = {n for a in said for n in supersenses(a.head)[:1]}
    if fact.modality is Modality.PLANNED or (fact.when is not None and fact.when.start > at.replace(tzinfo=None)):
        return "plans"
    if fact.kind == "preference" or VerbKind.EMOTION in verbs:
        return "likes"
    if fact.slot == "residence":
        return "home"
    if fact.slot == "employment" or any(is_mainly(a.head, work) for a in said for work in OCCUPATIONS):
        return "work"
    related = any(is_a(a.head, kind) for a in said for kind in RELATED)
    others = "'s " in fact.subject and subject is not None and subject.type in ("person", "animal")
    if others or (related and fact.kind in ("possession", "identity")):
        return "people"
    if VerbKind.BODY in verbs or nouns & HEALTH:
        return "health"
    return (
        "belongings"
        if NounKind.POSSESSION in nouns
        or (nouns & THINGS and (fact.kind == "possession" or VerbKind.POSSESSION in verbs))
        else "other"
    )

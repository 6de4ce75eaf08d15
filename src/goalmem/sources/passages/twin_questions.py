"""The question put to somebody else: if `What is my wife allergic to?` fits the passage better than `What am I allergic to?`, the words are
about my wife.

Reader and judge look more at what is said than at whose it is. Between two questions that differ only in whom they are about, the judge
tells them apart well.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from goalmem.language.lexicon import coarse_type, is_a
from goalmem.language.terms import STOP_WORDS, terms_of
from goalmem.language.words import any_of
from goalmem.language.words.nouns import AGENTS, ANIMATE, KIN_CALLED
from goalmem.language.words.pronouns import DEMONSTRATIVES, FIRST_COMMON, INTERROGATIVES, POSSESSIVES, THIRD_COMMON
from goalmem.questions.perspective import first_person, in_third_person
from goalmem.records import Argument, Fact
from goalmem.sources.assertion import facts_around, innermost
from goalmem.sources.spans import sentence_around

MOST = 4
"""Twins of a question."""
OWNER = re.compile(r"(.+?)(?:['’]s|(?<=s)['’])\s+\S")
"""The owner of a thing."""
PARTY = re.compile(
    r"(?<![\w'’-])(?i:my|our|the|his|her|their)\s+(?:[a-z-]+\s+){0,2}?(?P<head>[a-z-]+)(?![\w-])|(?<![\w'’-])(?P<name>[A-Z][\w-]+)\b"
)
"""Somebody in a question: a noun behind a determiner, or a name."""
ONESELF = any_of(FIRST_COMMON)
OWN_PERSON = re.compile(r"\b(?:my|our)\s+(?:[\w-]+\s+){0,2}$", re.IGNORECASE)
"""`my` before somebody's name: `my mate Dario`."""
PRONOUNS = THIRD_COMMON | DEMONSTRATIVES | frozenset({"there", "you"})


def twin_questions(question: str, text: str, facts: Sequence[Fact], start: int, end: int) -> list[str]:
    """The question, asked about whom the clause around `text[start:end]` is about; none if it is about whom the question asks about,
    or if the sentence speaks of them, too.
    """
    first, last = sentence_around(text, start, end)
    topic = topic_of([f for f in facts if f.start < last and first < f.end], start, end)
    who = "" if topic is None else being(topic)
    if topic is None or not who or not set(terms_of(who)).isdisjoint(terms_of(question)):
        return []
    before, behind = OWN_PERSON.sub("", text[first : topic.start]), text[topic.start + len(who) : last]
    parties = list(PARTY.finditer(question))
    others = [p for p in parties if _is_name(p["name"]) or coarse_type((p["head"] or "").casefold()) in ANIMATE]
    twins = []
    if of_oneself(question, others) and not ONESELF.search(f"{before} {behind}"):
        twins.append(in_third_person(question, who, FIRST_COMMON))
    said = set(terms_of(text))
    twins += [
        f"{question[: party.start()]}{who}{question[party.end() :]}"
        for party in others
        if said.isdisjoint(terms_of(party["head"] or party["name"])) and _excludes(party, topic)
    ]
    return twins[:MOST]


def _is_name(word: str | None) -> bool:
    return word is not None and word.casefold() not in STOP_WORDS | INTERROGATIVES


def of_oneself(question: str, others: Sequence[re.Match[str]]) -> bool:
    """True if a question is about the asker, and not only about somebody of theirs: `my wife`."""
    return any(
        not any(p.start() <= found.start() < p.end() for p in others)
        for found in first_person(FIRST_COMMON).finditer(question)
    )


def topic_of(facts: Sequence[Fact], start: int, end: int) -> Argument | None:
    """The first argument of the clause around words, or before them: the subject, also of a passive; None if the words are in it."""
    clauses = [f for f in facts if f.kind != "possession"]
    around = innermost(facts_around(clauses, start, end), start, end)
    for fact in around or sorted((f for f in clauses if f.end <= start), key=lambda f: -f.end):
        standing = [a for a in fact.args if a.role in ("subject", "object") and a.start >= fact.start]
        first = min(standing, key=lambda a: a.start, default=None)
        if first is not None and not (first.start < end and start < first.end):
            return first
    return None


def being(topic: Argument) -> str:
    """The person, animal or group that a topic is or belongs to, in its words; empty for a thing of nobody."""
    if topic.head.casefold() in PRONOUNS or ONESELF.fullmatch(topic.text):
        return ""
    owner = OWNER.match(topic.text)
    if owner is not None:
        return owner[1]
    named = topic.text[:1].isupper() and topic.type in ("", "place")
    return topic.text if named or AGENTS & {topic.type, coarse_type(topic.head)} else ""


def _excludes(party: re.Match[str], topic: Argument) -> bool:
    """True if somebody in a question is not the one a clause is about: `the plumber`, `the electrician`; two names; mother and father."""
    name, noun, other = party["name"], (party["head"] or "").casefold(), topic.head.casefold()
    if name:
        return topic.text[:1].isupper() and topic.text.split()[0].casefold() not in (
            *POSSESSIVES,
            *INTERROGATIVES,
            "the",
        )
    if coarse_type(noun) not in ANIMATE or coarse_type(other) not in ANIMATE:
        return False
    called = next((kin for kin in KIN_CALLED.values() if noun in kin), ())
    return other not in called and not is_a(noun, other) and not is_a(other, noun)

"""Which statements of a profile matter to an utterance."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from goalmem.language.lexicon import is_known, is_mainly
from goalmem.language.morphology import singular
from goalmem.language.terms import LETTERS
from goalmem.language.verb_forms import verb_bases
from goalmem.language.words.profiles import KINDS_OF_TOPICS, VERBS_OF_TOPICS
from goalmem.records import ProfileStatement

NEAR = 0.2
"""Least score of a statement that matters to an utterance: of a cosine alone, or of one with `OF_TOPIC`."""
OF_TOPIC = 0.2
"""Added to the cosine of a statement under a topic that the utterance names: in `Where shall we eat?`, an allergy."""


def relevant_statements(
    statements: Sequence[ProfileStatement], utterance: str, cosine: Callable[[str, str], float]
) -> list[ProfileStatement]:
    """The statements that matter to an utterance, those that matter most first."""
    topics = topics_named(utterance)
    scored = [(cosine(utterance, s.text) + OF_TOPIC * (s.topic in topics), n) for n, s in enumerate(statements)]
    return [statements[n] for score, n in sorted(scored, key=lambda s: (-s[0], s[1])) if score >= NEAR]


def topics_named(utterance: str) -> frozenset[str]:
    """The topics of profiles that the words of an utterance belong to."""
    words = {m.group().casefold() for m in LETTERS.finditer(utterance)}
    nouns = {singular(word) for word in words if is_known(singular(word))}
    verbs = verb_bases(utterance)
    return frozenset(
        topic
        for topic, kinds in KINDS_OF_TOPICS.items()
        if not verbs.isdisjoint(VERBS_OF_TOPICS.get(topic, ())) or any(is_mainly(n, k) for n in nouns for k in kinds)
    )

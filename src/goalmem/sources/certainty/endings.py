"""Decide if a later statement may have ended what an earlier one says.

A state may have ended unless the later statement is known not to end it (`may_end`): by the kind of its verb (WordNet's lexicographer files),
by its arguments, and by tense and adverbs (`same_matter`). A statement that is not understood may have changed anything. Nothing is proved
by this: it only makes the earlier statement doubtful.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from goalmem.records import Fact, Turn
from goalmem.sources.certainty.person_endings import alters_liking, alters_person
from goalmem.sources.certainty.same_matter import SameMatter
from goalmem.sources.certainty.thing_endings import alters_thing, recounts
from goalmem.sources.certainty.topics import Topic, is_liking, values_of, words_in


def may_end(told: Fact, fact: Fact, topics: Sequence[Topic], matter: SameMatter) -> bool:
    """True if a later statement may have ended what a fact says of its topics."""
    if told.kind == "possession" or _says_again(told, fact):
        return False
    return any(_alters(told, fact, topic) for topic in topics) or matter.ended(told, fact, topics)


def may_replan(told: Fact, plan: Fact) -> bool:
    """True unless a statement says what somebody is, has or likes, or the plan once more."""
    return told.kind == "clause" and not _says_again(told, plan)


def is_understood(turn: Turn, told: Iterable[Fact], topic: Topic) -> bool:
    """True if the facts of a turn cover what it says of a topic that it names; `lenas new flat` has none about Lena."""
    if not isinstance(topic, str):
        forms = {topic.head, f"{topic.head}s"}
        return any(forms & words_in(a.text) for f in told if f.kind != "possession" for a in f.args)
    if re.search(rf"\b{topic}s\b", turn.content, re.IGNORECASE):
        return False
    subject = re.search(rf"(?:^|[.!?;]\s+){topic}(?:['’]s)?\s+[a-z]", turn.content)
    called = re.compile(rf"{re.escape(topic)}(?:['’]s? .*|(?: [A-Z][\w-]*)*)", re.IGNORECASE)
    return subject is None or any(called.fullmatch(a.entity) for f in told for a in f.args)


def _says_again(told: Fact, fact: Fact) -> bool:
    """True if a statement says the same of its subject."""
    return (told.polarity, told.predicate, values_of(told)) == (fact.polarity, fact.predicate, values_of(fact))


def _alters(told: Fact, fact: Fact, topic: Topic) -> bool:
    """True if a statement about a topic may have ended what a fact says of it, by the kind of its verb and its arguments."""
    if is_liking(fact):
        return alters_liking(told, fact)
    if isinstance(topic, str):
        somebody = "'s " not in topic or any(a.entity == topic and a.type == "person" for a in (*fact.args, *told.args))
        return somebody and alters_person(told, fact, topic)
    if fact.slot.startswith("count "):
        return recounts(told, fact.slot.removeprefix("count "))
    return alters_thing(told, fact, topic)

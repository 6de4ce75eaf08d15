"""Attribute values outside sentences: labels with values, bare answers to questions, new values of earlier ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from goalmem.language.words.revisions import ASIDE, LABELLED, NO_LABELS, TAIL
from goalmem.logic.quantity import quantity_of
from goalmem.questions.attributes import ANY, attribute_goals, attribute_question
from goalmem.records import Turn
from goalmem.sources.state.attribute_events import AttributeValue
from goalmem.sources.state.attribute_text import attribute_alone, key_of, topic_of
from goalmem.sources.state.terse_changes import (
    AgreedChange,
    kind_of_value,
    terse_changes,
    value_text,
    values_of_kind,
    words_as_fact,
)

OF_KIND = {"day": "day", "version": "version", "colour": "colour"}
LONGEST_VALUE = 6
"""Words of a value after a label."""


def with_terse_values(told: Sequence[AttributeValue], turns: Sequence[Turn]) -> list[AttributeValue]:
    """The attribute values in the facts of a run of turns, and those outside sentences, in order.

    If it is unclear which attribute a new value is for, all candidates become open.
    """
    place = {turn.id: n for n, turn in enumerate(turns)}
    read = {s.fact.turn for s in told if s.key}
    found = [*told, *_labelled(turns), *(s for s in _answered(turns) if s.fact.turn not in read)]
    for changed, before in terse_changes(turns):
        if changed.turn.id in read:
            continue
        asked = ""
        for turn in before:
            many = values_of_kind(turn.content, changed.change.kind, turn.at.replace(tzinfo=None))
            own = [s for s in found if s.fact.turn == turn.id and s.key and _fits(s, changed)]
            known = {(s.topic.words, s.attribute): s for s in own}
            one = len(known) == 1 and (bool(changed.change.old) or many == 1)
            # A question in between asks for something else, unless it names the same topic.
            found += [
                _setting(s, changed, known=one and (not asked or any(w in asked for w in s.topic.words)))
                for s in known.values()
            ]
            if known or many:
                break
            asked += turn.content.casefold() if "?" in turn.content else ""
    return sorted(found, key=lambda s: (place.get(s.fact.turn, 0), s.fact.start))


def _labelled(turns: Sequence[Turn]) -> Iterator[AttributeValue]:
    """`deadline: 3 May`, line by line."""
    for turn in turns:
        aside = False
        for line in LABELLED.finditer(turn.content):
            aside |= ASIDE.search(turn.content[: line.start()]) is not None
            label, value = line["label"].strip(), TAIL.sub("", line["value"]).strip(" .,;")
            words = label.casefold().split()
            topic = topic_of(label)
            if (
                topic is None
                or not value
                or len(words) > 4
                or {*words} & NO_LABELS
                or len(value.split()) > LONGEST_VALUE
            ):
                continue
            topic = attribute_alone(topic)
            kind = kind_of_value(value, turn.at.replace(tzinfo=None))
            text = value_text(value, kind, turn.at)
            fact = words_as_fact(turn, line.start("label"), line.end("value"))
            attribute = topic.attribute or OF_KIND.get(kind, ANY)
            unsure = aside or ASIDE.search(line[0]) is not None or turn.role != "user"
            yield AttributeValue(
                fact, topic, attribute, turn.at.replace(tzinfo=None), key_of(text), text, change=False, unsure=unsure
            )


def _answered(turns: Sequence[Turn]) -> Iterator[AttributeValue]:
    """`Monday.` after `When is the exam?`."""
    for asks, answers in pairwise(turns):
        question = asks.content.rstrip()
        if not question.endswith("?") or asks.speaker == answers.speaker or answers.position != asks.position + 1:
            continue
        start = max(question.rfind(mark, 0, -1) + 1 for mark in ".!?\n")
        value = answers.content.strip().rstrip(".! ")
        kind = kind_of_value(value, answers.at.replace(tzinfo=None))
        read = (
            [attribute_question(g.atoms[0]) for g in attribute_goals(question[start:].strip(), asks.speaker)]
            if kind
            else []
        )
        asked = next((q for q in read if q is not None and q.form == "now" and not q.value), None)
        topic = topic_of(asked.subject) if asked is not None else None
        if asked is None or topic is None or not topic.words | {topic.attribute} - {""}:
            continue
        attribute = asked.attribute if asked.attribute != ANY else topic.attribute or OF_KIND.get(kind, ANY)
        if OF_KIND.get(kind, attribute) != attribute:
            continue
        begins = answers.content.index(value)
        meant = words_as_fact(asks, start + len(question[start:]) - len(question[start:].lstrip()), len(question))
        text, fact = value_text(value, kind, answers.at), words_as_fact(answers, begins, begins + len(value))
        yield AttributeValue(
            fact,
            attribute_alone(topic),
            attribute,
            answers.at.replace(tzinfo=None),
            key_of(text),
            text,
            change=False,
            meant=meant,
        )


def _fits(setting: AttributeValue, changed: AgreedChange) -> bool:
    """True if a value has the kind of the new one, and is the old value if that is given."""
    kind, text = changed.change.kind, changed.change.text
    if kind in ("day", "colour"):
        alike = setting.attribute == kind
    else:
        measured = setting.attribute not in ("day", "colour", "name", "owner", "status")
        alike = measured and any(c.isdigit() for c in setting.key)
    if kind == "amount" and alike and changed.change.old:
        old, told = quantity_of(changed.change.old), quantity_of(setting.text)
        alike = old is not None and told is not None and old.number == told.number
    new, told = quantity_of(text), quantity_of(setting.text)
    apart = new is not None and told is not None and new.unit and told.unit and new.kind != told.kind
    return alike and not apart


def _setting(old: AttributeValue, changed: AgreedChange, *, known: bool) -> AttributeValue:
    """The new value of an attribute; no value if it is left open."""
    text = value_text(changed.change.text, changed.change.kind, changed.turn.at) if known else ""
    return replace(
        old, fact=changed.fact, moment=changed.turn.at.replace(tzinfo=None), key=key_of(text), text=text, change=True, former=False,
        ends="", was="", meant=old.meant or old.fact, unsure=not changed.agreed,
    )  # fmt: skip

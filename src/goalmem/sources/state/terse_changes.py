"""Short turns that give a value (`wifi password: hunter2`) or a recent one anew: `make it 88`, `moved to Thursday`, `no, blue`.

The value replaces the only one of its kind in the last `REACH` turns of the session; if there are several, it is open which one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise

from goalmem.language.sentences import CLAUSE_BREAK
from goalmem.language.times import find_times
from goalmem.language.words.changes import (
    ASIDE,
    CONTRASTS,
    CORRECTED,
    DOUBT,
    LABELLED,
    NO_LABELS,
    OPENER,
    PROPOSED,
    REFUSAL,
    REVISED,
    TAIL,
    WEAK,
)
from goalmem.logic.quantity import quantity_of
from goalmem.questions.attributes import ANY, attribute_goals, attribute_question
from goalmem.records import Fact, Modality, Turn
from goalmem.sources.state.attribute_events import AttributeValue
from goalmem.sources.state.attribute_text import QUANTITY, VERSION, attribute_alone, is_colour, key_of, topic_of

REACH = 2
LONGEST = 80
"""Characters of a turn that contains only a new value."""
EDGES = " \t.!,;:–—-"


@dataclass(frozen=True, slots=True)
class TerseChange:
    """A new value in a turn."""

    start: int
    end: int
    """Offset in the turn's content."""
    text: str
    """The value; for a time, its words."""
    kind: str
    old: str = ""
    """The old value, if it is given."""
    proposed: bool = False


def kind_of_value(text: str, said: datetime) -> str:
    """`day`, `version`, `amount` or `colour` if the text is a value of that kind and nothing else; otherwise empty."""
    words = re.sub(r"^(?:on|at|the|to|for|only|just)\s+", "", text.strip(EDGES), flags=re.IGNORECASE)
    if not words or len(words) > LONGEST // 2:
        return ""
    if re.fullmatch(r"v\d[\w.-]*", words, re.IGNORECASE) or (VERSION.fullmatch(words) and words[:1] in "vV"):
        return "version"
    found = find_times(words, said, True) if re.search(r"[^\W\d_]", words) else []
    if len(found) == 1 and not re.sub(r"\b(?:on|at|the|of)\b|\W", "", words[: found[0].start] + words[found[0].end :]):
        return "day"
    if re.fullmatch(rf"{QUANTITY.pattern}(?:\s*(?:a|per|an|each|/)\s*\w+)?", words):
        return "amount"
    return "colour" if " " not in words and is_colour(words) else ""


def terse_change(turn: Turn) -> TerseChange | None:
    """The change in a turn that only gives a new value; None for any other turn."""
    first = CLAUSE_BREAK.split(turn.content.strip())[0]
    if len(first) > LONGEST or WEAK.search(first):
        return None
    start = turn.content.index(first)
    opener = OPENER.match(first)
    said = first[opener.end() if opener else 0 :].strip(EDGES)
    at = turn.at.replace(tzinfo=None)
    corrected = CORRECTED.match(first.strip(EDGES))
    if corrected is not None:
        value = TAIL.sub("", corrected["v"] or corrected["v2"]).strip(EDGES)
        if kind := kind_of_value(value, at):
            return TerseChange(start, start + len(first), _value(value), kind)
    for form in (CONTRASTS, REVISED, PROPOSED):
        for core in dict.fromkeys((said, TAIL.sub("", said))):
            found = form.match(core)
            if found is None:
                continue
            parts = {k.rstrip("2345"): v for k, v in found.groupdict().items() if v}
            inner = REVISED.match(parts["v"]) or PROPOSED.match(parts["v"]) if form is CONTRASTS else None
            value = next((v for v in inner.groupdict().values() if v), "") if inner else parts["v"]
            if inner is None and (again := REVISED.match(value)) is not None:  # `nah, back to 18`
                value = next(v for v in again.groupdict().values() if v)
            value = TAIL.sub("", value).strip(EDGES)
            old = TAIL.sub("", parts.get("old", "")).strip(EDGES)
            kind = kind_of_value(value, at)
            if kind and (not old or kind_of_value(old, at) in (kind, "amount" if kind == "version" else kind)):
                return TerseChange(start, start + len(first), _value(value), kind, old, form is PROPOSED)
    return None


def _value(words: str) -> str:
    """A value without a preposition or article before it."""
    return re.sub(r"^(?:on|at|the|to|for|only|just)\s+", "", words, flags=re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AgreedChange:
    """A terse change with its turn, and whether the other speaker agreed."""

    change: TerseChange
    turn: Turn
    agreed: bool

    @property
    def fact(self) -> Fact:
        """Its words as a fact without arguments."""
        return words_as_fact(self.turn, self.change.start, self.change.end)


def words_as_fact(turn: Turn, start: int, end: int) -> Fact:
    """Words of a turn as a fact without arguments."""
    words = turn.content[start:end]
    return Fact(
        f"{turn.id}:{start}", turn.space, turn.id, words, start, end, words, "clause", "be", (), True, Modality.ASSERTED, turn.speaker, turn.at
    )  # fmt: skip


def value_text(text: str, kind: str, said: datetime) -> str:
    """The text of a value; for a time, its date."""
    return str(find_times(text, said.replace(tzinfo=None), True)[0].interval) if kind == "day" else text


def terse_changes(turns: Sequence[Turn]) -> Iterator[tuple[AgreedChange, tuple[Turn, ...]]]:
    """Yield the terse changes in a run of turns, each with the previous turns that may contain the old value, the nearest first."""
    for n, turn in enumerate(turns):
        change = terse_change(turn)
        if change is None:
            continue
        before = tuple(t for t in reversed(turns[max(0, n - REACH) : n]) if t.position >= turn.position - REACH)
        behind = next((t for t in turns[n + 1 : n + 2] if t.speaker != turn.speaker), None)
        if behind is not None and REFUSAL.search(behind.content):
            continue
        doubted = behind is not None and DOUBT.search(behind.content) is not None
        own = bool(before) and before[0].speaker == turn.speaker
        agreed = not doubted and (
            not change.proposed or own or (behind is not None and len(behind.content.split()) <= 6)
        )
        yield AgreedChange(change, turn, agreed), before


def values_of_kind(text: str, kind: str, said: datetime) -> int:
    """The number of values of a kind in a text."""
    times = find_times(text, said)
    if kind == "day":
        return len(times)
    for t in reversed(times):
        text = text[: t.start] + " " * (t.end - t.start) + text[t.end :]
    if kind == "colour":
        return sum(is_colour(w) for w in re.findall(r"[^\W\d_]+", text))
    return len(re.findall(r"(?<![\w.])[$€£¥v]?\d[\d.,:]*", text))


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
        aside, before = False, 0
        for line in LABELLED.finditer(turn.content):
            aside |= ASIDE.search(turn.content, before, line.start()) is not None
            before = line.start()
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

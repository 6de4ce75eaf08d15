"""Questions with a condition of their own: `What do I take if the bus is late?`, answered by what was said under the same condition."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from goalmem.language.words.function_words import OPEN_MODALS
from goalmem.logic.terms import Value
from goalmem.logic.unify import Frame, FramePart
from goalmem.records import Argument, Fact, Modality
from goalmem.sources.assertion import CASES, is_same_case
from goalmem.sources.frame_reader import FrameReading

MARKED = re.compile(r"[\s,]*\b(?:if|when|whenever|in case)\s+$", re.IGNORECASE)
"""The words before a condition that introduce it."""
WILL = re.compile(r"^(?:\s*['’]?(?:ll|m|re|s)\b|\s*(?:will|shall|am|is|are|going to|gonna)\b)+\s*", re.IGNORECASE)
"""Auxiliaries of the future and the progressive at the start of what somebody will do."""
PERSON = re.compile(r"\b(?:i|we|me|us)\b", re.IGNORECASE)


def conditional_frames(reading: FrameReading, fact: Fact, told: Frame, asker: str) -> Iterator[tuple[Frame, Frame]]:
    """Yield the frames of an atom and of a fact without their condition, if it is the same.

    None if the fact only says what might be.
    """
    case = next((a for a in fact.args if a.role in CASES), None)
    if fact.modality is not Modality.CONDITIONAL or case is None or _may_be(fact, reading):
        return
    for frame in reading.frames:
        asked = next((p for p in frame.constants if p.role in CASES), None)
        if asked is not None and _is_same(asked, case, fact, asker):
            yield _without_case(frame), _without_case(told)


def _is_same(asked: FramePart, told: Argument, fact: Fact, asker: str) -> bool:
    """True if two conditions have the same words, with the same people as `I`."""
    by_name = PERSON.sub(fact.speaker, told.text)
    of_asker = PERSON.sub(asker, asked.text)
    return is_same_case(of_asker, by_name) and is_same_case(by_name, of_asker)


def _without_case(frame: Frame) -> Frame:
    return replace(frame, parts=tuple(p for p in frame.parts if p.role not in CASES))


def _may_be(fact: Fact, reading: FrameReading) -> bool:
    """True if a fact has a modal verb of possibility that the question lacks: `if it rains, we might stay`."""
    said = {w for w in re.findall(r"[a-z]+", fact.text.casefold()) if w in OPEN_MODALS}
    return bool(said - {*reading.text.casefold().split()})


def consequence_of(fact: Fact, *, whole: bool) -> Value | None:
    """What follows if the condition holds, in the words of the fact: `we'll move the party indoors`, without its subject unless it is
    `whole`. None if the condition divides its words.
    """
    case, subject = next((a for a in fact.args if a.role in CASES), None), fact.arg("subject")
    if case is None or case.start < fact.start or subject is None or subject.start < fact.start:
        return None
    before, behind = fact.text[: case.start - fact.start], fact.text[case.end - fact.start :]
    before = MARKED.sub("", before)
    if before.strip() and behind.strip(" ,.;!"):
        return None
    start = fact.text.find(before if before.strip() else behind)
    if not whole:
        start = subject.end - fact.start
        start += len(found.group()) if (found := WILL.match(fact.text[start:])) is not None else 0
    end = len(before) if before.strip() else len(fact.text)
    text = fact.text[start:end].strip(" ,.;!")
    return Value(text, text.casefold(), "activity") if text else None

"""Items of lists in turns, and questions for one by its place: `What was the third option?`, `the last venue that you recommended`.

An assistant answers in lists (numbered, or with marks), and is asked for their items by place. No span reader counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from goalmem.language.times_words import DATE_WORDS, ORDINALS, either
from goalmem.language.verb_forms import forms_of
from goalmem.language.words.nouns import TALKS
from goalmem.language.words.verbs import ANSWERING

_PLACE = rf"(?P<place>{either({*DATE_WORDS, *ORDINALS, 'final'})}|\d{{1,3}}(?:st|nd|rd|th))"
_ASKED = re.compile(
    r"^(?:what|which)(?:['’]s| is| was)?(?: the (?:name|title) of)? the (?:very )?"
    rf"{_PLACE} (?P<noun>(?!(?:time|one|day|week|month|year|night|thing|date)\b)[a-z][\w-]*)\b",
    re.IGNORECASE,
)
_OF_LIST = re.compile(
    rf"\b(?:lists?|listed|{'|'.join(sorted(TALKS))}|you(?:['’]ve|['’]d| have| had)? \w+)\b", re.IGNORECASE
)
"""Words by which a question means a list."""
_ASKING = re.compile(
    rf"\b(?:{_PLACE}|lists?|listed|{'|'.join(sorted(TALKS))}|names?|titles?|you|we|our|previous|earlier|past|back|going|looking|through|remind|remember"
    rf"|{'|'.join(sorted({form for verb in ANSWERING for form in forms_of(verb)}))})\b",
    re.IGNORECASE,
)
LISTED = frozenset(
    "option item step point suggestion tip parameter entry idea reason example bullet recommendation".split()
)
"""What lists are made of."""
_NUMBERED = re.compile(
    r"^[ \t]*(?:\*\*)?(?P<number>\d{1,3})(?:[.)]|(?:\*\*)[.):])(?:\*\*)?[ \t]+(?P<text>\S[^\n]*)", re.MULTILINE
)
_MARKED = re.compile(r"^[ \t]*[-*•–][ \t]+(?P<text>\S[^\n]*)", re.MULTILINE)
_END_OF_NAME = re.compile(r"(?:\*\*|[\"”])?(?:\s+[-–—(]|\s*:|[.!?;](?:\s|$)|,? (?:which|that|who)\b|$)")
_MARKER = re.compile(r"[ \t]*(?:\*\*)?\d{1,3}[.)](?=\s|$)")
_ITEM_START = re.compile(r"(?:(?:^|\s)(?:\*\*)?\d{1,3}[.)](?:\*\*)?|(?:^|\n)[ \t]*[-*•–])[ \t]+[*\"“_]*$")
LONGEST_MARKER = 16
"""Characters before the name of an item."""
_TOLD_OF_ITEM = re.compile(r"[*\"”_]*(?:\s+[-–—]\s|\s*:[*\s])")
FEWEST = 2
"""Items of a list."""


@dataclass(frozen=True, slots=True)
class ListQuestion:
    """A question for the item of a list by its place."""

    place: int
    """From 1; -1 for the last."""

    def named_in(self, text: str) -> Iterator[tuple[int, int, int, int]]:
        """The name of the item in each list of a text: its start and end, and those of the item with the line before the list."""
        for items in lists_in(text):
            numbers = [number for number, _, _ in items]
            if self.place == -1:
                _, start, end = items[-1]
            elif self.place in numbers:
                _, start, end = items[numbers.index(self.place)]
            else:
                continue
            name = _name_of(text, start, end)
            lead = text[: text.rfind("\n", 0, items[0][1]) + 1].rstrip()
            before = lead.rfind("\n") + 1
            if name is not None:
                yield (*name, before, end)


def topic_of_list(question: str) -> str:
    """The topic of a list in a question for one of its items: its words without those that ask for the item."""
    return _ASKING.sub(" ", question)


def list_question(question: str) -> ListQuestion | None:
    """The place that a question asks for in a list; None for any other question."""
    asked = _ASKED.match(question.strip())
    if asked is None:
        return None
    word, noun = asked["place"].casefold(), asked["noun"].casefold()
    ends = word in ("first", "last", "final")
    if not (_OF_LIST.search(question) or noun in LISTED or noun.removesuffix("s") in LISTED or not ends):
        return None  # `What was the first car?` need not be of a list.
    place = -1 if word == "final" else ORDINALS.get(word) or DATE_WORDS.get(word) or int(re.sub(r"\D", "", word) or 0)
    return ListQuestion(place) if place else None


def lists_in(text: str) -> Iterator[list[tuple[int, int, int]]]:
    """The lists of a text: number, start and end of each item. A list is numbered from 1, or its lines begin with marks."""
    listed: list[tuple[int, int, int]] = []
    for found in _NUMBERED.finditer(text):
        number = int(found["number"])
        if listed and number != listed[-1][0] + 1:
            yield from _whole(listed)
            listed = []
        if listed or number == 1:
            listed.append((number, found.start("text"), found.end("text")))
    yield from _whole(listed)
    listed = []
    for found in _MARKED.finditer(text):
        if listed and text[listed[-1][2] : found.start()].strip():
            yield from _whole(listed)
            listed = []
        listed.append((len(listed) + 1, found.start("text"), found.end("text")))
    yield from _whole(listed)


def is_marker(text: str, start: int, end: int) -> bool:
    """True if words are the number of an item in a list."""
    line = text.rfind("\n", 0, start) + 1
    marker = _MARKER.match(text, line)
    if marker is None or end > marker.end():
        return False
    return any(first <= marker.end() + 1 <= last for items in lists_in(text) for _, first, last in items)


def named_end(text: str, start: int, end: int) -> int:
    """The end of the name of an item, if words begin with it and go on into what is told of it: `Memrise` of `Memrise - a website`."""
    if not _ITEM_START.search(text, max(0, start - LONGEST_MARKER), start):
        return end
    stop = _TOLD_OF_ITEM.search(text, start, end)
    return stop.start() if stop is not None and stop.start() > start else end


def _whole(items: list[tuple[int, int, int]]) -> Iterator[list[tuple[int, int, int]]]:
    if len(items) >= FEWEST:
        yield items


def _name_of(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Start and end of what an item names, before what it tells of it: `Sound effects` of `Sound effects (e.g. rain)`."""
    while start < end and text[start] in '*"“ _`':
        start += 1
    stop = _END_OF_NAME.search(text, start, end)
    end = min(end, stop.start() if stop is not None else end)
    while end > start and text[end - 1] in '*"” _`.,':
        end -= 1
    return (start, end) if start < end else None

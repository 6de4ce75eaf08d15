"""Training examples out of documents: windows with and without the answer, the wrong person, what looks alike."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from goalmem_lab.train.chance import chance
from goalmem_lab.train.distractors import Tempting
from goalmem_lab.train.documents import Document, Mark, Question
from goalmem_lab.train.similar_lines import Lookalikes
from goalmem_lab.train.speaker_names import FIRST_NAMES, first_name, invented_names, swapped
from goalmem_lab.train.text_edits import joined, renamed, rewrite, shifted


@dataclass(frozen=True, slots=True)
class Example:
    """A question, a passage, and the stretches of it that answer; none when it does not say."""

    question: str
    passage: str
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Mix:
    """How many examples of each kind a question gives on average in one epoch."""

    with_answer: float
    without: float
    wrong_person: float
    alike: float
    unanswerable: float
    """For a question that its corpus marks as unanswerable: windows around what seems to answer it."""
    tempting: float = 0.0
    """Windows of the same document that a search brings and a reader takes for the answer."""


MIXES = {
    # The nearest to how it is used and the smallest, so it is seen most, in other windows and names each time.
    "friendsqa": Mix(with_answer=2.5, without=1.5, wrong_person=0.6, alike=0.5, unanswerable=0.0),
    # Many questions a dialogue, some of them broken.
    "molweni": Mix(with_answer=0.5, without=0.3, wrong_person=0.15, alike=0.15, unanswerable=0.5),
    "squad": Mix(with_answer=1.0, without=0.4, wrong_person=0.0, alike=0.3, unanswerable=0.6),
}
"""Of the first cycle, by corpus: what reading is."""
LATER_MIXES = {
    "friendsqa": Mix(with_answer=2.5, without=1.6, wrong_person=1.0, alike=0.4, unanswerable=0.0),
    "molweni": Mix(with_answer=0.25, without=0.15, wrong_person=0.2, alike=0.05, unanswerable=0.2),
    "squad": Mix(with_answer=0.4, without=0.2, wrong_person=0.0, alike=0.15, unanswerable=0.3),
    # Crude questions, but of the kind that memory is asked; a minority.
    "told": Mix(with_answer=0.9, without=0.4, wrong_person=0.8, alike=0.2, unanswerable=0.0),
    # Asked by the kind of what was told.
    "generated": Mix(with_answer=0.4, without=0.15, wrong_person=0.3, alike=0.1, unanswerable=0.0),
}
"""Of later cycles: dialogue, and who it was."""
WIDER_MIXES = {
    "friendsqa": Mix(with_answer=1.0, without=0.5, wrong_person=0.3, alike=0.2, unanswerable=0.0),
    "molweni": Mix(with_answer=0.25, without=0.1, wrong_person=0.1, alike=0.05, unanswerable=0.2),
    "squad": Mix(with_answer=0.2, without=0.05, wrong_person=0.0, alike=0.02, unanswerable=0.1),
    # One sentence, many short questions about each of its verbs: where a span begins and ends.
    "qamr": Mix(with_answer=0.25, without=0.0, wrong_person=0.0, alike=0.02, unanswerable=0.0),
}
"""Of a reader that goes on: single sentences beside the corpora that it knows."""
CHAT_MIXES = {
    "friendsqa": Mix(with_answer=0.5, without=0.3, wrong_person=0.2, alike=0.1, unanswerable=0.0),
    "molweni": Mix(with_answer=0.06, without=0.03, wrong_person=0.05, alike=0.02, unanswerable=0.05),
    "squad": Mix(with_answer=0.05, without=0.02, wrong_person=0.0, alike=0.01, unanswerable=0.03),
    "qamr": Mix(with_answer=0.05, without=0.0, wrong_person=0.0, alike=0.01, unanswerable=0.0),
    "lives": Mix(with_answer=1.0, without=0.05, wrong_person=0.15, alike=0.05, unanswerable=1.3, tempting=1.3),
    "notes": Mix(with_answer=0.25, without=0.0, wrong_person=0.05, alike=0.05, unanswerable=0.2),
}
"""Of its last cycle: conversations as memory holds them, and what is known already, so that it is not lost."""
RENAMED = 0.7
"""Share of dialogue examples with invented names."""
JOINED = 0.6
"""Share of dialogue examples written without a tokeniser's blanks."""
FIRST_NAME_ONLY = 0.6
"""Share of dialogue examples whose lines begin with the first name alone."""
SPOKEN = 0.35
"""Share of prose examples that are printed as what speakers say."""
TURNS = (1, 2, 2, 3, 3, 3, 4, 5, 5, 6, 7, 8, 9)
"""Lengths of dialogue windows: two or three turns is how memory is read, five to nine how dialogue readers are tested."""
SENTENCES = (1, 1, 2, 2, 3, 4)
READ_AS_MEMORY = frozenset({"lives", "notes"})
"""Corpora that are read as memory reads: a turn behind the one before it."""
ALONE = 0.15
"""Share of those turns that are read alone, as the first of a session is."""
MARKED_NEAR = 0.4
"""Share of the windows of an unanswerable question that show what its author thought of; the others, what tempts a reader."""


def examples(
    documents: Sequence[Document],
    alike: Lookalikes,
    seed: int,
    mixes: Mapping[str, Mix] = MIXES,
    turns: Sequence[int] = TURNS,
    tempting: Tempting | None = None,
) -> list[Example]:
    """One epoch's examples, in order of the documents; the same for the same seed. `turns`: lengths of dialogue windows."""
    draw = _Draw(alike, turns, tempting, chance(seed))
    return [
        example
        for number in range(len(documents))
        for example in _of(documents, number, mixes[documents[number].corpus], draw)
    ]


@dataclass(frozen=True, slots=True)
class _Draw:
    """What windows are drawn from."""

    alike: Lookalikes
    turns: Sequence[int]
    tempting: Tempting | None
    random_: random.Random

    def around(self, document: Document, question: Question) -> range:
        """A window with an answer, or with the line that seems to hold one."""
        if self.tempting is not None and document.corpus in READ_AS_MEMORY:
            return window_as_read(question, self.random_)
        return window_with(document, question, _length(document, self.turns, self.random_), self.random_)

    def tempted(self, document: Document, question: Question) -> int | None:
        """A line without the answer that tempts a reader; None where there is none."""
        return self.tempting.find(document, question.text, self.random_) if self.tempting is not None else None


def _of(documents: Sequence[Document], number: int, mix: Mix, draw: _Draw) -> Iterator[Example]:
    document, turns, random_ = documents[number], draw.turns, draw.random_
    for place, question in enumerate(document.questions):
        if not question.answers:
            yield from _unanswerable(document, question, mix, draw)
            continue
        for _ in range(_times(mix.with_answer, random_)):
            yield _printed(document, question, draw.around(document, question), random_)
        for _ in range(_times(mix.without, random_)):
            window = window_without(document, question, _length(document, turns, random_), random_)
            if window:
                yield _printed(document, question, window, random_)
        for _ in range(_times(mix.tempting, random_)):
            line = draw.tempted(document, question)
            if line is not None:
                window = draw.around(document, Question("", near=line))
                yield _printed(document, Question(question.text), window, random_)
        for _ in range(_times(mix.wrong_person, random_)):
            window = draw.around(document, question)
            present = [document.lines[line].speaker for line in window]
            wrong = swapped(question.text, document.speakers, present, random_)
            if wrong:
                yield _printed(document, Question(wrong), window, random_)
        for _ in range(_times(mix.alike, random_)):
            found = draw.alike.find(number, place, random_)
            if found:
                other, line = documents[found[0]], found[1]
                window = window_with(other, Question("", near=line), _length(other, turns, random_), random_)
                yield _printed(other, Question(question.text), window, random_, also=document)


def _unanswerable(document: Document, question: Question, mix: Mix, draw: _Draw) -> Iterator[Example]:
    for _ in range(_times(mix.unanswerable, draw.random_)):
        line = draw.tempted(document, question)
        as_marked = line is None or draw.random_.random() < MARKED_NEAR
        near = question if as_marked else Question(question.text, near=line or 0)
        yield _printed(document, near, draw.around(document, near), draw.random_)


def _times(mean: float, random_: random.Random) -> int:
    """A whole number with that mean."""
    return int(mean) + (random_.random() < mean % 1)


def _length(document: Document, turns: Sequence[int], random_: random.Random) -> int:
    return random_.choice(turns if document.dialogue else SENTENCES)


def window_with(document: Document, question: Question, length: int, random_: random.Random) -> range:
    """A run of `length` lines (all, in a shorter document) that holds an answer, or the line that seems to hold one."""
    line = random_.choice(question.answers).line if question.answers else question.near
    last = max(0, len(document.lines) - length)
    start = random_.randint(min(last, max(0, line - length + 1)), min(line, last))
    return range(start, min(start + length, len(document.lines)))


def window_as_read(question: Question, random_: random.Random) -> range:
    """The line that holds an answer, or seems to hold one, behind the line before it."""
    line = random_.choice(question.answers).line if question.answers else question.near
    return range(max(0, line - (random_.random() >= ALONE)), line + 1)


def window_without(document: Document, question: Question, length: int, random_: random.Random) -> range | None:
    """A run of up to `length` lines without any answer, nor the words of one; None when there is no such line."""
    free = [not said for said in _said(document, question.answers)]
    starts = [number for number, is_free in enumerate(free) if is_free]
    if not starts:
        return None
    start = end = random_.choice(starts)
    while end - start + 1 < length:
        grows = [(start - 1, end)] if start and free[start - 1] else []
        grows += [(start, end + 1)] if end + 1 < len(free) and free[end + 1] else []
        if not grows:
            break
        start, end = random_.choice(grows)
    return range(start, end + 1)


def _said(document: Document, answers: Sequence[Mark]) -> list[bool]:
    """For each line, whether it holds an answer or says one again; that a speaker speaks again says nothing."""
    texts = {
        document.lines[mark.line].text[mark.start : mark.end].lower()
        for mark in answers
        if not (document.lines[mark.line].speaker and mark.start == 0)
    }
    marked = {mark.line for mark in answers}
    return [
        number in marked or any(text in line.text.lower() for text in texts)
        for number, line in enumerate(document.lines)
    ]


def _printed(
    document: Document, question: Question, window: range, random_: random.Random, also: Document | None = None
) -> Example:
    """The window as a passage, in one of the ways that conversations are written; `also` has names in the question."""
    names: dict[str, str] = {}
    if document.dialogue and random_.random() < RENAMED:
        names = invented_names(also, random_) if also else {}
        names = invented_names(document, random_) | names
    asked, _ = rewrite(question.text, (), renamed(question.text, names))
    tidy = random_.random() < JOINED
    short = random_.random() < FIRST_NAME_ONLY
    spoken = not document.dialogue and random_.random() < SPOKEN
    voices = random_.sample(FIRST_NAMES, 2)
    passage = ""
    spans: list[tuple[int, int]] = []
    for number in window:
        line = document.lines[number]
        text = line.text
        own = [(mark.start, mark.end) for mark in question.answers if mark.line == number]
        if short and line.speaker and "," not in line.speaker:
            text, own = _with_short_name(text, line.speaker, own)
        text, own = rewrite(text, own, renamed(text, names))
        if tidy and document.dialogue:
            text, own = rewrite(text, own, joined(text))
        if spoken:
            voice = f"{random_.choice(voices)}: "
            text, own = voice + text, shifted(own, len(voice))
        separator = "" if not passage else "\n" if document.dialogue or spoken else " "
        spans += shifted(own, len(passage) + len(separator))
        passage += separator + text
    if tidy:
        asked, _ = rewrite(asked, (), joined(asked))
    return Example(reworded(asked, random_), passage, tuple(spans))


def _with_short_name(text: str, speaker: str, spans: list[tuple[int, int]]) -> tuple[str, list[tuple[int, int]]]:
    name = first_name(speaker)
    cut = len(speaker) - len(name)
    return name + text[len(speaker) :], [
        (start - cut if start >= len(speaker) else start, end - cut if end > len(name) else end) for start, end in spans
    ]


GAP = 0.35
"""Share of the questions that fit which are asked as a statement with a gap."""
CARELESS = 0.12
"""Share of questions in lower case and without a question mark."""

_ASKED = re.compile(
    r"(?P<wh>[Ww]hat|[Ww]here|[Ww]hen|[Ww]ho|[Ww]hom|[Ww]hy|[Hh]ow) (?P<aux>did|does|do) "
    r"(?P<who>(?:[A-Z][\w']*)(?: (?:and )?[A-Z][\w']*){0,2}) (?P<verb>[a-z]+)(?P<rest>(?: [^?]*?)?) ?\??"
)


def reworded(question: str, random_: random.Random) -> str:
    """`question`, at times asked otherwise: "What did Ann buy?" as "Ann bought what?"."""
    if random_.random() < GAP:
        question = _with_gap(question) or question
    if random_.random() < CARELESS:
        question = question.rstrip(" ?").lower()
    return question


def _with_gap(question: str) -> str | None:
    """The statement that the answer would complete; None for a question of another form."""
    from lemminflect import getInflection

    found = _ASKED.fullmatch(question)
    if found is None:
        return None
    tag = {"did": "VBD", "does": "VBZ", "do": "VBP"}[found["aux"]]
    inflected = getInflection(found["verb"], tag=tag)
    if not inflected:
        return None
    return f"{found['who']} {inflected[0]}{found['rest']} {found['wh'].lower()}?"

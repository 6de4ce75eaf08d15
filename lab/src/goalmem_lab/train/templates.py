"""Questions over first-person chat by templates: who did what, when and where, from the facts that goalmem extracts.

The dialogues are users' turns of LongMemEval's sessions (Wu et al., ICLR 2025, MIT): two users' turns in alternation, as if
they talked to each other, or one user's with the assistant. The questions are crude, but of the kind that memory is asked:
the person by name, the words in the first person, and another person beside who did not do it.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from goalmem.errors import FormatError, NotFoundError
from goalmem.records import Argument, Fact, Modality, Turn
from goalmem_lab.train.chance import chance
from goalmem_lab.train.documents import Document, Line, Mark, Question
from goalmem_lab.train.speaker_names import FIRST_NAMES

if TYPE_CHECKING:
    from goalmem.language.extractor import Extractor


MOST_WORDS = 70
"""Longer turns are left out; an assistant's are cut to half of it."""
TURNS = 8
"""Turns a document, of both speakers."""
WITH_ASSISTANT = 0.25
"""Share of documents in which a user talks to the assistant and asks of "I"."""
MOST_PER_DOCUMENT = 8
LIGHT = frozenset({"be", "have", "do", "think", "guess", "know", "mean", "say", "want", "need", "hope"})
"""Verbs that say too little for a question about their object."""
PLACES = frozenset({"in", "at", "from", "to", "on", "near", "into"})
_VAGUE = re.compile(
    r"\b(?:it|that|this|these|those|them|which|who|what|how|why|something|some|one|ones|everything|you)\b",
    re.IGNORECASE,
)


def told(path: Path, extractor: Extractor, seed: int, report: Callable[[int, int], None]) -> list[Document]:
    """Dialogues with questions out of a file of sessions; `report` gets how many sessions of how many are read.

    Raises NotFoundError when there is no such file, FormatError when it is in another layout.
    """
    random_ = chance(seed)
    sessions = [session for session in map(_said, sessions_in(path)) if session]
    random_.shuffle(sessions)
    total = len(sessions)
    made: list[Document] = []
    while len(sessions) > 1:
        first = sessions.pop()
        second = None if random_.random() < WITH_ASSISTANT else sessions.pop()
        document = _document(extractor, first, second, f"sessions {total - len(sessions)}", random_)
        if document.questions:
            made.append(document)
        report(total - len(sessions), total)
    return made


def sessions_in(path: Path) -> list[Any]:
    """The sessions of a file of chats, one a line. Raises NotFoundError, FormatError."""
    try:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except FileNotFoundError as error:
        raise NotFoundError(
            f"There is no file of chats {path}.", "Pass --chats the folder that holds it, or leave it out."
        ) from error
    except (OSError, ValueError) as error:
        raise FormatError(
            f"{path} is not a JSONL file of sessions ({error}).", "docs/reader.md has the layout."
        ) from error


def _said(session: Any) -> list[tuple[str, str]]:
    """(role, text) of the turns that are short enough, on one line each."""
    try:
        turns = [(str(turn["role"]), str(turn["content"]).split()) for turn in session["turns"]]
    except (KeyError, TypeError) as error:
        raise FormatError(
            f"A session has no turns with role and content ({error!r}).", "docs/reader.md has the layout."
        ) from error
    cut = [(role, words if role == "user" else words[: MOST_WORDS // 2]) for role, words in turns]
    return [(role, " ".join(words)) for role, words in cut if 0 < len(words) <= MOST_WORDS]


def _document(
    extractor: Extractor,
    first: Sequence[tuple[str, str]],
    second: Sequence[tuple[str, str]] | None,
    name: str,
    random_: random.Random,
) -> Document:
    spoken = list(first) if second is None else _alternating(first, second, random_)
    began = datetime(2024, 1, 1, tzinfo=UTC)
    turns = [
        Turn(str(number), "", "", number, speaker, "user", text, began + timedelta(minutes=number))
        for number, (speaker, text) in enumerate(spoken[:TURNS])
    ]
    asked = [
        question
        for number, extraction in enumerate(extractor.extract(turns) if turns else ())
        if turns[number].speaker != "assistant"
        for fact in extraction.facts
        for question in _questions(fact, turns[number], number, random_)
    ]
    lines = tuple(Line(f"{turn.speaker}: {turn.text}", turn.speaker) for turn in turns)
    chosen = random_.sample(asked, min(len(asked), MOST_PER_DOCUMENT))
    return Document("told", name, lines, tuple(_merged(chosen, asked)))


def _alternating(
    first: Sequence[tuple[str, str]], second: Sequence[tuple[str, str]], random_: random.Random
) -> list[tuple[str, str]]:
    """(name, text) of two users in turn."""
    names = random_.sample(FIRST_NAMES, 2)
    own = [
        [(name, text) for role, text in part if role == "user"]
        for name, part in zip(names, (first, second), strict=True)
    ]
    return [turn for pair in zip(*own, strict=False) for turn in pair]


def _merged(chosen: Sequence[Question], asked: Sequence[Question]) -> Iterator[Question]:
    """Each question once, answered wherever one of the same words is."""
    for text in dict.fromkeys(question.text for question in chosen):
        same = (question.answers for question in asked if question.text == text)
        yield Question(text, tuple(dict.fromkeys(mark for marks in same for mark in marks)))


def _questions(fact: Fact, turn: Turn, line: int, random_: random.Random) -> Iterator[Question]:
    """What may be asked about a fact that the speaker tells of himself or herself."""
    object_ = fact.arg("object")
    asking = _asking(fact, turn.speaker) if _tells(fact) else None
    if asking is None or object_ is None:
        return
    before = len(turn.speaker) + 2

    def mark(start: int, end: int) -> tuple[Mark, ...]:
        return (Mark(line, before + start, before + end),)

    end = object_.start + len(object_.text.rstrip(" ,.;:"))
    thing = turn.text[object_.start : end]
    rest = [arg for arg in fact.args if arg.role in PLACES and arg.start > object_.end and not _VAGUE.search(arg.text)]
    after = f" {rest[0].role} {_retold(rest[0].text, turn.speaker)}" if rest and random_.random() < 0.5 else ""
    wh = "Who" if object_.type == "person" else "What"
    yield Question(f"{wh} {asking.auxiliary} {asking.verb}{after}?", mark(object_.start, end))
    if turn.speaker != "user":
        # Without the name, which would be the answer.
        yield Question(f"Who {asking.said} {_retold(thing, None)}?", mark(-before, -2))
    for question, place in _circumstances(fact, turn, object_):
        yield Question(f"{question} {asking.auxiliary} {asking.verb} {_retold(thing, turn.speaker)}?", mark(*place))


def _tells(fact: Fact) -> bool:
    subject, object_ = fact.arg("subject"), fact.arg("object")
    return (
        fact.kind == "clause"
        and fact.polarity
        and fact.modality is Modality.ASSERTED
        and fact.predicate not in LIGHT
        and subject is not None
        and subject.text == "I"
        and object_ is not None
        and object_.start >= 0
        and len(object_.text.split()) <= 7
        and not _VAGUE.search(object_.text)
    )


def _circumstances(fact: Fact, turn: Turn, object_: Argument) -> Iterator[tuple[str, tuple[int, int]]]:
    """When and where, as far as the clause says beside its object."""
    place = turn.text.find(fact.when_text, fact.start, fact.end) if fact.when_text else -1
    if place >= 0:
        yield "When", (place, place + len(fact.when_text))
    for arg in fact.args:
        if arg.role in PLACES and arg.type in ("place", "organization") and arg.start >= object_.end:
            yield "Where", (arg.start, arg.end)


@dataclass(frozen=True, slots=True)
class _Asking:
    """How a fact's verb is asked about."""

    auxiliary: str
    """With the subject's name: `did Maya`."""
    verb: str
    said: str
    """The verb as a statement has it, in the third person."""


def _asking(fact: Fact, speaker: str) -> _Asking | None:
    """In the tense of the form of the verb that the clause holds; None when it holds none."""
    from lemminflect import getInflection

    verb, _, particle = fact.predicate.partition(" ")
    words = set(fact.text.lower().split())
    user = speaker == "user"
    who = "I" if user else speaker
    tail = f" {particle}" if particle else ""

    def form(tag: str) -> str:
        return str(next(iter(getInflection(verb, tag=tag)), ""))

    if form("VBG") in words and {"i'm", "am", "i've"} & words:
        return _Asking(f"am {who}" if user else f"is {who}", form("VBG") + tail, f"is {form('VBG')}{tail}")
    if form("VBD") in words or form("VBN") in words:
        return _Asking(f"did {who}", verb + tail, form("VBD") + tail)
    if verb in words:
        return _Asking(f"do {who}" if user else f"does {who}", verb + tail, form("VBZ") + tail)
    return None


def _retold(text: str, speaker: str | None) -> str:
    """What `speaker` said of himself or herself, told by another; without the name for None, as it is by the user."""
    if speaker == "user":
        return text
    whose, whom = (f"{speaker}'s", speaker) if speaker else ("their", "them")
    for own, other in (("my", whose), ("our", "their"), ("me", whom), ("I", speaker or "they"), ("us", "them")):
        text = re.sub(rf"\b{own}\b", other, text)
    return text

"""Questions made from facts that our own extraction reads out of chats: who did what, asked by the kind of what it was.

People ask for kinds ("Which martial arts has John done?") of what was told by name ("I'm doing kickboxing"). No reading
corpus of ours has such questions, but the dictionary knows the kinds: a fact whose object is a word of WordNet, or a
name that it knows, gives one. The question names whoever spoke, and the answer is where the object stands.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from goalmem.errors import FormatError
from goalmem.language import Extractor, TurnContext
from goalmem.language.lexicon import is_known, kinds_above
from goalmem.records import Argument, Fact, Modality, Turn
from goalmem_lab.train.chance import chance
from goalmem_lab.train.documents import Document, Line, Mark, Question
from goalmem_lab.train.speaker_names import FIRST_NAMES
from goalmem_lab.train.templates import sessions_in

CHATS = "sessions.jsonl"
"""LongMemEval's sessions (Wu et al. 2025, MIT), a line each."""
LONGEST = 700
"""Characters of a message that are read: what assistants write is long and tells little of anybody."""
LONGEST_ANSWER = 8
"""Words of an answer."""
PER_TURN = 3
KINDS = 4
"""How many kinds up a question may ask: `kickboxing` is a martial art, a contact sport, a sport."""
ASKED_BY_KIND = 0.7
"""Share of questions about a known thing that ask by its kind."""
PLAIN = frozenset({"object", "attribute"})
PLACES = frozenset({"in", "at", "to", "into", "near"})
SPEAKS = frozenset({"be", "have", "do", "go", "get", "make", "think", "know", "want", "need", "say", "mean", "guess"})
"""Verbs that say too little to be asked about without their kind."""
READ_ON = datetime(2023, 5, 30, tzinfo=UTC)
"""Any day: what is asked does not depend on it."""


def generated(folder: Path, extractor: Extractor, seed: int, most: int) -> list[Document]:
    """Documents of at most `most` questions in all, from the chats in `folder`; the same for the same seed.

    Raises NotFoundError when the chats are not there, FormatError when they are not in the published layout.
    """
    random_ = chance(seed)
    path = folder / CHATS
    sessions = sessions_in(path)
    try:
        chats = [(str(s["session_id"]), [(str(t["role"]), str(t["content"])) for t in s["turns"]]) for s in sessions]
    except (KeyError, TypeError) as error:
        raise FormatError(f"{path} holds no sessions ({error}).", "Fetch it again.") from error
    random_.shuffle(chats)
    documents: list[Document] = []
    left = most
    for name, messages in chats:
        if left <= 0:
            break
        document = _document(name, messages, extractor, random_)
        if document.questions:
            documents.append(document)
            left -= len(document.questions)
    return documents


def _document(name: str, messages: Sequence[tuple[str, str]], extractor: Extractor, random_: random.Random) -> Document:
    voices = dict(zip(("user", "assistant"), random_.sample(FIRST_NAMES, 2), strict=True))
    turns = [
        Turn(f"{name}/{n}", "train", name, n, voices.get(role, role), role, " ".join(text[:LONGEST].split()), READ_ON)
        for n, (role, text) in enumerate(messages)
    ]
    told = [turn for turn in turns if turn.role == "user"]
    found = extractor.extract(told, TurnContext((), {}, tuple(voices.values())))
    questions = []
    for turn, extraction in zip(told, found, strict=True):
        number = turn.position
        made = [q for fact in extraction.facts for q in _questions(fact, turn, number, random_)]
        questions += random_.sample(made, min(PER_TURN, len(made)))
    lines = tuple(Line(f"{t.speaker}: {t.text}", t.speaker) for t in turns)
    return Document("generated", name, lines, tuple(questions))


def _questions(fact: Fact, turn: Turn, line: int, random_: random.Random) -> Iterator[Question]:
    """What may be asked about one fact that its speaker tells of themselves."""
    subject = fact.arg("subject")
    told = fact.modality is Modality.ASSERTED and fact.polarity and fact.kind in ("clause", "preference", "possession")
    if not told or subject is None or subject.entity != turn.speaker or " " in fact.predicate.strip():
        return
    shift = len(turn.speaker) + 2
    for argument in fact.args:
        if (
            argument.start < 0
            or argument is subject
            or len(argument.text.split()) > LONGEST_ANSWER
            or not argument.head
        ):
            continue
        asked = _asked(fact.predicate, argument, turn.speaker, random_)
        if asked:
            yield Question(asked, (Mark(line, shift + argument.start, shift + argument.end),))


def _asked(verb: str, argument: Argument, who: str, random_: random.Random) -> str:
    """The question that an argument answers; empty when there is no good one."""
    past, done = _form(verb, "VBD"), _form(verb, "VBN")
    if not past or not done:
        return ""
    if argument.role == "time":
        return f"When did {who} {verb}?" if verb not in SPEAKS else ""
    if argument.role in PLACES and argument.type in ("place", "organization", "event"):
        return random_.choice((f"Where did {who} {verb}?", f"Where has {who} {done}?")) if verb not in SPEAKS else ""
    if argument.role not in PLAIN or (not is_known(argument.head) and not argument.entity):
        return ""
    kinds = kinds_above(argument.entity.casefold() or argument.head, KINDS) or kinds_above(argument.head, KINDS)
    if kinds and (verb in SPEAKS or random_.random() < ASKED_BY_KIND):
        return _by_kind(random_.choice(kinds), verb, done, who, random_)
    if verb in SPEAKS:
        return ""
    return random_.choice((f"What did {who} {verb}?", f"What has {who} {done}?", f"What does {who} {verb}?"))


def _by_kind(kind: str, verb: str, done: str, who: str, random_: random.Random) -> str:
    several = _plural(kind)
    forms = [f"What {kind} does {who} mention?", f"What kind of {kind} does {who} talk about?"]
    if verb in ("be", "have"):
        forms += [f"What {several} does {who} have?", f"Which {kind} does {who} have?"]
    else:
        forms += [
            f"What {kind} did {who} {verb}?",
            f"What {several} has {who} {done}?",
            f"Which {several} did {who} {verb}?",
            f"What kind of {kind} did {who} {verb}?",
            f"What {several} does {who} {verb}?",
        ]
    return random_.choice(forms)


def _plural(noun: str) -> str:
    *before, last = noun.split()
    return " ".join([*before, _form(last, "NNS") or last])


def _form(word: str, tag: str) -> str:
    from lemminflect import getInflection

    found = getInflection(word, tag=tag)
    return str(found[0]) if found else ""

"""Claims to train a judge on: questions with right answers, with the reader's own wrong ones and with those of other questions;
statements over the turns that bear on them, and over turns that do not.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from lemminflect import getAllLemmas

from goalmem.language.terms import terms_of
from goalmem.models.protocol import Excerpt, PassageReading, SpanReader, Statement
from goalmem_lab.train.chance import chance
from goalmem_lab.train.examples import Example, Mix
from goalmem_lab.train.lives import YES_NO, Claim, Label, Life, claims_of, question_of
from goalmem_lab.train.token_overlap import best_f1

JUDGE_MIXES = {
    "friendsqa": Mix(with_answer=2.5, without=1.2, wrong_person=1.0, alike=0.5, unanswerable=0.0),
    "molweni": Mix(with_answer=0.5, without=0.2, wrong_person=0.3, alike=0.1, unanswerable=0.4),
    "squad": Mix(with_answer=0.6, without=0.2, wrong_person=0.0, alike=0.1, unanswerable=0.5),
    # Many questions a sentence; what answers one of them answers no other.
    "qamr": Mix(with_answer=0.3, without=0.0, wrong_person=0.0, alike=0.02, unanswerable=0.0),
    "notes": Mix(with_answer=0.03, without=0.0, wrong_person=0.02, alike=0.04, unanswerable=0.02),
}
"""How many windows of each kind a question gives in one epoch."""
JUDGE_TURNS = (2, 2, 3, 4, 6)
"""Lengths of the windows that the reader proposes from; of each the judge sees the turn and the one before it."""
PROPOSED = 4
WORTH = 0.03
"""Least that a reader expects of a proposal that becomes a claim."""
SPEAKER_WORDS = 4
"""A line with more words before its first colon has no speaker."""
BATCH = 512
NEAR = 0.75
"""Token F1 from which a proposal is the answer, cut a little otherwise."""
FAR = 0.2
"""Token F1 up to which it is another."""
OWN_CUT = 0.3
"""Share of right answers that are worded as the reader cuts them."""
OTHERS = 0.5
"""Share of answers for which the answer to another question of the passage is claimed, too."""
DATED = 0.6
"""Share of excerpts without a date that get one: that there is a date says nothing of whether it is true."""
FIRST_DAY = datetime(2019, 1, 1)
DAYS = 3_000
ALIKE = (1, 9)
"""Of the turns most like a statement, which may stand for what does not say it."""
UNDECIDED, UNDECIDED_AMONG = 3, 8
"""Turns that do not decide a question of yes or no, and of how many that are most like it."""
ASKED = 0.3
"""Share of statements that are asked, too."""


NOTED, CONTRASTED = 0.03, 0.4
"""Share of what is claimed of notes that one epoch sees, and of those with wrong answers: notes are several times as many as lives."""


def read_claims(
    examples: Sequence[Example],
    reader: SpanReader,
    seed: int,
    report: Callable[[int, int], None] = lambda done, all_: None,
) -> list[Claim]:
    """What examples and a reader's proposals claim; the same for the same examples, reader and seed."""
    random_ = chance(seed)
    claims: list[Claim] = []
    answers: dict[str, list[str]] = {}
    for example in examples:
        answers.setdefault(example.passage, []).extend(example.passage[start:end] for start, end in example.spans)
    for begun in range(0, len(examples), BATCH):
        batch = examples[begun : begun + BATCH]
        readings = reader.read([(example.question, example.passage) for example in batch], limit=PROPOSED)
        for example, reading in zip(batch, readings, strict=True):
            claims += _claims(example, reading, answers[example.passage], random_)
        report(min(begun + BATCH, len(examples)), len(examples))
    return claims


def _claims(example: Example, reading: PassageReading, known: Sequence[str], random_: random.Random) -> Iterator[Claim]:
    right = [example.passage[start:end] for start, end in example.spans]
    spans = [(span.start, span.end) for span in reading.spans if span.score >= WORTH]
    overlaps = {span: best_f1(example.passage[slice(*span)], right) if right else 0.0 for span in spans}
    if right:
        cuts = [span for span in spans if overlaps[span] >= NEAR and random_.random() < OWN_CUT]
        yield _claim(example, cuts[0] if cuts else random_.choice(example.spans), Label.ENTAILED, random_)
    for span in [span for span in spans if overlaps[span] <= FAR][:1]:
        yield _claim(example, span, Label.UNSUPPORTED, random_)
    others = [answer for answer in known if not right or best_f1(answer, right) <= FAR]
    if right and others and random_.random() < OTHERS:
        place = example.passage.find(other := random_.choice(others))
        if place >= 0:
            yield _claim(example, (place, place + len(other)), Label.UNSUPPORTED, random_)


def _claim(example: Example, span: tuple[int, int], label: Label, random_: random.Random) -> Claim:
    statement = Statement(example.question, example.passage[slice(*span)])
    return Claim(statement, _dated(_around(example.passage, span[0]), random_), label)


def _around(passage: str, start: int) -> Excerpt:
    """The line of a passage that holds a place, behind the line before it."""
    lines = passage.split("\n")
    number = passage.count("\n", 0, start)
    speaker, colon, text = lines[number].partition(": ")
    if not colon or len(speaker.split()) > SPEAKER_WORDS:
        return Excerpt(lines[number], "", None, "")
    return Excerpt(text, speaker, None, lines[number - 1] if number else "")


def _dated(excerpt: Excerpt, random_: random.Random) -> Excerpt:
    if excerpt.said is not None or not excerpt.speaker or random_.random() >= DATED:
        return excerpt
    return replace(excerpt, said=FIRST_DAY + timedelta(days=random_.randrange(DAYS)))


def elsewhere(life: Life, seed: int) -> Iterator[Claim]:
    """Each statement of a life over a turn that shares words with it, and that nobody cited for it: not said there."""
    random_ = chance(seed)
    turns = life.turns
    said = {name: {*terms_of(f"{turn.speaker} {turn.text}")} for name, turn in turns.items()}
    cited = {stated["statement"]: {e["turn"] for e in stated.get("evidence") or ()} for stated in life.statements}
    for statement, own in cited.items():
        ranked = _ranked(statement, [name for name in turns if name not in own], said)
        for name in random_.sample(ranked[slice(*ALIKE)], 1):
            yield Claim(Statement(statement, ""), turns[name], Label.NOT_SAID)


def undecided(life: Life, seed: int) -> Iterator[Claim]:
    """Each question of yes or no of a life over turns that share words with it and decide it neither way."""
    random_ = chance(seed)
    turns = life.turns
    said = {name: {*terms_of(f"{turn.speaker} {turn.text}")} for name, turn in turns.items()}
    for asked, cited, times in _whether(life):
        ranked = _ranked(asked, [name for name in turns if name not in cited], said)
        for name in random_.sample(ranked[:UNDECIDED_AMONG], times):
            yield Claim(Statement(asked, random_.choice(YES_NO)), turns[name], Label.NOT_SAID)


def _whether(life: Life) -> Iterator[tuple[str, set[str], int]]:
    """The questions of yes or no of a life, the turns that bear on each, and over how many others it is claimed."""
    for asked in life.content["questions"]:
        if asked["answers"] and asked["answers"][0].lower() in YES_NO:
            yield question_of(asked), {evidence["turn"] for evidence in asked.get("evidence") or ()}, UNDECIDED
    for asked in life.whether:
        yield question_of(asked), {asked["turn"]}, 1


def as_questions(claims: Sequence[Claim], seed: int) -> Iterator[Claim]:
    """Some statements as questions of yes or no, with what is the answer and what is not."""
    random_ = chance(seed)
    other = {Label.ENTAILED: Label.CONTRADICTED, Label.CONTRADICTED: Label.ENTAILED, Label.NOT_SAID: Label.NOT_SAID}
    for claim in claims:
        if claim.statement.answer or claim.label not in other or random_.random() >= ASKED:
            continue
        question = whether(claim.statement.question)
        if question is not None:
            answer = random_.choice(YES_NO)
            label = claim.label if answer == "yes" else other[claim.label]
            yield replace(claim, statement=Statement(question, answer), label=label)


def stated_claims(lives: Sequence[Life], notes: Sequence[Claim], seed: int) -> list[Claim]:
    """All that lives state outright, and a part of what notes do, another in each epoch; some of it asked."""
    told = [claim for life in lives for claim in (*claims_of(life), *elsewhere(life, seed), *undecided(life, seed))]
    random_ = chance(seed)
    noted = [claim for claim in notes if random_.random() < (CONTRASTED if claim.contrasted else NOTED)]
    stated = [*noted, *told]
    return [*stated, *as_questions(stated, seed)]


def _ranked(text: str, names: Sequence[str], said: Mapping[str, set[str]]) -> list[str]:
    """Turns by the words that they share with a text, most first."""
    terms = {*terms_of(text)}
    return sorted(names, key=lambda name: (-len(terms & said[name]) / (4 + len(said[name])) ** 0.5, name))


TURNED = frozenset("is are was were can could will would should may might must".split())
"""What goes before its subject in a question."""
DO = frozenset("does did do".split())
HAVE = {"has": "does", "have": "do", "had": "did"}
OWNED = frozenset(
    "a an the no any some her his their its two three four five six seven eight nine ten many several only".split()
)
"""Words behind `has` that make it a verb of its own."""
NESTED = frozenset("who which that whose where when because if".split())
LONGEST_SUBJECT = 6
USER = ("The", "user")


def whether(statement: str) -> str | None:
    """The question that a plain statement answers with yes; None where it is not sure to be put so."""
    words = statement.strip().rstrip(".").split()
    for place, word in enumerate(words[: LONGEST_SUBJECT + 1]):
        if word.lower() in NESTED or word.endswith(","):
            return None
        if not place or place + 1 == len(words):
            continue
        if word in TURNED:
            return _asked(word, words[:place], words[place + 1 :])
        if word in DO and words[place + 1] == "not":
            return _asked(word, words[:place], words[place + 1 :])
        if word in HAVE:
            owned = words[place + 1].lower() in OWNED or words[place + 1][:1].isdigit()
            if owned:
                return _asked(HAVE[word], words[:place], ["have", *words[place + 1 :]])
            return _asked(word, words[:place], words[place + 1 :])
    return _by_verb(words)


def _by_verb(words: list[str]) -> str | None:
    """Of a name or the user with a verb right behind it."""
    named = 2 if tuple(words[:2]) == USER else 1
    if len(words) < named + 1 or not words[0][:1].isupper() or (named == 1 and words[0] in ("The", "A", "An")):
        return None
    verb = words[named]
    bases = getAllLemmas(verb, upos="VERB").get("VERB", ())
    if not verb.islower() or not bases:
        return None
    base = bases[0]
    auxiliary = "do" if verb == base else "does" if verb.endswith("s") and verb != base else "did"
    return _asked(auxiliary, words[:named], [base, *words[named + 1 :]])


def _asked(auxiliary: str, subject: list[str], rest: list[str]) -> str:
    first = (
        subject[0].lower()
        if subject[0] in ("The", "A", "An", "Her", "His", "Their", "There", "It", "She", "He", "They")
        else subject[0]
    )
    return " ".join([auxiliary.capitalize(), first, *subject[1:], *rest]) + "?"

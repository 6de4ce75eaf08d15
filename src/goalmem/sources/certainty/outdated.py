"""Detect that a value was replaced later, whatever the words: `I get the 42 to work now` after `I take the 17 bus`.

Nothing is unified here. A later sentence that marks a change and shares the question's topic gives it another value, even if that value
cannot be read; the earlier value then no longer holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from goalmem.language.lexicon import is_a, is_known, tagged_uses
from goalmem.language.sentences import SENTENCE_BREAK
from goalmem.language.terms import LETTERS, STOP_WORDS, terms_of
from goalmem.language.times_words import DAY_NAMES, MONTHS
from goalmem.language.verb_forms import verb_bases
from goalmem.language.words.changes import CONTRASTED, GIVEN_UP, MARKED, NEW_ROLE, REPLACED_BY
from goalmem.language.words.doubts import NOW
from goalmem.language.words.pronouns import FIRST_PERSON
from goalmem.language.words.succession import CORRECTING, NOT_DONE
from goalmem.language.words.verbs import COURTING
from goalmem.records import Turn
from goalmem.sources.certainty.answer_ranking import EARLIER
from goalmem.sources.certainty.later_statements import follows
from goalmem.sources.certainty.topics import CALENDAR
from goalmem.sources.state.attribute_text import is_colour

PAST = re.compile(r"\b(?:did|was|were|had|used to|ever|already|before|until)\b", re.IGNORECASE)
"""Words of a question about the past."""
NAME = re.compile(r"(?<![.?!]\s)(?<!^)\b(?!I\b)[A-Z][\w'’-]*")
PREPOSITION = re.compile(r"\s(?:for|of|in|on|at|with|from|by)\s")
UNIT = re.compile(r"(?P<sign>[£$€])?\s?\d[\d.,:]*\s?(?P<unit>%|[^\W\d_]+)?")
LIGHT = frozenset(
    terms_of(
        "pay pays paid cost costs take takes get gets have has do does make makes go goes come comes give gives put keep keeps use uses want"
    )
)
"""Stems of verbs with little meaning (light verbs: Quirk et al. 1985, section 10.30)."""
DENIED = re.compile(
    r"\b(?:(?:did|do|does|was|were|is|has|have) not|never|\w+n['’]t)\b(?!.*\b(?:any ?more|any longer)\b)", re.IGNORECASE
)
"""Words of a denial in one clause; `isn't my boss any more` is a change, and so is `I can't do the 19th, now it's the 22nd`."""
CLAUSE_BREAK = re.compile(r"[,;:–—]|\b(?:but|so)\b")
INSTEAD = re.compile(r"\b(?:from|instead of|rather than)\b", re.IGNORECASE)
SWITCHED = re.compile(
    r"\b(?:switched|moved|changed|gone|went|migrated)(?: over)? to ([A-Z][\w.-]*)|\b(?:traded|swapped|exchanged) (?:it|that|them) (?:in )?for\b"
)
"""What is used from now on, without what was used before."""
DAY_OF_MONTH = re.compile(rf"\b(\d{{1,2}})(?:(?:st|nd|rd|th)\b| (?:{'|'.join(MONTHS)})\b)", re.IGNORECASE)
WRITTEN_NUMBER = re.compile(r"(?<![\w.])\d[\d.,:]*(?![\w])")
ENDED = re.compile(
    r"\b(?:no longer|stopped|stops|quit|gave up|given up|gives up|(?:not|never|\w+n['’]t)\b.*\b(?:any ?more|any longer))\b",
    re.IGNORECASE,
)
OF_ENDING = frozenset(terms_of("no longer, not any more, stopped, stops, quit, gave up, given up, gives up"))
ANOTHER = re.compile(r"\b(?:now|nowadays|these days|instead|but|new|changed|switched|swapped|moved)\b", re.IGNORECASE)
"""Words by which a sentence that ends something gives another thing in its place."""
FIRST = re.compile(rf"\b(?:{'|'.join(sorted(FIRST_PERSON))})\b", re.IGNORECASE)
OWN_PEOPLE = re.compile(r"(?:my|our)\s+(?P<who>[a-z]+)\s+(?!(?:is|was|has)\s+(?:now|gone)\b)[a-z]", re.IGNORECASE)
"""Somebody of the speaker's as the subject: `My brother drives a Seat`."""
ASKED_KIND = re.compile(r"\b(what|which) (?:day|date|time|year|month|colou?r|number)s?\b", re.IGNORECASE)
TIMES_OR_LIGHT = LIGHT | frozenset(
    terms_of(" ".join([*CALENDAR, *MONTHS, "said say yes yeah no ok sorry wait actually start starts"]))
)
"""Stems of words that do not tell what a time is of."""
UNSAID = "whichever-it-is"
"""In place of a word of a question that no statement need repeat."""
LONGEST = 4000
"""Characters of a turn that are searched."""


@dataclass(frozen=True)
class LaterChanges:
    """Turns after which the answer to a question may have changed."""

    question: str
    turns: Sequence[Turn]

    @cached_property
    def names(self) -> frozenset[str]:
        """The names in the question, in lower case."""
        return frozenset(
            m.group().casefold().removesuffix("'s").removesuffix("’s") for m in NAME.finditer(self.question)
        )

    @cached_property
    def topic(self) -> frozenset[str]:
        """The other content words of the question."""
        return frozenset(terms_of(self.question)) - frozenset(term for name in self.names for term in terms_of(name))

    @cached_property
    def changes(self) -> Sequence[tuple[Turn, str, str]]:
        """Sentences that mark a change, each with its turn and the previous sentence."""
        if PAST.search(self.question) or EARLIER.search(self.question):
            return ()
        return tuple(_changes(self.turns))

    def by(self, turn: Turn, value: str, *, surely: bool) -> tuple[Turn, str] | None:
        """The later turn and sentence that replace a value; None if there is none.

        With `surely`, the sentence must give the value up, name its replacement, or contain the whole topic; otherwise some of the topic is
        enough.
        """
        whole_value, value = value, core(value)
        own = frozenset(terms_of(value))
        topic, named = self.topic - own, [name for name in self.names if name not in value.casefold()]
        for later, sentence, before in self.changes:
            around, told = f"{before} {sentence}".casefold(), frozenset(terms_of(sentence))
            moved = moves_day(sentence, whole_value) or corrects_day(sentence, before, whole_value)
            if moved and (later.id == turn.id or follows(later, turn)):
                return later, sentence
            if later.id == turn.id:  # What the turn does not contain comes from an earlier one.
                behind = value.casefold() not in turn.content.casefold() or gives_up(sentence, value)
            else:
                behind = follows(later, turn)
            if not behind or not all(re.search(rf"\b{re.escape(name)}\b", around) for name in named):
                continue
            if self._of_another(sentence, value):
                continue
            shared = (topic & told) - LIGHT
            if (shared or not surely or names_no_topic(told)) and contrasts(sentence, whole_value):
                return later, sentence
            if own and own <= told:
                about = bool(shared or named) or names_no_topic(told - own)
                loosely = MARKED.search(sentence) is not None and (not surely or self._of_asker(sentence))
                if (about or loosely) and gives_up(sentence, value):
                    return later, sentence
                continue
            alike = bool(shared or named) and (measures_alike(sentence, value) or another_of_kind(sentence, value))
            whole = len(topic) + len(named) > 1 and topic <= told and not ends_another(sentence, told - topic)
            switched = not surely and value[:1].isupper() and self._of_asker(sentence) and SWITCHED.search(sentence)
            ended = (
                bool(topic) and topic <= told and ENDED.search(sentence) and not ends_another(sentence, told - topic)
            )
            if (
                alike
                or whole
                or switched
                or (ended and self._of_asker(sentence))
                or takes_over(sentence, topic)
                or (bool(shared) and not surely)
            ):
                return later, sentence
        return None

    def _of_asker(self, sentence: str) -> bool:
        """True if question and sentence are both in the first person: `I've swapped my iPhone`, `Sold the Fiesta`."""
        first = LETTERS.match(sentence)
        opening = first.group().casefold() if first is not None else ""
        elided = not opening.endswith("s") and bool(verb_bases(opening) - {opening})
        return FIRST.search(self.question) is not None and (elided or FIRST.search(sentence) is not None)

    def _of_another(self, sentence: str, value: str) -> bool:
        """True if a sentence is about a person whom the question does not name, unless the value is a name: `Ilse pays 12 euros now`."""
        if (other := OWN_PEOPLE.match(sentence)) is not None and is_a(other["who"].casefold(), "person"):
            return other["who"].casefold() not in self.question.casefold()
        first = LETTERS.match(sentence)
        if first is None or not first.group()[0].isupper() or value[:1].isupper():
            return False
        word = first.group().casefold()
        return word not in self.names and not any(is_known(word, pos) for pos in "nvar") and word not in STOP_WORDS


def _changes(turns: Sequence[Turn]) -> Iterator[tuple[Turn, str, str]]:
    for turn in turns:
        before = ""
        for sentence in SENTENCE_BREAK.split(turn.content[:LONGEST]):
            text = (sentence or "").strip()
            if text and not text.endswith("?") and not NOT_DONE.search(text) and _is_marked(text):
                yield turn, text, before
            before = text or before


def _is_marked(sentence: str) -> bool:
    """True if a clause of a sentence marks a change and denies nothing, or corrects, or gives one value and not another."""
    return (
        is_correction(sentence)
        or CONTRASTED.search(sentence) is not None
        or any(MARKED.search(c) and not DENIED.search(c) for c in CLAUSE_BREAK.split(sentence))
    )


def core(value: str) -> str:
    """The main words of a value: capitalised ones, otherwise those before a preposition: `doll` in `doll for her birthday`."""
    words = value.split()
    named = [w for w in words if w[:1].isupper()]
    return " ".join(named) or PREPOSITION.split(value)[0].strip() or value


def is_beside_denial(question: str, sentence: str, words: str) -> bool:
    """True if something is denied in the clause of words, or in another with a word of the question: `Chidi isn't Bela's husband, he's her
    brother`, and not `lavender won't` behind a comma.
    """
    start = max(0, sentence.find(words))
    asked, first = set(terms_of(question)), 0
    for last in (*(m.start() for m in CLAUSE_BREAK.finditer(sentence)), len(sentence)):
        own = first < start + len(words) and start < last
        if DENIED.search(sentence, first, last) and (own or not asked.isdisjoint(terms_of(sentence[first:last]))):
            return True
        first = last
    return False


def gives_up(sentence: str, value: str) -> bool:
    """True if a sentence says that something else replaced a value: `instead of Luke`, `Meg's gone`."""
    words = [w for w in re.findall(r"[\w'’]+", value) if terms_of(w)]
    if not words:
        return False
    last = re.escape(words[-1])
    near = rf"(?:(?:the|a|an|my|our|her|his|their)\s+)?(?:(?!(?:to|for|and|but|with|by|in)\b)[\w'’]+\s+){{0,2}}?{last}"
    return bool(
        re.search(rf"\b(?:{GIVEN_UP})\s+{near}\b", sentence, re.IGNORECASE)
        or re.search(rf"\b{last}(?:{REPLACED_BY})", sentence, re.IGNORECASE)
    )


def ends_another(sentence: str, others: frozenset[str]) -> bool:
    """True if a sentence only says what is no longer so, and names that: after `Leo doesn't play chess any more` he still plays the cello.

    `others`: the terms of the sentence that the question does not have.
    """
    return bool(others - OF_ENDING) and ENDED.search(sentence) is not None and ANOTHER.search(sentence) is None


def measures_alike(sentence: str, value: str) -> bool:
    """True if a sentence gives another number with the unit of a value."""
    held = UNIT.search(value)
    if held is None or not (held["sign"] or held["unit"]) or (held["unit"] or "").casefold() in MONTHS:
        return False
    unit = held["sign"] or (held["unit"] or "").casefold()
    return any(
        unit in (m["sign"], (m["unit"] or "").casefold()) and m.group() != held.group() for m in UNIT.finditer(sentence)
    )


def another_of_kind(sentence: str, value: str) -> bool:
    """True if the value is a colour or weekday and a sentence names another one."""
    said, own = LETTERS.findall(sentence), LETTERS.findall(value)
    return any(any(map(kind, own)) and any(kind(w) and w not in own for w in said) for kind in (is_colour, is_weekday))


def is_weekday(word: str) -> bool:
    """True if a word is a day of the week, also in the plural: `Fridays`."""
    return word.casefold().removesuffix("s") in DAY_NAMES


def is_correction(sentence: str) -> bool:
    """True if a sentence begins with words that correct the one before it."""
    return CORRECTING.match(sentence) is not None


def corrects_day(sentence: str, before: str, value: str) -> bool:
    """True if a sentence corrects the day that the one before it gives: `sorry, the 9th` behind `The deadline is the 8th`."""
    if not is_correction(sentence):
        return False
    days, said, held = ({*DAY_OF_MONTH.findall(text)} for text in (sentence, before, value))
    return bool(days) and bool(held) and held <= said and held.isdisjoint(days)


def moves_day(sentence: str, value: str) -> bool:
    """True if a sentence says that the day of a value is another one now: `he can't do the 19th, now it's the 22nd`."""
    if DENIED.search(sentence) is None and INSTEAD.search(sentence) is None:
        return False
    said = (
        [int(d) for d in DAY_OF_MONTH.findall(sentence)],
        [w.casefold() for w in LETTERS.findall(sentence) if is_weekday(w)],
    )
    held = (
        [int(d) for d in DAY_OF_MONTH.findall(value)],
        [w.casefold() for w in LETTERS.findall(value) if is_weekday(w)],
    )
    return any(
        len(own) == 1 and own[0] in days[:-1] and own[0] != days[-1] for own, days in zip(held, said, strict=True)
    )


def contrasts(sentence: str, value: str) -> bool:
    """True if a sentence gives another day, month or number than that of a value, and not that: `1 March, not Feb`, `the 42, not the 17`."""
    found = CONTRASTED.search(sentence)
    if found is None:
        return False
    new, old = sentence[: found.end()], sentence[found.end() :]
    return any(
        held & kind(old) and kind(new) and held.isdisjoint(kind(new))
        for kind in (days_in, months_in, numbers_in)
        if (held := kind(value))
    )


def names_no_topic(told: frozenset[str]) -> bool:
    """True if a sentence with these terms has only times and words of little meaning: `I said yes but 1 March, not Feb`."""
    return all(term in TIMES_OR_LIGHT or term[0].isdigit() for term in told)


def days_in(text: str) -> set[str]:
    """The days of months in a text: `19` of `the 19th`."""
    return {*DAY_OF_MONTH.findall(text)}


def numbers_in(text: str) -> set[str]:
    """The numbers in a text, as they are written."""
    return {m.group().rstrip(".,:") for m in WRITTEN_NUMBER.finditer(text)}


def months_in(text: str) -> set[int]:
    """The months in a text, from 1."""
    return {MONTHS[w] for w in map(str.casefold, LETTERS.findall(text)) if w in MONTHS}


def takes_over(sentence: str, topic: Iterable[str]) -> bool:
    """True if a sentence names the new holder of the topic: `Mr Shah is my landlord now`, `our new manager`."""
    for found in NEW_ROLE.finditer(sentence):
        if frozenset(terms_of(next(filter(None, found.groups()), ""))) & frozenset(topic):
            return True
    return False


def bare_question(question: str) -> str:
    """A question without `now` and the kind of its answer, which say nothing about its topic: not `day` of `What day is swimming now?`."""
    return " ".join(ASKED_KIND.sub(rf"\1 {UNSAID}", NOW.sub(" ", question)).split())


def courting_question(question: str) -> str:
    """A question about somebody's lover or spouse with the verbs of having one: `Who is Ann's seeing dating engaged?`; otherwise nothing."""
    for noun in LETTERS.findall(question):
        lover = any(is_a(noun.casefold(), kind) for kind in ("lover", "spouse"))
        if lover and re.search(rf"[A-Z]\w*['’]s {noun}", question):
            return question.replace(noun, COURTING)
    return ""


def is_of_another_kind(question: str, sentence: str) -> bool:
    """True if a sentence is about another thing of a kind in the question: `maths teacher` for `piano teacher`."""
    asked, told = (LETTERS.findall(text.casefold()) for text in (question, sentence))
    kinds = [(a, b) for a, b in pairwise(asked) if _is_kind(a) and _is_kind(b) and b in told and a not in told]
    return any(any(b == noun and _is_kind(a) for a, b in pairwise(told)) for _, noun in kinds)


def _is_kind(word: str) -> bool:
    """True if a word is mainly a noun, so that before a noun it says of which kind that is."""
    other = max((tagged_uses(word, pos) for pos in "va" if is_known(word, pos)), default=-1)
    return word not in STOP_WORDS | CALENDAR and is_known(word) and tagged_uses(word, "n") > other

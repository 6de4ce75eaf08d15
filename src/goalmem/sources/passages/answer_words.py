"""The words of an answer: where they begin, if they are informative, and which answers are the same."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from goalmem.language.lexicon import coarse_type
from goalmem.language.terms import HYPHENATED, terms_of
from goalmem.language.times_words import MONTHS, WEEKDAYS
from goalmem.language.verb_forms import verb_bases
from goalmem.language.words.function_words import LOCATIVE_SAID
from goalmem.language.words.nouns import NO_CONTENT
from goalmem.language.words.pronouns import SUBJECTS
from goalmem.logic.terms import Evidence, Value
from goalmem.records import Fact
from goalmem.sources.assertion import facts_around
from goalmem.sources.certainty.answer_ranking import OfferFeatures
from goalmem.sources.numbers import OF_NUMBER, number_in
from goalmem.sources.passages.participants import stems_and_verbs
from goalmem.sources.passages.span_values import Proposal, is_person
from goalmem.sources.passages.type_fit import MEASURED

ALIKE = 0.75
"""F1 of words from which two values are the same."""
REASONED = frozenset({"reason", "manner", "activity", "time", "clause"})
"""Answer types that are clauses."""
HAPPENED = re.compile(r"\s*what(?:['’]s| has| had)? happened\b", re.IGNORECASE)
EXCHANGING = frozenset("swap swop trade exchange".split())
"""Verbs of exchange (VerbNet, exchange-13.6.1), whose `for` names what was gained."""
CHOICE = re.compile(r"\bor\b|^(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would)\b", re.IGNORECASE)
INDEFINITE = frozenset(terms_of(NO_CONTENT))
"""Indefinite words, which name nothing."""
RankedOffer = tuple[float, Proposal, OfferFeatures]
"""Preference, proposal and its features."""


def answer_start(question: str, type_: str, text: str, start: int, end: int) -> int:
    """The start of the answer, after words that only repeat the question: `Ghent` of `I live in Ghent`, `a book` of `gave Ysolde a book`.

    Skips everything up to an inflected verb of the question (unless a person is asked for), or up to a pronoun with words of the question;
    before a place, also a preposition.
    """
    if type_ in REASONED:
        return start
    asked, verbs = stems_and_verbs(question), verb_bases(question)
    words = list(HYPHENATED.finditer(text[start:end]))
    if is_person(type_) and (named := named_start(words, asked)):
        return start + named
    place = coarse_type(type_.split()[-1]) == "place"
    told = (
        [n for n, word in enumerate(words[:-1], 1) if _inflected(word.group()) & verbs] if not is_person(type_) else []
    )
    if type_.startswith(OF_NUMBER) or type_ in MEASURED:
        # After its number, a plural is no verb: `4 days because of wind`.
        told = [n for n in told if number_in(" ".join(w.group() for w in words[:n])) is None]
    opens = bool(told) or (bool(words) and words[0].group().casefold() in SUBJECTS)
    for n, word in enumerate(words[max(told, default=0) :], max(told, default=0)):
        said = word.group().casefold()
        repeats = opens and (
            said in SUBJECTS
            or (bool(stems_and_verbs(said)) and stems_and_verbs(said) <= asked)
            or bool(_inflected(said) & verbs)
        )
        if not repeats and not (place and said in LOCATIVE_SAID):
            return start + word.start() if n else start  # A sign before the first word belongs to it: `£45`.
    return start


def named_start(words: Sequence[re.Match[str]], asked: frozenset[str]) -> int:
    """The offset of a name after words that only repeat the question: `Idris` of `my best man Idris`; 0 if there is none."""
    for n, word in enumerate(words):
        said = word.group()
        if n and said[:1].isupper() and not stems_and_verbs(said) <= asked:
            return word.start()
        if terms_of(said) and not stems_and_verbs(said) <= asked:
            return 0
    return 0


def event_span(question: str, facts: Sequence[Fact], start: int, end: int) -> tuple[int, int]:
    """The words that tell what happened, if that is asked: of `Someone stole my bike`, all behind the subject."""
    if HAPPENED.match(question) is None:
        return start, end
    around = [f for f in facts_around(facts, start, end) if f.kind == "clause"]
    if not around:
        return start, end
    event = min(around, key=lambda f: f.end - f.start)
    subject = event.arg("subject")
    named = subject is not None and subject.start == event.start < subject.end < event.end
    return (subject.end + 1 if subject is not None and named else event.start), event.end


LONGEST_TITLE = 80
MARKS_SOUGHT = 400
"""Characters before an answer among which quotation marks are paired."""
TITLE = re.compile(rf"[\"“]([^\"“”\n]{{1,{LONGEST_TITLE}}})[\"”]")
CAPITALISED = re.compile(r"[A-Z][\w'’-]*")
_NAME = rf"(?!(?:I|{'|'.join(m.capitalize() for m in (*MONTHS, *WEEKDAYS))})\b)[A-Z][\w'’-]*[a-z](?!['’]s\b)\b"
NAME_GOES_ON = re.compile(rf"(?:(?: (?:of|of the|de|the))? {_NAME}){{1,4}}")
NAME_BEGINS = re.compile(rf"(?<=[a-z,] )(?:{_NAME} ){{1,4}}$")
"""Further words of a name, within a sentence: its first word may be capitalised anyway."""
TITLED = re.compile(
    r"[A-Z0-9][\w'’.,:&!?-]*(?: (?:[A-Z0-9&][\w'’.,:&!?-]*|(?:a|an|and|as|at|by|for|from|in|of|on|or|the|to|with)))*$"
)
"""Words in title case."""


def gained_start(facts: Sequence[Fact], start: int, end: int) -> int:
    """The start of what was gained, if the words name what was given for it, too: `a Pixel` of `my iPhone for a Pixel`."""
    swapped = (f for f in facts_around(facts, start, end) if f.predicate in EXCHANGING)
    gained = (a.start for f in swapped for a in f.args if a.role == "for" and start < a.start < end)
    return next(gained, start)


def whole_title(text: str, start: int, end: int) -> tuple[int, int]:
    """The words with the whole of a quoted title of which they are a part: `The Nightingale` for `Nightingale"`.

    Inside it, without its quotation marks; where they go on outside it, with them.
    """
    first = max(text.rfind("\n", 0, start) + 1, start - MARKS_SOUGHT)
    for quoted in TITLE.finditer(text, first, min(len(text), end + LONGEST_TITLE)):
        opens, closes = quoted.span()
        if quoted.start(1) <= start and end <= quoted.end(1):
            return quoted.span(1) if TITLED.match(quoted.group(1)) else (start, end)
        if opens <= start and end <= closes:
            return quoted.span(1)
        if opens < start < closes < end:
            return opens, end
        if start < opens < end < closes:
            return start, closes
    return start, end


def whole_name(text: str, start: int, end: int) -> tuple[int, int]:
    """The words with the whole of a capitalised name of which they are the beginning or the end: `The Glass Menagerie` for `Glass`."""
    first, last = text[start:end].split()[:1], text[start:end].split()[-1:]
    if last and CAPITALISED.fullmatch(last[0]) and (more := NAME_GOES_ON.match(text, end)) is not None:
        end = more.end()
    if (
        first
        and CAPITALISED.fullmatch(first[0])
        and (more := NAME_BEGINS.search(text, max(0, start - LONGEST_TITLE), start))
    ):
        start = more.start()
    return start, end


def _inflected(word: str) -> frozenset[str]:
    """The base forms of an inflected verb."""
    return verb_bases(word) - {word.casefold()}


def answer_words(span: str, value: Value) -> str:
    """The words that were read; the value if there are none."""
    return span or value.text


def places(text: str, words: str, cited: Evidence) -> list[tuple[int, int]]:
    """Start and end of the words in a cited sentence; the whole sentence if there are no words."""
    if not words:
        return [(cited.start, cited.end)]
    starts = (m.start() for m in re.finditer(re.escape(words), text) if cited.start <= m.start() < cited.end)
    return [(start, start + len(words)) for start in starts]


def says_nothing(question: str, words: str) -> bool:
    """True if all words are in the question or indefinite: `new games` for `Which games did Ann play?`.

    A question that offers a choice is answered by its own words.
    """
    told = terms_of(words)
    return not CHOICE.search(question) and bool(told) and set(told) <= {*terms_of(question), *INDEFINITE}


def best_of_each(offered: Iterable[RankedOffer]) -> list[RankedOffer]:
    """The best proposal of each value, best first. One that is cut slightly differently from a better one is dropped."""
    kept: list[RankedOffer] = []
    for one in sorted(offered, key=lambda o: (-o[0], o[1].turn, o[1].start, o[1].value.key)):
        if not any(alike(one[1], other) for _, other, _ in kept):
            kept.append(one)
    return kept


def alike(one: Proposal, other: Proposal) -> bool:
    """True if two values share most of their words."""
    words, others = set(one.value.key.split()), set(other.value.key.split())
    return 2 * len(words & others) >= ALIKE * (len(words) + len(others))


def nested(one: Proposal, other: Proposal) -> bool:
    """True if one value is a part of the other."""
    words, others = set(one.value.key.split()), set(other.value.key.split())
    return words <= others or words >= others

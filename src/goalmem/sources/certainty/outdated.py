"""Whether what was told of something was told otherwise later, in whatever words: `I get the 42 to work now`, behind `I take the 17 bus`.

Nothing is unified here. A later sentence that marks a change and speaks of what is asked about gives it another value, even where it is not
read what that is: the earlier one is then told no longer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from goalmem.language.lexicon import is_known
from goalmem.language.sentences import SENTENCE_BREAK
from goalmem.language.terms import STOP_WORDS, terms_of
from goalmem.language.times_words import DAY_NAMES, MONTHS
from goalmem.language.words import any_of
from goalmem.language.words.modifiers import ASKED_EARLIER
from goalmem.language.words.pronouns import FIRST_PERSON
from goalmem.language.words.revisions import GIVEN_UP, MARKED, REPLACED_BY, TAKING_OVER
from goalmem.records import Turn
from goalmem.sources.state.attribute_text import is_colour

PAST = re.compile(r"\b(?:did|was|were|had|used to|ever|already|before|until)\b", re.IGNORECASE)
"""Words of a question that asks for what was so, or was done."""
EARLIER = any_of(ASKED_EARLIER)
NAME = re.compile(r"(?<![.?!]\s)(?<!^)\b(?!I\b)[A-Z][\w'’-]*")
WORD = re.compile(r"[^\W\d_]+")
BEHIND = re.compile(r"\s(?:for|of|in|on|at|with|from|by)\s")
UNIT = re.compile(r"(?P<sign>[£$€])?\s?\d[\d.,:]*\s?(?P<unit>%|[^\W\d_]+)?")
LIGHT = frozenset(
    terms_of(
        "pay pays paid cost costs take takes get gets have has do does make makes go goes come comes give gives put keep keeps use uses want"
    )
)
"""Stems of verbs that say little of what is spoken of (light verbs: Quirk et al. 1985, section 10.30)."""
UNREAL = re.compile(
    r"\b(?:nearly|almost|if|unless|might|may|maybe|perhaps|could|wants?|wanted|wish(?:es|ed)?|hop(?:e|es|ed|ing) to|tried to|thought (?:about|of)|thinking (?:about|of)"
    r"|consider(?:s|ed|ing)?|talk(?:s|ed|ing)? (?:about|of)|refus(?:e|es|ed)|(?:did|do|does|was|were|is|has|have) not|never|\w+n['’]t)\b(?!.*\b(?:any ?more|any longer)\b)",
    re.IGNORECASE,
)
"""Words by which a change has not come to be; `isn't my boss any more` tells one."""
FIRST = re.compile(rf"\b(?:{'|'.join(sorted(FIRST_PERSON))})\b", re.IGNORECASE)
LONGEST = 4000
"""Characters of a turn that are looked through."""


@dataclass(frozen=True)
class LaterChanges:
    """The later of some turns, as far as they tell that what a question asks for has changed."""

    question: str
    turns: Sequence[Turn]

    @cached_property
    def names(self) -> frozenset[str]:
        """Whom or what the question names, in lower case."""
        return frozenset(
            m.group().casefold().removesuffix("'s").removesuffix("’s") for m in NAME.finditer(self.question)
        )

    @cached_property
    def topic(self) -> frozenset[str]:
        """What else the question speaks of."""
        return frozenset(terms_of(self.question)) - frozenset(term for name in self.names for term in terms_of(name))

    @cached_property
    def changes(self) -> Sequence[tuple[Turn, str, str]]:
        """Sentences that mark a change, each with its turn and with the sentence before it."""
        if PAST.search(self.question) or EARLIER.search(self.question):
            return ()
        return tuple(_changes(self.turns))

    def by(self, turn: Turn, value: str, *, surely: bool) -> tuple[Turn, str] | None:
        """The turn and its sentence, said after a turn, that give what is asked for something else than a value; None where there is none.

        Surely where it says that the value is given up, what has taken its place, or speaks of all that is asked about; else where
        it speaks of some of it.
        """
        value = core(value)
        own = frozenset(terms_of(value))
        topic, named = self.topic - own, [name for name in self.names if name not in value.casefold()]
        for later, sentence, before in self.changes:
            around, told = f"{before} {sentence}".casefold(), frozenset(terms_of(sentence))
            behind = _is_behind(later, turn, value) or (later.id == turn.id and gives_up(sentence, value))
            if not behind or not all(re.search(rf"\b{re.escape(name)}\b", around) for name in named):
                continue
            if self._of_another(sentence, value):
                continue
            shared = (topic & told) - LIGHT
            if own and own <= told:
                if (shared or named or not surely or self._of_asker(sentence)) and gives_up(sentence, value):
                    return later, sentence
                continue
            alike = bool(shared or named) and (measures_alike(sentence, value) or another_of_kind(sentence, value))
            whole = len(topic) + len(named) > 1 and topic <= told
            if alike or whole or takes_over(sentence, topic) or (bool(shared) and not surely):
                return later, sentence
        return None

    def _of_asker(self, sentence: str) -> bool:
        """Whether a sentence of the asker's tells of what the question asks of them: `I've swapped my iPhone`."""
        return FIRST.search(self.question) is not None and FIRST.search(sentence) is not None

    def _of_another(self, sentence: str, value: str) -> bool:
        """Whether a sentence tells of somebody whom the question does not name, where no name is asked for: `Ilse pays 12 euros now`."""
        first = WORD.match(sentence)
        if first is None or not first.group()[0].isupper() or value[:1].isupper():
            return False
        word = first.group().casefold()
        return word not in self.names and not any(is_known(word, pos) for pos in "nvar") and word not in STOP_WORDS


def _changes(turns: Sequence[Turn]) -> Iterator[tuple[Turn, str, str]]:
    for turn in turns:
        before = ""
        for sentence in SENTENCE_BREAK.split(turn.content[:LONGEST]):
            text = (sentence or "").strip()
            if text and not text.endswith("?") and MARKED.search(text) and not UNREAL.search(text):
                yield turn, text, before
            before = text or before


def _is_behind(later: Turn, turn: Turn, value: str) -> bool:
    """Whether a turn was said after another; or is it, and does not name the value itself, which it has from what was said before."""
    if later.id == turn.id:
        return value.casefold() not in turn.content.casefold()
    if later.at != turn.at:
        return later.at > turn.at
    return later.session == turn.session and later.position > turn.position


def core(value: str) -> str:
    """The words of a value that name it: its capitalised ones, else those before a preposition: `doll`, of `doll for her birthday`."""
    words = value.split()
    named = [w for w in words if w[:1].isupper()]
    return " ".join(named) or BEHIND.split(value)[0].strip() or value


def gives_up(sentence: str, value: str) -> bool:
    """Whether a sentence says that something else has taken the place of a value: `instead of Luke`, `Meg's gone`."""
    words = [w for w in re.findall(r"[\w'’]+", value) if terms_of(w)]
    if not words:
        return False
    last = re.escape(words[-1])
    near = rf"(?:(?:the|a|an|my|our|her|his|their)\s+)?(?:(?!(?:to|for|and|but|with|by|in)\b)[\w'’]+\s+){{0,2}}?{last}"
    return bool(
        re.search(rf"\b(?:{GIVEN_UP})\s+{near}\b", sentence, re.IGNORECASE)
        or re.search(rf"\b{last}(?:{REPLACED_BY})", sentence, re.IGNORECASE)
    )


def measures_alike(sentence: str, value: str) -> bool:
    """Whether a sentence gives another number of the unit of a value."""
    held = UNIT.search(value)
    if held is None or not (held["sign"] or held["unit"]) or (held["unit"] or "").casefold() in MONTHS:
        return False
    unit = held["sign"] or (held["unit"] or "").casefold()
    return any(
        unit in (m["sign"], (m["unit"] or "").casefold()) and m.group() != held.group() for m in UNIT.finditer(sentence)
    )


def another_of_kind(sentence: str, value: str) -> bool:
    """Whether a sentence names another colour or weekday than a value, which is one."""
    said, own = WORD.findall(sentence), WORD.findall(value)
    return any(any(map(kind, own)) and any(kind(w) and w not in own for w in said) for kind in (is_colour, is_weekday))


def is_weekday(word: str) -> bool:
    """Whether a word names a day of the week, or one that recurs: `Fridays`."""
    return word.casefold().removesuffix("s") in DAY_NAMES


def takes_over(sentence: str, topic: Iterable[str]) -> bool:
    """Whether a sentence says who or what is now what is asked for: `Mr Shah is my landlord now`, `our new manager`."""
    for found in TAKING_OVER.finditer(sentence):
        if frozenset(terms_of(found["what"] or found["what2"] or found["what3"])) & frozenset(topic):
            return True
    return False

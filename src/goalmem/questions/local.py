"""The reasoner without a model: it makes goals from the question's syntax, and checks that a goal keeps all words of the question.

A goal that loses a word asks something else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from goalmem.language import Analyzer, find_times
from goalmem.language.names import FAMILIAR, MaskedText, Names
from goalmem.language.phrases import CONTENT
from goalmem.language.terms import terms_of
from goalmem.language.verb_forms import verb_bases
from goalmem.language.words.attributes import DIMENSIONS
from goalmem.language.words.modifiers import MEASURING, NAMING_OR_EXACT, ORDERING_WORDS, PRESENT, TOTAL
from goalmem.language.words.pronouns import INTERROGATIVES
from goalmem.logic.evaluate import pair_of
from goalmem.logic.terms import Aggregate, Atom, Goal, Variable
from goalmem.questions.amounts import goals_of_amounts, read_amounts
from goalmem.questions.comparisons import CHOICE_OF_ORDER, OF_TWO, ORDER, THE_ONE, goals_of_comparison
from goalmem.questions.declared import asked_in_order
from goalmem.questions.decompose import goals_of
from goalmem.questions.described import described_goals
from goalmem.questions.intent import asks_advice_now
from goalmem.questions.pairs import goals_of_pair, read_pairs, takes_time
from goalmem.questions.syntax import read_question
from goalmem.questions.two_parts import TwoParts, goals_of_parts, two_parts
from goalmem.questions.wh import EITHER
from goalmem.questions.whole_question import (
    OFFERS,
    is_asked_whether,
    passage_goal,
    timed_goals,
    wanted_type,
    whether_goal,
    without_question_word,
)
from goalmem.questions.wording import RIGHT_NOW, UNTIL, normalise, without_pleasantries
from goalmem.records import ASKER

if TYPE_CHECKING:
    from spacy.tokens import Doc


LONGEST_QUESTION = 2_000
"""Characters. Of a longer question only the end is read, where the question usually is."""
KEPT = 4
"""Questions whose goals are cached: each is read for its goals, for its passages, and again for every proof."""
MOST_JOINED = 4
"""Readings of a question with two parts."""
WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
CHOICE = re.compile(r"\b(?:(?:the|an?|my|our) )?([\w'’-]+) or (?:(?:the|an?|my|our) )?([\w'’-]+)$", re.IGNORECASE)
"""Two things of which the question asks for the right one."""
OR = re.compile(r"\bor (?!not\b|so\b|more\b|less\b|later\b)", re.IGNORECASE)
EARLY = datetime(2020, 1, 1)
"""Any date: it does not matter for which words are calendar expressions."""


class LocalReasoner:
    """Converts questions into goals. Deterministic."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._analyzer = analyzer
        self._kept = lru_cache(KEPT)(self._goals)
        self._whole = lru_cache(KEPT)(self._whole_goals)
        self._passage = lru_cache(KEPT)(self._passage_goal)

    def goals(self, question: str, at: datetime, names: Names, asker: str = ASKER) -> Sequence[Goal]:
        """Return alternative goals for a question, the most decomposed first; at least one. `asker` is the person that `I` refers to.

        A question of unknown form becomes a goal that says so and that no memory proves.
        """
        return self._of(question, names, self._kept, at, asker)

    def whole_goals(self, question: str, at: datetime, names: Names, asker: str = ASKER) -> Sequence[Goal]:
        """Return those of `goals` that keep all words of the question; if none does, the goal which says that it is not understood.

        The other goals would answer another question. They are still used for searching.
        """
        return self._of(question, names, self._whole, at, asker)

    def _of(
        self,
        question: str,
        names: Names,
        goals: Callable[[str, datetime, Names, str], tuple[Goal, ...]],
        at: datetime,
        asker: str,
    ) -> tuple[Goal, ...]:
        """The goals of a question in the word order of one, which keep the asker's words."""
        asked = self._in_order(question, names)
        found = goals(asked, at, names, asker)
        if asked == question:
            return found
        return tuple(replace(g, question=question) for g in found if not is_of_no_form([g])) or (
            not_understood(question),
        )

    def _in_order(self, question: str, names: Names) -> str:
        """The question in the word order of one, if it is put as a statement."""
        if len(question) > LONGEST_QUESTION:
            return question
        return asked_in_order(names.written(question), self._read)

    def _whole_goals(self, question: str, at: datetime, names: Names, asker: str) -> tuple[Goal, ...]:
        nothing = not_understood(question)
        answerable = len(question.strip()) <= LONGEST_QUESTION and not self._for_advice(question)
        found = self.goals(question, at, names, asker) if answerable else ()
        read = [g for g in found if g != nothing]
        docs = iter(
            self._analyzer.docs([text for g in read for text in (without_pleasantries(g.question), words_in(g))])
        )
        lost = {g: lost_words(g, at, next(docs), next(docs)) for g in read}
        return tuple(g for g in found if not lost.get(g)) or (nothing,)

    def _goals(self, question: str, at: datetime, names: Names, asker: str) -> tuple[Goal, ...]:
        if (two := self._two(question, at, names, asker)) is not None:
            sides = (self.goals(side, at, names, asker) for side in (two.first, two.second))
            return (*goals_of_parts(question, *sides),)[:MOST_JOINED] or (not_understood(question),)
        text = names.written(question.strip()[-LONGEST_QUESTION:])
        disguise = names.disguise(text, beside=asker)
        anchor = at.replace(tzinfo=None)
        asked = names_in(self._read(normalise(disguise.text)))
        pairs = read_pairs(disguise.text, self._read)
        goals = [goal for pair in pairs for goal in goals_of_pair(pair, asker=asker, anchor=anchor)]
        goals = goals or goals_of_amounts(disguise.text, self._read, asker=asker, anchor=anchor)
        compared = goals_of_comparison(disguise.text, self._read, asker=asker, anchor=anchor)
        by_order = CHOICE_OF_ORDER.match(normalise(disguise.text)) is not None
        goals = [*goals, *compared] if by_order else [*compared, *goals]
        took = bool(goals) and takes_time(disguise.text)
        may_be_said = not goals or took or (not compared and goals[0].aggregate in SAID_OR_RECKONED)
        if may_be_said and (read := read_question(disguise.text, self._read)) is not None:
            summed = bool(goals) and goals[0].aggregate is Aggregate.TOGETHER
            said = (g for g in goals_of(read, asker=asker, anchor=anchor) if not took or g.answer is not None)
            goals = [*(g for g in said if not summed or g.aggregate is Aggregate.ONE), *goals]
        # A reading that loses a name of the question asks about something else.
        chosen = [as_choice(goal) for goal in goals if asked <= words_of(goal)]
        kept = [unmask_goal(goal, question, disguise) for goal in chosen if not is_choice(goal)]
        return tuple(kept) or (not_understood(question),)

    def passage_goal(self, question: str, at: datetime, names: Names, asker: str = ASKER) -> Goal | None:
        """The goal of reading passages: for the answer, for yes or no, or for the times of the events from which the answer is computed.

        None for a question that no words of passages answer.
        """
        asked = self._in_order(question, names)
        goal = self._passage(asked, at, names, asker)
        return replace(goal, question=question) if goal is not None and asked != question else goal

    def _passage_goal(self, question: str, at: datetime, names: Names, asker: str) -> Goal | None:
        if (two := self._two(question, at, names, asker)) is not None:
            return self._both_read(question, two, at, names, asker)
        if self._for_advice(question):
            return None
        text = normalise(question.strip()[-LONGEST_QUESTION:])
        every = self.goals(question, at, names, asker)
        if timed := timed_goals(question, every, self._read):
            return timed[-1]
        if any(g.aggregate in OF_TWO_AMOUNTS for g in every):
            return next(reversed(self._read_amounts(question, at, asker)), None)
        if any(g.aggregate is Aggregate.SUM for g in every):
            return None  # one passage gives one amount, not their sum
        return self._read_whole(question, text, every, names)

    def _read_whole(self, question: str, text: str, every: Sequence[Goal], names: Names) -> Goal | None:
        """The goal of one answer that passages give to the whole question."""
        goals = tuple(g for g in every if g.answer is not None and not g.answer.type.startswith(EITHER))
        doc = self._read(names.disguise(text).text)
        if (asked := wanted_type(doc, goals)) is not None:
            return passage_goal(question, text, *asked)
        if is_asked_whether(doc):
            return whether_goal(question, text)
        # `Fee for the prize?` has no form of a question, but passages may answer it, and also a choice.
        open_ = is_of_no_form(every) or OFFERS.search(text) is not None
        return passage_goal(question, text, without_question_word(doc), Aggregate.ONE) if open_ else None

    def read_goals(self, question: str, at: datetime, names: Names, asker: str = ASKER) -> Sequence[Goal]:
        """The goals that passages answer, in the order in which they are tried: with the time of one of two events from facts,
        `passage_goal`, and those that first read who or what the question describes. None for a question that no words of passages answer.
        """
        asked = self._in_order(question, names)
        if asked != question:
            read = self.read_goals(asked, at, names, asker)
            return tuple(replace(g, question=question) for g in read)
        whole = self.passage_goal(question, at, names, asker)
        if whole is None:
            return ()
        every = self.goals(question, at, names, asker)
        if whole.aggregate is Aggregate.TOGETHER:
            text = normalise(question.strip()[-LONGEST_QUESTION:])
            said = self._read_whole(question, text, [g for g in every if g.aggregate is Aggregate.ONE], names)
            return (*self._read_amounts(question, at, asker), *filter(None, (said,)))
        if whole.aggregate in OF_TWO_AMOUNTS:
            return self._read_amounts(question, at, asker)
        timed = timed_goals(question, [g for g in every if g.answer is None], self._read)
        if whole in timed:
            return timed
        timed = tuple(g for g in timed if g.aggregate is Aggregate.DURATION and len(g.atoms) > 1)
        return (whole, *self._described_goals(question, whole, names, asker), *timed)

    def _read_amounts(self, question: str, at: datetime, asker: str) -> tuple[Goal, ...]:
        text = normalise(question.strip()[-LONGEST_QUESTION:])
        return read_amounts(text, self._read, asker=asker, anchor=at.replace(tzinfo=None))

    def _described_goals(self, question: str, whole: Goal, names: Names, asker: str) -> Sequence[Goal]:
        """The goals of reading first who or what a question describes, and then the question about it; most often none."""
        if whole.answer is None or len(whole.atoms) > 1 or whole.aggregate is not Aggregate.ONE:
            return ()
        text = normalise(question.strip()[-LONGEST_QUESTION:])
        disguise = names.disguise(text, beside=asker)
        found = described_goals(question, disguise.text, whole.answer, self._read, asker)
        return tuple(unmask_goal(goal, question, disguise) for goal in found)

    def _two(self, question: str, at: datetime, names: Names, asker: str) -> TwoParts | None:
        """The two parts of a question; None if it has one, or if passages cannot answer one of them."""
        for opens in (True, False):
            two = two_parts(question[-LONGEST_QUESTION:], self._read, names, opens=opens)
            if two is not None and self._both_read(question, two, at, names, asker) is not None:
                return two
        return None

    def _both_read(self, question: str, two: TwoParts, at: datetime, names: Names, asker: str) -> Goal | None:
        """The goal of reading both answers out of passages."""
        sides = [self.passage_goal(side, at, names, asker) for side in (two.first, two.second)]
        first, second = ([s] if s is not None else [] for s in sides)
        return next(goals_of_parts(question, first, second), None)

    def _for_advice(self, question: str) -> bool:
        """True if the question asks to be advised now, which no memory answers."""
        return asks_advice_now(self._read(normalise(question.strip()[-LONGEST_QUESTION:])))

    def _read(self, text: str) -> Doc:
        return self._analyzer.docs([text])[0]


def as_choice(goal: Goal) -> Goal:
    """`Do I prefer tea or coffee?` asks which of the two; any other goal is unchanged."""
    parts = goal.atoms[0].parts
    if (
        goal.aggregate is not Aggregate.WHETHER
        or len(goal.atoms) > 1
        or len(parts) > 1
        or not isinstance(parts[0], str)
    ):
        return goal
    found = CHOICE.search(parts[0])
    if found is None:
        return goal
    of = Variable("x", f"{EITHER}{found[1]} or {found[2]}")
    atom = Atom((parts[0][: found.start()], of), goal.atoms[0].negated)
    return replace(goal, atoms=(atom,), answer=of, aggregate=Aggregate.LIST)


def is_choice(goal: Goal) -> bool:
    """True if it is asked whether one of two holds, of which the question wants to know which: `window or aisle seats`."""
    return goal.aggregate is Aggregate.WHETHER and any(OR.search(a.read_as()[0]) for a in goal.atoms)


def unmask_goal(goal: Goal, question: str, disguise: MaskedText) -> Goal:
    """The goal with the original names of the question."""

    def shown(part: str | Variable) -> str | Variable:
        return disguise.reveal(part) if isinstance(part, str) else Variable(part.name, disguise.reveal(part.type))

    atoms = tuple(Atom(tuple(map(shown, a.parts)), a.negated) for a in goal.atoms)
    answer = Variable(goal.answer.name, disguise.reveal(goal.answer.type)) if goal.answer is not None else None
    return replace(goal, question=question, atoms=atoms, answer=answer)


def is_of_no_form(goals: Sequence[Goal]) -> bool:
    """True if the question could not be read as any goal."""
    return all(goal == not_understood(goal.question) for goal in goals)


def names_in(doc: Doc) -> frozenset[str]:
    """The names in a question, in lower case, except those in dates."""
    dates = [(f.start, f.end) for f in find_times(doc.text, EARLY)]
    return frozenset(
        word
        for t in doc
        for word in WORD.findall(t.lower_)
        if t.pos_ == "PROPN"
        and t.text[0].isupper()
        and t.lower_ not in INTERROGATIVES
        and not (t.i == 0 and t.text not in FAMILIAR)
        and not any(start <= t.idx < end for start, end in dates)
    )


def words_of(goal: Goal) -> frozenset[str]:
    """The words of a goal's atoms and of its variables' types, in lower case."""
    return frozenset(w.casefold() for a in goal.atoms for w in WORD.findall(a.read_as()[0]))


def not_understood(question: str) -> Goal:
    """The goal of a question of unknown form."""
    words = " ".join(normalise(question.strip()[-LONGEST_QUESTION:]).split())
    return Goal(question, (Atom((f"it is clear what “{words}” asks for",)),), None, Aggregate.WHETHER)


ASKING = INTERROGATIVES | MEASURING
"""Question words, and words of measurement after them."""
ORDERED = frozenset(
    {
        Aggregate.EARLIEST,
        Aggregate.LATEST,
        Aggregate.FIRST_OF,
        Aggregate.LAST_OF,
        Aggregate.COMPARE,
        Aggregate.DURATION,
        Aggregate.AGE,
    }
)
DEARER = frozenset(
    "more less fewer expensive cheaper cheap dearer dear pricier pricy costlier costly price cost one two both".split()
)
SAID_OR_RECKONED = frozenset({Aggregate.AGE, Aggregate.BIRTHDAY, Aggregate.TOGETHER})
"""What may also have been said as it is asked for."""
OF_TWO_AMOUNTS = (Aggregate.DIFFERENCE, Aggregate.TOGETHER, Aggregate.MOST_OF, Aggregate.LEAST_OF)
TOTALLED = frozenset({Aggregate.SUM, Aggregate.COUNT})
RECKONED: Mapping[Aggregate, frozenset[str]] = {
    Aggregate.DURATION: frozenset("there pass passed elapse elapsed apart time".split()),
    Aggregate.DIFFERENCE: DEARER | frozenset("difference compared years older younger".split()),
    **dict.fromkeys((Aggregate.MOST_OF, Aggregate.LEAST_OF), DEARER),
    Aggregate.BIRTHDAY: frozenset("turn turns become reach year years old day date".split()),
    Aggregate.TOGETHER: TOTAL
    | frozenset(
        "together put number amount cost price bought purchased got ordered paid hours nights days weeks months years".split()
    ),
}
"""By aggregate, the words that ask for it."""
TYPES: Mapping[str, frozenset[str]] = {
    "time": frozenset("date day days weekday week month year time hour birth".split()),
    "distance": frozenset({"far"}),
    "frequency": frozenset({"often"}),
    "amount": frozenset({"money", "price", "cost"}),
    "occupation": frozenset({"living", "work", "job", "occupation", "profession", "trade"}),
    "duration": frozenset({"time"}),
    "weight": frozenset({"heavy", "weigh", "much"}),
    **{noun: frozenset(adjectives) for noun, adjectives in DIMENSIONS.items() if noun != "weight"},
}
"""By answer type, the words that ask for it: on which day, how far, what does she do for a living."""


def words_in(goal: Goal) -> str:
    """The text of a goal: its atoms, the types of its answers, and its unit."""
    return " ".join([*(a.read_as()[0] for a in goal.atoms), *(v.type for v in wanted_of(goal)), goal.unit])


def wanted_of(goal: Goal) -> list[Variable]:
    """The variables that a goal asks for, in order."""
    named = pair_of(goal) or () if goal.aggregate is Aggregate.EACH else ()
    of_pair = [v for a in goal.atoms for v in a.variables if v.name in named]
    return list(dict.fromkeys([*of_pair, *([goal.answer] if goal.answer is not None else [])]))


TAKING = frozenset({"take", "took"})
"""Words of a question for how long something took that are in no statement of its beginning and end."""


def lost_words(goal: Goal, at: datetime, question: Doc, held: Doc) -> list[str]:
    """The words of a question that its goal lost, in lower case; a correct reading has none. `held` is the parse of `words_in`.

    The goal may keep a word in its atoms, in its answer's type, as its unit, as its aggregate or as a fixed time.
    """
    known = ASKING | PRESENT | NAMING_OR_EXACT
    known |= frozenset(word for v in wanted_of(goal) for word in TYPES.get(v.type, ()))
    known |= ORDERING_WORDS if goal.aggregate in ORDERED else frozenset()
    known |= TOTAL if goal.aggregate in TOTALLED else frozenset()
    known |= RECKONED.get(goal.aggregate, frozenset())
    known |= TAKING if goal.aggregate is Aggregate.DURATION and takes_time(goal.question) else frozenset()
    times = [(t.start, t.end) for t in find_times(question.text, at.replace(tzinfo=None))] if _timed(goal) else []
    known |= {"open"} if UNTIL.match(question.text.rstrip(" ?")) is not None else frozenset()
    known |= {*ORDER} if CHOICE_OF_ORDER.match(question.text) is not None else frozenset()
    known |= OF_TWO if THE_ONE.search(question.text) is not None else frozenset()
    known |= {"never"} if " not " in words_in(goal) else frozenset()
    kept = {form for t in held for form in (t.lower_, t.lemma_.lower(), *terms_of(t.text))}
    kept |= verb_bases(held.text)  # The parser takes `lent` for a noun in `user lent user's book`.
    lost = []
    for t in question:
        forms = {t.lower_, t.lemma_.lower(), *terms_of(t.text)}
        inside = any(start <= t.idx < end for start, end in times) or RIGHT_NOW.match(question.text, t.idx)
        if t.pos_ in CONTENT and not inside and not forms & (kept | known):
            lost.append(t.lower_)
    return lost


def _timed(goal: Goal) -> bool:
    """True if a fixed time of the question is in the goal's constraints."""
    return any(not isinstance(c.right, str) for c in goal.constraints)

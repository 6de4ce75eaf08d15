"""If a fact tells the whole amount that is asked for, or of all of a kind: not a deposit, nor a part of several."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from goalmem.engine.step import Step
from goalmem.language.inflection import getLemma
from goalmem.language.lexicon import base_form, is_a
from goalmem.language.terms import terms_of
from goalmem.language.words.modifiers import NET, SEVERAL
from goalmem.language.words.verbs import HOLDING
from goalmem.logic.quantity import is_rate
from goalmem.logic.terms import Aggregate, Atom, Binding, Goal, Variable
from goalmem.logic.unify import Frame, FramePart
from goalmem.records import Argument, Fact
from goalmem.sources.facts.answer_names import lemmas
from goalmem.sources.facts.match import Match, best_first, said
from goalmem.sources.facts.space_facts import SpaceFacts
from goalmem.sources.frame_reader import FrameReading
from goalmem.sources.kinds import qualified
from goalmem.sources.numbers import OF_NUMBER, number_in
from goalmem.sources.rates import is_other_rate
from goalmem.sources.shared_amounts import is_share as is_of_both
from goalmem.sources.spans import sentence_around

PAYING = frozenset({"pay", "buy", "spend", "get"})
PAID_IN_PART = re.compile(
    r"\b(?:deposit|down payment|instal?lments?|advance|upfront|half|third|quarter|part|share|rest|remainder|tip|extra|first|last"
    r"|(?:a|an|per|each|every) (?:hour|day|night|week|month|year|person|head|piece)|monthly|weekly|yearly|each|apiece)\b",
    re.IGNORECASE,
)
"""Words by which a payment is not the price of the thing."""
AMONG_OTHERS = re.compile(
    r"\b(?:among (?:others?|my|our|the|his|her|their|other)|amongst|including|such as|for example|for instance|and so on|etc|for one)\b"
    r"|\be\.g\.",
    re.IGNORECASE,
)
"""What says that there are more than are named."""
SOME_OF = re.compile(r"\b(?:one|two|three|some|a few) of (?:my|our|the|his|her|their) ((?:\w+ )?\w+)", re.IGNORECASE)
"""Some of several, with their noun."""
SOME_WITH = frozenset("of for from with in on at to about".split())
"""Prepositions behind a noun that restrict it."""
RANKED = re.compile(
    r"(?:the|my|our|your|his|her|their|\w+['’]s) (?:second|third|fourth|fifth|sixth|seventh|\d+(?:st|nd|rd|th)|last|next|eldest|oldest|youngest"
    r"|elder|older|younger|middle|other)\b",
    re.IGNORECASE,
)
"""One of a row, of which there are more."""
OF_US = re.compile(r"\bwe\b", re.IGNORECASE)
EXCEPT = re.compile(
    r"\b(?:except|excluding|with the exception of|(?:apart|aside) from|other than|save for"
    r"|(?:every|all|no|any)(?:one|body|thing)?(?: \w+)?,? but)\b",
    re.IGNORECASE,
)
"""Words that leave something out (Quirk et al. 1985, section 9.58)."""
BESIDE_END = 40
"""Characters behind a clause in which such words may begin."""
ALL_OR_NONE = re.compile(
    r"\b(?:all|every|each|everyone|everybody|everything|whole|entire|no|none|nobody|no one|nothing|nowhere)\b",
    re.IGNORECASE,
)
"""Words for all of a kind, or none."""


def pays_less(fact: Fact, reading: FrameReading, atom: Atom) -> bool:
    """True if a payment is not the price of the thing in question: a deposit, a monthly payment, or one for two things.

    Applies only if anybody may have paid: what Ann paid is what she paid.
    """
    types, verbs = {v.type for v in atom.variables}, {frame.predicate for frame in reading.frames}
    if "cost" in verbs and "amount" in types:
        return NET.search(fact.text) is not None
    if not {"person", "amount"} <= types or not verbs & PAYING:
        return False
    counted = (number_in(a.text.split()[0]) for a in fact.args if a.type != "quantity" and a.text)
    return PAID_IN_PART.search(fact.text) is not None or any(n not in (None, 1.0) for n in counted)


def is_of_fewer(fact: Fact, goal: Goal) -> bool:
    """True if an amount is asked of `us`, and told of the speaker alone (`I had three beers, Tom had two`), or a number is asked of all, and
    told of some: `12 cakes for a wedding`.
    """
    subject = fact.arg("subject")
    type_ = goal.answer.type if goal.answer is not None else ""
    counted = type_.startswith(OF_NUMBER)
    amount = counted or type_ in ("amount", "distance", "duration")
    ours = subject is not None and subject.text.casefold() == "i" and OF_US.search(goal.question) is not None
    return (amount and ours) or (counted and any(_is_beside(a, goal.question) for a in fact.args))


def _is_beside(argument: Argument, question: str) -> bool:
    """True for a circumstance that a question does not name: a cake for a wedding is not every cake."""
    told = {*terms_of(argument.text)}
    return argument.role in SOME_WITH and argument.type != "time" and bool(told) and not told & {*terms_of(question)}


def is_some(variable: Variable, part: FramePart, frame: Frame) -> bool:
    """True if a number is of some of what is asked for: `2 shares of Acme` if the question does not name Acme."""
    if not variable.type.startswith(OF_NUMBER):
        return False
    words = part.text.casefold().split()
    behind = words[next((n for n, w in enumerate(words) if n and w in SOME_WITH), len(words)) :]
    said = {w for p in frame.parts for w in (*p.text.casefold().split(), p.head, *p.entity.casefold().split())}
    said |= {*variable.type.split()}
    return any(terms_of(w) and w not in said and base_form(w) not in said for w in behind)


def leaves_one_out(fact: Fact, content: str, reading: FrameReading) -> bool:
    """True if something is said of all but one, or of none but one, and the atom says it of all, or of none. `content`: of the turn."""
    if ALL_OR_NONE.search(reading.text) is None or EXCEPT.search(reading.text) is not None:
        return False
    behind = EXCEPT.search(content, fact.end, fact.end + BESIDE_END)
    return EXCEPT.search(fact.text) is not None or (
        behind is not None and not content[fact.end : behind.start()].strip(" ,")
    )


def names_several(step: Step) -> bool:
    """True if a fact is about several things: `20 stamps` or `kids` are not one stamp or kid."""
    texts = [b.value.text.split() for b in step.bindings if b.value.number is None and b.value.text]
    counted = any(words[0].casefold() in SEVERAL or number_in(words[0]) not in (None, 1.0) for words in texts)
    return counted or any(words[-1].islower() and words[-1] != getLemma(words[-1], "NOUN")[0] for words in texts)


def newest_numbers(steps: Sequence[Step], reading: FrameReading) -> list[Step]:
    """Drop earlier numbers of possessions: the latest number holds."""
    if not any(frame.predicate in HOLDING for frame in reading.frames):
        return list(steps)
    kept: dict[tuple[object, ...], Step] = {}
    for step in steps:
        numbers = [b for b in step.bindings if b.variable.type.startswith(OF_NUMBER)]
        others = sorted((b.variable.name, b.value.key) for b in step.bindings if b not in numbers)
        key = (step.negated, *others) if numbers else (step.negated, *others, id(step))
        if key not in kept or said(step) > said(kept[key]):
            kept[key] = step
    return best_first(kept.values())


@dataclass(frozen=True)
class ToldAmounts:
    """What facts tell amounts and numbers of, by their turns."""

    facts: SpaceFacts

    def is_countable(self, step: Step, fact: Fact, goal: Goal) -> bool:
        """True if a fact names one of the things to be counted, and all that its sentence speaks of."""
        told = qualified(step.bindings, self.facts.of_turns([e.turn for e in step.evidence]))
        kind = goal.answer.type.split()[-1] if goal.answer is not None else ""
        sort = is_a(kind, "relative") and any(a.head != kind and is_a(a.head, kind) for a in fact.args)
        return told and not sort and not self._names_some(fact, goal)  # Who has a daughter may have a son.

    def _names_some(self, fact: Fact, goal: Goal) -> bool:
        """True if the sentence of a fact says that there are more than it names: `among others`, `one of my brothers`, `the second beer`."""
        turn = self.facts.turn(fact.turn)
        if turn is None or goal.answer is None:
            return False
        first, last = sentence_around(turn.content, fact.start, fact.end)
        of = SOME_OF.search(turn.content, first, last)
        counted = of is not None and bool(lemmas(of[1].casefold().split()) & lemmas(goal.answer.type.split()))
        ordinal = any(RANKED.match(a.text) for a in fact.args if a.role != "subject" and a.type != "time")
        return counted or ordinal or AMONG_OTHERS.search(turn.content, first, last) is not None

    def is_total(self, goal: Goal, match: Match) -> bool:
        """True unless a sum is asked for and the amount is for each of many."""
        rates = (is_rate(self._around(match.fact, b)[1]) for b in match.bindings)
        return goal.aggregate is not Aggregate.SUM or not any(rates)

    def is_of_other_rate(self, asked: str, match: Match) -> bool:
        """True if an amount was told for another period or a part of what is asked for."""
        amounts = (b for b in match.bindings if b.value.interval is None and number_in(b.span) is not None)
        return any(is_other_rate(b.variable.type, asked, *self._around(match.fact, b)) for b in amounts)

    def is_share(self, variable: Variable, part: FramePart, frame: Frame, fact: Fact) -> bool:
        """True if the value was told of what the goal names and of something else together."""
        amount = next((a for a in fact.args if (a.start, a.end) == (part.start, part.end)), None)
        turn = self.facts.turn(fact.turn)
        if turn is None or amount is None or not (amount.modifiers or amount.type in ("quantity", "time")):
            return False
        first, last = sentence_around(turn.content, fact.start, fact.end)
        asked = {name for p in frame.constants for name in (p.head, p.entity.casefold())}
        return is_of_both(
            variable.type, asked, turn.content[first:last], fact, amount, self.facts.of_turns([fact.turn])
        )

    def _around(self, fact: Fact, binding: Binding) -> tuple[str, str]:
        """The sentence with a value, and the words of it behind the value; empty if the value is in no words."""
        turn = self.facts.turn(fact.turn)
        at = fact.text.find(binding.span) if binding.span else -1
        if turn is None or at < 0:
            return "", ""
        first, last = sentence_around(turn.content, fact.start, fact.end)
        return turn.content[first:last], turn.content[fact.start + at + len(binding.span) : last]

"""Questions about two amounts: their difference, their sum, and which is larger.

Each asks two plain questions about one thing: `How much more did the bike cost than the helmet?` is `How much did the bike cost?` minus
`How much did the helmet cost?`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from goalmem.language.verb_forms import verb_of
from goalmem.logic.terms import Aggregate, Goal
from goalmem.questions.decompose import goals_of
from goalmem.questions.syntax import read_question, sides
from goalmem.questions.two_parts import joined_goals
from goalmem.questions.whole_question import passage_goal
from goalmem.questions.wording import normalise

if TYPE_CHECKING:
    from spacy.tokens import Doc


Analyze = Callable[[str], "Doc"]
_AUX = "did|does|do|was|were|is|are|has|have|had|will|would"
MORE = re.compile(
    rf"^How (?P<much>much|many) (?P<way>more|less|fewer)(?P<noun>(?: (?!(?:{_AUX}|expensive)\b)[\w'-]+)*?) (?P<aux>{_AUX}) (?P<told>.+?) than (?P<other>.+)\?$",
    re.IGNORECASE,
)
"""`How many more miles did Tom run than Ines?`"""
DEARER = re.compile(
    r"^How much (?P<way>more expensive|dearer|pricier|cheaper|less expensive) (?:is|was|are|were) (?P<one>.+?) than (?P<other>.+)\?$",
    re.IGNORECASE,
)
"""`How much cheaper was A than B?`"""
OLDER = re.compile(
    r"^How (?:many years|much) (?P<way>older|younger) (?:is|am|are) (?P<one>.+?) than (?P<other>.+?)(?: is| am| are)?\?$",
    re.IGNORECASE,
)
"""`How many years older is my grandma than me?`"""
GAP = re.compile(
    r"^What (?:is|was|are|were) the (?:price difference|difference (?:in (?:price|cost) )?)\s?between (?:the (?:price|cost)s? of )?(?P<pair>.+)\?$",
    re.IGNORECASE,
)
"""`What is the difference in price between A and B?`"""
BOTH = re.compile(
    rf"^(?P<asked>How (?:much|many)(?: [\w'-]+)*?) (?P<aux>{_AUX}) (?P<told>.+?),? (?:together|altogether|in total|combined|in all|put together)\?$",
    re.IGNORECASE,
)
"""`How much did A and B cost together?`"""
WHICH = re.compile(
    r"^(?:Which|What)(?: one| of (?:the |them )?(?:two|both)?)?(?: [\w'-]+)? (?:(?:is|was|are|were) (?P<way>more expensive|dearer|pricier|costlier|cheaper|less expensive)"
    r"|(?:cost|costs) (?P<cost>more|less))\s*[,:;-]? (?P<one>.+?),? or (?P<other>.+)\?$",
    re.IGNORECASE,
)
"""`Which was cheaper, A or B?`"""
_TOTAL = r"(?:total|combined|overall|whole)"
_SUM = r"(?:together|altogether|in total|combined|in all|put together)"
COST_OF_BOTH = re.compile(
    rf"^What (?:is|was|are|were) the {_TOTAL} (?:cost|price|cost and price)s? (?:of|for) (?P<both>.+? and .+?)"
    r"(?:,? (?:that |which )?(?:I|we) (?:have |had |just |recently )*(?:bought|purchased|got|ordered|paid for))?\?$",
    re.IGNORECASE,
)
"""`What is the total cost of A and B?`"""
SPENT_ON_BOTH = re.compile(
    rf"^(?:What (?:is|was) the {_TOTAL} (?:amount|sum)(?: of money)?(?: that)?|How much {_TOTAL} money did) "
    r"(?P<who>\S+(?: \S+)?) (?P<verb>spen[dt]|pa(?:y|id)) (?P<on>on|for) (?P<both>.+? and .+)\?$",
    re.IGNORECASE,
)
"""`What is the total amount I spent on A and B?`"""
NUMBER_OF_BOTH = re.compile(
    rf"^What (?:is|was) the {_TOTAL} number of (?P<noun>[\w'-]+(?: [\w'-]+)?) (?:that )?(?P<who>I|we|he|she|they|(?-i:[A-Z]\w+))"
    r"(?:(?:'ve| have| has) (?P<done>\w+)| (?P<verb>(?!have |has )\w+)) (?P<told>.+? and .+)\?$",
    re.IGNORECASE,
)
"""`What is the total number of days I spent in A and B?`"""
WITHIN = re.compile(rf"^(?P<head>How (?:much|many) .+?) {_SUM},? (?P<told>.+ and .+)\?$", re.IGNORECASE)
"""`How many days did I spend in total in A and in B?`"""
COST_TOGETHER = re.compile(
    rf"^What (?P<aux>did|do|does) (?P<both>.+? and .+?) cost(?: me| us)?(?:,? {_SUM})?\?$", re.IGNORECASE
)
"""`What did A and B cost altogether?`"""
SPENT = re.compile(
    r"^(?P<asked>How (?:much(?: money| time)?|many (?:minute|hour|day|night|week|month|year|euro|dollar|pound)s))"
    r" (?P<aux>did|do|does|have|has|had|will) (?P<told>(?=.*\b(?:spen[dt]|pay|paid|costs?|earn(?:ed)?)\b).+? and .+)\?$",
    re.IGNORECASE,
)
"""`How much did I spend on A and B?`: told of both, or the sum of two."""
COMPARED = re.compile(r",? (?:as )?compared (?:to|with) ", re.IGNORECASE)
_DETERMINED = re.compile(r"(?:the|an?|my|our|your|his|her|their|its|this|that)\b|\w+'s\b", re.IGNORECASE)
_FOR = re.compile(r"^(?:for|on|in|at|to|from|of) ", re.IGNORECASE)


def goals_of_amounts(text: str, analyze: Analyze, *, asker: str, anchor: datetime) -> list[Goal]:
    """Goals that compute with two amounts; empty for any other question."""
    asked = normalise(text)
    found = _pairs(asked, analyze, asker, anchor)
    return list(dict.fromkeys(joined_goals(asked, a, b, aggregate) for _, (a, b), aggregate in found))


def read_amounts(text: str, analyze: Analyze, *, asker: str, anchor: datetime) -> tuple[Goal, ...]:
    """The goals of reading amounts out of passages: first one of both, where facts prove the other, then both. None for any other question."""
    for questions, stated, aggregate in _pairs(normalise(text), analyze, asker, anchor):
        (a, b), (x, y) = questions, (g.answer for g in stated)
        if x is not None and y is not None:
            one, other = passage_goal(text, a, x, Aggregate.ONE), passage_goal(text, b, y, Aggregate.ONE)
            pairs = ((one, stated[1]), (stated[0], other), (one, other))
            return tuple(joined_goals(text, *pair, aggregate) for pair in pairs)
    return ()


def _pairs(
    asked: str, analyze: Analyze, asker: str, anchor: datetime
) -> Iterator[tuple[tuple[str, str], tuple[Goal, Goal], Aggregate]]:
    """Yield both plain questions with a goal for each that asks for the same kind of number, and the aggregate of their answers."""
    for one, other, aggregate in _readings(asked, analyze):
        first, second = (_plain(q, analyze, asker, anchor) for q in (one, other))
        both = next(((a, b) for a in first for b in second if _answer_type(a) == _answer_type(b)), None)
        if both is not None:
            yield (one, other), both, aggregate


def _said_plainly(asked: str) -> str:
    """A question for a total, in the form in which it is read: as `How much did I spend on A and B together?`."""
    if (m := SPENT_ON_BOTH.match(asked)) is not None:
        return f"How much did {m['who']} {verb_of(m['verb'])} {m['on']} {m['both']} together?"
    if (m := NUMBER_OF_BOTH.match(asked)) is not None:
        has = "has" if m["who"][1:].islower() and m["who"].lower() not in ("we", "they") else "have"
        done = f"{has} {m['who']} {m['done']}" if m["done"] else f"did {m['who']} {verb_of(m['verb'])}"
        return f"How many {m['noun']} {done} {m['told']} together?"
    if (m := COST_TOGETHER.match(asked)) is not None:
        return f"How much {m['aux']} {m['both']} cost together?"
    if (m := WITHIN.match(asked)) is not None:
        return f"{m['head']} {m['told']} together?"
    return COMPARED.sub(" than ", asked)


def _readings(asked: str, analyze: Analyze) -> Iterator[tuple[str, str, Aggregate]]:
    """Yield every pair of plain questions that a question may consist of, with the aggregate of their answers."""
    asked = _said_plainly(asked)
    if (m := DEARER.match(asked)) is not None:
        pair = (m["one"], m["other"])
        dear = m["way"].lower() in ("more expensive", "dearer", "pricier")
        one, other = (f"How much did {x} cost?" for x in (pair if dear else pair[::-1]))
        yield one, other, Aggregate.DIFFERENCE
    elif (m := WHICH.match(asked)) is not None:
        less = (m["way"] or m["cost"]).lower() in ("cheaper", "less expensive", "less")
        one, other = (f"How much did {x} cost?" for x in (m["one"], m["other"]))
        yield one, other, Aggregate.LEAST_OF if less else Aggregate.MOST_OF
    elif (m := OLDER.match(asked)) is not None:
        one, other = (f"How old {'am I' if x.lower() in ('i', 'me') else f'is {x}'}?" for x in (m["one"], m["other"]))
        yield *((one, other) if m["way"].lower() == "older" else (other, one)), Aggregate.DIFFERENCE
    elif (m := COST_OF_BOTH.match(asked)) is not None:
        the = "the " if m["both"].lower().startswith("the ") else ""
        for one, other in sides(m["both"], "and"):
            other = other if _DETERMINED.match(other) else f"{the}{other}"
            yield f"How much did {one} cost?", f"How much did {other} cost?", Aggregate.TOGETHER
    elif (m := GAP.match(asked)) is not None:
        a, found, b = m["pair"].partition(" and ")
        for x, y in ((a, b), (b, a)) if found else ():
            yield f"How much did {x} cost?", f"How much did {y} cost?", Aggregate.DIFFERENCE
    elif (m := MORE.match(asked)) is not None:
        head = f"How {m['much']}{m['noun']} {m['aux']}"
        for told in _of_other(head, m["told"], m["other"], analyze):
            pair = (f"{head} {m['told']}?", f"{head} {told}?")
            yield *(pair if m["way"].lower() == "more" else pair[::-1]), Aggregate.DIFFERENCE
    elif (m := BOTH.match(asked) or SPENT.match(asked)) is not None:
        head = f"{m['asked']} {m['aux']}"
        for one, other in _of_each(head, m["told"], analyze):
            yield f"{head} {one}?", f"{head} {other}?", Aggregate.TOGETHER


def _of_other(head: str, told: str, other: str, analyze: Analyze) -> Iterator[str]:
    """The same statement about the other thing, which replaces the subject, or the object at the end."""
    other = re.sub(rf" (?:{_AUX})$", "", other)
    subject = _subject(f"{head} {told}?", analyze)
    if subject and told.startswith(subject) and not _FOR.match(other):
        yield f"{other}{told.removeprefix(subject)}"
    if (before := _before_object(told, analyze)) and before != subject:
        yield f"{before} {_FOR.sub('', other)}"


def _of_each(head: str, told: str, analyze: Analyze) -> Iterator[tuple[str, str]]:
    """A statement about two things joined by `and`, as two statements."""
    for one, other in sides(told, "and"):
        subject = _subject(f"{head} {other}?", analyze)
        if subject and other.startswith(subject) and subject != other:
            shared = f"{one}{other.removeprefix(subject)}"
            if _subject(f"{head} {shared}?", analyze) == one:
                yield shared, other
        if before := _before_object(one, analyze):
            yield one, f"{before} {_FOR.sub('', other)}"


def _subject(question: str, analyze: Analyze) -> str:
    """The words of a question's subject."""
    read = read_question(question, analyze)
    if read is None or not read.subject:
        return ""
    first, last = read.subject[0], read.subject[-1]
    return first.doc.text[first.idx : last.idx + len(last)]


def _before_object(told: str, analyze: Analyze) -> str:
    """The words before the last noun phrase, after a verb or a preposition: `I pay for` of `I pay for the bike`."""
    doc = analyze(f"They said that {told}.")
    last = next((t for t in reversed(doc) if t.pos_ in ("ADP", "VERB", "AUX")), None)
    begins = len("They said that ")
    if last is None or last.idx <= begins or not doc[last.i + 1 :].text.strip(". "):
        return ""
    return doc.text[begins : last.idx + len(last)]


def _plain(question: str, analyze: Analyze, asker: str, anchor: datetime) -> list[Goal]:
    """The readings of a plain question that ask for one number."""
    read = read_question(question, analyze)
    if read is None:
        return []
    goals = goals_of(read, asker=asker, anchor=anchor)
    return [g for g in goals if g.answer is not None and g.aggregate is Aggregate.ONE and g.answer.type != "time"]


def _answer_type(goal: Goal) -> str:
    return goal.answer.type if goal.answer is not None else ""

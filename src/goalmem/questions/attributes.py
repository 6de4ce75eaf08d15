"""Questions about attributes with one value at a time, as goals that only the attribute log closes.

Their atoms begin with `by what was changed`: `by what was changed, the price of the ticket is (x:price)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from goalmem.language.words.attributes import ATTRIBUTES, CLOSED, OPEN, PARTICIPLES
from goalmem.logic.terms import Aggregate, Atom, Goal, Variable
from goalmem.questions.log_atoms import NOW, log_atom, marked_statement, slots_of

ATTRIBUTE_MARK = "by what was changed, "
ANY = "value"
LONGEST = 300
"""Characters of a question about nothing else."""
KINDS = (*dict.fromkeys(ATTRIBUTES.values()), ANY)
TYPES = {"day": "day", "owner": "person"}


@dataclass(frozen=True, slots=True)
class AttributeQuestion:
    """The question that an atom puts to the attribute log."""

    form: str
    """`now`, `before`, `first`, `changed` (when), `often` (how many times), `at` (as of a time)."""
    attribute: str
    subject: str
    value: str = ""
    """The value in a yes/no question."""
    before: str = ""
    """The value whose predecessor is asked for; empty for the present value."""
    time: str = ""


# form, template: K attribute, S subject, V value, B before which, D when
_TEMPLATES = (
    ("often", "the {K} of {S} changed {V} times"),
    ("changed", "the {K} of {S} changed at {V}"),
    ("first", "the {K} of {S} was at first {V}"),
    ("before", "the {K} of {S} was {V} before {B}"),
    ("at", "the {K} of {S} was {V} as of {D}"),
    ("now", "the {K} of {S} is {V}"),
)
_NOW = r"(?: now| right now| currently| at the moment| at present| these days| today| still| in the end| at last)?"
_BE = r"(?:'s| is| are)"
_WAS = r"(?: was| were)"
_CHANGED = (
    r"(?:it|they|that|this|the (?:change|move|raise|increase|cut|switch|update|rise|drop|bump|upgrade|rename|renaming)|(?:it|they) (?:was|were|got)"
    r" \w+(?: up| down| over| back| forward| out)?|(?:it|they) (?:changed|moved|rose|fell|went up|went down|dropped|switched))"
)
_THEN = rf"(?: before(?: (?P<B>.+))?| previously| beforehand| until {_CHANGED})"
_FIRST = r"(?: originally| at first| initially| first| in the beginning| to begin with| to start with| at the start| at the beginning)"
_FINALLY = r"(?: in the end| eventually| finally| at last| ultimately| after all)"
_PLANNED = (
    r"(?: (?:scheduled|planned|set|booked|due|happening|taking place|going to be|slated|fixed))?(?: for| on| at)?"
)
_AS_OF = r"(?: (?P<D>(?:as of|on|in|at the end of|back in|until|by) .+))"
_S = r"(?P<S>(?:the|my|our|your|this|that|[\w-]+(?: [\w-]+)?['’]s) .+?|[A-Z][\w-]*(?: [A-Z][\w-]*)*?)"
_ATTR = r"(?P<A>[\w-]+(?: [\w-]+)?)"


@dataclass(frozen=True, slots=True)
class _QuestionForms:
    """The phrases of one kind of question: its start in the present and in the past, and its end."""

    kind: str
    present: str
    past: str
    end: str = ""


_ASKS = (
    _QuestionForms("price", rf"how much(?: money)?(?:{_BE}|s){_NOW} {_S}(?: costs?)?", rf"how much{_WAS} {_S}"),
    _QuestionForms("price", rf"how much(?: money)? do(?:es)?{_NOW} {_S} (?:costs?|go for)", rf"how much(?: money)? did {_S} (?:cost|go for)"),
    _QuestionForms("price", rf"what(?: does| do){_NOW} {_S} cost", rf"what did {_S} cost"),
    _QuestionForms("day", rf"(?:when|(?:on )?(?:what|which) (?:day|date))(?:{_BE}|s){_NOW} {_S}{_PLANNED}", rf"(?:when|(?:on )?(?:what|which) (?:day|date)){_WAS} {_S}{_PLANNED}"),
    _QuestionForms("day", rf"(?:when|(?:on )?(?:what|which) (?:day|date)) do(?:es)?{_NOW} {_S} (?:meet|happen|take place)(?: on)?", rf"(?:when|(?:on )?(?:what|which) (?:day|date)) did {_S} (?:meet|happen|take place)(?: on)?"),
    _QuestionForms("name", rf"what(?:{_BE}|s){_NOW} {_S}{_NOW} (?:called|named)", rf"what{_WAS} {_S} (?:called|named)"),
    _QuestionForms("owner", rf"who(?:{_BE}|s)?{_NOW} (?:owns?|(?:the )?(?:owner|assignee|maintainer|person responsible) (?:of|for)|responsible for|in charge of|assigned to|looking after|working on|handling|handles|runs|running|leading|leads) {_S}", rf"who(?:{_WAS})? (?:owned|(?:the )?(?:owner|assignee|maintainer) (?:of|for)|responsible for|in charge of|assigned to|looking after|working on|handling|handled|ran|running|leading|led) {_S}"),
    _QuestionForms("owner", rf"who(?:{_BE}|s){_NOW} {_S}{_NOW} assigned to", rf"who{_WAS} {_S} assigned to"),
    _QuestionForms("version", rf"(?:what|which) version(?:{_BE}| of| does| do| are we on (?:of|with|for)){_NOW} {_S}(?: is| are| run| use| have| do we (?:have|use|run)| are we (?:on|at|using)| is (?:in use|installed|running))?(?: on| at| in)?", rf"(?:what|which) version(?:{_WAS}| of| did) {_S}(?: was| were| run| use| have)?(?: on| at)?"),
    _QuestionForms("colour", rf"(?:what|which) colou?r(?:{_BE}){_NOW} {_S}", rf"(?:what|which) colou?r{_WAS} {_S}"),
    _QuestionForms("", rf"what {_ATTR}(?:{_BE}){_NOW} {_S}", rf"what {_ATTR}{_WAS} {_S}"),
    _QuestionForms("", rf"(?:what|who|which)(?:{_BE}|s){_NOW} {_S}", rf"(?:what|who|which){_WAS} {_S}"),
)  # fmt: skip
_CHANGES = (
    r"(?:change[ds]?|move[ds]?|raised?|go(?:ne|es)? (?:up|down)|went (?:up|down)|increased?|lowered?|cut|renamed?|postponed?|rescheduled?|updated?"
    r"|bumped?|upgraded?|switch(?:ed)?|reassigned?|shift(?:ed)?|pushed?(?: back)?|delayed?|repainted?|rise|risen|drop(?:ped)?|fall(?:en)?|reset|adjust(?:ed)?)"
)
_DONE = "|".join(sorted({*PARTICIPLES, *OPEN.values(), *CLOSED.values()}, key=lambda w: (-len(w), w)))
_KIND_OF_CHANGE = {
    "renam": "name",
    "postpon": "day",
    "reschedul": "day",
    "delay": "day",
    "reassign": "owner",
    "repaint": "colour",
}


def attribute_question(atom: Atom) -> AttributeQuestion | None:
    """The question that an atom puts to the attribute log; None for any other atom."""
    statement = marked_statement(atom, ATTRIBUTE_MARK)
    for form, template in _TEMPLATES if statement else ():
        parts = slots_of(statement, template, "|".join(KINDS))
        if parts is not None:
            before = parts.get("B", "")
            earlier = "" if before == NOW else before
            return AttributeQuestion(form, parts["K"], parts["S"], parts["V"], earlier, parts.get("D", ""))
    return None


def attribute_goals(question: str, asker: str) -> Iterator[Goal]:
    """The goals of a question about an attribute; none for any other question."""
    text = bare(question)
    seen = set[tuple[str, str, str]]()
    for form, kind, parts in _readings(text):
        subject = _subject(parts.get("S") or "", asker)
        if subject and (form, kind, subject) not in seen:
            seen.add((form, kind, subject))
            yield _goal(question, form, kind, {**parts, "S": subject})


def bare(question: str) -> str:
    """The question on one line without introduction and question mark; empty if it is too long to be about nothing else."""
    text = " ".join(question.split()).rstrip("?!. ")
    text = re.sub(r"^(?:and|so|but|then|ok|well|hey)[, ]+", "", text, flags=re.IGNORECASE)
    return text if len(text) <= LONGEST else ""


def _readings(text: str) -> Iterator[tuple[str, str, dict[str, str | None]]]:
    """Yield form, attribute and parts of each way to read a text."""

    def match(pattern: str) -> dict[str, str | None] | None:
        found = re.fullmatch(pattern, text, re.IGNORECASE)
        return found.groupdict() if found is not None else None

    if parts := match(rf"(?:how often|how many times) (?:did|has|have|was|were|had) {_S}(?: been)? (?P<C>{_CHANGES})"):
        yield "often", _changed(parts), parts
    if parts := match(rf"when (?:did|was|were|has) {_S}(?: last| been)? (?P<C>{_CHANGES})"):
        yield "changed", _changed(parts), parts
    if parts := match(rf"(?:when|what day|which day) (?:is|was|has|did) {_S}(?: been)? {_CHANGES} (?:to|for|until)"):
        yield "now", "day", parts
    if parts := match(rf"(?:is|are){_NOW} (?P<S>(?:the|my|our|[\w-]+['’]s) .+?){_NOW} (?P<V>{_DONE}){_NOW}"):
        yield "now", "status", parts
    old = match(
        r"(?:what|who|when)(?:'s| is| was| were) (?P<O>(?:the|my|our|[\w-]+['’]s)) (?P<W>old|previous|former|original|first|initial) (?P<N>.+)"
    )
    if old is not None:
        subject = f"{old['O']} {old['N']}"
        yield (
            "first" if (old["W"] or "").casefold() in ("original", "first", "initial") else "before",
            "",
            {"S": subject},
        )
    for ask in _ASKS:
        for form, pattern in (
            ("before", rf"{ask.past}{_THEN}"),
            ("first", rf"{ask.past}{_FIRST}(?:{_PLANNED})?"),
            (
                "first",
                ask.past.replace(_S, rf"{_S}{_FIRST}")
                if ask.past.endswith(_PLANNED) or "called" in ask.past
                else r"$^",
            ),
            ("now", rf"{ask.past}{_FINALLY}"),
            ("at", rf"{ask.past}{_AS_OF}"),
            ("now", rf"{ask.present}{_NOW}"),
        ):
            parts = match(pattern)
            if parts is not None:
                yield form, ask.kind or ATTRIBUTES.get((parts.get("A") or "").casefold().split(" ")[-1], ""), parts
                break


def _changed(parts: dict[str, str | None]) -> str:
    said = (parts.get("C") or "").casefold()
    return next((kind for stem, kind in _KIND_OF_CHANGE.items() if said.startswith(stem)), "")


def _subject(words: str, asker: str) -> str:
    return re.sub(r"^(?:my|our) ", f"{asker}'s ", words.strip(), flags=re.IGNORECASE) if words else ""


def _goal(question: str, form: str, kind: str, parts: dict[str, str | None]) -> Goal:
    """The goal for one reading of a question."""
    named = parts.get("A") or ""
    subject = f"{named} of {parts['S']}" if named and not kind else parts["S"] or ""
    kind = kind or ANY
    before = re.sub(rf"^(?:{_CHANGED})$", "", parts.get("B") or "", flags=re.IGNORECASE)
    template = next(t for f, t in _TEMPLATES if f == form)
    value = parts.get("V")
    type_ = {"often": "number of times", "changed": "date"}.get(form, TYPES.get(kind, "value"))
    answer = None if value else Variable("x", type_)
    said: dict[str, str | Variable | None] = {
        "K": kind, "S": subject, "V": value or answer, "B": before or NOW, "D": parts.get("D"),
    }  # fmt: skip
    aggregate = Aggregate.ONE if answer is not None else Aggregate.WHETHER
    return Goal(question, (log_atom(ATTRIBUTE_MARK, template, said),), answer, aggregate)

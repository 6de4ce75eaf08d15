"""Questions about two events: the time between them, and which came first or last."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from goalmem.language.morphology import inflect
from goalmem.language.times import scan
from goalmem.language.verb_forms import verb_of
from goalmem.logic.terms import Aggregate, Constraint, Goal, Variable
from goalmem.questions.clause_split import split_phrases
from goalmem.questions.draft import Draft, Item, atom_of, full_name, is_being
from goalmem.questions.syntax import read_question, sides
from goalmem.questions.wording import normalise

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token


Analyze = Callable[[str], "Doc"]
ORDERS = {
    "first": Aggregate.FIRST_OF,
    "earlier": Aggregate.FIRST_OF,
    "last": Aggregate.LAST_OF,
    "later": Aggregate.LAST_OF,
    "most recently": Aggregate.LAST_OF,
}
ORDER = "(?P<order>first|earlier|last|later|most recently)"
HAPPENED = "(?:came|comes|happened|occurred|took place|was|is)"
_MANY = r"How (?:many (?P<unit>(?:minute|hour|day|week|month|year)s)|long|much time)"
BETWEEN = re.compile(
    rf"^{_MANY} (?:(?:(?:have |has |had )?(?:passed|elapsed|gone by|went by|lay|lie)|(?:was|were|is|are)(?: it| there)?) )?"
    r"between (?P<pair>.+)\?$",
    re.IGNORECASE,
)
"""`How many weeks passed between A and B?`"""
APART = re.compile(
    rf"^{_MANY} (?:apart (?:was|were|is|are) (?P<pair>.+)|(?:was|were|is|are) (?P<pair2>.+) apart)\?$", re.IGNORECASE
)
"""`How many days apart were A and B?`"""
FROM = re.compile(
    rf"^{_MANY} (?:(?:was|were|is|are|passed)(?: it| there)? )?from (?P<first>.+?) (?:to|until|till) (?P<second>.+)\?$",
    re.IGNORECASE,
)
"""`How many days was it from A until B?`"""
SHIFTED = re.compile(
    rf"^{_MANY} (?P<way>after|before) (?P<first>.+?) (?P<aux>did|was|were) (?P<second>.+)\?$", re.IGNORECASE
)
"""`How many days after A did B happen?`"""
TOOK = re.compile(
    rf"^{_MANY} did it take (?:for )?(?P<who>.+?) to (?P<verb>\w+)(?P<what>(?: .+?)??)(?: (?:after|from when|since) (?P<first>.+))?\?$",
    re.IGNORECASE,
)
"""`How long did it take me to finish A?`, `How many days did it take Ann to find B after she moved?`"""
COMPLETING = frozenset({"finish", "complete"})
GERUND = re.compile(r"(?P<verb>\w+ing)(?P<rest> .+|$)", re.IGNORECASE)
IT = re.compile(r"\b(?:it|them)$", re.IGNORECASE)
AGED = re.compile(
    r"^How old (?:is|was) (?P<who>.+?)(?: (?:when|at the time of|at|on the day of) (?P<when>.+))?\?$", re.IGNORECASE
)
"""`How old was Ann when B happened?`; without B, on the day of asking."""
TURNS = re.compile(
    r"^(?:When|(?:On|In) (?:what|which) (?:day|date|month|year)|What (?:day|date|year)) (?:does|do|did|will|would) (?P<who>.+?) (?:turn|be|become|reach)"
    r" (?P<years>\d{1,3})(?: years old)?\?$",
    re.IGNORECASE,
)
"""`When does Ann turn 40?`"""
SINCE = re.compile(
    r"^How (?:many (?P<unit>(?:minute|hour|day|week|month|year)s)|long|much time) "
    r"(?:(?:have|has|had) )?(?:it (?:been|passed)|passed|elapsed|gone by|went by|(?:was|is) it) "
    r"since (?P<first>.+?)(?: when (?P<second>.+))?\?$",
    re.IGNORECASE,
)
"""`How many days had passed since A when B?`; without B, until the question is asked."""
WHICH = re.compile(rf"^(?:Which|What)(?: \w+){{0,3}}? {HAPPENED} {ORDER}\s*[,:;]? (?P<pair>.+)\?$", re.IGNORECASE)
"""`Which came first, A or B?`"""
DID = re.compile(rf"^Did (?P<pair>.+?)(?P<event> (?:happen|come|occur|take place))? {ORDER}\?$", re.IGNORECASE)
"""`Did A or B happen first?`, `Did Ann move or Bob leave first?`"""
DOING = re.compile(rf"^(?:Which|What) did (?P<who>.+?) do {ORDER}\s*[,:;]? (?P<pair>.+)\?$", re.IGNORECASE)
"""`Which did Ann do first, move or marry?`"""
CHOSE = re.compile(
    rf"^(?:Which|What)(?: \w+){{1,4}}? did (?P<who>.+?) (?P<verb>\w+(?: \w+){{0,3}}?) {ORDER}\s*[,:;] (?P<pair>.+)\?$",
    re.IGNORECASE,
)
"""`Which book did Ann read first, A or B?`"""
WHO = re.compile(
    rf"^(?:Who|Which \w+) (?P<verb>\w+(?: [\w'’-]+){{0,8}}?) {ORDER}\s*[,:;] (?P<pair>.+)\?$", re.IGNORECASE
)
"""`Who moved first, Ann or Bob?`"""
LEAD = re.compile(r"^(?:the (?:day|time|moment|date|week|month|year) )?(?:(?:that|when) )?(?=\S)", re.IGNORECASE)
"""Words before a clause that names an event: `the day that …`."""


@dataclass(frozen=True, slots=True)
class EventPair:
    """Two events as statements, and what is asked about their times; or one event, and the time since."""

    question: str
    events: tuple[tuple[Item, ...], ...]
    aggregate: Aggregate
    unit: str = ""
    ordered: str = ""
    """Required order of the first event relative to the second; empty for any order."""


def read_pairs(text: str, analyze: Analyze) -> list[EventPair]:
    """Every reading of a question as one about two events: one for each `and` or `or` that may separate them."""
    asked = normalise(text)
    if (m := BETWEEN.match(asked) or APART.match(asked)) is not None:
        both, unit = m["pair"] or m["pair2"], (m["unit"] or "").lower()
        return [EventPair(asked, e, Aggregate.DURATION, unit) for e in split_at_word(both, "and", analyze, "")]
    if (m := SINCE.match(asked)) is not None:
        events = tuple(tuple(event_sentence(side, analyze)) for side in (m["first"], m["second"]) if side)
        return [EventPair(asked, events, Aggregate.DURATION, (m["unit"] or "").lower())] if all(events) else []
    for form, pairs in ((FROM, shifted_pair), (SHIFTED, shifted_pair), (TOOK, taken_pair)):
        if (m := form.match(asked)) is not None:
            return pairs(asked, m, analyze)
    if (m := AGED.match(asked)) is not None:
        return age_pair(asked, m["who"], m["when"] or "", analyze)
    if (m := TURNS.match(asked)) is not None:
        born = being_sentence(f"was {m['who']} born", analyze)
        return [EventPair(asked, (tuple(born),), Aggregate.BIRTHDAY, f"{m['years']} years")] if born else []
    for form in (WHICH, DOING, DID):
        if (m := form.match(asked)) is not None:
            who = "" if form is WHICH else m["who"] if form is DOING else None
            if form is DID and m["event"]:
                who = ""
            return [
                EventPair(asked, e, ORDERS[m["order"].lower()]) for e in split_at_word(m["pair"], "or", analyze, who)
            ]
    if (m := CHOSE.match(asked)) is not None:
        who, verb = m["who"], m["verb"]
        return choice_pair(asked, m, lambda side: action_sentence(f"{who} {verb} {side}", analyze))
    if (m := WHO.match(asked)) is not None:
        shared = m["verb"]
        return choice_pair(asked, m, lambda side: event_sentence(f"{side} {shared}", analyze))
    return []


def shifted_pair(asked: str, m: re.Match[str], analyze: Analyze) -> list[EventPair]:
    """The duration from one event to a later (earlier) one."""
    groups = m.groupdict()
    if not groups.get("aux"):
        second = event_sentence(m["second"], analyze)
    elif m["aux"].lower() == "did":
        second = action_sentence(
            m["second"].removesuffix(" happen").removesuffix(" take place"), analyze
        ) or event_sentence(m["second"].removesuffix(" happen").removesuffix(" take place"), analyze)
    else:
        second = event_sentence(m["second"], analyze) or being_sentence(f"{m['aux']} {m['second']}", analyze)
    first = event_sentence(m["first"], analyze)
    if not first or not second:
        return []
    way = (groups.get("way") or "after").lower()
    return [EventPair(asked, (tuple(second), tuple(first)), Aggregate.DURATION, (m["unit"] or "").lower(), ordered=way)]


def takes_time(question: str) -> bool:
    """True if it is asked how long something took: somebody may have said so, or when it began and ended."""
    return TOOK.match(normalise(question)) is not None


def taken_pair(asked: str, m: re.Match[str], analyze: Analyze) -> list[EventPair]:
    """The time that something took: from an event that is named, or from its own start, until it was done.

    `to finish A` and `to read A` begin when somebody started it; of `to find A` nothing says when it began.
    """
    who, verb, what = m["who"], m["verb"].lower(), m["what"].strip()
    who = "I" if who.lower() == "me" else who
    past = f"{who} {inflect(verb, 'VBD', verb)} {what}".strip()
    if m["first"]:
        start = IT.sub(lambda _: what or who, m["first"])
        gerund = GERUND.match(start)
        began = f"{who} {_past(gerund)}" if gerund is not None else start
    elif verb in COMPLETING:
        began = f"{who} started {what}"
    else:
        doing = f"{inflect(verb, 'VBG', verb)} {what}".strip()
        began, past = f"{who} started {doing}", f"{who} finished {doing}"
    first, second = event_sentence(began, analyze), event_sentence(past, analyze)
    if not first or not second:
        return []
    unit = (m["unit"] or "").lower()
    return [EventPair(asked, (tuple(first), tuple(second)), Aggregate.DURATION, unit, ordered="before")]


def _past(gerund: re.Match[str]) -> str:
    """`starting to work with Ann` as `started to work with Ann`."""
    return f"{inflect(verb_of(gerund['verb'].lower()), 'VBD', gerund['verb'])}{gerund['rest']}"


def being_sentence(asked: str, analyze: Analyze) -> list[Item]:
    """`was Ann born in Oslo` as the statement it asks for."""
    read = read_question(f"{asked[:1].upper()}{asked[1:]}?", analyze)
    return [*read.subject, f" {read.verb} ", *read.rest] if read is not None and read.subject else []


def age_pair(asked: str, who: str, when: str, analyze: Analyze) -> list[EventPair]:
    """An age: from the birth to an event, or until the question is asked."""
    if scan(who):
        return []
    born = being_sentence(f"was {who} born", analyze)
    then = event_sentence(when, analyze) if when else []
    if not born or (when and not then):
        return []
    return [
        EventPair(
            asked,
            (tuple(born), tuple(then)) if then else (tuple(born),),
            Aggregate.AGE,
            ordered="before" if then else "",
        )
    ]


def choice_pair(asked: str, m: re.Match[str], told: Callable[[str], list[Item]]) -> list[EventPair]:
    """A question about the same statement for two things: one pair for each `or` that may separate them."""
    pairs = []
    for both in sides(m["pair"], "or"):
        events = [told(side.strip()) for side in both]
        if events[0] and events[1]:
            pairs.append(EventPair(asked, (tuple(events[0]), tuple(events[1])), ORDERS[m["order"].lower()]))
    return pairs


def split_at_word(
    text: str, word: str, analyze: Analyze, who: str | None
) -> Iterator[tuple[tuple[Item, ...], tuple[Item, ...]]]:
    """The events on both sides of `word`. `who` is the subject of a verb in base form; None: the side has a subject."""
    for both in sides(text, word):
        first, second = (side.strip() for side in both)
        if who != "":
            events = [action_sentence(f"{who or ''} {side}", analyze) for side in (first, second)]
        else:
            events = [event_sentence(first, analyze), event_sentence(second, analyze)]
        if events[0] and events[1]:
            yield tuple(events[0]), tuple(events[1])


def action_sentence(side: str, analyze: Analyze) -> list[Item]:
    """`Ann move to Oslo` as the statement it asks for; empty if it is no clause."""
    read = read_question(f"Did {side.strip()}?", analyze)
    if read is None or not read.subject:
        return []
    return [*read.subject, f" {read.verb} ", *read.rest]


def event_sentence(side: str, analyze: Analyze) -> list[Item]:
    """A clause, a gerund with its subject, or a noun phrase as a statement; empty for anything else."""
    clause = LEAD.sub("", side, count=1)
    for text in dict.fromkeys((clause, side)):
        tokens = [t for t in analyze(f"{text}.") if not (t.lower_ == "last" and t.dep_ == "advmod")][:-1]
        root = next((t for t in tokens if t.dep_ == "ROOT"), None)
        if root is None:
            continue
        subject = any(c.dep_ in ("nsubj", "nsubjpass") for c in root.children)
        if subject and root.tag_ in ("VBD", "VBZ", "VBP", "VBN"):
            return list(tokens)
        if (gerund := gerund_with_subject(tokens)) is not None:
            owner = [t for t in tokens if t.i < gerund.i and t.tag_ != "POS"]
            past = inflect(gerund.lemma_.lower(), "VBD", gerund.text)
            return [*owner, f" {past} ", *(t for t in tokens if t.i > gerund.i)]
        if root.pos_ == "NOUN" or is_noun_phrase(tokens):
            return [*tokens, " happened "]
    return []


def is_noun_phrase(tokens: Sequence[Token]) -> bool:
    """True if words begin like a noun phrase and contain no verb, whatever tag their last noun has."""
    begins = tokens[0].pos_ == "DET" or tokens[0].tag_ == "PRP$"
    return begins and len(tokens) > 1 and not any(t.pos_ in ("VERB", "AUX") for t in tokens)


def gerund_with_subject(tokens: Sequence[Token]) -> Token | None:
    """The verb of `Ann moving to Oslo` or `Ann's moving`; None if nothing before it could be its subject."""
    for token in tokens:
        if token.tag_ == "VBG" and token.i and token.nbor(-1).tag_ in ("NNP", "NN", "NNS", "PRP", "POS"):
            return token if all(t.pos_ not in ("VERB", "AUX", "ADP") for t in tokens if t.i < token.i) else None
    return None


def goals_of_pair(pair: EventPair, *, asker: str, anchor: datetime) -> list[Goal]:
    """Goals that order two events by their times; first with owners split off, then without."""
    goals = [goal_of(pair, asker, anchor, split_owners) for split_owners in (True, False)]
    return list(dict.fromkeys(goals))


def goal_of(pair: EventPair, asker: str, anchor: datetime, split_owners: bool) -> Goal:
    """Two atoms with times, and the constraint that names the pair, which is no condition on their order."""
    names = iter(("x", "y", "z", "w", "v", *(f"v{n}" for n in range(100))))
    said = [t for items in pair.events for t in items if not isinstance(t, Variable | str)]
    main = next((full_name(t) for t in said if is_being(t)), "")
    draft = Draft(names, asker, anchor, main=main)
    atoms = []
    for items, name in zip(pair.events, ("t", "u"), strict=False):
        atoms.append((*split_phrases(items, draft, split_owners), " on ", Variable(name, "time")))
    return Goal(
        pair.question,
        tuple(atom_of(items, draft) for items in (*atoms, *draft.atoms)),
        None,
        pair.aggregate,
        constraints(pair),
        pair.unit,
    )


def constraints(pair: EventPair) -> tuple[Constraint, ...]:
    """The constraint that names the pair, and the condition on their order if there is one."""
    if len(pair.events) < 2:
        return ()
    if not pair.ordered:
        return (Constraint("t", "before", "u"),)
    reverse = {"before": "after", "after": "before"}
    return Constraint("t", pair.ordered, "u"), Constraint("u", reverse[pair.ordered], "t")

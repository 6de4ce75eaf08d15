"""Questions about two events: how long from one to the other, and which of them came first or last."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from goalmem.logic.terms import Aggregate, Constraint, Goal, Variable
from goalmem.questions.clause_split import split_phrases
from goalmem.questions.draft import Draft, Item, atom_of, full_name, is_being
from goalmem.questions.syntax import normalise, read_question
from goalmem.questions.verbs import inflect

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

__all__ = ["Pair", "goals_of_pair", "read_pairs"]

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
BETWEEN = re.compile(
    r"^How (?:many (?P<unit>(?:minute|hour|day|week|month|year)s)|long|much time) "
    r"(?:(?:have |has |had )?(?:passed|elapsed|gone by|went by|lay)|(?:was|were|is|are)(?: it| there)?) "
    r"between (?P<pair>.+)\?$",
    re.IGNORECASE,
)
"""`How many weeks passed between A and B?`"""
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
"""What may stand before a clause that names an event: `the day that …`."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two events as statements, and what is asked about their times; one event, and the time since."""

    question: str
    events: tuple[tuple[Item, ...], ...]
    aggregate: Aggregate
    unit: str = ""


def read_pairs(text: str, analyze: Analyze) -> list[Pair]:
    """Every way to read a question as one about two events: one for each `and` or `or` that may part them."""
    asked = normalise(text)
    if (m := BETWEEN.match(asked)) is not None:
        unit = (m["unit"] or "").lower()
        return [Pair(asked, e, Aggregate.DURATION, unit) for e in parted(m["pair"], "and", analyze, "")]
    if (m := SINCE.match(asked)) is not None:
        events = tuple(tuple(event(side, analyze)) for side in (m["first"], m["second"]) if side)
        return [Pair(asked, events, Aggregate.DURATION, (m["unit"] or "").lower())] if all(events) else []
    for form in (WHICH, DOING, DID):
        if (m := form.match(asked)) is not None:
            who = "" if form is WHICH else m["who"] if form is DOING else None
            if form is DID and m["event"]:
                who = ""
            return [Pair(asked, e, ORDERS[m["order"].lower()]) for e in parted(m["pair"], "or", analyze, who)]
    if (m := CHOSE.match(asked)) is not None:
        who, verb = m["who"], m["verb"]
        return chosen(asked, m, lambda side: done(f"{who} {verb} {side}", analyze))
    if (m := WHO.match(asked)) is not None:
        shared = m["verb"]
        return chosen(asked, m, lambda side: event(f"{side} {shared}", analyze))
    return []


def chosen(asked: str, m: re.Match[str], told: Callable[[str], list[Item]]) -> list[Pair]:
    """A question about two things of which the same is told: one pair for each `or` that may part them."""
    pairs = []
    for at in re.finditer(r",? or ", m["pair"]):
        events = [told(side.strip()) for side in (m["pair"][: at.start()], m["pair"][at.end() :])]
        if events[0] and events[1]:
            pairs.append(Pair(asked, (tuple(events[0]), tuple(events[1])), ORDERS[m["order"].lower()]))
    return pairs


def parted(
    text: str, word: str, analyze: Analyze, who: str | None
) -> Iterator[tuple[tuple[Item, ...], tuple[Item, ...]]]:
    """The two events on the sides of `word`. `who` does what a verb in its base form says; None: it has a subject."""
    for m in re.finditer(rf",? {word} ", text):
        first, second = text[: m.start()].strip(), text[m.end() :].strip()
        if who != "":
            events = [done(f"{who or ''} {side}", analyze) for side in (first, second)]
        else:
            events = [event(first, analyze), event(second, analyze)]
        if events[0] and events[1]:
            yield tuple(events[0]), tuple(events[1])


def done(side: str, analyze: Analyze) -> list[Item]:
    """`Ann move to Oslo` as the statement it asks for; empty where it is no clause."""
    read = read_question(f"Did {side.strip()}?", analyze)
    if read is None or not read.subject:
        return []
    return [*read.subject, f" {read.verb} ", *read.rest]


def event(side: str, analyze: Analyze) -> list[Item]:
    """A clause, a gerund with its subject, or a noun phrase as a statement; empty where it is none of these."""
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
            past = inflect(gerund.text, gerund.lemma_, "VBD")
            return [*owner, f" {past} ", *(t for t in tokens if t.i > gerund.i)]
        if root.pos_ == "NOUN" or is_noun_phrase(tokens):
            return [*tokens, " happened "]
    return []


def is_noun_phrase(tokens: Sequence[Token]) -> bool:
    """Whether words begin like a noun phrase and hold no verb, whatever the tagger takes their last noun for."""
    begins = tokens[0].pos_ == "DET" or tokens[0].tag_ == "PRP$"
    return begins and len(tokens) > 1 and not any(t.pos_ in ("VERB", "AUX") for t in tokens)


def gerund_with_subject(tokens: Sequence[Token]) -> Token | None:
    """The verb of `Ann moving to Oslo` or `Ann's moving`; None where nothing before it could be its subject."""
    for token in tokens:
        if token.tag_ == "VBG" and token.i and token.nbor(-1).tag_ in ("NNP", "NN", "NNS", "PRP", "POS"):
            return token if all(t.pos_ not in ("VERB", "AUX", "ADP") for t in tokens if t.i < token.i) else None
    return None


def goals_of_pair(pair: Pair, *, asker: str, anchor: datetime) -> list[Goal]:
    """Goals that order two events by their times; owners split off first, then left whole."""
    goals = [goal_of(pair, asker, anchor, split_owners) for split_owners in (True, False)]
    return list(dict.fromkeys(goals))


def goal_of(pair: Pair, asker: str, anchor: datetime, split_owners: bool) -> Goal:
    """Two atoms with times, and the constraint that names the pair: no condition on which comes first."""
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
        (Constraint("t", "before", "u"),) if len(pair.events) > 1 else (),
        pair.unit,
    )

"""Facts as events that begin or end where somebody or something is, where they live, or who has it (event calculus: Kowalski & Sergot
1986).

Only assertions begin or end anything; plans, wishes, suppositions and hearsay do not. `Either in the kitchen or the park` ends the previous
state without giving a new one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from goalmem.language import lexicon
from goalmem.language.lexnames import NounKind
from goalmem.language.words.changes import (
    DROPPING,
    ENDING,
    GIVING,
    GOING,
    HAVING,
    LEAVING,
    REACHING,
    RESIDENT,
    TAKING,
)
from goalmem.language.words.pronouns import (
    FIRST_PERSON,
    PERSONAL_PRONOUNS,
    PLURAL_PRONOUNS,
    SINGULAR_PRONOUNS,
    THING_PRONOUNS,
)
from goalmem.records import Argument, Fact, Modality
from goalmem.sources.similarity import Similarity
from goalmem.sources.state.unknown_events import doubt_of, is_absence
from goalmem.sources.values import without_article

INTO = ("to", "into", "onto", "inside", "aboard")
WITHIN = (
    "in",
    "at",
    "inside",
    "on",
    "within",
    "under",
    "behind",
    "near",
    "beside",
    "into",
    "onto",
    "outside",
    "aboard",
)
OUT = ("from", "of", "out", "out of", "off")
BEHIND = re.compile(r"(?<!\s)\s+(?:to|from|in|into|at|on|onto|back|there|here|with|for|over|up|down)\b", re.IGNORECASE)
"""Words after a noun that give its destination, but that the parser includes in the noun's phrase."""
GRIPS = re.compile(r"(?:hold|possession|control|rid|charge)\s+of\s+(?P<what>.+)", re.IGNORECASE)
RELEASED = re.compile(r"\blet(?:s|ting)?\s+go\s+of\b", re.IGNORECASE)
EITHER = re.compile(r"\b(?:either|or)\b", re.IGNORECASE)
DAYPARTS = {
    "morning": 8,
    "noon": 12,
    "midday": 12,
    "lunchtime": 12,
    "afternoon": 15,
    "evening": 19,
    "night": 22,
    "tonight": 22,
}
"""Typical hours of parts of a day, to order them."""
ABSTRACT = frozenset({"time", "quantity", "work"})
PHYSICAL = NounKind.named("animal artifact communication food object plant possession substance")
"""Kinds of nouns for what somebody can hold."""
PLACED = NounKind.named("artifact location object")
"""Kinds of nouns for what something can be in."""
HAPPENINGS = NounKind.named("act attribute event feeling group phenomenon state time")
"""Kinds of nouns for what nobody can hold."""
ARRIVING = frozenset({"arrive", "land", "settle", "settle down", "relocate"})
"""Verbs of motion whose destination has `in` or `at` (51.1-1)."""
WAYS = frozenset("make wend find work fight force push thread weave pick feel inch edge".split())
"""Verbs of the way construction: `made her way to the attic` (Goldberg 1995, chapter 9)."""
LIGHT = frozenset({"take", "get", "have", "catch", "give", "hold", "keep"})
"""Light verbs, whose object may be the action (Levin 1993, section 7.4; Jespersen 1942)."""
CARRIERS = ("public transport", "aircraft", "taxi", "elevator", "train")
"""Vehicles and services that one takes as a passenger."""
SHOTS = frozenset({"picture", "selfie", "shot", "screenshot", "video"})
"""Pictures that WordNet does not list under photographs."""
PERSONAL = frozenset({"speaker", "addressee"})
INTRANSITIVE = frozenset({"go", "come"})
"""Verbs whose object is the action: `went shopping` (Quirk et al. 1985, section 16.38)."""


@dataclass(frozen=True, slots=True)
class Thing:
    """A person, thing or place in an event."""

    key: str
    """Identifies it: its name, otherwise its noun with modifiers, in lower case."""
    text: str
    head: str
    name: bool = False
    """True if it has a name, or belongs to somebody with a name."""
    new: bool = False
    """True if it is introduced as new: `an apple`."""


@dataclass(frozen=True, slots=True)
class StateEvent:
    """An event: what one fact begins or ends."""

    fact: Fact
    kind: str
    """`go`, `leave`, `be`, `not-be`, `may-be`, `take`, `give`, `drop`, `end`, `have`, `not-have`, `live`, `not-live`; `unsure`: the
    previous state has ended, `doubt`: it may have ended."""
    who: Thing
    """The subject; for `be`, it may be a thing."""
    moment: datetime
    """Orders events: the time in the fact, otherwise the time of the turn. Wall-clock."""
    what: Thing | None = None
    to: Thing | None = None
    """The receiver."""
    place: Thing | None = None

    @property
    def own(self) -> bool:
        """True if people say it about themselves."""
        subject = self.fact.arg("subject")
        return subject is not None and subject.resolved in PERSONAL

    @property
    def past(self) -> bool:
        """True for a past state."""
        return bool(re.search(r"\b(?:was|were|had|lived|resided|used to)\b", self.fact.text, re.IGNORECASE))


MOVING = frozenset({"move", "transfer", "relocate"})
"""Verbs whose object, if it is a being, changes its place."""
LEFT = frozenset({"leave", "leave behind", "drop"})
"""Verbs of what is left somewhere, perhaps by mistake: after a while it need not be there."""
LONG_AGO = timedelta(days=30)
"""How long it may be there. A month is a guess: no data tell."""
PASSING = GIVING - TAKING
DEFINITE = re.compile(r"(?:the|this|that|these|those|it|them)\b", re.IGNORECASE)
"""Begins a definite phrase."""
SOMEBODY = Thing("", "somebody", "")
"""The agent of a passive."""


def thing_of(argument: Argument, similarity: Similarity) -> Thing:
    """The thing that an argument names."""
    text = argument.entity or BEHIND.split(without_article(argument.text))[0]
    if argument.entity:
        return Thing(similarity.canonical(argument.entity), argument.entity, argument.head, True)
    modifiers = [
        w for w in re.findall(r"[\w'-]+", without_article(argument.text).casefold()) if w in argument.modifiers
    ]
    key = " ".join([*modifiers, argument.head or text.casefold()])
    return Thing(key, text, argument.head, new=bool(re.match(r"(?:an?|another|some)\b", argument.text, re.IGNORECASE)))


@dataclass
class EventContext:
    """The people and things mentioned before, for pronouns that the extraction left open."""

    similarity: Similarity
    acting: frozenset[str] = frozenset()
    """Keys of the speakers and of the subjects of statements."""
    thing: Thing | None = None

    def people_of(self, argument: Argument | None, before: Sequence[Fact]) -> list[Thing]:
        """The people that an argument refers to; none if that is unclear."""
        if argument is None:
            return []
        word = argument.text.casefold()
        if not argument.entity and word in FIRST_PERSON:
            return []  # unless the speaker is unknown
        if argument.entity or word not in PERSONAL_PRONOUNS | THING_PRONOUNS:
            return [thing_of(argument, self.similarity)] if argument.entity or argument.text else []
        if word in THING_PRONOUNS:
            return [self.thing] if self.thing is not None else []
        group, others = joint_subjects(before, self)
        wanted = len(group) > 1 if word in PLURAL_PRONOUNS else len(group) == 1 and not others
        return group if wanted else []

    def meant_perhaps(self, argument: Argument | None, before: Sequence[Fact]) -> list[Thing]:
        """The people that an open pronoun may refer to."""
        open_ = argument is not None and not argument.entity and argument.text.casefold() in PERSONAL_PRONOUNS
        group, others = joint_subjects(before, self)
        return [*group, *others] if open_ else []

    def thing_meant(self, argument: Argument | None) -> Thing | None:
        """The thing that an argument refers to; None if that is unclear."""
        if argument is None or (not argument.text and not argument.entity):
            return None
        if not argument.entity and argument.text.casefold() in THING_PRONOUNS:
            return self.thing
        return thing_of(argument, self.similarity)


def joint_subjects(before: Sequence[Fact], context: EventContext) -> tuple[list[Thing], list[Thing]]:
    """The subjects of the last statement about people (both, for `Mary and John went`), and the others that it names."""
    last = next((f for f in reversed(before) if (s := f.arg("subject")) is not None and s.entity), None)
    if last is None:
        return [], []
    same = [f for f in before if f.turn == last.turn and f.predicate == last.predicate and f.kind == last.kind]
    subjects = [s for f in same if (s := f.arg("subject")) is not None and s.entity]
    group = {t.key: t for t in (thing_of(s, context.similarity) for s in subjects)}
    others = (a for f in same for a in f.args if a.entity and a.role != "subject" and is_being(a, context))
    named = [thing_of(a, context.similarity) for a in others]
    return list(group.values()), [t for t in named if t.key not in group]


def events_of(facts: Sequence[Fact], similarity: Similarity) -> list[StateEvent]:
    """The events in facts, in the order of the conversation."""
    subjects = (s.entity for f in facts if (s := f.arg("subject")) is not None)
    acting = frozenset(similarity.canonical(n) for n in (*subjects, *(f.speaker for f in facts)) if n)
    context, found = EventContext(similarity, acting), list[StateEvent]()
    for n, fact in enumerate(facts):
        # Pronouns refer to what was just said; farther back, they are open.
        before = [f for f in facts[max(0, n - 6) : n] if f.start < fact.start or f.turn != fact.turn]
        found += events(fact, before, context)
        thing = fact.arg("object") or fact.arg("subject")
        if thing is not None and fact.kind == "clause" and is_thing(thing):
            context.thing = thing_of(thing, similarity)
    return found


def is_thing(argument: Argument) -> bool:
    """True if a later `it` may refer to the argument."""
    return (
        argument.type not in ("time", "person")
        and argument.resolved != "name"
        and bool(argument.head)
        and argument.text.casefold() not in THING_PRONOUNS | PERSONAL_PRONOUNS
    )


def events(fact: Fact, before: Sequence[Fact], context: EventContext) -> Iterator[StateEvent]:
    """The events in one fact; two for `Mary and John went there`, none if it changes nothing."""
    doubtful = EITHER.search(fact.text) and (fact.predicate == "be" or fact.predicate in GOING)
    if fact.kind != "clause" or (fact.modality is not Modality.ASSERTED and not doubtful):
        return
    subjects = context.people_of(fact.arg("subject"), before)
    done_to = fact.arg("object") if fact.arg("subject") is None else None
    if done_to is not None:
        moved = fact.predicate in GOING and is_being(done_to, context)
        # `The ball was dropped in the yard`; `Ines was rushed to the clinic`.
        subjects = [thing_of(done_to, context.similarity)] if moved else [SOMEBODY]
    elif fact.predicate in MOVING and (carried := fact.arg("object")) is not None and is_being(carried, context):
        subjects = [thing_of(carried, context.similarity)]  # `They moved Nan to ward 11`.
    for who in subjects:
        made = event(fact, who, context, before, doubtful=bool(doubtful))
        if made is not None:
            yield made
    for who in context.meant_perhaps(fact.arg("subject"), before) if not subjects else ():
        made = event(fact, who, context, before, doubtful=bool(doubtful))
        if made is not None:
            yield replace(made, kind="unsure")


def event(
    fact: Fact, who: Thing, context: EventContext, before: Sequence[Fact], *, doubtful: bool
) -> StateEvent | None:
    """The event that a fact describes for its subject."""
    told = _FactReader(fact, who, context, before, doubtful=doubtful)
    return told.state() or ((told.change() or told.doubt()) if told.certain() else None)


def is_meant_for_another(fact: Fact, who: Thing) -> bool:
    """True if something is got for another person or a gathering, who may have it by now: `bought my son a bike`, `a cake for the party`."""
    whom = fact.arg("indirect") or fact.arg("for")
    if whom is None:
        return False
    if whom.role == "for" and lexicon.can_be(whom.head, "social gathering"):
        return True
    return whom.type == "person" and bool(whom.entity) and whom.entity.casefold() != who.key


class _FactReader:
    """Reads one fact as an event."""

    def __init__(
        self, fact: Fact, who: Thing, context: EventContext, before: Sequence[Fact], *, doubtful: bool
    ) -> None:
        self.fact, self.who, self.context, self.before, self.doubtful = fact, who, context, before, doubtful
        self.verb, self.what = self._phrasal(fact.predicate, context.thing_meant(fact.arg("object")))
        self.inside = place_of(fact, WITHIN, context)
        self.goal = place_of(fact, INTO, context)
        self.receiver = receiver_of(fact, context, before)
        given = fact.arg("indirect")
        if not (self.receiver or self.goal) and given is not None and self.verb in TAKING and given.resolved == "name":
            self.goal = thing_of(given, context.similarity)

    def _phrasal(self, verb: str, what: Thing | None) -> tuple[str, Thing | None]:
        """The verb and its object, with `let go of it`, `took hold of it` and `made her way` replaced by simple verbs."""
        released = self.fact.arg("of")
        if verb == "go" and released is not None and RELEASED.search(self.fact.text):
            return "let go", self.context.thing_meant(released)
        gripped = GRIPS.match(fact_words(self.fact))
        if what is not None and gripped is not None:
            held = without_article(gripped["what"]).casefold()
            return ("get rid" if what.head == "rid" else verb), Thing(held, held, held.split()[-1])
        if what is not None and what.head == "way" and verb in WAYS:
            return "go", None
        return verb, what

    def made(
        self, kind: str, *, thing: Thing | None = None, to: Thing | None = None, place: Thing | None = None
    ) -> StateEvent:
        """An event of a kind."""
        return StateEvent(self.fact, kind, self.who, moment_of(self.fact), thing, to, place)

    def certain(self) -> bool:
        """True if the fact says that something happened; for a choice of places, that it is one of them."""
        return self.fact.polarity and not is_usual(self.fact) and (not self.doubtful or self.verb in GOING)

    def state(self) -> StateEvent | None:
        """A state: a place, a home, or a possession."""
        not_ = "" if self.fact.polarity else "not-"
        where = self.inside or (home_or_there(self.fact) if self.verb == "be" else None)
        if self.verb in ("be", "stay", "remain") and where is not None:
            return self.made("may-be" if self.doubtful else f"{not_}be", place=where)
        if self.verb in RESIDENT and self.inside is not None:
            return self.made(f"{not_}live", place=self.inside)
        owner = self.fact.arg("with")
        if self.verb == "be" and self.who.key and owner is not None and is_being(owner, self.context):
            people = self.context.people_of(owner, self.before)
            kind, moment = f"{not_}have", moment_of(self.fact)
            return StateEvent(self.fact, kind, people[0], moment, self.who) if len(people) == 1 else None
        if self.verb in HAVING and self.what is not None and self.goal is None and is_portable(self.what, self.fact):
            return self.made(f"{not_}have", thing=self.what)
        return None

    def change(self) -> StateEvent | None:
        """A change."""
        if self.verb in REACHING and self.what is not None:
            return self.made("go", place=self.what)
        if self.verb in LEAVING and not (self.inside is not None or has_there(self.fact)):
            # `Left the milk`, `left the kitchen`: the state of the person decides which it is.
            return self.made("leave", thing=self.what, place=self.what or place_of(self.fact, OUT, self.context))
        if self.what is None or self.what.key == self.who.key:
            return self.motion() if self.verb in GOING else None
        return self.handling(self.what) if is_portable(self.what, self.fact) else None

    def handling(self, what: Thing) -> StateEvent | None:
        """What happens to a thing."""
        if self.verb in GIVING and self.receiver is not None:
            # Nobody gives to themselves: a pronoun was resolved wrongly.
            kind = "give" if self.receiver.key != self.who.key else "unsure"
            return self.made(kind, thing=what, to=self.receiver)
        if self.verb in GIVING and self.verb.endswith(" back"):
            return self.made("give-back", thing=what)
        if self.verb in GOING and self.goal is not None:
            return self.made("put", thing=what, place=self.goal)
        if self.verb in DROPPING:
            gone = self.verb in LEFT and is_long_ago(self.fact)
            return self.made("unsure" if gone else "drop", thing=what, place=None if gone else self.inside)
        if self.verb in ENDING or (self.verb in PASSING and self.goal is None):
            return self.made("end", thing=what)
        if self.verb in TAKING and is_meant_for_another(self.fact, self.who):
            return self.made("unsure", thing=what)
        if self.verb in TAKING:
            return self.made("take", thing=what, place=self.goal, to=receiver_from(self.fact, self.context))
        return None

    def doubt(self) -> StateEvent | None:
        """A state that may have ended, if nothing certain is said."""
        if self.verb in ("be", "go") and is_absence(self.fact):
            return self.made("unsure")
        what = self.what if self.what is not None and self.what.key != self.who.key else None
        if what is not None and self.verb.split()[0] not in INTRANSITIVE and lexicon.coarse_type(what.head) != "place":
            kind = doubt_of(self.fact, thing=True)
            being = what.name or lexicon.coarse_type(what.head) in ("person", "animal")
            return self.made(kind, thing=what) if kind and not (being and kind == "doubt") else None
        kind = doubt_of(self.fact, thing=False) if self.who.key else ""
        return self.made(kind) if kind else None

    def motion(self) -> StateEvent | None:
        """The destination of a movement."""
        goal = self.goal or (self.inside if self.verb in ARRIVING else None) or home_or_there(self.fact)
        return self.made("may-be" if self.doubtful else "go", place=goal) if goal is not None else None


def is_long_ago(fact: Fact) -> bool:
    """True if a fact says that something happened long before it was told."""
    return fact.when is not None and fact.said.replace(tzinfo=None) - fact.when.end > LONG_AGO


def is_portable(what: Thing, fact: Fact) -> bool:
    """True if something can be owned and carried: no haircut, no cold, no bus that one takes, no shower."""
    kinds = set(lexicon.supersenses(what.head))
    if what.name or not kinds:
        return True
    light = fact.predicate in LIGHT and (what.new or not DEFINITE.match(fact_words(fact)))
    if not kinds & PHYSICAL or (light and (kinds & HAPPENINGS or is_shot(what.head))):
        return False
    return not (fact.predicate in LIGHT and any(lexicon.is_a(what.head, kind) for kind in CARRIERS))


def is_shot(head: str) -> bool:
    """True if taking something produces it: a photo, a screenshot."""
    return head in SHOTS or lexicon.is_a(head, "photograph")


def fact_words(fact: Fact) -> str:
    """The words of a fact's object."""
    argument = fact.arg("object")
    return argument.text if argument is not None else ""


def is_usual(fact: Fact) -> bool:
    """True if a fact is about a habit, or about something that nearly happened."""
    text = fact.text.casefold()
    usual = re.search(r"\b(?:often|usually|always|sometimes|every|regularly|never|rarely|nearly|almost)\b", text)
    return usual is not None or any(a.role == "frequency" for a in fact.args)


def has_there(fact: Fact) -> bool:
    """True if the fact contains `there` or `here`."""
    return any(a.text.casefold() in ("there", "here") for a in fact.args)


def home_or_there(fact: Fact) -> Thing | None:
    """Home, outside, upstairs: places that are adverbs."""
    words = {w for a in fact.args if a.role in ("place", "manner", "attribute") for w in a.text.casefold().split()}
    adverb = next(
        (w for w in ("home", "upstairs", "downstairs", "outside", "indoors", "outdoors", "abroad") if w in words), None
    )
    return Thing(adverb, adverb, adverb) if adverb is not None else None


def place_of(fact: Fact, roles: Iterable[str], context: EventContext) -> Thing | None:
    """The place in one of some roles of a fact."""
    for role in roles:
        argument = fact.arg(role)
        if argument is None or not argument.text or not is_place(argument):
            continue
        if argument.text.casefold() in THING_PRONOUNS:
            return None
        return thing_of(argument, context.similarity)
    return None


def is_place(argument: Argument) -> bool:
    """True if something can be in what an argument names: no time, no amount and no event."""
    kinds = set(lexicon.supersenses(argument.head))
    return argument.type not in ABSTRACT or (argument.type != "time" and bool(kinds & PLACED))


def receiver_of(fact: Fact, context: EventContext, before: Sequence[Fact]) -> Thing | None:
    """The receiver of something."""
    argument = fact.arg("indirect") or fact.arg("to")
    given = argument is not None and argument.resolved == "name" and fact.predicate in PASSING - GOING
    if argument is None or (fact.arg("indirect") is None and not is_being(argument, context) and not given):
        return None
    toward = re.search(rf"\bto\s+{re.escape(argument.text)}", fact.text) is not None
    place = argument.type != "person" or lexicon.coarse_type(argument.head) == "place"
    if (toward and argument.resolved == "name" and place and fact.predicate in TAKING) and context.similarity.canonical(
        argument.entity
    ) not in context.acting:
        return None  # `brought it to Lyon`: a name that never acts may also be a place.
    people = context.people_of(argument, before)
    return people[0] if len(people) == 1 else None


def receiver_from(fact: Fact, context: EventContext) -> Thing | None:
    """The person from whom something is taken, who then no longer has it."""
    argument = fact.arg("from")
    return thing_of(argument, context.similarity) if argument is not None and is_being(argument, context) else None


def is_being(argument: Argument, context: EventContext) -> bool:
    """True if an argument names a person or an animal, rather than a place."""
    if argument.entity and context.similarity.canonical(argument.entity) in context.acting:
        return True
    if argument.text.casefold() in SINGULAR_PRONOUNS | {"me", "you", "us"}:
        return True
    if argument.type in ("person", "animal"):
        return True
    if argument.resolved in ("name", "speaker", "addressee", "pronoun", "presumed") and argument.type in (
        "",
        "organization",
    ):
        return True
    return not argument.entity and lexicon.coarse_type(argument.head) in ("person", "animal")


def moment_of(fact: Fact) -> datetime:
    """The time of an event: as stated, with the part of the day, otherwise when it was said."""
    said = fact.said.replace(tzinfo=None)
    if fact.when is None or not fact.when_text:
        return said
    if fact.when.start <= said < fact.when.end and not any(p in fact.when_text.casefold() for p in DAYPARTS):
        return said
    hour = next((h for word, h in DAYPARTS.items() if word in fact.when_text.casefold()), 0)
    return fact.when.start + timedelta(hours=hour)

"""To which topic of a profile a fact belongs: one that lasts, about who somebody is, what they have, do and like.

A fact that fits no topic is no part of a profile: what happened once, and what is so only for the moment (the stage-level predicates of
Carlson 1977, "Reference to Kinds in English"). A present state lasts unless words tie it to a time; of what is past, only the events that
begin a state count.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from goalmem.language.lexicon import can_be, is_a, is_known, is_mainly, supersenses, tagged_uses
from goalmem.language.lexnames import NounKind
from goalmem.language.morphology import singular
from goalmem.language.terms import LETTERS
from goalmem.language.verb_forms import forms_of, is_over, is_perfect, is_simple_present, is_under_way
from goalmem.language.words.endings import ILLNESS
from goalmem.language.words.nouns import ANIMATE, OCCUPATIONS
from goalmem.language.words.profiles import (
    ABLE,
    AIMING,
    ANCESTORS,
    BUYING,
    CLITIC,
    COMPANIONS,
    CONDITIONS,
    DIETERS,
    FAMILY_STATES,
    GOING_ON,
    HOMES,
    KEPT,
    KIN,
    LASTING_THINGS,
    LIFE_EVENTS,
    LIVING_IN,
    MODAL,
    MOMENT,
    OF_ORIGIN,
    OF_PARTNERS,
    OF_STUDIES,
    PASSING_ILLNESS,
    RAISED,
    SORTS_OF_PEOPLE,
    TAKEN,
    TOPIC_OF_OWN,
    WORK_STATES,
    WORKING,
)
from goalmem.language.words.verbs import ACQUIRING, ATTITUDES, HOLDING, RELOCATING
from goalmem.records import Argument, Fact, Modality
from goalmem.sources.numbers import number_in

TOPICS = ("about", "people", "home", "work", "likes", "health", "belongings", "plans", "other")
"""In the order shown."""
PLACED = ("in", "at", "on", "with", "near", "to", "outside")
DIETS = NounKind.named("food plant substance")


def topic_of(fact: Fact, at: datetime) -> str:
    """The topic of a fact as of a time; empty if it is no part of a profile."""
    moment = at.replace(tzinfo=None)
    if fact.modality is Modality.ASSERTED and fact.kind == "clause" and (own := _of_own(fact)):
        return own
    if fact.modality is Modality.PLANNED or (fact.when is not None and fact.when.start > moment):
        said = (fact.arg("attribute") is None or fact.predicate != "be") and ABLE.search(fact.text) is None
        return "plans" if said and fact.when is not None and fact.when.end > moment else ""
    if fact.modality is not Modality.ASSERTED:
        return ""
    if fact.kind in ("possession", "identity"):
        return _of_mentioned(fact)
    return (_of_event(fact) or _of_state(fact)) if _has_verb(fact) else ""


def is_for_good(fact: Fact) -> bool:
    """True if a fact cannot end: where somebody is from, or whose child, parent or other kin they are."""
    if fact.kind in ("possession", "identity"):
        what = fact.arg("attribute" if fact.kind == "identity" else "object")
        kin = what is not None and is_a(singular(what.head), "relative")
        return kin and what is not None and not any(is_a(singular(what.head), kind) for kind in ("spouse", "lover"))
    return fact.predicate in OF_ORIGIN or (fact.predicate == "be" and fact.arg("from") is not None)


def has_passed(fact: Fact, at: datetime) -> bool:
    """True if a fact is about something that was so or under way when it was told, and only then: `is tired today`."""
    if not _has_verb(fact) or is_over(fact.text, fact.predicate) or is_perfect(fact.text, fact.predicate):
        return not _has_verb(fact)
    tied = MOMENT.search(fact.text) is not None or (fact.when is not None and fact.when.end <= at.replace(tzinfo=None))
    return tied or (is_under_way(fact.text, fact.predicate) and fact.predicate.split()[0] not in GOING_ON)


def bearer(fact: Fact) -> Argument | None:
    """Whom or what a fact is about: its subject, or the object of a passive clause without one (`Ann was born in Oslo`)."""
    return fact.arg("subject") or (fact.arg("object") if fact.kind == "clause" else None)


def _of_mentioned(fact: Fact) -> str:
    """The topic of what is only named beside something else: `my sister Ines`."""
    what = fact.arg("attribute") if fact.kind == "identity" else fact.arg("object")
    if what is None:
        return ""
    if _is_companion(what.head):
        everybody = fact.kind == "possession" and any(is_a(singular(what.head), kind) for kind in ANCESTORS)
        return "" if everybody else "people"
    if fact.kind == "identity":
        named = (
            (subject := fact.arg("subject")) is not None
            and subject.entity[:1].isupper()
            and "'s " not in subject.entity
        )
        return "people" if named and "'s " in what.entity and what.type == "person" else ""
    return "belongings" if any(is_mainly(what.head, kind) for kind in KEPT) else ""


def _of_event(fact: Fact) -> str:
    """The topic of an event after which something is so."""
    verb = fact.predicate
    told = is_over(fact.text, verb) or is_perfect(fact.text, verb) or fact.arg("subject") is None
    if not told or not fact.polarity or verb not in LIFE_EVENTS | (ACQUIRING - HOLDING) or MODAL.search(fact.text):
        return ""
    got = fact.arg("object") if fact.arg("subject") is not None else None
    if verb in OF_PARTNERS:
        return "people" if got is None or got.type == "person" else ""
    if verb in OF_ORIGIN:
        return "about" if any(a.type in ("place", "time") for a in _others(fact)) else ""
    if verb in OF_STUDIES:
        return "work" if _others(fact) else ""
    if verb in RELOCATING:
        return (
            "home"
            if got is None and any(a.role in ("to", "into", "in") and a.type == "place" for a in _others(fact))
            else ""
        )
    return _of_thing(got, LASTING_THINGS if verb in BUYING else KEPT) if got is not None and _is_indefinite(got) else ""


def _of_state(fact: Fact) -> str:
    """The topic of a state or habit that is told in the present."""
    if not _lasts(fact):
        return ""
    if "'s " in fact.subject and bearer_type(fact) not in ANIMATE:
        return ""
    found = (
        _of_being(fact) if fact.predicate == "be" else "",
        _of_liking(fact),
        _of_home(fact),
        _of_work(fact),
        _of_aim(fact),
        _of_holding(fact) if fact.predicate in HOLDING - {"be"} else "",
        _of_habit(fact),
    )
    topic = next(filter(None, found), "")
    somebody = "'s " in fact.subject and bearer_type(fact) in ANIMATE
    return "people" if topic and somebody else topic


def bearer_type(fact: Fact) -> str:
    """The coarse type of whom or what a fact is about."""
    of = bearer(fact)
    return of.type if of is not None else ""


def _has_verb(fact: Fact) -> bool:
    """True if the verb of a clause was said, and not only understood: `Ann the nurse` may be no nurse."""
    if fact.kind != "clause":
        return True
    words = {m.group().casefold() for m in LETTERS.finditer(fact.text)}
    verb = fact.predicate.split()[0]
    return not words.isdisjoint(forms_of(verb)) or (verb in ("be", "have") and CLITIC.search(fact.text) is not None)


def _lasts(fact: Fact) -> bool:
    """True if a clause is in the present, and nothing ties it to a time."""
    if MOMENT.search(fact.text) or any(a.role == "time" and not a.text.startswith("since ") for a in fact.args):
        return False
    if is_over(fact.text, fact.predicate) or is_perfect(fact.text, fact.predicate):
        return False
    if is_under_way(fact.text, fact.predicate):
        return fact.predicate.split()[0] in GOING_ON and fact.polarity
    return True


def _others(fact: Fact) -> list[Argument]:
    return [a for a in fact.args if a is not bearer(fact) and a.role not in ("manner", "frequency")]


def _of_own(fact: Fact) -> str:
    """The topic of the value of something of somebody's own: `Ann's birthday is …`."""
    owner, _, noun = fact.subject.rpartition("'s ")
    if not owner or fact.predicate != "be" or not fact.polarity or is_over(fact.text, fact.predicate):
        return ""
    if len(_others(fact)) > 1:  # "his name is Leo, from Turin"
        return ""
    return next((TOPIC_OF_OWN[w] for w in noun.casefold().split() if w in TOPIC_OF_OWN), "")


def _of_being(fact: Fact) -> str:
    """The topic of what somebody is: a noun for a person, an origin, or an adjective of long standing."""
    what, origin = fact.arg("attribute"), fact.arg("from")
    if origin is not None:
        return "about" if origin.type == "place" and what is None else ""
    if what is None:
        return ""
    head = what.head
    if fact.slot in ("name", "age"):
        return "about"
    if fact.slot == "relationship" or head in FAMILY_STATES:
        return "people"
    if head in WORK_STATES:
        return "work"
    if head in CONDITIONS:
        return "health"
    if fact.slot == "employment" or any(is_mainly(head, work) for work in OCCUPATIONS):
        noun = _first_word(what) in ("a", "an") or (what.text == head and not is_known(head, "a"))
        somebody = fact.polarity and bearer_type(fact) == "person"
        return "work" if somebody and noun and what.text[:1].islower() and _is_indefinite(what) else ""
    if not fact.polarity:
        return ""
    bare = what.text.casefold() == head
    if any(is_mainly(head, kind) for kind in DIETERS):
        return "health"
    if _first_word(what) in ("a", "an") and any(is_mainly(head, kind) for kind in SORTS_OF_PEOPLE):
        return "about"
    return "about" if bare and what.text[:1].isupper() and not what.entity and is_known(head, "a") else ""


def _of_liking(fact: Fact) -> str:
    """The topic of what somebody likes, dislikes, or does for pleasure."""
    what = fact.arg("object") or fact.arg("complement")
    if fact.slot.startswith("favorite "):
        return "likes"
    if what is None or MODAL.search(fact.text):
        return ""
    liked = (fact.kind == "preference" and fact.polarity) or (
        fact.predicate in ATTITUDES and is_simple_present(fact.text, fact.predicate)
    )
    if liked:
        doing = what.role == "object" or _first_word(what).endswith("ing")
        vague = what.type == "person" or what.text[:1].isdigit() or _first_word(what) in ("no", "any", "nothing")
        return "likes" if doing and not vague else ""
    return ""


def _of_home(fact: Fact) -> str:
    placed = [a for a in fact.args if a.role in PLACED]
    if fact.slot == "residence" or (fact.predicate in LIVING_IN and placed):
        return "home" if fact.polarity and _plain(fact) else ""
    what = fact.arg("object")
    homes = what is not None and any(is_a(what.head, kind) for kind in HOMES)
    return "home" if homes and fact.predicate in ("rent", "own", "have") and _plain(fact) else ""


def _of_work(fact: Fact) -> str:
    if fact.slot == "employment" and fact.predicate != "be":
        return "work" if fact.polarity and _plain(fact) else ""
    what = fact.arg("object") or fact.arg("at") or fact.arg("as") or fact.arg("for") or fact.arg("in")
    if what is None or not _plain(fact):
        return ""
    if fact.predicate in ("run", "own", "manage"):
        return "work" if any(is_a(what.head, kind) for kind in ("business", "shop", "workplace", "enterprise")) else ""
    if fact.predicate in HOLDING:
        return "work" if what.role == "object" and is_a(what.head, "academic degree") else ""
    return "work" if fact.predicate in WORKING and what.type != "quantity" else ""


def _of_aim(fact: Fact) -> str:
    """`plans` for what somebody works towards."""
    roles = AIMING.get(fact.predicate, ())
    aimed = any(a.role in roles and a.type != "quantity" for a in fact.args)
    return "plans" if aimed and is_under_way(fact.text, fact.predicate) else ""


def _of_holding(fact: Fact) -> str:
    """The topic of what somebody has."""
    what = fact.arg("object")
    said = what is not None and _is_indefinite(what) and fact.polarity and _plain(fact)
    return _of_thing(what) if what is not None and said else ""


def _of_thing(what: Argument, kinds: Collection[str] = LASTING_THINGS) -> str:
    if _is_companion(what.head):
        return "people"
    if any(is_mainly(what.head, kind) for kind in PASSING_ILLNESS) or is_a(what.head, "container"):
        return ""
    if any(is_mainly(what.head, kind) for kind in ILLNESS) or is_a(what.head, "allergy"):
        return "health"
    if any(is_mainly(what.head, kind) for kind in HOMES):
        return "home"
    if _first_word(what) not in ("a", "an") and number_in(_first_word(what)) is None:
        return ""
    branded = not is_known(what.head) and what.text.split(" ")[-1][:1].isupper()  # "a red Vespa"
    return "belongings" if branded or any(is_mainly(what.head, kind) for kind in kinds) else ""


def _is_companion(noun: str) -> bool:
    one = singular(noun)
    adjective = tagged_uses(one, "a") > tagged_uses(one, "n")  # "my dears"
    return one in KIN or (not adjective and any(is_a(one, kind) for kind in COMPANIONS))


def _of_habit(fact: Fact) -> str:
    """The topic of what somebody does again and again."""
    verb, what = fact.predicate, fact.arg("object")
    if not is_simple_present(fact.text, verb) and fact.polarity:
        return ""
    if verb == "speak":
        return "about" if what is not None and (what.entity or can_be(what.head, "language")) else ""
    if verb in RAISED:
        return "likes" if what is not None and _plain(fact) and what.type not in ("person", "quantity") else ""
    if verb == "drive":
        return _of_thing(what, ("vehicle",)) if what is not None and _is_indefinite(what) and _plain(fact) else ""
    if verb in TAKEN:
        eaten = what or fact.arg("complement")
        often = any(a.role == "frequency" for a in fact.args) or verb in ("take", "avoid")
        if eaten is None or (fact.polarity and not (often and _plain(fact))):
            return ""
        kinds = DIETS if verb != "take" else frozenset()
        food = bool(kinds & set(supersenses(eaten.head)[:1])) or any(is_a(eaten.head, k) for k in ("medicine", "drug"))
        return "health" if food else ""
    again = any(a.role == "frequency" and a.type == "time" for a in fact.args)
    return "other" if again and fact.polarity and _plain(fact) and _others(fact) else ""


def _plain(fact: Fact) -> bool:
    """True if nothing in a clause is only possible or necessary."""
    return MODAL.search(fact.text) is None


def _is_indefinite(argument: Argument) -> bool:
    """True if an argument does not point at a thing that is known from the conversation: `a dog`, not `the dog` or `that dog`."""
    return _first_word(argument) not in (
        "the",
        "that",
        "this",
        "these",
        "those",
        "no",
        "any",
        "some",
        "enough",
        "more",
        "another",
        "his",
        "her",
        "your",
        "their",
        "its",
    )


def _first_word(argument: Argument) -> str:
    return next(iter(argument.text.casefold().split()), "")

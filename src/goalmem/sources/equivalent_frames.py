"""Frames that say the same as an atom's frame, by grammar alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from goalmem.language.inflection import getLemma
from goalmem.language.lexicon import coarse_type
from goalmem.language.terms import WORD_PART
from goalmem.language.words.attributes import DIMENSIONS, PER, TAKING_IN
from goalmem.language.words.nouns import ANIMATE, ANYBODY, ANYTHING, HAVABLE_OR_WORK
from goalmem.language.words.verbs import HAPPENING, SETTING_TIMES, SHIFTING
from goalmem.logic.unify import Frame, FramePart
from goalmem.questions.wh import CLOCK_TIME
from goalmem.sources.numbers import OF_NUMBER
from goalmem.sources.similarity import HAD

ATTENDING = (
    *(
        ("attend", "object"),
        ("celebrate", "object"),
        ("host", "object"),
        ("have", "object"),
        ("do", "object"),
        ("sit", "object"),
    ),
    *(("participate", "in"), ("compete", "in"), ("go", "to"), ("be", "at"), ("volunteer", "at")),
)
"""Verbs of what people do at an event while it happens, with the role of the event."""
SCALED = ("be", "cut down", "cut", "get down", "go up", "go down")
"""Verbs of a number that is now another, with `to` (45.6 calibratable changes of state)."""
ESSENTIAL = frozenset({"subject", "object", "attribute"})
"""Roles of what a copula says to be the same; any other role is a place or a circumstance."""
WITH_OR_WITHOUT = {"with": "without", "without": "with"}


def equivalents(frame: Frame) -> tuple[Frame, ...]:
    """Frames that are equivalent by grammar alone: `X is Y's N` and `Y has N X`, both ways; `X's N is Z` and `X's N: Z`; `X is six` and `X turned six`."""
    if frame.time is not None and len(frame.parts) == 1 and frame.predicate in ("be", "happen"):
        return scheduled_frame(frame)
    if (rate := rated(frame)) is not None:
        scaled = tuple(replace(p, role="to") if p is rate else p for p in frame.parts)
        return tuple(replace(frame, predicate=verb, parts=scaled) for verb in SCALED)
    if frame.predicate == "have" and len(frame.parts) == 2:
        return tuple(identified_frame(frame))
    if frame.predicate == "spend":  # `How long did Ann spend in Rome?`
        lasting = [
            p for p in frame.parts if p.role == "for" and p.variable is not None and p.variable.type == "duration"
        ]
        spent = tuple(replace(p, role="object") if p in lasting else p for p in frame.parts)
        return (replace(frame, parts=spent),) if lasting else ()
    return tuple(identity_frames(frame)) if frame.predicate == "be" and len(frame.parts) == 2 else ()


def identity_frames(frame: Frame) -> Iterator[Frame]:
    """Frames that are equivalent to one of `be` with two parts."""
    asked = next((p for p in frame.unknowns if p.variable is not None), None)
    rest = [p for p in frame.parts if p is not asked]
    type_ = asked.variable.type if asked is not None and asked.variable is not None else ""
    if asked is None:
        return
    if asked.role == "at" and type_ == CLOCK_TIME:
        yield from (replace(had, parts=(*had.parts, asked)) for event in rest for had in had_frame(event, frame))
    elif asked.role == "for":
        yield replace(frame, parts=(*rest, replace(asked, role="attribute", kind="long")))
    elif type_ == "age":
        yield replace(frame, predicate="turn", parts=(*rest, replace(asked, role="object")))
    elif type_ in DIMENSIONS:
        yield from measuring_frame(frame, asked)
    else:
        yield from owned_frames(frame)


def owned_frames(frame: Frame) -> Iterator[Frame]:
    """Frames that are equivalent to `X's N is Z`: X has Z, which is an N; the name of X's N is Z."""
    owned = next((p for p in frame.parts if p.variable is None and "'s " in p.entity), None)
    if owned is None:
        yield from asked_name(frame)
        return
    other = next((p for p in frame.parts if p is not owned), None)
    if other is None or other.variable is None or other.role not in ESSENTIAL:
        return
    if coarse_type(owned.entity.rpartition("'s ")[2].split()[-1]) not in HAVABLE_OR_WORK:
        if other.variable.type == "name":
            yield from naming_frame(frame, owned, other)
        return
    owner, _, noun = owned.entity.rpartition("'s ")
    known = {w.casefold() for w in owned.entity.replace("'s", " ").split()}
    known |= {base for w in known for base in getLemma(w, "ADJ")}  # `good` of `best`
    noun = " ".join([*(m for m in owned.modifiers if m not in known), noun])
    subject = named_part("subject", owner)
    thing = replace(other, role="object", kind=noun)
    yield replace(frame, predicate="have", parts=(subject, thing))
    if other.variable.type == "name":
        yield from naming_frame(frame, owned, other)


def unaccompanied(frame: Frame) -> Iterator[Frame]:
    """`X drinks coffee with sugar` as the opposite of `X drinks coffee without sugar`, and the other way round."""
    for part in frame.parts:
        if part.role in WITH_OR_WITHOUT and part.variable is None:
            parts = tuple(replace(p, role=WITH_OR_WITHOUT[p.role]) if p is part else p for p in frame.parts)
            yield replace(frame, parts=parts, polarity=not frame.polarity)


def identified_frame(frame: Frame) -> Iterator[Frame]:
    """The frame that names one of somebody's: `(x:kid) is Ann's kid` of `Ann has (x:kid)`."""
    owner, thing = frame.parts
    if owner.variable is not None or not owner.entity or thing.variable is None or thing.role != "object":
        return
    noun = thing.variable.type
    if noun in (*ANYBODY, *ANIMATE, *ANYTHING) or " or " in noun or noun.startswith(OF_NUMBER):
        return
    whose = f"{owner.entity}'s {noun}"
    kind = coarse_type(noun) if coarse_type(noun) in ANIMATE else ""
    attribute = FramePart("attribute", whose, -1, -1, noun.split()[-1], entity=whose, type=kind, resolved="owner")
    yield replace(frame, predicate="be", parts=(replace(thing, role="subject"), attribute))


def rated(frame: Frame) -> FramePart | None:
    """The number of `drinks (x:number of coffees) a day`, which may be said to have risen or fallen to another."""
    told = any(p.role == "manner" and PER.fullmatch(p.text) for p in frame.parts)
    if not told or frame.predicate not in TAKING_IN:
        return None
    return next((p for p in frame.unknowns if p.variable and p.variable.type.startswith(OF_NUMBER)), None)


def asked_name(frame: Frame) -> Iterator[Frame]:
    """Frames that give the name of somebody who is asked about by a name or as `I`: `my name is Z` of `user is (x:name)`."""
    who = next((p for p in frame.parts if p.variable is None and p.entity), None)
    other = next((p for p in frame.parts if p is not who), None)
    if who is not None and other is not None and other.variable is not None and other.variable.type == "name":
        yield from naming_frame(frame, who, other)


def naming_frame(frame: Frame, owned: FramePart, name: FramePart) -> Iterator[Frame]:
    """Frames that give a name: `X's N's name is Z`, `X's N is called Z`."""
    called = replace(
        owned, text=f"{owned.text}'s name", head="name", entity=f"{owned.entity}'s name", type="", modifiers=()
    )
    yield replace(frame, parts=tuple(called if p is owned else p for p in frame.parts))
    parts = (replace(owned, role="object"), replace(name, role="attribute"))
    yield replace(frame, predicate="call", parts=parts)


def measuring_frame(frame: Frame, measure: FramePart) -> Iterator[Frame]:
    """Frames that give a measure without its noun: `X is 180 cm tall`, `X weighs 80 kg` of `X's height is (x:height)`; and with `of`."""
    whose = next((p for p in frame.constants if p.head == measure.variable.type), None) if measure.variable else None
    if whose is None or measure.variable is None:
        return
    owner = re.sub(rf"['’]s? {whose.head}$", "", whose.text)
    thing = owner.split()[-1] if owner else ""
    if not thing or owner == whose.text:
        return
    named = "'s " in whose.entity
    who = whose.entity.rpartition("'s ")[0] if named else ""
    modifiers = tuple(m for m in whose.modifiers if m not in who.casefold().split() and m != thing.casefold())
    part = FramePart(
        "subject", owner, -1, -1, thing.casefold(), who, resolved="name" if named else "", modifiers=modifiers
    )
    for adjective in DIMENSIONS[measure.variable.type]:
        yield replace(frame, parts=(part, replace(measure, role="attribute", kind=adjective)))
    if measure.variable.type == "weight":
        yield replace(frame, parts=(part, replace(measure, role="attribute")))
        yield replace(frame, predicate="weigh", parts=(part, replace(measure, role="object")))
    of = replace(whose, text=f"the {whose.head} of {owner}", entity="", modifiers=(*modifiers, thing.casefold()))
    yield replace(frame, parts=(of, measure))


def scheduled_frame(frame: Frame) -> tuple[Frame, ...]:
    """Frames that give the time of an event: it happens, takes place, or is set or moved to that time."""
    event = replace(frame.parts[0], resolved=frame.parts[0].resolved or "event")
    as_subject = (
        replace(frame, predicate=p, parts=(replace(event, role="subject"),)) for p in ("be", *HAPPENING, *SHIFTING)
    )
    as_object = (replace(frame, predicate=p, parts=(replace(event, role="object"),)) for p in SETTING_TIMES)
    attended = (replace(frame, predicate=p, parts=(replace(event, role=r),)) for p, r in ATTENDING)
    return tuple(
        f for f in (*as_subject, *as_object, *attended, *had_frame(event, frame), *born_frame(frame)) if f != frame
    )


def had_frame(event: FramePart, frame: Frame) -> Iterator[Frame]:
    """The frame by which somebody has an event that is theirs: `Ann has an exam` of `Ann's exam is`."""
    owner, mark, noun = event.entity.rpartition("'s ")
    if mark:
        subject = named_part("subject", owner)
        modifiers = tuple(m for m in event.modifiers if m not in WORD_PART.findall(owner.casefold()))
        had = replace(event, role="object", text=noun, resolved=HAD, modifiers=modifiers)
        yield replace(frame, predicate="have", parts=(subject, had))


def born_frame(frame: Frame) -> Iterator[Frame]:
    """The frame by which somebody was born on the day of a birthday."""
    owner, owned, noun = frame.parts[0].entity.rpartition("'s ")
    if owned and noun == "birthday":
        whose = named_part("object", owner, "person")
        yield replace(frame, predicate="bear", parts=(whose,))


def named_part(role: str, name: str, type: str = "") -> FramePart:
    """Somebody or something by name, as a part that stands nowhere in the text."""
    return FramePart(role, name, -1, -1, name.split()[-1].casefold(), name, type, "name")

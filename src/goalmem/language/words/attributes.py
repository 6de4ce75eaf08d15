"""Verbs that set an attribute, by lemma with particle, and nouns of such attributes.

The classes are those of Levin 1993 ("English Verb Classes and Alternations") and VerbNet, by number. Particles are those of
Quirk et al. 1985, section 16.4.
"""

from __future__ import annotations

import re

from goalmem.logic.quantity import PERIODS

SCALING = frozenset(
    "raise increase lower cut drop fall rise climb jump soar reduce decrease decline shrink grow swell surge plummet plunge"
    " tumble sink slide slip inch creep edge double triple quadruple halve boost hike slash trim bump push extend shorten"
    " widen narrow lengthen shoot rocket skyrocket spike dip sag dwindle diminish multiply go come take bring put knock"
    " mark creep step ramp scale dial crank turn".split()
)
"""Change of an amount (45.6 calibratable changes of state; 45.4, of dimensions; 9.4 putting with a direction)."""
PER = re.compile(rf"\b(?:an?|per|each|every) (?:{'|'.join(PERIODS)})\b", re.IGNORECASE)
"""A time in which something happens so many times."""
TAKING_IN = frozenset("have take do drink eat smoke use consume chew vape".split())
"""What somebody cuts down on needs no verb (39 eat; light verbs)."""
CHANGING = frozenset(
    "set change adjust update switch move shift alter convert modify revise correct amend reset restore revert upgrade"
    " downgrade migrate transfer fix swap turn make replace pin default round roll flip".split()
)
"""To another value (26.6.1 turn, 13.6 exchange, 11.1 send)."""
SCHEDULING = frozenset(
    "move shift push postpone delay defer reschedule bring advance put schedule set book plan slate rearrange slip adjourn"
    " extend switch change prepone delay fix arrange pull hold drag".split()
)
"""Move to another time (10.1 remove, 11.5 drive, of plans; 55 aspectual)."""
ARRANGING = frozenset("schedule book plan slate arrange".split())
"""Those of them that set the first time."""
PLACING_IN_TIME = frozenset(
    "move shift push postpone delay defer reschedule rearrange adjourn prepone advance bring".split()
)
"""Those of them that leave the time open unless they state it."""
ALTERING = frozenset("change adjust update switch alter modify revise amend reset".split())
"""Verbs of change that leave the new value open unless they state it."""
RENAMING = frozenset(
    "rename call name dub brand christen rebrand title retitle nickname entitle relabel baptize rechristen".split()
)
"""29.3 dub."""
ASSIGNING = frozenset("assign reassign allocate allot delegate hand pass transfer give entrust award".split())
"""The recipient becomes responsible (13.3 future having, 29.1 appoint, 13.1 give)."""
TAKING_OVER = frozenset(
    {"take over", "take on", "inherit", "pick up", "adopt", "assume", "take", "claim", "shoulder", "grab"}
)
"""The subject becomes responsible (13.5.2 obtain)."""
PLACING = frozenset("put move place transfer switch shift swap assign station post".split())
"""Their object is then in a place, a group or a state (9.1 put, 11.1 send, 29.1 appoint)."""
BECOMING = frozenset("become turn go be stay remain get grow".split())
"""Copulas of being and becoming (26.6.2 become; Quirk et al. 1985, section 16.21)."""
STATIVE_COPULAS = frozenset("be stay remain become".split())
"""Those of them that denote a state in any context."""
COLOURING = frozenset("paint repaint dye stain colour color spray varnish tint bleach redo enamel lacquer".split())
"""24 coloring."""
BASIC_COLOURS = frozenset("black white red green yellow blue brown purple pink orange grey gray".split())
"""Berlin and Kay 1969; dictionaries list other senses of some first."""
OPEN = {
    "open": "open",
    "reopen": "open",
    "restart": "open",
    "resume": "open",
    "unblock": "open",
    "reactivate": "open",
    "unpause": "open",
}
"""Resumption, and the resulting state (55.1 begin)."""
CLOSED = {
    "close": "closed",
    "finish": "done",
    "complete": "done",
    "do": "done",
    "resolve": "resolved",
    "fix": "fixed",
    "merge": "merged",
    "cancel": "cancelled",
    "reject": "rejected",
    "ship": "shipped",
    "deliver": "delivered",
    "archive": "archived",
    "settle": "settled",
    "wrap up": "done",
    "conclude": "done",
    "pay": "paid",
    "approve": "approved",
    "release": "released",
    "publish": "published",
    "abandon": "abandoned",
    "shut": "closed",
}
"""Completion, and the resulting state (55.2 complete, 55.4 stop, 44 destroy, of tasks)."""
STATUS = OPEN | CLOSED | {"pause": "paused", "suspend": "suspended", "block": "blocked", "start": "started"}
PARTICIPLES = frozenset(
    {*STATUS.values(), "finished", "completed", "complete", "pending", "ready", "active", "on hold"}
)
"""States of a task."""
CHARGED = ("owner", "assignee", "maintainer", "responsible", "charge")
"""Words for who has something to do, which all ask for the same."""
ATTRIBUTES = {
    "price": "price",
    "cost": "price",
    "name": "name",
    "title": "name",
    **dict.fromkeys(CHARGED, "owner"),
    "status": "status",
    "state": "status",
    "version": "version",
    "colour": "colour",
    "color": "colour",
    "date": "day",
    "day": "day",
    "time": "day",
}
"""Attributes that verbs may change without naming them, with their names here."""
DIMENSIONS = {
    "height": ("tall", "high"),
    "length": ("long",),
    "width": ("wide", "broad"),
    "depth": ("deep",),
    "thickness": ("thick",),
    "weight": ("heavy",),
}
"""Nouns for a measure of something, with the adjectives behind it: `180 cm tall` (Quirk et al. 1985, section 7.88)."""
PRICES_OF_THINGS = frozenset({"price", "cost"})
"""Nouns for what something costs."""

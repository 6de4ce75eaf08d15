"""Verbs that change the location or the holder of something, by lemma with particle.

The classes are those of Levin 1993 ("English Verb Classes and Alternations") and VerbNet, by number; members whose usual sense
is another are left out. Particles are those of Quirk et al. 1985, section 16.4.
"""

from __future__ import annotations


def _verbs(text: str, *more: str) -> frozenset[str]:
    return frozenset([*text.split(), *more])


GOING = _verbs(
    "go come move travel journey walk run return head drive fly sail cycle bike ride hike stroll wander march hurry rush race"
    " dash sprint jog trot stride amble saunter plod trudge stumble stagger limp creep crawl sneak slip tiptoe tramp trek wade"
    " swim climb jump hop leap skip slide step stomp strut swagger hasten scurry scuttle scamper bolt speed zoom whiz dart"
    " gallop canter skate ski row paddle canoe boat drift glide commute migrate emigrate immigrate relocate proceed advance"
    " retreat withdraw voyage roam venture transfer pop nip get arrive land shift mosey lope waltz shuffle hobble lumber meander"
    " traipse troop backpack bound hitchhike file sidle skulk prowl scramble slink slither shamble toddle totter tread bus"
    " motor cruise taxi skateboard scoot",
    *("go back", "come back", "get back", "head back", "walk back", "run back", "go over", "come over", "head over"),
    *("walk over", "run over", "go off", "head off", "set off", "go out", "head out", "go in", "come in", "walk in"),
    *("go up", "go down", "head up", "head down", "come down", "come up", "walk up", "walk down", "settle down"),
    *("move in", "move over", "move back", "drop by", "go along", "come along", "settle"),
)
"""Somebody who does it to a place is there (51.1 escape, 51.3.2 run, 51.4 vehicles, 51.7 accompany)."""
REACHING = _verbs("enter reach")
"""The destination is the object (51.1-2)."""
LEAVING = _verbs(
    "leave exit depart vacate evacuate flee escape desert",
    *("move out", "check out", "go out", "walk out", "get out", "come out", "run out", "go away", "move away"),
)
"""The subject leaves a place (51.1, 51.2)."""
TAKING = _verbs(
    "take get grab collect fetch snatch seize obtain acquire gather retrieve grasp clutch catch clasp pocket nab swipe steal"
    " pilfer recover claim confiscate capture scoop procure buy purchase receive accept inherit borrow lift pick reclaim"
    " repossess secure bring carry haul lug cart tow ferry transport drag hoist filch purloin pinch loot appropriate"
    " commandeer impound hook bag",
    *("pick up", "take up", "scoop up", "get back", "take back", "pick out", "take along", "bring along", "snap up"),
    *(
        "bring back",
        "bring over",
        "take over",
        "carry off",
        "carry away",
        "take away",
        "gather up",
        "snatch up",
        "grab up",
    ),
)
"""The subject gets the object, or with a place, takes it there (10.5 steal, 11.3 bring, 11.4 carry, 13.5 get and
obtain).
"""
GIVING = _verbs(
    "give hand pass lend loan sell donate send ship mail post deliver gift bequeath award grant present entrust slip toss"
    " throw fling hurl lob serve return bring transfer forward cede relinquish surrender render furnish refund repay fax",
    *(
        "hand over",
        "hand back",
        "give back",
        "give away",
        "pass on",
        "pass over",
        "turn over",
        "hand down",
        "pass along",
    ),
    *("send back", "send over", "lend out", "pass back", "bring back", "bring over", "give over", "throw over"),
)
"""The object passes from the subject to the recipient (11.1 send, 13.1 give, 13.2 contribute, 17.1 throw)."""
SENDING = _verbs("send ship mail post forward fax transfer deliver sell donate bequeath")
"""Verbs of giving whose giver and recipient may be in different places (11.1)."""
DROPPING = _verbs(
    "drop put place leave discard release deposit set lay ditch dump stow store stash hide hang position park abandon shelve"
    " unload rest plop plunk stick mount perch lodge situate install desert jettison",
    *("put down", "set down", "lay down", "leave behind", "throw down", "put away", "let go", "drop off", "put back"),
    *(
        "set aside",
        "lay aside",
        "put aside",
        "place down",
        "leave off",
        "toss aside",
        "tuck away",
        "stash away",
        "lock up",
    ),
)
"""The object stays at the subject's place, or the stated one, without a holder (9.1 put, 9.2 set in position, 9.7
pocket).
"""
ENDING = _verbs(
    "lose destroy eat drink consume burn trash scrap devour swallow smash shred recycle incinerate sell donate misplace forfeit",
    *(
        "throw away",
        "throw out",
        "get rid",
        "give away",
        "use up",
        "eat up",
        "drink up",
        "sell off",
        "toss out",
        "give up",
    ),
)
"""The object has no known holder and place any longer (13.1 without a recipient, 39 eat, 44 destroy)."""
HAVING = _verbs("have hold carry own possess keep")
"""The subject has the object (15 hold, 100 own)."""
RESIDENT = _verbs("live reside dwell")
"""The place is somebody's home (47.1)."""
CHANGES = GOING | REACHING | LEAVING | TAKING | GIVING | DROPPING | ENDING | HAVING | RESIDENT | {"be"}
"""All of them, and to be somewhere."""

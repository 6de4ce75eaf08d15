"""Words by which a state or an activity is over, and kinds of nouns (WordNet 3.0) for what passes."""

from __future__ import annotations

from goalmem.language.words.doubts import ENDING_ROLES, ENDING_THINGS, QUITTING
from goalmem.language.words.verbs import CALLING_OFF

ENDING = frozenset({*ENDING_ROLES, *ENDING_THINGS, *CALLING_OFF, *QUITTING, "finish", "trade", "recover", "retire"})
"""Verbs that say by themselves that what they are about is over."""
OF_PLACES_TOO = frozenset("leave stop change switch replace move".split())
"""Those that end a state only if a group or an organisation is left: who left Leeds at nine may still live there."""
LEAVING_HOME = frozenset({"sell up", "pack up", "clear out", "up sticks", "move on"})
"""Verbs after which somebody may live elsewhere, even if nothing says where they lived."""
MOVING_OUT = LEAVING_HOME | {"move out", "move away", "leave"}
LIVING_TOGETHER = frozenset("flatmate housemate roommate flatsharer lodger tenant subtenant neighbour neighbor".split())
"""What somebody is to others as long as they live there."""
BEGINNING = frozenset("start begin join work".split())
VISITING = frozenset("visit tour see explore travel love like miss know meet leave".split())
"""Verbs about a place after which somebody lives where they did."""
EXISTING = frozenset({"be", "happen", "take place", "go ahead", "exist", "go on"})
NEEDING = frozenset("need want seek lack".split())
SEEKING = NEEDING | frozenset("await look wait search hunt shop hope apply try queue".split())
"""Verbs of what somebody has not got yet (VerbNet 35 search, 32.1 want)."""
QUEUES = ("list", "queue")
"""What somebody is on or in who waits for a place."""
PLACES_GIVEN = frozenset("place spot slot seat".split())
"""What they then get."""
REACHING_NUMBERS = frozenset({"hit", "reach"})
"""Verbs whose object is the number that something has come to."""
CHANGING_NUMBERS = frozenset("drop rise fall go get cut climb come bring move".split())
"""Verbs of changing to another number (VerbNet 45.6 calibratable change of state)."""
DONE_WITH = frozenset("over done finished through off gone out in back here ready cured better clear".split())
"""What is said to be, if somebody is no longer at it."""
WELL = frozenset("clear better recovered cured well healed gone over fine remission".split())
"""Words for the end of an illness."""
WEARY = frozenset("sick tired weary bored fed through done finished".split())
"""What somebody is of what they have had enough of."""
GONE = frozenset("away out back off over on".split())
"""Particles of moving on to something else."""
ENDING_EVENTS = frozenset(
    "retirement farewell funeral leaving resignation divorce separation breakup redundancy wake burial death departure goodbye".split()
)
"""Events after which a relation or role may have ended (WordNet, hyponyms of `departure`, `ending`)."""
OF_THEM = frozenset("them one two all some another both none couple few several many more most rest half".split())
"""Words for counted things, or for some of them."""

ILLNESS = ("ill health", "disease", "symptom", "injury")
PASSING = ("illness", "symptom", "injury", "medicine", "dressing", "employee", "worker")
"""What somebody has, or is on or in, for a time."""
HOMES = ("dwelling", "housing", "residence", "lease", "rent")
WORK = ("occupation", "employment", "educational institution", "job")

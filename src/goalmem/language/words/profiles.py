"""Words of what is lasting about a person, by the topic of a profile that it belongs to."""

from __future__ import annotations

import re

from goalmem.language.words.doubts import DECEASED
from goalmem.language.words.verbs import RELOCATING

OF_ONESELF = {
    "about": "name surname nickname birthday age nationality language pronoun pronouns email e-mail blood origin religion",
    "home": "address hometown home house flat apartment",
    "work": "job profession occupation employer career company degree",
    "likes": "hobby passion favorite favourite interest instrument",
    "health": "diet allergy allergies condition medication",
    "plans": "goal aim dream ambition plan resolution",
}
"""Nouns for what is somebody's own and is given a value: `Ann's birthday is on 3 March`."""
TOPIC_OF_OWN = {noun: topic for topic, nouns in OF_ONESELF.items() for noun in nouns.split()}
LIFE_EVENTS = (
    RELOCATING
    | DECEASED
    | frozenset(
        "bear marry divorce separate engage widow adopt retire graduate study qualify emigrate immigrate inherit found"
        " settle buy purchase rescue".split()
    )
    | {"grow up", "split up", "break up", "move in", "settle down", "pass away"}
)
"""Verbs of events by which something is so from then on."""
OF_PARTNERS = frozenset("marry divorce separate engage widow".split()) | {"split up", "break up"}
OF_ORIGIN = frozenset({"bear", "grow up"})
OF_STUDIES = frozenset({"graduate", "study", "qualify"})
GOING_ON = frozenset("live work learn study train teach save expect date raise write build rent".split())
"""Verbs of what somebody is at for months when they are in the progressive: `I'm learning Polish`."""
AIMING = {"learn": ("object", "complement"), "train": ("for", "as"), "study": ("for",), "save": ("for", "object")}
"""Verbs of working towards something, with the roles of that."""
LIVING_IN = frozenset({"live", "reside"})
WORKING = frozenset("work teach study run own manage found freelance volunteer".split())
RAISED = frozenset({"play", "collect", "practise", "practice", "sing", "paint"})
"""Verbs of pastimes."""
TAKEN = frozenset("eat drink smoke avoid take tolerate".split())
"""Verbs of diet and of medicines."""
CONDITIONS = frozenset(
    "allergic intolerant deaf blind disabled autistic dyslexic epileptic coeliac celiac teetotal sober colour-blind lactose"
    " left-handed right-handed".split()
)
"""Adjectives for how somebody is for long, in health and body."""
FAMILY_STATES = frozenset("married divorced single widowed engaged separated".split())
WORK_STATES = frozenset("retired unemployed self-employed freelance".split())
HOMES = ("housing", "dwelling", "apartment", "flat")
KEPT = ("domestic animal", "feline", "vehicle", "musical instrument", *HOMES)
"""Kinds of things that are worth a line of a profile if they are only mentioned: `my car`."""
LASTING_THINGS = (*KEPT, "animal", "instrumentality", "building", "plant", "business", "workplace", "estate")
"""Kinds of what is had for long."""
COMPANIONS = ("relative", "lover", "spouse", "domestic animal", "feline", "godparent", "godchild")
"""Kinds of beings that one has."""
ANCESTORS = ("parent", "grandparent", "ancestor")
"""Whom everybody has."""
KIN = frozenset("kid kiddo child baby toddler boyfriend girlfriend partner fiancé fiancée fiance fiancee".split())
"""The same by noun, where WordNet has them elsewhere, or with other senses."""
MOMENT = re.compile(
    r"\b(?:right now|just now|at the moment|for (?:now|the moment)|today|tonight|tomorrow|yesterday|(?:this|last|next) "
    r"(?:morning|afternoon|evening|night|week(?:end)?|month|time)|back|again|almost|nearly|instead)\b",
    re.IGNORECASE,
)
"""Words that tie a state to the time when it was told."""
ABLE = re.compile(r"\b(?:can|could|might|may)\b", re.IGNORECASE)
CLITIC = re.compile(r"\b(?:i|you|he|she|it|we|they)['’]?(?:m|s|re|ve|d)\b|['’](?:m|s|re|ve)\b", re.IGNORECASE)
"""A contracted form of be or have, also without its apostrophe."""
MODAL = re.compile(
    r"\b(?:can|could|must|should|would|might|may|ought|ha(?:s|d|ve) to|needs? to|got to)\b|['’](?:ll|d)\b",
    re.IGNORECASE,
)
"""Verbs of what is possible, necessary or imagined."""
BUYING = frozenset("buy purchase inherit found".split())
PASSING_ILLNESS = ("symptom", "infection", "communicable disease")
DIETERS = ("eater", "sick person", "abstainer")
"""Kinds of nouns for people by their diet or their health: vegan, diabetic."""
SORTS_OF_PEOPLE = ("relative", "religious person", "inhabitant", "migrant", "orphan")
"""Kinds of nouns for people that tell who somebody is, and not what is thought of them: `a twin`, not `an idiot`."""
KINDS_OF_TOPICS = {
    "people": ("relative", "friend", "domestic animal"),
    "home": (*HOMES, "address", "neighborhood"),
    "work": ("occupation", "employment", "workplace", "colleague"),
    "likes": ("hobby", "gift", "recreation"),
    "health": ("food", "meal", "restaurant", "nutriment", "medicine", "illness", "physician", "recipe", "dish"),
}
"""Kinds of nouns (WordNet 3.0) of an utterance to which a topic matters."""
VERBS_OF_TOPICS = {
    "home": frozenset({"live", "reside", "move", "commute"}),
    "work": frozenset({"work", "employ"}),
    "likes": frozenset({"like", "love", "enjoy", "prefer", "hate", "recommend"}),
    "health": frozenset({"eat", "drink", "cook", "dine"}),
}
"""The same by verb."""

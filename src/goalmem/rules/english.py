"""The closed word classes of English that rule sentences are built with.

Nouns, verbs and adjectives are open classes: any word may be one. Listed here are the closed classes (Huddleston and
Pullum, The Cambridge Grammar of the English Language, chapters 5, 7 and 9).
"""

from __future__ import annotations

import re

from goalmem.language.words import function_words, pronouns

PERSON, THING = "person", "thing"
"""Types of variables for any person and any thing."""

ARTICLES = frozenset({"a", "an"})
EVERY = frozenset({"all", "every", "each", "any"})
NO = "no"
POSSESSIVES = {
    "its": "it",
    "his": "he",
    "her": "she",
    "their": "they",
    "my": "i",
    "our": "we",
    "your": "you",
    "whose": "who",
}
"""A possessive and the pronoun that owns."""
COUNTED = frozenset(
    """another both either enough few fewer half less many more most much neither none other others several some
    such""".split()
)
"""Determiners that say of some, or of how many."""
DETERMINERS = ARTICLES | EVERY | frozenset(POSSESSIVES) | COUNTED | {"the", "this", "that", "these", "those", NO}

PRONOUNS = {
    "it": THING, "he": PERSON, "him": PERSON, "she": PERSON, "her": PERSON, "they": "", "them": "",
    "i": PERSON, "me": PERSON, "we": PERSON, "us": PERSON, "you": PERSON,
}  # fmt: skip
"""Pronoun -> the type it refers to: a person, a thing, or either."""
GENERIC_PRONOUNS = {"someone": PERSON, "somebody": PERSON, "something": THING}
UNIVERSAL_PRONOUNS = {"everyone": PERSON, "everybody": PERSON, "everything": THING}
FREE_PRONOUNS = {"anyone": PERSON, "anybody": PERSON, "anything": THING}
"""They speak of all, and within a condition of some."""
NONE_PRONOUNS = {"nobody": PERSON, "nothing": THING}
WHOEVER = {"whoever": PERSON, "whatever": THING, "whichever": THING}
GENERIC_NOUNS = {
    "people": PERSON, "persons": PERSON, "person": PERSON, "individuals": PERSON, "individual": PERSON,
    "things": THING, "thing": THING, "ones": THING, "one": THING,
}  # fmt: skip
"""Nouns of maximal generality: `big people` means whatever is big."""
RELATIVES = pronouns.RELATIVES - {"where"}

BE = {"is": "is", "are": "is", "am": "is", "was": "was", "were": "was"}
"""Forms of be, and the form for the third person singular."""
DO = {"does": "", "do": "", "did": "did"}
MODALS = function_words.MODALS - {"ought"}
AUXILIARIES = frozenset(BE) | frozenset(DO) | MODALS | {"has", "have", "had"}
"""Words that only a verb phrase begins with."""

PREPOSITIONS = frozenset(
    """about above across after against along amid among around as at before behind below beneath beside between beyond
    by concerning despite down during for from in inside into near of off on onto opposite out outside over
    past per than through throughout till to toward towards under underneath up upon via with within
    without""".split()
)
HEDGES = frozenset(
    """almost frequently generally hardly likely maybe mostly nearly normally occasionally often perhaps possibly
    probably rarely scarcely seldom sometimes supposedly typically usually""".split()
)
"""Adverbs under which a sentence no longer holds of all; no rule without exceptions can hold it."""
ADVERBS = frozenset(
    """again ahead alone already anymore away back daily early else enough ever everywhere far fast forever forward hard
    here high home indoors instead late low monthly nearby now outdoors soon still straight there today together
    tomorrow tonight twice once upstairs downstairs weekly well yearly yesterday yet""".split()
)
"""Adverbs without -ly that may close a verb phrase."""
DEGREES = frozenset("awfully extremely fairly pretty quite rather really so somewhat too very".split())
"""Adverbs that go with the adjective behind them."""
LITTLE = frozenset({"bit", "little"})
"""Degree adverbs with `a`: `a bit red`."""
FILLERS = frozenset({"also", "too", "always", "therefore", "thus", "definitely", "certainly"})
"""Words that do not change the meaning of a rule."""
NOTHING_BUT_IT = "it"
JOINING = frozenset("although because except hence once since so though until whereas whether while".split())
"""Words that join clauses in ways that no rule has."""
FOCUS = frozenset({"only", "just", "even", "merely"})
"""Focus adverbs, which imply something about unmentioned things."""
SUBORDINATORS = JOINING | {"if", "then", "unless", "when", "whenever"}
"""Words that begin another clause."""

_AUXILIARY = re.compile(r"\b(?:is|are|was|were|can|could|will|would|shall|should|may|might|must|does|do|did)\b(?=\s)")


def denied(statement: str) -> str:
    """Insert `not` after the first auxiliary; empty if there is none."""
    found = _AUXILIARY.search(statement)
    return f"{statement[: found.end()]} not{statement[found.end() :]}" if found else ""


CONTRACTIONS = {
    "can't": ("can", "not"), "cannot": ("can", "not"), "won't": ("will", "not"), "shan't": ("shall", "not"),
    "it's": ("it", "is"), "he's": ("he", "is"), "she's": ("she", "is"), "that's": ("that", "is"),
    "who's": ("who", "is"), "there's": ("there", "is"), "they're": ("they", "are"), "we're": ("we", "are"),
    "you're": ("you", "are"), "i'm": ("i", "am"), "they'll": ("they", "will"), "it'll": ("it", "will"),
    "he'll": ("he", "will"), "she'll": ("she", "will"), "someone's": ("someone", "'s"),
}  # fmt: skip

"""Pronouns and possessives (CGEL 6.14 to 6.48)."""

from __future__ import annotations

import re

FIRST_SINGULAR = frozenset("i me my mine myself".split())
FIRST_PLURAL = frozenset("we us our ours ourselves".split())
FIRST_PERSON = FIRST_SINGULAR | FIRST_PLURAL
FIRST_WRITTEN = FIRST_PERSON | {"im"}
"""First person as chats write it."""
FIRST_SUBJECTS = frozenset({"i", "we"})
FIRST_PERSONAL = frozenset({"i", "me", "we", "us"})
"""First person without possessives and reflexives."""
FIRST_COMMON = FIRST_PERSON - {"myself", "ours", "ourselves"}
"""First person that can be replaced by a name: without reflexives and the rare `ours`."""
FIRST_QUOTED = (FIRST_PERSON - {"ours", "ourselves"}) | frozenset("i'm i've i'll i'd we're we've".split())
"""First person in quotations by a model, with contractions as single words."""
SECOND_PERSON = frozenset("you your yours yourself yourselves".split())
SECOND_WRITTEN = SECOND_PERSON | {"ya", "u", "ur"}
"""Second person as chats write it."""
SECOND_QUOTED = SECOND_PERSON | {"you're", "you've"}
"""Second person in quotations by a model, with contractions as single words."""
ABSOLUTE = frozenset({"mine", "ours", "yours", "hers", "theirs"})
"""Possessive pronouns that refer to the possession (CGEL 6.29)."""

THIRD_PERSON = {
    **dict.fromkeys(("he", "him", "his", "himself"), ("male", False)),
    **dict.fromkeys(("she", "her", "hers", "herself"), ("female", False)),
    **dict.fromkeys(("it", "its", "itself"), ("thing", False)),
    **dict.fromkeys(("they", "them", "their", "theirs", "themselves"), ("", True)),
}
"""Third person -> gender of the referent, and whether it is plural."""
THIRD_COMMON = frozenset(word for word in THIRD_PERSON if not word.endswith(("self", "selves")) and word != "theirs")
"""Third person that can be replaced by a name: without reflexives and the rare `theirs`."""
THIRD_SINGULAR = frozenset({"he", "she", "him", "her", "his"})
"""Third person of one being."""
THING_PRONOUNS = frozenset({"it", "this", "that"})
SINGULAR_PRONOUNS = frozenset({"he", "she", "him", "her"})
PLURAL_PRONOUNS = frozenset({"they", "them", "both"})
PERSONAL_PRONOUNS = PLURAL_PRONOUNS | SINGULAR_PRONOUNS
"""Of people or animals; `they` and `them` also of things."""
THIRD_REFLEXIVES = frozenset({"itself", "himself", "herself", "themselves", "themself", "oneself"})
OWNERS = {"his": "he", "her": "she", "their": "they", "its": "it", "your": "you"}
NOMINATIVE = {"them": "they", "her": "she", "him": "he", "me": "I", "us": "we"}

SUBJECTS = frozenset("i he she we they it you".split())
POSSESSIVES = frozenset("my your his her its our their".split())
OWNS = re.compile(r"['’]s\b|s['’](?:\s|$)|\bof\b", re.IGNORECASE)
"""Marks of a possession or a relation."""
PERSONS_AND_OWNERS = frozenset("i he she we they who my his her its our your their".split())
"""Words at the start or end of a statement about somebody."""

DEMONSTRATIVES = frozenset({"this", "that", "these", "those"})
POINTING = DEMONSTRATIVES | {"the"}
DEFINITE = POINTING | POSSESSIVES
"""Determiners of shared knowledge (CGEL 5.27)."""
DETERMINERS = DEFINITE | {"a", "an"}
"""Words that begin a phrase for a thing, and none for a manner: `in a box`, `in cash`."""

INTERROGATIVES = frozenset("who whom whose what which where when why how".split())
"""CGEL 6.36, and the adverbs."""
RELATIVES = frozenset({"who", "whom", "that", "which", "whose", "where"})
"""CGEL 6.32, and `where`."""
CHOICES = frozenset({"which", "what", "how"})
"""Interrogatives that a noun or an adjective completes: `which city`, `how far`."""

_INDEFINITE = [f"{some}{one}" for some in ("some", "any", "every", "no") for one in ("one", "body", "thing", "where")]
NO_NAMES = frozenset(
    "i it he she we you they this that these those what who here there one mine which".split() + _INDEFINITE
)
"""Capitalised at the start of a sentence, these are never names."""
UNNAMED = frozenset(
    [
        *("i", "me", "you", "he", "him", "she", "her", "it", "we", "us", "they", "them", "this", "that", "these"),
        *("those", "one", "ones", "something", "someone", "anything", "everything", "nothing", "nobody", "somebody"),
        *("everyone", "everybody", "anyone", "who", "which", "what", "there", "here", "all", "some", "none"),
    ]
)
"""Words without a referent of their own: never the value of a variable."""
PERSONAL = frozenset(
    "i me myself mine we us you they them he him her she both neither nobody everyone everybody someone somebody".split()
)
"""Pronouns that answer `who`."""
SOMEBODY = ("somebody", "someone", "nobody", "no one", "none of")
"""Subjects of a known kind without a name."""
GENERIC = frozenset("they people everyone everybody someone somebody it some many one".split())
"""Subjects whose reports are hearsay: `they say`."""
UNIVERSAL = frozenset(
    "everybody everyone everything anybody anyone anything nobody nothing none all every any no one".split()
)
"""Words that an exception modifies: `everyone except`."""
NO_ONE = frozenset({"nobody", "nothing", "none", "nowhere", "no one", "neither"})

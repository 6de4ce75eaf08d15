"""Questions in the asker's own person, or with the asker's name: both kinds are read for the same answers."""

from __future__ import annotations

import re
from functools import cache

from goalmem.language.verb_forms import verb_of
from goalmem.language.words.pronouns import FIRST_SINGULAR
from goalmem.records import ASKER

OWNING = frozenset({"my", "mine", "our", "ours"})
SHORTENED = {"m": "is", "re": "is", "ve": "has", "ll": "will", "d": "would"}
"""Contracted verbs after `I'` and `we'`, in the third person."""


@cache
def first_person(pronouns: frozenset[str]) -> re.Pattern[str]:
    """Finds pronouns of the first person, each with the verb that is contracted with it."""
    return re.compile(
        rf"(?<![\w'’.-])(?P<word>{'|'.join(sorted(pronouns))})(?:['’](?P<verb>{'|'.join(SHORTENED)}))?(?![\w'’-]|\.\w)",
        re.IGNORECASE,
    )


def in_third_person(question: str, who: str, pronouns: frozenset[str] = FIRST_SINGULAR) -> str:
    """`Where do I keep my bike?` as `Where do Ann keep Ann's bike?`; verbs are unchanged."""

    def named(found: re.Match[str]) -> str:
        if found["word"].lower() in OWNING:
            return f"{who}'s"
        return f"{who} {SHORTENED[found['verb'].lower()]}" if found["verb"] else who

    return first_person(pronouns).sub(named, question)


def name_asker(question: str, asker: str) -> str:
    """A question of somebody with a name, in the third person.

    A model that reads `Ann: it's in the cellar` then sees whose bike is meant. The unnamed user's question is
    unchanged, because that user's turns are also in the first person.
    """
    return in_third_person(question, asker) if asker and asker != ASKER else question


FIRST_FORMS = {"is": "am", "has": "have", "does": "do", "were": "was"}
"""Auxiliaries behind `I`."""
_ASKER = re.compile(rf"\b{ASKER}(?P<owns>['’]s)?(?! \w*\d)\b")
_OPENS_CLAUSE = re.compile(r"\b(?:after|before|when|while|until|till|that|because|if|where|once)\s+$", re.IGNORECASE)
_BEHIND = re.compile(r"\s+(\w+)")


def in_first_person(statement: str) -> str:
    """`user bought user's bike` as `I bought my bike`: a statement about the unnamed asker in the asker's own words.

    A reader that learnt from people's questions understands those better.
    """
    told, at = [], 0
    for found in _ASKER.finditer(statement):
        told.append(statement[at : found.start()])
        at = found.end()
        verb = _BEHIND.match(statement, at)
        if found["owns"]:
            told.append("my")
        elif verb is not None and (found.start() == 0 or _OPENS_CLAUSE.search(statement, 0, found.start())):
            told.append(f"I {_of_first_person(verb.group(1))}")
            at = verb.end()
        else:
            told.append("me")
    return "".join([*told, statement[at:]])


def _of_first_person(verb: str) -> str:
    """`lives` as `live`, `is` as `am`; forms that do not differ are unchanged."""
    if verb in FIRST_FORMS:
        return FIRST_FORMS[verb]
    base = verb_of(verb)
    return base if verb.endswith("s") and verb.startswith(base[:-1]) and verb not in (base, "was") else verb

"""What a statement only suggests: an aim, something liked, a habit, or an activity of which it is not told that it came to its end.

`I went to the library to borrow an atlas` suggests that an atlas was borrowed, `I was knitting a scarf` that there is one by now: neither
says so (Dowty 1979, chapter 3, on the imperfective paradox; Karttunen 1971 on what complements of verbs imply).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from goalmem.language.lexicon import verb_kinds
from goalmem.language.lexnames import VerbKind
from goalmem.language.verb_forms import inflected, is_perfect
from goalmem.language.words.verbs import ATTITUDES, MOTION, MOTION_AT_LARGE, STATES, TENDING
from goalmem.records import Fact

TELIC = frozenset("arrive cross drown land leave reach sink".split())
"""Verbs of events that have an end by themselves, beside those of change (Vendler 1957)."""
_IN_PROGRESS = re.compile(r"\b(?:am|is|are|was|were|be|been|being|I['’]?m|['’](?:m|re|s))\b", re.IGNORECASE)


def is_suggested(fact: Fact, beside: Iterable[Fact]) -> bool:
    """True if a fact is only what another one of its sentence was done for, likes, or tends to. `beside`: the facts of its turn."""
    return any(
        told is not fact
        and told.start == fact.start
        and told.predicate.split(" ")[0] in ATTITUDES | MOTION | MOTION_AT_LARGE | TENDING
        and any(
            a.head == fact.predicate.split(" ")[0]
            and a.role in ("to", "complement", "object")
            and (told.predicate in ATTITUDES or a.text.startswith("to "))
            for a in told.args
        )
        for told in beside
    )


def is_unfinished(fact: Fact, asked: str, *, past: bool) -> bool:
    """True if an activity is told as in progress, and it is asked whether it came to its end: `was knitting a scarf`, `knitted a scarf`.

    `past`: the question is about the past.
    """
    verb = fact.predicate.split(" ")[0]
    if not fact.polarity or verb in STATES or not _is_in_progress(fact.text, verb) or _is_in_progress(asked, verb):
        return False
    done = (inflected(verb, "VBN") - {verb}) & {*re.findall(r"\w+", asked.casefold())}
    if not past and not done and not is_perfect(asked, verb):
        return False
    with_end = fact.arg("object") is not None or any(a.role == "to" for a in fact.args)
    return with_end or verb in TELIC or VerbKind.CHANGE in verb_kinds(fact.predicate)


def _is_in_progress(text: str, verb: str) -> bool:
    """True if a clause has the verb in its progressive form, active or passive."""
    for found in re.finditer(r"[^\W\d_]+", text):
        word, before = found.group().casefold(), text[max(0, found.start() - 40) : found.start()]
        if word in inflected(verb, "VBG") and _IN_PROGRESS.search(before):
            return True
        if word in inflected(verb, "VBN") and re.search(r"\bbeing (?:\w+ly )?$", before):
            return True
    return False

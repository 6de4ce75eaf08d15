"""Events that the log cannot interpret, and that may have ended what held before.

A verb that no list knows tells nothing of where somebody is, but what was known of it is no longer sure: then it is `likely`
at most, and open where the words name a way out.
"""

from __future__ import annotations

from functools import lru_cache

from goalmem.language import lexicon
from goalmem.language.words.changes import CHANGES, GOING, HAVING, LEAVING, RESIDENT, TAKING
from goalmem.records import Fact

UNSURE = frozenset({35, 38, 40})
"""Lexicographer files of WordNet (lexnames(5WN)) for verbs of contact, motion and possession."""
MOTION = 38
VANISHING = frozenset({"disappear", "vanish", "go missing", "fade away"})
"""Verbs of disappearance (Levin 1993, 48.2), without those of dying."""
WAYS = frozenset(
    "to toward towards into onto off away out past through over across along around round from down up beyond under for"
    " underneath aboard overboard".split()
)
"""Prepositions and particles of paths (Quirk et al. 1985, sections 9.15 to 9.27 and 16.4)."""
PARTICLES = frozenset("off away out over along around about in back apart overboard forth aside".split())
"""Those of them that make a verb of motion of any verb: `whisk off`."""
ABSENCES = frozenset("away gone out off elsewhere missing lost stolen astray abroad".split())
"""What somebody or something is said to be that is no longer where it was."""


@lru_cache(4096)
def may_change(predicate: str) -> bool:
    """Whether a verb may begin or end where somebody or something is, or who has it."""
    head = predicate.split()[0] if predicate else ""
    return (
        predicate in CHANGES
        or predicate in VANISHING
        or not lexicon.is_known(head, "v")
        or bool(UNSURE & {*lexicon.supersenses(predicate, "v"), *lexicon.supersenses(head, "v")})
    )


def doubt_of(fact: Fact, *, thing: bool) -> str:
    """What a fact that tells nothing certain does to what held of its subject, or of its object where that is a `thing`.

    `unsure`: it holds no longer, and what holds instead is open; `doubt`: it may hold no longer; else empty.
    """
    verb, (head, *particles) = fact.predicate, fact.predicate.split() or [""]
    if verb in VANISHING:
        return "unsure"
    if verb in HAVING | RESIDENT | {"be"}:
        return ""
    away = bool(PARTICLES & {*particles}) or any(
        WAYS & {*a.role.split()} and a.type not in ("time", "quantity") for a in fact.args
    )
    away |= any(a.text.casefold() in WAYS | PARTICLES for a in fact.args if a.role in ("manner", "place"))
    if not lexicon.is_known(head, "v"):
        return "unsure" if away else ""
    classes = lexicon.supersenses(verb, "v") or lexicon.supersenses(head, "v")
    if thing:
        concerned = bool(UNSURE & {*(classes if away else classes[:1])}) or verb in TAKING | GOING
    else:
        concerned = verb in GOING | LEAVING or (MOTION in classes if away else classes[:1] == (MOTION,))
    return ("unsure" if away else "doubt") if concerned else ""


def is_absence(fact: Fact) -> bool:
    """Whether it says that somebody or something is gone: `is out`, `went missing`."""
    said = {a.text.casefold() for a in fact.args if a.role in ("attribute", "manner", "place", "complement")}
    return bool(said & ABSENCES)

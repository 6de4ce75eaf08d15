"""Events that the log cannot interpret, and that may have ended a state.

An unknown verb does not say where somebody is, but the previous state becomes uncertain: `likely` at most, and open if the words describe a
departure.
"""

from __future__ import annotations

from functools import lru_cache

from goalmem.language import lexicon
from goalmem.language.lexnames import VerbKind
from goalmem.language.words.changes import CHANGES, GOING, HAVING, LEAVING, RESIDENT, TAKING
from goalmem.records import Fact

UNSURE = VerbKind.named("contact motion possession")
"""Kinds of verbs that may begin or end where something is, or who has it."""
VANISHING = frozenset({"disappear", "vanish", "go missing", "fade away"})
"""Verbs of disappearance (Levin 1993, 48.2), without those of dying."""
WAYS = frozenset(
    "to toward towards into onto off away out past through over across along around round from down up beyond under for"
    " underneath aboard overboard".split()
)
"""Prepositions and particles of paths (Quirk et al. 1985, sections 9.15 to 9.27 and 16.4)."""
PARTICLES = frozenset("off away out over along around about in back apart overboard forth aside".split())
"""Those that turn any verb into a verb of motion: `whisk off`."""
ABSENCES = frozenset("away gone out off elsewhere missing lost stolen astray abroad".split())
"""Predicates of people or things that are no longer where they were."""


@lru_cache(4096)
def may_change(predicate: str) -> bool:
    """True if a verb may begin or end where somebody or something is, or who has it."""
    head = predicate.split()[0] if predicate else ""
    return (
        predicate in CHANGES
        or predicate in VANISHING
        or not lexicon.is_known(head, "v")
        or bool(UNSURE & {*lexicon.supersenses(predicate, "v"), *lexicon.supersenses(head, "v")})
    )


def doubt_of(fact: Fact, *, thing: bool) -> str:
    """The effect of an uncertain fact on the state of its subject, or of its object if that is a `thing`.

    `unsure`: the state has ended, and the new one is open; `doubt`: it may have ended; otherwise empty.
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
    classes = lexicon.verb_kinds(verb)
    if thing:
        concerned = bool(UNSURE & {*(classes if away else classes[:1])}) or verb in TAKING | GOING
    else:
        concerned = verb in GOING | LEAVING or (
            VerbKind.MOTION in classes if away else classes[:1] == (VerbKind.MOTION,)
        )
    return ("unsure" if away else "doubt") if concerned else ""


def is_absence(fact: Fact) -> bool:
    """True if somebody or something is said to be gone: `is out`, `went missing`."""
    said = {a.text.casefold() for a in fact.args if a.role in ("attribute", "manner", "place", "complement")}
    return bool(said & ABSENCES)

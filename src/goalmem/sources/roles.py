"""Roles of parts: which role in a fact can stand for which in a goal, by the prepositions that mark them (condition 4 of unification)."""

from __future__ import annotations

from goalmem.language.words.function_words import PLACING
from goalmem.language.words.verbs import MOVING
from goalmem.logic.unify import IN_ROLE, NEAR_ROLE, OTHER_ROLE, PARTICIPANTS, SWAPPED, FramePart

WORDLESS = frozenset({"owner", "time", "manner", "place", "frequency"})
"""Roles of circumstances that no preposition marks."""
CLAUSAL = frozenset({"because", "when", "after", "before", "if", "while", "since", "until", "although", "though", "so"})
"""Roles of whole clauses, which are no participants."""
NEAR = (
    frozenset({"object", "attribute", "complement", "indirect"}),
    frozenset({"in", "at", "on", "to", "into", "inside"}),
    frozenset({"near", "by", "around", "beside"}),
    frozenset({"to", "for", "indirect"}),
    frozenset({"from", "owner"}),
    frozenset({"of", "owner"}),
    frozenset({"with", "object", "and"}),
    frozenset({"as", "attribute"}),
    frozenset({"about", "of", "on"}),
    frozenset({"because", "for", "to", "complement"}),
)
"""Roles that often replace one another."""
IDENTIFIED = frozenset({"subject", "attribute", "object", "complement"})
"""Roles of the two sides of `be`."""


CHANGED_BY_TO = frozenset({"stop", "quit", "remember", "forget", "regret", "try", "mean", "go on"})
"""Verbs that mean something else with an infinitive than with a gerund: who stopped to smoke did not stop smoking (Quirk et al. 1985,
section 16.40)."""


def role_fit(goal: FramePart, fact: FramePart, predicate: str) -> float:
    """Score of a part of the fact in its role for a part of the goal in its role; 0 if it cannot match."""
    roles = {goal.role, fact.role}
    if roles == {"complement"} and predicate in CHANGED_BY_TO and _is_infinitive(goal) != _is_infinitive(fact):
        return 0.0
    if len(roles) == 1:
        return IN_ROLE
    if predicate == "be" and roles <= IDENTIFIED:
        return SWAPPED
    if "subject" in roles:
        return 0.0
    if "object" in roles and roles & PLACING:
        return 0.0  # Who runs in a park runs no park.
    if any(roles <= group for group in NEAR):
        return NEAR_ROLE if _is_same_place(goal, roles, predicate) else 0.0
    if predicate == "be" or fact.role in CLAUSAL or not roles <= PARTICIPANTS | WORDLESS:
        return 0.0  # with is not without, and who fights for somebody does not fight them
    return OTHER_ROLE


def _is_infinitive(part: FramePart) -> bool:
    return part.text.casefold().startswith(("to ", "not to "))


def _is_same_place(goal: FramePart, roles: set[str], predicate: str) -> bool:
    """False for other relations to a place: what is on a box is not in it, and who is on the way to a town is not there."""
    if goal.variable is not None and predicate != "be":
        return True
    if roles in ({"to", "in"}, {"to", "at"}) and predicate.split(" ")[0] not in MOVING:
        return False  # Who met Ana on a trip to Rome need not have met her there.
    if roles == {"to", "on"}:
        return False
    if "to" in roles and roles & {"in", "at", "on", "inside"} and (predicate == "be" or not goal.entity):
        return False
    return bool(goal.variable is not None or goal.entity or "on" not in roles or not roles & {"in", "into", "inside"})

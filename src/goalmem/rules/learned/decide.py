"""From what the learned models say of a sentence's parts to what the sentence says as a whole.

The parts are decided together where they depend on each other: a rule has at least one property that follows and one
that is asked for, and a second that follows has to be likelier than not by a margin.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from goalmem.rules.learned.features import of_kind, of_polarity, of_property, of_role
from goalmem.rules.learned.scene import Candidate, Name, Scene
from goalmem.rules.learned.weights import Weights

__all__ = ["Property", "Statement", "UndecidedError", "decide"]

MARGIN = 1.0
"""Log-odds that a second head of a rule needs: nearly every rule that people write has one."""
APART = ("and", ",", "&", "or")


class UndecidedError(Exception):
    """Why nothing can be made of a sentence; the message completes "because …"."""


@dataclass(frozen=True, slots=True)
class Property:
    """A property that a sentence mentions."""

    word: str
    denied: bool = False


@dataclass(frozen=True, slots=True)
class Statement:
    """What one sentence says: of someone (`subjects`), or as a rule (`heads` if `body`)."""

    subjects: tuple[str, ...] = ()
    """Empty for a rule, and for a sentence about whom an earlier one names."""
    facts: tuple[Property, ...] = ()
    heads: tuple[Property, ...] = ()
    body: tuple[Property, ...] = ()
    score: float = 1.0
    """The probability of the least certain of the decisions."""

    @property
    def words(self) -> frozenset[str]:
        """Every property it mentions."""
        return frozenset(p.word for p in (*self.facts, *self.heads, *self.body))


def decide(scene: Scene, weights: Weights) -> Statement:
    """What the sentence says. Raises UndecidedError with the reason when it names no property, nobody or no condition."""
    odds = [weights.property.log_odds(of_property(scene, c)) for c in scene.candidates]
    mentions = [c for c, odd in zip(scene.candidates, odds, strict=True) if odd > 0]
    if not mentions:
        raise UndecidedError("no word in it is known to be a property of someone")
    denied = {c.word: weights.polarity.log_odds(of_polarity(scene, c)) for c in mentions}
    rule = weights.kind.log_odds(of_kind(scene))
    sure = [*odds, *denied.values(), rule]
    if not scene.names and not scene.follows:
        rule = math.inf
    elif len(denied) == 1:  # a rule has two
        rule = -math.inf
    if rule <= 0:
        sure += _choice(scene, [m for m in mentions if denied[m.word] <= 0])
        facts = tuple(Property(word, odd > 0) for word, odd in denied.items())
        return Statement(subjects(scene, mentions), facts, score=_score(sure))
    roles = _roles(scene, mentions, weights)
    if len(roles) == 1:
        raise UndecidedError(f"it has one property, {mentions[0].word!r}, and no condition for it")
    heads = _heads(roles)
    sure += _choice(scene, [m for m in mentions if m.word in heads and denied[m.word] <= 0])
    read = {word: Property(word, odd > 0) for word, odd in denied.items()}
    return Statement(
        heads=tuple(p for word, p in read.items() if word in heads),
        body=tuple(p for word, p in read.items() if word not in heads),
        score=_score([*sure, *roles.values()]),
    )


def subjects(scene: Scene, mentions: Sequence[Candidate]) -> tuple[str, ...]:
    """Whom the properties are said of: the names before the first one, the nearest of them and those listed with it."""
    if len(scene.names) < 2:
        return tuple(n.text for n in scene.names)
    before = [n for n in scene.names if n.last < mentions[0].token.i] or [scene.names[0]]
    found: list[Name] = [before[-1]]
    for name in reversed(before[:-1]):
        between = scene.doc[name.last + 1 : found[0].first]
        if not all(t.lower_ in APART for t in between):
            break
        found.insert(0, name)
    return tuple(dict.fromkeys(n.text for n in found))


def _roles(scene: Scene, mentions: Sequence[Candidate], weights: Weights) -> dict[str, float]:
    """Log-odds of being the head for each property; of several mentions of one, the most certain counts."""
    found: dict[str, float] = {}
    for n, mention in enumerate(mentions):
        odd = weights.role.log_odds(of_role(scene, mentions, n))
        if abs(odd) >= abs(found.get(mention.word, 0.0)):
            found[mention.word] = odd
    return found


def _choice(scene: Scene, said: Sequence[Candidate]) -> list[float]:
    """Even odds where it is left open which of the properties holds: then each may as well not."""
    chosen = (one.word != other.word and _joined_by_or(scene, one, other) for one, other in pairwise(said))
    return [0.0] if any(chosen) else []


def _joined_by_or(scene: Scene, one: Candidate, other: Candidate) -> bool:
    return any(t.lower_ == "or" for t in scene.doc[one.token.i : other.token.i])


def _heads(roles: Mapping[str, float]) -> frozenset[str]:
    """The likeliest heads, one at least, with one property at least left as a condition."""
    ranked = sorted(roles, key=lambda word: -roles[word])
    more = [word for word in ranked[1:-1] if roles[word] > MARGIN]
    return frozenset([ranked[0], *more])


def _score(odds: Sequence[float]) -> float:
    return min(1 / (1 + math.exp(-min(abs(odd), 700.0))) for odd in odds)

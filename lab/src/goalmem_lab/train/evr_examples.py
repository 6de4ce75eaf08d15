"""Examples for the networks of EVR: what each of them learns, in which mix, from theories made or given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import cycle
from random import Random

from goalmem.rules.theory import Theory
from goalmem_lab.train.chance import chance
from goalmem_lab.train.evr_patterns import FACT_PATTERN, RULE_PATTERN, Example, Sentences, patterns
from goalmem_lab.train.evr_theories import statements, theories

__all__ = ["Part", "Source", "Variant", "part_of", "parts"]

OTHER_PATTERNS = tuple(n for n in range(1, 13) if n not in (FACT_PATTERN, RULE_PATTERN))
STATEMENTS = 8
"""Statements that are judged over one theory."""
GIVEN = 0.5
"""Share of theories that were given, where some were."""
DECIDED = 0.5
"""Share of the examples of a pattern with a buffer in which the buffer decides something."""
SMALLER = 0.5
"""Share of the theories whose buffers are smaller than they are at work."""
MOST_BUFFERS, LARGEST = 12, (6, 4)
"""Where only the number of buffers is read: how many there may be, and the largest of them in sentences, facts and rules."""
UNDECIDED = frozenset({"true", "false", "true, NAF.", "false, CWA."})


class Variant(StrEnum):
    """The three of the paper (EVR, section 3.4)."""

    EVR1 = "evr1"
    """Three networks; buffers of 5 facts and of 3 rules."""
    EVR2 = "evr2"
    """One network for all patterns; buffers as EVR1."""
    EVR3 = "evr3"
    """Three networks; buffers of 20 facts and of 10 rules."""

    @property
    def buffers(self) -> tuple[int, int]:
        """Facts and rules a buffer."""
        return (20, 10) if self is Variant.EVR3 else (5, 3)


class Part(StrEnum):
    """A network, by what it is for."""

    OTHER = "other"
    FACT = "fact"
    RULE = "rule"
    ALL = "all"


def parts(variant: Variant) -> tuple[Part, ...]:
    """The networks of a variant, in the order in which they are trained."""
    return (Part.ALL,) if variant is Variant.EVR2 else (Part.OTHER, Part.FACT, Part.RULE)


def part_of(variant: Variant, pattern: int) -> Part:
    """The network that a pattern belongs to."""
    if variant is Variant.EVR2:
        return Part.ALL
    return {FACT_PATTERN: Part.FACT, RULE_PATTERN: Part.RULE}.get(pattern, Part.OTHER)


OTHERS = dict.fromkeys(OTHER_PATTERNS, 0.04) | {2: 0.12, 4: 0.22, 8: 0.22, 12: 0.2}
"""Operators are soon learned; to list subgoals takes longer."""
MIX: dict[Part, dict[int, float]] = {
    Part.FACT: {FACT_PATTERN: 1.0},
    Part.RULE: {RULE_PATTERN: 1.0},
    Part.OTHER: OTHERS,
    Part.ALL: {FACT_PATTERN: 0.25, RULE_PATTERN: 0.45} | {pattern: 0.3 * share for pattern, share in OTHERS.items()},
}
"""Share of each pattern in what a network learns: those that read a buffer are the hard ones."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where examples come from."""

    depth: int
    facts_each: int
    rules_each: int
    given: Sequence[Theory] = ()
    """Theories beside those that are made."""

    def examples(self, part: Part, count: int, seed: int) -> list[Example]:
        """So many examples for a network; the same for the same seed."""
        random_ = chance(seed)
        wanted = _quotas(MIX[part], count)
        found: list[Example] = []
        for theory in self._theories(random_, seed):
            for statement in statements(theory, random_, STATEMENTS):
                for example in patterns(theory, self._sentences(theory, part, random_), statement):
                    key = (example.pattern, example.target not in UNDECIDED)
                    if wanted.get(key, 0) > 0:
                        wanted[key] -= 1
                        found.append(example)
            if not any(wanted.values()):
                break
        random_.shuffle(found)
        return found

    def _theories(self, random_: Random, seed: int) -> Iterator[Theory]:
        given = cycle(random_.sample(list(self.given), len(self.given)))
        for made in theories(seed, self.depth):
            yield next(given) if self.given and random_.random() < GIVEN else made

    def _sentences(self, theory: Theory, part: Part, random_: Random) -> Sentences:
        """Of buffers that are read some are smaller, for these are learned first; of others there are many or few."""
        if part is not Part.OTHER:
            smaller = random_.random() < SMALLER
            facts, rules = (random_.randint(1, n) if smaller else n for n in (self.facts_each, self.rules_each))
            return Sentences.of(theory, facts, rules)
        facts, rules = (random_.randint(1 + len(theory.clauses) // MOST_BUFFERS, most) for most in LARGEST)
        return Sentences.of(theory, facts, rules)


def _quotas(mix: dict[int, float], count: int) -> dict[tuple[int, bool], int]:
    """How many examples of each pattern in which something is decided, and in which nothing is."""
    quotas = {}
    for pattern, share in mix.items():
        both = pattern in (FACT_PATTERN, RULE_PATTERN)
        quotas[pattern, True] = max(1, round(count * share * (DECIDED if both else 1)))
        quotas[pattern, False] = max(1, round(count * share * (1 - DECIDED))) if both else 0
    return quotas

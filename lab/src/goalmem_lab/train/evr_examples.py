"""Examples for the networks of EVR: what each of them learns, in which mix, from theories made or given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import cycle, islice
from random import Random
from zlib import crc32

from goalmem.rules.evr.buffers import FACT_PATTERN, RULE_PATTERN, NetworkRole, Sentences
from goalmem.rules.terms import Literal
from goalmem.rules.theory import Theory
from goalmem_lab.train.chance import chance
from goalmem_lab.train.evr_patterns import Example, patterns
from goalmem_lab.train.evr_theories import opened, statements, theories

OTHER_PATTERNS = tuple(n for n in range(1, 13) if n not in (FACT_PATTERN, RULE_PATTERN))
STATEMENTS = 8
"""Statements that are judged over one theory."""
OPENED = 1 / 6
"""Share of them that speak of `something` in place of their subject."""
GIVEN = 0.5
"""Share of theories that were given, where some were."""
DECIDED = 0.5
"""Share of the examples of a pattern with a buffer in which the buffer decides something."""
SMALLER = 0.5
"""Share of the theories whose buffers are smaller than they are at work."""
MOST_BUFFERS, LARGEST = 12, (6, 4)
"""Where only the number of buffers is read: how many there may be, and the largest of them in sentences, facts and rules."""
LIMITED_SEED = 977
"""Of the theories that limited questions are about."""
UNDECIDED = frozenset({"true", "false", "true, NAF.", "false, CWA."})


OTHERS = dict.fromkeys(OTHER_PATTERNS, 0.04) | {2: 0.12, 4: 0.22, 8: 0.22, 12: 0.2}
"""Operators are soon learned; to list subgoals takes longer."""
MIX: dict[NetworkRole, dict[int, float]] = {
    NetworkRole.FACT: {FACT_PATTERN: 1.0},
    NetworkRole.RULE: {RULE_PATTERN: 1.0},
    NetworkRole.OTHER: OTHERS,
    NetworkRole.ALL: {FACT_PATTERN: 0.25, RULE_PATTERN: 0.45}
    | {pattern: 0.3 * share for pattern, share in OTHERS.items()},
}
"""Share of each pattern in what a network learns: those that read a buffer are the hard ones."""


@dataclass(frozen=True)
class Source:
    """Where examples come from."""

    depth: int
    facts_each: int
    rules_each: int
    given: Sequence[Theory] = ()
    """Theories beside those that are made."""
    questions: int | None = None
    """Different statements that are judged at most; by default new ones without end (EVR, tables 7 and 8)."""
    one_by_one: bool = False
    """Whether the rules of a buffer are read each by itself."""

    def examples(self, part: NetworkRole, count: int, seed: int) -> list[Example]:
        """So many examples for a network; the same for the same seed."""
        random_ = chance(seed)
        wanted = _quotas(MIX[part], count)
        found: list[Example] = []
        idle = 0
        for theory in self._theories(random_, seed):
            before = len(found)
            for statement in self._statements(theory, random_):
                for example in self._patterns(theory, part, statement, random_):
                    key = (example.pattern, example.target not in UNDECIDED)
                    if wanted.get(key, 0) > 0:
                        wanted[key] -= 1
                        found.append(example)
            idle = 0 if len(found) > before else idle + 1
            if not any(wanted.values()) or (self.questions is not None and idle > len(self._limited)):
                break
        random_.shuffle(found)
        return found

    def _statements(self, theory: Theory, random_: Random) -> Iterator[Literal]:
        """What is judged over a theory: where questions are limited, always the same."""
        own = random_ if self.questions is None else chance(crc32(theory.clauses[0].text.encode()))
        for statement in statements(theory, own, STATEMENTS):
            yield opened(statement, own) if own.random() < OPENED else statement

    def _theories(self, random_: Random, seed: int) -> Iterator[Theory]:
        given = cycle(random_.sample(list(self.given), len(self.given)))
        for made in self._made(random_, seed):
            yield next(given) if self.given and random_.random() < GIVEN else made

    def _made(self, random_: Random, seed: int) -> Iterator[Theory]:
        """Theories without end: new ones, or those of the limited questions again and again, each time in another order."""
        if self.questions is None:
            yield from theories(seed, self.depth)
        while True:
            yield from random_.sample(self._limited, len(self._limited))

    @cached_property
    def _limited(self) -> list[Theory]:
        count = max(1, (self.questions or 0) // STATEMENTS)
        return list(islice(theories(LIMITED_SEED, self.depth), count))

    def _patterns(self, theory: Theory, part: NetworkRole, statement: Literal, random_: Random) -> Iterator[Example]:
        """The patterns of judging a statement; those that read rules with one rule each, where that is how they are read."""
        single = self.one_by_one and part in (NetworkRole.RULE, NetworkRole.ALL)
        if not single or part is NetworkRole.ALL:
            found = patterns(theory, self._sentences(theory, part, random_), statement)
            yield from (example for example in found if not (single and example.pattern == RULE_PATTERN))
        if single:
            found = patterns(theory, Sentences.of(theory, self.facts_each, 1), statement)
            yield from (example for example in found if example.pattern == RULE_PATTERN)

    def _sentences(self, theory: Theory, part: NetworkRole, random_: Random) -> Sentences:
        """Of buffers that are read some are smaller, for these are learned first; of others there are many or few."""
        if part is not NetworkRole.OTHER:
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

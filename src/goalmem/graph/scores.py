"""What a walk is worth: ArG's scores, equations 4 to 6 (Appendix E).

Equation 4, a token's probability among the values of its kind, is what a critic's `Reflection` holds. Equation 6 turns three of
the distributions into numbers, equation 5 puts them together at depth d:

    S(d) = S_seq(d) + k1 * S_rel(d) * S_rat(d) + k2 * S_uti

S_seq is the probability of what was generated up to d, normalised by its length: the geometric mean over its tokens. A leaf's
score is traced back along its path: the mean of S(d) over its hops, so that walks of different length compare, and S_uti once,
at its end.

Equation 6 prints S_uti as the plain sum of the five utilities' probabilities, which is always 1 and could rank nothing. We take
the expected utility instead, from 0 (all on 1) to 1 (all on 5), as Self-RAG, which these tokens come from, weighs them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from goalmem.graph.critic import Reflection

__all__ = ["PUBLISHED", "Hopped", "Scoring", "graded", "sequence_score", "utility_score"]

GRADES = (1.0, 0.5, 0.0)
"""Equation 6: what fully, partially and not at all count."""
UTILITIES = (1.0, 0.75, 0.5, 0.25, 0.0)
"""What [Utility:5] down to [Utility:1] count."""


@dataclass(frozen=True, slots=True)
class Hopped:
    """What was reflected on at one hop."""

    relation: Reflection
    """Relevance of the hop."""
    entities: float
    """Mean relevance score of the entities that it led to, in [0, 1]."""
    rationality: Reflection
    """Of the walk up to here."""


@dataclass(frozen=True, slots=True)
class Scoring:
    """Weights of equation 5, and which of its scores count; without one of the two factors its place is taken by 1."""

    k1: float = 1.0
    k2: float = 0.5
    sequence: bool = True
    relevance: bool = True
    rationality: bool = True
    utility: bool = True

    def node(self, path: Sequence[Hopped], utility: Reflection | None = None) -> float:
        """The score of the node at the end of a path, traced back over its hops; with `utility`, of a leaf. 0 at the root."""
        if not path:
            return 0.0
        hops = [self._hop(path[: place + 1]) for place in range(len(path))]
        return math.fsum(hops) / len(hops) + (self.k2 * utility_score(utility) if utility and self.utility else 0.0)

    def _hop(self, path: Sequence[Hopped]) -> float:
        last = path[-1]
        judged = graded(last.relation) * last.entities if self.relevance else 1.0
        judged *= graded(last.rationality) if self.rationality else 1.0
        reflects = self.relevance or self.rationality
        said = sequence_score([hop.relation for hop in path]) if self.sequence else 0.0
        return said + (self.k1 * judged if reflects else 0.0)


PUBLISHED = Scoring()
"""k1 = 1 and k2 = 0.5, as in the paper's experiments."""


def graded(reflection: Reflection) -> float:
    """S_rel or S_rat of one distribution over three values (equation 6), in [0, 1]."""
    return math.fsum(weight * p for weight, p in zip(GRADES, reflection.probabilities, strict=True))


def utility_score(reflection: Reflection) -> float:
    """S_uti, the expected utility, in [0, 1]."""
    return math.fsum(weight * p for weight, p in zip(UTILITIES, reflection.probabilities, strict=True))


def sequence_score(generated: Sequence[Reflection]) -> float:
    """S_seq: the probability of all that was generated, to the power of one over its length; in [0, 1]."""
    length = sum(reflection.length for reflection in generated)
    return math.exp(math.fsum(reflection.log_probability for reflection in generated) / max(length, 1))

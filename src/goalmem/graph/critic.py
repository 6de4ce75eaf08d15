"""Critics: the four kinds of reflection tokens on a walk over a graph, and the protocol.

Tokens after ArG (Learning to Retrieve and Reason on Knowledge Graph through Active Self-Reflection), Table 1 and
Appendix A. A critic gives each kind of token a distribution over its values: the softmax over their log-probabilities
(equation 4) where a language model predicts them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from goalmem.graph.protocol import Hop


class Retrieval(Enum):
    """Whether more knowledge is needed next, and which."""

    RELATION = "[Retrieve Relation]"
    ENTITY = "[Retrieve Entity]"
    NO = "[No Retrieval]"


class Relevance(Enum):
    """Relevance of a relation or an entity to the query."""

    FULLY = "[Fully Relevant]"
    PARTIALLY = "[Partially Relevant]"
    UN = "[Unrelevant]"


class Rationality(Enum):
    """Whether the walk so far is a reasonable path to an answer."""

    FULLY = "[Fully Reasonable]"
    PARTIALLY = "[Partially Reasonable]"
    UN = "[Unreasonable]"


class Utility(Enum):
    """Utility of an answer, from 5 (fully useful) to 1 (useless)."""

    FIVE = "[Utility:5]"
    FOUR = "[Utility:4]"
    THREE = "[Utility:3]"
    TWO = "[Utility:2]"
    ONE = "[Utility:1]"


@dataclass(frozen=True, slots=True)
class Query:
    """A question and the entity that the walk starts from."""

    question: str
    topic: str
    """The topic entity's label."""
    span: tuple[int, int] | None = None
    """Characters that name the topic in the question; None if it is not named."""

    @property
    def masked(self) -> str:
        """The question without the words that name its topic."""
        if self.span is None:
            return self.question
        start, end = self.span
        return f"{self.question[:start]}{TOPIC}{self.question[end:]}"


TOPIC = "[topic]"
"""Stands for the words that name the topic in a masked question."""


@dataclass(frozen=True, slots=True)
class Walk:
    """A walk from the topic entity: the hops taken, and some of the entities that each led to (labels, at most K)."""

    hops: tuple[Hop, ...] = ()
    entities: tuple[tuple[str, ...], ...] = ()
    """One entry per hop; a pending walk has none for its last hop."""
    onward: tuple[Hop, ...] = field(default=(), compare=False)
    """Hops that leave the current end, if known: the candidates for the next hop."""
    passed: tuple[tuple[Hop, ...], ...] = field(default=(), compare=False)
    """Hops that left each earlier place, the topic first, if known."""

    @property
    def bare(self) -> Walk:
        """The walk without the entities that it led to."""
        return Walk(self.hops, ((),) * len(self.hops), self.onward)

    @property
    def pending(self) -> bool:
        """True if the tails of its last hop are not retrieved yet."""
        return len(self.entities) < len(self.hops)

    def towards(self, hop: Hop) -> Walk:
        """The walk with one more hop, of which no entity is known yet."""
        return Walk((*self.hops, hop), self.entities, passed=(*self.passed, self.onward))

    def then(self, hop: Hop, entities: tuple[str, ...] = ()) -> Walk:
        """The walk with one more hop."""
        return Walk((*self.hops, hop), (*self.entities, entities), passed=(*self.passed, self.onward))


@dataclass(frozen=True, slots=True)
class Reflection:
    """A distribution over the values of one kind of token, in the order in which its class lists them."""

    probabilities: tuple[float, ...]
    """They sum to 1."""
    log_probability: float = 0.0
    """Log-probability of the generated candidate text: its part of S_seq (equation 5)."""
    length: int = 1
    """Tokens of that text; S_seq is normalised by it."""

    @property
    def best(self) -> int:
        """The place of the likeliest value; the earlier of equals."""
        return max(range(len(self.probabilities)), key=lambda i: (self.probabilities[i], -i))


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A relation that a critic expects next, as the graph would write it; it joins the query in relation retrieval."""

    text: str
    weight: float
    """Probability, in [0, 1]."""


class Critic(Protocol):
    """Reflects on walks. Batched: every method takes several walks or candidates of one query and keeps their order."""

    @property
    def name(self) -> str:
        """Says which critic this is, with its weights: two of the same name judge alike."""

    def retrieval(self, query: Query, walks: Sequence[Walk]) -> list[Reflection]:
        """Distribution over `Retrieval` for each walk: what it needs next. For a pending walk: its entities, or
        another relation.
        """

    def hypotheses(self, query: Query, walk: Walk, k: int) -> list[Hypothesis]:
        """At most `k` relations expected next, likeliest first: the hypo-generator (section 4.2)."""

    def relations(self, query: Query, walk: Walk, candidates: Sequence[Hop]) -> list[Reflection]:
        """Over `Relevance`: each candidate as the walk's next hop."""

    def entities(self, query: Query, walk: Walk, candidates: Sequence[str]) -> list[Reflection]:
        """Over `Relevance`: each entity (by label) that the walk's last hop led to."""

    def rationality(self, query: Query, walks: Sequence[Walk]) -> list[Reflection]:
        """Over `Rationality`: each walk so far."""

    def utility(self, query: Query, walks: Sequence[Walk]) -> list[Reflection]:
        """Distribution over `Utility` for each walk: the quality of its end as the answer."""

"""What reflects on a walk over a graph: the four kinds of reflection token, and the protocol of critics.

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

__all__ = ["Critic", "Hypothesis", "Query", "Rationality", "Reflection", "Relevance", "Retrieval", "Utility", "Walk"]


class Retrieval(Enum):
    """Whether knowledge is needed next, and which."""

    RELATION = "[Retrieve Relation]"
    ENTITY = "[Retrieve Entity]"
    NO = "[No Retrieval]"


class Relevance(Enum):
    """How much a relation or an entity has to do with the query."""

    FULLY = "[Fully Relevant]"
    PARTIALLY = "[Partially Relevant]"
    UN = "[Unrelevant]"


class Rationality(Enum):
    """Whether the walk so far hangs together on the way to an answer."""

    FULLY = "[Fully Reasonable]"
    PARTIALLY = "[Partially Reasonable]"
    UN = "[Unreasonable]"


class Utility(Enum):
    """How useful an answer is to the query, from 5 (fully) to 1 (not at all)."""

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
    """Where the question names the topic; None where it does not."""

    @property
    def masked(self) -> str:
        """The question without the words that name its topic: what it asks, of anything."""
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
    """One entry a hop; of a pending walk none for its last."""
    onward: tuple[Hop, ...] = field(default=(), compare=False)
    """What leads on from where it is, where that is known: what a critic chooses its next hop from."""
    passed: tuple[tuple[Hop, ...], ...] = field(default=(), compare=False)
    """What led on from each place before, the topic first, where that is known."""

    @property
    def bare(self) -> Walk:
        """The walk without what it led to."""
        return Walk(self.hops, ((),) * len(self.hops), self.onward)

    @property
    def pending(self) -> bool:
        """Whether the tails of its last hop are not retrieved yet."""
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
    """Of the candidate's own text as generated: its part of S_seq (equation 5)."""
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
        ...

    def retrieval(self, query: Query, walks: Sequence[Walk]) -> list[Reflection]:
        """Over `Retrieval`: what each walk needs next. Of a pending one: its entities, or another relation."""
        ...

    def hypotheses(self, query: Query, walk: Walk, k: int) -> list[Hypothesis]:
        """At most `k` relations expected next, likeliest first: the hypo-generator (section 4.2)."""
        ...

    def relations(self, query: Query, walk: Walk, candidates: Sequence[Hop]) -> list[Reflection]:
        """Over `Relevance`: each candidate as the walk's next hop."""
        ...

    def entities(self, query: Query, walk: Walk, candidates: Sequence[str]) -> list[Reflection]:
        """Over `Relevance`: each entity (by label) that the walk's last hop led to."""
        ...

    def rationality(self, query: Query, walks: Sequence[Walk]) -> list[Reflection]:
        """Over `Rationality`: each walk so far."""
        ...

    def utility(self, query: Query, walks: Sequence[Walk]) -> list[Reflection]:
        """Over `Utility`: what each walk ends at, as the answer."""
        ...

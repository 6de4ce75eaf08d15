"""What calls answer, as the OpenAPI document describes it: what is found, proved and derived."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import ConfigDict, Field

from goalmem.proof.document import Status
from goalmem.serve.responses import NEXT, Result, Turn

__all__ = [
    "Answer",
    "Context",
    "Entities",
    "Estimate",
    "Event",
    "Facts",
    "Graph",
    "History",
    "Hits",
    "Verification",
    "WhyNot",
]

Json = dict[str, Any]


class Hit(Result):
    """A turn found, and why."""

    turn: Turn
    score: float
    signals: dict[str, float]


class Hits(Result):
    """Turns found, best first."""

    items: list[Hit]


class Missing(Result):
    """What could not be proved, and what came nearest."""

    atom: str
    stage: str
    reason: str
    nearest: list[Json]


class Answer(Result):
    """An answer with its proof, or "I don't know" with what is missing."""

    question: str
    text: str
    status: Status
    values: list[str]
    confidence: Annotated[float, Field(ge=0, le=1)]
    citations: Annotated[list[str], Field(description="Ids of the turns that the proof rests on.")]
    missing: list[Missing]
    seconds: float
    full: str
    usage: Json | None
    proof: Annotated[Json, Field(description="As `Proof.to_json` writes it; POST /v1/verify checks it.")]


class Estimate(Result):
    """What a question may cost with a chat model."""

    calls: int
    tokens: int
    most_calls: int
    most_tokens: int
    money: float | None
    most_money: float | None


class Event(Result):
    """The data of one server-sent event; its name is the kind of the event."""

    text: str
    data: Json
    seconds: float


class Note(Result):
    """One quotation of a context."""

    model_config = ConfigDict(defer_build=True, extra="allow")

    turn: str


class Context(Result):
    """What memory has to say to an utterance."""

    utterance: str
    text: Annotated[str, Field(description="The block for a prompt.")]
    tokens: int
    facts: dict[str, list[Note]]
    missing: list[Missing]
    sources: list[str]


class CheckMade(Result):
    """One check of a proof."""

    path: Annotated[str, Field(description="Where in the proof's document.")]
    name: str
    ok: bool
    detail: str


class Verification(Result):
    """All checks made on a proof."""

    ok: bool
    checks: list[CheckMade]


class WhyNot(Result):
    """What a question lacked."""

    question: str
    stage: str
    missing: list[Missing]
    answer: Answer


class Interval(Result):
    """A time, `[start, end)`, as clocks show it: ISO 8601 without a zone."""

    start: Annotated[str, Field(examples=["2024-05-03T00:00:00"])]
    end: Annotated[str, Field(examples=["2024-05-04T00:00:00"])]
    grain: str


class Argument(Result):
    """Who or what takes part in a fact."""

    model_config = ConfigDict(defer_build=True, extra="allow")

    role: str
    text: str
    start: int
    end: int


class Fact(Result):
    """One atomic statement derived from a turn."""

    id: str
    turn: str
    text: str
    start: int
    end: int
    statement: str
    kind: str
    predicate: str
    args: list[Argument]
    polarity: bool
    modality: str
    speaker: str
    said: datetime
    when: Interval | None
    when_text: str
    slot: str
    subject: str
    object: str


class Facts(Result):
    """Facts, page by page."""

    items: list[Fact]
    next: Annotated[str | None, NEXT]


class Entry(Result):
    """A statement, and the later one that replaced it, if any."""

    fact: Fact
    superseded_by: str | None


class History(Result):
    """What was said about something over time, oldest first."""

    items: list[Entry]
    next: Annotated[str | None, NEXT]


class Entity(Result):
    """Who or what is spoken of."""

    entity: str
    type: str
    mentions: int


class Entities(Result):
    """Entities, page by page."""

    items: list[Entity]
    next: Annotated[str | None, NEXT]


class GraphNode(Result):
    """An entity."""

    id: str
    label: str
    kind: str
    mentions: int


class GraphEdge(Result):
    """What a fact states between two entities."""

    subject: str
    relation: str
    object: str
    turn: str
    fact: str


class Graph(Result):
    """A part of what is remembered, as a graph."""

    nodes: list[GraphNode]
    edges: list[GraphEdge]

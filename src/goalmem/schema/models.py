"""What is answered: one model for each thing, whose fields HTTP, the client and `--json` of the command line share.

Field names are those of the library's records. `goalmem.schema.rows` writes records as these fields, and reads them back.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from goalmem.proof.document import Status

Json = dict[str, Any]
T = TypeVar("T")


class Result(BaseModel):
    """Something answered."""

    model_config = ConfigDict(defer_build=True, extra="forbid")


class Items(Result, Generic[T]):
    """All of something."""

    items: list[T]


class Page(Items[T], Generic[T]):
    """Something, page by page."""

    next: Annotated[str | None, Field(description="Cursor of the next page; null on the last.")]


class Turn(Result):
    """One message, verbatim."""

    id: str
    session: str
    position: int
    speaker: str
    role: str
    text: str
    at: datetime
    caption: str
    external_id: str
    dated: bool
    metadata: Annotated[dict[str, Any], Field(description="What the caller notes about it.")] = {}
    expires_at: datetime | None = None


class TurnVersion(Result):
    """What a turn was until it was changed."""

    text: str
    metadata: dict[str, Any]
    expires_at: datetime | None
    until: Annotated[datetime | None, Field(description="When it was changed; null for what it is now.")]


class TurnVersions(Items[TurnVersion]):
    """What a turn was, oldest first; the last is what it is now."""


class Turns(Page[Turn]):
    """Turns, page by page."""


class Receipt(Result):
    """What was stored; it is on the disk."""

    session: str
    turns: list[str]
    new: int
    repaired: list[str]
    unanalysed: list[str]


class Session(Result):
    """A conversation."""

    session: str
    at: datetime
    turns: int


class Sessions(Page[Session]):
    """Conversations, oldest first."""


class Spaces(Page[str]):
    """Names of spaces."""


class Quota(Result):
    """What a space may hold; 0 for any number."""

    turns: int
    bytes: int


class Stats(Result):
    """Counts of a space."""

    sessions: int
    turns: int
    facts: int
    entities: int
    first: datetime | None
    last: datetime | None
    bytes: Annotated[int | None, Field(description="Of the whole store; null for a key that is not for all spaces.")]
    facts_by_modality: dict[str, int]
    rules: int
    triples: int = 0
    text_bytes: Annotated[
        int,
        Field(
            description="Of text, captions and metadata of turns and of their earlier versions: what a quota counts."
        ),
    ] = 0
    quota: Quota


class Rule(Result):
    """A sentence that states rules or facts, and what it was read as."""

    id: str
    text: str
    logic: list[str]
    world: Literal["closed", "open"]
    reader: str


class Rules(Page[Rule]):
    """Rules, in the order first added."""


class UnreadSentence(Result):
    """A sentence that was left out."""

    text: str
    start: int
    end: int
    reason: str


class RuleReport(Result):
    """What became of a rule text."""

    ids: list[str]
    new: int
    unread: list[UnreadSentence]
    contradictions: list[str]
    world: Literal["closed", "open"]


class Removed(Result):
    """Ids of what was removed."""

    removed: list[str]


class GraphReport(Result):
    """What became of triples."""

    triples: Annotated[int, Field(description="That were new to the graph.")]
    entries: Annotated[int, Field(description="Triples, names and kinds that were read.")]
    known: Annotated[bool, Field(description="Whether all of it had been imported before.")]


class GraphRemoved(Result):
    """How many triples went."""

    triples: int


class Forgotten(Result):
    """What went, or would go."""

    preview: bool
    turns: int
    facts: int
    sessions: int
    rules: int
    triples: Annotated[int, Field(description="Of the imported graph: it goes with everything.")]
    items: Annotated[list[Turn], Field(description="Of a preview: the first turns that would go.")]


class Hit(Result):
    """A turn found, and why."""

    turn: Turn
    score: float
    signals: dict[str, float]
    matches: Annotated[
        list[tuple[int, int]],
        Field(description="With `marked`: where its words are those of the query, in characters."),
    ] = []


class Hits(Items[Hit]):
    """Turns found, best first."""


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


class Facts(Page[Fact]):
    """Facts, page by page."""


class Entry(Result):
    """A statement, and the later one that replaced it, if any."""

    fact: Fact
    superseded_by: str | None


class History(Page[Entry]):
    """What was said about something over time, oldest first."""


class ProfileStatement(Result):
    """A sentence of a profile, with the turn that was judged to say it."""

    text: str
    topic: str
    fact: str
    turn: str
    said: datetime
    when: Interval | None
    certainty: Annotated[float, Field(ge=0.0, le=1.0)]


class Profile(Result):
    """What is known of somebody: statements by topic, of each the newest first."""

    who: str
    at: datetime
    statements: list[ProfileStatement]
    total: int


class Entity(Result):
    """Who or what is spoken of."""

    entity: str
    type: str
    mentions: int


class Entities(Page[Entity]):
    """Entities, page by page."""


class GraphNode(Result):
    """An entity."""

    id: str
    label: str
    kind: str
    mentions: int


class Statements(Items[ProfileStatement]):
    """Sentences that turns were judged to say."""


class GraphEdge(Result):
    """What a fact states between two entities."""

    subject: str
    relation: str
    object: str
    turn: str
    fact: str
    text: Annotated[str, Field(description="With `stated`: the sentence that its turn was judged to say.")] = ""


class Graph(Result):
    """A part of what is remembered, as a graph."""

    nodes: list[GraphNode]
    edges: list[GraphEdge]

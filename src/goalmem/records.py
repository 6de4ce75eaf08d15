"""The records of a memory: turns, and what is derived from them.

Turns are the truth. Everything else names the turns it came from and can be rebuilt.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from goalmem.logic.interval import Interval

ASKER = "user"
"""The person that `I` refers to if the asker has no name: the speaker of messages with a role and no name."""
DOCUMENT = "document"
"""The role of a piece of a file. Without an author, "I" in it refers to nobody."""
SOURCE, PAGE, HEADING, PART, UNANALYSED = "source", "page", "heading", "part", "unanalysed"
"""Metadata keys of a piece: the file, the page from 1, the headings above it, and the kind of part: `table`, `code`,
`quote` or `signature`.
"""


def aware(moment: datetime) -> datetime:
    """The moment; without a time zone, taken as UTC."""
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation, kept verbatim."""

    id: str
    """Stable: a hash of space, session and message key."""
    space: str
    session: str
    position: int
    """Order within the session, from 0, without gaps at the time of writing."""
    speaker: str
    """The speaker's name ("Maya") or, for an unnamed speaker, the role ("user")."""
    role: str
    """`user`, `assistant`, `system`, `tool`, or `document` for a piece of a file."""
    text: str
    at: datetime
    """Time of saying. Always aware; times without a zone count as UTC."""
    caption: str = ""
    """Description of a picture shared with the message."""
    external_id: str = ""
    """The caller's own id of the message, if any."""
    dated: bool = True
    """False if the time of saying is unknown: `at` is then the time of asking, and dates are not derived from it."""
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """The caller's metadata: scalars and lists of scalars. Tags are under `tags`."""
    expires_at: datetime | None = None
    """From when on it is forgotten; None for never."""

    @property
    def content(self) -> str:
        """The text, with the caption of a shared picture behind it. All offsets into a turn refer to this."""
        return f"{self.text}\n[shares a picture: {self.caption}]" if self.caption else self.text

    @property
    def author(self) -> str:
        """The person that "I" refers to; empty in a document without an author."""
        return "" if self.role == self.speaker == DOCUMENT else self.speaker

    @property
    def source(self) -> str:
        """Location in a file: `handbook.pdf, page 3, Leave`; empty for other turns."""
        if self.role != DOCUMENT:
            return ""
        page = self.metadata.get(PAGE)
        parts = (self.metadata.get(SOURCE), f"page {page}" if page else "", self.metadata.get(HEADING))
        return ", ".join(str(part) for part in parts if part)

    @property
    def is_unanalysed(self) -> bool:
        """True for a piece of a file that is over the budget of analysis: it is found by its words and its heading, and no facts are read."""
        return self.role == DOCUMENT and self.metadata.get(UNANALYSED) is True


def attribution(speaker: str, source: str) -> str:
    """The speaker for display: a name, a place in a document, or both."""
    if not source:
        return speaker
    return source if speaker == DOCUMENT else f"{speaker}, {source}"


@dataclass(frozen=True, slots=True)
class TurnVersion:
    """The text and metadata of a turn until it was changed."""

    text: str
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)
    expires_at: datetime | None = None
    content_hash: str = ""
    """Hash of the message at that time (`NewTurn.content_hash`), which identifies it if it is added again."""
    until: datetime | None = None
    """Time of the change; None for the current version."""


@dataclass(frozen=True, slots=True)
class StatedRule:
    """A sentence that states rules or facts, kept as it was written."""

    id: str
    """A hash of the sentence: the same words have the same id everywhere."""
    text: str
    clauses: str
    """Its reading as JSON."""
    world: str
    """`closed` or `open`: underivable statements are false or unknown."""
    reader: str
    """The reader: `grammar`, `learned`, `chat`, or another reader's name."""


class Modality(StrEnum):
    """The modality of a clause. Only `ASSERTED` proves a statement; `PLANNED` proves only the plan, `FORMER` only the
    past (`used to`), `CONDITIONAL` only what is asked under the same condition.
    """

    ASSERTED = "asserted"
    PLANNED = "planned"
    QUESTION = "question"
    HYPOTHETICAL = "hypothetical"
    CONDITIONAL = "conditional"
    """Asserted under a condition that the clause names: `I take the tram if the bus is late`."""
    WISH = "wish"
    COMMAND = "command"
    QUOTED = "quoted"
    REPORTED = "reported"
    """Hearsay that the speaker does not vouch for (`they say that`, `apparently`)."""
    JOKE = "joke"
    FORMER = "former"


@dataclass(frozen=True, slots=True)
class Argument:
    """One participant or circumstance of a fact: a span of the turn in a role."""

    role: str
    """`subject`, `object`, `indirect`, `attribute`, `complement`, `time`, `owner`, or a preposition (`in`, `to`, …)."""
    text: str
    """The span as said, e.g. `my sister` (empty when the argument is implied)."""
    start: int
    end: int
    """Character offsets of `text` in the turn's `content`; -1, -1 when implied."""
    head: str
    """Lower-case lemma of the syntactic head, e.g. `sister`."""
    entity: str = ""
    """Who or what it is after resolving speaker, pronoun, alias and owner, as a readable name: `Ines`,
    `Maya's sister`, `Maya`. Empty when it is no entity."""
    type: str = ""
    """Coarse type: `person`, `animal`, `place`, `organization`, `event`, `work`, `time`, `quantity`, `thing`, or empty."""
    resolved: str = ""
    """How `entity` was found: `name`, `speaker`, `addressee`, `pronoun`, `presumed` (a pronoun that may
    mean another, too), `alias`, `owner`, or empty."""
    modifiers: tuple[str, ...] = ()
    """Lower-case lemmas of the content words inside the span other than the head."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One atomic statement derived from a turn."""

    id: str
    """Stable: a hash of the turn id and the place in it."""
    space: str
    turn: str
    """Id of the turn it was said in."""
    text: str
    """The clause as said: `content[start:end]` of the turn."""
    start: int
    end: int
    statement: str
    """The clause in the third person with what is resolved filled in: `Maya adopted Biscuit`."""
    kind: str
    """`clause`, `identity` (X is Y, appositions), `possession` (my sister), or `preference`."""
    predicate: str
    """Lower-case lemma of the verb with its particle (`pick up`), or of the relation (`be`, `have`, `like`)."""
    args: tuple[Argument, ...]
    polarity: bool
    modality: Modality
    speaker: str
    said: datetime
    when: Interval | None = None
    """When it happens or happened, resolved against the turn's date; None when the clause does not say."""
    when_text: str = ""
    """The expression `when` was read from."""
    slot: str = ""
    """Names what can have only one value at a time for the subject (`residence`, `favorite color`, `like sushi`):
    of two facts with the same subject entity and slot the later said one holds. Empty when many can hold at once."""

    def arg(self, role: str) -> Argument | None:
        """The first argument in `role`."""
        return next((a for a in self.args if a.role == role), None)

    @property
    def subject(self) -> str:
        """The subject's entity, or its text."""
        a = self.arg("subject")
        return (a.entity or a.text) if a else ""

    @property
    def object(self) -> str:
        """The object's (or attribute's, or complement's) entity, or its text."""
        a = self.arg("object") or self.arg("attribute") or self.arg("complement")
        return (a.entity or a.text) if a else ""


@dataclass(frozen=True, slots=True)
class Mention:
    """A place in a turn where an entity is named."""

    space: str
    turn: str
    start: int
    end: int
    text: str
    entity: str
    """Readable canonical name within the space."""
    type: str = ""


@dataclass(frozen=True, slots=True)
class Edge:
    """Subject, relation, object between two entities, for the graph; derived from a fact."""

    space: str
    subject: str
    relation: str
    object: str
    fact: str
    turn: str


@dataclass(frozen=True, slots=True)
class Extraction:
    """Everything extracted from one turn."""

    turn: str
    facts: tuple[Fact, ...] = ()
    mentions: tuple[Mention, ...] = ()
    edges: tuple[Edge, ...] = ()
    aliases: tuple[tuple[str, str], ...] = ()
    """(alias, canonical name) pairs stated in this turn: `Maya's sister` is `Ines`."""
    whole: bool = True
    """False where some words of the turn are over the budget of analysis, and were not read."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One turn found by `search`, with the reasons."""

    turn: Turn
    score: float
    """Fused score; only its order within one result means something."""
    signals: dict[str, float] = field(default_factory=dict)
    """Score of each signal by name."""


@dataclass(frozen=True, slots=True)
class ProfileStatement:
    """A sentence of a profile with its evidence."""

    text: str
    """In the third person: `Nadia works at a bakery.`"""
    topic: str
    """`about` (who they are), `people`, `home`, `work`, `likes`, `health`, `belongings`, `plans` or `other`."""
    fact: str
    """Id of the fact that it is."""
    turn: str
    """Id of the turn that was judged to say it."""
    said: datetime
    when: Interval | None
    """When it happens or happened, where it says so."""
    certainty: float
    """Probability, in [0, 1], that the turn says it, as judged."""


@dataclass(frozen=True, slots=True)
class Profile:
    """A profile: statements by topic, newest first."""

    who: str
    at: datetime
    statements: tuple[ProfileStatement, ...]
    total: int
    """Number of statements, including omitted ones."""

    @property
    def topics(self) -> dict[str, tuple[ProfileStatement, ...]]:
        """The statements by topic."""
        found: dict[str, list[ProfileStatement]] = {}
        for statement in self.statements:
            found.setdefault(statement.topic, []).append(statement)
        return {topic: tuple(held) for topic, held in found.items()}


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One statement about something, and the later one that replaced it, if any."""

    fact: Fact
    superseded_by: str | None = field(default=None)
    """Id of the fact that holds instead."""

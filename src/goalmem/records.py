"""The rows of a memory: turns, and what is derived from them.

Turns are the truth. Everything else names the turns it came from and can be rebuilt.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from goalmem.logic.interval import Interval

DOCUMENT = "document"
"""The role of a piece of a file. Without an author, who then is its speaker, nobody says "I" in it."""
SOURCE, PAGE, HEADING, PART = "source", "page", "heading", "part"
"""Keys of a piece's metadata: the file, the page from 1, the headings above it, and of what it is a part: `table`, `code`, `quote` or
`signature`."""


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
    """Who says it, as a name ("Maya") or, for an unnamed speaker, the role ("user")."""
    role: str
    """`user`, `assistant`, `system`, `tool`, or `document` for a piece of a file."""
    text: str
    at: datetime
    """When it was said. Always aware; what came without a zone is taken as UTC."""
    caption: str = ""
    """What a picture shared with the message shows."""
    external_id: str = ""
    """The caller's own id of the message, if any."""
    dated: bool = True
    """False where nobody told when it was said: `at` is then the time of asking, and no date is taken from it."""
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """What the caller notes about it: scalars and lists of scalars. Tags are under `tags`."""
    expires_at: datetime | None = None
    """From when on it is forgotten; None for never."""

    @property
    def content(self) -> str:
        """The text, with the caption of a shared picture behind it. All offsets into a turn refer to this."""
        return f"{self.text}\n[shares a picture: {self.caption}]" if self.caption else self.text

    @property
    def author(self) -> str:
        """Whom "I" in it means; empty in a document that names no author."""
        return "" if self.role == self.speaker == DOCUMENT else self.speaker

    @property
    def source(self) -> str:
        """Where in a file a piece of it stands: `handbook.pdf, page 3, Leave`; empty for any other turn."""
        if self.role != DOCUMENT:
            return ""
        page = self.metadata.get(PAGE)
        parts = (self.metadata.get(SOURCE), f"page {page}" if page else "", self.metadata.get(HEADING))
        return ", ".join(str(part) for part in parts if part)


def attribution(speaker: str, source: str) -> str:
    """Who says something, for people: a name, where a document says it, or both."""
    if not source:
        return speaker
    return source if speaker == DOCUMENT else f"{speaker}, {source}"


@dataclass(frozen=True, slots=True)
class TurnVersion:
    """What a turn said, and what was noted about it, until it was changed."""

    text: str
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)
    expires_at: datetime | None = None
    content_hash: str = ""
    """Of the message as it was then (`NewTurn.content_hash`): added again, it is known."""
    until: datetime | None = None
    """When it was changed; None for what the turn is now."""


@dataclass(frozen=True, slots=True)
class StatedRule:
    """A sentence that states rules or facts, kept as it was written."""

    id: str
    """A hash of the sentence: the same words have the same id everywhere."""
    text: str
    clauses: str
    """What it was read as, as JSON."""
    world: str
    """`closed` or `open`: whether what cannot be derived is false or unknown."""
    reader: str
    """What read it: `grammar`, `learned`, `chat`, or another reader's name."""


class Modality(StrEnum):
    """How a clause is meant. Only `ASSERTED` proves what is so; `PLANNED` proves only that it is planned, `FORMER` only that
    it once was so (`used to`).
    """

    ASSERTED = "asserted"
    PLANNED = "planned"
    QUESTION = "question"
    HYPOTHETICAL = "hypothetical"
    WISH = "wish"
    COMMAND = "command"
    QUOTED = "quoted"
    REPORTED = "reported"
    """What the speaker has from others, or by hearsay (`they say that`, `apparently`), and does not vouch for."""
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
    """How `entity` was found: `name`, `speaker`, `addressee`, `pronoun`, `alias`, `owner`, or empty."""
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
    """All that was read out of one turn."""

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
    """One turn found by `search`, and why."""

    turn: Turn
    score: float
    """Fused score; only its order within one result means something."""
    signals: dict[str, float] = field(default_factory=dict)
    """What each signal gave this turn, by the signal's name."""


@dataclass(frozen=True, slots=True)
class ProfileStatement:
    """A sentence of a profile, with what it rests on."""

    text: str
    """In the third person: `Nadia works at a bakery.`"""
    topic: str
    """`plans`, `people`, `home`, `work`, `likes`, `health`, `belongings` or `other`."""
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
    """What is known of somebody: statements by topic, of each the newest first."""

    who: str
    at: datetime
    statements: tuple[ProfileStatement, ...]
    total: int
    """How many statements there are, those that were left out included."""

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

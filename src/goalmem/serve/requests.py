"""What calls send: one model a body, with an example. Values are taken as they are, never coerced; unknown fields are refused."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from goalmem.io.chat_messages import LONGEST_NAME

LONGEST_TEXT = 100_000
"""Characters of a question or a query."""
MOST_HITS = 1_000
"""Turns that one search may return."""
MOST_NAMES = 1_000
"""Sessions, speakers or roles that one search may be narrowed to."""
MOST_TOKENS = 100_000
"""Of one context."""

When = Annotated[
    str | float,
    Field(description="ISO 8601 (without a zone: UTC) or Unix seconds.", examples=["2024-05-08T18:00:00"]),
]
Text = Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)]
Names = Annotated[list[str], Field(max_length=MOST_NAMES)]
Reasoner = Annotated[
    Literal["local", "chat"] | None, Field(description="Who proposes goals; default: `chat` where a chat model is set.")
]

Previous = Annotated[
    list[Text] | None,
    Field(
        min_length=1,
        max_length=2,
        description="The question before, and its answer where it had one: what a follow-up leaves out is taken from it.",
        examples=[["Where does Maya live?", "Porto"]],
    ),
]
Asker = Annotated[
    str | None,
    Field(
        min_length=1,
        max_length=LONGEST_NAME,
        description="Who asks: whom I, me and my mean; default: the only person who speaks in the space.",
        examples=["Maya"],
    ),
]


Where = Annotated[
    dict[str, Any] | None,
    Field(
        description="Only turns whose metadata meet all of these: a value, a list of which one is met, or bounds; `$or`, `$and`, `$not`.",
        examples=[{"project": "x", "priority": {"$gte": 2}}],
    ),
]


class Body(BaseModel):
    """A request body."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Message(BaseModel):
    """One OpenAI chat message with optional `name`, `id`, `at` and `caption`; other keys that chat clients send (`tool_calls`, `refusal`) are
    taken and hold nothing to remember, unknown ones are refused.
    """

    model_config = ConfigDict(extra="allow", strict=True)

    role: Annotated[str, Field(examples=["user"])] = "user"
    content: Annotated[Any, Field(description="Text, or a list of content parts.")] = None
    name: Annotated[str | None, Field(description="Who says it.")] = None
    id: Annotated[str | int | None, Field(description="Your own id: the same id is the same message.")] = None
    at: When | None = None
    caption: Annotated[str | None, Field(description="What a picture shared with it shows.")] = None
    metadata: Annotated[dict[str, Any] | None, Field(description="Scalars and lists of scalars, to filter by.")] = None
    tags: Annotated[list[str] | None, Field(description="Kept in the metadata, under `tags`.")] = None
    ttl: Annotated[float | None, Field(gt=0, description="Seconds after which it is forgotten.")] = None
    expires_at: Annotated[When | None, Field(description="When it is forgotten.")] = None


class Messages(Body):
    """Messages of one session to remember."""

    messages: Annotated[
        list[Message] | Message | str,
        Field(examples=[[{"role": "user", "name": "Maya", "content": "I adopted a beagle last Friday."}]]),
    ]
    session: Annotated[str, Field(min_length=1, max_length=512, examples=["monday"])] = "default"
    at: Annotated[When | None, Field(description="When it was said, for messages without a time; default: now.")] = None


class TurnUpdate(Body):
    """What to change of a turn; what is left out stays."""

    text: Annotated[str | None, Field(min_length=1, examples=["I adopted a parrot last Friday."])] = None
    metadata: Annotated[dict[str, Any] | None, Field(description="In place of all but the tags.")] = None
    tags: Annotated[list[str] | None, Field(description="In place of the tags.")] = None
    ttl: Annotated[float | None, Field(gt=0, description="Seconds from now after which it is forgotten.")] = None
    expires_at: Annotated[When | None, Field(description='When it is forgotten; "never" lets it stay.')] = None


class Search(Body):
    """What to search for, and in what."""

    query: Annotated[Text, Field(examples=["What did Maya adopt?"])]
    k: Annotated[int, Field(ge=1, le=MOST_HITS, description="Turns at most.")] = 10
    at: When | None = None
    sessions: Names | None = None
    speakers: Annotated[Names | None, Field(description="Only turns of one of these speakers.")] = None
    roles: Names | None = None
    kinds: Annotated[Names | None, Field(description="Only turns with a fact of one of these kinds.")] = None
    after: When | None = None
    before: When | None = None
    without: Annotated[Names, Field(description="Signals to leave out.")] = []
    speaker: Asker = None
    where: Where = None
    marked: Annotated[bool, Field(description="Say where the words of each turn are those of the query.")] = False


class Recall(Body):
    """A question whose evidence is looked for, subgoal by subgoal."""

    query: Annotated[Text, Field(examples=["Where does the person live who adopted a beagle?"])]
    k: Annotated[int, Field(ge=1, le=MOST_HITS, description="Turns at most.")] = 20
    at: When | None = None
    goals: Annotated[bool, Field(description="Take the question apart first.")] = True
    reasoner: Reasoner = None
    speaker: Asker = None
    where: Where = None


class Ask(Body):
    """A question to reason about."""

    question: Annotated[Text, Field(examples=["What did Maya adopt?"])]
    at: Annotated[When | None, Field(description="When it is asked; default: the time of the newest turn.")] = None
    goals: Annotated[bool, Field(description="Take the question apart.")] = True
    reasoner: Reasoner = None
    assume: Annotated[bool, Field(description="Let a chat model offer rules of common sense.")] = True
    speaker: Asker = None
    where: Where = None
    previous: Previous = None
    dry_run: Annotated[bool, Field(description="Ask nothing; say what it may cost.")] = False


class Question(Body):
    """A question whose answer is missing."""

    question: Annotated[Text, Field(examples=["Where does Maya work?"])]
    at: When | None = None
    speaker: Asker = None
    where: Where = None


class Describe(Body):
    """An utterance to say something about from memory."""

    utterance: Annotated[Text, Field(examples=["Plan a birthday for Maya."])]
    max_tokens: Annotated[int, Field(ge=1, le=MOST_TOKENS)] = 800
    at: When | None = None
    speaker: Asker = None
    where: Where = None
    previous: Previous = None


class Verify(Body):
    """A proof to check again."""

    proof: Annotated[dict[str, Any], Field(description="As an answer's `proof`, unchanged.")]


class RuleText(Body):
    """Rules and facts in plain language."""

    text: Annotated[str, Field(min_length=1, examples=["Big people are rough. Bob is big."])]
    world: Annotated[Literal["closed", "open"], Field(description="What is not known is false, or unknown.")] = "closed"
    reader: Literal["grammar", "learned", "chat"] = "grammar"
    partial: Annotated[bool, Field(description="Leave out sentences that cannot be read, and list them.")] = False


class Forget(Body):
    """What to forget: a turn, a session, turns that meet conditions (of a session), or everything of the space."""

    turn: Annotated[str | None, Field(min_length=1, max_length=512)] = None
    session: Annotated[str | None, Field(min_length=1, max_length=512, examples=["monday"])] = None
    where: Where = None
    everything: bool = False
    preview: Annotated[bool, Field(description="Say what would go; forget nothing.")] = False


class KeyWish(Body):
    """A key to make."""

    name: Annotated[str, Field(min_length=1, max_length=LONGEST_NAME, examples=["phone"])]
    scope: Annotated[
        Literal["read", "write", "admin"], Field(description="A later one may do all that an earlier one may.")
    ]
    spaces: Annotated[
        Names | None, Field(min_length=1, description="Default: every space that the caller's key is for.")
    ] = None
    expires: Annotated[When | None, Field(description="Default: as the caller's key.")] = None

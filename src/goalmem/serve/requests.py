"""What calls send: one model a body, with an example. Values are taken as they are, never coerced; unknown fields are refused.

Bodies are read in bounded memory, and parsed off the event loop where they are long.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Annotated, Any, Literal, NoReturn, TypeVar

from fastapi import Request
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.requests import ClientDisconnect

from goalmem.errors import InputError
from goalmem.io.chat_messages import LONGEST_NAME
from goalmem.serve.refusals import BadRequestError, MediaTypeError, TooLargeError, TooLongError
from goalmem.serve.workers import Lane

__all__ = [
    "Ask",
    "Body",
    "Describe",
    "Forget",
    "KeyWish",
    "Messages",
    "Question",
    "Recall",
    "RuleText",
    "Search",
    "TurnUpdate",
    "Verify",
    "When",
    "json_body",
    "read_body",
    "take_place",
]

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
    """One OpenAI chat message with optional `name`, `id`, `at` and `caption`; other fields are ignored."""

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


INLINE = 32_768
"""Bytes up to which a body is parsed where it arrives: under a millisecond; longer ones are parsed in a thread."""

B = TypeVar("B", bound=Body)


def json_body(model: type[B]) -> Callable[[Request], Coroutine[Any, Any, B]]:
    """A dependency that reads the request's body as this model."""

    async def body(request: Request) -> B:
        settings = request.app.state.service.settings
        require_json(request)
        content = await read_body(request, settings.serve_body_bytes, settings.serve_seconds)
        if len(content) <= INLINE:
            return parsed(content, model)
        return await asyncio.to_thread(parsed, content, model)

    return body


def require_json(request: Request) -> None:
    """Raises MediaTypeError unless JSON is declared: a form of another web page can send no such request."""
    declared = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if declared != "application/json" and not (declared.startswith("application/") and declared.endswith("+json")):
        raise MediaTypeError


async def read_body(request: Request, most: int, seconds: float) -> bytes:
    """The whole body. Raises TooLargeError before more than `most` bytes are held, TooLongError when it comes too slowly."""
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > most:
        raise TooLargeError(most, "GOALMEM_SERVE_BODY_BYTES")
    content = bytearray()
    placed = False
    try:
        async with asyncio.timeout(seconds):
            async for chunk in request.stream():
                content += chunk
                if len(content) > most:
                    raise TooLargeError(most, "GOALMEM_SERVE_BODY_BYTES")
                if len(content) > INLINE and not placed:
                    placed = True
                    await take_place(request, request.app.state.service.large)
    except TimeoutError:
        raise TooLongError(seconds) from None
    except ClientDisconnect:
        raise BadRequestError("The body ended before it was whole.", "Send all of it.") from None
    return bytes(content)


async def take_place(request: Request, lane: Lane) -> None:
    """Wait for one of few places; it is held until the request is answered."""
    state = request.scope["state"]
    caller = state.get("key", "")
    await lane.enter(caller)
    state.setdefault("places", []).append(partial(lane.leave, 0.0, caller))


def parsed(content: bytes, model: type[B]) -> B:
    """The body as this model. Raises InputError that names the field."""
    try:
        value = json.loads(content, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise BadRequestError(f"The body is no JSON: {why}.", "Send one JSON object, UTF-8.") from None
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise _explained(error) from None


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _explained(error: ValidationError) -> InputError:
    """The first thing wrong, without repeating its value: it may be what someone said."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    place = ".".join(str(p) for p in first["loc"]) or "the body"
    more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
    return InputError(f"The body cannot be used: {place}: {first['msg']}{more}.", "See /openapi.json for the body.")


def json_of(text: str, name: str) -> Any:
    """What a parameter that is JSON says. Raises InputError."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"`{name}` is no JSON ({error}).", 'Send an object: {"project": "x"}.') from None

"""The tools that a model is given: what each is called, says of itself, takes, and calls of a memory.

The MCP server (docs/mcp.md), the adapters of frameworks (docs/frameworks.md) and the plain `Tools` and `AsyncTools` are made of
this list. What was said by others comes back quoted, each quotation on one line, so that it is read as data (docs/agents.md).
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Concatenate, ParamSpec, TypeAlias, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field, create_model

from goalmem.errors import InputError, shown
from goalmem.integrations.frameworks.tool_text import (
    answer_text,
    forgotten_text,
    hits_text,
    page_text,
    profile_text,
    receipt_text,
    rules_text,
    updated_text,
    verification_text,
    why_not_text,
)
from goalmem.io.chat_messages import LONGEST_NAME
from goalmem.memory import MAX_TOKENS
from goalmem.store.metadata import MOST_KEYS, TAGS

if TYPE_CHECKING:
    from goalmem import AsyncClient, AsyncMemory, Client, Memory

LONGEST_TEXT = 100_000
"""Maximum characters of a message or a question, as in the MCP server."""
MOST_TOKENS = 8_000
"""Maximum tokens of one `recall`, as in the MCP server."""
MOST_HITS = 50
"""Maximum results of one `search`: about 6,000 tokens of quotations."""
HITS = 5
"""Default number of results of `search`."""
LISTED = 20
"""Default number of turns of `list`."""
READING = ("recall", "ask", "search", "profile", "list", "why_not")
"""The read-only tools."""
OFFERED = (*READING, "remember")
"""The tools that a model gets by default."""
EVERY = (*OFFERED, "add_rule", "update", "forget")
"""All tools. Those behind the default are given by name: they change more than the model was told."""

T = TypeVar("T")
P = ParamSpec("P")

Said = Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT, description="What was said, word for word.")]
Speaker = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME, description="Name of who said it.")]
Asker = Annotated[
    Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)] | None,
    Field(description='Name of whom "I" and "my" mean. Leave out where only one person speaks.'),
]
SaidAt = Annotated[str | None, Field(description="When, like 2024-05-01T14:03. Leave out for now.")]
Tags = Annotated[
    Annotated[list[str], Field(max_length=MOST_KEYS)] | None,
    Field(description='Tags to find it by, like ["work"]. Leave out for none.'),
]
Tagged = Annotated[
    Annotated[list[str], Field(max_length=MOST_KEYS)] | None,
    Field(description="Only what was remembered with one of these tags. Leave out for everything."),
]
Where = Annotated[
    dict[str, Any] | None,
    Field(description='Only what has this metadata, like {"project": "x"}. Leave out for all.'),
]
Noted = Annotated[
    dict[str, Any] | None,
    Field(description='What to note about it, to find it by, like {"project": "x"}.'),
]
Ttl = Annotated[Annotated[float, Field(gt=0)] | None, Field(description="Seconds until it is forgotten.")]
ExpiresAt = Annotated[str | None, Field(description="Or when it is forgotten, like 2024-05-01T14:03.")]
About = Annotated[
    str,
    Field(min_length=1, max_length=LONGEST_TEXT, description="A question, a request or a topic, in plain words."),
]
Tokens = Annotated[int, Field(ge=1, le=MOST_TOKENS, description="Length of what comes back.")]
Question = Annotated[
    str,
    Field(min_length=1, max_length=LONGEST_TEXT, description="One question, with names instead of he or she."),
]
Previous = Annotated[
    Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)] | None,
    Field(description="The question before, where this one goes on from it (and her brother?)."),
]
Query = Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT, description="What the messages should be about.")]
Unanswered = Annotated[
    str, Field(min_length=1, max_length=LONGEST_TEXT, description="The question that had no answer.")
]
Address = Annotated[str, Field(max_length=200, description="The proof address that ask gave: proof://…")]
RuleText = Annotated[
    str,
    Field(
        min_length=1,
        max_length=LONGEST_TEXT,
        description='A general rule in plain English: "Everyone who has a dog needs a leash."',
    ),
]
TurnId = Annotated[str, Field(max_length=200, description="Id of the turn, as recall and ask show it.")]
Who = Annotated[
    Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)] | None,
    Field(description="A name, as it was said. Leave out for the user."),
]
SessionName = Annotated[
    Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)] | None,
    Field(description="Only of this conversation. Leave out for all."),
]
Cursor = Annotated[
    Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)] | None,
    Field(description="The cursor that the page before gave. Leave out for the first page."),
]
Count = Annotated[int, Field(ge=1, le=MOST_HITS, description="How many messages at most.")]


MemoryLike: TypeAlias = "Memory | Client"
"""A memory, here or on a server."""
AnyMemory: TypeAlias = "Memory | Client | AsyncMemory | AsyncClient"
"""Or one that is awaited."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call: a method of a memory with its arguments, and the formatting of its result."""

    method: str
    arguments: tuple[Any, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    text: Callable[[Any], str] = str
    keeps: bool = False
    """True if it names a session."""

    def of(self, memory: Any, space: str | None, session: str | None = None) -> partial[Any]:
        """Make the call of a memory. `session`: of what is remembered; None: one per day, so that the same words are
        new then.
        """
        where = place_arguments(space) | ({"session": session or today()} if self.keeps else {})
        return partial(getattr(memory, self.method), *self.arguments, **self.options, **where)


def remember(
    text: Said,
    speaker: Speaker = "user",
    said_at: SaidAt = None,
    tags: Tags = None,
    metadata: Noted = None,
    ttl: Ttl = None,
    expires_at: ExpiresAt = None,
) -> ToolCall:
    """Remember something that was said. Use it for every message worth knowing later."""
    message = message_of(text, speaker, at=said_at, tags=tags, metadata=metadata, ttl=ttl, expires_at=expires_at)
    return ToolCall("add", (message,), text=receipt_text, keeps=True)


def recall(
    about: About,
    max_tokens: Tokens = MAX_TOKENS,
    speaker: Asker = None,
    tags: Tagged = None,
    where: Where = None,
) -> ToolCall:
    """What is remembered about something, quoted with dates. Use it before you reply."""
    return ToolCall("context", (about,), {"max_tokens": max_tokens} | place_arguments(None, speaker, tags, where))


def ask(
    question: Question,
    speaker: Asker = None,
    tags: Tagged = None,
    previous: Previous = None,
    where: Where = None,
) -> ToolCall:
    """Answer a question from memory, with a proof. Says what is only likely, and "I don't know" without a proof."""
    before = {"previous": previous} if previous else {}
    return ToolCall("ask", (question,), place_arguments(None, speaker, tags, where) | before, answer_text)


def search(query: Query, k: Count = HITS, speaker: Asker = None, tags: Tagged = None, where: Where = None) -> ToolCall:
    """Find remembered messages, best first. Use it to see what was said, word for word."""
    return ToolCall("search", (query,), {"k": k} | place_arguments(None, speaker, tags, where), hits_text)


def list_(
    session: SessionName = None,
    limit: Count = LISTED,
    cursor: Cursor = None,
    tags: Tagged = None,
    where: Where = None,
) -> ToolCall:
    """List remembered messages, oldest first, page by page. To find something, use search."""
    named = {"session": session, "cursor": cursor}
    options = {name: value for name, value in named.items() if value is not None}
    return ToolCall(
        "get_all", options={"limit": limit} | options | place_arguments(None, None, tags, where), text=page_text
    )


def profile(who: Who = None) -> ToolCall:
    """What is known of somebody now, by topic, each statement with the message that says it."""
    return ToolCall("profile", (who,), text=profile_text)


def why_not(question: Unanswered, speaker: Asker = None) -> ToolCall:
    """Why a question has no answer: what is missing, and what comes near. Use it after "I don't know"."""
    return ToolCall("why_not", (question,), place_arguments(None, speaker), why_not_text)


def verify(proof: Address) -> ToolCall:
    """Check again that a proof holds against what is remembered now."""
    return ToolCall("verify", (proof,), text=verification_text)


def add_rule(text: RuleText) -> ToolCall:
    """Keep a general rule that answers may rest on. For what happened or what somebody said, use remember."""
    return ToolCall("add_rules", (text,), text=rules_text)


def update(turn: TurnId, text: Said, tags: Tags = None) -> ToolCall:
    """Correct one remembered turn: say anew, whole, what it should have said. Only when it was wrong; for news use remember."""
    return ToolCall("update", (turn,), {"text": text} | ({"tags": tags} if tags is not None else {}), updated_text)


def forget(turn: TurnId) -> ToolCall:
    """Forget one remembered turn for good, with all that follows from it. Only when the user wants it."""
    return ToolCall("forget", options={"turn": turn}, text=forgotten_text)


TOOLS: Mapping[str, Callable[..., ToolCall]] = {
    tool.__name__.rstrip("_"): tool
    for tool in (remember, recall, ask, search, list_, profile, why_not, verify, add_rule, update, forget)
}
"""Every tool by its name."""


def tool_names(names: Collection[str] | None, *, read_only: bool = False) -> list[str]:
    """The tools to offer: those named, in the order of `EVERY`; None: those of the default.

    Raises InputError for a name that is no tool's, or that changes something where `read_only` is true.
    """
    known = READING if read_only else EVERY
    wanted = set((READING if read_only else OFFERED) if names is None else names)
    if unknown := wanted - set(known):
        raise InputError(f"There is no tool {min(unknown)!r}.", f"Tools are: {', '.join(known)}.")
    return [name for name in known if name in wanted]


def tool_function(
    tool: Callable[..., ToolCall], work: Callable[..., Any], *before: inspect.Parameter, returns: Any = str
) -> Callable[..., Any]:
    """A function with the name, description and parameters of a tool, for frameworks that inspect signatures.

    `work` gets its own parameters, which stand `before` those of the tool, and the Call; it may be awaited.
    """
    signature = inspect.signature(tool, eval_str=True)
    parameters = [*before, *signature.parameters.values()]

    def function(*given: Any, **arguments: Any) -> Any:
        return work(*given[: len(before)], tool(*given[len(before) :], **arguments))

    async def later(*given: Any, **arguments: Any) -> Any:
        return await function(*given, **arguments)

    made: Any = later if inspect.iscoroutinefunction(work) else function
    made.__name__ = made.__qualname__ = tool.__name__.rstrip("_")
    made.__doc__ = tool.__doc__
    made.__signature__ = signature.replace(parameters=parameters, return_annotation=returns)
    made.__annotations__ = {p.name: p.annotation for p in parameters} | {"return": returns}
    return cast("Callable[..., Any]", made)


def schema_of(name: str) -> type[BaseModel]:
    """JSON schema of a tool's arguments, with their limits and descriptions."""
    parameters = inspect.signature(TOOLS[name], eval_str=True).parameters.values()
    fields: dict[str, Any] = {p.name: (p.annotation, ... if p.default is p.empty else p.default) for p in parameters}
    schema: type[BaseModel] = create_model(
        name, __doc__=inspect.getdoc(TOOLS[name]), __config__=ConfigDict(extra="forbid"), **fields
    )
    return schema


def tool_description(name: str) -> dict[str, Any]:
    """Description of a tool for frameworks: its name, description and arguments."""
    return {"name": name, "description": inspect.getdoc(TOOLS[name]) or name, "args_schema": schema_of(name)}


def method(work: Callable[..., str], tool: Callable[P, ToolCall]) -> Callable[Concatenate[Tools, P], str]:
    """A tool as a method."""
    return tool_function(tool, work, SELF)


def awaited_method(
    work: Callable[..., Coroutine[Any, Any, str]], tool: Callable[P, ToolCall]
) -> Callable[Concatenate[AsyncTools, P], Coroutine[Any, Any, str]]:
    """A tool as a method to be awaited."""
    return tool_function(tool, work, SELF)


SELF = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=Any)


def tool_reply(tools: Tools, call: ToolCall) -> str:
    """The reply to a model."""
    return call.text(call.of(tools.memory, tools.space, tools.session)())


async def told_later(tools: AsyncTools, call: ToolCall) -> str:
    """The same, awaited."""
    return call.text(await awaited(call.of(tools.memory, tools.space, tools.session)))


@dataclass(frozen=True, slots=True)
class Tools:
    """What a model may do with one space of a memory; each method is a tool.

    Errors are GoalmemErrors: `problem` and `remedy` are words that a model can follow.
    """

    memory: MemoryLike
    space: str | None = None
    """None: the memory's own (`default`, or that of a client)."""
    session: str | None = None
    """Of what is remembered; None: one a day, so that the same words on another day are new."""

    remember = method(tool_reply, remember)
    recall = method(tool_reply, recall)
    ask = method(tool_reply, ask)
    search = method(tool_reply, search)
    profile = method(tool_reply, profile)
    list_ = method(tool_reply, list_)
    why_not = method(tool_reply, why_not)
    add_rule = method(tool_reply, add_rule)
    update = method(tool_reply, update)
    forget = method(tool_reply, forget)


@dataclass(frozen=True, slots=True)
class AsyncTools:
    """`Tools` to be awaited, of any memory; one that is not async works in a thread."""

    memory: AnyMemory
    space: str | None = None
    session: str | None = None

    remember = awaited_method(told_later, remember)
    recall = awaited_method(told_later, recall)
    ask = awaited_method(told_later, ask)
    search = awaited_method(told_later, search)
    profile = awaited_method(told_later, profile)
    list_ = awaited_method(told_later, list_)
    why_not = awaited_method(told_later, why_not)
    add_rule = awaited_method(told_later, add_rule)
    update = awaited_method(told_later, update)
    forget = awaited_method(told_later, forget)


async def awaited(method: Callable[..., T | Awaitable[T]], *args: Any, **options: Any) -> T:
    """Call a method of any memory; a blocking one runs in a thread."""
    if inspect.iscoroutinefunction(method):
        return await cast("Awaitable[T]", method(*args, **options))
    return cast("T", await asyncio.to_thread(partial(method, *args, **options)))


def place_arguments(
    space: str | None,
    speaker: str | None = None,
    tags: Sequence[str] | None = None,
    where: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The arguments `space`, `speaker` (who asks) and `where` (by tags too), each where one is named; else the memory's own holds."""
    by_tag = {TAGS: list(tags)} if tags else None
    both = {"$and": [by_tag, where]} if by_tag and where else by_tag or where or None
    named = {"space": space, "speaker": speaker, "where": both}
    return {name: value for name, value in named.items() if value is not None}


def message_of(text: str, speaker: str, **noted: object) -> dict[str, Any]:
    """The message that `remember` adds, with what is noted about it."""
    message: dict[str, Any] = {"role": "user", "name": speaker, "content": text}
    if speaker in ("user", "assistant"):
        message["role"] = message.pop("name")
    return message | {key: value for key, value in noted.items() if value not in (None, "", [], {})}


def refuse_unknown_arguments(name: str, given: Iterable[str]) -> None:
    """Raises InputError for an argument that a tool does not take: a filter that is left out would let everything through."""
    known = inspect.signature(TOOLS[name]).parameters
    unknown = [one for one in given if one not in known]
    if unknown:
        raise InputError(
            f"{name} was not called: it takes no argument {shown(unknown[0])}.", f"It takes {', '.join(known)}."
        )


def today() -> str:
    """The session of a day."""
    return f"{datetime.now(UTC):%Y-%m-%d}"

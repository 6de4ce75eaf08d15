"""The arguments of a memory's methods: what each parameter takes, by its name, for `Memory` and for the clients of a server."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any, TypeVar, cast

from goalmem.answer import Answer, Previous
from goalmem.errors import InputError, shown
from goalmem.io.chat_messages import check_count, check_id, check_name, check_text, parse_when
from goalmem.store.metadata import UNSTORABLE, parse_metadata, parse_tags, parse_where

Check = Callable[[Any, str], object]
"""Of a value and what it is, for the error: the value to go on with. Raises InputError."""
T = TypeVar("T")
Method = TypeVar("Method", bound=Callable[..., Any])


def check_names(given: object, what: str) -> list[str]:
    """Names, of sessions or speakers for example. Raises InputError, also for a single name."""
    if isinstance(given, str):
        raise InputError(f"{what} is {shown(given)}, one name.", f"Give a list: [{shown(given)}].")
    if isinstance(given, bytes | bytearray | memoryview) or not isinstance(given, Sequence | Set):
        raise InputError(f"{what} is {shown(given)}.", 'Give a list of texts: ["one", "another"].')
    for name in given:
        if not isinstance(name, str):
            raise InputError(f"{what} contains {shown(name)}.", 'Give a list of texts: ["one", "another"].')
    return [UNSTORABLE.sub("\ufffd", name) for name in given]  # as the names themselves are stored


def check_flag(given: object, what: str) -> bool:
    """True or False. Raises InputError for anything else: `"no"` would count as true."""
    if not isinstance(given, bool):
        raise InputError(f"{what} is {shown(given)}.", "Give True or False.")
    return given


def check_function(given: object, what: str) -> Callable[..., Any]:
    """A function. Raises InputError."""
    if not callable(given):
        raise InputError(f"{what} is {shown(given)}.", "Give a function, or leave it out.")
    return cast("Callable[..., Any]", given)


def check_path(given: object, what: str) -> str | os.PathLike[str]:
    """The path of a file. Raises InputError for what cannot be one."""
    remedy = "Give the path of a file, as text or as a Path."
    if not isinstance(given, str | os.PathLike) or not given or isinstance(os.fspath(given), bytes):
        raise InputError(f"{what} is {shown(given)}.", remedy)
    try:
        encoded = os.fsencode(given)
    except UnicodeEncodeError as error:
        raise InputError(f"{what} is {shown(given)}.", remedy) from error
    if b"\0" in encoded:
        raise InputError(f"{what} is {shown(given)}.", remedy)
    return given


def check_where(given: Any, what: str) -> Mapping[str, Any]:
    """Conditions as callers write them, unchanged. Raises InputError."""
    parse_where(given, what)
    return cast("Mapping[str, Any]", given)


def check_counter(given: object, what: str) -> Callable[[str], int]:
    """A function that counts the tokens of a text. It raises InputError where the given one returns no number."""
    count = check_function(given, what)

    def counted(text: str) -> int:
        tokens = count(text)
        if not isinstance(tokens, int) or tokens < 0:
            raise InputError(f"{what} returned {shown(tokens)}.", "Return the number of tokens of the text.")
        return tokens

    return counted


def check_ids(given: object, what: str) -> str | list[str]:
    """One id or several. Raises InputError."""
    return given if isinstance(given, str) else check_names(given, what)


def check_previous(given: Any, what: str) -> Previous:
    """An answer, a question, or a question and its answer. Raises InputError."""
    if isinstance(given, Answer):
        return given
    if isinstance(given, str):
        return check_text(given, what)
    if not isinstance(given, Sequence) or not 1 <= len(given) <= 2:
        raise InputError(
            f"{what} is {shown(given)}.", "Give the previous question, or the question and its answer, or the Answer."
        )
    return [check_text(part, what) for part in given]


def check_methods(given: object, what: str, *methods: str) -> None:
    """Check that an object that a caller passed has methods. Raises InputError."""
    missing = [name for name in methods if not callable(getattr(given, name, None))]
    if given is not None and (missing or inspect.isclass(given)):
        raise InputError(
            f"{what} is {shown(given)}.", f"Give an object with the methods: {', '.join(methods)}; or leave it out."
        )


def check_label(given: object, what: str) -> str:
    """A name, or an empty text for none. Raises InputError."""
    return "" if given == "" and isinstance(given, str) else check_name(given, what)


def check_reader(given: object, what: str) -> object:
    """The name of a reader of rules, or a reader. Raises InputError."""
    if not isinstance(given, str) and (inspect.isclass(given) or not callable(getattr(given, "read", None))):
        raise InputError(f"{what} is {shown(given)}.", "Give the name of one, or a RuleReader.")
    return given


def check_forgotten(turn: str | None, session: str | None, where: object, everything: bool) -> None:
    """What `forget` is told to remove. Raises InputError unless it is one thing: nothing named is never everything."""
    named = sum((turn is not None, session is not None or where is not None, everything))
    if named == 1:
        return
    told = "does not say what to forget" if not named else "names more than one thing to forget"
    raise InputError(
        f"The call {told}.",
        "Give one of `turn`, `session`, `where` (with or without a session), and `everything`, true.",
    )


CHECKS: Mapping[str, tuple[str, Check]] = {
    "space": ("The space", check_name),
    "session": ("The session", check_name),
    "author": ("The author", check_name),
    "speaker": ("The speaker", check_name),
    "who": ("The person", check_name),
    "name": ("The name", check_label),
    "query": ("The query", check_text),
    "question": ("The question", check_text),
    "utterance": ("The utterance", check_text),
    "about": ("The subject", check_text),
    "text": ("The text", check_text),
    "turn_id": ("The id of the turn", check_id),
    "turn": ("The id of the turn", check_id),
    "ids": ("The ids of rules", check_ids),
    "cursor": ("The cursor", check_id),
    "at": ("`at`", parse_when),
    "after": ("`after`", parse_when),
    "before": ("`before`", parse_when),
    "k": ("`k`, the number of turns,", check_count),
    "limit": ("The limit", check_count),
    "max_tokens": ("`max_tokens`, the size of a context,", check_count),
    "sessions": ("`sessions`", check_names),
    "speakers": ("`speakers`", check_names),
    "roles": ("`roles`", check_names),
    "kinds": ("`kinds`", check_names),
    "without": ("`without`", check_names),
    "where": ("The filter", check_where),
    "metadata": ("The call", parse_metadata),
    "tags": ("The call", parse_tags),
    "goals": ("`goals`", check_flag),
    "assume": ("`assume`", check_flag),
    "dry_run": ("`dry_run`", check_flag),
    "everything": ("`everything`", check_flag),
    "partial": ("`partial`", check_flag),
    "prune": ("`prune`", check_flag),
    "own": ("`own`", check_flag),
    "on_event": ("`on_event`", check_function),
    "on_progress": ("`on_progress`", check_function),
    "progress": ("`progress`", check_function),
    "count": ("`count`", check_counter),
    "previous": ("`previous`", check_previous),
    "format": ("The format", check_id),
    "source": ("The source", check_id),
    "around": ("The entity", check_id),
    "q": ("The words", check_id),
    "job": ("The id of the job", check_id),
    "key_id": ("The id of the key", check_id),
    "spaces": ("`spaces`", check_names),
    "expires": ("`expires`", parse_when),
    "stated": ("`stated`", check_flag),
    "file": ("The file", check_path),
    "target": ("The file", check_path),
    "origin": ("The file", check_path),
    "reader": ("The reader", check_reader),
}
"""Parameters by name. What is not here (messages, times of expiry) is checked where it is parsed."""


def with_checked_arguments(cls: type[T]) -> type[T]:
    """A class whose public methods check their arguments before anything else; a default is taken as it is.

    The methods raise InputError for a value that a parameter does not take.
    """
    for name, method in list(vars(cls).items()):
        if inspect.isfunction(method) and not name.startswith("_"):
            setattr(cls, name, checked(method))
    return cls


def checked(method: Method) -> Method:
    """A function, or a coroutine function, that checks its arguments first."""
    signature = inspect.signature(method)
    defaults = {name: parameter.default for name, parameter in signature.parameters.items() if name in CHECKS}

    def taken(args: Sequence[Any], kwargs: Mapping[str, Any]) -> inspect.BoundArguments:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{method.__name__}(): {error}.") from None
        for name in bound.arguments.keys() & defaults.keys():
            if (value := bound.arguments[name]) is not defaults[name]:
                what, check = CHECKS[name]
                bound.arguments[name] = check(value, what)
        return bound

    @functools.wraps(method)
    def call(*args: Any, **kwargs: Any) -> Any:
        bound = taken(args, kwargs)
        return method(*bound.args, **bound.kwargs)

    @functools.wraps(method)
    async def awaited(*args: Any, **kwargs: Any) -> Any:
        bound = taken(args, kwargs)
        return await method(*bound.args, **bound.kwargs)

    return cast("Method", awaited if inspect.iscoroutinefunction(method) else call)

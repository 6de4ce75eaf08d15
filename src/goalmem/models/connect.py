"""The configured chat model, embeddings endpoint and prices.

Nothing is contacted before the first call, and nothing at all unless an address is set.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from goalmem.errors import InputError
from goalmem.models.chat import Prices

if TYPE_CHECKING:
    from goalmem.models.chat import ChatModel
    from goalmem.models.endpoint import EndpointOptions
    from goalmem.models.openai_chat import OpenAIChat
    from goalmem.settings import Settings

_SERVICES = {"openai": "https://api.openai.com/v1", "ollama": "http://127.0.0.1:11434/v1"}
"""Addresses of services that are known by name."""
_POSSIBLE = (
    'Pass "openai:MODEL", "ollama:MODEL", the address of an OpenAI-compatible endpoint ("https://host/v1#MODEL"), a client of'
    ' the package openai with its model (chat=(client, "MODEL")), or an object with `name` and `reply`'
    " (goalmem.models.chat.ChatModel)."
)
_OPENAI = ("https", "api.openai.com")
"""The one place that the key in OPENAI_API_KEY is for."""


def connect_chat(settings: Settings) -> OpenAIChat | None:
    """The chat model that is set, or None when no address is.

    Raises:
        InputError: the address, the model's name or the key cannot be used; names the setting.
        ModelError: the extra `chat` is not installed.
    """
    if not settings.chat_url.strip():
        return None
    if settings.chat_url.strip().startswith(tuple(f"{service}:" for service in _SERVICES)):
        return _opened(*_named(settings.chat_url.strip(), settings), settings)
    address, _, named = settings.chat_url.partition("#")
    return _opened(address, named or settings.chat_model, settings.chat_key or _openai_key(address), settings)


def chat_of(given: object, settings: Settings) -> ChatModel | None:
    """The chat model that `Memory(chat=…)` names.

    `openai:MODEL`, `ollama:MODEL`, the address of an OpenAI-compatible endpoint (`https://host/v1#MODEL`, or with
    GOALMEM_CHAT_MODEL set), a client of the package `openai` with its model (`(client, MODEL)`, or with GOALMEM_CHAT_MODEL
    set), or any `ChatModel`.

    Raises:
        InputError: it is none of these, or something that it needs is missing; says what.
        ModelError: the extra `chat` is not installed.
    """
    if given is None:
        return None
    if isinstance(given, str):
        return _opened(*_named(given.strip(), settings), settings)
    if callable(getattr(given, "reply", None)) and isinstance(getattr(given, "name", None), str):
        model: Any = given
        return cast("ChatModel", model)
    if isinstance(given, tuple) and len(given) == 2 and isinstance(given[1], str):
        given, named = given
    else:
        named = settings.chat_model
    address, key = getattr(given, "base_url", None), getattr(given, "api_key", None)
    if address is None or not isinstance(key, str) or "azure" in type(given).__name__.casefold():
        raise InputError(f"An object of type {type(given).__name__} is not a supported chat model.", _POSSIBLE)
    if not named.strip():
        raise InputError(
            "The client does not say which model to ask.",
            'Pass both, chat=(client, "MODEL"), or set GOALMEM_CHAT_MODEL.',
        )
    return _opened(str(address), named, key, settings)


def _named(given: str, settings: Settings) -> tuple[str, str, str]:
    """Address, model and key of a chat model that is named by text."""
    service, _, model = given.partition(":")
    model = model.strip() or settings.chat_model.strip()
    if service in _SERVICES and model:
        url = _SERVICES[service]
        key = settings.chat_key or _openai_key(url)
        if service == "openai" and not key:
            raise InputError(f"{given!r} needs a key, and none is set.", "Set OPENAI_API_KEY or GOALMEM_CHAT_KEY.")
        return url, model, key
    if service in ("http", "https"):
        address, _, named = given.partition("#")
        return address, named or settings.chat_model, settings.chat_key or _openai_key(address)
    raise InputError(f"The chat model {given!r} is not known.", _POSSIBLE)


def _opened(url: str, model: str, key: str, settings: Settings) -> OpenAIChat:
    if not model.strip():
        raise InputError(
            f"The chat model behind {url} has no name.",
            "Write it behind the address (`https://host/v1#MODEL`), or set GOALMEM_CHAT_MODEL.",
        )
    from goalmem.models.openai_chat import OpenAIChat

    return OpenAIChat(
        url,
        model,
        key=key,
        timeout=settings.chat_timeout,
        retries=settings.chat_retries,
        concurrency=settings.chat_concurrency,
    )


def embedding_endpoint(settings: Settings) -> EndpointOptions:
    """The configured endpoint for embeddings with its options."""
    from goalmem.models.endpoint import EndpointOptions

    return EndpointOptions(
        url=settings.embedding_url,
        key=settings.embedding_key or _openai_key(settings.embedding_url),
        dimensions=settings.embedding_dimensions,
        query_prefix=settings.embedding_query_prefix,
        passage_prefix=settings.embedding_passage_prefix,
        batch=settings.embedding_batch,
        tokens=settings.embedding_tokens,
        timeout=settings.embedding_timeout,
        retries=settings.embedding_retries,
        concurrency=settings.embedding_concurrency,
    )


def prices_of(settings: Settings) -> Prices | None:
    """The configured prices, or None if there are none. A missing one counts as 0."""
    asked, answered = settings.chat_price_in, settings.chat_price_out
    return None if asked is None and answered is None else Prices(asked or 0.0, answered or 0.0)


def _openai_key(url: str) -> str:
    """OPENAI_API_KEY, for OpenAI alone: another server that is named here must not be sent it."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return ""
    return os.environ.get("OPENAI_API_KEY", "") if (parts.scheme, parts.hostname) == _OPENAI else ""

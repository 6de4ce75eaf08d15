"""The chat model and the endpoint of embeddings that the settings name, and what calls cost.

Nothing is contacted before the first call, and nothing at all unless an address is set.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from goalmem.models.pricing import Prices

if TYPE_CHECKING:
    from goalmem.models.endpoint import EndpointOptions
    from goalmem.models.openai_chat import OpenAIChat
    from goalmem.settings import Settings

__all__ = ["connect_chat", "embedding_endpoint", "prices_of"]

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
    from goalmem.models.openai_chat import OpenAIChat

    return OpenAIChat(
        settings.chat_url,
        settings.chat_model,
        key=settings.chat_key or _openai_key(settings.chat_url),
        timeout=settings.chat_timeout,
        retries=settings.chat_retries,
        concurrency=settings.chat_concurrency,
    )


def embedding_endpoint(settings: Settings) -> EndpointOptions:
    """Where a model behind an endpoint is asked for embeddings, and how."""
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
    """The prices that are set, or None when neither is. One that is not set counts as nothing."""
    asked, answered = settings.chat_price_in, settings.chat_price_out
    return None if asked is None and answered is None else Prices(asked or 0.0, answered or 0.0)


def _openai_key(url: str) -> str:
    """OPENAI_API_KEY, for OpenAI alone: another server that is named here must not be sent it."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return ""
    return os.environ.get("OPENAI_API_KEY", "") if (parts.scheme, parts.hostname) == _OPENAI else ""

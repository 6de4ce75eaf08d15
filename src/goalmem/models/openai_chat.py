"""A chat model behind any OpenAI-compatible endpoint: vLLM, llama.cpp, Ollama, or one that is hosted.

The `openai` package makes the requests and `stamina` repeats those that may yet succeed; both come with the extra `chat`
and are imported on the first call. What is sent is the request and the key, to the one address that is set: through no
proxy of the environment, after no redirect, and with no header that tells of the machine.
"""

from __future__ import annotations

import importlib.util
import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from goalmem.errors import ChatRefusedError, ChatUnavailableError, InputError, ModelError
from goalmem.models.chat import ChatReply, ChatRequest
from goalmem.models.chat_failures import Endpoint, RequestError
from goalmem.models.chat_wire import Form, body_of, read_reply, weaker
from goalmem.models.process import PerProcess

if TYPE_CHECKING:
    from openai import OpenAI

__all__ = ["OpenAIChat"]

_PATH = "/chat/completions"
_PACKAGES = ("openai", "httpx2", "stamina")
_LONGEST_WAIT = 5.0
"""Seconds between two attempts at most, unless the endpoint asks for more (stamina's default)."""
_WAIT_SHARE = 0.25
"""Of the time a call may take: the most that is waited between two attempts, so that another one has time to succeed."""


@dataclass(frozen=True, slots=True)
class _Connection:
    """What a process needs to ask; a fork makes its own."""

    client: OpenAI
    places: threading.BoundedSemaphore


class OpenAIChat:
    """A `ChatModel` behind an OpenAI-compatible endpoint. Safe for many threads, and across a fork.

    A JSON schema is asked for by `response_format`; an endpoint that rejects that is asked for any JSON, and one that
    rejects that, too, by the prompt alone. What it takes is remembered for each `schema_name`.
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        key: str = "",
        timeout: float = 60.0,
        retries: int = 2,
        concurrency: int = 4,
    ) -> None:
        """Nothing is contacted yet.

        Args:
            url: base address of the endpoint, as `http://127.0.0.1:8000/v1`.
            model: the model's name there.
            key: sent as a bearer token; empty where none is needed.
            timeout: seconds that a call may take with all that is tried again.
            retries: how often a request is repeated that may yet succeed.
            concurrency: calls that run side by side; others wait.

        Raises:
            InputError: the address is none, the model has no name, or the key cannot be sent.
            ModelError: the extra `chat` is not installed.
        """
        self._url, place = _checked_url(url)
        self._endpoint = Endpoint(_checked_model(model), place, _checked_key(key))
        self._timeout = timeout
        self._retries = retries
        self._concurrency = concurrency
        self._forms: dict[str, Form] = {}
        self._connection = PerProcess(self._connect)
        self._connected = False
        missing = [name for name in _PACKAGES if importlib.util.find_spec(name) is None]
        if missing:
            raise ModelError(f"A chat model needs {' and '.join(missing)}.", "Install goalmem[chat].")

    @property
    def name(self) -> str:
        """The model and the address, without the key."""
        return str(self._endpoint)

    def __repr__(self) -> str:
        return f"OpenAIChat({self.name!r})"

    def reply(self, request: ChatRequest) -> ChatReply:
        """See `ChatModel.reply`."""
        # Made before the clock starts: the first call of a process imports the client, which is not the model's time.
        connection = self._connection.get()
        began = time.monotonic()
        allowed = self._timeout if request.seconds is None else min(self._timeout, request.seconds)
        deadline = began + allowed
        try:
            with self._place(connection, deadline):
                content = self._ask(connection.client, request, deadline)
        except RequestError as failure:
            error = failure.error
        else:
            return read_reply(content, request, self._endpoint.model, time.monotonic() - began)
        raise error

    def close(self) -> None:
        """Let go of the connections. A later call opens new ones."""
        if self._connected:
            connection, self._connection = self._connection, PerProcess(self._connect)
            self._connected = False
            connection.get().client.close()

    def _ask(self, client: OpenAI, request: ChatRequest, deadline: float) -> str:
        """The body of the answer; asks in weaker forms until the endpoint takes one."""
        known_as = request.schema_name if request.schema is not None else ""
        form = self._forms.get(known_as, Form())
        while True:
            try:
                content = self._persist(client, body_of(request, self._endpoint.model, form), deadline)
            except RequestError as failure:
                rejected = failure.rejection
                other = weaker(form, rejected, schema=request.schema is not None) if rejected else None
                if other is None:
                    raise
                form = other
            else:
                # Only what was taken is remembered: a request may be rejected for what no other form changes.
                self._forms[known_as] = form
                return content

    def _persist(self, client: OpenAI, body: dict[str, Any], deadline: float) -> str:
        """The body of the answer, asked for again while that may help and time is left."""
        import stamina

        longest = min(_LONGEST_WAIT, _WAIT_SHARE * max(0.0, deadline - time.monotonic()))
        patience = partial(_patience, deadline=deadline, longest=longest)
        for attempt in stamina.retry_context(
            patience, attempts=self._retries + 1, timeout=None, wait_max=longest, wait_jitter=longest / 2
        ):
            with attempt:
                return self._post(client, body, deadline)
        raise AssertionError("an attempt returns or raises")

    def _post(self, client: OpenAI, body: dict[str, Any], deadline: float) -> str:
        """One request. Raises RequestError, and nothing of the libraries."""
        import httpx2
        import openai

        left = deadline - time.monotonic()
        if left <= 0:
            raise self._late()
        try:
            answer = client.post(_PATH, cast_to=httpx2.Response, body=body, options={"timeout": left})
            return answer.text
        except openai.APITimeoutError:
            failure = self._late()
        except openai.APIConnectionError as error:
            failure = self._endpoint.unreachable(error.__cause__ or error)
        except openai.APIStatusError as error:
            failure = self._endpoint.refused(error.status_code, error.response.headers, _text_of(error.response))
        except (httpx2.TimeoutException, TimeoutError):
            failure = self._late()
        except (httpx2.HTTPError, OSError) as error:
            failure = self._endpoint.unreachable(error)
        except (
            openai.OpenAIError,
            httpx2.InvalidURL,
            httpx2.StreamError,
            ValueError,
            TypeError,
            RuntimeError,
        ) as error:
            failure = self._endpoint.unreadable(type(error).__name__)
        # Raised here, it drags no exception along that knows the request and its key.
        raise failure

    def _late(self) -> RequestError:
        return self._endpoint.late(self._timeout)

    @contextmanager
    def _place(self, connection: _Connection, deadline: float) -> Iterator[None]:
        """One of the places, when it is free."""
        if not connection.places.acquire(timeout=max(0.0, deadline - time.monotonic())):
            raise RequestError(
                ChatUnavailableError(
                    f"All {self._concurrency} places of the chat model {self.name} stayed taken.",
                    "Raise GOALMEM_CHAT_CONCURRENCY, or GOALMEM_CHAT_TIMEOUT.",
                )
            )
        try:
            yield
        finally:
            connection.places.release()

    def _connect(self) -> _Connection:
        import httpx2
        import openai

        from goalmem.models.chat_transport import plain_client

        # Stamina tells of each retry as a warning; unless a program listens, that is not for the terminal.
        logging.getLogger("stamina").addHandler(logging.NullHandler())
        key = self._endpoint.key
        problem = ""
        try:
            client = openai.OpenAI(
                base_url=self._url,
                api_key=key or "none",
                admin_api_key="",
                organization="",
                project="",
                max_retries=0,
                timeout=self._timeout,
                http_client=plain_client(key),
            )
        except (openai.OpenAIError, httpx2.InvalidURL, OSError, ValueError) as error:
            problem = f"{type(error).__name__}: {error}"
        if problem:
            raise ChatRefusedError(
                f"The chat model {self.name} cannot be asked ({problem}).",
                "See that GOALMEM_CHAT_URL and, where it is set, SSL_CERT_FILE are right.",
            )
        self._connected = True
        return _Connection(client, threading.BoundedSemaphore(self._concurrency))


def _patience(error: Exception, *, deadline: float, longest: float) -> bool | float:
    """Whether to ask again: after the wait that was asked for, after stamina's own (True), or not (False)."""
    if not isinstance(error, RequestError) or not error.again:
        return False
    left = deadline - time.monotonic()
    if error.wait is None:
        return left > longest
    return error.wait if error.wait < left else False


def _text_of(response: Any) -> str:
    """The body of an error's answer, where it came whole."""
    import httpx2

    try:
        return str(response.text)
    except (httpx2.HTTPError, httpx2.StreamError, RuntimeError, ValueError):
        return ""


def _checked_url(url: str) -> tuple[str, str]:
    """The base address, and how errors name it."""
    remedy = "Set GOALMEM_CHAT_URL to a base address such as http://127.0.0.1:8000/v1."
    base = url.strip().rstrip("/").removesuffix(_PATH)
    if "@" in base:
        raise InputError("The chat model's address holds a name or a password.", f"{remedy} A key is GOALMEM_CHAT_KEY.")
    try:
        parts = urlsplit(base)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and not (parts.query or parts.fragment)
        place = f"{parts.netloc}{parts.path}" if parts.port != 0 else ""
    except ValueError:
        usable, place = False, ""
    if not usable or not place or any(character.isspace() or not character.isprintable() for character in base):
        raise InputError(f"The chat model's address {url!r} is none.", remedy)
    return base, place


def _checked_model(model: str) -> str:
    if not model.strip():
        raise InputError("The chat model has no name.", "Set GOALMEM_CHAT_MODEL to a model that the endpoint serves.")
    return model.strip()


def _checked_key(key: str) -> str:
    stripped = key.strip()
    if not stripped.isascii() or not stripped.isprintable():
        raise InputError("The chat model's key holds characters that no key has.", "Set GOALMEM_CHAT_KEY again.")
    return stripped

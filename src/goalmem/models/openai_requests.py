"""Requests to an OpenAI-compatible endpoint, repeated while that may help and time is left.

The `openai` package makes the requests and `stamina` repeats those that may yet succeed; both come with the extra `chat`
and are imported on the first call. What is sent is the request and the key, to the one address that is set: through no
proxy of the environment, after no redirect, and with no header that tells of the machine.
"""

from __future__ import annotations

import importlib.util
import logging
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from goalmem.errors import InputError, ModelError
from goalmem.models.chat_failures import EndpointName, RequestError, ServiceErrors
from goalmem.models.process import PerProcess

if TYPE_CHECKING:
    from openai import OpenAI


_PACKAGES = ("openai", "httpx2", "stamina")
_LONGEST_WAIT = 5.0
"""Seconds between two attempts at most, unless the endpoint asks for more (stamina's default)."""
_WAIT_SHARE = 0.25
"""Maximum share of a call's time to wait between two attempts, so that the next one has time to succeed."""


@dataclass(frozen=True, slots=True)
class _Connection:
    """The HTTP client of one process; a forked process makes its own."""

    client: OpenAI
    places: threading.BoundedSemaphore


class OpenAILine:
    """The way to one endpoint. Safe for many threads, and across a fork."""

    def __init__(
        self,
        service: ServiceErrors,
        path: str,
        url: str,
        model: str,
        key: str,
        *,
        timeout: float,
        retries: int,
        concurrency: int,
        largest: int | None = None,
    ) -> None:
        """Contacts nothing yet. `path` follows the base address; `largest`: maximum bytes of a response.

        Raises:
            InputError: the address is none, the model has no name, or the key cannot be sent.
            ModelError: the extra `chat` is not installed.
        """
        self._url, place = _checked_url(service, path, url)
        self.endpoint = EndpointName(_checked_model(service, model), place, _checked_key(service, key), service)
        self._path = path
        self._timeout = timeout
        self._retries = retries
        self._concurrency = concurrency
        self._largest = largest
        self._connection = PerProcess(self._connect)
        missing = [name for name in _PACKAGES if importlib.util.find_spec(name) is None]
        if missing:
            raise ModelError(f"{_an(service.what)} needs {' and '.join(missing)}.", "Install goalmem[chat].")

    def connect(self) -> None:
        """Create the client of this process: its import does not count as the endpoint's time."""
        self._connection.get()

    def close(self) -> None:
        """Let go of the connections. A later call opens new ones."""
        if (connection := self._connection.release()) is not None:
            connection.client.close()

    @contextmanager
    def place(self, deadline: float) -> Iterator[None]:
        """Wait for a free slot. Raises RequestError."""
        places = self._connection.get().places
        if not places.acquire(timeout=max(0.0, deadline - time.monotonic())):
            service = self.endpoint.service
            raise RequestError(
                service.unavailable(
                    f"All {self._concurrency} places of the {service.what} {self.endpoint} stayed taken.",
                    f"Raise {service.settings}_CONCURRENCY, or {service.settings}_TIMEOUT.",
                )
            )
        try:
            yield
        finally:
            places.release()

    def ask(self, body: Mapping[str, Any], deadline: float) -> str:
        """The body of the answer, asked for again while that may help and time is left. Raises RequestError."""
        import stamina

        client = self._connection.get().client
        longest = min(_LONGEST_WAIT, _WAIT_SHARE * max(0.0, deadline - time.monotonic()))
        patience = partial(_patience, deadline=deadline, longest=longest)
        for attempt in stamina.retry_context(
            patience, attempts=self._retries + 1, timeout=None, wait_max=longest, wait_jitter=longest / 2
        ):
            with attempt:
                return self._post(client, body, deadline)
        raise AssertionError("an attempt returns or raises")

    def _post(self, client: OpenAI, body: Mapping[str, Any], deadline: float) -> str:
        """Send one request. Raises only RequestError, never an error of the libraries."""
        import httpx2
        import openai

        left = deadline - time.monotonic()
        if left <= 0:
            raise self._late()
        try:
            answer = client.post(self._path, cast_to=httpx2.Response, body=dict(body), options={"timeout": left})
            return answer.text
        except openai.APITimeoutError:
            failure = self._late()
        except openai.APIConnectionError as error:
            failure = self.endpoint.unreachable(error.__cause__ or error)
        except openai.APIStatusError as error:
            failure = self.endpoint.refused(error.status_code, error.response.headers, _text_of(error.response))
        except (httpx2.TimeoutException, TimeoutError):
            failure = self._late()
        except (httpx2.HTTPError, OSError) as error:
            failure = self.endpoint.unreachable(error)
        except (
            openai.OpenAIError,
            httpx2.InvalidURL,
            httpx2.StreamError,
            ValueError,
            TypeError,
            RuntimeError,
        ) as error:
            failure = self.endpoint.unreadable(type(error).__name__)
        # Raised here, it drags no exception along that knows the request and its key.
        raise failure

    def _late(self) -> RequestError:
        return self.endpoint.late(self._timeout)

    def _connect(self) -> _Connection:
        import httpx2
        import openai

        from goalmem.models.chat_transport import plain_client

        # Stamina logs each retry as a warning, which is for programs that listen, not for the terminal.
        logging.getLogger("stamina").addHandler(logging.NullHandler())
        key = self.endpoint.key
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
                http_client=plain_client(key, self._largest),
            )
        except (openai.OpenAIError, httpx2.InvalidURL, OSError, ValueError) as error:
            problem = f"{type(error).__name__}: {error}"
        if problem:
            service = self.endpoint.service
            raise service.refused(
                f"The {service.what} {self.endpoint} cannot be asked ({problem}).",
                f"See that {service.settings}_URL and, where it is set, SSL_CERT_FILE are right.",
            )
        return _Connection(client, threading.BoundedSemaphore(self._concurrency))


def _patience(error: Exception, *, deadline: float, longest: float) -> bool | float:
    """True to ask again: after the wait that was asked for, after stamina's own (True), or not (False)."""
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


def _an(what: str) -> str:
    return f"{'An' if what[0] in 'aeiou' else 'A'} {what}"


def _checked_url(service: ServiceErrors, path: str, url: str) -> tuple[str, str]:
    """The base address, and how errors name it."""
    remedy = f"Set {service.settings}_URL to a base address such as http://127.0.0.1:8000/v1."
    base = url.strip().rstrip("/").removesuffix(path)
    if "@" in base:
        raise InputError(
            f"The {service.what}'s address contains a user name or a password.",
            f"{remedy} A key is {service.settings}_KEY.",
        )
    try:
        parts = urlsplit(base)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and not (parts.query or parts.fragment)
        place = f"{parts.netloc}{parts.path}" if parts.port != 0 else ""
    except ValueError:
        usable, place = False, ""
    if not usable or not place or any(character.isspace() or not character.isprintable() for character in base):
        raise InputError(f"The {service.what}'s address {url!r} is invalid.", remedy)
    return base, place


def _checked_model(service: ServiceErrors, model: str) -> str:
    if not model.strip():
        setting = service.model.split()[0]
        raise InputError(f"The {service.what} has no name.", f"Set {setting} to a model that the endpoint serves.")
    return model.strip()


def _checked_key(service: ServiceErrors, key: str) -> str:
    stripped = key.strip()
    if not stripped.isascii() or not stripped.isprintable():
        raise InputError(
            f"The {service.what}'s key contains characters that are not allowed in a key.",
            f"Set {service.settings}_KEY again.",
        )
    return stripped

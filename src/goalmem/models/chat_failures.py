"""Classifies failures of an endpoint: which error to raise, and whether a retry may help."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime

from goalmem.errors import (
    ChatRefusedError,
    ChatReplyError,
    ChatUnavailableError,
    EmbeddingError,
    EmbeddingRefusedError,
    EmbeddingUnavailableError,
    GoalmemError,
)
from goalmem.models.chat_wire import Rejection, rejection_of

_REJECTED = frozenset({400, 422, 501})
"""The request is not of a form that the endpoint takes; another may be."""
_TOO_LARGE = 413
_LATER = frozenset({408, 409, 425, 429})
"""With every 5xx: the same request may succeed later."""
_SPENT = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
"""Codes with which a 429 does not mean later."""
_QUOTED = 200
"""Characters of an endpoint's own message that an error repeats."""
_SECRET = 8
"""Minimum length of a real key: servers without keys are often given a word such as `none`."""


@dataclass(frozen=True, slots=True)
class ServiceErrors:
    """The kind of service behind an endpoint: its error classes and their wording."""

    what: str
    settings: str
    """Prefix of its settings."""
    model: str
    """The setting that names its model, and the verb."""
    slow: str
    """Remedy for a timeout."""
    large: str
    """Remedy for a request that is too large."""
    unavailable: type[GoalmemError]
    refused: type[GoalmemError]
    unreadable: type[GoalmemError]


CHAT = ServiceErrors(
    "chat model",
    "GOALMEM_CHAT",
    "GOALMEM_CHAT_MODEL is",
    "Raise GOALMEM_CHAT_TIMEOUT, or the time that the question may take, or use a faster model.",
    "See what it says; a prompt that is too long needs a model with a larger context.",
    ChatUnavailableError,
    ChatRefusedError,
    ChatReplyError,
)
EMBEDDING = ServiceErrors(
    "embedding model",
    "GOALMEM_EMBEDDING",
    "GOALMEM_EMBEDDER names",
    "Raise GOALMEM_EMBEDDING_TIMEOUT, or lower GOALMEM_EMBEDDING_BATCH, or use a faster model.",
    "See what it says; lower GOALMEM_EMBEDDING_BATCH where a request is too large.",
    EmbeddingUnavailableError,
    EmbeddingRefusedError,
    EmbeddingError,
)


class RequestError(Exception):
    """A request that failed. Contains nothing of the request, the key or the HTTP library."""

    def __init__(
        self, error: GoalmemError, *, again: bool = False, wait: float | None = None, rejection: Rejection | None = None
    ) -> None:
        super().__init__(error.problem)
        self.error = error
        self.again = again
        """True if a retry may succeed."""
        self.wait = wait
        """Seconds that the endpoint asks to wait first; None when it does not say."""
        self.rejection = rejection
        """Why the form of the request was rejected; None when it was not that."""


@dataclass(frozen=True, slots=True)
class EndpointName:
    """An endpoint as errors describe it."""

    model: str
    place: str
    """Host, port and path."""
    key: str = field(default="", repr=False)
    service: ServiceErrors = CHAT

    def __str__(self) -> str:
        return f"{self.model} at {self.place}"

    def late(self, seconds: float) -> RequestError:
        """No reply came in time."""
        problem = f"The {self.service.what} {self} gave no reply within {seconds:.3g} s."
        return RequestError(self.service.unavailable(problem, self.service.slow), again=True)

    def unreachable(self, why: object) -> RequestError:
        """No connection, or one that ended before the reply did."""
        reason = self._quoted(str(why)) or "no reason is known"
        return RequestError(
            self.service.unavailable(
                f"The {self.service.what} {self} cannot be reached ({reason}).",
                f"See that it runs, and that {self.service.settings}_URL is its address.",
            ),
            again=True,
        )

    def unreadable(self, why: str) -> RequestError:
        """Something came that is no answer at all."""
        problem = f"What the {self.service.what} {self} sent cannot be read ({why})."
        return RequestError(self.service.unreadable(problem, self._check_url))

    def refused(self, status: int, headers: Mapping[str, str], content: str) -> RequestError:
        """An answer with an error's status."""
        rejection = rejection_of(content)
        said = self._quoted(rejection.message)
        says = f"status {status}: {said}" if said else f"status {status}"
        if (status >= 500 or status in _LATER) and status != 501 and rejection.code not in _SPENT:
            return self._later(says, _asked_to_wait(headers))
        what, settings = self.service.what, self.service.settings
        problem, remedy = f"The {what} {self} does not take the request ({says}).", self._check_url
        if status in (401, 403):
            problem = f"The {what} {self} does not take the key ({says})."
            remedy = f"Set {settings}_KEY to a key of this endpoint, or unset it where none is needed."
        elif status < 400:
            problem = f"The {what} {self} sends requests on to another address, which is not followed ({says})."
            remedy = f"Set {settings}_URL to the address itself."
        elif rejection.code in _SPENT:
            problem = f"The quota of the {what} {self} is spent ({says})."
            remedy = "See the account that the key belongs to."
        elif status in _REJECTED or status == _TOO_LARGE:
            remedy = self.service.large
        rejected = status in _REJECTED or (status == _TOO_LARGE and self.service is EMBEDDING)
        return RequestError(self.service.refused(problem, remedy), rejection=rejection if rejected else None)

    def _later(self, says: str, wait: float | None) -> RequestError:
        asks = "" if wait is None else f", and asks to wait {wait:.3g} s"
        error = self.service.unavailable(
            f"The {self.service.what} {self} cannot reply now ({says}{asks}).",
            f"Try again later, or lower {self.service.settings}_CONCURRENCY.",
        )
        return RequestError(error, again=True, wait=wait)

    @property
    def _check_url(self) -> str:
        return f"See that {self.service.settings}_URL is right (most end in /v1) and that {self.service.model} a model it serves."

    def _quoted(self, text: str) -> str:
        """The endpoint's message, shortened, without the key."""
        return " ".join(self.without_key(text).split())[:_QUOTED]

    def without_key(self, text: str) -> str:
        """The endpoint's message without the key, in plain or JSON-escaped form."""
        if len(self.key) >= _SECRET:
            for form in {self.key, json.dumps(self.key)[1:-1], self.key.replace("/", "\\/")}:
                text = text.replace(form, "[key]")
        return text


def _asked_to_wait(headers: Mapping[str, str]) -> float | None:
    """Seconds of a Retry-After (RFC 9110, 10.2.3: seconds or a date), or of OpenAI's own header in milliseconds."""
    value = headers.get("retry-after", "")
    try:
        if in_milliseconds := headers.get("retry-after-ms"):
            return max(0.0, float(in_milliseconds) / 1000)
        return max(0.0, float(value)) if value else None
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, OverflowError):
        return None

"""What it means when an endpoint gives no answer: which error it is, and whether asking again may help."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime

from goalmem.errors import ChatError, ChatRefusedError, ChatReplyError, ChatUnavailableError
from goalmem.models.chat_wire import Rejection, rejection_of

__all__ = ["Endpoint", "RequestError"]

_REJECTED = frozenset({400, 422, 501})
"""The request is not of a form that the endpoint takes; another may be."""
_LATER = frozenset({408, 409, 425, 429})
"""With every 5xx: the same request may succeed later."""
_SPENT = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
"""Codes with which a 429 does not mean later."""
_QUOTED = 200
"""Characters of an endpoint's own message that an error repeats."""
_SECRET = 8
"""Characters from which a key is one: servers without keys are often given a word such as `none`."""
_CHECK_URL = "See that GOALMEM_CHAT_URL is right (most end in /v1) and that GOALMEM_CHAT_MODEL is a model it serves."


class RequestError(Exception):
    """A request that got no answer. Holds nothing of the request, of the key or of the library that made it."""

    def __init__(
        self, error: ChatError, *, again: bool = False, wait: float | None = None, rejection: Rejection | None = None
    ) -> None:
        super().__init__(error.problem)
        self.error = error
        self.again = again
        """Whether the same request may succeed."""
        self.wait = wait
        """Seconds that the endpoint asks to wait first; None when it does not say."""
        self.rejection = rejection
        """Why the form of the request was rejected; None when it was not that."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Who is asked, as errors name it."""

    model: str
    place: str
    """Host, port and path."""
    key: str = field(default="", repr=False)

    def __str__(self) -> str:
        return f"{self.model} at {self.place}"

    def late(self, seconds: float) -> RequestError:
        """No reply came in time."""
        return RequestError(
            ChatUnavailableError(
                f"The chat model {self} gave no reply within {seconds:.3g} s.",
                "Raise GOALMEM_CHAT_TIMEOUT, or the time that the question may take, or use a faster model.",
            ),
            again=True,
        )

    def unreachable(self, why: object) -> RequestError:
        """No connection, or one that ended before the reply did."""
        return RequestError(
            ChatUnavailableError(
                f"The chat model {self} cannot be reached ({self._quoted(str(why)) or 'no reason is known'}).",
                "See that it runs, and that GOALMEM_CHAT_URL is its address.",
            ),
            again=True,
        )

    def unreadable(self, why: str) -> RequestError:
        """Something came that is no answer at all."""
        return RequestError(ChatReplyError(f"What the chat model {self} sent cannot be read ({why}).", _CHECK_URL))

    def refused(self, status: int, headers: Mapping[str, str], content: str) -> RequestError:
        """An answer with an error's status."""
        rejection = rejection_of(content)
        said = self._quoted(rejection.message)
        says = f"status {status}: {said}" if said else f"status {status}"
        if (status >= 500 or status in _LATER) and status != 501 and rejection.code not in _SPENT:
            return self._later(says, _asked_to_wait(headers))
        problem, remedy = f"The chat model {self} does not take the request ({says}).", _CHECK_URL
        if status in (401, 403):
            problem = f"The chat model {self} does not take the key ({says})."
            remedy = "Set GOALMEM_CHAT_KEY to a key of this endpoint, or unset it where none is needed."
        elif status < 400:
            problem = f"The chat model {self} sends requests on to another address, which is not followed ({says})."
            remedy = "Set GOALMEM_CHAT_URL to the address itself."
        elif rejection.code in _SPENT:
            problem = f"The quota of the chat model {self} is spent ({says})."
            remedy = "See the account that the key belongs to."
        elif status in _REJECTED or status == 413:
            remedy = "See what it says; a prompt that is too long needs a model with a larger context."
        return RequestError(ChatRefusedError(problem, remedy), rejection=rejection if status in _REJECTED else None)

    def _later(self, says: str, wait: float | None) -> RequestError:
        asks = "" if wait is None else f", and asks to wait {wait:.3g} s"
        error = ChatUnavailableError(
            f"The chat model {self} cannot reply now ({says}{asks}).",
            "Try again later, or lower GOALMEM_CHAT_CONCURRENCY.",
        )
        return RequestError(error, again=True, wait=wait)

    def _quoted(self, text: str) -> str:
        """What the endpoint said, short, without the key."""
        if len(self.key) >= _SECRET:
            text = text.replace(self.key, "[key]")
        return " ".join(text.split())[:_QUOTED]


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

"""What the server refuses by itself, before the memory is asked: errors with the HTTP status that they mean.

RefusalError (a GoalmemError)
├── UnauthorizedError       no key, or none that is known
├── ForbiddenError          the key is not for this
├── PreconditionError       what `If-Match` names has changed
├── IdempotencyError        an idempotency key was used before, for something else, or is in use now
├── TooLargeError           the request is larger than allowed
├── MediaTypeError          the content is of another type than can be read
├── BadRequestError         the request is malformed, or comes from where it may not
├── TooManyError            a caller asks more than its share
├── BusyError               too much waits already
├── TooLongError            it took longer than a request may take
├── ClientGoneError         who asked is there no more
└── StoppingError           the server ends
"""

from __future__ import annotations

from goalmem.errors import GoalmemError

__all__ = [
    "BadRequestError",
    "BusyError",
    "ClientGoneError",
    "ForbiddenError",
    "IdempotencyError",
    "MediaTypeError",
    "PreconditionError",
    "RefusalError",
    "StoppingError",
    "TooLargeError",
    "TooLongError",
    "TooManyError",
    "UnauthorizedError",
]


class RefusalError(GoalmemError):
    """A request that is not served."""

    status = 400
    retry_after: int | None = None
    """Seconds after which the same request may succeed."""


class UnauthorizedError(RefusalError):
    """No key, or none that is known. What is wrong with one is not told apart."""

    status = 401

    def __init__(self) -> None:
        super().__init__(
            "The request carries no key that is valid.", "Send `Authorization: Bearer <key>`; see `goalmem keys add`."
        )


class ForbiddenError(RefusalError):
    """The key is not for this."""

    status = 403


class PreconditionError(RefusalError):
    """What `If-Match` names is not what is there now."""

    status = 412

    def __init__(self) -> None:
        super().__init__(
            "The space has changed since the ETag of If-Match was given.",
            "Read again, decide again, and send the new ETag.",
        )


class IdempotencyError(RefusalError):
    """An idempotency key was used before, or is in use now."""

    def __init__(self, problem: str, remedy: str, status: int, retry_after: int | None = None) -> None:
        super().__init__(problem, remedy)
        self.status = status
        self.retry_after = retry_after


class TooLargeError(RefusalError):
    """The request is larger than allowed."""

    status = 413

    def __init__(self, most: int, setting: str) -> None:
        super().__init__(
            f"The request's body is larger than {most:,} bytes.",
            f"Send less at once, upload a file (POST /v1/uploads), or raise {setting}.",
        )


class MediaTypeError(RefusalError):
    """The content is of another type than can be read."""

    status = 415

    def __init__(self) -> None:
        super().__init__("The content is not declared as JSON.", "Send `Content-Type: application/json`.")


class BadRequestError(RefusalError):
    """The request is malformed, or comes from where it may not."""


class TooManyError(RefusalError):
    """A caller asks more than its share."""

    status = 429

    def __init__(self, retry_after: int) -> None:
        super().__init__("This key asks more often than it may.", f"Wait {retry_after} s and go slower.")
        self.retry_after = retry_after


class BusyError(RefusalError):
    """Too much waits already."""

    def __init__(self, problem: str, retry_after: int, *, of_caller: bool = False) -> None:
        super().__init__(problem, f"Try again in {retry_after} s.")
        self.status = 429 if of_caller else 503
        self.retry_after = retry_after


class TooLongError(RefusalError):
    """It took longer than a request may take."""

    status = 503
    retry_after = 5

    def __init__(self, seconds: float) -> None:
        super().__init__(
            f"The request took longer than {seconds:g} s.",
            "Try again later; what it was to write may have been written, and writing it again adds nothing.",
        )


class StoppingError(RefusalError):
    """The server ends; nothing of the request was begun, or it is ended before it is done."""

    status = 503
    retry_after = 5

    def __init__(self, begun: bool = False) -> None:
        how = (
            "the request was ended, and all of it or nothing is stored" if begun else "nothing of the request was begun"
        )
        super().__init__(f"The server is stopping; {how}.", "Send it again in a few seconds.")


class ClientGoneError(RefusalError):
    """Who asked went away before the answer: the work was cancelled. Seen in logs alone."""

    status = 499  # as other servers log it

    def __init__(self) -> None:
        super().__init__(
            "The client went away before it was answered.", "Send the request again, and wait for the answer."
        )

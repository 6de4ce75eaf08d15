"""Errors as `application/problem+json` (RFC 9457)."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping
from http import HTTPStatus

from starlette.responses import Response

from goalmem import errors
from goalmem.errors import GoalmemError
from goalmem.serve.logs import log
from goalmem.serve.refusals import RefusalError

MEDIA_TYPE = "application/problem+json"
PREFIX = "urn:goalmem:problem:"
"""Prefix of `type`, followed by the kind of error, e.g. `not-found`."""

Problem = dict[str, object]

STATUSES: Mapping[type[GoalmemError], int] = {
    errors.NotFoundError: 404,
    errors.ConflictError: 409,
    errors.UnstratifiedError: 409,
    errors.UnreadableRulesError: 422,
    errors.RuleError: 409,
    errors.InputError: 422,
    errors.ProofError: 422,
    errors.BackendError: 409,
    errors.ChatUnavailableError: 503,
    errors.ChatError: 502,
    errors.EmbeddingUnavailableError: 503,
    errors.EmbeddingError: 502,
    errors.ReadOnlyStoreError: 409,
    errors.StoreBusyError: 503,
    errors.StoreClosedError: 503,
    errors.StoreFullError: 507,
    errors.WorkCancelledError: 503,
}
"""HTTP status by error class: that of the nearest ancestor listed here; 500 for other errors."""
RETRY_AFTER: Mapping[type[GoalmemError], int] = {
    errors.ChatUnavailableError: 5,
    errors.EmbeddingUnavailableError: 5,
    errors.StoreBusyError: 2,
    errors.StoreClosedError: 5,
}
_OWN_WORDS: Mapping[int, tuple[str, str]] = {
    400: ("The request is malformed.", "Correct it; /openapi.json describes every call."),
    404: ("There is nothing at this path.", "See /openapi.json for what there is."),
    405: ("This path does not take that method.", "Use a method that the Allow header names."),
    500: ("The server has a defect, or its store is damaged.", "Report it with the request id; the log has more."),
}

OF_STORE = ("The server's store cannot do this.", "Whoever runs the server finds the reason in its log.")


def of_error(error: GoalmemError, request_id: str) -> tuple[Problem, dict[str, str]]:
    """The problem document of an error, and its response headers."""
    status, wait = 500, None
    if isinstance(error, RefusalError):
        status, wait = error.status, error.retry_after
    else:
        kinds = type(error).__mro__
        status = next((STATUSES[k] for k in kinds if k in STATUSES), 500)
        wait = next((RETRY_AFTER[k] for k in kinds if k in RETRY_AFTER), None)
    said = (error.problem, error.remedy)
    if isinstance(error, errors.StoreError | errors.ModelError):
        said = OF_STORE  # its words name files of the server
        log(logging.ERROR, "store", id=request_id, error=type(error).__name__, problem=error.problem)
    kind = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", type(error).__name__.removesuffix("Error")).lower()
    headers = {} if wait is None else {"Retry-After": str(wait)}
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return _problem(kind, status, *said, request_id), headers


def of_status(status: int, request_id: str, detail: str = "", remedy: str = "") -> Problem:
    """The problem of an answer that no error of ours made."""
    said, advice = _OWN_WORDS.get(status, _OWN_WORDS[400 if status < 500 else 500])
    phrase = HTTPStatus(status).phrase
    return _problem(phrase.lower().replace(" ", "-"), status, detail or said, remedy or advice, request_id)


def response_of(problem: Problem, headers: Mapping[str, str] | None = None) -> Response:
    """The problem as an answer."""
    body = json.dumps(problem, ensure_ascii=False).encode("utf-8", "backslashreplace")
    return Response(body, int(str(problem["status"])), headers, MEDIA_TYPE)


def _problem(kind: str, status: int, detail: str, remedy: str, request_id: str) -> Problem:
    title = kind.replace("-", " ").capitalize()
    return {
        "type": PREFIX + kind,
        "title": title,
        "status": status,
        "detail": detail,
        "remedy": remedy,
        "instance": request_id,
    }

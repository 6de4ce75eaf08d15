"""The SPARQL 1.1 protocol over HTTP."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from goalmem.errors import BackendError, InputError

if TYPE_CHECKING:
    import httpx2

__all__ = ["Endpoint", "Row"]

Row = dict[str, dict[str, str]]
"""A solution: variable -> term, as SPARQL's JSON results have them."""
_RESULTS = "application/sparql-results+json"
_BUSY = frozenset({429, 502, 503, 504})
_ATTEMPTS = 3
_PAUSE = 0.5
"""Seconds before a busy endpoint is asked again; twice as long each time."""
_SHOWN = 200
"""Characters of an endpoint's reply that an error shows."""


class Endpoint:
    """Sends queries. Safe to use from several threads."""

    def __init__(self, url: str, *, timeout: float) -> None:
        """Raises InputError for an address that is no http(s) URL, BackendError without the package it needs."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError(f"{url!r} is no address of a SPARQL endpoint.", "Pass an http:// or https:// URL.")
        try:
            import httpx2
        except ImportError as error:
            raise BackendError(
                "A SPARQL endpoint needs a package that is not installed.", "Install it: pip install 'goalmem[rdf]'."
            ) from error
        self._url = url
        self._shown = parts._replace(netloc=parts.hostname + (f":{parts.port}" if parts.port else "")).geturl()
        self._client: httpx2.Client = httpx2.Client(timeout=timeout, follow_redirects=True)

    def select(self, query: str) -> list[Row]:
        """The solutions of a SELECT query. Raises BackendError."""
        try:
            rows = self._asked(query)["results"]["bindings"]
            return [dict(row) for row in rows]
        except (KeyError, TypeError, ValueError) as error:
            raise self._unreadable(error) from error

    def ask(self, query: str) -> bool:
        """The answer of an ASK query. Raises BackendError."""
        try:
            return bool(self._asked(query)["boolean"])
        except (KeyError, TypeError) as error:
            raise self._unreadable(error) from error

    def close(self) -> None:
        """Close its connections."""
        self._client.close()

    def _asked(self, query: str) -> Any:
        response = self._sent(query)
        if response.is_error:
            said = " ".join(response.text[:_SHOWN].split())
            raise BackendError(
                f"The SPARQL endpoint {self._shown} refused a query: HTTP {response.status_code}, {said!r}.",
                "Check its address, and that it speaks SPARQL 1.1.",
            )
        try:
            return response.json()
        except ValueError as error:
            raise self._unreadable(error) from error

    def _sent(self, query: str) -> httpx2.Response:
        """The reply to a query; a busy endpoint, or one that did not answer in time, is asked again."""
        import httpx2

        for attempt in range(_ATTEMPTS):
            last = attempt == _ATTEMPTS - 1
            try:
                response = self._client.post(self._url, data={"query": query}, headers={"Accept": _RESULTS})
                if response.status_code not in _BUSY or last:
                    return response
            except (httpx2.TimeoutException, httpx2.TransportError) as error:
                if last:
                    raise BackendError(
                        f"The SPARQL endpoint {self._shown} cannot be reached: {str(error) or type(error).__name__}.",
                        "Check its address and the network, or allow a longer timeout.",
                    ) from error
            time.sleep(_PAUSE * 2**attempt)
        raise AssertionError("the last attempt returns or raises")

    def _unreadable(self, error: Exception) -> BackendError:
        return BackendError(
            f"What the SPARQL endpoint {self._shown} sent cannot be read ({type(error).__name__}: {error}).",
            f"Check that its address is that of queries and that it offers {_RESULTS}.",
        )

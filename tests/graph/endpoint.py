"""A SPARQL endpoint over pyoxigraph, on this machine alone."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs


@dataclass
class Served:
    """An endpoint that is running, what it was asked, and what it is told to do wrong."""

    store: Any
    url: str = ""
    queries: list[str] = field(default_factory=list)
    failures: list[int] = field(default_factory=list)
    """HTTP codes that it answers with, one a request, before it does its work."""
    body: bytes | None = None
    """What it sends instead of results."""


@contextmanager
def endpoint(store: Any) -> Iterator[Served]:
    """Serve a store of pyoxigraph."""
    served = Served(store)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(served))
    served.url = f"http://127.0.0.1:{server.server_port}/sparql"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _handler(served: Served) -> type[BaseHTTPRequestHandler]:
    import pyoxigraph

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
            served.queries.append(form["query"][0])
            if served.failures:
                self._send(served.failures.pop(0), b"try later")
                return
            try:
                found = served.store.query(form["query"][0])
            except (SyntaxError, ValueError, OSError) as error:
                self._send(400, str(error).encode())
                return
            results = found.serialize(format=pyoxigraph.QueryResultsFormat.JSON)
            self._send(200, results if served.body is None else served.body)

        def _send(self, code: int, body: bytes) -> None:
            self.send_response(code)
            self.send_header("Content-Type", "application/sparql-results+json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments: object) -> None:
            pass

    return Handler

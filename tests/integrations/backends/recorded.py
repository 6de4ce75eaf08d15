"""A server on this machine that answers with what was recorded."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit


@dataclass
class Recorded:
    """Answers by method and path, and the requests that came."""

    answers: dict[tuple[str, str], Any]
    """JSON, or text as it is; an exception that is none of these is a 404."""
    status: int = 200
    seconds: float = 0.0
    """How long each answer takes."""
    asked: list[tuple[str, str, Any]] = field(default_factory=list)
    """Method, path, and what was sent: a body, else the query."""
    headers: list[dict[str, str]] = field(default_factory=list)
    """Of each request, with names in lower case."""
    url: str = ""


@contextmanager
def serving(recorded: Recorded) -> Iterator[Recorded]:
    """Serve until the block is left."""

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            place = urlsplit(self.path)
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            sent = json.loads(body) if body else {k: v[0] for k, v in parse_qs(place.query).items()}
            recorded.asked.append((self.command, place.path, sent))
            recorded.headers.append({name.lower(): value for name, value in self.headers.items()})
            time.sleep(recorded.seconds)
            known = (self.command, place.path) in recorded.answers
            answer = recorded.answers.get((self.command, place.path), {"error": {"message": "not found"}})
            text = answer if isinstance(answer, str) else json.dumps(answer)
            self.send_response(recorded.status if known else 404)
            self.send_header("content-type", "text/html" if isinstance(answer, str) else "application/json")
            self.send_header("content-length", str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())

        def do_GET(self) -> None:
            self.answer()

        def do_POST(self) -> None:
            self.answer()

        def log_message(self, format: str, *args: Any) -> None:
            del format, args

        def handle(self) -> None:
            try:
                super().handle()
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    recorded.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield recorded
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

"""A chat endpoint on the loopback that plays what a test gives it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Asked:
    """A request as it came."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


Act = Callable[["Handler"], None]
LONGEST_WAIT = 30.0
"""Seconds until calls that do not meet go on alone."""


@dataclass
class Endpoint:
    """Plays its acts in order, the last one again and again."""

    acts: list[Act]
    url: str = ""
    asked: list[Asked] = field(default_factory=list)
    at_once: int = 0
    most_at_once: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def next_act(self, asked: Asked) -> Act:
        with self._lock:
            self.asked.append(asked)
            return self.acts[min(len(self.asked), len(self.acts)) - 1]

    def enter(self, step: int) -> None:
        with self._lock:
            self.at_once += step
            self.most_at_once = max(self.most_at_once, self.at_once)


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    endpoint: Endpoint
    asked: Asked
    """What this connection asks at the moment."""
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.asked = Asked(self.path, headers, body)
        act = self.endpoint.next_act(self.asked)
        self.endpoint.enter(1)
        try:
            act(self)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
        finally:
            self.endpoint.enter(-1)

    def send(self, status: int, content: bytes, kind: str = "application/json", **headers: str) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(content)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def serving(*acts: Act) -> Iterator[Endpoint]:
    """An endpoint that plays these acts."""
    endpoint = Endpoint(list(acts))
    handler = type("Bound", (Handler,), {"endpoint": endpoint})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    endpoint.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield endpoint
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def completion(text: Any = "Paris", *, finish: Any = "stop", usage: Any = (11, 3), **message: Any) -> dict[str, Any]:
    """The body of a chat completion."""
    counts = {"prompt_tokens": usage[0], "completion_tokens": usage[1]} if isinstance(usage, tuple) else usage
    said = {"role": "assistant", "content": text, **message}
    return {"model": "served", "choices": [{"message": said, "finish_reason": finish}], "usage": counts}


def says(text: Any = "Paris", **more: Any) -> Act:
    """A completion."""
    return answers(200, completion(text, **more))


def answers(status: int, body: Any, kind: str = "application/json", **headers: str) -> Act:
    """Any answer; a text goes out as it is, all else as JSON."""
    content = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    return lambda handler: handler.send(status, content, kind, **headers)


def rejects(message: str, *, status: int = 400, **error: str) -> Act:
    """An error as OpenAI words it."""
    return answers(status, {"error": {"message": message, **error}})


def hangs_up(handler: Handler) -> None:
    """The connection ends in the middle of the reply."""
    handler.send_response(200)
    handler.send_header("content-type", "application/json")
    handler.send_header("content-length", "5000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [{"mess')
    handler.wfile.flush()
    handler.close_connection = True


def dies(handler: Handler) -> None:
    """The connection ends before anything is said."""
    handler.close_connection = True


def sleeps(seconds: float, then: Act | None = None) -> Act:
    """Silence, then a reply."""

    def act(handler: Handler) -> None:
        time.sleep(seconds)
        (then or says())(handler)

    return act


def meets(calls: int, then: Act | None = None) -> Act:
    """A reply once so many calls have been under way at once: no reply depends on how fast the machine is."""
    met = threading.Event()

    def act(handler: Handler) -> None:
        if handler.endpoint.at_once >= calls:
            met.set()
        met.wait(LONGEST_WAIT)
        (then or says())(handler)

    return act


def trickles(parts: int, pause: float) -> Act:
    """A reply that comes one byte at a time."""

    def act(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "application/json")
        handler.send_header("content-length", str(parts))
        handler.end_headers()
        for _ in range(parts):
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(pause)

    return act

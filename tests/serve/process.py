"""`goalmem serve` as a process, as a user starts it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any
from urllib.request import urlopen

PATIENCE = 120


class Process:
    """A server that runs."""

    def __init__(self, store: Path | str, *arguments: str, **environment: str) -> None:
        self.log = Path(environment.get("GOALMEM_SERVE_DATA", store)).with_suffix(".log").open("ab+")
        before = self.log.tell()
        command = [sys.executable, "-m", "goalmem.cli", "serve", "--store", str(store), "--port", "0", *arguments]
        self.child = subprocess.Popen(command, env=os.environ | environment, stdout=self.log, stderr=self.log)
        self.port = self._port(before)

    def _port(self, before: int) -> int:
        """The port it says that it listens on, and takes calls at."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.child.poll() is None:
            self.log.seek(before)
            found = re.search(rb'"event": "serving".*?"port": (\d+)', self.log.read())
            if found and self.there(int(found[1])):
                return int(found[1])
            time.sleep(0.02)
        self.log.seek(before)
        raise AssertionError(f"the server does not come up: {self.log.read().decode()}")

    @staticmethod
    def there(port: int) -> bool:
        try:
            return told(port, "GET", "/ready")[1]["ready"]
        except OSError:
            return False

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """Status and what was answered."""
        content = json.dumps(body).encode() if body is not None and not isinstance(body, bytes) else body
        given = {"Content-Type": "application/json"} | {n.replace("_", "-"): v for n, v in headers.items()}
        return told(self.port, method, path, content, given)

    def text(self, path: str) -> bytes:
        """What is answered that is not valid JSON."""
        with urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=PATIENCE) as answer:
            return answer.read()

    def end(self, signal: int) -> int:
        """Send a signal and wait; the exit status."""
        self.child.send_signal(signal)
        return self.child.wait(PATIENCE)


def told(port: int, method: str, path: str, content: bytes | None = None, headers: Any = None) -> tuple[int, Any]:
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request(method, path, content, headers or {})
        answer = connection.getresponse()
        return answer.status, json.load(answer)
    except HTTPException as error:
        raise OSError("the server went away") from error
    finally:
        connection.close()


@contextmanager
def running(store: Path | str, *arguments: str, **environment: str) -> Iterator[Process]:
    process = Process(store, *arguments, **environment)
    try:
        yield process
    finally:
        process.child.kill()
        process.child.wait(PATIENCE)
        process.log.close()

"""A server to measure, and a client that takes little of the cores that it shares with it."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

PATIENCE = 120
"""Seconds to wait for a server to be ready."""


@dataclass(frozen=True)
class Served:
    """A server that runs."""

    port: int
    process: subprocess.Popen[bytes]

    def resident(self) -> int:
        """Megabytes that it holds in memory."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") // 2**20

    def seconds(self) -> float:
        """Processor time that it has taken."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rpartition(") ")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def peak(self) -> int:
        """Megabytes that it held at most."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) // 1024


@contextmanager
def served(store: Path, *, warm: bool = True, **settings: object) -> Iterator[Served]:
    """`goalmem serve` on a free port, ready (and with its models loaded)."""
    port = free_port()
    environment = os.environ | {f"GOALMEM_SERVE_{name}".upper(): str(value) for name, value in settings.items()}
    command = [sys.executable, "-m", "goalmem.cli", "serve", "--store", str(store), "--port", str(port)]
    process = subprocess.Popen(command, env=environment | {"GOALMEM_SERVE_LOG": "error"})
    try:
        wait_for(lambda: told_by(port, "/ready").get("warm" if warm else "ready"), process)
        yield Served(port, process)
    finally:
        process.terminate()
        process.wait(PATIENCE)


def free_port() -> int:
    """A port that nothing listens on."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


def told_by(port: int, path: str) -> dict[str, Any]:
    """What a server answers; nothing while there is none."""
    try:
        with urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
            told: dict[str, Any] = json.load(answer)
            return told
    except (URLError, OSError):
        return {}


def loaded(port: int) -> bool:
    """Whether the models of a server are loaded."""
    return bool(told_by(port, "/ready").get("warm"))


def wait_for(holds: Callable[[], object], process: subprocess.Popen[bytes]) -> None:
    """Return when it holds."""
    end = time.monotonic() + PATIENCE
    while not holds():
        if process.poll() is not None or time.monotonic() > end:
            raise SystemExit(f"The server is not ready (status {process.poll()}).")
        time.sleep(0.01)


class Connection:
    """One connection that is kept."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, key: str = "") -> None:
        self.reader = reader
        self.writer = writer
        self.key = key

    async def send(self, method: str, path: str, body: object, **headers: str) -> int:
        """Send a request; the status."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        given = {"Host": "localhost", "Content-Type": "application/json", "Content-Length": str(len(content))}
        given |= {"Authorization": f"Bearer {self.key}"} if self.key else {}
        lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in (given | headers).items())]
        self.writer.write("\r\n".join([*lines, "", ""]).encode() + content)
        self.head = (await self.reader.readuntil(b"\r\n\r\n")).decode().lower()
        return int(self.head.split(" ", 2)[1])

    async def post(self, path: str, body: object, once: str = "") -> tuple[int, Any]:
        """Send a request, under an idempotency key; the status and what was answered."""
        headers = {"Idempotency-Key": once} if once else {}
        return await self.answered(await self.send("POST", path, body, **headers))

    async def get(self, path: str) -> tuple[int, Any]:
        """Ask for something; the status and what was answered."""
        return await self.answered(await self.send("GET", path, b""))

    async def answered(self, status: int) -> tuple[int, Any]:
        """The status and the body."""
        length = int(self.head.partition("content-length:")[2].partition("\r\n")[0])
        return status, json.loads(await self.reader.readexactly(length))

    async def events(self, path: str, body: object) -> list[str]:
        """Names of the events of a stream."""
        status = await self.send("POST", path, body, Accept="text/event-stream")
        if status != 200:
            return [f"status {status}"]
        found = []
        while size := int(await self.reader.readline(), 16):
            part = await self.reader.readexactly(size + 2)
            found += [line[7:].decode() for line in part.split(b"\n") if line.startswith(b"event: ")]
        await self.reader.readline()
        return found


@asynccontextmanager
async def connected(port: int, key: str = "") -> AsyncIterator[Connection]:
    """A connection to a server."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**24)
    try:
        yield Connection(reader, writer, key)
    finally:
        writer.close()

"""Firefox, driven by WebDriver BiDi (w3.org/TR/webdriver-bidi), which it speaks itself: no other driver is needed."""

from __future__ import annotations

import json
import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

LISTENING = re.compile(r"WebDriver BiDi listening on (ws://\S+)")
KEYS = {"Enter": "\ue007", "Tab": "\ue004", "ArrowDown": "\ue015", "Escape": "\ue00c"}
PATIENCE = 120.0
"""Seconds until something that should appear counts as missing."""


class Firefox:
    """One tab."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        self._number = 0
        self.call("session.new", capabilities={})
        self._tab = self.call("browsingContext.getTree")["contexts"][0]["context"]

    def call(self, method: str, **params: Any) -> Any:
        """The result of a command. Raises AssertionError for an error."""
        self._number += 1
        self._connection.send(json.dumps({"id": self._number, "method": method, "params": params}))
        while True:
            told = json.loads(self._connection.recv(PATIENCE))
            if told.get("id") == self._number:
                assert told["type"] == "success", told
                return told["result"]

    def goto(self, url: str) -> None:
        """Open an address, and wait until it is loaded."""
        self.call("browsingContext.navigate", context=self._tab, url=url, wait="complete")

    def run(self, script: str) -> Any:
        """The value of an expression, awaited; it must be JSON."""
        found = self.call(
            "script.evaluate",
            expression=f"(async () => JSON.stringify(await ({script})))()",
            target={"context": self._tab},
            awaitPromise=True,
        )
        assert found["type"] == "success", found
        value = found["result"].get("value")
        return None if value is None else json.loads(value)

    def wait(self, script: str) -> None:
        """Until an expression is true."""
        end = time.monotonic() + PATIENCE
        while not self.run(f"Boolean({script})"):
            assert time.monotonic() < end, f"never: {script}"
            time.sleep(0.05)

    def see(self, selector: str) -> None:
        """Until an element is there."""
        self.wait(f"document.querySelector({json.dumps(selector)})")

    def press(self, *keys: str) -> None:
        """Press and release keys, by name or each character of a text."""
        values = [KEYS[k] for k in keys if k in KEYS] if all(k in KEYS for k in keys) else list("".join(keys))
        actions = [{"type": kind, "value": value} for value in values for kind in ("keyDown", "keyUp")]
        self.call(
            "input.performActions", context=self._tab, actions=[{"type": "key", "id": "keys", "actions": actions}]
        )


@contextmanager
def firefox(command: str, folder: Path) -> Iterator[Firefox]:
    """A Firefox with a profile of its own in a folder."""
    (folder / "profile").mkdir()
    log = folder / "firefox.log"
    arguments = [
        command,
        "--headless",
        "--no-remote",
        "--remote-debugging-port",
        "0",
        "--profile",
        str(folder / "profile"),
    ]
    with log.open("wb") as told:
        process = subprocess.Popen(
            arguments, stdout=told, stderr=told, env={"HOME": str(folder), "PATH": "/usr/bin:/bin"}
        )
    try:
        with connect(
            f"{_address(process, log)}/session", max_size=None, open_timeout=PATIENCE, proxy=None
        ) as connection:
            yield Firefox(connection)
    finally:
        process.terminate()
        process.wait()


def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    while process.poll() is None:
        if found := LISTENING.search(log.read_text(encoding="utf-8", errors="replace")):
            return found[1]
        time.sleep(0.05)
    raise AssertionError(f"Firefox did not start: {log.read_text(encoding='utf-8', errors='replace')}")

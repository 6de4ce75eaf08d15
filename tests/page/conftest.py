"""The real page of a real server in a real browser. Skipped where Playwright or Chromium is not installed.

Playwright's sync calls leave an event loop running in their thread, in which no other test could start one. So the
browser lives in a thread of its own, and the tests of this folder run in it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.page.memories import fill

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
QUIET = (
    "--no-sandbox",  # tests may run as root
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE = 60_000
"""Milliseconds until something that should appear counts as missing: the first question of a server loads models."""


@pytest.fixture(scope="session")
def thread() -> Iterator[Executor]:
    """Where the browser and its tests run."""
    with ThreadPoolExecutor(1, thread_name_prefix="browser") as pool:
        yield pool


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Tests that use the browser run in its thread."""
    if "thread" not in pyfuncitem.fixturenames:
        return None
    names = pyfuncitem._fixtureinfo.argnames
    given = {name: pyfuncitem.funcargs[name] for name in names}
    pyfuncitem.funcargs["thread"].submit(pyfuncitem.obj, **given).result()
    return True


@pytest.fixture(scope="session")
def browser(thread: Executor) -> Iterator[Browser]:
    """Debian's Chromium, or another that is installed."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.skip("no Chromium is installed")
    started = thread.submit(playwright.sync_playwright().start).result()
    launched = thread.submit(lambda: started.chromium.launch(executable_path=found, args=list(QUIET))).result()
    yield launched
    thread.submit(launched.close).result()
    thread.submit(started.stop).result()


@pytest.fixture(scope="session")
def address(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server over a small memory; started only where there is a browser to look at it."""
    pytest.importorskip("uvicorn", reason="the extra `serve` is not installed")
    store = tmp_path_factory.mktemp("page") / "page.goalmem"
    fill(store)
    with served(store) as address:
        yield address


@contextmanager
def served(store: Path) -> Iterator[str]:
    """A server over a store: its address."""
    command = [sys.executable, "-m", "goalmem.cli", "serve", "--store", str(store), "--port", "0"]
    surroundings = {k: v for k, v in os.environ.items() if not k.startswith("GOALMEM_")}
    surroundings |= {"GOALMEM_SERVE_RATE": "10000", "GOALMEM_ASK_SECONDS": "60"}  # faster than people, on slow machines
    log = store.with_suffix(".log")
    with log.open("wb") as told:
        server = subprocess.Popen(command, stdout=told, stderr=subprocess.STDOUT, env=surroundings)
        try:
            yield f"http://127.0.0.1:{_port(server, log)}"
        finally:
            server.terminate()
            server.wait()


def _port(server: subprocess.Popen[bytes], log: Path) -> int:
    """The port that the server took, as soon as it tells it."""
    while server.poll() is None:
        for line in log.read_text(encoding="utf-8").splitlines():
            if '"serving"' in line:
                return int(json.loads(line)["port"])
        time.sleep(0.05)
    raise AssertionError(f"the server did not start: {log.read_text(encoding='utf-8')}")


@pytest.fixture
def page(browser: Browser, address: str, thread: Executor) -> Iterator[Page]:
    """A page in a fresh context, at the server's own address. What it logs as an error fails the test."""
    wrong: list[str] = []
    context = thread.submit(
        lambda: browser.new_context(viewport={"width": 1280, "height": 860}, base_url=address)
    ).result()

    def opened() -> Page:
        shown = context.new_page()
        shown.set_default_timeout(PATIENCE)
        shown.on("pageerror", lambda error: wrong.append(str(error)))
        shown.on("console", lambda line: wrong.append(line.text) if "Content Security Policy" in line.text else None)
        shown.on("request", lambda r: None if r.url.startswith((address, "blob:")) else wrong.append(r.url))
        return shown

    yield thread.submit(opened).result()
    thread.submit(context.close).result()
    assert not wrong, wrong

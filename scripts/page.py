"""The page of `goalmem serve` on the demo's memory: screenshots for the README, and how fast it is.

    python scripts/page.py screenshots docs/images
    python scripts/page.py figures

Needs Playwright from PyPI (`pip install playwright`) and a Chromium on the PATH. Nothing is asked of another host.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
)
QUESTION = "How many pets does Odalys have?"
QUESTIONS = (
    QUESTION,
    "Should Bram eat the paella?",
    "Where does Bram work now?",
    "Who made the lamp?",
    "When is Teun's wedding?",
)
ROUNDS = 5
"""How often each thing is measured; the median counts."""


def main() -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, dest="what")
    commands.add_parser("screenshots").add_argument("folder", type=Path)
    commands.add_parser("figures")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, served(Path(scratch)) as address, browser() as opened:
        if given.what == "screenshots":
            given.folder.mkdir(parents=True, exist_ok=True)
            screenshots(opened, address, given.folder)
        else:
            sys.stdout.write(json.dumps(figures(opened, address), indent=1) + "\n")


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """A server over the demo's memory, filled anew."""
    store, log = folder / "demo.goalmem", folder / "log"
    surroundings = {k: v for k, v in os.environ.items() if not k.startswith("GOALMEM_")} | {
        "GOALMEM_SERVE_RATE": "10000"
    }
    goalmem = [sys.executable, "-m", "goalmem.cli"]
    filled = [*goalmem, "demo", "--store", str(store)]
    subprocess.run(filled, check=True, capture_output=True, env=surroundings)  # our own command
    with log.open("wb") as told:
        command = [*goalmem, "serve", "--store", str(store), "--port", "0"]
        server = subprocess.Popen(command, stdout=told, stderr=subprocess.STDOUT, env=surroundings)
    try:
        while (port := port_in(log.read_text())) is None:
            if server.poll() is not None:
                raise SystemExit(f"The server did not start:\n{log.read_text()}")
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()


def port_in(log: str) -> int | None:
    """The port that a server told in its log, once it has."""
    told = [line for line in log.splitlines() if '"serving"' in line]
    return int(json.loads(told[0])["port"]) if told else None


@contextmanager
def browser() -> Iterator[Browser]:
    """A Chromium that is installed."""
    from playwright.sync_api import sync_playwright

    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        raise SystemExit("No Chromium is installed: apt-get install chromium")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=found, args=list(QUIET))
        yield launched
        launched.close()


# -- screenshots -------------------------------------------------------------------------------------------------------


def screenshots(opened: Browser, address: str, folder: Path) -> None:
    """What the README and docs/page.md show, in light and in dark."""
    # The first question of a server loads models: no picture of every day.
    ask(opened.new_page(base_url=address), QUESTION)
    for name, scheme in (("page-proof", "light"), ("page-proof-dark", "dark")):
        context = opened.new_context(
            viewport={"width": 1280, "height": 860},
            color_scheme="dark" if scheme == "dark" else "light",
            reduced_motion="reduce",
            base_url=address,
        )
        page = context.new_page()
        evidence(page)
        page.mouse.move(0, 0)
        page.wait_for_timeout(300)
        page.screenshot(path=folder / f"{name}.png")
        context.close()


def ask(page: Page, question: str) -> None:
    """Ask, and wait for the whole tree."""
    if page.url == "about:blank":
        page.goto("/")
        page.wait_for_selector(".start")
    page.fill("#question", question)
    page.press("#question", "Enter")
    page.wait_for_function("q => document.querySelector('.headline .asked')?.textContent === q", arg=question)
    page.wait_for_selector("[role=tree]")
    page.evaluate("document.activeElement.blur()")


def evidence(page: Page) -> None:
    """A checked proof, and beside it where one of its quotations was taken from."""
    ask(page, QUESTION)
    page.click("[data-shortcut=verify]")
    page.wait_for_selector(".outcome.good")
    page.locator(".is-quote > .row").last.click()
    page.wait_for_selector(".turn.picked")
    page.evaluate("scrollTo(0, 0); document.activeElement.blur()")


# -- figures -----------------------------------------------------------------------------------------------------------


def figures(opened: Browser, address: str) -> dict[str, object]:
    """First paint, and from asking to the whole tree, in milliseconds, as the browser's Performance API has them."""
    paints = [first_paint(opened, address) for _ in range(ROUNDS)]
    page = opened.new_page(base_url=address)
    for question in QUESTIONS:  # models load with the first question of a server, not of a page
        ask(page, question)
    asked = {question: statistics.median(ask_to_tree(page, question) for _ in range(ROUNDS)) for question in QUESTIONS}
    return {
        "first paint": {"median": round(statistics.median(paints)), "best": round(min(paints))},
        "ask to tree": {question: round(ms) for question, ms in asked.items()},
        "ask to tree, slowest": round(max(asked.values())),
        "load average": os.getloadavg()[0],
    }


def first_paint(opened: Browser, address: str) -> float:
    """Of a page in a browser that has nothing of it yet."""
    context = opened.new_context(base_url=address)
    page = context.new_page()
    page.goto("/")
    page.wait_for_selector(".start")
    painted = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    context.close()
    return float(painted)


def ask_to_tree(page: Page, question: str) -> float:
    """From the key press to the drawn tree; the page measures it."""
    ask(page, question)
    return float(page.evaluate("performance.getEntriesByName('goalmem.ask-to-tree').at(-1).duration"))


if __name__ == "__main__":
    main()

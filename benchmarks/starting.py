"""What a command costs that starts fresh: processor seconds and memory, without a server and with one; and what an install holds.

    python benchmarks/starting.py [--runs N] [--markdown]

What a question needs is also measured part by part, one after another in a process of its own: each part without those above it.

Each command runs over the demo's conversation in processes of its own, the cheapest of N runs counts. Seconds are of the processor,
children included, and beside them stands how many times as long they are as a start of Python itself, which other load on the machine
changes less. Commands may keep compiled modules (`PYTHONDONTWRITEBYTECODE` is taken out of their environment), as an install does.
Packages are those that goalmem needs without extras, and what these need, in this environment. Where PyTorch is installed,
spaCy imports it, too: measure in an environment that holds a plain install.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

from packaging.requirements import Requirement

RUNS = 3
PATIENCE = 120.0
"""Seconds in which a server comes up."""
LARGEST = 6
"""Packages that are named by size."""
QUESTION = "Where does Odalys's sister live?"
COMMANDS: Mapping[str, Sequence[str]] = {
    "search": ("search", "the dog"),
    "ask": ("ask", QUESTION),
}

PARTS: Mapping[str, str] = {
    "the command line": "import goalmem.cli.app as app, gc; gc.set_threshold(*app.GARBAGE)",
    "the façade": "import goalmem.memory",
    "spaCy, imported": "from goalmem.language.spacy_import import import_spacy; import_spacy()",
    "its model, opened": "from goalmem.language import Analyzer; Analyzer().docs(['Tea.'])",
    "the embedding model, opened": "from goalmem.models.minilm import MiniLM; MiniLM().embed(['Tea.'])",
    "the searcher, imported": "import goalmem.retrieve.search",
    "the answering, imported": "import goalmem.answering.utterance",
    "the reader, opened": "from goalmem.models.span_reader import MiniLMReader; MiniLMReader().read([('What?', 'Tea.')])",
    "the judge, opened": "from goalmem.models.minilm_judge import MiniLMJudge; MiniLMJudge().digest",
}
"""What runs in the order in which a question needs it."""


@dataclass(frozen=True)
class Cost:
    """Of one process."""

    seconds: float
    """Of the processor."""
    megabytes: float
    """Of memory, at most."""


def cost(arguments: Sequence[str], runs: int) -> Cost:
    """What a program costs in the cheapest of some runs."""
    found = []
    for _ in range(runs):
        with subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        found.append(
            Cost(used.ru_utime + used.ru_stime, used.ru_maxrss / (2**20 if sys.platform == "darwin" else 1024))
        )
    return min(found, key=lambda one: one.seconds)


def parts(runs: int) -> dict[str, float]:
    """Processor seconds of each part, in the cheapest of some runs."""
    lines = ["import time", "seconds = [time.process_time()]"]
    for code in PARTS.values():
        lines += [code, "seconds.append(time.process_time())"]
    program = "\n".join([*lines, "print(*seconds)"])
    found = []
    for _ in range(runs):
        done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
        seconds = [float(word) for word in done.stdout.split()]
        found.append([after - before for before, after in pairwise(seconds)])
    return dict(zip(PARTS, map(min, zip(*found, strict=True)), strict=True))


@contextmanager
def served(store: Path) -> Iterator[None]:
    """A server that commands use, with its models loaded."""
    command = [sys.executable, "-m", "goalmem.cli", "serve", "--store", str(store), "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as server:
        try:
            end = time.monotonic() + PATIENCE
            while not os.path.lexists(f"{store}.serve/commands.sock") and time.monotonic() < end:
                time.sleep(0.1)
            for arguments in COMMANDS.values():
                subprocess.run(
                    [sys.executable, "-m", "goalmem.cli", *arguments, "--store", str(store)],
                    capture_output=True,
                    check=False,
                )
            yield
        finally:
            server.terminate()


def needed(name: str, found: dict[str, Distribution]) -> dict[str, Distribution]:
    """A distribution and what it needs without extras, by name."""
    key = re.sub(r"[-_.]+", "-", name).lower()
    if key in found:
        return found
    try:
        found[key] = distribution(name)
    except PackageNotFoundError:
        return found
    for line in found[key].requires or ():
        requirement = Requirement(line)
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            needed(requirement.name, found)
    return found


def megabytes(package: Distribution) -> float:
    """The files of a distribution on disk."""
    places = (Path(str(package.locate_file(file))) for file in package.files or ())
    return sum(place.stat().st_size for place in places if place.is_file()) / 1e6


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--markdown", action="store_true", help="a table for the documentation")
    options = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    python = cost([sys.executable, "-c", "pass"], max(5, options.runs))
    rows = [("Python itself", python)]
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "demo.goalmem"
        chat = str(files("goalmem.demo").joinpath("data", "conversation.jsonl"))
        subprocess.run(
            [sys.executable, "-m", "goalmem.cli", "add", chat, "--store", str(store)], check=True, capture_output=True
        )
        command = [sys.executable, "-m", "goalmem.cli"]
        rows.append(("`goalmem --help`", cost([*command, "--help"], options.runs)))
        for name, arguments in COMMANDS.items():
            rows.append((f"`{name}`, no server", cost([*command, *arguments, "--store", str(store)], options.runs)))
        with served(store):
            for name, arguments in COMMANDS.items():
                rows.append(
                    (f"`{name}`, a server runs", cost([*command, *arguments, "--store", str(store)], options.runs))
                )
    mark = "| " if options.markdown else ""
    if options.markdown:
        print(
            "| command | processor time | times that of a start of Python | peak memory |",
            "| --- | ---: | ---: | ---: |",
            sep="\n",
        )
    for name, one in rows:
        print(f"{mark}{name} | {one.seconds:.2f} s | {one.seconds / python.seconds:.0f} | {one.megabytes:.0f} MB |")
    for name, seconds in parts(options.runs).items():
        print(f"{mark}of it {name} | {seconds:.2f} s | {seconds / python.seconds:.0f} | |")
    packages = {name: megabytes(package) for name, package in needed("goalmem", {}).items()}
    largest = sorted(packages.items(), key=lambda item: -item[1])[:LARGEST]
    print(f"{mark}plain install | {len(packages)} packages | | {sum(packages.values()):.0f} MB |")
    print(
        ("\n" if options.markdown else "") + "Largest: " + ", ".join(f"{name} {size:.0f} MB" for name, size in largest)
    )


if __name__ == "__main__":
    main()

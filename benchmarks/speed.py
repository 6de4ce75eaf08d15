"""The speed figures, side by side in one run.

    make bench, or
    python benchmarks/speed.py [--json OUT] [--markdown] [--locomo PATH] [--quick]

The bundled demo conversation is remembered and asked about; search is measured over synthetic turns
(benchmarks/search.py), durability by killing a process that adds (benchmarks/crash.py). Every figure comes with the
machine that it was measured on. Ends with status 1 when something acknowledged was lost.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import io
import json
import os
import platform
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import partial
from importlib.resources import files
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from goalmem import Memory
from goalmem.demo.show import read_questions
from goalmem.io import Options, read_chat
from goalmem.language import Analyzer
from goalmem.models.minilm import MiniLM, usable_cores
from goalmem_lab.evals.locomo_data import read_locomo

HERE = Path(__file__).parent
SPACE = "bench"
SEARCHED, QUICKLY_SEARCHED = 100_000, 5_000
KILLS, QUICK_KILLS = 5, 2
ROUNDS, QUICK_ROUNDS = 3, 1
STARTS = 5
ADDING, CALLS, CALL = 4, 10, 5
"""Processes that add at once, calls of each, messages of a call."""
PATIENCE = 3600
"""Seconds that a part measured in a process of its own may take."""
WIDTH = 120
"""Characters of a table that is not shown on a terminal."""
WARM_UP = "Who is there?"
FIRST_SEARCH = """
import sys
from goalmem import Memory
with Memory(sys.argv[1]) as memory:
    assert memory.search("What happened in spring?", space=sys.argv[2])
"""
LIBRARIES = ("goalmem", "numpy", "onnxruntime", "spacy")


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation: its sessions as `Memory.add` takes them, and questions about it."""

    name: str
    sessions: tuple[tuple[str, datetime | None, list[dict[str, Any]]], ...]
    questions: tuple[str, ...]

    @property
    def turns(self) -> int:
        """Messages in all sessions."""
        return sum(len(messages) for _, _, messages in self.sessions)


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured number. `aim` is what it should reach, where something is aimed at."""

    key: str
    measure: str
    value: float
    unit: str
    aim: str = ""
    detail: str = ""

    @property
    def shown(self) -> str:
        """Value and unit."""
        digits = 0 if abs(self.value) >= 100 or self.value == int(self.value) else 1 if abs(self.value) >= 10 else 2
        return f"{self.value:,.{digits}f} {self.unit}".rstrip()


@dataclass
class Recording:
    """An embedder that notes what it is asked for, so that embedding alone can be measured on the same texts."""

    behind: MiniLM
    asked: list[list[str]] = field(default_factory=list)

    @property
    def name(self) -> str:
        """As of the embedder behind."""
        return self.behind.name

    @property
    def dimension(self) -> int:
        """As of the embedder behind."""
        return self.behind.dimension

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of the embedder behind."""
        self.asked.append(list(texts))
        return self.behind.embed(texts)


@dataclass
class Spent:
    """Seconds that some work took in all: of the clock, and of all processors."""

    wall: float = 0.0
    cpu: float = 0.0

    def on(self, work: Callable[[], object]) -> None:
        """Do it, and add what it took."""
        cpu = time.process_time()
        self.wall += seconds(work)
        self.cpu += time.process_time() - cpu


# -- what is measured ------------------------------------------------------------------------------------------------


def demo() -> Talk:
    """The conversation that ships with the package."""
    file = files("goalmem.demo") / "data" / "conversation.jsonl"
    read = read_chat(io.BytesIO(file.read_bytes()), Options(name=file.name))
    sessions = tuple((c.session, c.at, [dict(m) for m in c.messages]) for c in read)
    return Talk("demo", sessions, tuple(q.question for q in read_questions()))


def locomo(path: Path) -> Talk:
    """The first conversation of a LoCoMo file."""
    first = read_locomo(path)[0]
    sessions = tuple((s.session, s.at, [dict(m) for m in s.messages]) for s in first.sessions)
    return Talk(f"LoCoMo {first.id}", sessions, tuple(q.text for q in first.questions))


def remember(memory: Memory, talk: Talk) -> None:
    """Add every session, one call each."""
    for name, at, messages in talk.sessions:
        memory.add(messages, space=SPACE, session=name, at=at)


def talking(talk: Talk, rounds: int, folder: Path) -> Iterator[Figure]:
    """Ingest beside what it is made of, then asking; medians over rounds, which take turns."""
    analyzer, model = Analyzer(), MiniLM()
    analyzer.docs([WARM_UP])
    model.embed([WARM_UP])
    texts = [[str(m["content"]) for m in messages] for _, _, messages in talk.sessions]
    ingest, alone, embedding, cpu, asked = [], [], [], [], []
    for number in range(rounds):
        recording = Recording(model)
        path = folder / f"{talk.name.split()[0]}-{number}.goalmem"
        with Memory(path, analyzer=analyzer, embedder=recording) as memory:
            began = time.process_time()
            ingest.append(seconds(partial(remember, memory, talk)))
            cpu.append(time.process_time() - began)
            passages, recording.asked = recording.asked, []
            memory.ask(WARM_UP, space=SPACE)
            asked += [1000 * memory.ask(question, space=SPACE).seconds for question in talk.questions]
        alone.append(seconds(partial(each, analyzer.docs, texts)))
        embedding.append(seconds(partial(each, model.embed, passages)))
    whole, parse, embed = median(ingest), median(alone), median(embedding)
    key, of = talk.name.split()[0].casefold(), f"{talk.name}, {talk.turns} turns"
    yield Figure(f"{key}_ingest", "ingest, all indexes durable", talk.turns / whole, "turns/s", "≥ 60 turns/s", of)
    yield Figure(f"{key}_spacy", "spaCy alone", talk.turns / parse, "turns/s", detail="the same texts and batches")
    yield Figure(f"{key}_embed", "embedding alone", talk.turns / embed, "turns/s", detail="the same passages")
    yield Figure(f"{key}_ratio", "ingest / (spaCy + embedding)", whole / (parse + embed), "times", detail="of seconds")
    yield Figure(f"{key}_cpu", "processor time of ingest", 1000 * median(cpu) / talk.turns, "ms/turn")
    several = f"{of}, {len(talk.questions)} questions × {rounds}"
    yield Figure(f"{key}_ask_p50", "ask, median", percentile(asked, 50), "ms", "≤ 300 ms", several)
    yield Figure(f"{key}_ask_p95", "ask, 95th percentile", percentile(asked, 95), "ms")
    yield Figure(f"{key}_resident", "resident memory after it", resident(), "MB", detail="peak of this process")


def against_embedding(talk: Talk, rounds: int, folder: Path) -> Iterator[Figure]:
    """Ingest as a user's is, against embedding the same passages with every core; the two take turns, session by session."""
    analyzer, model = Analyzer(), MiniLM(threads=usable_cores())
    recording = Recording(model)
    with Memory(folder / "embedded.goalmem", analyzer=analyzer, embedder=recording) as memory:
        remember(memory, talk)  # also loads all that is loaded once
    wall, cpu = [], []
    for number in range(rounds):
        ingest, alone = Spent(), Spent()
        with Memory(folder / f"against-{number}.goalmem", analyzer=analyzer) as memory:
            memory.add(WARM_UP, space="warm-up")
            for (name, at, messages), passages in zip(talk.sessions, recording.asked, strict=True):
                alone.on(partial(model.embed, passages))
                ingest.on(partial(memory.add, messages, space=SPACE, session=name, at=at))
        wall.append(ingest.wall / alone.wall)
        cpu.append(ingest.cpu / alone.cpu)
    of = f"{talk.name}, {talk.turns} turns, taking turns, median of {rounds}"
    yield Figure("ingest_to_embedding_ratio", "ingest / embedding alone on all cores", median(wall), "times", "≤ 2", of)
    yield Figure("ingest_to_embedding_cpu", "the same of processor time", median(cpu), "times")


def searching(turns: int, folder: Path) -> Iterator[Figure]:
    """Search over many turns, in a process of its own."""
    found = script("search.py", folder, "--turns", str(turns))
    of = f"{turns:,} turns in one space, query embedding included"
    yield Figure("search_p50", "search, median", found["search_p50_ms"], "ms", "≤ 40 ms", of)
    yield Figure("search_p95", "search, 95th percentile", found["search_p95_ms"], "ms")
    yield Figure("search_first", "first search, building the index", found["first_search_s"], "s")
    yield Figure("search_resident", "resident memory of it", found["memory_mb"]["searched"], "MB")
    yield Figure("search_file", "size of the file", found["file_mb"], "MB")


def starting(talk: Talk, folder: Path) -> Iterator[Figure]:
    """Import, open and first search in a fresh process."""
    path = folder / "start.goalmem"
    with Memory(path) as memory:
        remember(memory, talk)
    command = [sys.executable, "-c", FIRST_SEARCH, str(path), SPACE]
    spent = [seconds(partial(subprocess.run, command, check=True, timeout=PATIENCE)) for _ in range(STARTS)]
    of = f"fresh process, median of {STARTS}"
    yield Figure("start", "import, open, first search", median(spent), "s", "≤ 2 s", of)


def crashing(kills: int, folder: Path) -> Iterator[Figure]:
    """A process that adds is killed; what it was told is stored must be there."""
    found = script("crash.py", folder, "--kills", str(kills))
    lost = sum(found[name] for name in ("lost", "partial_calls", "unsound", "wrong_readds"))
    of = f"{found['kills']} kills, {found['acknowledged']} acknowledged turns"
    yield Figure("crash_lost", "lost, half stored or unsound after kills", lost, "", "0", of)


def adding_at_once(folder: Path) -> Iterator[Figure]:
    """Several processes add to one file at once; nothing may be lost."""
    path = folder / "shared.goalmem"
    Memory(path).close()
    command = [sys.executable, __file__, "--child", str(path)]
    began = time.perf_counter()
    children = [subprocess.Popen([*command, f"s{n}"], stderr=subprocess.PIPE, text=True) for n in range(ADDING)]
    errors = [child.communicate(timeout=PATIENCE)[1] for child in children]
    spent = time.perf_counter() - began
    wanted = ADDING * CALLS * CALL
    with Memory(path) as memory:
        lost = wanted - memory.stats(space=SPACE).turns + len(memory.check())
    failed = sum(child.returncode != 0 for child in children)
    for error in filter(str.strip, errors):
        print(error, file=sys.stderr)
    of = f"{ADDING} processes, {wanted} turns, start included"
    yield Figure("adding_rate", "processes adding to one file at once", wanted / spent, "turns/s", detail=of)
    yield Figure("adding_lost", "their turns lost, and errors", lost + failed, "", "0")


def add_some(path: str, session: str) -> None:
    """What one of the processes that add at once does."""
    with Memory(path) as memory:
        for call in range(CALLS):
            messages = [
                {"role": "user", "name": "Maya", "content": f"On walk {call * CALL + n} of {session} I met Tom."}
                for n in range(CALL)
            ]
            memory.add(messages, space=SPACE, session=session)


# -- measuring -------------------------------------------------------------------------------------------------------


def seconds(work: Callable[[], object]) -> float:
    """Wall-clock time of some work."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def each(work: Callable[[list[str]], object], batches: Sequence[list[str]]) -> None:
    """Do it for every batch."""
    for batch in batches:
        work(batch)


def percentile(values: Sequence[float], share: float) -> float:
    """The value that so many percent are not above."""
    return float(np.percentile(values, share))


def resident() -> float:
    """Peak resident memory of this process in MB."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / 2**20 if sys.platform == "darwin" else most / 2**10


def script(name: str, folder: Path, *options: str) -> dict[str, Any]:
    """The figures of another benchmark, run in a process of its own."""
    out = folder / f"{name}.json"
    done = subprocess.run(
        [sys.executable, str(HERE / name), *options, "--json", str(out)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    if not out.exists():
        raise SystemExit(f"{name} ended with status {done.returncode}:\n{done.stderr}")
    figures: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return figures


def machine() -> dict[str, str]:
    """What the figures were measured on, and what else it was doing."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    model = next((line.partition(": ")[2] for line in lines if line.startswith("model name")), platform.processor())
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "machine": platform.node(),
        "processor": f"{model or platform.machine()}, {platform.system()} {platform.release()}",
        "cores": f"{usable} usable of {os.cpu_count()}",
        "load before": " ".join(f"{load:.2f}" for load in os.getloadavg()),
        "Python": platform.python_version(),
        "libraries": ", ".join(f"{name} {importlib.metadata.version(name)}" for name in LIBRARIES),
    }


# -- showing ---------------------------------------------------------------------------------------------------------


def show(host: dict[str, str], figures: Sequence[Figure], out: Console) -> None:
    """The machine, then a table."""
    for name, value in host.items():
        out.print(f"[bold]{name:>12}[/]  {value}", highlight=False)
    table = Table("measure", box=None, header_style="bold", pad_edge=False)
    table.add_column("figure", justify="right", style="cyan", no_wrap=True)
    table.add_column("aim", style="dim")
    table.add_column("of", style="dim")
    for f in figures:
        table.add_row(f.measure, f.shown, f.aim, f.detail)
    out.print(table)


def markdown(host: dict[str, str], figures: Sequence[Figure]) -> str:
    """The same as docs/benchmarks.md holds it, without the machine's own name."""
    rows = [f"| {f.measure} | {f.shown} | {f.aim} | {f.detail} |" for f in figures]
    facts = [f"- {name}: {value}" for name, value in host.items() if name != "machine"]
    lines = [*facts, "", "| measure | figure | aim | of |", "| --- | ---: | --- | --- |", *rows]
    return "\n".join(re.sub(r"\|(?:  (?=\|))", "| ", line) for line in lines)


def measured(options: argparse.Namespace, folder: Path, out: Console) -> Iterator[Figure]:
    """Every figure, part by part."""
    rounds = QUICK_ROUNDS if options.quick else ROUNDS
    turns = options.turns or (QUICKLY_SEARCHED if options.quick else SEARCHED)
    talks = [demo(), *([locomo(options.locomo)] if options.locomo else [])]
    parts: list[tuple[str, Callable[[], Iterator[Figure]]]] = [
        *((f"remember and ask: {t.name}", partial(talking, t, rounds, folder)) for t in talks),
        ("ingest against embedding", partial(against_embedding, talks[-1], rounds, folder)),
        ("start", partial(starting, talks[0], folder)),
        (f"search {turns:,} turns", partial(searching, turns, folder)),
        ("add at once", partial(adding_at_once, folder)),
        ("kill", partial(crashing, options.kills or (QUICK_KILLS if options.quick else KILLS), folder)),
    ]
    for name, part in parts:
        with out.status(name):
            yield from list(part())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--markdown", action="store_true", help="print the table of docs/benchmarks.md")
    parser.add_argument(
        "--locomo", type=Path, help="LoCoMo's official file: also remember and ask its first conversation"
    )
    parser.add_argument("--quick", action="store_true", help="fewer turns, rounds and kills, to see that all works")
    parser.add_argument("--turns", type=int, help=f"to search in, instead of {SEARCHED:,}")
    parser.add_argument("--kills", type=int, help=f"instead of {KILLS}")
    parser.add_argument("--child", nargs=2, metavar=("PATH", "SESSION"), help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.child:
        add_some(*options.child)
        return 0
    host = machine()
    with tempfile.TemporaryDirectory() as folder:
        figures = list(measured(options, Path(folder), Console(stderr=True)))
    host["load after"] = " ".join(f"{load:.2f}" for load in os.getloadavg())
    if options.json:
        document = {"machine": host, "figures": [asdict(f) for f in figures]}
        options.json.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    if options.markdown:
        print(markdown(host, figures))
    else:
        show(host, figures, Console(width=None if sys.stdout.isatty() else WIDTH))
    return int(any(f.value for f in figures if f.aim == "0"))


if __name__ == "__main__":
    sys.exit(main())

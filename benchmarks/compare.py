"""goalmem's search beside what a user would pick instead: `python benchmarks/compare.py LONGMEMEVAL LOCOMO`.

All get the same texts and the same embedder (goalmem's own), each in processes of its own, without a network. What was
measured is kept in a state folder: a run that was interrupted goes on, and `--only goalmem` measures one row anew and prints it
beside the others (with `--part quality` within minutes: only what is found). The rivals come with `pip install 'goalmem-lab[compare]'`; one that is not there is left out.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # a script finds its own folder only

from benchmarks.rivals import RIVALS, load, missing_packages, scores, versions
from benchmarks.rivals.stages import ASKING, COST, QUALITY, SPEED_SESSIONS, STAGES, TIMED
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import goalmem
from goalmem_lab.evals.locomo_data import Conversation, read_locomo
from goalmem_lab.evals.longmemeval_data import Dataset, read_longmemeval

ROOT = Path(__file__).resolve().parent.parent
SCOPES = ("haystack", "pool")
PARTS = {"quality": QUALITY, "cost": COST}
DEFAULT_STATE = Path(".goalmem") / "compare"
LOG_LINES = 15
"""Lines of a failed process's log that are shown."""

Results = dict[str, Mapping[str, Any]]
"""Stage -> its result."""


def main() -> None:
    """Measure what is missing, print the table."""
    given = arguments()
    console = Console()
    run = Run(given.longmemeval, given.locomo, given.limit, given.state)
    chosen = given.only or list(RIVALS)
    stages = chosen_stages(given.part, given.scope)
    for name in chosen:
        if missing := missing_packages(name):
            console.print(f"{name} is left out: {', '.join(missing)} missing. pip install 'goalmem-lab\\[compare]'")
            continue
        if given.again:
            run.forget(name, TIMED.intersection(stages))
        for stage in stages:
            run.measure(name, stage, console)
    rows = {name: results for name in RIVALS if not missing_packages(name) and (results := run.results(name))}
    figures = {name: run.figures(results) for name, results in rows.items()}
    console.print(table(figures))
    console.print(
        f"Ingest: {SPEED_SESSIONS} sessions one by one, embedding included. "
        "Search (query embedding included), memory, disk: the pool."
    )
    if given.json:
        given.json.write_text(json.dumps(run.report(rows), indent=2) + "\n", encoding="utf-8")


def arguments() -> argparse.Namespace:
    """The command line."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("longmemeval", type=Path, help="LongMemEval: the official file or a folder of its parts")
    options.add_argument("locomo", type=Path, help="LoCoMo: the official file")
    options.add_argument("--only", action="append", choices=list(RIVALS), help="measure this one (repeatable)")
    options.add_argument("--scope", action="append", choices=SCOPES, help="scope of LongMemEval (default: both)")
    options.add_argument("--limit", type=int, help="the first questions of each benchmark only")
    options.add_argument("--state", type=Path, default=DEFAULT_STATE, help="keeps vectors, stores and results")
    options.add_argument("--part", choices=PARTS, help="what is found, or what it costs (default: both)")
    options.add_argument("--again", action="store_true", help="take times again; all else comes out the same")
    options.add_argument("--json", type=Path, help="write the figures here, too")
    return options.parse_args()


def chosen_stages(part: str | None, scopes: Sequence[str] | None) -> list[str]:
    """Stages of one part or of both; of LongMemEval's scopes only those named."""
    wanted = STAGES if part is None else PARTS[part]
    return [stage for stage in wanted if stage not in SCOPES or stage in (scopes or SCOPES)]


@dataclass(frozen=True)
class Run:
    """The data, and where results are kept. A result counts as long as data, library and its use are the same."""

    longmemeval: Path
    locomo: Path
    limit: int | None
    state: Path

    @cached_property
    def dataset(self) -> Dataset:
        """LongMemEval."""
        return read_longmemeval(self.longmemeval)

    @cached_property
    def conversations(self) -> list[Conversation]:
        """LoCoMo."""
        return read_locomo(self.locomo)

    def measure(self, name: str, stage: str, console: Console) -> None:
        """Run a stage in a process of its own, unless its result is there."""
        if self._result(name, stage).exists():
            return
        if stage == "search" and not self._result(name, "store").exists():
            return  # filling the store failed
        folder = self.state / "tasks"
        folder.mkdir(parents=True, exist_ok=True)
        self._result(name, stage).parent.mkdir(parents=True, exist_ok=True)
        path, log = folder / f"{name}-{stage}.json", folder / f"{name}-{stage}.log"
        path.write_text(json.dumps(self._task(name, stage)), encoding="utf-8")
        command = [sys.executable, "-m", "benchmarks.rivals.child", str(path)]
        surroundings = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
        with log.open("w", encoding="utf-8") as errors, Progress(console=console, transient=True) as progress:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, env=surroundings)
            bar = progress.add_task(f"{name}: {stage}", total=None)
            for done, total in ticks(process):
                progress.update(bar, completed=done, total=total)
        if process.wait():
            lines = log.read_text(encoding="utf-8", errors="replace").splitlines()[-LOG_LINES:]
            console.print(f"{name}: {stage} failed with {process.returncode}:", *lines, sep="\n", markup=False)
        else:
            console.print(f"{name}: {stage} done")

    def _task(self, name: str, stage: str) -> dict[str, Any]:
        asked = self.dataset.questions[: self.limit] if stage == "search" else ()
        return {
            "rival": name,
            "stage": stage,
            "longmemeval": str(self.longmemeval.resolve()),
            "locomo": str(self.locomo.resolve()),
            "limit": self.limit,
            "state": str(self.state.resolve()),
            "result": str(self._result(name, stage).resolve()),
            "questions": [(question.text, question.at.isoformat()) for question in asked],
            "about": {"rival": name, "stage": stage, "versions": versions(name)},
        }

    def results(self, name: str) -> Results:
        """What is known of a rival, stage by stage: what was `measured`, and under what `load` of the machine."""
        paths = {stage: self._result(name, stage) for stage in STAGES}
        return {stage: json.loads(path.read_text(encoding="utf-8")) for stage, path in paths.items() if path.exists()}

    def forget(self, name: str, stages: Iterable[str]) -> None:
        """Remove results."""
        for stage in stages:
            self._result(name, stage).unlink(missing_ok=True)

    def figures(self, results: Results) -> scores.Figures:
        """Everything in the order of the table."""
        measured = {stage: result["measured"] for stage, result in results.items()}
        figures: scores.Figures = {}
        questions = self.dataset.questions[: self.limit]
        for scope in SCOPES:
            if scope in measured:
                shares = scores.sessions(questions, measured[scope]["found"])
                figures |= {f"LongMemEval {scope} {measure}": share for measure, share in shares.items()}
        if "locomo" in measured:
            shares = scores.conversations(self.conversations, measured["locomo"]["found"])
            figures |= {f"LoCoMo {measure}": share for measure, share in shares.items()}
        return figures | scores.speeds(measured)

    def report(self, rows: Mapping[str, Results]) -> dict[str, Any]:
        """What `--json` writes."""
        return {
            "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
            "limit": self.limit,
            "rivals": {
                name: {
                    "versions": versions(name),
                    "how": load(name).HOW,
                    "figures": self.figures(results),
                    "load": {stage: result["load"][0] for stage, result in results.items()},
                }
                for name, results in rows.items()
            },
        }

    def _result(self, name: str, stage: str) -> Path:
        return self.state / "results" / f"{name}-{stage}-{self._mark(name, stage)}.json"

    def _mark(self, name: str, stage: str) -> str:
        """Changes with the data, the questions, the library and how it is used."""
        limit = self.limit if stage in ASKING else None
        parts = json.dumps([self._data_mark, limit, versions(name), code_mark(name)])
        return hashlib.sha256(parts.encode()).hexdigest()[:16]

    @cached_property
    def _data_mark(self) -> str:
        digest = hashlib.sha256()
        parts = sorted(self.longmemeval.glob("*.jsonl")) if self.longmemeval.is_dir() else [self.longmemeval]
        for path in [*parts, self.locomo]:
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        return digest.hexdigest()


@cache
def code_mark(name: str) -> str:
    """Fingerprint of how a library is used, and for goalmem of its own code; as it was when the run began."""
    module = load(name)
    rooms = {str(getattr(value, "__module__", "")) for value in vars(module).values()}
    files = [Path(str(sys.modules[room].__file__)) for room in rooms if room.startswith("benchmarks.rivals")]
    files.append(Path(str(sys.modules[RIVALS[name]].__file__)))
    if name == "goalmem":
        files += Path(goalmem.__file__).parent.rglob("*.py")
    digest = hashlib.sha256()
    for file in sorted(set(files)):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def ticks(process: subprocess.Popen[str]) -> Iterator[tuple[int, int]]:
    """Progress that a child prints; what a library prints besides is passed over."""
    assert process.stdout is not None
    for line in process.stdout:
        match line.split():
            case ["tick", done, total] if done.isdigit() and total.isdigit():
                yield int(done), int(total)


def table(figures: Mapping[str, scores.Figures]) -> Table:
    """A column a rival, a row a measure; the best of a row in bold."""
    printed = Table(title="Search", box=SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    printed.add_column("measure", no_wrap=True)
    for name in figures:
        printed.add_column(f"{name}\n{next(iter(versions(name).values()))}", justify="right")
    for measure in dict.fromkeys(measure for own in figures.values() for measure in own):
        values = [own.get(measure) for own in figures.values()]
        known = [value for value in values if value is not None]
        # Times and sizes are better when small; shares and rates when large.
        best = (min if measure.endswith((" ms", " MB")) else max)(known)
        printed.add_row(measure, *(shown(measure, value, best=value == best) for value in values))
    return printed


def shown(measure: str, value: float | None, *, best: bool) -> str:
    """A share with three digits, anything else with one."""
    if value is None:
        return "–"
    text = f"{value:.3f}" if "@" in measure else f"{value:.1f}"
    return f"[bold]{text}[/bold]" if best else text


if __name__ == "__main__":
    main()

"""The figures of docs/benchmarks.md: measures them, and says which are older than what they measure.

    python benchmarks/page.py starting                              # measure, and write the block anew
    python benchmarks/page.py search ask --data FOLDER              # with locomo.json and longmemeval/ in it
    python benchmarks/page.py --check                               # names the blocks that are stale
    python benchmarks/page.py starting --still                      # what changed does not touch these figures

Each block of the page stands between `<!-- figures NAME DIGEST -->` and `<!-- end -->`, with the day, the commit and the command. The digest is
of what decides the figures (`BLOCKS`): code without comments, docstrings and imports, models, dependencies. A test fails where it is no longer that.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "benchmarks.md"
BLOCK = re.compile(r"<!-- figures (\w+) (\w+) -->\n(.*?)<!-- end -->", re.DOTALL)
DEPENDENCIES = "pyproject.toml"
"""Counts with the dependencies of a plain install alone."""
SEARCH = tuple(f"src/goalmem/retrieve/{name}.py" for name in ("fusion", "settings", "signals", "lexical", "vectors"))


@dataclass(frozen=True)
class Block:
    """Figures that are measured together."""

    command: Sequence[str]
    """Of this Python; `{data}` is the folder of the benchmarks' data, `{out}` a file for figures as JSON."""
    of: Sequence[str]
    """Files and folders that decide the figures."""
    rows: Callable[[str, Mapping[str, Any]], list[str]] = lambda printed, figures: printed.strip().splitlines()
    """The lines of the block, of what was printed and of the JSON."""

    def digest(self) -> str:
        """Of what is measured, as it is now."""
        paths = [ROOT / name for name in self.of]
        inside = (
            each for path in paths if path.is_dir() for each in path.rglob("*") if each.suffix in (".py", ".onnx")
        )
        parts = sorted(hashlib.sha256(content(file)).digest() for file in (*inside, *(p for p in paths if p.is_file())))
        return hashlib.sha256(b"".join(parts)).hexdigest()[:16]


def content(file: Path) -> bytes:
    """What of a file decides figures."""
    if file.name == DEPENDENCIES:
        return repr(sorted(tomllib.loads(file.read_text(encoding="utf-8"))["project"]["dependencies"])).encode()
    if file.suffix != ".py":
        return hashlib.sha256(file.read_bytes()).digest()
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(body := getattr(node, "body", None), list):
            node.body = [each for each in body if not decides_nothing(each)]  # type: ignore[attr-defined]
    return ast.dump(tree).encode()


def decides_nothing(node: ast.AST) -> bool:
    """A docstring, the text below a constant, or where something is imported from."""
    return isinstance(node, ast.Import | ast.ImportFrom) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    )


def shares(figures: Mapping[str, Any], label: str, names: Sequence[str]) -> str:
    """A row of shares."""
    values = (f"{figures[name]:.3f}".removeprefix("0") for name in names)
    return f"| {label}: {' / '.join(names)} | {' / '.join(values)} |"


def found_rows(printed: str, figures: Mapping[str, Any]) -> list[str]:
    """What a search finds of LoCoMo."""
    del printed
    names = ("recall@5", "recall@10", "recall@20")
    rows = [shares(figures, "all", names)]
    rows += [shares(own, kind, names) for kind, own in figures["by_category"].items() if own["questions"]]
    return [f"| {figures['questions']:,} questions with evidence | |", "| --- | --- |", *rows]


def answer_rows(printed: str, figures: Mapping[str, Any]) -> list[str]:
    """What is answered of LoCoMo."""
    del printed
    told = [
        ("token F1 of categories 1 to 4", figures["f1"]),
        ("token F1 of those answered", figures["f1_answered"]),
        ("answerable, answered", figures["abstention"]["answered"]),
        ("adversarial, left open", figures["abstention"]["adversarial"]),
        ("answers whose proofs verify", figures["verified_answered"]),
    ]
    rows = [f"| {label} | {value:.3f} |" for label, value in told]
    return [f"| {figures['questions']:,} questions of categories 1 to 4 | |", "| --- | ---: |", *rows]


EVAL = ("-m", "goalmem.cli", "eval", "longmemeval", "{data}/longmemeval", "--json", "{out}", "--scope")
EVAL = ("-m", "goalmem.cli", "eval", "locomo", "{data}/locomo.json", "--json", "{out}", "--mode")
BLOCKS: Mapping[str, Block] = {
    "search": Block((*EVAL, "search"), SEARCH, found_rows),
    "ask": Block(
        (*EVAL, "ask", "--sample", "300"),
        ("src/goalmem/models/data", "src/goalmem/sources/certainty/answer_ranking.py"),
        answer_rows,
    ),
    "starting": Block(
        ("benchmarks/starting.py", "--runs", "5", "--markdown"),
        ("benchmarks/starting.py", "src/goalmem/cli/app.py", DEPENDENCIES),
    ),
    "install": Block(("scripts/first_answer.py", "--build"), ("scripts/first_answer.py", DEPENDENCIES)),
}


def main() -> int:
    """Measure, or check; the exit status."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("names", nargs="*", choices=[*BLOCKS, []], help=", ".join(BLOCKS))
    options.add_argument("--data", type=Path, help="folder of the benchmarks' data")
    options.add_argument("--check", action="store_true", help="measure nothing; status 1 if figures are stale")
    options.add_argument(
        "--still", action="store_true", help="keep the figures: what changed since does not touch them"
    )
    given = options.parse_args()
    for name in given.names:
        write(name, None if given.still else measured(BLOCKS[name], given.data))
    left = stale() if given.check else []
    for name in left:
        print(f"{name}: older than what it measures. python benchmarks/page.py {name}")
    return int(bool(left))


def stale() -> list[str]:
    """Blocks of the page that were measured before what they measure changed, and those that are missing."""
    held = {name: digest for name, digest, _ in BLOCK.findall(PAGE.read_text(encoding="utf-8"))}
    return [name for name, block in BLOCKS.items() if held.get(name) != block.digest()]


def measured(block: Block, data: Path | None) -> str:
    """The text of a block, by running its command."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "figures.json"
        command = [part.format(data=data, out=out) for part in block.command]
        done = subprocess.run([sys.executable, *command], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
        figures = json.loads(out.read_text(encoding="utf-8")) if out.exists() else {}
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
    )
    named = " ".join(part for part in block.command if part not in ("--json", "{out}")).replace(
        "-m goalmem.cli", "goalmem"
    )
    shown = named.replace("{data}/", "") if named.startswith("goalmem") else f"python {named}"
    head = f"{datetime.now(UTC):%-d %B %Y}, commit {commit.stdout.strip()}, `{shown}`:"
    return "\n".join([head, "", *block.rows(done.stdout, figures), ""])


def write(name: str, text: str | None) -> None:
    """Put a block into the page; None: only its digest."""

    def block(old: re.Match[str]) -> str:
        if old[1] != name:
            return old[0]
        return f"<!-- figures {name} {BLOCKS[name].digest()} -->\n{old[3] if text is None else text}<!-- end -->"

    PAGE.write_text(BLOCK.sub(block, PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())

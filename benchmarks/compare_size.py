"""goalmem beside other memories as they grow: `python benchmarks/compare_size.py 1000 10000 [--only goalmem] [--json sizes.json]`.

Each rival keeps the same turns in one store with the same embedder, each part in a process of its own, without a network:

- fill: session by session, embedding included, until all is on the disk
- ask: the store is opened anew; the questions of held-out conversations that name evidence, with their recall, time and memory
- writers: four processes add to one new store at once; of what was acknowledged, how much is not found afterwards

Turns are those of the laboratory's conversations (`lab/lives`), the held-out ones first, then recombined sentences. What was measured is
kept in `--json`: a run that was stopped goes on, and rows of before are printed beside the new ones. The rivals come with
`pip install 'goalmem-lab[compare]'`; one that is not there is left out.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import chain, count, islice
from pathlib import Path
from statistics import fmean, median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # a script finds its own folder only

import numpy as np
from benchmarks.rivals import load, missing_packages, versions
from benchmarks.rivals.child import OFFLINE, refuse_network
from benchmarks.rivals.protocol import Message, Place, Rival, Session
from benchmarks.rivals.stages import MEBIBYTE, resident
from benchmarks.search import SEED, sentence

from goalmem.io.chat_messages import parse_when
from goalmem.models.minilm import MiniLM
from goalmem_lab.evals.lives import OPEN
from goalmem_lab.train.lives import Life, is_held_out, read_lives

ROOT = Path(__file__).resolve().parent.parent
CHOSEN = ("goalmem", "chroma", "lancedb", "bm25s", "mem0")
"""MemPalace's raw mode is a Chroma collection: it costs the same."""
BUILT_AT_ONCE = frozenset({"bm25s"})
"""Nothing can be added to such an index, so nobody can write to it."""
QUESTIONS = 200
DEPTH = 10
WRITERS, NOTES = 4, 50
"""Processes that write at once, and sessions that each adds."""
SESSION_TURNS = 20
MINUTES = 30.0
DAY = datetime(2026, 1, 1, tzinfo=UTC)
MEASURES = (
    ("recall@10", "recall", "{:.3f}"),
    ("fill, turns/s", "turns_per_second", "{:.0f}"),
    ("fill, turns per second of processor", "turns_per_processor_second", "{:.0f}"),
    ("search, median ms", "median_ms", "{:.1f}"),
    ("memory, MB", "resident_mb", "{:.0f}"),
    ("disk, MB", "disk_mb", "{:.1f}"),
    ("four writers: acknowledged / lost", "acknowledged", "{}"),
)
Figures = dict[str, Any]


def main() -> None:
    """Measure what is missing, print a table for each number of turns."""
    if sys.argv[1:2] == ["child"]:
        child(*sys.argv[2:])
        return
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("turns", type=int, nargs="+")
    options.add_argument("--only", action="append", choices=CHOSEN, help="measure this one (repeatable)")
    options.add_argument("--json", type=Path, help="keeps the figures")
    options.add_argument("--minutes", type=float, default=MINUTES, help="a part that takes longer is given up")
    given = options.parse_args()
    kept: dict[str, Figures] = (
        json.loads(given.json.read_text(encoding="utf-8")) if given.json and given.json.exists() else {}
    )
    for turns in given.turns:
        for name in given.only or CHOSEN:
            if missing := missing_packages(name):
                print(f"{name} is left out: {', '.join(missing)} missing", file=sys.stderr)
            elif f"{name} {turns}" not in kept:
                kept[f"{name} {turns}"] = measured(name, turns, given.minutes * 60)
                if given.json:
                    given.json.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
        print("\n".join(table(turns, kept)))


def measured(name: str, turns: int, seconds: float) -> Figures:
    """All parts of one rival."""
    figures: Figures = {"version": next(iter(versions(name).values()))}
    with tempfile.TemporaryDirectory() as folder:
        for part in ("fill", "ask"):
            figures |= part_of(name, part, str(turns), folder, seconds)
    if name in BUILT_AT_ONCE:
        return figures
    with tempfile.TemporaryDirectory() as folder:
        return figures | written_at_once(name, folder, seconds)


def part_of(name: str, part: str, size: str, folder: str, seconds: float) -> Figures:
    """What a part measured in a process of its own."""
    try:
        done = subprocess.run(
            command(name, part, size, folder),
            capture_output=True,
            text=True,
            check=True,
            timeout=seconds,
            env=surroundings(),
        )
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        said = str(error.stderr or "").strip().splitlines()[-1:] or [type(error).__name__]
        print(f"{name}: {part} of {size}: {said[0]}", file=sys.stderr)
        return {"failed": [part]}
    figures: Figures = json.loads(done.stdout.splitlines()[-1])
    return figures


def written_at_once(name: str, folder: str, seconds: float) -> Figures:
    """How many notes were acknowledged to four writers, and how many of these are not found."""
    part_of(name, "write", "-1", folder, seconds)  # the store is there before the four open it
    writers = [
        subprocess.Popen(
            command(name, "write", str(one), folder),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=surroundings(),
        )
        for one in range(WRITERS)
    ]
    said = [writer.communicate(timeout=seconds)[0] for writer in writers]
    acknowledged = [
        line.removeprefix("kept ") for text in said for line in text.splitlines() if line.startswith("kept ")
    ]
    path = Path(folder) / "acknowledged.json"
    path.write_text(json.dumps(acknowledged), encoding="utf-8")
    lost = part_of(name, "lost", "0", folder, seconds).get("lost")
    failed = sum(writer.returncode != 0 for writer in writers)
    shown = f"{len(acknowledged)} of {WRITERS * NOTES} / {lost}" + (f", {failed} refused" if failed else "")
    return {"acknowledged": shown}


def command(name: str, part: str, size: str, folder: str) -> list[str]:
    """Of a child."""
    return [sys.executable, str(Path(__file__).resolve()), "child", name, part, size, folder]


def surroundings() -> dict[str, str]:
    """The environment of a child."""
    return os.environ | OFFLINE | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}


def child(name: str, part: str, size: str, folder: str) -> None:
    """One part; its figures are the last line printed."""
    sys.addaudithook(refuse_network)
    store = Path(folder) / "store"
    store.mkdir(exist_ok=True)
    rival = load(name).open_store(Place(store, MiniLM(), "turn", as_shipped=True))
    parts = {"fill": filled, "ask": asked, "write": wrote, "lost": lost_of}
    figures = parts[part](rival, int(size), store)
    rival.close()
    print(json.dumps(figures | ({"disk_mb": disk(store)} if part == "fill" else {})))


def filled(rival: Rival, turns: int, store: Path) -> Figures:
    """Turns a second, after a first one that loads the models."""
    del store
    rival.add(Session("before", DAY, (Message("before/0", "user", "", "Good morning, everybody."),)))
    sessions = list(sessions_of(turns))
    began, used = time.perf_counter(), time.process_time()
    for session in sessions:
        rival.add(session)
    rival.finish()
    took, processor = time.perf_counter() - began, time.process_time() - used
    return {"turns_per_second": turns / took, "turns_per_processor_second": turns / processor}


def asked(rival: Rival, turns: int, store: Path) -> Figures:
    """Recall of evidence, time and memory."""
    del store
    rival.turns("Where did it all begin?", DEPTH)
    shares, times = [], []
    for text, evidence in questions_of(turns):
        began = time.perf_counter()
        found = rival.turns(text, DEPTH)
        times.append(time.perf_counter() - began)
        shares.append(len(evidence & set(found)) / len(evidence))
    return {
        "recall": fmean(shares),
        "questions": len(shares),
        "median_ms": median(times) * 1000,
        "resident_mb": resident(),
    }


def wrote(rival: Rival, writer: int, store: Path) -> Figures:
    """Notes of one writer; each is told once `add` returned. Writer -1 makes the store."""
    del store
    for number in range(NOTES if writer >= 0 else 1):
        name = f"writer {writer}/{number}"
        rival.add(Session(name, DAY, (Message(name, "user", "", note(name)),)))
        print(f"kept {name}", flush=True)
    if writer < 0:
        rival.finish()
    return {}


def lost_of(rival: Rival, size: int, store: Path) -> Figures:
    """What was acknowledged and is not found by its own words."""
    del size
    names = json.loads((store.parent / "acknowledged.json").read_text(encoding="utf-8"))
    return {"lost": sum(name not in rival.turns(note(name), WRITERS * NOTES) for name in names)}


def note(name: str) -> str:
    """What a writer keeps."""
    return f"The note of {name} is about the harbour."


def sessions_of(turns: int) -> Iterator[Session]:
    """Conversations of the laboratory, held-out ones first, then recombined sentences, `turns` turns in all."""
    left = turns
    for session in chain(lived(), recombined()):
        if left <= 0:
            return
        kept = session.messages[:left]
        left -= len(kept)
        yield Session(session.name, session.at, kept)


def lives() -> list[Life]:
    """Held-out ones first."""
    return sorted(read_lives(ROOT / "lab" / "lives"), key=lambda life: not is_held_out(life))


def lived() -> Iterator[Session]:
    """Every session of every life."""
    for life in lives():
        for held in life.content["sessions"]:
            name = f"{life.name}/{held['session']}"
            messages = (
                Message(f"{name}:{place}", one["role"], one.get("name") or "", one["content"])
                for place, one in enumerate(held["messages"])
            )
            yield Session(name, parse_when(held["at"], "The session"), tuple(messages))


def recombined() -> Iterator[Session]:
    """Sentences that were made, without an end."""
    chance = np.random.default_rng(SEED)
    for number in count():
        messages = (Message(f"made {number}:{place}", "user", "", sentence(chance)) for place in range(SESSION_TURNS))
        yield Session(f"made {number}", DAY + timedelta(hours=number), tuple(messages))


def questions_of(turns: int) -> list[tuple[str, set[str]]]:
    """Questions of held-out lives that are in the store with all of their turns, drawn evenly."""
    found, left = [], turns
    for life in lives():
        left -= sum(len(held["messages"]) for held in life.content["sessions"])
        if left < 0 or not is_held_out(life):
            break
        for one in life.content["questions"]:
            evidence = {f"{life.name}/{said['turn']}" for said in one.get("evidence") or []}
            if evidence and one["type"] not in OPEN:
                found.append((str(one["question"]), evidence))
    return list(islice(found, 0, None, max(1, len(found) // QUESTIONS)))


def disk(folder: Path) -> float:
    """Megabytes of a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / MEBIBYTE


def table(turns: int, kept: Mapping[str, Figures]) -> Sequence[str]:
    """A column a rival, a row a measure, as Markdown."""
    columns = {name: row for name in CHOSEN if (row := kept.get(f"{name} {turns}"))}
    heads = [f"{name} {row['version']}" for name, row in columns.items()]
    lines = [f"| {turns:,} turns | " + " | ".join(heads) + " |", "| --- |" + " ---: |" * len(heads)]
    for label, key, form in MEASURES:
        cells = [form.format(row[key]) if key in row else "–" for row in columns.values()]
        lines.append(f"| {label} | " + " | ".join(cells) + " |")
    return lines


if __name__ == "__main__":
    main()

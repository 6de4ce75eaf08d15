"""What is measured of a rival, each stage in a process of its own.

What is found is measured by `locomo`, `pool` and `haystack`; what it costs by `speed`, `store` and `search`.

Embedding is the same work for every rival that has vectors, and most of the time. So where only what is found counts, and
where a store is filled to be looked at later, vectors come from a folder shared by all; where time or memory counts (`speed`,
`search`) the model runs inside the measured process, for documents and for queries alike.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from benchmarks.rivals.data import from_locomo, from_longmemeval
from benchmarks.rivals.protocol import Place, RivalModule, Unit
from benchmarks.rivals.vectors import KeptVectors

from goalmem.models.minilm import MiniLM
from goalmem.models.protocol import Embedder
from goalmem_lab.evals.locomo_data import Conversation, read_locomo
from goalmem_lab.evals.longmemeval_data import Question, read_longmemeval

SESSIONS = 10
"""Sessions asked for: any@10 and all@10 are the deepest figures of LongMemEval."""
TURNS = 20
"""Turns asked for: recall@20 is the deepest figure of LoCoMo."""
SPEED_SESSIONS = 40
"""Sessions of the pool (about 420 turns) whose adding is timed with embedding; one more before them warms up."""
MEBIBYTE = 2**20

Tick = Callable[[int, int], None]
"""Called with how much is done and how much there is."""


@dataclass(frozen=True, slots=True)
class Task:
    """One stage of one rival. Paths are of the data, of the folder that keeps state, and of the file for the result."""

    rival: str
    stage: str
    longmemeval: Path
    locomo: Path
    limit: int | None
    state: Path
    result: Path
    questions: tuple[tuple[str, str], ...] = ()
    """Text and time of each question for `search`, which must not read the data: it would count as memory."""

    @property
    def store(self) -> Path:
        """Where the store of the pool lies between `store` and `search`."""
        return self.state / "stores" / self.rival

    def shared_vectors(self) -> Embedder:
        """The embedder that remembers."""
        return KeptVectors(MiniLM(), self.state / "vectors")


Stage = Callable[[RivalModule, Task, Tick], dict[str, Any]]


def speed(module: RivalModule, task: Task, tick: Tick) -> dict[str, Any]:
    """Turns a second from text to a store that can be searched, embedding included."""
    pool = read_longmemeval(task.longmemeval).pool[: SPEED_SESSIONS + 1]
    with tempfile.TemporaryDirectory() as folder:
        rival = module.open_store(_place(Path(folder), MiniLM(), "session", as_shipped=True))
        rival.add(from_longmemeval(pool[0]))  # loads models
        began = time.perf_counter()
        for number, dated in enumerate(pool[1:], 1):
            rival.add(from_longmemeval(dated))
            tick(number, len(pool) - 1)
        rival.finish()
        seconds = time.perf_counter() - began
        rival.close()
    return {"turns": sum(len(dated.messages) for dated in pool[1:]), "seconds": seconds}


def store(module: RivalModule, task: Task, tick: Tick) -> dict[str, Any]:
    """All sessions of the pool as one memory, on the disk."""
    sessions = read_longmemeval(task.longmemeval).pool
    shutil.rmtree(task.store, ignore_errors=True)
    task.store.mkdir(parents=True)
    rival = module.open_store(_place(task.store, task.shared_vectors(), "session", as_shipped=True))
    for number, dated in enumerate(sessions, 1):
        rival.add(from_longmemeval(dated))
        tick(number, len(sessions))
    rival.finish()
    rival.close()
    return {"disk_mb": _disk(task.store), "turns": sum(len(dated.messages) for dated in sessions)}


def search(module: RivalModule, task: Task, tick: Tick) -> dict[str, Any]:
    """All questions over that memory, opened anew: how fast, and what the process takes."""
    rival = module.open_store(_place(task.store, MiniLM(), "session", as_shipped=True))
    rival.sessions("Where did it all begin?", datetime.fromisoformat(task.questions[0][1]), SESSIONS)
    seconds = []
    for number, (text, at) in enumerate(task.questions, 1):
        moment = datetime.fromisoformat(at)
        began = time.perf_counter()
        rival.sessions(text, moment, SESSIONS)
        seconds.append(time.perf_counter() - began)
        tick(number, len(task.questions))
    memory = resident()
    rival.close()
    return {"seconds": seconds, "resident_mb": memory}


def pool(module: RivalModule, task: Task, tick: Tick) -> dict[str, Any]:
    """Every question over one memory of all sessions."""
    dataset = read_longmemeval(task.longmemeval)
    questions = dataset.questions[: task.limit]
    total = len(dataset.pool) + len(questions)
    with tempfile.TemporaryDirectory() as folder:
        rival = module.open_store(_place(Path(folder), task.shared_vectors(), "session", as_shipped=False))
        for number, dated in enumerate(dataset.pool, 1):
            rival.add(from_longmemeval(dated))
            tick(number, total)
        rival.finish()
        found = {}
        for number, question in enumerate(questions, len(dataset.pool) + 1):
            found[question.id] = rival.sessions(question.text, question.at, SESSIONS)
            tick(number, total)
        rival.close()
    return {"found": found}


def haystack(module: RivalModule, task: Task, tick: Tick) -> dict[str, Any]:
    """Every question over a memory of its own sessions. Goes on where an interrupted run stopped."""
    questions = read_longmemeval(task.longmemeval).questions[: task.limit]
    embedder = task.shared_vectors()
    kept = task.result.with_suffix(".part")
    found = _read_part(kept)
    with kept.open("a", encoding="utf-8") as file:
        file.write("\n")  # what follows half a line must not be glued to it
        for number, question in enumerate(questions, 1):
            if question.id not in found:
                found[question.id] = _ask_haystack(module, question, embedder)
                file.write(json.dumps([question.id, found[question.id]]) + "\n")
                file.flush()
            tick(number, len(questions))
    kept.unlink()
    return {"found": found}


def _ask_haystack(module: RivalModule, question: Question, embedder: Embedder) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        rival = module.open_store(_place(Path(folder), embedder, "session", as_shipped=False))
        for dated in question.haystack:
            rival.add(from_longmemeval(dated))
        rival.finish()
        found = rival.sessions(question.text, question.at, SESSIONS)
        rival.close()
    return found


def _read_part(path: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    if path.exists():
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            try:
                name, sessions = json.loads(line)
            except ValueError:
                continue  # cut short by a kill, or empty
            found[name] = sessions
    return found


def locomo(module: RivalModule, task: Task, tick: Tick) -> dict[str, Any]:
    """Every question over its conversation."""
    conversations = read_locomo(task.locomo)
    total = sum(len(conversation.questions) for conversation in conversations)
    embedder = task.shared_vectors()
    found: dict[str, list[str]] = {}
    for conversation in conversations:
        left = None if task.limit is None else task.limit - len(found)
        chosen = conversation.questions[:left]
        if chosen:
            found |= _ask_conversation(module, conversation, len(chosen), embedder)
        tick(len(found), min(total, task.limit or total))
    return {"found": found}


def _ask_conversation(
    module: RivalModule, conversation: Conversation, count: int, embedder: Embedder
) -> dict[str, list[str]]:
    with tempfile.TemporaryDirectory() as folder:
        rival = module.open_store(_place(Path(folder), embedder, "turn", as_shipped=False))
        for session in conversation.sessions:
            rival.add(from_locomo(session))
        rival.finish()
        found = {
            f"{conversation.id}/{question.number}": rival.turns(question.text, TURNS)
            for question in conversation.questions[:count]
        }
        rival.close()
    return found


QUALITY: Mapping[str, Stage] = {"locomo": locomo, "pool": pool, "haystack": haystack}
COST: Mapping[str, Stage] = {"speed": speed, "store": store, "search": search}
STAGES: Mapping[str, Stage] = {**QUALITY, **COST}
ASKING = frozenset({*QUALITY, "search"})
"""Stages that ask the benchmarks' questions."""
TIMED = frozenset({"speed", "search"})
"""Stages whose times go into the table; on a busy machine they are worth repeating."""


def _place(folder: Path, embedder: Embedder, unit: Unit, *, as_shipped: bool) -> Place:
    return Place(folder, embedder, unit, as_shipped)


def _disk(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / MEBIBYTE


def resident() -> float:
    """Mebibytes that this process holds now, or at most held where the system does not say."""
    status = Path("/proc/self/statm")
    if status.exists():
        pages = int(status.read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / MEBIBYTE
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / MEBIBYTE if sys.platform == "darwin" else peak / 1024

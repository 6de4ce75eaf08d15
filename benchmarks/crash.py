"""Kill a process that adds, again and again, and see whether what it was told is stored is stored.

    python benchmarks/crash.py [--kills 100] [--seed 0] [--json OUT]

Every round starts a process that adds to one memory without pause and prints the turn ids of each call once it
returned; the process is killed (SIGKILL) at a random moment. The memory is then opened again: every acknowledged turn
must be there, no call may be stored in part, the file must be sound, and adding the same messages again must add
exactly what is missing. Ends with status 1 when any of this fails.
"""

from __future__ import annotations

import argparse
import itertools
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from goalmem import Memory, NotFoundError

SPACE = "crash"
AT = "2024-05-01T10:00:00+00:00"
MESSAGES = 3
"""A call: small, so that much of the time goes to commits, and more than one, so that half a call would show."""
LONGEST = 0.4
"""Seconds from the first acknowledged call to the latest kill; some eight calls."""
PATIENCE = 120
"""Seconds to wait for a process to start adding."""


@dataclass(slots=True)
class Tally:
    """What all rounds found."""

    kills: int = 0
    acknowledged: int = 0
    lost: int = 0
    partial_calls: int = 0
    unsound: int = 0
    wrong_readds: int = 0
    seconds: float = 0.0

    @property
    def kept(self) -> bool:
        """True when every promise held."""
        return not (self.lost or self.partial_calls or self.unsound or self.wrong_readds)


def call(session: str, number: int) -> list[dict[str, str]]:
    """The messages of one call."""
    places = ("the harbour", "Lisbon", "my sister's garden", "the night train", "the old library")
    return [
        {
            "role": "user",
            "name": "Maya",
            "content": f"On walk {number * MESSAGES + n} of {session} I met Tom at {places[n % len(places)]}.",
        }
        for n in range(MESSAGES)
    ]


def conversation(session: str, calls: int) -> list[dict[str, str]]:
    """All messages of a session up to a number of calls."""
    return [message for number in range(calls) for message in call(session, number)]


def add_without_pause(path: str, session: str) -> None:
    """The process that is killed."""
    with Memory(path) as memory:
        for number in itertools.count():
            receipt = memory.add(call(session, number), space=SPACE, session=session, at=AT)
            print(*receipt.turns, flush=True)


def acknowledged_by(path: Path, session: str, delay: float) -> list[str]:
    """Start a process, kill it `delay` seconds after its first call returned; the ids it printed in whole lines."""
    child = subprocess.Popen(
        [sys.executable, __file__, "--child", str(path), session], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout
    try:
        first = child.stdout.readline()
        time.sleep(delay)
    finally:
        child.kill()
    rest, _ = child.communicate(timeout=PATIENCE)
    if not first:
        raise SystemExit(f"the adding process ended by itself with status {child.returncode}")
    return [id_ for line in (first + rest).splitlines(keepends=True) if line.endswith("\n") for id_ in line.split()]


def inspect(path: Path, session: str, acknowledged: Sequence[str], tally: Tally) -> None:
    """Open the memory again and compare it with what was acknowledged."""
    with Memory(path) as memory:
        tally.unsound += bool(memory.check())
        tally.acknowledged += len(acknowledged)
        tally.lost += sum(not is_stored(memory, turn) for turn in acknowledged)
        stored = size_of(memory, session)
        tally.partial_calls += stored % MESSAGES != 0
        calls = stored // MESSAGES + 1
        receipt = memory.add(conversation(session, calls), space=SPACE, session=session, at=AT)
        wanted = calls * MESSAGES
        tally.wrong_readds += (receipt.new, size_of(memory, session)) != (wanted - stored, wanted)


def is_stored(memory: Memory, turn: str) -> bool:
    """True when the memory still has a turn."""
    try:
        return bool(memory.turn(turn, space=SPACE).text)
    except NotFoundError:
        return False


def size_of(memory: Memory, session: str) -> int:
    """Turns of a session."""
    return next((size for name, _, size in memory.sessions(space=SPACE) if name == session), 0)


def measure(kills: int, seed: int, folder: Path) -> Tally:
    """Kill as often as asked, all on one file."""
    tally, moments, began = Tally(), np.random.default_rng(seed), time.perf_counter()
    path = folder / "memory.db"
    for number in range(kills):
        session = f"session-{number}"
        acknowledged = acknowledged_by(path, session, moments.uniform(0, LONGEST))
        inspect(path, session, acknowledged, tally)
        tally.kills += 1
        tally.seconds = time.perf_counter() - began
        print(f"\r{tally.kills}/{kills} kills, {tally.acknowledged} turns, {tally.lost} lost", end="", flush=True)
    print()
    return tally


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0, help="of the moments")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--child", nargs=2, metavar=("PATH", "SESSION"), help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.child:
        add_without_pause(*options.child)
    with tempfile.TemporaryDirectory() as folder:
        tally = measure(options.kills, options.seed, Path(folder))
    if options.json:
        options.json.write_text(json.dumps(asdict(tally), indent=2) + "\n")
    for name, value in asdict(tally).items():
        print(f"{name:>14}  {value:,.1f}" if isinstance(value, float) else f"{name:>14}  {value:,}")
    return 0 if tally.kept else 1


if __name__ == "__main__":
    sys.exit(main())

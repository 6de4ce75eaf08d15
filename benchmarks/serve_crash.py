"""Kill a server under load, again and again, and see whether what it acknowledged is there: `python benchmarks/serve_crash.py`.

Every round starts `goalmem serve` on the same store, lets several clients add messages (under idempotency keys), state rules and
upload files, and kills it (SIGKILL) at a random moment. At the end the server is started once more: every acknowledged turn and
rule must be there, every accepted file must be remembered whole and once, every acknowledged request sent again must be answered
as it was, and the store must be sound. Ends with status 1 when any of this fails.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from itertools import count
from pathlib import Path
from random import randrange
from typing import Any

if __name__ == "__main__":  # a script finds its own folder only
    sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.serving import Connection, Served, connected, served

from goalmem import Memory

CLIENTS = 4
LONGEST = 1.5
"""Seconds from the first acknowledged call to the latest kill."""
LINES = 40
"""Of an uploaded file: more than are stored in one piece."""
KINDS = 8
"""Of eight writes one is a file, and one a rule."""
PATIENCE = 600


@dataclass
class Told:
    """What was acknowledged."""

    turns: set[str] = field(default_factory=set)
    rules: set[str] = field(default_factory=set)
    files: set[str] = field(default_factory=set)
    """Sessions of files that were accepted."""
    answers: dict[str, tuple[dict[str, Any], dict[str, Any]]] = field(default_factory=dict)
    """Idempotency key -> what was sent, and what was answered."""


@dataclass
class Tally:
    """What all rounds found."""

    kills: int = 0
    turns: int = 0
    rules: int = 0
    files: int = 0
    lost_turns: int = 0
    lost_rules: int = 0
    wrong_files: int = 0
    wrong_replays: int = 0
    unsound: int = 0
    seconds: float = 0.0

    @property
    def kept(self) -> bool:
        """True when every promise held."""
        return not (self.lost_turns or self.lost_rules or self.wrong_files or self.wrong_replays or self.unsound)


async def load(port: int, client: str, told: Told) -> None:
    """Write until the server is gone."""
    try:
        async with connected(port) as connection:
            for number in count(randrange(KINDS)):  # noqa: S311
                await write(connection, client, number, told)
    except (OSError, asyncio.IncompleteReadError, ValueError):
        return


async def write(connection: Connection, client: str, number: int, told: Told) -> None:
    """One write of one kind."""
    name = f"{client}-{number}"
    if number % KINDS == 5:
        content = "".join(f"Leo: on day {n} of {name} I met Ines at the harbour.\n" for n in range(LINES)).encode()
        status, _ = await connection.post(f"/v1/uploads?name={name}.txt", content)
        if status == 202:
            told.files.add(name)
    elif number % KINDS == 7:
        status, found = await connection.post("/v1/rules", {"text": f"Number{abs(hash(name))} is kind."})
        if status == 201:
            told.rules.update(found["ids"])
    else:
        said = {"messages": [{"name": "Maya", "content": f"On walk {name} I met Tom."}], "session": client}
        status, found = await connection.post("/v1/messages", said, name)
        if status == 201:
            told.turns.update(found["turns"])
            told.answers[name] = (said, found)


async def rounds(server: Served, kill: int, told: Told, delay: float) -> None:
    """Load from several clients, and a kill."""
    before = len(told.answers)
    clients = [asyncio.create_task(load(server.port, f"c{kill}-{n}", told)) for n in range(CLIENTS)]
    end = time.monotonic() + PATIENCE
    while len(told.answers) == before and time.monotonic() < end:
        await asyncio.sleep(0.01)
    await asyncio.sleep(delay)
    server.process.kill()
    await asyncio.gather(*clients)


async def inspected(port: int, told: Told, tally: Tally) -> None:
    """Compare what is there with what was acknowledged."""
    async with connected(port) as connection:
        end = time.monotonic() + PATIENCE
        while any(job["state"] not in ("done", "failed") for job in await listed(connection, "/v1/jobs")):
            if time.monotonic() > end:
                raise SystemExit("The jobs do not end.")
            await asyncio.sleep(0.2)
        held: dict[str, list[str]] = {}
        for turn in await listed(connection, "/v1/turns"):
            held.setdefault(turn["session"], []).append(turn["id"])
        there = {turn for turns in held.values() for turn in turns}
        rules = {rule["id"] for rule in await listed(connection, "/v1/rules")}
        tally.lost_turns = len(told.turns - there)
        tally.lost_rules = len(told.rules - rules)
        tally.wrong_files = sum(len(held.get(name, ())) != LINES for name in told.files)
        for key, (said, answered) in told.answers.items():
            status, found = await connection.post("/v1/messages", said, key)
            tally.wrong_replays += (status, found) != (201, answered)


async def listed(connection: Connection, path: str) -> list[dict[str, Any]]:
    """All items of a list."""
    items: list[dict[str, Any]] = []
    cursor = ""
    while True:
        _, page = await connection.get(f"{path}?limit=1000{cursor}")
        items += page["items"]
        if page["next"] is None:
            return items
        cursor = f"&cursor={page['next']}"


def measure(kills: int, seed: int, folder: Path) -> Tally:
    """Kill as often as asked, all on one store."""
    tally, told, moments = Tally(), Told(), random.Random(seed)  # noqa: S311
    store, began = folder / "memory.goalmem", time.perf_counter()
    for kill in range(kills):
        with served(store) as server:
            asyncio.run(rounds(server, kill, told, moments.uniform(0, LONGEST)))
        tally.kills += 1
        print(f"\r{tally.kills}/{kills} kills, {len(told.turns)} turns, {len(told.files)} files", end="", flush=True)
    print()
    with served(store) as server:
        asyncio.run(inspected(server.port, told, tally))
    with Memory(store) as memory:
        tally.unsound = len(memory.check())
    tally.turns, tally.rules, tally.files = len(told.turns), len(told.rules), len(told.files)
    tally.seconds = round(time.perf_counter() - began, 1)
    return tally


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0, help="of the moments")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        tally = measure(options.kills, options.seed, Path(folder))
    print(json.dumps(asdict(tally), indent=2))
    return 0 if tally.kept else 1


if __name__ == "__main__":
    sys.exit(main())

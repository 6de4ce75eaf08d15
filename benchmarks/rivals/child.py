"""A process for one stage of one rival: `python -m benchmarks.rivals.child TASK.json`.

Prints progress as `tick DONE TOTAL` lines and writes the result where the task says, whole or not at all.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from benchmarks.rivals import load
from benchmarks.rivals.stages import STAGES, Task

OFFLINE = {
    # Each of these libraries reports usage or looks for newer models unless told not to. The comparison is of what runs on one
    # machine with nothing leaving it, and no time may go into waiting for a network.
    "ANONYMIZED_TELEMETRY": "False",  # Chroma
    "MEM0_TELEMETRY": "False",
    "POSTHOG_DISABLED": "1",  # what both send with
    "OTEL_SDK_DISABLED": "true",
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
}
INTERNET_EVENTS = frozenset({"socket.connect", "socket.getaddrinfo", "socket.sendto"})


def main(path: str) -> None:
    """Run the task in a file."""
    os.environ.update(OFFLINE)
    sys.addaudithook(refuse_network)
    raw: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8"))
    task = Task(
        rival=raw["rival"],
        stage=raw["stage"],
        longmemeval=Path(raw["longmemeval"]),
        locomo=Path(raw["locomo"]),
        limit=raw["limit"],
        state=Path(raw["state"]),
        result=Path(raw["result"]),
        questions=tuple((text, at) for text, at in raw["questions"]),
    )
    measured = STAGES[task.stage](load(task.rival), task, tick)
    result = {**raw["about"], "load": os.getloadavg(), "measured": measured}
    unfinished = task.result.with_suffix(".new")
    unfinished.write_text(json.dumps(result), encoding="utf-8")
    unfinished.replace(task.result)


def tick(done: int, total: int) -> None:
    """Tell the parent."""
    print(f"tick {done} {total}", flush=True)


def refuse_network(event: str, arguments: tuple[Any, ...]) -> None:
    """What the switches above should have prevented fails here, and is seen."""
    if event not in INTERNET_EVENTS:
        return
    address = arguments[-1] if event != "socket.getaddrinfo" else arguments[0]
    if event == "socket.getaddrinfo" or isinstance(address, tuple):
        raise ConnectionRefusedError(f"A rival wanted to reach {address!r}. It runs without a network here.")


if __name__ == "__main__":
    main(sys.argv[1])

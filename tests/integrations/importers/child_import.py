"""Import an export into a store, saying each time how much is done: python child_import.py STORE EXPORT"""

from __future__ import annotations

import sys

from goalmem import Memory
from goalmem.integrations.importers import import_history


def say(doing: str, done: int, total: int) -> None:
    sys.stdout.write(f"{doing} {done} {total}\n")
    sys.stdout.flush()


with Memory(sys.argv[1]) as memory:
    report = import_history(memory, sys.argv[2], progress=say)
    say("new", report.new, report.known)

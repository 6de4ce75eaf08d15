"""Add, change and delete memories and print each id once the call has returned; until it is killed.

python child_mem0.py PATH USER
"""

from __future__ import annotations

import sys

from goalmem.integrations.mem0 import Memory

path, user = sys.argv[1:]


def say(*words: str) -> None:
    """Told at once, so that it is known even of a process that is killed."""
    sys.stdout.write(" ".join(words) + "\n")
    sys.stdout.flush()


with Memory(path) as memory:
    say("open")
    for number in range(10_000):
        added = memory.add(
            [{"role": "user", "content": f"I like number {number}."}, {"role": "user", "content": f"Not {number}?"}],
            user_id=user,
            infer=False,
        )["results"]
        first, second = (row["id"] for row in added)
        say("add", first, second)
        memory.update(first, text=f"I love number {number}.", metadata={"n": number})
        say("update", first)
        memory.delete(second)
        say("delete", second)

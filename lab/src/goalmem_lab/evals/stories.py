"""Are stories of moves and hand-overs answered exactly, and with proofs that hold?

`right`: share of the questions answered with the gold's words, those that the story leaves open with none. `proved`: share of those
with an answer that are right and called proved (or disproved). `verified`: share of the proofs that the checker accepts.
`wrong_proved`: how many are called proved and are wrong.
"""

from __future__ import annotations

import json
import re
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from goalmem import Memory
from goalmem_lab.evals.progress import Tick, ignore
from goalmem_lab.evals.story_parts import Asked, Story
from goalmem_lab.evals.story_world import stories


def told(story: Story) -> Memory:
    """A memory in which a story was told."""
    memory = Memory(":memory:")
    for session in dict.fromkeys(t[3] for t in story.turns):
        own = [t for t in story.turns if t[3] == session]
        messages = [{"role": "user", "name": who, "content": text, "at": at.isoformat()} for who, text, at, _ in own]
        memory.add(messages, session=session)
    return memory


def tried(memory: Memory, asked: Asked) -> dict[str, Any]:
    """What becomes of a question."""
    began = time.process_time()
    answer = memory.ask(asked.question)
    seconds = time.process_time() - began
    known = answer.status != "unknown"
    right = listed(answer.text) == listed(asked.gold) if asked.gold and known else known == bool(asked.gold)
    sure = answer.status in ("proved", "disproved")
    return {
        "question": asked.question,
        "gold": asked.gold,
        "answer": answer.text if known else "",
        "status": answer.status,
        "right": right,
        "proved": sure and right,
        "wrong_proved": sure and not right,
        "verified": memory.verify(answer).ok,
        "seconds": seconds,
    }


def listed(text: str) -> list[str]:
    """The values of a list, in any order."""
    return sorted(re.split(r", | and ", text.casefold()))


def evaluate(
    count: int, *, seed: int = 0, held_out: bool = True, progress: Tick | None = None, save: Path | None = None
) -> dict[str, Any]:
    """Measure on so many generated stories."""
    tick = progress or ignore
    rows: list[dict[str, Any]] = []
    for n, story in enumerate(stories(count, seed, held_out=held_out)):
        with told(story) as memory:
            rows += [
                {"kind": story.kind, "story": [t[1] for t in story.turns], **tried(memory, q)} for q in story.asked
            ]
        tick("stories", n + 1, count)
    if save is not None:
        save.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    kinds: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        kinds[row["kind"]].append(row)
    return figures_of(rows) | {"by_kind": {kind: figures_of(own) for kind, own in kinds.items()}}


def figures_of(rows: Sequence[dict[str, Any]]) -> dict[str, float]:
    """The figures of some questions."""
    known = [r for r in rows if r["gold"]]
    return {
        "questions": len(rows),
        "right": fmean(r["right"] for r in rows),
        "proved": fmean(r["proved"] for r in known) if known else 0.0,
        "verified": fmean(r["verified"] for r in rows),
        "wrong_proved": sum(r["wrong_proved"] for r in rows),
        "seconds": fmean(r["seconds"] for r in rows),
    }

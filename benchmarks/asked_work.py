"""What one question costs, by counted work: parses, embedded texts, reader and judge pairs, searches; and where its time goes.

    python benchmarks/asked_work.py [lab/lives/train/NAME.json] [--profile N] [--json OUT]

A conversation of the laboratory is remembered and its questions are asked, one after another. Counts do not depend on the machine.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from statistics import mean, median
from typing import Any
from unittest.mock import patch

from goalmem import Memory
from goalmem.language import analyzer
from goalmem.models.minilm import MiniLM
from goalmem.models.minilm_judge import MiniLMJudge
from goalmem.models.span_reader import MiniLMReader
from goalmem.retrieve.search import Searcher

LIFE = Path(__file__).parents[1] / "lab" / "lives" / "train" / "a-baby-tadeo.json"
SPACE = "bench"


@contextmanager
def counted(into: Counter[str]) -> Iterator[None]:
    """Count what the models are given while this is open."""

    def noted(owner: Any, method: str, note: Callable[..., None]) -> Any:
        kept = getattr(owner, method)

        def call(*given: Any, **named: Any) -> Any:
            note(*given, **named)
            return kept(*given, **named)

        return patch.object(owner, method, call)

    def parsed(_language: object, keys: Sequence[tuple[str, object]]) -> None:
        into["parse calls"] += 1
        into["parses"] += len(keys)
        into.update(f"text:{text}" for text, _ in keys)

    def several(name: str) -> Callable[..., None]:
        def note(_self: object, pairs: Sequence[object], **_: object) -> None:
            into[f"{name} calls"] += 1
            into[name] += len(pairs)

        return note

    with ExitStack() as open_:
        open_.enter_context(noted(analyzer, "_parse", parsed))
        open_.enter_context(noted(MiniLM, "embed", several("embedded texts")))
        open_.enter_context(noted(MiniLMReader, "read", several("reader pairs")))
        open_.enter_context(noted(MiniLMJudge, "judge", several("judge pairs")))
        open_.enter_context(noted(Searcher, "_fused", lambda *_, **__: into.update(["searches"])))
        yield


def remembered(life: dict[str, Any]) -> Memory:
    """The conversation in a memory of its own."""
    memory = Memory(":memory:")
    for said in life["sessions"]:
        memory.add(said["messages"], space=SPACE, session=said["session"], at=datetime.fromisoformat(said["at"]))
    return memory


def asked(memory: Memory, questions: Sequence[dict[str, Any]]) -> tuple[Counter[str], list[float]]:
    """Ask them: what was counted in all, and processor seconds of each."""
    work: Counter[str] = Counter()
    seconds = []
    with counted(work):
        for question in questions:
            before = time.process_time()
            at = datetime.fromisoformat(question["asked_at"])
            memory.ask(question["question"], space=SPACE, at=at, speaker=question["asker"])
            seconds.append(time.process_time() - before)
    texts = Counter({name: times for name, times in work.items() if name.startswith("text:")})
    work["texts parsed again"] = sum(times - 1 for times in texts.values())
    return work - texts, seconds


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("life", nargs="?", type=Path, default=LIFE)
    parser.add_argument("--profile", type=int, default=0, help="show so many functions by the time spent within them")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args(arguments)
    life = json.loads(options.life.read_text(encoding="utf-8"))
    questions = life["questions"]
    with remembered(life) as memory:
        memory.ask("Who is there?", space=SPACE)
        profile = cProfile.Profile()
        if options.profile:
            profile.enable()
        work, seconds = asked(memory, questions)
        profile.disable()
    figures = {name: round(times / len(questions), 2) for name, times in sorted(work.items())}
    figures |= {"processor seconds, median": round(median(seconds), 3), "mean": round(mean(seconds), 3)}
    for name, figure in figures.items():
        print(f"{figure:>10}  {name}")
    if options.profile:
        pstats.Stats(profile, stream=sys.stdout).sort_stats("cumulative").print_stats(options.profile)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

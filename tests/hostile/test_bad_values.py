"""Whatever value is given where another is due: the error is a GoalmemError that says what is wrong, and it is short."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from goalmem import Memory
from goalmem.errors import LONGEST_SHOWN, GoalmemError, shown


def nested(levels: int) -> list[Any]:
    """A list in a list in a list."""
    found: list[Any] = []
    for _ in range(levels):
        found = [found]
    return found


VALUES: dict[str, Any] = {
    "nothing": None, "a fraction": 1.5, "bytes": b"x", "many digits": 10 ** (sys.get_int_max_str_digits() or 5000), "much": [0] * 1_000_000,
    "deep": nested(5_000), "deep, by name": {"app": {"$gt": nested(5_000)}, "$x": nested(5_000)}, "NUL": "\0", "half a character": "\ud800",
    "an object": object(),
}  # fmt: skip
USES: dict[str, Callable[[Memory, Any], object]] = {
    "role": lambda memory, value: memory.add([{"role": value, "content": "I like tea."}]),
    "ttl": lambda memory, value: memory.add(
        [{"role": "user", "content": "I like tea.", "ttl": str(value) if isinstance(value, float) else value or 0}]
    ),
    "metadata": lambda memory, value: memory.add(
        [{"role": "user", "content": "Hi.", "metadata": {"app": value if isinstance(value, int | list) else b"x"}}]
    ),
    "at": lambda memory, value: memory.add(
        "I like tea.", at=[] if value is None or isinstance(value, float) else value
    ),
    "space": lambda memory, value: memory.add("I like tea.", space=value),
    "question": lambda memory, value: memory.ask(value if not isinstance(value, str) else ""),
    "reasoner": lambda memory, value: memory.ask("What do I like?", reasoner=value or "x"),
    "where": lambda memory, value: memory.search("tea", where=value or []),
    "k": lambda memory, value: memory.search("tea", k=value if not isinstance(value, int) else -value),
    "tokens": lambda memory, value: memory.context("tea", max_tokens=value if not isinstance(value, int) else -value),
    "limit": lambda memory, value: memory.get_all(limit=value if not isinstance(value, int) else -value),
    "cursor": lambda memory, value: memory.get_all(cursor=value or "x"),
    "turn": lambda memory, value: memory.turn(value),
    "turn to forget": lambda memory, value: memory.forget(turn=value or "x"),
    "rule": lambda memory, value: memory.remove_rules([value, None]),
    "rules": lambda memory, value: memory.add_rules(value if not isinstance(value, str) else ""),
    "triple": lambda memory, value: memory.import_graph([("Ann", "likes", value or 0, "tea")]),
    "graph file": lambda memory, value: memory.import_graph(value if isinstance(value, str) else "no such file"),
    "proof": lambda memory, value: memory.verify(value),
}
"""Each raises for every value."""


@pytest.mark.parametrize("use", USES)
def test_a_value_of_another_kind_is_refused_in_few_words(memory: Memory, use: str) -> None:
    for name, value in VALUES.items():
        try:
            USES[use](memory, value)
        except GoalmemError as error:
            assert len(str(error)) < 3 * LONGEST_SHOWN, name
            continue
        except Exception as error:  # noqa: BLE001 - which one it is is what the test is about
            pytest.fail(f"{name}: {error!r:.200}")
        pytest.fail(f"{name} was taken")


def test_what_cannot_be_written_is_shown_by_its_type() -> None:
    assert shown(VALUES["many digits"]) == "of type int and too large to show"
    assert shown(nested(5_000)) == "of type list and too large to show"
    assert shown("tea") == "'tea'"


def test_an_export_whose_line_is_nested_too_deeply_is_refused(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "export.jsonl").write_text("[" * 100_000 + "]" * 100_000)
    with pytest.raises(GoalmemError, match="line 1"):
        memory.import_(tmp_path / "export.jsonl")

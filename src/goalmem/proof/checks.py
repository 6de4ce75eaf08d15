"""The record of the checks made on a proof."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Check:
    """One check: on which node (its path in the document), of what, whether it holds, and the detail."""

    node: str
    name: str
    ok: bool
    detail: str


@dataclass(slots=True)
class Checks:
    """All checks made up to now."""

    made: list[Check] = field(default_factory=list)

    def note(self, node: str, name: str, ok: bool, detail: str) -> None:
        """Keep a check. `detail` says what holds, or, when `ok` is false, what should."""
        self.made.append(Check(node, name, bool(ok), detail))

"""The checks made on a proof."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Check:
    """One check: the path of the node in the document, the name of the check, if it holds, and the detail."""

    node: str
    name: str
    ok: bool
    detail: str


@dataclass(slots=True)
class Checks:
    """All checks made so far."""

    made: list[Check] = field(default_factory=list)

    def note(self, node: str, name: str, ok: bool, detail: str) -> None:
        """Add a check. `detail` says what holds, or what should hold if `ok` is false."""
        self.made.append(Check(node, name, bool(ok), detail))

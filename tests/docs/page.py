"""Examples out of a page of documentation, and what they print."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```(python|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PRINTED = re.compile(r"^\s*print\(.*\)  # (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Example:
    """A block of a page."""

    kind: str
    text: str
    line: int

    @property
    def printed(self) -> list[str]:
        """What the comments behind the `print` calls of a Python block say they print."""
        return PRINTED.findall(self.text)

    @property
    def commands(self) -> list[tuple[str, str]]:
        """The commands of a console block, and what is shown below each."""
        parts = re.split(r"^\$ ", self.text, flags=re.MULTILINE)[1:]
        return [(command, output) for command, _, output in (part.partition("\n") for part in parts)]


def pages() -> list[Path]:
    """Every page that may hold examples."""
    return sorted([ROOT / "README.md", *ROOT.glob("docs/*.md")])


def examples(page: Path) -> list[Example]:
    """The Python and console blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    return [Example(m[1], m[2], text.count("\n", 0, m.start()) + 1) for m in FENCE.finditer(text)]


def agrees(shown: str, printed: str) -> bool:
    """True when a program printed what a page shows; `...` stands for anything, and spaces at line ends for nothing."""

    def trimmed(text: str) -> str:
        return "\n".join(line.rstrip() for line in text.strip().splitlines())

    pattern = ".*?".join(map(re.escape, trimmed(shown).split("...")))
    return re.fullmatch(pattern, trimmed(printed), re.DOTALL) is not None

"""Edits of a text that keep track of where its marked stretches go."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Edit:
    """Put `new` in place of `text[start:end]`."""

    start: int
    end: int
    new: str


def rewrite(text: str, spans: Sequence[tuple[int, int]], edits: Sequence[Edit]) -> tuple[str, list[tuple[int, int]]]:
    """`text` with the edits, which do not overlap, and where each span is in it.

    A bound that lies inside an edited stretch moves to that stretch's outer end.
    """
    ordered = sorted(edits, key=lambda edit: edit.start)
    parts: list[str] = []
    done = 0
    for edit in ordered:
        parts += (text[done : edit.start], edit.new)
        done = edit.end
    parts.append(text[done:])
    return "".join(parts), [(_moved(start, ordered, False), _moved(end, ordered, True)) for start, end in spans]


def _moved(place: int, edits: Sequence[Edit], is_end: bool) -> int:
    shift = 0
    for edit in edits:
        if edit.end <= place:
            shift += len(edit.new) - (edit.end - edit.start)
        elif edit.start < place:
            return edit.start + shift + (len(edit.new) if is_end else 0)
    return place + shift


def renamed(text: str, names: Mapping[str, str]) -> list[Edit]:
    """Edits that put `names[word]` for every whole word that is a key."""
    if not names:
        return []
    pattern = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    return [
        Edit(found.start(), found.end(), names[found[0]]) for found in re.finditer(rf"(?<!\w)(?:{pattern})(?!\w)", text)
    ]


# Tokenised corpora write a blank before punctuation and before the second half of a contraction.
_BLANKS = re.compile(
    r"(?<=\S) (?=[,.!?;:)\]…](?:\s|$|[.!?)])|(?:n't|'s|'m|'re|'ve|'ll|'d|'S|'M)\b)|(?<=[(\[]) (?=\S)|(?<=\bgon) (?=na\b)"
    r"|(?<=\bgot) (?=ta\b)|(?<=\bwan) (?=na\b)|(?<=\bcan) (?=not\b)"
)


def joined(text: str) -> list[Edit]:
    """Edits that take out the blanks which a tokeniser put in: `do n't .` becomes `don't.`."""
    return [Edit(found.start(), found.end(), "") for found in _BLANKS.finditer(text)]


def shifted(spans: Sequence[tuple[int, int]], by: int) -> list[tuple[int, int]]:
    """The spans `by` characters further on."""
    return [(start + by, end + by) for start, end in spans]

"""Short turns that give a recent value anew: `make it 88`, `moved to Thursday`, `no, blue`.

The value replaces the only one of its kind in the last `REACH` turns of the session; if there are several, it is open which one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from goalmem.language.sentences import CLAUSE_BREAK
from goalmem.language.times import find_times
from goalmem.language.words.revisions import CONTRASTS, DOUBT, OPENER, PROPOSED, REFUSAL, REVISED, TAIL, WEAK
from goalmem.records import Fact, Modality, Turn
from goalmem.sources.state.attribute_text import QUANTITY, VERSION, is_colour

REACH = 2
LONGEST = 80
"""Characters of a turn that contains only a new value."""
EDGES = " \t.!,;:–—-"


@dataclass(frozen=True, slots=True)
class TerseChange:
    """A new value in a turn."""

    start: int
    end: int
    """Offset in the turn's content."""
    text: str
    """The value; for a time, its words."""
    kind: str
    old: str = ""
    """The old value, if it is given."""
    proposed: bool = False


def kind_of_value(text: str, said: datetime) -> str:
    """`day`, `version`, `amount` or `colour` if the text is a value of that kind and nothing else; otherwise empty."""
    words = re.sub(r"^(?:on|at|the|to|for|only|just)\s+", "", text.strip(EDGES), flags=re.IGNORECASE)
    if not words or len(words) > LONGEST // 2:
        return ""
    if re.fullmatch(r"v\d[\w.-]*", words, re.IGNORECASE) or (VERSION.fullmatch(words) and words[:1] in "vV"):
        return "version"
    found = find_times(words, said, True) if re.search(r"[^\W\d_]", words) else []
    if len(found) == 1 and not re.sub(r"\b(?:on|at|the|of)\b|\W", "", words[: found[0].start] + words[found[0].end :]):
        return "day"
    if re.fullmatch(rf"{QUANTITY.pattern}(?:\s*(?:a|per|an|each|/)\s*\w+)?", words):
        return "amount"
    return "colour" if " " not in words and is_colour(words) else ""


def terse_change(turn: Turn) -> TerseChange | None:
    """The change in a turn that only gives a new value; None for any other turn."""
    first = CLAUSE_BREAK.split(turn.content.strip())[0]
    if len(first) > LONGEST or WEAK.search(first):
        return None
    start = turn.content.index(first)
    opener = OPENER.match(first)
    said = first[opener.end() if opener else 0 :].strip(EDGES)
    at = turn.at.replace(tzinfo=None)
    for form in (CONTRASTS, REVISED, PROPOSED):
        for core in dict.fromkeys((said, TAIL.sub("", said))):
            found = form.match(core)
            if found is None:
                continue
            parts = {k.rstrip("2345"): v for k, v in found.groupdict().items() if v}
            inner = REVISED.match(parts["v"]) or PROPOSED.match(parts["v"]) if form is CONTRASTS else None
            value = next((v for v in inner.groupdict().values() if v), "") if inner else parts["v"]
            if inner is None and (again := REVISED.match(value)) is not None:  # `nah, back to 18`
                value = next(v for v in again.groupdict().values() if v)
            value = TAIL.sub("", value).strip(EDGES)
            old = TAIL.sub("", parts.get("old", "")).strip(EDGES)
            kind = kind_of_value(value, at)
            if kind and (not old or kind_of_value(old, at) in (kind, "amount" if kind == "version" else kind)):
                text = re.sub(r"^(?:on|at|the|to|for|only|just)\s+", "", value, flags=re.IGNORECASE)
                return TerseChange(start, start + len(first), text, kind, old, form is PROPOSED)
    return None


@dataclass(frozen=True, slots=True)
class AgreedChange:
    """A terse change with its turn, and whether the other speaker agreed."""

    change: TerseChange
    turn: Turn
    agreed: bool

    @property
    def fact(self) -> Fact:
        """Its words as a fact without arguments."""
        return words_as_fact(self.turn, self.change.start, self.change.end)


def words_as_fact(turn: Turn, start: int, end: int) -> Fact:
    """Words of a turn as a fact without arguments."""
    words = turn.content[start:end]
    return Fact(
        f"{turn.id}:{start}", turn.space, turn.id, words, start, end, words, "clause", "be", (), True, Modality.ASSERTED, turn.speaker, turn.at
    )  # fmt: skip


def value_text(text: str, kind: str, said: datetime) -> str:
    """The text of a value; for a time, its date."""
    return str(find_times(text, said.replace(tzinfo=None), True)[0].interval) if kind == "day" else text


def terse_changes(turns: Sequence[Turn]) -> Iterator[tuple[AgreedChange, tuple[Turn, ...]]]:
    """Yield the terse changes in a run of turns, each with the previous turns that may contain the old value, the nearest first."""
    for n, turn in enumerate(turns):
        change = terse_change(turn)
        if change is None:
            continue
        before = tuple(t for t in reversed(turns[max(0, n - REACH) : n]) if t.position >= turn.position - REACH)
        behind = next((t for t in turns[n + 1 : n + 2] if t.speaker != turn.speaker), None)
        if behind is not None and REFUSAL.search(behind.content):
            continue
        doubted = behind is not None and DOUBT.search(behind.content) is not None
        own = bool(before) and before[0].speaker == turn.speaker
        agreed = not doubted and (
            not change.proposed or own or (behind is not None and len(behind.content.split()) <= 6)
        )
        yield AgreedChange(change, turn, agreed), before


def values_of_kind(text: str, kind: str, said: datetime) -> int:
    """The number of values of a kind in a text."""
    times = find_times(text, said)
    if kind == "day":
        return len(times)
    for t in reversed(times):
        text = text[: t.start] + " " * (t.end - t.start) + text[t.end :]
    if kind == "colour":
        return sum(is_colour(w) for w in re.findall(r"[^\W\d_]+", text))
    return len(re.findall(r"(?<![\w.])[$€£¥v]?\d[\d.,:]*", text))

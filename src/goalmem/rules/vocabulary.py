"""Reading a statement of NL-Logic, which is text, as a predicate of a theory with its terms."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from goalmem.logic.terms import Atom, Variable
from goalmem.rules.terms import SLOT, Literal

_VARIABLE = "\x00{}\x00"
_PLACED = re.compile("\x00(\\d+)\x00")
_WORD = re.compile(r"[^\W_]+")
_SPACES = re.compile(r"\s+")
MOST_WAYS = 100
"""Ways tried in which a text may be a predicate with terms; more than one takes a term that holds the predicate's words."""


@dataclass(slots=True)
class Vocabulary:
    """The predicates of a theory, found by their words."""

    predicates: Iterable[str]
    _by_word: dict[str, list[tuple[str, tuple[str, ...]]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        words = {p: _WORD.findall(p.casefold()) for p in self.predicates}
        common = Counter(w for found in words.values() for w in set(found))
        for predicate, found in words.items():
            # Its rarest word finds it; one without words is tried always.
            rarest = min(found, key=lambda w: (common[w], w), default="")
            pieces = tuple(_SPACES.sub(" ", piece).casefold() for piece in predicate.split(SLOT))
            self._by_word.setdefault(rarest, []).append((predicate, pieces))

    def readings(self, atom: Atom) -> list[Literal]:
        """Every predicate with terms that reads as the atom, up to case and spacing."""
        variables = [p for p in atom.parts if isinstance(p, Variable)]
        numbers = iter(range(len(variables)))
        text = "".join(p if isinstance(p, str) else _VARIABLE.format(next(numbers)) for p in atom.parts)
        text = " ".join(text.split()).removesuffix(".")
        low = text.casefold()
        # Case folding that changes the length would shift all later offsets; such a text is searched in its folded form.
        shown = text if len(low) == len(text) else low
        found = []
        for word in dict.fromkeys(("", *_WORD.findall(low))):
            for predicate, pieces in self._by_word.get(word, ()):
                for spans in islice(_fillings(low, pieces), MOST_WAYS):
                    terms = [_term(shown[start:end], variables) for start, end in spans]
                    if all(t is not None for t in terms):
                        known = tuple(t for t in terms if t is not None)
                        found.append(Literal(predicate, known, atom.negated))
        return found


def _fillings(text: str, pieces: tuple[str, ...]) -> Iterator[tuple[tuple[int, int], ...]]:
    """Every choice of places for the slots between the pieces with which they make up the text."""
    first, *rest = pieces
    if not text.startswith(first):
        return
    waiting: list[tuple[int, tuple[tuple[int, int], ...]]] = [(len(first), ())]
    while waiting:
        start, filled = waiting.pop()
        if len(filled) == len(rest):
            if start == len(text):
                yield filled
            continue
        piece = rest[len(filled)]
        if len(filled) == len(rest) - 1:
            ends = [len(text) - len(piece)] if text.endswith(piece) else []
        else:
            ends = [m.start() for m in re.finditer(f"(?={re.escape(piece)})", text)]
        waiting += [(end + len(piece), (*filled, (start, end))) for end in ends if end > start]


def _term(words: str, variables: list[Variable]) -> str | Variable | None:
    """The term in a slot: a variable, or words without a variable."""
    placed = _PLACED.fullmatch(words)
    if placed is not None:
        return variables[int(placed[1])]
    return None if "\x00" in words or words != words.strip() else words

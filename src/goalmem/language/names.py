"""Names that a parser has never seen, replaced by names that it knows while a sentence is parsed.

`Ysolde drinks coffee` is taken for a noun phrase; `Alice drinks coffee` is not. Who is a name is known from memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from goalmem.language.lexicon import is_known
from goalmem.language.name_masking import truecase

PEOPLE = [
    "Alice",
    "Robert",
    "Mary",
    "Thomas",
    "Susan",
    "George",
    "Helen",
    "Peter",
    "Laura",
    "Daniel",
    "Emma",
    "Henry",
    "Julia",
    "Martin",
    "Rachel",
    "Simon",
]
PLACES = ["London", "Paris", "Berlin", "Madrid", "Chicago", "Toronto", "Boston", "Vienna", "Dublin", "Prague"]
FAMILIAR = frozenset((*PEOPLE, *PLACES))
"""Every familiar name used for masking; each is a single name."""
WORD = re.compile(r"[^\W\d_][\w’'-]*")
DETERMINERS = frozenset("a an the this that these those each every any some no one which what another other".split())
LONGEST = 4
"""Words in a name."""


@dataclass(frozen=True, slots=True)
class MaskedText:
    """A text in which names are replaced by familiar ones, and the mapping back."""

    text: str
    back: Mapping[str, str]

    def reveal(self, text: str) -> str:
        """Replace the familiar names in `text` by the original ones, in either case."""
        for familiar, name in self.back.items():
            text = replace_word(text, familiar, name)
            text = replace_word(text, familiar.casefold(), name.casefold())
        return text


def replace_word(text: str, word: str, by: str) -> str:
    """Every whole-word occurrence of `word` replaced."""
    return re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", lambda _: by, text)


class Names:
    """The names of one space: entities and speakers, with their types."""

    def __init__(self, types: Mapping[str, str]) -> None:
        self._types = {name.casefold(): kind for name, kind in types.items() if "'s " not in name}

    def and_these(self, names: Iterable[str]) -> Names:
        """These names and others, of no known type where they are new."""
        return Names(dict.fromkeys((n.casefold() for n in names), "") | self._types)

    def kind_of(self, name: str) -> str | None:
        """The coarse type of a name, empty if unknown; None if the word is not a known name."""
        return self._types.get(name.casefold())

    def written(self, text: str) -> str:
        """The text with known names in capitals, as `truecase` finds them."""
        return truecase(text, [n for n, kind in self._types.items() if kind == "person" or not is_known(n)])

    def said_in(self, text: str) -> list[tuple[int, int]]:
        """The positions of known names in a text, the longest at each start."""
        words, found, n = list(WORD.finditer(text)), list[tuple[int, int]](), 0
        while n < len(words):
            span = self._name_at(text, words, n)
            found += [span[:2]] if span is not None else []
            n += span[2] if span is not None else 1
        return found

    def disguise(self, text: str, *, beside: str = "", called: str = "") -> MaskedText:
        """Replace every known name, longest first; a name keeps its replacement throughout the text.

        Replacements never occur in `beside`, so that unmasking is unambiguous. `called`: a lower-case word that is used
        as a name, unless a determiner precedes it (`brought user soup`, not `the user`).
        """
        given: dict[str, str] = {}
        out, at = [], 0
        words = list(WORD.finditer(text))
        n = 0
        while n < len(words):
            span = self._name_at(text, words, n) or lower_case_name_at(called, words, n)
            if span is None:
                n += 1
                continue
            start, end, count = span
            name = text[start:end]
            familiar = given.setdefault(name, "") or self._pick(name, f"{text} {beside}", given)
            given[name] = familiar
            if familiar:
                out += [text[at:start], familiar]
                at = end
            n += count
        out.append(text[at:])
        return MaskedText("".join(out), {familiar: name for name, familiar in given.items() if familiar})

    def _name_at(self, text: str, words: list[re.Match[str]], n: int) -> tuple[int, int, int] | None:
        """The longest known name that starts at the n-th word: start, end, number of words."""
        for count in range(min(LONGEST, len(words) - n), 0, -1):
            start, last = words[n].start(), words[n + count - 1]
            bare = re.sub(r"['’]s?$", "", last.group())
            end = last.start() + len(bare)
            quoted = text[max(0, start - 1) : start] in ("'", '"') and text[end : end + 1] == text[start - 1]
            if text[start].isupper() and not quoted and text[start:end].casefold() in self._types:
                return start, end, count
        return None

    def _pick(self, name: str, text: str, given: Mapping[str, str]) -> str:
        """An unused familiar name of the same kind; empty if there is none or none is needed."""
        pool = PLACES if self.kind_of(name) == "place" else PEOPLE
        if name in PEOPLE or name in PLACES:
            return ""
        taken = {*given.values(), *WORD.findall(text)}
        return next((p for p in pool if p not in taken and f"{p}'s" not in taken), "")


def lower_case_name_at(name: str, words: list[re.Match[str]], n: int) -> tuple[int, int, int] | None:
    """Start, end (without a possessive `'s`) and number of words of a lower-case name at the n-th word, without a determiner."""
    word = words[n]
    bare = re.sub(r"['’]s$", "", word.group())
    if not name or bare != name or (n and words[n - 1].group().casefold() in DETERMINERS):
        return None
    return word.start(), word.start() + len(bare), 1

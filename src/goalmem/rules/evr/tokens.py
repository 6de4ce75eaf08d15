"""The vocabulary of EVR networks: words of the working memory's language, and placeholders for all others.

Every word that is not a function word of English is replaced for each input: the goal's words by `g0`, `g1`, … in
order, others by `v0`, `v1`, …; numbers of sentences by `#1`, `#2`, … . So a network knows no names, properties or
verbs, and treats unseen ones and numbers of any size alike. Its output is converted back to the input's words. The
ending of a third person singular is a token of its own (`likes`: `g1 -s`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from goalmem.language.morphology import is_verb, third_person
from goalmem.language.words.pronouns import THIRD_REFLEXIVES
from goalmem.rules import english
from goalmem.rules.evr.wording import verb_base

PAD, END, UNKNOWN, ENDING, QUOTE = "<pad>", "</s>", "<unk>", "-s", '"'
GOAL_WORDS, OTHER_WORDS, SENTENCES, COUNTS = 16, 48, 32, 41
"""Number of placeholders of each kind; further ones are unknown to the network."""
PHRASES = (
    "episodic buffer: there are", "episodic buffer:", "fact buffers and", "fact buffer and", "rule buffers.", "rule buffer.",
    "i want to judge whether", "i want to prove", "i need to prove", "the facts", "the rules", "can prove",
    "do not contradict", "does not contradict", "fact buffer", "rule buffer", "according to", "operator: GENERATE_SUBGOALS",
    "operator: RUN", "GENERATE_SUBGOALS", "GET(FACT_BUFFER_", "GET(RULE_BUFFER_", ") THEN RUN(EPISODIC_BUFFER, FACT_BUFFER_",
    ") THEN RUN(EPISODIC_BUFFER, RULE_BUFFER_", ")", "true, NAF.", "false, CWA.", "true, this is confirmed by",
    "false, this is contradicted by", "AND", "OR", "fact", "rule", "true", "false", "nothing",
)  # fmt: skip
"""Phrases of the working memory's language, each a single token."""
FUNCTION_WORDS = frozenset().union(
    english.ARTICLES, english.EVERY, english.PRONOUNS, THIRD_REFLEXIVES, english.GENERIC_PRONOUNS, english.GENERIC_NOUNS,
    english.UNIVERSAL_PRONOUNS, english.FREE_PRONOUNS, english.NONE_PRONOUNS, english.WHOEVER, english.RELATIVES,
    english.AUXILIARIES, english.SUBORDINATORS, {"the", "no", "not", "and", "or"},
)  # fmt: skip

VOCABULARY = tuple(dict.fromkeys((
    PAD, END, UNKNOWN, *PHRASES, ENDING, QUOTE, ".", ",", ":", *sorted(FUNCTION_WORDS),
    *(f"g{n}" for n in range(GOAL_WORDS)), *(f"v{n}" for n in range(OTHER_WORDS)),
    *(f"#{n}" for n in range(1, SENTENCES + 1)), *map(str, range(COUNTS)),
)))  # fmt: skip
"""Every token; its place is its id. T5 expects that padding is 0 and the end 1."""

_PIECE = re.compile(
    "|".join(
        (
            r"(?P<number>(?<=fact )\d+|(?<=rule )\d+)",
            "(?P<phrase>" + "|".join(rf"{re.escape(p)}(?!\w)" if p[-1].isalpha() else re.escape(p)
                                     for p in sorted(PHRASES, key=len, reverse=True)) + ")",
            r"(?P<count>\d+)(?![\w-])",
            r"(?P<word>[^\W_][\w'’-]*)",
            r'(?P<sign>[".,:])',
        )
    )
)  # fmt: skip
_CLOSING = re.compile(r" (?=[.,:])|(?<=_) | (?=\))")


@dataclass(slots=True)
class PlaceholderNames:
    """Meaning of the placeholders of one input."""

    words: dict[str, str] = field(default_factory=dict)
    """Placeholders by base form."""
    numbers: dict[str, str] = field(default_factory=dict)
    endings: dict[str, str] = field(default_factory=dict)
    """Third persons by base form, as they were read."""
    shown: dict[str, str] = field(default_factory=dict)
    """Words of the goal by base form, as they were read: `Ada`."""
    _free: list[int] = field(default_factory=lambda: list(range(OTHER_WORDS)))
    _goal: int = 0

    def word(self, word: str, *, goal: bool, new: bool) -> Iterator[str]:
        """The tokens of a word that is no function word."""
        verb = verb_base(word) if word[:1].islower() else ""
        ends = bool(verb) and (is_verb(verb) or verb in self.words)
        word, read = word.casefold(), word
        base = verb if ends else word
        if base not in self.words and new:
            self.words[base] = self._placeholder(goal=goal)
            if goal and not ends:
                self.shown[base] = read
        yield self.words.get(base, UNKNOWN)
        if ends:
            self.endings.setdefault(base, word)
            yield ENDING

    def number(self, number: str, *, new: bool) -> str:
        """The token of a sentence's number."""
        if number not in self.numbers and new:
            place = len(self.numbers) + 1
            self.numbers[number] = f"#{place}" if place <= SENTENCES else UNKNOWN
        return self.numbers.get(number, UNKNOWN)

    def _placeholder(self, *, goal: bool) -> str:
        if goal and self._goal < GOAL_WORDS:
            self._goal += 1
            return f"g{self._goal - 1}"
        if not self._free:
            return UNKNOWN
        return f"v{self._free.pop(0)}"


def tokens(text: str, names: PlaceholderNames, *, new: bool = True) -> list[str]:
    """The tokens of a text. Placeholders are made for its words, or, where not `new`, only those made before are used."""
    found: list[str] = []
    goal = True
    for piece in _PIECE.finditer(text):
        kind, value = piece.lastgroup, piece.group()
        match kind:
            case "number":
                # A numbered sentence of a buffer; citations in goals have no colon.
                goal = goal and text[piece.end() : piece.end() + 1] != ":"
                found.append(names.number(value, new=new))
            case "word" if value.casefold() not in FUNCTION_WORDS:
                found += names.word(value, goal=goal, new=new)
            case "word":
                found.append(value.casefold())
            case "count":
                found.append(value if int(value) < COUNTS else UNKNOWN)
            case _:
                found.append(value)
    return found


def spelled(found: Sequence[str], names: PlaceholderNames) -> str:
    """Decode tokens, replacing placeholders by their words; an unknown placeholder stays."""
    words = {placeholder: names.shown.get(word, word) for word, placeholder in names.words.items()}
    numbers = {token: number for number, token in names.numbers.items()}
    out: list[str] = []
    quotes = 0
    for token in found:
        if token == ENDING and out:
            base = out[-1]
            out[-1] = names.endings.get(base) or third_person(base)
        elif token == QUOTE:
            quotes += 1
            if quotes % 2 or not out:
                out.append(QUOTE)
            else:
                out[-1] += QUOTE
        else:
            word = words.get(token) or numbers.get(token) or token
            if out and out[-1] == QUOTE:
                out[-1] += word
            else:
                out.append(word)
    return _CLOSING.sub("", " ".join(out))

"""The content of a sentence of rule English as clauses over statements with slots, and the sentence as evidence.

A predicate is a statement with one `_` for each of its terms (`_ is kind`, `_ chases _`), so that equal statements
have equal predicates whatever they were worded like, and every clause can be printed as an NL-Logic rule.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Protocol

from goalmem.logic.syntax import format_rule
from goalmem.logic.terms import Atom, Evidence, Rule, Variable

SLOT = "_"
"""Stands for a term in a predicate."""


@dataclass(frozen=True, slots=True)
class Literal:
    """A statement about terms, or its denial."""

    predicate: str
    """Present tense, third person singular, single spaces: `_ is kind`, `_ chases _`; negation is not part of it."""
    terms: tuple[str | Variable, ...]
    """Constants as they are printed (`Bob`, `the bald eagle`: without a capital article) and variables, in order."""
    negated: bool = False

    @property
    def ground(self) -> bool:
        """True when no term is a variable."""
        return not any(isinstance(t, Variable) for t in self.terms)

    @property
    def denied(self) -> Literal:
        """Its opposite."""
        return replace(self, negated=not self.negated)

    @property
    def atom(self) -> Atom:
        """The same in NL-Logic."""
        parts: list[str | Variable] = []
        pieces = self.predicate.split(SLOT)
        for n, piece in enumerate(pieces):
            for part in (piece, *self.terms[n : n + 1]) if n < len(pieces) - 1 else (piece,):
                if parts and isinstance(part, str) and isinstance(parts[-1], str):
                    parts[-1] += part
                elif part != "":
                    parts.append(part)
        return Atom(tuple(parts), self.negated)


@dataclass(frozen=True, slots=True)
class Clause:
    """`head if body and body …`: a fact where the body is empty. A sentence may state several."""

    head: Literal
    body: tuple[Literal, ...] = ()
    text: str = ""
    """The sentence that states it."""
    start: int = 0
    """Character offset of the sentence in the text."""
    end: int = 0
    score: float = field(default=1.0, compare=False)
    """Confidence of the reader in [0, 1]; below 1 only if a model read the sentence."""

    @property
    def rule(self) -> Rule:
        """The same in NL-Logic."""
        return Rule(self.head.atom, tuple(b.atom for b in self.body))

    @property
    def variables(self) -> Iterator[Variable]:
        """Its distinct variables in order of appearance, the head's first."""
        terms = (t for literal in (self.head, *self.body) for t in literal.terms)
        return iter(dict.fromkeys(t for t in terms if isinstance(t, Variable)))


@dataclass(frozen=True, slots=True)
class Unread:
    """A sentence that could not be read, and why."""

    text: str
    start: int
    end: int
    reason: str
    """Completes "cannot read this sentence, because …"."""


@dataclass(frozen=True, slots=True)
class Reading:
    """All sentences of a text: every one is either in `clauses` or in `unread`."""

    clauses: tuple[Clause, ...]
    unread: tuple[Unread, ...] = ()


class RuleReader(Protocol):
    """Reads rule English. Deterministic, and safe to use from several threads."""

    @property
    def name(self) -> str:
        """`grammar`, `learned` or `chat`."""

    def read(self, text: str) -> Reading:
        """The clauses of a text, sentence by sentence, in order. Does not raise for unreadable sentences."""

    def read_statement(self, text: str) -> Literal | None:
        """The statement or question `text` as a literal (`Bob is not green.`, `Is Bob green?`, `Who is kind?` with a
        variable); None if a theory cannot decide it.
        """


RULE = "rule-"
"""Prefix of the ids of sentences; ids of turns never have it."""
_DIGITS = 24


def sentence_of(clause: Clause) -> str:
    """The sentence that states a clause; of one that no text states, the clause in NL-Logic."""
    return clause.text or f"{format_rule(clause.rule)}."


def sentence_id(text: str) -> str:
    """The id of a sentence: the same words have the same id everywhere."""
    return f"{RULE}{_hash(text)[:_DIGITS]}"


def cited(text: str) -> Evidence:
    """A whole sentence as evidence, without a speaker and a time: a rule is in force as long as it is stated."""
    return Evidence(sentence_id(text), _hash(text), text, 0, len(text), "", "", "")


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


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

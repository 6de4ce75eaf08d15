"""Instances of rules: the rule as stated, and as a step of a proof used it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from goalmem.logic.syntax import canonical
from goalmem.logic.terms import Atom, Rule, Value, Variable

MAX_TRIES = 10_000
"""Limit on the ways tried to read a statement as an instance of a rule, so that repetitive text takes no longer."""
_BETWEEN = "\x00"
"""Ends every statement. Does not occur in the texts of a memory."""


def apply_rule(rule: Rule, instance: Mapping[str, str]) -> tuple[Atom, tuple[Atom, ...]]:
    """Head and body with every variable in `instance` replaced by its words."""
    values = {name: Value(words, words) for name, words in instance.items()}
    return canonical(rule.head.substitute(values)), tuple(canonical(a.substitute(values)) for a in rule.body)


def same_statement(a: Atom, b: Atom) -> bool:
    """True if two atoms have the same text, except for case, spacing and a final full stop."""
    return a.negated == b.negated and _reading(a) == _reading(b)


def instance_of(rule: Rule, head: Atom, body: Sequence[Atom]) -> dict[str, str] | None:
    """The words that the rule's variables stand for if it reads as the ground `head` if `body`; None if it does not, or if that takes more
    than `MAX_TRIES`.
    """
    if len(body) != len(rule.body) or any(a.negated != b.negated for a, b in zip(body, rule.body, strict=True)):
        return None
    parts: list[str | Variable] = []
    for atom in (rule.head, *rule.body):
        parts += [*_words(atom), _BETWEEN]
    text = "".join(_text(a) + _BETWEEN for a in (head, *body))
    return next(_readings(parts, text, {}, [MAX_TRIES]), None)


def _readings(
    parts: Sequence[str | Variable], text: str, words: dict[str, str], tries: list[int]
) -> Iterator[dict[str, str]]:
    """Yield every choice of words for the variables with which `parts` reads as `text`, the shortest words first."""
    tries[0] -= 1
    if tries[0] < 0:
        return
    if not parts:
        if not text:
            yield words
        return
    first, rest = parts[0], parts[1:]
    known = first if isinstance(first, str) else words.get(first.name)
    if known is not None:
        if text[: len(known)].casefold() == known.casefold():
            yield from _readings(rest, text[len(known) :], words, tries)
    elif isinstance(first, Variable):
        for end in range(1, text.index(_BETWEEN) + 1):
            if not isinstance(rest[0], str) or text[end : end + len(rest[0])].casefold() == rest[0].casefold():
                yield from _readings(rest, text[end:], words | {first.name: text[:end]}, tries)


def _words(atom: Atom) -> list[str | Variable]:
    """The parts with single spaces, trimmed, and without a final full stop."""
    parts = [re.sub(r"\s+", " ", p) if isinstance(p, str) else p for p in canonical(atom).parts]
    if parts and isinstance(parts[0], str):
        parts[0] = parts[0].lstrip()
    if parts and isinstance(parts[-1], str):
        parts[-1] = parts[-1].rstrip().removesuffix(".")
    return parts


def _text(atom: Atom) -> str:
    return "".join(p if isinstance(p, str) else str(p) for p in _words(atom))


def _reading(atom: Atom) -> str:
    return _text(atom).casefold()

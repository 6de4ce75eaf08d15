"""Literals as EVR's working memory words them, and back."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

from goalmem.language.morphology import base_forms, is_verb
from goalmem.logic.terms import Variable
from goalmem.rules.compiled import Index, folded
from goalmem.rules.english import denied
from goalmem.rules.terms import SLOT, Literal

ANYTHING = {"person": "someone"}
"""Wording of a variable by its type; default `something`."""
OPEN = frozenset({"someone", "something"})


def worded(literal: Literal) -> str:
    """A literal in English: `Bob is not kind`, `the cat does not chase someone`."""
    terms = [ANYTHING.get(t.type, "something") if isinstance(t, Variable) else t for t in literal.terms]
    shape = _denied(literal.predicate) if literal.negated else literal.predicate
    pieces = shape.split(SLOT)
    return "".join(f"{piece}{term}" for piece, term in zip(pieces, [*terms, ""], strict=False)).strip()


def verb_base(form: str) -> str:
    """The base form of a verb in the third person singular, preferably a known verb; empty if it is not one."""
    bases = base_forms(form)
    return next((base for base in bases if is_verb(base)), next(iter(bases), ""))


def _denied(predicate: str) -> str:
    if with_auxiliary := denied(predicate):
        return with_auxiliary
    subject, _, rest = predicate.partition(f"{SLOT} ")
    verb, _, more = rest.partition(" ")
    return f"{subject}{SLOT} does not {verb_base(verb) or verb} {more}".rstrip()


@dataclass
class StatementReader:
    """Reads statements about the constants of a theory."""

    index: Index
    named: set[str] = field(default_factory=set)
    """Folded constants that only the question names."""
    _known: dict[str, Literal | None] = field(default_factory=dict)

    def read(self, text: str) -> Literal | None:
        """Read a statement as a literal; `someone` and `something` are one variable. None if it is not a statement."""
        key = folded(text.rstrip(". "))
        if key not in self._known:
            self._known[key] = self._read(key)
        return self._known[key]

    def _read(self, text: str) -> Literal | None:
        for predicate, negated, shape in self._shapes:
            match = shape.fullmatch(text)
            if match is None:
                continue
            terms = tuple(self._term(t) for t in match.groups())
            if None not in terms:
                return Literal(predicate, tuple(t for t in terms if t is not None), negated)
        return None

    def _term(self, text: str) -> str | Variable | None:
        if text in OPEN:
            return Variable("x", "thing")
        return text if text in self.index.domain or text in self.named else None

    @cached_property
    def _shapes(self) -> list[tuple[str, bool, re.Pattern[str]]]:
        shapes = []
        for predicate in self.index.predicates:
            for negated in (True, False):
                shape = _denied(predicate) if negated else predicate
                pieces = [re.escape(piece) for piece in shape.casefold().split(SLOT)]
                shapes.append((predicate, negated, re.compile("(.+?)".join(pieces))))
        return shapes

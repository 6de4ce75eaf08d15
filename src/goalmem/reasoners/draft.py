"""A goal while it is built: words and variables in order, and the atoms they become."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, TypeAlias

from goalmem.logic.terms import Atom, Constraint, Variable
from goalmem.reasoners.question import Question

if TYPE_CHECKING:
    from spacy.tokens import Token

__all__ = ["Draft", "Item", "antecedent_of", "atom_of"]

Item: TypeAlias = "Token | Variable | str"
THIRD_PERSON = frozenset({"he", "she", "him", "her", "his", "hers", "they", "them", "their", "it", "its"})
FIRST_PERSON = frozenset({"i", "me", "my", "mine", "we", "us", "our"})


@dataclass
class Draft:
    """Atoms and constraints of one goal while it is built."""

    names: Iterator[str]
    asker: str
    anchor: datetime
    antecedent: str = ""
    atoms: list[tuple[Item, ...]] = field(default_factory=list)
    constraints: list[Constraint] = field(default_factory=list)

    def variable(self, type: str) -> Variable:
        """A variable with a name not used yet."""
        return Variable(next(self.names), type)


def antecedent_of(question: Question) -> str:
    """Who a third-person pronoun of the question stands for: the first name in it."""
    names = [t for t in question.doc if t.pos_ == "PROPN" and t.dep_ != "pobj"]
    if not names:
        return ""
    first = names[0]
    run = [first]
    while run[-1].i + 1 < len(question.doc) and question.doc[run[-1].i + 1].pos_ == "PROPN":
        run.append(question.doc[run[-1].i + 1])
    return " ".join(t.text for t in run)


def atom_of(items: Sequence[Item], draft: Draft) -> Atom:
    """Items as an atom: text parts merged, pronouns replaced by who they stand for."""
    parts: list[str | Variable] = []
    for item in items:
        text: str | Variable = item if isinstance(item, Variable | str) else spoken(item, draft)
        if isinstance(text, str) and parts and isinstance(parts[-1], str):
            parts[-1] += text
        elif isinstance(text, Variable) and parts and isinstance(parts[-1], Variable):
            parts += [" ", text]
        else:
            parts.append(text)
    return Atom(tuple(tidy(parts)))


def spoken(token: Token, draft: Draft) -> str:
    """A token's text with its space; pronouns become names where it is known whose."""
    word, space = token.text, token.whitespace_ or " "
    lower = token.lower_
    possessive = token.tag_ == "PRP$"
    name = draft.antecedent if lower in THIRD_PERSON else draft.asker if lower in FIRST_PERSON else ""
    if name and token.tag_ in ("PRP", "PRP$") and lower not in ("it", "its"):
        return f"{name}'s{space}" if possessive else f"{name}{space}"
    glued = (
        not token.whitespace_
        and token.i + 1 < len(token.doc)
        and token.nbor().text in ("'s", "’s", "'", "-", "n't", ",")
    )
    glued = glued or token.text == "-"
    return word + ("" if glued else space)


def tidy(parts: Sequence[str | Variable]) -> list[str | Variable]:
    """One space between words, none at the ends or before an apostrophe."""
    out: list[str | Variable] = []
    for n, part in enumerate(parts):
        if isinstance(part, Variable):
            out.append(part)
            continue
        text = " ".join(part.split())
        lead = n > 0 and not text.startswith(("'", ",", "’"))
        trail = n + 1 < len(parts)
        text = (" " if lead else "") + text + (" " if trail else "")
        out.append(text if text.strip() else " ")
    return [p for n, p in enumerate(out) if p != " " or 0 < n < len(out) - 1]

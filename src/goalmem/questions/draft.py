"""A goal under construction: words and variables in order, and the atoms made of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, TypeAlias

from goalmem.language.entities import CALLED
from goalmem.language.words.pronouns import FIRST_COMMON, THIRD_COMMON
from goalmem.logic.terms import Atom, Constraint, Variable

if TYPE_CHECKING:
    from spacy.tokens import Token


Item: TypeAlias = "Token | Variable | str"
NO_BEINGS = frozenset({"GPE", "LOC", "FAC", "DATE", "TIME", "WORK_OF_ART", "EVENT"})
"""Entity labels of names that `he` and `she` cannot refer to."""


@dataclass
class Draft:
    """Atoms and constraints of a goal under construction."""

    names: Iterator[str]
    asker: str
    anchor: datetime
    main: str = ""
    """The main subject, to which pronouns in a temporal clause refer."""
    order: str = ""
    """`earliest` or `latest` if a described noun has a superlative (`the last book that …`)."""
    ranks: bool = False
    """True if a superlative may order the answers."""
    doubtful: bool = False
    """True if a split-off owner may only classify (`her pilot's exam`)."""
    clause: frozenset[Token] = frozenset()
    """The words of temporal clauses."""
    atoms: list[tuple[Item, ...]] = field(default_factory=list)
    constraints: list[Constraint] = field(default_factory=list)

    def variable(self, type: str) -> Variable:
        """A variable with an unused name."""
        return Variable(next(self.names), type)


def antecedent_of(pronoun: Token, draft: Draft) -> str:
    """The referent of a third-person pronoun: the nearest name before it, subjects first.

    In a temporal clause without a name before the pronoun, it is the main subject.
    """
    before = [t for t in pronoun.doc[: pronoun.i] if is_being(t)]
    if pronoun in draft.clause:
        own = [t for t in before if t in draft.clause]
        if not own and draft.main:
            return draft.main
        before = own or before
    if not before:
        return draft.main
    subjects = [t for t in before if t.dep_ in ("nsubj", "nsubjpass") or is_subjects_owner(t)]
    return full_name((subjects or before)[-1])


def is_being(token: Token) -> bool:
    """True for a name that `he` or `she` could refer to."""
    return token.pos_ == "PROPN" and token.dep_ != "pobj" and token.ent_type_ not in NO_BEINGS


def is_subjects_owner(name: Token) -> bool:
    """True for `Ann` in `Ann's sister sold …`."""
    return name.dep_ == "poss" and name.head.dep_ in ("nsubj", "nsubjpass")


def full_name(name: Token) -> str:
    """The name with adjacent names: `Ann Lee`."""
    start = end = name.i
    while start and name.doc[start - 1].pos_ == "PROPN" and name.doc[start - 1].head == name:
        start -= 1
    while end + 1 < len(name.doc) and name.doc[end + 1].pos_ == "PROPN" and name.doc[end + 1].head == name:
        end += 1
    return " ".join(t.text for t in name.doc[start : end + 1])


def atom_of(items: Sequence[Item], draft: Draft) -> Atom:
    """Items as an atom: text parts merged, pronouns replaced by their referents."""
    parts: list[str | Variable] = []
    for item in items:
        text: str | Variable = item if isinstance(item, Variable | str) else token_text(item, draft)
        if isinstance(text, str) and parts and isinstance(parts[-1], str):
            parts[-1] += text
        elif isinstance(text, Variable) and parts and isinstance(parts[-1], Variable):
            parts += [" ", text]
        else:
            parts.append(text)
    return Atom(tuple(tidy(parts)))


def token_text(token: Token, draft: Draft) -> str:
    """A token's text with its space; pronouns become names if the referent is known."""
    word, space = token.text, token.whitespace_ or " "
    lower = token.lower_
    possessive = token.tag_ == "PRP$"
    name = antecedent_of(token, draft) if lower in THIRD_COMMON else draft.asker if lower in FIRST_COMMON else ""
    if name and token.tag_ in ("PRP", "PRP$") and lower not in ("it", "its"):
        return f"{name}'s{space}" if possessive else f"{name}{space}"
    if is_own_relative(token):
        word = f"{draft.asker}'s {lower}"
    glued = (
        not token.whitespace_
        and token.i + 1 < len(token.doc)
        and token.nbor().text in ("'s", "’s", "'", "-", "n't", ",")
    )
    glued = glued or token.text == "-"
    return word + ("" if glued else space)


def is_own_relative(token: Token) -> bool:
    """`Mum` and `Dad` without a determiner, which are the asker's."""
    alone = not any(t.dep_ != "punct" for t in token.lefts) and token.dep_ not in ("compound", "attr", "appos", "amod")
    return (
        alone
        and token.lower_ in CALLED
        and token.tag_ in ("NN", "NNP")
        and not any(t.pos_ == "PROPN" for t in token.children)
    )


def tidy(parts: Sequence[str | Variable]) -> list[str | Variable]:
    """Single spaces between words, none at the ends or before an apostrophe."""
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

"""Facts about something else that goes by the same words: a namesake, somebody else's cat, one code of several."""

from __future__ import annotations

import re
from collections.abc import Sequence

from goalmem.language import lexicon
from goalmem.language.words.doubts import NOT_THE_SAME
from goalmem.language.words.modifiers import SUCCESSIVE
from goalmem.logic.unify import FramePart
from goalmem.records import Argument, Fact
from goalmem.sources.certainty.later_statements import MOST, Statements
from goalmem.sources.certainty.topics import words_in
from goalmem.sources.frame_reader import FrameReading
from goalmem.sources.qualifiers import restricting

ONE_EACH = frozenset(
    "wife husband spouse partner mother father mum mom dad fiancé fiancée girlfriend boyfriend".split()
)
"""Relatives of whom somebody has one at a time."""


def is_of_namesake(fact: Fact, asked: str, statements: Statements) -> bool:
    """True if the question may mean a namesake that the fact is not about: `Anna Weber` if the question asks about `Anna` and there is
    an `Anna Novak`, or `my boss Anna` beside `my aunt Anna`.
    """
    words = {*re.findall(r"\w+", asked.casefold())}
    for argument in fact.args:
        name = argument.entity.casefold()
        own = {*name.split()}
        shared, more = own & words, own - words
        if "'s" in name or not shared or argument.role not in ("subject", "object", "to", "with", "for"):
            continue
        for other in statements.store.entities(statements.space) if more else ():
            parts = {*other.casefold().split()}
            if other.casefold() != name and "'s" not in other and shared <= parts and parts - own - words:
                return True
        roles = _described(argument.entity, statements)
        if len(roles) > 1 and not roles & words:
            return True
    return False


def _described(name: str, statements: Statements) -> set[str]:
    """The relations put before a name: `boss` and `aunt` of `my boss Anna` and `my aunt Anna`."""
    told = statements.store.facts(statements.space, entity=name, newest=MOST)
    found = {
        (a.entity or a.head).casefold().rpartition(" ")[2]
        for f in told
        if f.kind == "identity" and (s := f.arg("subject")) is not None and s.entity == name
        for a in f.args
        if a.role == "attribute" and a.type == "person" and f.text.endswith(name)
    }
    others = {w for f in told for a in f.args if a.entity == name for w in words_in(a.text) & NOT_THE_SAME}
    return found | ({*others, ""} if others else set())


def may_mean_another(fact: Fact, reading: FrameReading, known: Sequence[Fact]) -> bool:
    """True if the question's `the cat` is said to be somebody's, while other known facts speak of `the cat`, too; and if there are several
    of what the question names by its noun alone.
    """
    if _is_one_of_several(fact, reading, known) or _is_called_otherwise(fact, reading):
        return True
    asked = {
        p.head for f in reading.frames for p in f.constants if not p.entity and p.text.startswith(("the ", "The "))
    }
    owned = {a.head for a in fact.args if "'s " in a.entity and not a.text.casefold().startswith("the ")}
    others = (a for f in known if f.turn != fact.turn for a in f.args)
    return any(a.head in asked & owned and a.text.casefold().startswith("the ") for a in others)


def _is_called_otherwise(fact: Fact, reading: FrameReading) -> bool:
    """True if the question asks of `my colleague`, and the fact tells of `Sam's wife`, who only has the same name."""
    asked = {p.head for f in reading.frames for p in f.constants if p.resolved == "owner"}
    told = {a.head for a in fact.args if a.resolved == "alias" and a.head}
    if not asked or not told or asked & {a.head for a in fact.args}:
        return False
    return not any(
        lexicon.is_a(one, other) or lexicon.is_a(other, one) or one in lexicon.synonyms(other, "n")
        for one in asked
        for other in told
    )


def _is_one_of_several(fact: Fact, reading: FrameReading, known: Sequence[Fact]) -> bool:
    """True if the question says `the code` or `my bike`, the fact `the door code` or `my red bike`, and another one `the gate code`."""
    if any(_names_several(p, known) for f in reading.frames for p in f.constants if p.resolved == "owner"):
        return True
    plain = {p.head for f in reading.frames for p in f.constants if _is_named_by_noun(p)}
    told = [(a.head, _owner(a), which) for a in fact.args if a.head in plain and (which := _which(a))]
    return any(
        a.head == head and _owner(a) == owner and (other := _which(a)) and not other & which
        for head, owner, which in told
        for f in known
        if f.id != fact.id
        for a in f.args
    )


def _names_several(part: FramePart, known: Sequence[Fact]) -> bool:
    """True if a part means one relative, as `my daughter`, of whom the owner has several: Lena is my daughter, and Ida, too."""
    if not any(lexicon.is_a(part.head, kind) for kind in ("child", "relative", "friend")) or part.head in ONE_EACH:
        return False
    entity = part.entity.casefold()
    named = {
        s.entity.casefold()
        for f in known
        if f.kind == "identity" and (s := f.arg("subject")) is not None and (a := f.arg("attribute")) is not None
        if a.entity.casefold() == entity and s.entity
    }
    return len(named) > 1


def _is_named_by_noun(part: FramePart) -> bool:
    """True for `the code` and `my bike`: nothing before the singular noun says which."""
    words = part.text.casefold().split()
    bare = not (part.entity and "'s " not in part.entity) and words[-1:] == [part.head]
    owner = words_in(part.entity)
    return bare and len(words) > 1 and not restricting(m for m in part.modifiers if m != part.head and m not in owner)


def _which(argument: Argument) -> frozenset[str]:
    """The words that say which of several a singular noun means, except how long it has been the one: `red`; not `old`."""
    if argument.text.casefold().split()[-1:] != [argument.head]:
        return frozenset()
    return (
        frozenset(restricting(m for m in argument.modifiers if m != argument.head))
        - SUCCESSIVE
        - words_in(argument.entity)
    )


def _owner(argument: Argument) -> str:
    return argument.entity.rpartition("'s ")[0].casefold() if argument.resolved == "owner" else ""

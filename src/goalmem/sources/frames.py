"""Parsed sentences as frames: those of facts, and those of atoms with their variables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from goalmem.language.lexicon import is_known, is_named
from goalmem.language.terms import WORD_PART
from goalmem.language.times_grammar import CLOCK
from goalmem.language.words.function_words import CIRCUMSTANTIAL
from goalmem.language.words.pronouns import UNNAMED
from goalmem.logic.terms import Atom, Variable
from goalmem.logic.unify import Frame, FramePart
from goalmem.records import ASKER, Argument, Fact
from goalmem.sources.clause_parts import with_people

ARTICLE = 4
"""Characters by which an article may shift the start of a phrase."""
EXCEPT = "except"
CIRCUMSTANCES = frozenset({"at", "in", "on", "time"})


def frame_of_fact(fact: Fact) -> Frame:
    """The frame of a fact."""
    said = (_without_exception(part_of(a, own_text(a, fact) or a.entity), fact) for a in fact.args if a.role != "time")
    parts = tuple(with_people(p, fact.subject, fact.speaker) for p in said)
    return Frame(fact.predicate, (*parts, *hour_of(fact)), fact.polarity, fact.when, fact.when_text)


def _without_exception(part: FramePart, fact: Fact) -> FramePart:
    """A part without the words of what is left out of it: `every episode`, not `the last one` of `every episode except the last one`."""
    left_out = [a for a in fact.args if a.role == EXCEPT and part.start < a.start and a.end <= part.end]
    out = {word for a in left_out for word in (a.head, *a.modifiers)}
    text = (
        part.text[: left_out[0].start - part.start].removesuffix(f"{EXCEPT} ").rstrip(" ,") if left_out else part.text
    )
    return replace(part, text=text, modifiers=tuple(m for m in part.modifiers if m not in out)) if left_out else part


def part_of(argument: Argument, text: str) -> FramePart:
    """An argument as a part with these words."""
    a = argument
    return FramePart(a.role, text, a.start, a.end, a.head, a.entity, a.type, a.resolved, a.modifiers)


def hour_of(fact: Fact) -> Iterator[FramePart]:
    """The hour in the words of a date, as a part of its own: `10:30` of `on 9 April at 10:30`."""
    if any(a.role == "at" for a in fact.args):
        return
    for told in (a for a in fact.args if a.role == "time" and a.start >= 0):
        hour = CLOCK.search(told.text)
        if hour is not None:
            words = re.sub(r"^(?:(?:at|around|about|by) )+", "", hour.group(), flags=re.IGNORECASE)
            start = told.start + hour.end() - len(words)
            words = words if "." in words[:-1] else words.rstrip(".")  # `10am.` ends a sentence, `10 a.m.` need not
            yield FramePart("at", words, start, start + len(words), words.split()[-1].casefold(), type="time")
            return


def own_text(argument: Argument, fact: Fact) -> str:
    """The argument's words without a circumstance that is another argument (`the lamp` of `the lamp at her party`, `the lamp for $50`)."""
    text = argument.text
    for other in fact.args:
        if not argument.start < other.start < argument.end:
            continue
        before = text[: other.start - argument.start].rstrip()
        rest, _, mark = before.rpartition(" ")
        if other.role == "time":
            text = rest if rest and mark in CIRCUMSTANTIAL else text
        elif other.role in CIRCUMSTANCES or (other.role == "for" and other.type == "quantity"):
            text = before.removesuffix(other.role).rstrip() if before.endswith(f" {other.role}") else text
    return text


def frame_with_variables(
    fact: Fact, names: Mapping[str, Variable], spans: Mapping[str, tuple[int, int]], text: str, asker: str = ASKER
) -> Frame:
    """A parsed sentence as a frame in which the parts at the places of variables are these variables."""
    shift = text.find(text.strip())
    placed: set[str] = set()
    parts = []
    for argument in fact.args:
        part = part_of(argument, argument.text)
        if part.resolved == "alias" and "'s " in part.text:
            # `Oscar is Ann's cat` is a goal here, not a fact: Ann's cat is not Oscar until that is proved.
            part = replace(part, entity=part.text, resolved="owner")
        if not part.entity and (is_name(part) or part.text.casefold() == asker.casefold()):
            part = replace(part, entity=part.text, resolved="name")
        extra: FramePart | None = None
        for name, (start, end) in spans.items():
            a, b = start - shift, end - shift
            if name in placed or not (argument.start < b and a < argument.end):
                continue
            behind = described_by(argument, b) if abs(argument.start - a) <= ARTICLE else None
            if behind is not None or covers(argument.start, argument.end, a, b):
                part, extra = replace(part, variable=names[name], entity=""), behind
                placed.add(name)
                break
        owner = next(
            (n for n, (a, b) in spans.items() if n not in placed and owns(argument, a - shift, b - shift)), None
        )
        if part.variable is None and owner is not None:
            part = replace(part, variable=names[owner], owned=part.head, entity="")
            placed.add(owner)
        if argument.role == "time" and part.variable is None:
            continue
        own = extra is not None and any((a.role, a.text) == (extra.role, extra.text) for a in fact.args)
        parts += [part] if extra is None or own else [part, extra]
    for name, variable in names.items():
        if name not in placed:
            start, end = spans[name]
            role = "subject" if start == 0 else "object"
            parts.append(FramePart(role, text[start:end], start, end, variable.type, variable=variable))
    subject = next((p.entity or p.text for p in parts if p.role == "subject" and p.variable is None), "")
    apart = tuple(with_people(replace(p, modifiers=own_modifiers(p, parts)), subject, "") for p in parts)
    return Frame(fact.predicate, apart, fact.polarity, fact.when, fact.when_text)


def own_modifiers(part: FramePart, parts: Iterable[FramePart]) -> tuple[str, ...]:
    """A part's modifiers without those of another part within it: none for `a gift for user's brother`."""
    within = [p for p in parts if 0 <= part.start < p.start and p.end <= part.end]
    theirs = {word for p in within for word in (p.head, *p.modifiers, *WORD_PART.findall(p.text.casefold()))}
    return tuple(m for m in part.modifiers if m not in theirs)


def is_name(part: FramePart) -> bool:
    """True for capitalised words that are no ordinary words."""
    words = part.text.split()
    capitals = bool(words) and all(w[:1].isupper() for w in words)
    return (
        capitals
        and not any(is_known(w.casefold(), p) and not is_named(w.casefold()) for w in words for p in "nva")
        and words[0].casefold() not in UNNAMED
    )


def owns(argument: Argument, start: int, end: int) -> bool:
    """True if a variable at these offsets is the possessor in the argument's phrase."""
    return (
        argument.start <= start
        and end < argument.end
        and argument.text[end - argument.start :].startswith(("'s ", "’s "))
    )


def described_by(argument: Argument, end: int) -> FramePart | None:
    """The words after a variable in the argument's phrase, as a separate part: `with Ann` of `a song with Ann`."""
    preposition, _, described = argument.text[max(0, end - argument.start) :].strip().partition(" ")
    words = described.split()
    if preposition.casefold() not in CIRCUMSTANTIAL or not words:
        return None
    lower = tuple(w.casefold() for w in words)
    bare = FramePart(preposition.casefold(), described, end + 1, argument.end, lower[-1], modifiers=lower[:-1])
    return replace(bare, entity=described, resolved="name") if is_name(bare) else bare


def covers(start: int, end: int, var_start: int, var_end: int) -> bool:
    """True if a part is the variable itself, apart from an article, and not a larger phrase around it."""
    overlap = min(end, var_end) - max(start, var_start)
    return overlap >= 0.6 * (end - start)


def bare_frame(atom: Atom, text: str, names: Mapping[str, Variable], spans: Mapping[str, tuple[int, int]]) -> Frame:
    """A sentence that could not be parsed, as one constant and its variables: only its own words match it."""
    words = tuple(w.casefold() for w in text.split())
    head = words[-1] if words else ""
    constant = FramePart("subject", text, 0, len(text), head, modifiers=words[:-1])
    open_parts = tuple(
        FramePart("object", text[a:b], a, b, v.type, variable=v) for n, v in names.items() for a, b in [spans[n]]
    )
    return Frame("", (constant, *open_parts), not atom.negated)

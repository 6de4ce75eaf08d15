"""Atoms that only a log of what happened closes: a mark that says so, then a statement made from a template.

The slots of a template are letters in braces: `{S} is in {V}`. What is asked for is a variable, and reads as empty.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from goalmem.logic.terms import Atom, Variable

NOW = "what is so now"
"""In the slot for a later value: the present one."""


def log_atom(mark: str, template: str, said: Mapping[str, str | Variable | None]) -> Atom:
    """The atom with these slots."""
    pieces: list[str | Variable] = [mark]
    for piece in re.split(r"(\{\w\})", template):
        new = said[piece[1]] if piece.startswith("{") else piece
        assert new is not None
        if isinstance(new, str) and isinstance(pieces[-1], str):
            pieces[-1] += new
        elif new:
            pieces.append(new)
    return Atom(tuple(pieces))


def marked_statement(atom: Atom, mark: str) -> str:
    """The statement of an atom with this mark, `(x)` for a variable; empty for any other atom."""
    if not atom.parts or not isinstance(atom.parts[0], str) or not atom.parts[0].startswith(mark) or atom.negated:
        return ""
    return "".join(p if isinstance(p, str) else f"({p.name})" for p in atom.parts).removeprefix(mark)


def slots_of(statement: str, template: str, kinds: str = ".+") -> dict[str, str] | None:
    """The slots of a statement; None if it is of another template. `kinds`: a pattern for the slot `{K}`."""
    pattern = re.sub(r"\{(\w)\}", r"(?P<\1>.+)", template).replace("(?P<K>.+)", f"(?P<K>{kinds})")
    found = re.fullmatch(pattern, statement)
    if found is None:
        return None
    return {slot: "" if re.fullmatch(r"\(\w+\)", said) else said for slot, said in found.groupdict().items()}

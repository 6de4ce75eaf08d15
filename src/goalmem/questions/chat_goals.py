"""Convert a model's reading of a question into a goal, and check it: syntax, variables, constants, and no lost words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from goalmem.errors import LogicSyntaxError
from goalmem.language.lexicon import is_known
from goalmem.language.terms import HYPHENATED
from goalmem.language.words.function_words import OPENERS_OF_GOALS
from goalmem.language.words.nouns import TIME_TYPES
from goalmem.logic.syntax import canonical, parse_atom
from goalmem.logic.terms import Aggregate, Atom, Constraint, Goal, Variable
from goalmem.questions.chat_replies import ReadingReply, RejectedError

MOST_SUBGOALS = 6
"""Natural questions contain one to four relations."""
LONGEST_SUBGOAL = 300
"""Characters."""
MOST_QUERIES = 4
"""Sentences to search by. Each costs the model about ten tokens, and a search."""
KINDS = {
    "one": Aggregate.ONE,
    "list": Aggregate.LIST,
    "count": Aggregate.COUNT,
    "first": Aggregate.EARLIEST,
    "last": Aggregate.LATEST,
    "sum": Aggregate.SUM,
    "duration": Aggregate.DURATION,
    "yesno": Aggregate.WHETHER,
    "order": Aggregate.COMPARE,
}
UNITS = ("days", "weeks", "months", "years")
ORDER = re.compile(r"\(?(\w+)(?::[^)]*)?\)?\s+(before|after)\s+\(?(\w+)(?::[^)]*)?\)?", re.IGNORECASE)
VARIABLE = re.compile(r"^\W*(?:(\w+)\s*:.*|(\w+))\W*$")


@dataclass(frozen=True, slots=True)
class Decomposition:
    """A model's reading of a question."""

    goals: tuple[Goal, ...] = ()
    """The valid readings as goals."""
    queries: tuple[str, ...] = ()
    """Possible statements that answer it: guesses, used only for searching."""


def queries_of(written: Iterable[str]) -> tuple[str, ...]:
    """The sentences to search by that contain a word, each once."""
    said = (" ".join(text.split())[:LONGEST_SUBGOAL] for text in written)
    return tuple(dict.fromkeys(text for text in said if HYPHENATED.search(text)))[:MOST_QUERIES]


def goal_of(reading: ReadingReply, question: str, asker: str = "") -> Goal:
    """The goal of one reading, which may name the asker. Raises RejectedError, which says what is wrong."""
    atoms = read_atoms(reading.subgoals, most=MOST_SUBGOALS)
    kind = KINDS.get(re.sub(r"[^a-z]", "", reading.kind.casefold()), Aggregate.ONE)
    variables = {v.name: v for a in atoms for v in a.variables}
    answer = _answer(reading.answer, variables)
    constraint = _order(reading.order, variables)
    if kind is Aggregate.COMPARE and constraint is None:
        kind = Aggregate.ONE
    if answer is None and kind not in (Aggregate.COMPARE, Aggregate.DURATION):
        kind = Aggregate.WHETHER
    if kind in (Aggregate.WHETHER, Aggregate.COMPARE):
        answer = None
    if kind is Aggregate.DURATION:
        answer = None if answer is None or answer.type != "time" else answer
        if answer is None and constraint is None and not any(v.type == "time" for v in variables.values()):
            raise RejectedError('a duration is asked of a time: end a subgoal with "on (t:time)"')
        answer = answer or next(v for v in variables.values() if v.type == "time")
    if new := unknown_constant(atoms, question, asker):
        raise RejectedError(f"{new!r} does not stand in the question")
    if lost := names_in(question) - words_of(atoms):
        raise RejectedError(f"the subgoals do not speak of {', '.join(sorted(lost))}, which the question names")
    unit = next((u for u in UNITS if u in question.casefold()), "") if kind is Aggregate.DURATION else ""
    return Goal(question, atoms, answer, kind, (constraint,) if constraint else (), unit)


def read_atoms(subgoals: Iterable[str], *, most: int) -> tuple[Atom, ...]:
    """Subgoals as atoms in canonical form; each variable keeps one type. Raises RejectedError."""
    atoms: list[Atom] = []
    types: dict[str, str] = {}
    for text in subgoals:
        if not text.strip():
            continue
        if len(text) > LONGEST_SUBGOAL:
            raise RejectedError("a subgoal is one short statement")
        try:
            atom = parse_atom(" ".join(text.split()).rstrip(".?! "))
        except LogicSyntaxError as error:
            raise RejectedError(f"{text!r}: {error.problem}") from None
        if atom.negated:
            raise RejectedError(f"{text!r}: state it without 'not'")
        if not any(isinstance(p, str) and HYPHENATED.search(p) for p in atom.parts):
            raise RejectedError(f"{text!r} states nothing")
        typed = tuple(p if isinstance(p, str) else _typed(p, types) for p in atom.parts)
        atom = canonical(Atom(typed))
        if atom not in atoms:
            atoms.append(atom)
    if not atoms:
        raise RejectedError("no subgoal is given")
    if len(atoms) > most:
        raise RejectedError(f"at most {most} subgoals are wanted")
    return tuple(atoms)


def _typed(variable: Variable, types: dict[str, str]) -> Variable:
    """The variable with its first type."""
    kind = " ".join(variable.type.split())
    kind = "time" if kind.casefold() in TIME_TYPES else kind
    return replace(variable, type=types.setdefault(variable.name, kind))


def _answer(written: str, variables: dict[str, Variable]) -> Variable | None:
    """The named variable, however it is written, or the only one; None for none. Raises RejectedError."""
    found = VARIABLE.match(written.strip())
    name = (found[1] or found[2]) if found else ""
    if not name or name.casefold() in ("none", "null", "empty"):
        return None
    if name not in variables and len(variables) != 1:
        raise RejectedError(f"the answer {name!r} is no variable of the subgoals")
    return variables.get(name) or next(iter(variables.values()))


def _order(written: str, variables: dict[str, Variable]) -> Constraint | None:
    found = ORDER.search(written)
    if found is None or not {found[1], found[3]} <= variables.keys() or found[1] == found[3]:
        return None
    return Constraint(found[1], found[2].casefold(), found[3])


def words_of(atoms: Iterable[Atom]) -> frozenset[str]:
    """The words of atoms and of their variables' types, in lower case, possessives without their 's."""
    return _words(" ".join(a.read_as()[0] for a in atoms))


def _words(text: str) -> frozenset[str]:
    found = (w.casefold().replace("’", "'") for w in HYPHENATED.findall(text))
    return frozenset(w.removesuffix("'s").removesuffix("'") for w in found)


def names_in(question: str) -> frozenset[str]:
    """Words of a question that are written as names, in lower case: capitalised and not at the start of a sentence."""
    names = set()
    for sentence in re.split(r"(?<=[.!?])\s+", question):
        for n, word in enumerate(HYPHENATED.findall(sentence)):
            plain = word.replace("’", "'").removesuffix("'s")
            if plain[:1].isupper() and plain != "I" and not plain.startswith("I'") and (n or not _usual(plain)):
                names.add(plain.casefold())
    return frozenset(names)


def _usual(word: str) -> bool:
    """True if a word at the start of a sentence may not be a name."""
    low = word.casefold()
    return low in OPENERS_OF_GOALS or any(is_known(low, pos) for pos in "nvar") or len(low) <= 5


def unknown_constant(atoms: Iterable[Atom], *known: str) -> str:
    """A name or number of the atoms that is in none of the texts `known`; empty if there is none."""
    allowed = _words(" ".join(known))
    for atom in atoms:
        literal = " ".join(p for p in atom.parts if isinstance(p, str))
        for n, word in enumerate(map(str, HYPHENATED.findall(literal))):
            plain = word.replace("’", "'").removesuffix("'s")
            begins = n == 0 and plain.casefold() in OPENERS_OF_GOALS
            if (
                (plain[:1].isupper() and not begins) or any(c.isdigit() for c in plain)
            ) and plain.casefold() not in allowed:
                return plain
    return ""

"""Convert a model's refinement of an unresolved subgoal into antecedents, and check it as the paper requires (Goal-Mem, refinement): about
that subgoal, no paraphrase, no repetition, no new constant, variables kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from goalmem.errors import LogicSyntaxError
from goalmem.language.terms import HYPHENATED, stem
from goalmem.language.words.function_words import EMPTY_OF_GOALS
from goalmem.logic.syntax import format_atom, parse_atom, parse_rule
from goalmem.logic.terms import Atom, Relation, Rule, Variable
from goalmem.logic.unify import instance_of
from goalmem.questions.chat_goals import read_atoms, unknown_constant, words_of
from goalmem.questions.chat_replies import RefineReply, RejectedError

MOST_ANTECEDENTS = 2
MOST_QUERIES = 3
LONGEST_QUERY = 300
"""Characters."""
SAME_WORDS = 0.8
"""Jaccard similarity of stemmed content words from which one statement is a paraphrase of the other."""


@dataclass(frozen=True, slots=True)
class Refinement:
    """A checked refinement."""

    antecedents: tuple[Atom, ...] = ()
    """To be proved before the atom is tried again; each is linked to it by variables."""
    relation: Relation = Relation.SEMANTIC
    queries: tuple[str, ...] = ()
    rule: Rule | None = None
    """A rule of common sense with the atom as an instance of its head."""
    conditions: tuple[Atom, ...] = ()
    """The rule's body for this atom."""
    stop: str = ""
    """Why no refinement would help."""


def refinement_of(
    reply: RefineReply, atom: Atom, *, known: Sequence[str], tried: Iterable[Atom], assume: bool, names: Iterable[str]
) -> Refinement:
    """Check a refinement of `atom`. `known` are the texts whose constants may be used, `tried` all earlier refinements, `names` the
    variables of the whole goal. Raises RejectedError.
    """
    if reply.status == "stop":
        return Refinement(stop=reply.reason.strip() or "nothing new would help")
    relation = reply.relation
    queries = tuple(dict.fromkeys(q.strip()[:LONGEST_QUERY] for q in reply.queries if q.strip()))[:MOST_QUERIES]
    earlier = [atom, *tried]
    wrong = ""
    antecedents: tuple[Atom, ...] = ()
    try:
        antecedents = _antecedents(reply.antecedents, atom, earlier, known, frozenset(names))
    except RejectedError as problem:
        wrong = str(problem)
    rule, conditions = _rule(reply.rule, atom, earlier, known) if assume and reply.rule.strip() else (None, ())
    if not antecedents and rule is None:
        raise RejectedError(wrong or "neither an antecedent nor a rule is given; or give the status stop")
    return Refinement(antecedents, relation, queries, rule, conditions)


def _antecedents(
    written: Sequence[str], atom: Atom, earlier: Sequence[Atom], known: Sequence[str], names: frozenset[str]
) -> tuple[Atom, ...]:
    if not any(text.strip() for text in written):
        return ()
    types = {v.name: v.type for v in atom.variables}
    atoms = tuple(_own_types(a, types) for a in read_atoms(written[:MOST_ANTECEDENTS], most=MOST_ANTECEDENTS))
    new = [a for a in atoms if not any(paraphrase(a, e) for e in earlier)]
    if not new:
        raise RejectedError("the antecedents only repeat the subgoal or what was tried")
    if word := unknown_constant(new, *known):
        raise RejectedError(f"{word!r} stands in none of what was given")
    linked = _linked(new, atom, names)
    if not linked:
        held = ", ".join(map(str, atom.variables))
        raise RejectedError(
            f"an antecedent keeps a variable of the subgoal ({held})" if held else "nothing is left open in it"
        )
    return linked


def _own_types(atom: Atom, types: dict[str, str]) -> Atom:
    """The atom with the subgoal's types for its variables."""
    return Atom(tuple(p if isinstance(p, str) else Variable(p.name, types.get(p.name, p.type)) for p in atom.parts))


def _linked(atoms: Sequence[Atom], atom: Atom, names: frozenset[str]) -> tuple[Atom, ...]:
    """The atoms that are linked to a variable of the subgoal, directly or through each other.

    A variable used elsewhere in the goal would link the antecedent to that, so it does not count as new.
    """
    own = {v.name for v in atom.variables}
    waiting = [a for a in atoms if not ({v.name for v in a.variables} - own) & names]
    kept: list[Atom] = []
    reach = set(own)
    while found := [a for a in waiting if reach & {v.name for v in a.variables}]:
        waiting = [a for a in waiting if a not in found]
        reach |= {v.name for a in found for v in a.variables}
        kept += found
    return tuple(a for a in atoms if a in kept)


def paraphrase(a: Atom, b: Atom) -> bool:
    """True if two statements have nearly the same content words and the same variables."""
    if {v.name for v in a.variables} != {v.name for v in b.variables} and a.variables and b.variables:
        return False
    first, second = _content(a), _content(b)
    union = first | second
    return not union or len(first & second) / len(union) >= SAME_WORDS


def _content(atom: Atom) -> frozenset[str]:
    return frozenset(stem(w) for w in words_of([atom]) if w not in EMPTY_OF_GOALS)


def _rule(
    written: str, atom: Atom, earlier: Sequence[Atom], known: Sequence[str]
) -> tuple[Rule | None, tuple[Atom, ...]]:
    """A rule whose head matches the atom, and its body for that atom; nothing if it is no such rule."""
    if len(written) > 2 * LONGEST_QUERY:
        return None, ()
    try:
        rule = parse_rule(" ".join(written.split()).rstrip(". "))
    except LogicSyntaxError:
        return None, ()
    if not 0 < len(rule.body) <= MOST_ANTECEDENTS or any(a.negated for a in (rule.head, *rule.body)):
        return None, ()
    heads = {v.name for v in rule.head.variables}
    words = instance_of(Rule(rule.head, ()), atom, ()) or {}
    if set(words) != heads or not all(heads >= {v.name for v in a.variables} for a in rule.body):
        return None, ()
    try:
        body = tuple(parse_atom(format_atom(_filled(a, words))) for a in rule.body)
    except LogicSyntaxError:
        return None, ()
    if (
        any(paraphrase(a, e) for a in body for e in earlier)
        or unknown_constant(body, *known)
        or not _says_something(body)
    ):
        return None, ()
    return rule, body


def _filled(atom: Atom, words: dict[str, str]) -> Atom:
    """The atom with the words of the instance; variables among these become variables again."""
    parts: list[str | Variable] = []
    for part in atom.parts:
        parts += parse_atom(words[part.name]).parts if isinstance(part, Variable) else (part,)
    return Atom(tuple(parts))


def _says_something(atoms: Sequence[Atom]) -> bool:
    return all(any(isinstance(p, str) and HYPHENATED.search(p) for p in a.parts) for a in atoms)

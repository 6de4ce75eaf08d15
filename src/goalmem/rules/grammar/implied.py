"""What sentences say without saying it, where some rule of the text asks for it.

- `the bald eagle` is a bald eagle and an eagle, and `Bob's mother` is a mother of Bob.
- Who owns Rex, and Rex is a dog, owns a dog.
- `The circuit has a switch`, where the text goes on about `the switch`: it has the switch.

Each such clause carries the sentence that says it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from goalmem.logic.terms import Variable
from goalmem.rules.english import THING
from goalmem.rules.grammar.reference import Fold
from goalmem.rules.morphology import with_article
from goalmem.rules.terms import SLOT, Clause, Literal

__all__ = ["implied", "two_names"]

_IS_A = re.compile(rf"{SLOT} is an? ([^{SLOT}]+?)( of {SLOT})?")
_OWNED = re.compile(r"(?:the (?P<noun>.+?) of (?P<owner>.+)|(?P<owner_s>.+?)'s (?P<noun_s>.+))")
NAMES = "xyzuvwrst"


def implied(clauses: Sequence[Clause], folds: Sequence[tuple[Fold, int]]) -> list[Clause]:
    """The clauses that are implied; `folds` with the number of the clause that they come from."""
    asked = {literal.predicate for c in clauses for literal in c.body}
    bridges = list(_bridges(clauses, folds, asked))
    asked |= {literal.predicate for c in bridges for literal in c.body}
    said = {c.head for c in clauses if not c.body}
    named = {c.head: c for c in (*_definite(clauses, folds), *_named(clauses, asked))}
    return [*(c for c in named.values() if c.head not in said), *bridges]


def two_names(clauses: Sequence[Clause]) -> dict[str, str]:
    """Constants such as `Lisbon's mayor`, where a fact says who that is, with the name that the fact gives."""
    holders: dict[tuple[str, str], str] = {}
    for clause in clauses:
        found = _IS_A.fullmatch(clause.head.predicate)
        if found and found[2] and not clause.body and clause.head.ground and not clause.head.negated:
            holders[found[1], str(clause.head.terms[1])] = str(clause.head.terms[0])
    named = {c: _OWNED.fullmatch(c) for c in _mentions(clauses)} if holders else {}
    keys = {c: (m["noun"] or m["noun_s"], m["owner"] or m["owner_s"]) for c, m in named.items() if m}
    return {c: holders[key] for c, key in keys.items() if holders.get(key, c) != c}


def _mentions(clauses: Iterable[Clause]) -> dict[str, Clause]:
    """Every constant, with the clause that names it first."""
    found: dict[str, Clause] = {}
    for clause in clauses:
        for literal in (clause.head, *clause.body):
            for term in literal.terms:
                if isinstance(term, str):
                    found.setdefault(term, clause)
    return found


def _named(clauses: Sequence[Clause], asked: set[str]) -> Iterator[Clause]:
    """What a constant is by its name, of what some rule asks."""
    nouns = {m[1]: p for p in asked if (m := _IS_A.fullmatch(p)) and not m[2]}
    roles = {m[1]: p for p in asked if (m := _IS_A.fullmatch(p)) and m[2]}
    for constant, clause in _mentions(clauses).items() if nouns or roles else ():
        owned = _OWNED.fullmatch(constant) if roles or nouns else None
        role = (owned["noun"] or owned["noun_s"]) if owned else ""
        if owned and role in roles:
            head = Literal(roles[role], (constant, owned["owner"] or owned["owner_s"]))
            yield _like(clause, head)
        words = (role or constant.removeprefix("the ")).split() if owned or constant.startswith("the ") else []
        for start in range(len(words)):
            noun = " ".join(words[start:])
            if noun in nouns:
                yield _like(clause, Literal(nouns[noun], (constant,)))


def _bridges(clauses: Sequence[Clause], folds: Sequence[tuple[Fold, int]], asked: set[str]) -> Iterator[Clause]:
    """`_ owns a dog` follows from `_ owns _` and `_ is a dog`, where a rule asks for it and something says the latter."""
    stated = {c.head.predicate for c in clauses}
    done: set[str] = set()
    for fold, number in folds:
        if fold.predicate not in asked or fold.open not in stated or fold.predicate in done:
            continue
        done.add(fold.predicate)
        slots = fold.open.count(SLOT)
        variables = [Variable(NAMES[n], fold.noun if n == fold.place and fold.noun else THING) for n in range(slots)]
        others = [v for n, v in enumerate(variables) if n != fold.place]
        body = [Literal(fold.open, tuple(variables))]
        if fold.of:
            owner = Variable(NAMES[slots], THING)
            others.insert(fold.place, owner)
            body.append(Literal(f"{SLOT} is {with_article(fold.noun)} of {SLOT}", (variables[fold.place], owner)))
        elif fold.noun:
            body.append(Literal(f"{SLOT} is {with_article(fold.noun)}", (variables[fold.place],)))
        clause = clauses[number]
        yield Clause(Literal(fold.predicate, tuple(others)), tuple(body), clause.text, clause.start, clause.end)


def _definite(clauses: Sequence[Clause], folds: Sequence[tuple[Fold, int]]) -> Iterator[Clause]:
    """What a fact brings in with `a`, where a rule speaks of it: the one that the text calls `the switch`, or Bob's."""
    body = [literal for c in clauses for literal in c.body]
    asked = {b.predicate for b in body}
    facts = [(f, n) for f, n in folds if f.noun and not clauses[n].body and not clauses[n].head.negated]
    facts = [(f, n) for f, n in facts if clauses[n].head.predicate == f.predicate and f.open in asked]
    brought = [f.noun for f, _ in facts]
    mentioned = _mentions(clauses) if facts else {}
    for fold, number in facts:
        terms = [str(t) for t in clauses[number].head.terms]
        owner = [terms.pop(fold.place)] if fold.of else []
        constant = f"the {fold.noun}"
        if owner or constant not in mentioned or brought.count(fold.noun) > 1:
            if not any(b.predicate == fold.open and isinstance(b.terms[fold.place], Variable) for b in body):
                continue
            constant = " of ".join([f"{terms[0]}'s {fold.noun}", *owner])
        terms.insert(fold.place, constant)
        yield _like(clauses[number], Literal(fold.open, tuple(terms)))
        kind = f"{SLOT} is {with_article(fold.noun)}" + (f" of {SLOT}" if owner else "")
        if kind in asked:
            yield _like(clauses[number], Literal(kind, (constant, *owner)))


def _like(clause: Clause, head: Literal) -> Clause:
    return Clause(head, (), clause.text, clause.start, clause.end)

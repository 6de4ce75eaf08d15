"""Theories of our own to train EVR on, with their wording, from a seed: who is what, who does what to whom, and rules about it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from goalmem.errors import GoalmemError
from goalmem.logic.terms import Variable
from goalmem.rules.compiled import ground
from goalmem.rules.evr.wording import verb_base, worded
from goalmem.rules.terms import Clause, Literal
from goalmem.rules.theory import Theory
from goalmem_lab.train.chance import chance

PEOPLE = tuple("Ada Clara Diego Elif Femi Greta Hugo Iva Kemal Lucia Mira Noor Otto Petra Sven Tilda".split())
ANIMALS = (
    "otter",
    "grey heron",
    "badger",
    "hedgehog",
    "brown hare",
    "owl",
    "goat",
    "fox",
    "toad",
    "raven",
    "pony",
    "moth",
)
ADJECTIVES = tuple(
    "brave calm clever cheerful dusty eager fierce fluffy gentle golden heavy hungry lazy light loud lucky noisy old pale "
    "patient plain polite proud purple rich shy silver sleepy slow soft striped tall tidy tiny warm wild wise yellow".split()
)
VERBS = tuple(
    "admires avoids carries feeds finds follows greets hears helps knows misses teaches trusts watches".split()
)

FACTS, RULES = (1, 14), (1, 11)
"""How many sentences a theory has of each."""
NAMES, PROPERTIES, RELATIONS = (2, 5), (3, 9), (1, 4)
DENIED_FACT, DENIED_CONDITION, DENIED_HEAD = 0.1, 0.25, 0.12
"""Shares of denials where a theory has any."""
NAMED_RULE = 0.15
"""Share of the rules that speak of somebody by name."""
ELIDED = 2 / 3
"""Share of second adjectives that stand without subject and verb: `big and not red`."""
CONDITIONS = ((1, 2, 3), (5, 5, 1))
"""How many a rule has, and how often."""


@dataclass(frozen=True, slots=True)
class World:
    """What a theory speaks of."""

    names: tuple[str, ...]
    adjectives: tuple[str, ...]
    verbs: tuple[str, ...]
    variable: Variable
    denials: bool


def theories(seed: int, depth: int) -> Iterator[Theory]:
    """Theories without end, in which nothing takes more than `depth` rules one after another; the same for the same seed."""
    random_ = chance(seed)
    while True:
        theory = _theory(random_, _world(random_))
        if depth_of(theory, depth):
            yield theory


def depth_of(theory: Theory, most: int) -> bool:
    """Whether every statement that follows takes at most `most` rules, and none rests on its own denial."""
    for statement in every_statement(theory):
        try:
            verdict = theory.decide(statement)
        except GoalmemError:
            return False
        if any(d is not None and d.height > most for d in (verdict.derivation, verdict.against)):
            return False
    return True


def statements(theory: Theory, random_: random.Random, most: int) -> list[Literal]:
    """At most `most` ground statements, affirmed and denied, half of them stated or concluded by some rule."""
    every = list(every_statement(theory))
    told = [s for s in every if theory.index.stated(ground(s)) or any(_concluding(theory, s))]
    random_.shuffle(every)
    random_.shuffle(told)
    chosen = dict.fromkeys([*told[: most // 2], *every[:most]])
    return [s if random_.random() < 1 / 2 else s.denied for s in list(chosen)[:most]]


def opened(statement: Literal, random_: random.Random) -> Literal:
    """A statement of `someone` or `something` in place of its subject."""
    kind = Variable("x", "person" if random_.random() < 1 / 2 else "thing")
    return Literal(statement.predicate, (kind, *statement.terms[1:]), statement.negated)


def _concluding(theory: Theory, statement: Literal) -> Iterator[bool]:
    held = ground(statement)
    return (rule.opened(held) is not None for rule in theory.index.heading(held))


def every_statement(theory: Theory) -> Iterator[Literal]:
    """Every positive statement about what a theory names."""
    names = list(theory.index.domain.values())
    for predicate in theory.index.predicates.values():
        for terms in product(names, repeat=predicate.split().count("_")):
            yield Literal(predicate, terms)


def _world(random_: random.Random) -> World:
    people = random_.random() < 1 / 2
    pool = PEOPLE if people else tuple(f"the {animal}" for animal in ANIMALS)
    verbs = random_.sample(VERBS, random_.randint(*RELATIONS)) if random_.random() < 1 / 2 else []
    return World(
        tuple(random_.sample(pool, random_.randint(*NAMES))),
        tuple(random_.sample(ADJECTIVES, random_.randint(*PROPERTIES))),
        tuple(verbs),
        Variable("x", "person" if random_.random() < 1 / 2 else "thing"),
        random_.random() < 2 / 3,
    )


def _theory(random_: random.Random, world: World) -> Theory:
    made = [_fact(random_, world) for _ in range(random_.randint(*FACTS))]
    made += [_rule(random_, world) for _ in range(random_.randint(*RULES))]
    random_.shuffle(made)
    return Theory(tuple({clause.text: clause for clause in made}.values()))


def _fact(random_: random.Random, world: World) -> Clause:
    statement = _literal(random_, world, random_.choice(world.names), DENIED_FACT)
    return Clause(statement, (), _sentence(worded(statement)))


def _rule(random_: random.Random, world: World) -> Clause:
    about = random_.choice(world.names) if random_.random() < NAMED_RULE else world.variable
    count = random_.choices(*CONDITIONS)[0]
    body = [_literal(random_, world, about, DENIED_CONDITION)]
    while len(body) < count:
        last = body[-1].terms[-1]
        subject = last if isinstance(last, str) and len(body[-1].terms) > 1 and random_.random() < 1 / 3 else about
        body.append(_literal(random_, world, subject, DENIED_CONDITION))
    head = _literal(random_, world, about if random_.random() < 0.9 else random_.choice(world.names), DENIED_HEAD)
    taken = {(b.predicate, b.terms): b for b in (*body, head)}
    body = [b for b in taken.values() if b is not head]
    if not body:
        return _rule(random_, world)
    clause = Clause(head, tuple(body))
    return Clause(head, tuple(body), _sentence(_worded_rule(random_, clause)))


def _literal(random_: random.Random, world: World, subject: str | Variable, denied: float) -> Literal:
    negated = world.denials and random_.random() < denied
    others = [name for name in world.names if name != subject]
    if world.verbs and others and random_.random() < 1 / 2:
        return Literal(f"_ {random_.choice(world.verbs)} _", (subject, random_.choice(others)), negated)
    return Literal(f"_ is {random_.choice(world.adjectives)}", (subject,), negated)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _worded_rule(random_: random.Random, clause: Clause) -> str:
    literals = (clause.head, *clause.body)
    same = all(len(b.terms) == 1 and isinstance(b.terms[0], Variable) for b in literals)
    if same and not any(b.negated for b in clause.body) and len(clause.body) < 3 and random_.random() < 1 / 2:
        return _as_noun(random_, clause)
    return _as_condition(random_, clause)


def _as_noun(random_: random.Random, clause: Clause) -> str:
    """`all big, round things are not red`."""
    kind = "people" if next(clause.variables).type == "person" else "things"
    adjectives = ", ".join(_adjective(b) for b in clause.body)
    every = "all " if random_.random() < 1 / 2 else ""
    return f"{every}{adjectives} {kind} are {'not ' * clause.head.negated}{_adjective(clause.head)}"


def _as_condition(random_: random.Random, clause: Clause) -> str:
    """`if someone is big and not red and they like the cat then they are kind`."""
    before, parts = None, list[str]()
    for literal in clause.body:
        if before is not None and _shared(before, literal) and random_.random() < ELIDED:
            parts.append(f"{'not ' * literal.negated}{_adjective(literal)}")
        else:
            parts.append(worded(literal) if before is None else _referring(literal, before))
        before = literal
    return f"if {' and '.join(parts)} then {_referring(clause.head, clause)}"


def _shared(before: Literal, literal: Literal) -> bool:
    """Whether a second adjective may follow the first: not behind a `not`, whose reach would be open."""
    return len(literal.terms) == 1 and literal.terms == before.terms and not before.negated


def _referring(literal: Literal, before: Literal | Clause) -> str:
    """A literal whose subject, where it is a variable that was spoken of, is a pronoun."""
    subject = literal.terms[0]
    if not isinstance(subject, Variable):
        return worded(literal)
    if isinstance(before, Clause) and not any(subject in b.terms for b in before.body):
        return worded(literal)
    if subject.type != "person":
        return worded(Literal(literal.predicate, ("it", *literal.terms[1:]), literal.negated))
    return _plural(literal)


def _plural(literal: Literal) -> str:
    verb = literal.predicate.split()[1]
    if verb == "is":
        return f"they are {'not ' * literal.negated}{_adjective(literal)}"
    return f"they {'do not ' * literal.negated}{verb_base(verb)} {literal.terms[1]}"


def _adjective(literal: Literal) -> str:
    return literal.predicate.removeprefix("_ is ")

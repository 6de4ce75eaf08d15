"""The engine against plain backward chaining over generated theories: what D levels of refinement prove, it proves at
D_max = D, and no more, whatever stands first.

A theory is a few relations. A fact of a relation is found only when one of its two terms is known, so that refinements
are needed to find the first; the bodies that refine a relation speak of later relations only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from hypothesis import assume, given
from hypothesis import strategies as st
from tests.engine.test_refinement import asked

from goalmem.engine.budget import Budget
from goalmem.engine.search import prove
from goalmem.engine.step import Step
from goalmem.logic.terms import Aggregate

THINGS = ("Ann", "Bob", "Cleo")
RELATIONS = 4
MOST_TRIED = 1_500
"""Without any choice there are soon too many orders: such theories are left out."""
Said = tuple[str, int, str]
"""A statement: a term, the number of the relation, and another term. Variables are in small letters."""


@dataclass(frozen=True)
class Theory:
    """Facts, and the bodies that relations between `x` and `y` are refined to; `z` is a body's own."""

    facts: tuple[Said, ...]
    bodies: tuple[tuple[int, tuple[Said, ...]], ...]


@dataclass(frozen=True)
class Left:
    """A statement left to prove, once those of the numbers `after` are."""

    number: int
    said: Said
    level: int = 0
    after: frozenset[int] = frozenset()


@dataclass
class Chaining:
    """Backward chaining without any choice: every statement that may be next, every fact, every body."""

    theory: Theory
    depth: int

    def __post_init__(self) -> None:
        self.failed: set[tuple[str, ...]] = set()
        self.tried = 0
        self.last = 100

    def proves(self, left: tuple[Left, ...]) -> bool:
        """Whether everything left can be proved under one substitution."""
        key = tuple(sorted(f"{g.said} {g.level} {sorted(o.said for o in left if o.number in g.after)}" for g in left))
        self.tried += 1
        assume(self.tried < MOST_TRIED)
        if key in self.failed:
            return False
        if not left or any(map(self.proves, self.onward(left))):
            return True
        self.failed.add(key)
        return False

    def onward(self, left: tuple[Left, ...]) -> Iterator[tuple[Left, ...]]:
        for goal in (g for g in left if not g.after):
            others = tuple(g for g in left if g is not goal)
            for bound in self.facts(goal.said):
                closed = (replace(g, after=g.after - {goal.number}) for g in others)
                yield tuple(replace(g, said=put(g.said, bound)) for g in closed)
            for body in self.bodies(goal) if goal.level < self.depth else ():
                numbers = range(self.last, self.last + len(body))
                self.last += len(body)
                new = (Left(n, said, goal.level + 1) for n, said in zip(numbers, body, strict=True))
                yield (*others, replace(goal, after=frozenset(numbers)), *new)

    def facts(self, said: Said) -> Iterator[dict[str, str]]:
        """What the variables stand for in each fact that says so, where at most one of them is open."""
        a, relation, b = said
        if is_open(a) and is_open(b) and a != b:
            return
        for c, _, d in (f for f in self.theory.facts if f[1] == relation):
            if (is_open(a) or a == c) and (is_open(b) or b == d) and (a != b or c == d):
                yield {term: thing for term, thing in ((a, c), (b, d)) if is_open(term)}

    def bodies(self, goal: Left) -> Iterator[tuple[Said, ...]]:
        """The bodies for a statement, which are about what is open in it."""
        a, relation, b = goal.said
        for refined, body in self.theory.bodies:
            made = tuple(put(said, {"x": a, "y": b, "z": f"z{self.last}"}) for said in body)
            if refined == relation and linked(made, {t for t in (a, b) if is_open(t)}):
                yield made


def linked(body: tuple[Said, ...], reach: set[str]) -> bool:
    waiting = [{t for t in (a, b) if is_open(t)} for a, _, b in body]
    while near := [names for names in waiting if names & reach]:
        waiting = [names for names in waiting if not names & reach]
        reach = reach.union(*near)
    return not waiting


def is_open(term: str) -> bool:
    return term[0].islower()


def put(said: Said, terms: dict[str, str]) -> Said:
    return terms.get(said[0], said[0]), said[1], terms.get(said[2], said[2])


def words(said: Said) -> str:
    a, relation, b = (f"({t}:thing)" if isinstance(t, str) and is_open(t) else t for t in said)
    return f"{a} rel{relation} {b}"


SHAPES = (
    (("A", "x"),),
    (("y", "A"),),
    (("x", "z"),),
    (("z", "y"),),
    (("x", "z"), ("z", "y")),
    (("A", "z"), ("z", "x")),
    (("y", "z"), ("A", "z")),
    (("x", "y"),),
)
"""Between what the statements of a body lie; `A` is some thing."""


@st.composite
def theories(draw: st.DrawFn) -> Theory:
    things = st.sampled_from(THINGS)
    facts = draw(
        st.lists(st.tuples(things, st.integers(0, RELATIONS - 1), things), min_size=8, max_size=20, unique=True)
    )
    bodies = []
    for number in (0, 1, 2, *draw(st.lists(st.integers(0, RELATIONS - 2), max_size=2))):
        shape = draw(st.sampled_from(SHAPES))
        later = min(draw(st.sampled_from((number + 1, number + 1, number + 2))), RELATIONS - 1)
        thing = draw(things)
        bodies.append((number, tuple(put((a, later, b), {"A": thing}) for a, b in shape)))
    return Theory(tuple(facts), tuple(dict.fromkeys(bodies)))


GOALS = st.sampled_from(
    [
        [("p", 0, "q")],
        [("p", 0, "q")],
        [("p", 0, "q")],
        [("p", 1, "q")],
        [("p", 0, "p")],
        [("Ann", 0, "q")],
        [("Ann", 1, "Bob")],
        [("p", 0, "q"), ("q", 1, "r")],
        [("p", 0, "q"), ("r", 2, "q")],
        [("p", 0, "q"), ("r", 0, "s")],
        [("p", 0, "q"), ("Bob", 3, "p")],
    ]
)


def sources(toy, theory: Theory, *, eager: bool):
    """The theory told by two sources of facts and two of refinements, which give one angle at a time unless `eager`."""
    facts = [(words(f), 0.9) for f in theory.facts]
    refiners = [toy.Refiner({}, name="model"), toy.Refiner({}, name="other")]
    for n, (number, body) in enumerate(theory.bodies):
        refiners[n % 2].angles.setdefault(f"rel{number}", []).append(" & ".join(map(words, body)))
    return [toy.Lookup(facts[::2]), toy.Lookup(facts[1::2]), *(map(Eager, refiners) if eager else refiners)]


@dataclass
class Eager:
    """Offers all angles of a refiner with its other steps."""

    refiner: object
    closed: bool = False
    cost: int = 0

    @property
    def name(self) -> str:
        return self.refiner.name

    def steps(self, request) -> list[Step]:
        found: list[Step] = []
        while more := self.refiner.refine(replace(request, tried=tuple(found))):
            found += more
        return found

    def near_misses(self, request) -> list:
        return []


def goal_of(toy, goals: list[Said]):
    names = sorted({t for a, _, b in goals for t in (a, b) if is_open(t)})
    if not names:
        return toy.goal(*map(words, goals), aggregate=Aggregate.WHETHER)
    return toy.goal(*map(words, goals), answer=names[0])


@given(theories(), GOALS, st.integers(0, 3), st.booleans(), st.randoms(use_true_random=False))
def test_the_engine_proves_what_backward_chaining_proves(toy, theory, goals, depth, eager, order):
    expected = Chaining(theory, depth).proves(tuple(Left(n, g) for n, g in enumerate(goals)))
    budget = {"depth": depth, "breadth": len(theory.bodies) + 1, "steps": 50_000}
    proof = asked(toy, goal_of(toy, goals), *sources(toy, theory, eager=eager), **budget)
    assert (proof.status == "proved") == expected
    assert proof.spent.get("depth", 0) <= depth

    shuffled, others = list(goals), sources(toy, theory, eager=eager)
    order.shuffle(shuffled)
    order.shuffle(others)
    again = asked(toy, goal_of(toy, shuffled), *others, **budget)
    told = (proof.status, proof.answer, round(proof.confidence, 9), proof.spent)
    assert (again.status, again.answer, round(again.confidence, 9), again.spent) == told


ATOMS = st.sampled_from([f"it is p{n}" for n in range(5)])


@given(
    st.sets(ATOMS, max_size=3),
    st.lists(st.tuples(ATOMS, st.lists(ATOMS, min_size=1, max_size=2, unique=True)), max_size=6),
    st.integers(0, 4),
)
def test_rules_that_nobody_stated_reach_as_far_as_backward_chaining(toy, facts, rules, depth):
    def holds(atom: str, levels: int) -> bool:
        return atom in facts or any(
            head == atom and levels > 0 and all(holds(a, levels - 1) for a in body) for head, body in rules
        )

    offered = toy.Rules.of(*(f"{head} if {' and '.join(body)}" for head, body in rules))
    offered.closed = False
    for atom in ("it is p0", "it is p1"):
        goal = toy.goal(atom, aggregate=Aggregate.WHETHER)
        outcome = prove(goal, [offered, toy.Facts([(f, 0.9) for f in facts])], Budget(depth=depth))
        assert (outcome.status == "proved") == holds(atom, depth)

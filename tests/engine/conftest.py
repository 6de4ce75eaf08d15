"""Tiny sources to run the engine over: a list of facts, rules with recursion and negation, a graph."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

from goalmem.engine.step import NearMiss, Request, Step
from goalmem.logic.syntax import parse_atom, parse_rule
from goalmem.logic.terms import Atom, Binding, Derivation, Evidence, Goal, Relation, Rule, Substitution, Value, Variable


def evidence(text: str, turn: str = "") -> Evidence:
    sha = hashlib.sha256(text.encode()).hexdigest()
    return Evidence(turn or sha[:8], sha, text, 0, len(text), "Maya", "2023-05-01T10:00:00+00:00", "s1")


def pattern(atom: Atom) -> re.Pattern[str]:
    seen: set[str] = set()
    out = []
    for part in atom.parts:
        if isinstance(part, str):
            out.append(re.escape(part))
        elif part.name in seen:
            out.append(f"(?P=v{part.name.replace('~', '_')})")
        else:
            seen.add(part.name)
            out.append(rf"(?P<v{part.name.replace('~', '_')}>\w+(?: \w+)?)")
    return re.compile("".join(out), re.IGNORECASE)


@dataclass
class Facts:
    """Open: what was said, with a score each."""

    facts: list[tuple[str, float]]
    against: list[tuple[str, float]] = field(default_factory=list)
    refinements: dict[str, list[str]] = field(default_factory=dict)
    values: dict[str, Value] = field(default_factory=dict)
    name: str = "memory"
    closed: bool = False
    cost: int = 0
    asked: list[str] = field(default_factory=list)

    def steps(self, request: Request) -> list[Step]:
        atom = request.atom.substitute(request.substitution)
        self.asked.append(str(atom))
        found = []
        for text, score in self.facts:
            match = pattern(atom).fullmatch(text)
            if match is not None and not atom.negated:
                said = evidence(text)
                words = {v: match[f"v{v.name.replace('~', '_')}"] for v in atom.variables}
                bound = tuple(self.bound(v, w, said.turn) for v, w in words.items())
                found.append(Step(self.name, "fact", score, bound, evidence=(said,)))
        for text, score in self.against:
            if pattern(atom).fullmatch(text) and atom.ground:
                found.append(Step(self.name, "fact", score, evidence=(evidence("not " + text),), negated=True))
        key = atom.read_as({v.name: v.name for v in atom.variables})[0]
        for subgoals in self.refinements.get(key, []):
            atoms = tuple(parse_atom(s) for s in subgoals.split(" & "))
            found.append(Step(self.name, "refinement", 0.9, subgoals=atoms, relation=Relation.SEMANTIC))
        return found

    def bound(self, variable: Variable, words: str, turn: str) -> Binding:
        value = self.values.get(words, Value(words, words.casefold()))
        return Binding(variable, value, Derivation.QUOTED if value.interval is None else Derivation.TIME, words, turn)

    def near_misses(self, request: Request) -> list[NearMiss]:
        words = set(request.atom.read_as({})[0].split())
        scored = [(len(words & set(t.split())) / len(words | set(t.split())), t) for t, _ in self.facts]
        return [
            NearMiss("not-unified", f"{t!r} does not say it", evidence(t), s)
            for s, t in sorted(scored, reverse=True)
            if s
        ][:3]


def tokens(atom: Atom) -> list[str | Variable]:
    return [w for p in atom.parts for w in (p.split() if isinstance(p, str) else [p])]


def unified(head: Atom, goal: Atom) -> dict[str, str | Variable] | None:
    """What the head's variables are in the goal, word by word."""
    theta: dict[str, str | Variable] = {}
    if len(tokens(head)) != len(tokens(goal)):
        return None
    for h, g in zip(tokens(head), tokens(goal), strict=True):
        if isinstance(h, Variable):
            if theta.setdefault(h.name, g) != g:
                return None
        elif isinstance(g, Variable) or h.casefold() != g.casefold():
            return None
    return theta


@dataclass
class Rules:
    """Closed: rules, and facts stated as rules without a body."""

    rules: list[Rule]
    name: str = "rules"
    closed: bool = True
    cost: int = 0

    @classmethod
    def of(cls, *texts: str) -> Rules:
        return cls([parse_rule(t) for t in texts])

    def steps(self, request: Request) -> list[Step]:
        atom = request.atom.substitute(request.substitution)
        found = []
        for rule in self.rules:
            if not rule.body and not atom.negated:
                match = pattern(atom).fullmatch(rule.head.read_as()[0])
                if match is not None:
                    names = [(v, match[f"v{v.name.replace('~', '_')}"]) for v in atom.variables]
                    bound = tuple(Binding(v, Value(t, t.casefold()), Derivation.QUOTED, t) for v, t in names)
                    found.append(Step(self.name, "rule", 1.0, bound, rule=rule))
            theta = unified(rule.head, atom) if rule.body and not atom.negated else None
            if theta is not None:
                body = tuple(put(a, theta) for a in rule.body)
                found.append(Step(self.name, "rule", 1.0, subgoals=body, rule=rule))
        return found

    def near_misses(self, request: Request) -> list[NearMiss]:
        return []


def put(atom: Atom, theta: dict[str, str | Variable]) -> Atom:
    parts: list[str | Variable] = []
    for p in atom.parts:
        new = theta.get(p.name, Variable(f"{p.name}_own", p.type)) if isinstance(p, Variable) else p
        if parts and isinstance(parts[-1], str) and isinstance(new, str):
            parts[-1] += new
        else:
            parts.append(new)
    return Atom(tuple(parts), atom.negated)


@dataclass
class Lookup(Facts):
    """Open: facts that are found only when at most one variable of the atom is open."""

    def steps(self, request: Request) -> list[Step]:
        return [s for s in super().steps(request) if s.kind == "refinement" or len(s.bindings) < 2]


@dataclass
class Refiner:
    """Open: refinements, one angle at a time. `angles` are bodies by the words of an atom between its terms.

    In a body `x` and `y` stand for the terms of the atom, whatever these are called, and `z` for a thing of its own.
    """

    angles: dict[str, list[str]]
    name: str = "model"
    closed: bool = False
    cost: int = 0
    asked: list[tuple[str, int]] = field(default_factory=list)

    def steps(self, request: Request) -> list[Step]:
        return []

    def refine(self, request: Request) -> list[Step]:
        bound = request.atom.substitute(request.substitution)
        self.asked.append((str(bound.read_as({v.name: v.name for v in bound.variables})[0]), len(request.tried)))
        words, terms = predicate(request.atom)
        tried = {t.subgoals for t in request.tried}
        for body in self.angles.get(words, []):
            atoms = tuple(put(parse_atom(a), terms) for a in body.split(" & "))
            own = {v.name for v in bound.variables}
            if atoms not in tried and any(own & {v.name for v in a.variables} for a in atoms):
                return [Step(self.name, "refinement", 0.9, subgoals=atoms, relation=Relation.SEMANTIC)]
        return []

    def near_misses(self, request: Request) -> list[NearMiss]:
        return []


def predicate(atom: Atom) -> tuple[str, dict[str, str | Variable]]:
    """The words between the first and the last term of an atom, and these as what `x` and `y` stand for."""
    words = tokens(atom)
    own = "z_own" + "_own" * max((v.name.count("_own") for v in atom.variables), default=0)
    terms = {"x": words[0], "y": words[-1], "z": Variable(own, "thing")}
    return " ".join(w for w in words[1:-1] if isinstance(w, str)), terms


@dataclass
class Graph:
    """Open: hops over edges, weakest relation last."""

    edges: list[tuple[str, str, str, float]]
    name: str = "graph"
    closed: bool = False
    cost: int = 0

    def steps(self, request: Request) -> list[Step]:
        inner = Facts([(f"{s} {r} {o}", score) for s, r, o, score in self.edges], name=self.name)
        return [Step(self.name, "edge", s.score, s.bindings, evidence=s.evidence) for s in inner.steps(request)]

    def near_misses(self, request: Request) -> list[NearMiss]:
        return []


def goal(*atoms: str, answer: str = "", **more: object) -> Goal:
    read = tuple(parse_atom(a) for a in atoms)
    variables = {v.name: v for a in read for v in a.variables}
    return Goal(" and ".join(atoms) + "?", read, variables.get(answer), **more)


@pytest.fixture(scope="session")
def toy() -> SimpleNamespace:
    return SimpleNamespace(
        Facts=Facts,
        Lookup=Lookup,
        Refiner=Refiner,
        Rules=Rules,
        Graph=Graph,
        goal=goal,
        evidence=evidence,
        Substitution=Substitution,
    )

"""Clauses made ready for proving: constants folded, variables numbered, facts and rules indexed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from goalmem.logic.terms import Variable
from goalmem.rules.terms import Clause, Literal

Args = tuple[str, ...]
"""Constants, folded."""
Call = tuple[str, bool, tuple[str | None, ...]]
"""A query on a predicate: its name, its polarity, and its terms; None matches any term."""
Ground = tuple[str, bool, Args]
"""A ground literal: predicate, whether it is denied, constants."""
Signed = tuple[str, bool]
"""A predicate, or (True) its denial."""


def folded(constant: str) -> str:
    """The form in which constants are compared: `The  Cat` and `the cat` are one."""
    return " ".join(constant.split()).casefold()


def ground(literal: Literal) -> Ground:
    """The normalised key of a ground literal."""
    return literal.predicate.casefold(), literal.negated, tuple(folded(str(t)) for t in literal.terms)


def wanted(literal: Literal) -> Call:
    """A literal as a call: its variables are open."""
    terms = tuple(None if isinstance(t, Variable) else folded(t) for t in literal.terms)
    return literal.predicate.casefold(), literal.negated, terms


@dataclass(frozen=True, slots=True)
class Pattern:
    """A literal of a rule: constants are folded words, variables numbers."""

    predicate: str
    negated: bool
    terms: tuple[str | int, ...]

    @property
    def signed(self) -> Signed:
        """Its predicate with its sign."""
        return self.predicate, self.negated

    @property
    def variables(self) -> frozenset[int]:
        """The numbers of its variables."""
        return frozenset(t for t in self.terms if isinstance(t, int))

    def under(self, binding: Sequence[str | None]) -> tuple[str | None, ...]:
        """The terms with the bound variables replaced."""
        return tuple([binding[t] if isinstance(t, int) else t for t in self.terms])

    def bound(self, args: Args, binding: Sequence[str | None]) -> list[str | None] | None:
        """The binding extended by matching the terms with `args`; None if they do not match."""
        new = list(binding)
        for term, arg in zip(self.terms, args, strict=True):
            if isinstance(term, int):
                held = new[term]
                if held is None:
                    new[term] = arg
                elif held != arg:
                    return None
            elif term != arg:
                return None
        return new


@dataclass(frozen=True, slots=True)
class CompiledRule:
    """A clause with a body, or one whose head holds variables."""

    number: int
    """Number of the clause in the theory."""
    head: Pattern
    body: tuple[Pattern, ...]
    variables: tuple[str, ...]
    """Their names, by number."""

    def opened(self, call: Call) -> list[str | None] | None:
        """The binding under which its head answers a call; None where it cannot."""
        binding: list[str | None] = [None] * len(self.variables)
        for term, arg in zip(self.head.terms, call[2], strict=True):
            if arg is None:
                continue
            if isinstance(term, int):
                held = binding[term]
                if held is not None and held != arg:
                    return None
                binding[term] = arg
            elif term != arg:
                return None
        return binding


@dataclass(slots=True)
class Index:
    """Facts by predicate and constant; rules by head predicate. Immutable once built."""

    facts: dict[Signed, dict[Args, list[int]]] = field(default_factory=dict)
    """For each ground fact the numbers of the clauses that state it."""
    rules: dict[Signed, list[CompiledRule]] = field(default_factory=dict)
    domain: dict[str, str] = field(default_factory=dict)
    """Every constant of the theory: normalised key -> printed form of its first mention."""
    predicates: dict[str, str] = field(default_factory=dict)
    """Every predicate in the theory: normalised key -> printed form."""
    naming: dict[str, int] = field(default_factory=dict)
    """For each constant the number of the first clause that names it."""
    _by_place: dict[tuple[Signed, int], dict[str, list[Args]]] = field(default_factory=dict)
    _by_head: dict[Signed, dict[str, list[CompiledRule]]] = field(default_factory=dict)
    _plans: dict[tuple[int, frozenset[int]], tuple[int, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, clauses: Iterable[Clause]) -> Index:
        """The index of a theory's clauses."""
        index = cls()
        for number, clause in enumerate(clauses):
            index._add(number, clause)
        for signed, rules in index.rules.items():
            index._by_head[signed] = _by_first_constant(rules)
        return index

    def matching(self, signed: Signed, terms: tuple[str | None, ...]) -> Iterable[Args]:
        """The facts that answer a call."""
        facts = self.facts.get(signed)
        if not facts:
            return ()
        places = [i for i, t in enumerate(terms) if t is not None]
        if not places:
            return facts
        if len(places) == len(terms):
            return (exact,) if (exact := tuple(t for t in terms if t is not None)) in facts else ()
        rows = min((self._rows(signed, i).get(terms[i] or "", ()) for i in places), key=len)
        return [r for r in rows if all(r[i] == terms[i] for i in places)]

    def heading(self, call: Call) -> Iterable[CompiledRule]:
        """The rules that may answer a call, in the order of the theory."""
        signed, terms = (call[0], call[1]), call[2]
        rules = self.rules.get(signed, ())
        if not terms or terms[0] is None or len(rules) < _FEW:
            return rules
        heads = self._by_head[signed]
        return sorted((*heads.get(terms[0], ()), *heads.get("", ())), key=lambda r: r.number)

    def stating(self, statement: Ground) -> Sequence[int]:
        """The numbers of the clauses that state a ground literal as a fact."""
        facts = self.facts.get((statement[0], statement[1]))
        return facts.get(statement[2], ()) if facts is not None else ()

    def stated(self, statement: Ground) -> bool:
        """True if a fact states a ground literal."""
        facts = self.facts.get((statement[0], statement[1]))
        return facts is not None and statement[2] in facts

    def said(self, statement: Ground, terms: Mapping[str, str] = MappingProxyType({})) -> Literal:
        """A ground literal in printed form; `terms` prints constants that the theory does not contain."""
        predicate, negated, args = statement
        words = tuple([self.domain.get(a) or terms.get(a, a) for a in args])
        return Literal(self.predicates.get(predicate, predicate), words, negated)

    def states(self, signed: Signed) -> bool:
        """True if any clause could make a literal of this sign true."""
        return signed in self.facts or signed in self.rules

    def plan(self, rule: CompiledRule, bound: frozenset[int], *, closed: bool) -> tuple[int, ...]:
        """In which order to prove a rule's body once the variables `bound` are: few answers first, failures last."""
        key = (rule.number, bound)
        if key not in self._plans:
            self._plans[key] = self._planned(rule, bound, closed=closed)
        return self._plans[key]

    def _planned(self, rule: CompiledRule, bound: frozenset[int], *, closed: bool) -> tuple[int, ...]:
        positive = [i for i, p in enumerate(rule.body) if not (closed and p.negated)]
        known, order = set(bound), []
        while positive:
            best = min(positive, key=lambda i: (*self._cost(rule.body[i], known), i))
            positive.remove(best)
            order.append(best)
            known |= rule.body[best].variables
        return (*order, *(i for i, p in enumerate(rule.body) if closed and p.negated))

    def _cost(self, pattern: Pattern, known: set[int]) -> tuple[float, bool]:
        """Estimated number of answers, and whether rules must be tried."""
        ruled = pattern.signed in self.rules
        open_ = [i for i, t in enumerate(pattern.terms) if isinstance(t, int) and t not in known]
        if not open_:
            return 0.0, ruled
        facts = len(self.facts.get(pattern.signed, ()))
        held = [i for i in range(len(pattern.terms)) if i not in open_] if facts else []
        stated = min((facts / len(self._rows(pattern.signed, i)) for i in held), default=facts)
        return stated + (len(self.domain) ** len(open_) if ruled else 0), ruled

    def _rows(self, signed: Signed, place: int) -> Mapping[str, list[Args]]:
        key = (signed, place)
        if key not in self._by_place:
            rows: dict[str, list[Args]] = {}
            for args in self.facts[signed]:
                rows.setdefault(args[place], []).append(args)
            self._by_place[key] = rows
        return self._by_place[key]

    def _add(self, number: int, clause: Clause) -> None:
        literals = (clause.head, *clause.body)
        for literal in literals:
            self.predicates.setdefault(literal.predicate.casefold(), literal.predicate)
            for term in literal.terms:
                if not isinstance(term, Variable) and (constant := folded(term)) not in self.domain:
                    self.domain[constant] = term
                    self.naming[constant] = number
        if not clause.body and clause.head.ground:
            predicate, negated, args = ground(clause.head)
            self.facts.setdefault((predicate, negated), {}).setdefault(args, []).append(number)
            return
        names = {v.name: n for n, v in enumerate(clause.variables)}
        patterns = [_pattern(literal, names) for literal in literals]
        rule = CompiledRule(number, patterns[0], tuple(patterns[1:]), tuple(names))
        self.rules.setdefault(rule.head.signed, []).append(rule)


_FEW = 8
"""Rules for one predicate up to which looking at each is as quick as looking them up."""


def _pattern(literal: Literal, names: Mapping[str, int]) -> Pattern:
    terms = tuple(names[t.name] if isinstance(t, Variable) else folded(t) for t in literal.terms)
    return Pattern(literal.predicate.casefold(), literal.negated, terms)


def _by_first_constant(rules: Iterable[CompiledRule]) -> dict[str, list[CompiledRule]]:
    """Rules by the constant that their heads begin with; those that begin with a variable under an empty text."""
    heads: dict[str, list[CompiledRule]] = {}
    for rule in rules:
        first = rule.head.terms[0] if rule.head.terms else 0
        heads.setdefault(first if isinstance(first, str) else "", []).append(rule)
    return heads

"""Rules in plain language as a source of steps, so that rules also apply to facts from conversations.

What the rules decide by themselves comes as a proof that is whole; a rule whose conditions memory may meet comes as
subgoals. Failure to prove closes the world only over what the rules cover, never over memory (docs/rules.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from goalmem.engine.budget import Budget
from goalmem.engine.step import NearMiss, ProvedAtom, Request, Step
from goalmem.logic.terms import Atom, Variable
from goalmem.rules.compiled import Call, folded, ground, wanted
from goalmem.rules.demand import OverBudgetError
from goalmem.rules.derivation import SOURCE
from goalmem.rules.english import PERSON, THING
from goalmem.rules.program import Program, Verdict
from goalmem.rules.terms import Clause, Literal

MAX_OFFERED = 64
"""Rules offered for one atom with conditions that memory may meet; each asks memory several times."""
UNSPOKEN = "No rule speaks of it, and nothing else is remembered."
UNDECIDED = "Neither it nor its opposite is stated or follows from what is."
NOTHING_NAMED = "Nothing that the rules name is so."
NOTHING_KNOWN = "Of nothing that the rules name is it known."


@dataclass
class RuleSource:
    """The rules of one space, for one question."""

    theory: Program
    alone: bool = False
    """True if the space contains only rules: they are then a complete theory."""
    literal: Literal | None = None
    """The question as its reader parsed it. In a theory alone it counts even if no rule mentions it."""
    mentioned: Callable[[str], bool] = lambda _: True
    """True if some turn speaks of a thing of this name: only then memory may meet a condition about it."""
    name: str = SOURCE
    closed: bool = True
    cost: int = 0
    _known: dict[str, bool] = field(default_factory=dict)
    _verdicts: dict[Literal, Verdict] = field(default_factory=dict)
    _budget: Budget = field(default_factory=Budget)
    """Budget of the current search, shared by decisions outside its steps."""

    def asked(self, question: str) -> Literal | None:
        """A question as a statement over the predicates of the rules; None if they do not mention it."""
        literal = self.theory.statement(question)
        known = literal is not None and literal.predicate.casefold() in self.theory.index.predicates
        return literal if known else None

    def covers(self, atom: Atom) -> bool:
        """True if unprovable atoms count as false: for predicates and constants of the rules, unless the budget ended
        first.
        """
        if not self.theory.closed:
            return False
        if self.alone:
            try:
                return any(not r.ground or self._verdict(r).status != "unknown" for r in self._readings(atom))
            except OverBudgetError:
                return False
        domain = self.theory.index.domain
        return any(all(folded(str(t)) in domain for t in literal.terms) for literal in self._readings(atom))

    def lists(self, atom: Atom) -> bool:
        """True if all instances of a negated atom are known: only if the rules are a complete theory, whose constants
        can all be tried.
        """
        return self.alone and atom.negated

    def steps(self, request: Request) -> Sequence[Step]:
        """Whole proofs of the atom, or of its opposite; then rules whose conditions are still to be proved. None where the budget
        ends before all is found, which the engine then says.

        Raises:
            UnstratifiedError: whether the atom holds rests on its own denial.
        """
        self._budget = request.budget
        values = {b.variable.name: b.value for b in request.substitution.bindings}
        atom = request.atom.substitute(values)
        found: list[Step] = []
        for literal in self._readings(atom):
            try:
                whole = [s for s in self._whole(literal) if self._settled(s)]
            except OverBudgetError:
                return ()
            found += whole
            decided = any(not s.negated for s in whole) and literal.ground
            if not decided and self.remembered(literal):
                found += self._offered(literal)
        return found[: request.limit]

    def near_misses(self, request: Request, /) -> Sequence[NearMiss]:
        """Reasons why a complete theory decides nothing. Empty for other rules: then their conditions are missing,
        not rules.
        """
        if not self.alone:
            return ()
        literal = next(iter(self._readings(request.atom)), None)
        if literal is None:
            why = UNSPOKEN
        elif literal.ground:
            why = UNDECIDED
        else:
            why = NOTHING_NAMED if self.theory.closed else NOTHING_KNOWN
        return (NearMiss("never-said", why, None, 0.0),)

    def _readings(self, atom: Atom) -> Sequence[Literal]:
        """Readings of an atom in the rules: of the question itself, or of every way to read its words."""
        own = self.literal
        if own is not None and replace(atom, negated=own.negated) == own.atom:
            return [replace(own, negated=atom.negated)]
        return self.theory.vocabulary.readings(atom)

    def _verdict(self, literal: Literal) -> Verdict:
        """The decision of the rules about a ground literal, cached."""
        if literal not in self._verdicts:
            self._verdicts[literal] = self.theory.decide(literal, self._budget)
        return self._verdicts[literal]

    def _whole(self, literal: Literal) -> Iterator[Step]:
        """Complete proofs from rules alone."""
        telling = self.theory.telling
        if not literal.ground:
            if literal.negated and not self.alone:
                return
            for said, derivation in self.theory.find(literal, self._budget):
                pairs = zip(literal.terms, said.terms, strict=True)
                stands = {v: folded(str(s)) for v, s in pairs if isinstance(v, Variable)}
                yield telling.step(derivation, bindings=[telling.binding(v, c) for v, c in stands.items()])
            return
        verdict = self._verdict(literal)
        named = {folded(str(t)): str(t) for t in literal.terms}
        for found in (verdict.derivation, verdict.against):
            if found is not None:
                yield telling.step(found, negated=found.statement != ground(literal), named=named)
        if self.alone and verdict.derivation is None and verdict.status != "unknown":
            yield telling.failing(ground(literal), negated=not literal.negated, named=named)

    def remembered(self, literal: Literal) -> bool:
        """True if memory may have to say something that bears on a literal."""
        if self.alone:
            return False
        constants = [folded(t) for t in literal.terms if isinstance(t, str)]
        if not constants or literal.predicate.casefold() in self.theory.wide:
            return True
        for constant in constants:
            if constant not in self._known:
                self._known[constant] = self.mentioned(constant)
        return any(self._known[c] for c in constants)

    def _settled(self, step: Step) -> bool:
        """True if no step by failure in a complete proof could change because of remembered facts."""
        if self.alone:
            return True
        failed = (p.atom for p in _below(step) if p.step.kind == "closed-world")
        return not any(self.remembered(r) for a in failed for r in self._readings(a))

    def _offered(self, literal: Literal) -> list[Step]:
        """The rules whose heads say the literal or, of one without variables, its opposite."""
        predicate, negated, terms = wanted(literal)
        signs = (negated, not negated) if literal.ground else (negated,)
        calls: list[Call] = [(predicate, sign, terms) for sign in signs]
        steps = []
        for call in calls:
            for rule in self.theory.index.heading(call):
                clause = self.theory.typed(rule.number)
                put = _unified(clause, literal) if clause.body else None
                if put is not None:
                    steps.append(self._step(rule.number, clause, literal, put))
        return steps[:MAX_OFFERED]

    def _step(self, number: int, clause: Clause, literal: Literal, put: Mapping[str, str | Variable]) -> Step:
        taken = {t.name for t in literal.terms if isinstance(t, Variable)}
        subgoals = tuple(_applied(b, put, taken).atom for b in clause.body)
        evidence = (self.theory.telling.evidence(number),)
        negated = clause.head.negated != literal.negated
        return Step(SOURCE, "rule", 1.0, (), subgoals, evidence, rule=clause.rule, negated=negated)


def _below(step: Step) -> Iterator[ProvedAtom]:
    """Every part of a whole proof, each once."""
    waiting, seen = list(step.proved), set[int]()
    while waiting:
        part = waiting.pop()
        if id(part) not in seen:
            seen.add(id(part))
            waiting += part.step.proved
            yield part


def _unified(clause: Clause, literal: Literal) -> dict[str, str | Variable] | None:
    """Bindings of a clause's variables that make its head match the literal; None if it does not match.

    A head with a constant where the literal has a variable answers for that constant alone: what it proves by itself
    is found whole, and with memory it is tried once the variable is bound.
    """
    put: dict[str, str | Variable] = {}
    for own, term in zip(clause.head.terms, literal.terms, strict=True):
        if isinstance(own, Variable):
            held = put.setdefault(own.name, term)
            if held != term and (isinstance(held, Variable) or folded(held) != folded(str(term))):
                return None
        elif isinstance(term, Variable) or folded(own) != folded(term):
            return None
    return put


def _applied(literal: Literal, put: Mapping[str, str | Variable], taken: set[str]) -> Literal:
    """A condition with the rule's bindings applied; its other variables are renamed apart from those of the goal.

    A relational noun (an ingredient, a guest) has no type of its own: the condition states its relation.
    """
    terms = []
    for term in literal.terms:
        if isinstance(term, Variable) and term.name in put:
            terms.append(put[term.name])
        elif isinstance(term, Variable):
            name = f"{term.name}_{'_'.join(sorted(taken))}" if term.name in taken else term.name
            terms.append(Variable(name, term.type if term.type == PERSON else THING))
        else:
            terms.append(term)
    return Literal(literal.predicate, tuple(terms), literal.negated)

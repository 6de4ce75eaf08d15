"""Exact consequences of rules and facts.

The semantics is in docs/rules.md: in a closed world what cannot be derived is false (the well-founded model, which on
stratified theories is the perfect one); in an open world it is unknown, and a denial must be stated or derived.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from itertools import islice, product
from math import prod
from typing import Literal, Self

from goalmem.engine.budget import Budget
from goalmem.errors import RuleError, UnstratifiedError
from goalmem.logic.syntax import format_atom
from goalmem.logic.terms import Variable
from goalmem.rules.compiled import Args, Call, Ground, Index, ground, wanted
from goalmem.rules.demand import RuleGrounding
from goalmem.rules.derivation import DerivationSteps, RuleDerivation, Shortest, proofs
from goalmem.rules.terms import Clause, RuleReader, Unread, Vocabulary
from goalmem.rules.terms import Literal as Statement
from goalmem.rules.wellfounded import WellFoundedModel, denied

MAX_PROOFS = 1_000
"""Proofs listed of one statement."""

World = Literal["closed", "open"]
"""Closed: what a theory cannot derive is false. Open: it is unknown."""


MAX_DENIED = 100_000
"""Combinations of constants of which a denial is listed."""


class Strategy(StrEnum):
    """How a statement was decided (EVR, section 4.2)."""

    PROOF = "proof"
    """It was derived."""
    INVERSE_PROOF = "inverse proof"
    """Its opposite was."""
    FAIL_TO_PROVE = "fail to prove"
    """Neither could be."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The decision of a theory about a ground statement."""

    statement: Statement
    status: Literal["proved", "disproved", "unknown"]
    strategy: Strategy
    derivation: RuleDerivation | None = None
    """The shortest derivation of the statement, or of its opposite if that decides it; None if nothing was derived."""
    against: RuleDerivation | None = None
    """The shortest of the opposite where both hold: the theory contradicts itself, and the status is unknown."""

    @property
    def conflict(self) -> bool:
        """True when the theory proves the statement and its opposite."""
        return self.against is not None


@dataclass(frozen=True)
class Program:
    """Clauses under one world assumption, and their consequences. Safe to use from several threads."""

    clauses: tuple[Clause, ...]
    world: World = "closed"
    unread: tuple[Unread, ...] = ()
    """Sentences that were left out because they could not be read."""
    reader: RuleReader | None = None
    """Reader of questions; by default the grammar."""

    def ready(self) -> Self:
        """The same, indexed: the first question need not wait for it."""
        _ = self.index, self.telling.numbers
        return self

    @property
    def closed(self) -> bool:
        """True if underivable statements are false."""
        return self.world == "closed"

    @cached_property
    def index(self) -> Index:
        """The clauses, made ready for proving."""
        return Index.of(self.clauses)

    @cached_property
    def wide(self) -> frozenset[str]:
        """The predicates whose statements may rest on things that they do not name: through a condition with a constant,
        or with a variable that its head lacks.
        """
        rules = [r for of in self.index.rules.values() for r in of]
        above: dict[str, set[str]] = {}
        agenda = []
        for rule in rules:
            for condition in rule.body:
                above.setdefault(condition.predicate, set()).add(rule.head.predicate)
            if any(t not in rule.head.terms or isinstance(t, str) for c in rule.body for t in c.terms):
                agenda.append(rule.head.predicate)
        found: set[str] = set()
        while agenda:
            predicate = agenda.pop()
            if predicate not in found:
                found.add(predicate)
                agenda += above.get(predicate, ())
        return frozenset(found)

    def typed(self, number: int) -> Clause:
        """A clause with typed variables as in NL-Logic: conditions that only state a type (`(z:dish) is a dish`) are
        dropped unless some clause concludes that type.
        """
        clause = self.clauses[number]
        body = tuple(
            b for b in clause.body if not (_sortal(b) and not self.index.states((b.predicate.casefold(), False)))
        )
        return replace(clause, body=body) if body else clause

    def statement(self, question: str) -> Statement | None:
        """A question as a statement, with variables for what is asked; None if it is not a question."""
        return (self.reader or default_reader()).read_statement(question)

    def decide(self, statement: Statement, budget: Budget | None = None) -> Verdict:
        """Decide a ground statement within a budget.

        Raises:
            UnstratifiedError: that rests on its own denial.
            OverBudgetError: more bears on it than the budget reaches.
        """
        return verdict(statement, self.solved(statement, budget=budget), closed=self.closed)

    def find(self, statement: Statement, budget: Budget | None = None) -> Iterator[tuple[Statement, RuleDerivation]]:
        """Every ground instance of a statement that holds, with its shortest derivation.

        In a closed world those of a denial are sought among what the theory names.

        Raises:
            UnstratifiedError: whether some instance holds rests on its own denial.
            RuleError: there are too many instances of a denial.
            OverBudgetError: more bears on it than the budget reaches.
        """
        solved = self.solved(statement, budget=budget)
        predicate, negated, terms = wanted(statement)
        if negated and self.closed:
            choices = [self.index.domain if t is None else (t,) for t in terms]
            if prod(map(len, choices)) > MAX_DENIED:
                raise RuleError("There are too many things of which this could be denied.", "Name one of them.")
            if budget is not None:
                budget.spend(inferences=prod(map(len, choices)))
            found: Iterable[tuple[str, ...]] = product(*choices)
        else:
            found = solved.answers((predicate, negated, terms))
        for args in found:
            held = (predicate, negated, args)
            said = self.index.said(held)
            derivation = solved.derivation(held)
            if derivation is not None and _instance(statement, said):
                yield said, derivation

    def proofs(self, statement: Statement, limit: int = MAX_PROOFS) -> Iterator[RuleDerivation]:
        """At most `limit` non-circular proofs of a ground statement."""
        return self.solved(statement, every=True).proofs(ground(statement), limit)

    def solved(self, statement: Statement, *, every: bool = False, budget: Budget | None = None) -> SolvedGoal:
        """Solve a statement together with its opposite."""
        solved = self.undecided(statement, every=every, budget=budget)
        solved.require_decided()
        return solved

    def undecided(self, statement: Statement, *, every: bool = False, budget: Budget | None = None) -> SolvedGoal:
        """The same, where a circle through a negation may leave the statement undecided."""
        call = wanted(statement)
        named = [t for t in call[2] if t is not None and t not in self.index.domain]
        return solve(self.index, call, closed=self.closed, domain=named, every=every, budget=budget)

    @cached_property
    def telling(self) -> DerivationSteps:
        """Converts derivations to steps of a proof."""
        return DerivationSteps(self.index, self.clauses)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The theory's predicates."""
        return Vocabulary(tuple(self.index.predicates.values()))


def verdict(statement: Statement, solved: SolvedGoal, *, closed: bool) -> Verdict:
    """The decision about a ground statement."""
    held = ground(statement)
    for_, against = (
        solved.derivation(s) if solved.model.holds(s) else None for s in (held, (held[0], not held[1], held[2]))
    )
    if for_ is not None and against is not None:
        return Verdict(statement, "unknown", Strategy.PROOF, for_, against)
    if for_ is not None:
        return Verdict(statement, "proved", Strategy.PROOF, for_)
    if against is not None:
        return Verdict(statement, "disproved", Strategy.INVERSE_PROOF, against)
    if not closed:
        return Verdict(statement, "unknown", Strategy.FAIL_TO_PROVE)
    return Verdict(statement, "proved" if statement.negated else "disproved", Strategy.FAIL_TO_PROVE)


def default_reader() -> RuleReader:
    """The grammar."""
    from goalmem.rules.grammar.reader import GrammarReader

    return GrammarReader()


def _sortal(condition: Statement) -> bool:
    """True if a condition only says that a variable is of its type."""
    kind = condition.predicate.removeprefix("_ is ")
    if condition.negated or len(condition.terms) != 1 or kind == condition.predicate:
        return False
    (term,) = condition.terms
    return isinstance(term, Variable) and kind in (f"a {term.type}", f"an {term.type}")


def _instance(statement: Statement, said: Statement) -> bool:
    """True if equal variables of a statement are bound to equal constants."""
    held: dict[object, str] = {}
    pairs: Iterable[tuple[object, object]] = zip(statement.terms, said.terms, strict=True)
    return all(isinstance(t, str) or held.setdefault(t, str(s)) == s for t, s in pairs)


# -- deciding a goal over a theory -----------------------------------------------------------------------------------


@dataclass
class SolvedGoal:
    """The decision of a theory about a goal and its opposite."""

    index: Index
    call: Call
    model: WellFoundedModel
    """Over all that bears on the goal."""

    @property
    def opposite(self) -> Call:
        """The opposite of the goal."""
        return self.call[0], not self.call[1], self.call[2]

    @cached_property
    def shortest(self) -> Shortest:
        """The shortest derivations of all that holds."""
        return Shortest(self.model, self.index.stating)

    def answers(self, call: Call) -> Iterator[Args]:
        """The constants under which a call is stated or derived, facts first."""
        predicate, negated, terms = call
        yield from self.index.matching((predicate, negated), terms)
        for head in self.model.instances:
            fits = head[:2] == (predicate, negated) and all(t in (None, a) for t, a in zip(terms, head[2], strict=True))
            if fits and head in self.model.true and not self.index.stated(head):
                yield head[2]

    def derivation(self, statement: Ground) -> RuleDerivation | None:
        """The shortest derivation of a literal that bears on the goal."""
        return self.shortest.derivation(statement)

    def proofs(self, statement: Ground, limit: int = MAX_PROOFS) -> Iterator[RuleDerivation]:
        """All proofs; complete when solved with `every`."""
        return islice(proofs(self.model, self.index.stating, statement, limit), limit)

    def require_decided(self) -> None:
        """Raises UnstratifiedError where the goal, or its opposite, rests on its own denial."""
        for predicate, negated, terms in (self.call, self.opposite):
            for statement in self.model.undecided:
                asked = statement[:2] == (predicate, negated)
                if asked and all(t in (None, a) for t, a in zip(terms, statement[2], strict=True)):
                    raise self._unstratified(statement)

    def _unstratified(self, statement: Ground) -> UnstratifiedError:
        cycle = _cycle(self.model, statement)
        said = tuple(format_atom(self.index.said(s).atom) for s in cycle)
        circle = ", which needs ".join(f"“{s}”" for s in said)
        return UnstratifiedError(
            f"The rules go in a circle through a negation: {circle}.",
            "Take out one of the rules of the circle, or state as a fact what it leaves open.",
            said,
        )


def solve(
    index: Index,
    call: Call,
    *,
    closed: bool,
    domain: Sequence[str] = (),
    every: bool = False,
    budget: Budget | None = None,
) -> SolvedGoal:
    """Decide a goal; in a closed world, underivable statements are false.

    `domain` adds to the constants of the theory what only the question names. With `every`, what is stated is derived as
    well wherever it can be. Never raises for what it finds: see `SolvedGoal.require_decided`.

    Raises:
        OverBudgetError: the budget does not reach so far.
    """
    named = [*index.domain, *(d for d in domain if d not in index.domain)]
    grounding = RuleGrounding(index, closed, named, every, budget or Budget())
    grounding.demand(call)
    grounding.demand((call[0], not call[1], call[2]))
    return SolvedGoal(index, call, WellFoundedModel(index.stated, grounding.instances, closed))


def _cycle(model: WellFoundedModel, start: Ground) -> list[Ground]:
    """Statements each of which needs the next, the last one the first or its denial, through at least one denial."""
    for statement in _reached(model, start):
        for condition in (c for i in model.instances.get(statement, ()) for c in i.body if c[1]):
            positive = denied(condition)
            back = _reached(model, positive) if positive in model.undecided else {}
            if statement in back:
                path = [] if positive == statement else [back[statement][1]]
                at = statement if positive == statement else back[statement][0]
                while at != positive:
                    at, needed = back[at]
                    path.append(needed)
                return [statement, condition, *path[::-1]]
    return [start]


def _reached(model: WellFoundedModel, start: Ground) -> dict[Ground, tuple[Ground, Ground]]:
    """The undecided statements that a statement depends on, itself first, each with the one that needs it."""
    found = {start: (start, start)}
    agenda = [start]
    for statement in agenda:
        for condition in (c for i in model.instances.get(statement, ()) for c in i.body):
            for needed in (condition, denied(condition)) if condition[1] else (condition,):
                if needed in model.undecided and needed not in found:
                    found[needed] = (statement, condition)
                    agenda.append(needed)
    return found

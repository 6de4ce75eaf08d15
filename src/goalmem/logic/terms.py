"""The terms of NL-Logic: plain-language statements with typed variables, values, substitutions and goals.

Goal-Mem writes goals as natural-language atoms such as `(x:drink) is served in (z:cafe)`. Their symbolic part (variables, bindings,
equality, time) is held here as data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from goalmem.logic.interval import Interval


@dataclass(frozen=True, slots=True)
class Variable:
    """A typed variable, printed `(name:type)`. The type is a noun phrase and may be qualified."""

    name: str
    type: str

    def __str__(self) -> str:
        return f"({self.name}:{self.type})"


@dataclass(frozen=True, slots=True)
class Value:
    """The value of a variable.

    Values with equal keys are the same; `key` is the entity's canonical name in lower case, the ISO form of an interval, or a number.
    """

    text: str
    key: str
    type: str = ""
    interval: Interval | None = None
    number: float | None = None


@dataclass(frozen=True, slots=True)
class Atom:
    """A natural-language statement with typed variables.

    `parts` alternates text and variables as written; text parts keep their spaces.
    """

    parts: tuple[str | Variable, ...]
    negated: bool = False

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The distinct variables in order of appearance."""
        return tuple(dict.fromkeys(p for p in self.parts if isinstance(p, Variable)))

    @property
    def ground(self) -> bool:
        """True if no variable is open."""
        return not self.variables

    def substitute(self, values: Mapping[str, Value]) -> Atom:
        """The atom with every variable in `values` (by name) replaced by the value's text."""
        parts: list[str | Variable] = []
        for part in self.parts:
            new = values[part.name].text if isinstance(part, Variable) and part.name in values else part
            if parts and isinstance(new, str) and isinstance(parts[-1], str):
                parts[-1] += new
            else:
                parts.append(new)
        return Atom(tuple(parts), self.negated)

    def read_as(self, fill: Mapping[str, str] | None = None) -> tuple[str, dict[str, tuple[int, int]]]:
        """Plain text with each variable replaced by `fill[name]` (or its type), and the span of each variable in it."""
        text, spans = "", {}
        for part in self.parts:
            if isinstance(part, Variable):
                word = (fill or {}).get(part.name, part.type)
                spans[part.name] = (len(text), len(text) + len(word))
                text += word
            else:
                text += part
        return text, spans


@dataclass(frozen=True, slots=True)
class Rule:
    """`head if body[0] and body[1] …`; a negated atom in the body is proved by failure over a closed source."""

    head: Atom
    body: tuple[Atom, ...]


class Derivation(StrEnum):
    """How a value follows from its evidence."""

    QUOTED = "quoted"
    """Its text is in the quoted span."""
    RESOLVED = "resolved"
    """The span's speaker, pronoun or alias refers to it."""
    TIME = "time"
    """A time expression in the span, resolved against the turn's date."""
    SAID = "said"
    """The date of the turn itself: the span is about the present, or gives no other time."""
    NUMBER = "number"
    """A number or amount read from the span."""
    GIVEN = "given"
    """It was in the question."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A quoted span of a turn."""

    turn: str
    sha256: str
    """Of the turn's content as UTF-8, hexadecimal."""
    quote: str
    start: int
    end: int
    speaker: str
    said: str
    """ISO 8601."""
    session: str = ""
    source: str = ""
    """Place in a file: `handbook.pdf, page 3`; empty for messages."""
    position: int = 0
    """Place of the turn in its session, from 0: of messages with one time, the later one has the higher."""

    @property
    def order(self) -> tuple[str, str, int]:
        """Sort key: the turn that was said later has the higher."""
        return self.said, self.session, self.position


@dataclass(frozen=True, slots=True)
class Binding:
    """A variable, its value, and where the value is from."""

    variable: Variable
    value: Value
    derivation: Derivation
    span: str = ""
    """The words of the evidence that the value was read from."""
    turn: str = ""
    """Id of the turn with those words."""


KIND_OPEN = "kind not known"
"""Alignment of a variable's type with a value that may be an instance, but is not known to be one (condition 2)."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """Why one part of a goal counts as said by the evidence."""

    goal: str
    evidence: str
    how: str
    """`same`, `speaker`, `pronoun`, `alias`, `owner`, `synonym`, `is-a`, `derived`, `similar`, `time`, `implied`, `KIND_OPEN`, or
    `unify.SENSE_OPEN`."""
    score: float = 1.0


@dataclass(frozen=True, slots=True)
class JudgeRecord:
    """A judge's verdict on a ground statement and the words cited for it."""

    judge: str
    """The judge's name."""
    verdict: str
    """`entailed`, `contradicted` or `not-said`."""
    certainty: float
    """The probability in [0, 1] of the verdict."""
    digest: str = ""
    """SHA-256 of its model, hexadecimal; empty if it has no file of weights."""


@dataclass(frozen=True, slots=True)
class Substitution(Mapping[str, Value]):
    """The values of all variables, by name. Immutable; `bind` returns a larger one."""

    bindings: tuple[Binding, ...] = ()

    def __getitem__(self, name: str) -> Value:
        for b in self.bindings:
            if b.variable.name == name:
                return b.value
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(b.variable.name for b in self.bindings)

    def __len__(self) -> int:
        return len(self.bindings)

    def bind(self, new: tuple[Binding, ...]) -> Substitution | None:
        """The substitution with `new` added; None if a variable would get a second, different value (condition 3, equality)."""
        held = {b.variable.name: b for b in self.bindings}
        for b in new:
            old = held.get(b.variable.name)
            if old is not None and old.value.key != b.value.key:
                return None
            held.setdefault(b.variable.name, b)
        return Substitution(tuple(held.values()))


class Aggregate(StrEnum):
    """How the answer is computed from all bindings of the answer variable."""

    ONE = "one"
    """The best supported value."""
    WHETHER = "whether"
    """Yes or no."""
    COUNT = "count"
    LIST = "list"
    EARLIEST = "earliest"
    LATEST = "latest"
    SUM = "sum"
    DURATION = "duration"
    """Time between the two intervals bound to the constraint's variables, or from one until the question's date."""
    FIRST_OF = "first-of"
    """The earlier of two alternatives."""
    LAST_OF = "last-of"
    COMPARE = "compare"
    """Yes or no, by the order of the times bound to the constraint's variables (`did … before …`)."""
    DIFFERENCE = "difference"
    """The first of the constraint's variables minus the second."""
    TOGETHER = "together"
    """The sum of the two amounts bound to the constraint's variables."""
    MOST_OF = "most-of"
    """The one of two things with the larger amount."""
    LEAST_OF = "least-of"
    BIRTHDAY = "birthday"
    """The day on which somebody reaches the age in the goal's unit."""
    EACH = "each"
    """Both values bound to the constraint's variables: the question asked for two things."""
    AGE = "age"
    """Completed years from the first of two times to the second, or until the question's date."""


class Relation(StrEnum):
    """The kind of fact that a refinement asks for (Goal-Mem, refinement prompt)."""

    TEMPORAL = "temporal"
    CAUSAL = "causal"
    SEMANTIC = "semantic"
    ENTITY = "entity"


@dataclass(frozen=True, slots=True)
class Constraint:
    """A condition on bound intervals: `left op right`, each the name of a variable or a fixed interval."""

    left: str
    op: str
    """`before`, `after`, `within`, `overlaps`, `since`, `throughout` for two times; `minus` and `plus` only name the two amounts to compute with, `beside` the two
    answers."""
    right: str | Interval


@dataclass(frozen=True, slots=True)
class Goal:
    """What a question asks: atoms to prove together, and the variable whose value is the answer."""

    question: str
    atoms: tuple[Atom, ...]
    answer: Variable | None
    """None for a yes/no question."""
    aggregate: Aggregate = Aggregate.ONE
    constraints: tuple[Constraint, ...] = field(default=())
    unit: str = ""
    """For a duration or an amount: `days`, `weeks`, `months`, `years`, or a currency."""

    @property
    def names(self) -> frozenset[str]:
        """The names of all variables in its atoms, answer and constraints."""
        named = {v.name for a in self.atoms for v in a.variables} | {c.left for c in self.constraints}
        named |= {c.right for c in self.constraints if isinstance(c.right, str)}
        return frozenset(named | ({self.answer.name} if self.answer is not None else set()))

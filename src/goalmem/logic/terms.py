"""NL-Logic's terms: statements in plain language with typed variables, what variables stand for, and goals.

Goal-Mem writes goals as natural-language atoms such as `(x:drink) is served in (z:cafe)`; what is symbolic
(variables, bindings, equality, time) is held here as data.
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
    """What a variable stands for.

    Two values are the same when their keys are; `key` is the entity's canonical name in lower case, the ISO form of
    an interval, or a number.
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
        """True when no variable is open."""
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
        """Plain text with each variable replaced by `fill[name]` (or its type), and where each variable's text stands."""
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
    """Its text stands in the quoted span."""
    RESOLVED = "resolved"
    """The span's speaker, pronoun or alias stands for it."""
    TIME = "time"
    """A time expression in the span, resolved against the turn's date."""
    SAID = "said"
    """The date of the turn itself: the span speaks of now, or gives no other time."""
    NUMBER = "number"
    """A number or amount read from the span."""
    GIVEN = "given"
    """It stood in the question."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A quoted span of a remembered turn."""

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
    """Where in a file it stands: `handbook.pdf, page 3`; empty for what was said."""


@dataclass(frozen=True, slots=True)
class Binding:
    """A variable, what it stands for, and where that is from."""

    variable: Variable
    value: Value
    derivation: Derivation
    span: str = ""
    """The words of the evidence that the value was read from."""
    turn: str = ""
    """Id of the turn that those words stand in."""


KIND_OPEN = "kind not known"
"""Of an alignment of a variable's type with what stands for it: it may be an instance, and nothing says that it is (condition 2)."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """Why one part of a goal counts as said by the evidence."""

    goal: str
    evidence: str
    how: str
    """`same`, `speaker`, `pronoun`, `alias`, `owner`, `synonym`, `is-a`, `derived`, `similar`, `time`, `implied`, or `KIND_OPEN`."""
    score: float = 1.0


@dataclass(frozen=True, slots=True)
class JudgeRecord:
    """What a judge said of a ground statement and the words that are cited for it."""

    judge: str
    """The judge's name."""
    verdict: str
    """`entailed`, `contradicted` or `not-said`."""
    certainty: float
    """The probability in [0, 1] that the words entail the statement (or contradict it, where that is the verdict)."""
    digest: str = ""
    """SHA-256 of its model, hexadecimal; empty for one that has no file of weights."""


@dataclass(frozen=True, slots=True)
class Substitution(Mapping[str, Value]):
    """What all variables stand for, by name. Immutable; `bind` gives a larger one."""

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
        """With `new` added; None when a variable would get a second, different value (condition 3, equality)."""
        held = {b.variable.name: b for b in self.bindings}
        for b in new:
            old = held.get(b.variable.name)
            if old is not None and old.value.key != b.value.key:
                return None
            held.setdefault(b.variable.name, b)
        return Substitution(tuple(held.values()))


class Aggregate(StrEnum):
    """How the answer is made from all bindings of the answer variable."""

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
    """Time between the two intervals bound to the constraint's variables, or since one until the question's date."""
    FIRST_OF = "first-of"
    """Of two alternatives, which came first."""
    LAST_OF = "last-of"
    COMPARE = "compare"
    """Yes or no, as the times bound to the constraint's variables lie (`did … before …`)."""
    DIFFERENCE = "difference"
    """How much more the first of the constraint's variables is than the second."""
    TOGETHER = "together"
    """What the two amounts bound to the constraint's variables come to."""
    MOST_OF = "most-of"
    """Of two things, the one whose amount is larger."""
    LEAST_OF = "least-of"
    BIRTHDAY = "birthday"
    """The day on which somebody is as many years old as the goal's unit says."""
    EACH = "each"
    """The two values bound to the constraint's variables, beside each other: a question asked two things."""
    AGE = "age"
    """Completed years from the first of two times to the second, or until the question's date."""


class Relation(StrEnum):
    """What kind of fact a refinement asks for (Goal-Mem, refinement prompt)."""

    TEMPORAL = "temporal"
    CAUSAL = "causal"
    SEMANTIC = "semantic"
    ENTITY = "entity"


@dataclass(frozen=True, slots=True)
class Constraint:
    """A condition on bound intervals: `left op right`, each the name of a variable or a fixed interval."""

    left: str
    op: str
    """`before`, `after`, `within`, `overlaps` of two times; `minus`, `plus` only name the two amounts that are
    reckoned with, `beside` the two answers."""
    right: str | Interval


@dataclass(frozen=True, slots=True)
class Goal:
    """What a question asks: atoms to prove together, and the variable whose value answers it."""

    question: str
    atoms: tuple[Atom, ...]
    answer: Variable | None
    """None for a yes/no question."""
    aggregate: Aggregate = Aggregate.ONE
    constraints: tuple[Constraint, ...] = field(default=())
    unit: str = ""
    """Of a duration or an amount: `days`, `weeks`, `months`, `years`, or a currency."""

    @property
    def names(self) -> frozenset[str]:
        """The names of all variables that it speaks of: of its atoms, its answer and its constraints."""
        named = {v.name for a in self.atoms for v in a.variables} | {c.left for c in self.constraints}
        named |= {c.right for c in self.constraints if isinstance(c.right, str)}
        return frozenset(named | ({self.answer.name} if self.answer is not None else set()))

"""The proof: a self-contained, versioned JSON document that says why an answer holds, or what is missing.

`to_json` is canonical: equal proofs give equal text. `from_json` reads this format and the previous one, and rejects documents that are in
neither, or that are too large or too deep. A proof that can be read need not be true: see `proof.check`.

Format 2 (this one) added the status `likely`, the asker, a leaf's judgement, the digest and the seal.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, PlainValidator, ValidationError, model_validator

from goalmem.errors import ProofFormatError
from goalmem.logic.interval import Interval
from goalmem.logic.syntax import canonical, format_atom, format_rule, parse_atom, parse_rule
from goalmem.logic.terms import (
    Aggregate,
    Alignment,
    Atom,
    Binding,
    Constraint,
    Evidence,
    Goal,
    JudgeRecord,
    Relation,
    Rule,
    Value,
    Variable,
)

__all__ = [
    "NOT_HELD",
    "VERSION",
    "Claim",
    "Judgement",
    "MissingGoal",
    "Node",
    "NodeKind",
    "Proof",
    "ProofFormatError",
    "Stage",
    "Status",
    "Verdict",
    "all_nodes",
]

VERSION = 2
NOT_HELD = "A proof was found that does not hold when it is checked again; it is withheld."
MAX_CHARACTERS = 100_000_000
"""Longer documents are rejected unread. A node takes about 1,000 characters."""
MAX_NODES = 100_000
MAX_DEPTH = 60
"""Levels of nodes. Each is two levels of JSON, and pydantic's parser ends at 200."""

Status = Literal["proved", "likely", "disproved", "unknown"]
"""`likely`: some leaf is less certain than a proof requires; the answer is right as often as its confidence says. `disproved`: the opposite
of a yes/no question is proved."""
Verdict = Literal["entailed", "contradicted", "not-said"]
Stage = Literal[
    "never-said", "not-asserted", "superseded", "denied", "judged-not-said", "not-unified", "over-budget", "conflict"
]
NodeKind = Literal["aggregate", "conjunction", "fact", "edge", "rule", "refinement", "closed-world", "assumed", "lemma"]


def _read_atom(written: Any) -> Atom:
    if isinstance(written, Atom):
        return written
    if not isinstance(written, str):
        raise ValueError("an atom is written as text")
    return parse_atom(written)


def _read_rule(written: Any) -> Rule:
    if isinstance(written, Rule):
        return written
    if not isinstance(written, str):
        raise ValueError("a rule is written as text")
    return parse_rule(written)


AtomText = Annotated[Atom, PlainValidator(_read_atom), PlainSerializer(format_atom, return_type=str)]
RuleText = Annotated[Rule, PlainValidator(_read_rule), PlainSerializer(format_rule, return_type=str)]
Score = Annotated[float, Field(ge=0, le=1)]


class _Record(BaseModel):
    # The dataclasses inside inherit this configuration, so unknown fields are rejected there, too.
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Claim(_Record):
    """The goal to be proved, without its question."""

    atoms: tuple[AtomText, ...]
    answer: Variable | None = None
    aggregate: Aggregate = Aggregate.ONE
    constraints: tuple[Constraint, ...] = ()
    unit: str = ""

    @classmethod
    def of(cls, goal: Goal) -> Claim:
        """The claim of a goal."""
        return cls(
            atoms=goal.atoms,
            answer=goal.answer,
            aggregate=goal.aggregate,
            constraints=goal.constraints,
            unit=goal.unit,
        )

    def goal(self, question: str) -> Goal:
        """The goal, with its question."""
        return Goal(question, self.atoms, self.answer, self.aggregate, self.constraints, self.unit)


class Judgement(_Record):
    """A judge's verdict on a ground statement and the passage cited for it."""

    judge: str
    """The judge's name."""
    digest: str = ""
    """SHA-256 of its model, hexadecimal; empty if it has no file of weights."""
    verdict: Verdict = "entailed"
    certainty: Score = 1.0
    """The probability of the verdict."""

    @classmethod
    def of(cls, said: JudgeRecord) -> Judgement:
        """Return a judge's verdict in the form of a proof."""
        verdict: Verdict = "contradicted" if said.verdict == "contradicted" else "entailed"
        return cls(judge=said.judge, digest=said.digest, verdict=verdict, certainty=said.certainty)


class Node(_Record):
    """One step of a proof, and the steps that it rests on."""

    kind: NodeKind
    goal: AtomText | None = None
    """The atom as in the goal, with its variables; None for an aggregate or a conjunction."""
    ground: AtomText | None = None
    """The atom with its variables replaced by their values."""
    score: Score = 1.0
    """`weight` times the scores of the children; for an aggregate, the lowest score of a child."""
    weight: Score = 1.0
    """The score of the step alone."""
    source: str = ""
    """`memory`, `rules`, `graph`, …: selects the checker of the step. Empty for an aggregate or a conjunction."""
    bindings: tuple[Binding, ...] = ()
    """The values of all variables of `goal`; for a conjunction, all bindings of the solution."""
    evidence: tuple[Evidence, ...] = ()
    alignment: tuple[Alignment, ...] = ()
    negated: bool = False
    """True if the evidence contradicts the atom."""
    relation: Relation | None = None
    rule: RuleText | None = None
    instance: dict[str, str] = Field(default_factory=dict)
    """The words that the variables of `rule` stand for, by name."""
    note: str = ""
    judge: str = ""
    """The chat model that judged what cannot be recomputed: that the evidence says the atom, or that an unstated rule may be assumed. For a
    walk (an edge made of edges), the critic that proposed it. Empty if the step is checked without one."""
    judgement: Judgement | None = None
    """The judge's verdict on a leaf that was read. None if the words themselves say it (strict frame match)."""
    lemma: int | None = None
    """For kind `lemma`: index of the proof's lemma, from 0."""
    children: tuple[Node, ...] = ()

    def values(self) -> dict[str, Value]:
        """The value of every bound variable, by name."""
        return {b.variable.name: b.value for b in self.bindings}

    def walk(self, path: str = "root") -> Iterator[tuple[str, Node]]:
        """Yield this node and all below it, each with its path, parents first."""
        yield path, self
        for i, child in enumerate(self.children):
            yield from child.walk(f"{path}.children[{i}]")


def all_nodes(node: Node, lemmas: Sequence[Node]) -> Iterator[Node]:
    """Yield a node, all below it, and all below the lemmas that it rests on, each lemma once."""
    waiting, seen = [node], set[int]()
    while waiting:
        top = waiting.pop()
        yield top
        waiting += reversed(top.children)
        if top.lemma is not None and top.lemma not in seen and 0 <= top.lemma < len(lemmas):
            seen.add(top.lemma)
            waiting.append(lemmas[top.lemma])


class MissingGoal(_Record):
    """A part that could not be proved, the stage at which it failed, and what came nearest."""

    atom: AtomText
    stage: Stage
    reason: str
    nearest: tuple[Evidence, ...] = ()


class Proof(_Record):
    """Why an answer holds, or what is missing."""

    version: int
    question: str
    space: str
    asked_at: str
    """ISO 8601."""
    as_of: bool = False
    """True if something was said after the day of `asked_at` before it was asked. The proof is about that day, and later statements do not
    replace its evidence."""
    asker: str = ""
    """The person that `I` and `my` in the question refer to. Empty for the unnamed user."""
    where: dict[str, Any] = Field(default_factory=dict)
    """Conditions on the metadata of the turns used; empty: all turns of the space."""
    goal: Claim
    judge: str = ""
    """The chat model that read the question as this goal; empty if the reading is checked without one."""
    status: Status
    answer: str = ""
    """Empty if the status is unknown."""
    values: tuple[Value, ...] = ()
    confidence: Score = 0.0
    """The root's score; 0 if the status is unknown."""
    root: Node | None = None
    """What is proved. If the status is unknown: the furthest state of the search, if any."""
    lemmas: tuple[Node, ...] = ()
    """Derivations that are used several times, or that would make the tree too deep. Each is ground, binds nothing, and rests only on
    earlier ones; nodes of kind `lemma` refer to it."""
    alternatives: tuple[Node, ...] = ()
    """Solutions with other answers that are not better supported than the root; or the two sides of a conflict."""
    missing: tuple[MissingGoal, ...] = ()
    spent: dict[str, float] = Field(default_factory=dict)
    """The cost of the search, by unit. For information only."""
    digest: str = ""
    """SHA-256 of the canonical JSON without digest and seal, hexadecimal. A checksum, not a signature: it detects accidental changes, but
    anyone who changes a proof can recompute it. Empty in format 1."""
    seal: str = ""
    """HMAC-SHA256 of the rest with a key, hexadecimal (`proof.seal`); empty if no key was set."""

    def evidence(self) -> tuple[Evidence, ...]:
        """All distinct evidence that the root rests on, in the order of the proof."""
        nodes = all_nodes(self.root, self.lemmas) if self.root is not None else ()
        return tuple(dict.fromkeys(e for n in nodes for e in n.evidence))

    def fingerprint(self) -> str:
        """The correct value of `digest`."""
        return hashlib.sha256(
            self.model_copy(update={"digest": "", "seal": ""}).to_json().encode("utf-8", "surrogatepass")
        ).hexdigest()

    def digested(self) -> Proof:
        """The same proof with its current digest, and without a seal."""
        return self.model_copy(update={"digest": self.fingerprint(), "seal": ""})

    def withheld(self, reason: str = NOT_HELD) -> Proof:
        """The proof without its answer, with `reason` and a new digest."""
        bare = {"status": "unknown", "answer": "", "values": (), "confidence": 0.0, "root": None, "lemmas": ()}
        missing = MissingGoal(atom=canonical(self.goal.atoms[0]), stage="not-unified", reason=reason)
        return self.model_copy(update={**bare, "alternatives": (), "missing": (missing,)}).digested()

    def to_json(self, *, indent: int | None = None) -> str:
        """Canonical JSON: sorted keys, no fields at their defaults, non-ASCII characters unescaped."""
        fields = self.model_dump(mode="json", exclude_defaults=True)
        separators = (",", ":") if indent is None else (",", ": ")
        return json.dumps(fields, sort_keys=True, ensure_ascii=False, indent=indent, separators=separators)

    @classmethod
    def from_json(cls, text: str | bytes) -> Proof:
        """Read a proof. Raises ProofFormatError, which says what is wrong and where."""
        if not isinstance(text, str | bytes):
            raise ProofFormatError(f"The proof is of type {type(text).__name__}, not text.", _ASK_AGAIN)
        if len(text) > MAX_CHARACTERS:
            raise ProofFormatError(f"The proof is too large ({len(text):,} characters).", _ASK_AGAIN)
        fields = _json_object(text)
        _check_version(fields.get("version"))
        try:
            proof = cls.model_validate_json(text, strict=True)
        except ValidationError as error:
            raise ProofFormatError(_first_problem(error), _ASK_AGAIN) from None
        return proof

    @model_validator(mode="after")
    def _within_bounds(self) -> Proof:
        datetime.fromisoformat(self.asked_at)
        if self.version == 1 and (self.asker or self.as_of or self.digest or self.seal or self.status == "likely"):
            raise ValueError("format 1 has no asker, no as_of, no digest, no seal and no status likely")
        waiting = [(n, 1) for n in (*self.alternatives, *self.lemmas, self.root) if n is not None]
        seen = 0
        while waiting:
            node, depth = waiting.pop()
            seen += 1
            if depth > MAX_DEPTH or seen > MAX_NODES:
                raise ValueError(f"a proof has at most {MAX_DEPTH} levels and {MAX_NODES:,} nodes")
            if self.version == 1 and node.judgement is not None:
                raise ValueError("format 1 has no judgements")
            _wall_clock(b.value for b in node.bindings)
            waiting += [(c, depth + 1) for c in node.children]
        _wall_clock(iter(self.values))
        _wall_clock(Value("", "", interval=c.right) for c in self.goal.constraints if isinstance(c.right, Interval))
        return self


_ASK_AGAIN = "Use a document written by goalmem's `Proof.to_json`, unchanged, or ask the question again."


def _json_object(text: str | bytes) -> dict[str, Any]:
    try:
        fields = json.loads(text, object_pairs_hook=_without_repeats)
    except (ValueError, RecursionError) as error:
        where = str(error) if not isinstance(error, RecursionError) else "it is nested too deeply"
        raise ProofFormatError(f"The proof is not valid JSON: {where}.", _ASK_AGAIN) from None
    if not isinstance(fields, dict):
        raise ProofFormatError(f"The proof is a JSON {type(fields).__name__}, not an object.", _ASK_AGAIN)
    return fields


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a field is given twice")
    return fields


def _check_version(version: Any) -> None:
    if type(version) is not int or version < 1:
        raise ProofFormatError(f"The proof's version is {version!r}, not a whole number from 1.", _ASK_AGAIN)
    if version > VERSION:
        problem = f"The proof has format version {version}; this goalmem reads up to version {VERSION}."
        raise ProofFormatError(problem, "Upgrade goalmem to read it.")


def _first_problem(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    # Readers need not know which branch of a union failed.
    path = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in first["loc"]).lstrip(".")
    more = f" (and {error.error_count() - 1} more problems)" if error.error_count() > 1 else ""
    return f"The proof is malformed at {path or 'its top level'}: {first['msg']}{more}."


def _wall_clock(values: Iterator[Value]) -> None:
    """Raises ValueError for times with a time zone: intervals are wall-clock, and the two cannot be compared."""
    for v in values:
        if v.interval is not None and (v.interval.start.tzinfo or v.interval.end.tzinfo):
            raise ValueError("an interval has a time zone")

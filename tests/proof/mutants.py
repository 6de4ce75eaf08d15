"""Proofs with one field changed, their digest made anew: every field, in every way that its type allows."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, get_args

from goalmem.logic.terms import KIND_OPEN, Aggregate, Alignment, Binding, Derivation, Evidence, Value
from goalmem.proof.document import (
    Claim,
    Judgement,
    MissingGoal,
    Node,
    NodeKind,
    Proof,
    ProofFormatError,
    Stage,
    Status,
    Verdict,
)
from goalmem.proof.node_check import CERTAINTY_TOLERANCE

Path = tuple[str | int, ...]
REMOVED = "removed"
INSERTED = "inserted"


@dataclass(frozen=True)
class Mutant:
    """What was changed, how, and the document that came of it."""

    path: Path
    how: str
    old: Any
    new: Any
    whole: Mapping[str, Any]
    """The document that was changed."""

    @cached_property
    def document(self) -> str:
        """The changed document, made when it is asked for: of many mutants few are tried."""
        return sealed(_changed(self.whole, self))

    def __str__(self) -> str:
        where = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in self.path).lstrip(".")
        return f"{where}: {self.how}: {str(self.old)[:60]!r} -> {str(self.new)[:60]!r}"


HARMLESS: Mapping[str, Callable[[Mutant], bool]] = {
    "a citation need not say the place of its turn in the session": lambda m: m.path[-1] == "position" and not m.new,
    "costs are for reading, and claim nothing": lambda m: "spent" in m.path,
    "which kind of fact a refinement looks for claims nothing": lambda m: (
        m.path[-1] == "relation" and m.how != INSERTED
    ),
    "who read a value is for reading": lambda m: m.path[-1] == "note" and str(m.old).startswith("read by "),
    "a step need not say how it was read": lambda m: m.path[-1] in ("note", "alignment") and not m.new,
    "of how a step was read, less may be said, and the same in another order": lambda m: (
        m.path[-1] == "alignment" and m.how != INSERTED and {*_set(m.new)} <= {*_set(m.old)}
    ),
    "how well words are aligned changes no weight": lambda m: "alignment" in m.path and m.path[-1] == "score",
    "a missing part tells how near the search came, as a hint": lambda m: (
        "missing" in m.path and bool({"stage", "reason", "nearest"} & set(m.path))
    ),
    "asked on that day, too, the question has this answer": lambda m: m.path == ("asked_at",),
    "white space, and the case of a question, change no word": lambda m: (
        isinstance(m.old, str) and isinstance(m.new, str) and m.old.casefold().split() == m.new.casefold().split()
    ),
    "the order in which bindings are written says nothing": lambda m: (
        m.path[-1] == "bindings" and isinstance(m.new, list) and _set(m.old) == _set(m.new)
    ),
    "the order in which things are counted says nothing": lambda m: (
        m.path == ("root", "children")
        and m.whole["goal"].get("aggregate") == "count"
        and isinstance(m.new, list)
        and _set(m.old) == _set(m.new)
    ),
    "a step may name what other steps of its solution bind": lambda m: (
        m.path[-1] == "bindings"
        and "children" in m.path[:-2]
        and isinstance(m.new, list)
        and set(_set(m.old)) < set(_set(m.new))
    ),
    "of what is not known fewer candidates are shown": lambda m: (
        m.path == ("alternatives",) and '"unknown"' in m.document
    ),
    "of what is not known it need not be told how far the search came": lambda m: (
        m.path == ("root",) and '"status":"unknown"' in m.document
    ),
    "of what is not known, whether one thing was asked for or a list makes no difference": lambda m: (
        m.path == ("goal", "aggregate")
        and '"status":"unknown"' in m.document
        and {m.old, m.new or "one"} == {"one", "list"}
    ),
    "a judge that is asked again is as sure within some thousandths": lambda m: (
        m.path[-1] == "certainty" and isinstance(m.new, float) and abs(m.new - m.old) <= CERTAINTY_TOLERANCE
    ),
    "nothing is left out of an empty list": lambda m: not m.old and not m.new,
}
"""Mutants that may verify, by the reason."""
ENUMS: Mapping[str, Sequence[str]] = {
    "status": get_args(Status),
    "kind": get_args(NodeKind),
    "verdict": get_args(Verdict),
    "stage": get_args(Stage),
    "aggregate": [a.value for a in Aggregate],
    "derivation": [d.value for d in Derivation],
}
DAY = {"start": "2024-01-10T00:00:00", "end": "2024-01-11T00:00:00", "grain": "day"}
PLAUSIBLE: Mapping[str, tuple[type, Mapping[str, Sequence[Any]]]] = {
    "version": (Proof, {
        "as_of": [True], "asker": ["Emil", "Nobody"], "where": [{"a": 1}, {"session": "zzz"}], "judge": ["gpt", "walk-critic"], "answer": ["Mars"],
        "values": [[{"text": "Mars", "key": "mars"}]], "confidence": [0.9], "root": [{"kind": "aggregate"}], "alternatives": [[{"kind": "conjunction"}]],
        "lemmas": [[{"kind": "fact", "goal": "Petra lives in Mars", "ground": "Petra lives in Mars", "source": "memory"}]],
        "missing": [[{"atom": "Petra lives in Mars", "stage": "never-said", "reason": "x"}]], "spent": [{"steps": 9.0}], "digest": [], "seal": [],
    }),
    "atoms": (Claim, {
        "answer": [{"name": "x", "type": "thing"}], "aggregate": ["list", "count", "whether", "sum"], "unit": ["days"],
        "constraints": [[{"left": "x", "op": "before", "right": DAY}]],
    }),
    "kind": (Node, {
        "goal": ["Petra lives in Mars"], "ground": ["Petra lives in Mars"], "score": [0.9], "weight": [0.9], "source": ["memory", "rules", "passages", "graph", "walks"],
        "bindings": [[{"variable": {"name": "x", "type": "thing"}, "value": {"text": "Mars", "key": "mars"}, "derivation": "given"}]],
        "evidence": [], "alignment": [[{"goal": "Petra killed Emil", "evidence": "Petra killed Emil", "how": how}] for how in ("implied", "speaker", KIND_OPEN)],
        "negated": [True], "relation": ["causal"], "rule": ["(x:person) is nice if (x:person) is young"], "instance": [{"z": "Mars"}],
        "note": ["Petra killed Emil", "nothing proves: Petra lives in Mars"], "judge": ["gpt", "walk-critic"], "lemma": [0], "children": [[{"kind": "assumed"}]],
        "judgement": [{"judge": "minilm-judge-int8", "digest": "0" * 64, "verdict": "entailed", "certainty": 0.99}],
    }),
    "certainty": (Judgement, {"digest": ["0" * 64], "verdict": ["contradicted"], "certainty": []}),
    "stage": (MissingGoal, {"nearest": []}),
    "sha256": (Evidence, {"session": ["s99"], "source": ["file.pdf, page 3"], "position": [7]}),
    "variable": (Binding, {"span": ["Mars", "I"], "turn": ["t1"]}),
    "key": (Value, {"type": ["person", "thing"], "interval": [DAY], "number": [7.0]}),
    "how": (Alignment, {"score": [0.5]}),
}  # fmt: skip
"""By a field that only such parts of a document have: the part, and what its optional fields may be where it has none."""
DATE = re.compile(r"\d{4}-\d\d-\d\d(T[\d:.]+(?:[+-]\d\d:\d\d|Z)?)?")


def mutants(proof: Proof, others: Sequence[Proof] = ()) -> Iterator[Mutant]:
    """Every single-field mutant of a proof; strings are also swapped for others of the same field, `others'` included."""
    document = json.loads(proof.to_json())
    document.pop("digest", None)
    swaps: dict[str, list[Any]] = {}
    for known in (document, *(json.loads(o.to_json()) for o in others)):
        for path, value in fields(known):
            swaps.setdefault(_name(path), []).append(value)
    for path, value in fields(document):
        for how, new in changes(path, value, swaps.get(_name(path), [])):
            yield Mutant(path, how, value, new, document)
        if path and isinstance(path[-1], str):
            yield Mutant(path, REMOVED, value, None, document)


def insertions(proof: Proof) -> Iterator[Mutant]:
    """A proof with one optional field that it did not have, in every part of it."""
    document = json.loads(proof.to_json())
    document.pop("digest", None)
    for path, part in [((), document), *fields(document)]:
        mark = next((m for m in PLAUSIBLE if isinstance(part, dict) and m in part), None)
        for name, values in PLAUSIBLE[mark][1].items() if mark is not None else ():
            for new in values if name not in part else ():
                yield Mutant((*path, name), INSERTED, None, new, document)


def is_harmless(mutant: Mutant) -> bool:
    """Whether a mutant changes nothing that a proof claims."""
    return any(claims_nothing(mutant) for claims_nothing in HARMLESS.values())


def fields(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every field of a document with its path: values, lists and objects."""
    if path:
        yield path, value
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from fields(inner, (*path, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from fields(inner, (*path, number))


def changes(path: Path, value: Any, swaps: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    """What a field may be changed to, with how; never to what it is."""
    made: list[tuple[str, Any]] = []
    if isinstance(value, bool):
        made.append(("flipped", not value))
    elif isinstance(value, int | float):
        made += [
            ("raised", min(1.0, value * 1.3) if 0 < value < 1 else value + 1),
            ("lowered", value * 0.7),
            ("zero", 0),
        ]
    elif isinstance(value, str):
        made += [("added to", f"{value}s"), ("emptied", ""), ("blanks", f" {value} "), ("shortened", value[1:])]
        made += [("another", other) for other in ENUMS.get(str(path[-1]), ())]
        if DATE.fullmatch(value):
            then = datetime.fromisoformat(value)
            made += [(f"{days:+} days", (then + timedelta(days=days)).isoformat()) for days in (-3, 1, 400)]
    elif isinstance(value, list):
        made += [("first left out", value[1:]), ("last left out", value[:-1]), ("reordered", value[::-1])]
        made += [("twice", [*value, *value[-1:]])]
    if not isinstance(value, dict | list) or path[-1] in ("evidence", "bindings", "children", "judgement"):
        others = [s for s in swaps if type(s) is type(value) and s != value]
        made += [("swapped", s) for s in others[:: max(1, len(others) // 2)][:2]]
    seen: list[Any] = [value]
    for how, new in made:
        if new not in seen:
            seen.append(new)
            yield how, new


def sealed(document: dict[str, Any]) -> str:
    """A document with its digest made anew, where it can be read at all."""
    text = json.dumps(document)
    try:
        return Proof.from_json(text).digested().to_json()
    except (ProofFormatError, ValueError):
        return text


def _set(values: Sequence[Any] | None) -> list[str]:
    return sorted(json.dumps(v, sort_keys=True) for v in values or ())


def _name(path: Path) -> str:
    """A field's name, whatever its place in a list."""
    return next((str(p) for p in reversed(path) if isinstance(p, str)), "") + str(isinstance(path[-1], int))


def _changed(document: Mapping[str, Any], mutant: Mutant) -> dict[str, Any]:
    changed: Any = copy.deepcopy(document)
    place = changed
    for key in mutant.path[:-1]:
        place = place[key]
    if mutant.how == REMOVED:
        del place[mutant.path[-1]]
    else:
        place[mutant.path[-1]] = mutant.new
    return changed  # type: ignore[no-any-return]

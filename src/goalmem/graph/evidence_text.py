"""Triples as evidence and hops as statements: the text of a graph in a proof.

A triple's id is the triple itself, so that a check of a proof only asks the graph whether it still exists. Its text is
its statement: `Kismet directed by William Dieterle`.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Protocol

import numpy as np

from goalmem.graph.protocol import Graph, Hop, Triple
from goalmem.logic.syntax import canonical
from goalmem.logic.terms import Aggregate, Atom, Evidence, Goal, Variable
from goalmem.proof.oracles import EvidenceTurn

TRIPLE = "triple:"
"""Prefix of the ids of triples; ids of turns never have it."""
THING = "thing"
"""The type of every variable of a walk, since a graph does not state types."""
REMEMBERED = 65_536
"""Ids whose triples are remembered: a proof names each several times."""
_ESCAPES = {"%": "%25", "|": "%7C", "\n": "%0A", "\r": "%0D"}
_ESCAPED = re.compile("|".join(map(re.escape, _ESCAPES.values())))
_PLAIN = {code: character for character, code in _ESCAPES.items()}
_TO_ESCAPE = str.maketrans(_ESCAPES)
_MARK = re.compile(r"[/#]|[.:](?=\S)")
"""Separators in `film.film.directed_by` or `http://example.org/film#directedBy`: the name is the part after the last
one.
"""
_CAMEL = re.compile(r"(?<=[a-z\d])(?=[A-Z])")


def triple_id(triple: Triple) -> str:
    """The id of a triple as evidence: `triple:subject|relation|object`, with `|`, `%` and line breaks escaped."""
    return TRIPLE + "|".join(p.translate(_TO_ESCAPE) for p in (triple.subject, triple.relation, triple.object))


@lru_cache(REMEMBERED)
def triple_of(turn: str) -> Triple | None:
    """The triple with this id; None for any other id."""
    parts = turn.removeprefix(TRIPLE).split("|")
    if not turn.startswith(TRIPLE) or len(parts) != len(("subject", "relation", "object")):
        return None
    found = Triple(*(_ESCAPED.sub(lambda m: _PLAIN[m[0]], p) for p in parts))
    return found if triple_id(found) == turn else None


def triple_evidence(triple: Triple, text: str) -> Evidence:
    """The statement of a triple as evidence, without a speaker and a time: it holds as long as it is in the graph."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return Evidence(triple_id(triple), digest, text, 0, len(text), "", "", "")


@dataclass(frozen=True)
class RelationTexts:
    """The wording of a graph's relations."""

    graph: Graph
    _texts: dict[str, str] = field(default_factory=dict)

    def words(self, relation: str) -> str:
        """A relation in words: `directed_by` is `directed by`. As it is written, where another one would read the same."""
        if relation not in self._texts:
            short = shortened(relation)
            self._texts[relation] = short if self._often[short] <= 1 else relation
        return self._texts[relation]

    def relation(self, words: str) -> str | None:
        """The relation that these words say."""
        return self._said.get(words)

    def statement(self, subject: str | Variable, relation: str, object_: str | Variable) -> Atom:
        """Subject, relation and object, each a label or a variable, as an atom."""
        return canonical(Atom((subject, f" {self.words(relation)} ", object_)))

    def text(self, subject: str, relation: str, object_: str) -> str:
        """A triple as text, with the labels of its ends."""
        return f"{subject} {self.words(relation)} {object_}"

    def atom(self, hop: Hop, head: str | Variable, tail: str | Variable) -> Atom:
        """A hop from head to tail as an atom."""
        return self.statement(*((tail, hop.relation, head) if hop.inverse else (head, hop.relation, tail)))

    def walks(self, goal: Goal) -> Iterator[tuple[str, tuple[Hop, ...]]]:
        """The topic's label and the hops of a goal that `goal_of` made: in every way in which its words may be split into
        a name and a relation. None of any other goal.
        """
        rest: list[Hop] = []
        for number, atom in enumerate(goal.atoms[1:], 1):
            hop = self._hop(atom, variable_of(number), variable_of(number + 1))
            if hop is None:
                return
            rest.append(hop)
        for topic, first in self._starts(goal.atoms[0]) if goal.atoms else ():
            if goal_of(goal.question, topic, (first, *rest), self) == goal:
                yield topic, (first, *rest)

    def _starts(self, atom: Atom) -> list[tuple[str, Hop]]:
        match atom.parts:
            case (str(text), Variable()):
                splits = ((text[:i], text[i + 1 : -1], False) for i in _spaces(text))
            case (Variable(), str(text)):
                splits = ((text[i + 1 :], text[1:i], True) for i in _spaces(text))
            case _:
                return []
        found = ((topic, self.relation(words), inverse) for topic, words, inverse in splits)
        return [(topic, Hop(relation, inverse)) for topic, relation, inverse in found if relation is not None and topic]

    def _hop(self, atom: Atom, head: Variable, tail: Variable) -> Hop | None:
        match atom.parts:
            case (Variable() as left, str(text), Variable() as right) if {left, right} == {head, tail}:
                relation = self.relation(text[1:-1])
                return Hop(relation, left == tail) if relation is not None else None
        return None

    @cached_property
    def _often(self) -> Counter[str]:
        return Counter(map(shortened, self.graph.relations()))

    @cached_property
    def _said(self) -> dict[str, str]:
        return {self.words(relation): relation for relation in self.graph.relations()}


def goal_of(question: str, topic: str, hops: Sequence[Hop], telling: RelationTexts) -> Goal:
    """A walk as a goal: each hop is a statement that continues the previous one; the last variable is the answer."""
    ends: list[str | Variable] = [topic, *(variable_of(n) for n in range(1, len(hops) + 1))]
    atoms = tuple(telling.atom(hop, head, tail) for hop, head, tail in zip(hops, ends, ends[1:], strict=False))
    return Goal(question, atoms, variable_of(len(hops)), Aggregate.LIST)


def shortened(relation: str) -> str:
    """The last part of a relation's name in words: `film.film.directed_by` and `…/directedBy` are `directed by`."""
    last = next((p for p in reversed(_MARK.split(relation)) if any(map(str.isalnum, p))), relation)
    return " ".join(_CAMEL.sub(" ", last).replace("_", " ").lower().split()) or relation


def variable_of(number: int) -> Variable:
    """The variable for the end of the hop with this number (from 1)."""
    return Variable(f"x{number}", THING)


def _spaces(text: str) -> list[int]:
    """Positions at which a text may be split in two non-empty parts."""
    return [i for i in range(1, len(text) - 1) if text[i] == " "]


FEW = 1000
"""Edges of one end of a triple that are looked at before the other end is tried."""


class Citations(Protocol):
    """Evidence for triples of one graph."""

    def cite(self, triple: Triple) -> Evidence:
        """Evidence for the triple."""

    def content(self, turn_id: str) -> EvidenceTurn | None:
        """The current text of the evidence with this id; None if it no longer exists."""

    def stated(self, evidence: Evidence) -> Sequence[Triple]:
        """The triples that this evidence currently stands for."""


@dataclass
class TripleCitations:
    """Imported triples, each with its own citation. Lookups are cached for one proof or one question."""

    telling: RelationTexts
    _texts: dict[Triple, str | None] = field(default_factory=dict)
    _labels: dict[str, str] = field(default_factory=dict)

    def cite(self, triple: Triple) -> Evidence:
        """See `Citations.cite`."""
        return triple_evidence(triple, self._said(triple))

    def content(self, turn_id: str) -> EvidenceTurn | None:
        """See `Citations.content`."""
        triple = triple_of(turn_id)
        text = self._text(triple) if triple is not None else None
        return EvidenceTurn(text, "", "") if text is not None else None

    def stated(self, evidence: Evidence) -> Sequence[Triple]:
        """See `Citations.stated`; a triple is cited whole."""
        triple = triple_of(evidence.turn)
        return [triple] if triple is not None and self._text(triple) == evidence.quote else []

    def _text(self, triple: Triple) -> str | None:
        """The statement that a triple makes; None where the graph does not hold it."""
        if triple not in self._texts:
            self._texts[triple] = self._said(triple) if holds(self.telling.graph, triple) else None
        return self._texts[triple]

    def _said(self, triple: Triple) -> str:
        return self.telling.text(self._label(triple.subject), triple.relation, self._label(triple.object))

    def _label(self, identifier: str) -> str:
        if identifier not in self._labels:
            node = self.telling.graph.node(identifier)
            labels = self.telling.graph.labels(np.array([node])) if node is not None else [identifier]
            self._labels[identifier] = labels[0]
        return self._labels[identifier]


def holds(graph: Graph, triple: Triple) -> bool:
    """True if a graph holds a triple. A graph with a method `holds` is asked; of two ends the one with few edges is enough."""
    # To ask an object for a protocol takes longer than to ask it for the triple.
    known = getattr(graph, "holds", None)
    if callable(known):
        return bool(known(triple))
    subject, object_ = graph.node(triple.subject), graph.node(triple.object)
    if subject is None or object_ is None:
        return False
    there, back = Hop(triple.relation), Hop(triple.relation, inverse=True)
    for node, hop, other in ((subject, there, object_), (object_, back, subject)):
        _, tails = graph.edges(np.array([node]), hop, limit=FEW)
        if len(tails) < FEW:
            return bool(np.isin(other, tails))
    return bool(np.isin(object_, graph.edges(np.array([subject]), there)[1]))

"""The edges of a graph as steps: a triple closes an atom that it entails, as a fact does.

A relation is read as a sentence, its triples are unified with the atom's frames, and the checker unifies the cited triple again. Questions
that need a walk over several hops are answered by ArG's search (`sources.graph.walks`); here, one proof may combine facts, rules and edges.

A relation's name is a verb with its complements (`works for`), a participle (`directed by`), a noun (`genre`, `has_genre`) or a preposition
(`in`); its words show which. A name that is read wrongly matches no goal.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

import numpy as np

from goalmem.cancellation import checkpoint
from goalmem.engine.step import NearMiss, Request, Step
from goalmem.graph.evidence_text import RelationTexts, holds, triple_evidence, triple_of
from goalmem.graph.protocol import Graph, Triple
from goalmem.graph.record import GraphRecord
from goalmem.graph.walk_judge import WalkJudge
from goalmem.language.lexicon import base_form, is_known, tagged_uses
from goalmem.language.words.function_words import BE_FORMS, CIRCUMSTANTIAL_OF_GRAPHS, HAVE_FORMS
from goalmem.logic.syntax import canonical
from goalmem.logic.terms import Alignment, Atom, Binding, Derivation, Evidence, Goal, Value, Variable
from goalmem.logic.unify import WEAKEST_PREDICATE, Frame, FramePart, Mismatch, Unification, unify
from goalmem.proof.document import Judgement, Node
from goalmem.proof.node_check import Finding, ProofContext, SourceOracles, alike, check_leaf, is_walk, unknown_kind
from goalmem.questions.whole_question import quotes_question
from goalmem.sources.frame_reader import FrameReader, FrameReading, bound_atom
from goalmem.sources.similarity import Similarity
from goalmem.sources.values import without_article

SOURCE = "graph"
"""The name of the source in steps and proofs."""
NAMESAKES = 8
"""Nodes of the same name that are considered."""
FAN = 256
"""Edges of one relation at one node that are unified with an atom, and one that shows that there are more: as many solutions as the
engine accepts."""
JUDGE = WalkJudge()
"""Decides if a relation's name states what an atom says, because unification alone uses similarity."""


@dataclass
class EdgeSource:
    """The graph of one space as a source of steps for one question, and the data for checking them."""

    graph: Graph
    reader: FrameReader
    similarity: Similarity
    frames: dict[str, tuple[Frame, ...]] = field(default_factory=dict)
    """The meaning of each relation, with variables for its two ends; may be shared between questions."""
    name: str = SOURCE
    closed: bool = False
    cost: int = 0
    telling: RelationTexts = field(init=False)
    _compared: set[str] = field(default_factory=set)
    """Relations already charged to the budget."""

    def __post_init__(self) -> None:
        self.telling = RelationTexts(self.graph)

    def steps(self, request: Request) -> Sequence[Step]:
        """Triples that entail the atom under the substitution, best first, one for each set of bindings."""
        if quotes_question(request.atom) or request.atom.negated:
            return ()
        reading = self._read(request.atom, request.substitution)
        best: dict[tuple[tuple[str, str], ...], Step] = {}
        for triple in dict.fromkeys(self._bearing(reading, request)):
            checkpoint()
            for step in self._steps(reading, triple, bound_atom(request.atom, request.substitution)):
                key = tuple(sorted((b.variable.name, b.value.key) for b in step.bindings))
                if key not in best or (-step.score, triple) < (-best[key].score, triple_of(best[key].evidence[0].turn)):
                    best[key] = step
        return sorted(best.values(), key=lambda s: (-s.score, s.evidence[0].turn))[: request.limit]

    def near_misses(self, _request: Request, /) -> Sequence[NearMiss]:
        """Return nothing: a graph has no near misses."""
        return ()

    def entails(self, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence]) -> tuple[bool, str]:
        """Return if the one cited triple, which must be in the graph, says the atom under the bindings; and why (not)."""
        step = self.anew(atom, bindings, evidence)
        return (True, f"“{evidence[0].quote}” says it") if step else (False, "no triple cited says this of these")

    def weight(self, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence]) -> float | None:
        """The weight of the step."""
        step = self.anew(atom, bindings, evidence)
        return step.score if step is not None else None

    def names(self, text: str) -> bool:
        """True if the graph contains something of this name."""
        return bool(len(self.graph.named(text)))

    def _read(self, atom: Atom, values: Mapping[str, Value]) -> FrameReading:
        """Read the atom with its values; those known to the graph are names."""
        known = (v.text for n, v in values.items() if v.interval is None and self.names(v.text) and n in _names(atom))
        return self.reader.with_names(known).read(canonical(bound_atom(atom, values)))

    # -- finding -----------------------------------------------------------------------------------------------------

    def _bearing(self, reading: FrameReading, request: Request) -> Iterator[Triple]:
        """Yield the triples at the nodes that an atom names, of relations that may match it; none for a node with more relations than the
        budget allows.
        """
        budget = request.budget
        for node in sorted(set(self._named(reading))):
            hops = self.graph.hops(np.array([node]))
            new = {hop.relation for hop in hops} - self._compared
            if new and not budget.allows(relations=len(new)):
                continue
            budget.spend(relations=len(new))
            self._compared |= new
            for hop in hops:
                checkpoint()
                if self._may_say(hop.relation, reading):
                    heads, tails = self.graph.edges(np.array([node]), hop, limit=FAN + 1)
                    if len(heads) > FAN:
                        request.leave_out()
                    pairs = zip(self.graph.identifiers(heads), self.graph.identifiers(tails), strict=True)
                    yield from (hop.triple(head, tail) for head, tail in pairs)

    def _named(self, reading: FrameReading) -> Iterator[int]:
        for text in dict.fromkeys(t for frame in reading.frames for part in frame.constants for t in names_in(part)):
            yield from self.graph.named(text)[:NAMESAKES].tolist()

    def _may_say(self, relation: str, reading: FrameReading) -> bool:
        """True if the verbs of a relation's sentences are similar enough to those of the atom."""
        return any(
            self.similarity.predicate(asked.predicate, frame.predicate)[0] >= WEAKEST_PREDICATE
            for asked in reading.frames
            for frame in self._templates(relation)
        )

    def _templates(self, relation: str) -> tuple[Frame, ...]:
        """The meaning of a relation, as frames for its two ends."""
        if relation not in self.frames:
            read = (self.reader.read(s).frames for s in sentences_of(self.telling.words(relation)))
            whole = (f for frames in read for f in frames if f.polarity and {SUBJECT, OBJECT} <= _variables(f))
            self.frames[relation] = tuple(whole)
        return self.frames[relation]

    # -- unifying ----------------------------------------------------------------------------------------------------

    def _steps(self, reading: FrameReading, triple: Triple, atom: Atom) -> Iterator[Step]:
        labels = self._labels(triple)
        if labels is None:
            return
        said = words_beside_names(atom, labels)
        text = self.telling.text(labels[0], triple.relation, labels[1])
        evidence = triple_evidence(triple, text)
        for template in self._templates(triple.relation):
            fact = fill_template(template, *labels)
            for asked in reading.frames:
                found = unify(asked, fact, self.similarity)
                for unification in () if isinstance(found, Mismatch) else found:
                    types = [(variable.type, part.text) for variable, part in unification.filled]
                    stated = not JUDGE.unstated(said, triple.relation, types)
                    if stated and not unification.opposed and not (asked.time and reading.frames):
                        yield self._step(unification, triple, labels, evidence)

    def _step(self, unification: Unification, triple: Triple, labels: tuple[str, str], evidence: Evidence) -> Step:
        keys = {self._key(name, label): label for name, label in zip(triple_ends(triple), labels, strict=True)}
        bindings = tuple(
            Binding(variable, Value(part.entity or part.text, key), Derivation.QUOTED, label, evidence.turn)
            for variable, part in unification.filled
            for key, label in keys.items()
            if label == (part.entity or part.text)
        )
        alignment = tuple(_literal_alignment(entry, evidence.quote) for entry in unification.alignment)
        score = max(0.0001, min(1.0, round(unification.score, 4)))
        return Step(self.name, "edge", score, bindings, (), (evidence,), alignment)

    def anew(self, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence]) -> Step | None:
        """The best step by the one triple cited, which must be in the graph, with these bindings; None if there is none."""
        triple = triple_of(evidence[0].turn) if len(evidence) == 1 else None
        if triple is None or not holds(self.graph, triple):
            return None
        # Bindings of other steps are constants here; those of this one are read from the triple again.
        elsewhere = {name: b.value for name, b in bindings.items() if b.turn != evidence[0].turn}
        own = {name: b for name, b in bindings.items() if name not in elsewhere}
        reading = self._read(atom, elsewhere)
        steps = (s for s in self._steps(reading, triple, bound_atom(atom, elsewhere)) if s.evidence == tuple(evidence))
        same = (s for s in steps if {b.variable.name: b for b in s.bindings} == own)
        return max(same, key=lambda s: s.score, default=None)

    def _labels(self, triple: Triple) -> tuple[str, str] | None:
        nodes = [self.graph.node(name) for name in triple_ends(triple)]
        if nodes[0] is None or nodes[1] is None:
            return None
        subject, object_ = (self.graph.labels(np.array([n]))[0] for n in nodes)
        return subject, object_

    def _key(self, identifier: str, label: str) -> str:
        """An entity's key: its lower-case name, as in memory, if no other node has it."""
        return label.casefold() if len(self.graph.named(label)) == 1 else identifier


def triple_ends(triple: Triple) -> tuple[str, str]:
    """Subject and object."""
    return triple.subject, triple.object


def words_beside_names(atom: Atom, labels: Sequence[str]) -> str:
    """The words of an atom apart from its variables and these names."""
    said = " ".join(part for part in atom.parts if isinstance(part, str))
    for label in sorted(labels, key=len, reverse=True):
        said = re.sub(rf"(?<!\w){re.escape(label)}(?!\w)", " ", said, count=1, flags=re.IGNORECASE)
    return said


def names_in(part: FramePart) -> Iterable[str]:
    """Names in a part of an atom: the part, its words without an article, and its owner."""
    found = [part.entity, part.text, without_article(part.text)]
    for name in (part.entity, part.text):
        owner, mark, _ = name.rpartition("'s ")
        found += [owner] if mark else []
    return filter(None, found)


def fill_template(template: Frame, subject: str, object_: str) -> Frame:
    """A relation's frame with the labels of a triple in place of its variables."""
    labels = {SUBJECT: subject, OBJECT: object_}
    parts = []
    for part in template.parts:
        label = labels.get(part.variable) if part.variable is not None else None
        if label is None:
            parts.append(part)
        elif part.owned:
            whole = f"{label}'s {part.owned}"
            parts.append(_named(part, whole, part.owned, "owner"))
        else:
            parts.append(_named(part, label, label.split()[-1].casefold() if label.split() else label, "name"))
    return replace(template, parts=tuple(parts))


def _named(part: FramePart, text: str, head: str, how: str) -> FramePart:
    """A part that is an entity of this name; common nouns (`city`) are no entities."""
    plain = how == "name" and text.islower()
    words = tuple(w.casefold().removesuffix("'s") for w in text.split()[:-1])
    return FramePart(part.role, text, 0, len(text), head, "" if plain else text, "", "" if plain else how, words)


def _literal_alignment(entry: Alignment, quote: str) -> Alignment:
    """An alignment with words in the triple's statement, or implied by it."""
    return entry if entry.evidence.casefold() in quote.casefold() else replace(entry, how="implied")


def _names(atom: Atom) -> set[str]:
    return {variable.name for variable in atom.variables}


def _variables(frame: Frame) -> set[Variable]:
    return {part.variable for part in frame.parts if part.variable is not None}


SUBJECT, OBJECT = Variable("s", "thing"), Variable("o", "thing")
"""Variables for the ends of a triple."""


def sentences_of(words: str) -> Iterator[Atom]:
    """Yield sentences that a relation of this name may state about its subject and object."""
    first, *rest = words.split() or [""]
    last = rest[-1] if rest else first
    if first in BE_FORMS:
        yield _sentence(SUBJECT, f" {words} ", OBJECT)
    elif first in HAVE_FORMS and rest:
        yield from _sentences_of_noun(rest)
    elif first in CIRCUMSTANTIAL_OF_GRAPHS:
        yield _sentence(SUBJECT, f" is {first} ", OBJECT)
        yield from _sentences_of_noun(rest)
    elif _is_participle(first) and last in CIRCUMSTANTIAL_OF_GRAPHS:
        yield _sentence(SUBJECT, f" was {words} ", OBJECT)
        yield _sentence(SUBJECT, f" {words} ", OBJECT)
    elif (not rest and _is_verb(first)) or (last in CIRCUMSTANTIAL_OF_GRAPHS and _is_verb_form(first)):
        yield _sentence(SUBJECT, f" {words} ", OBJECT)
    else:
        yield from _sentences_of_noun([first, *rest])


def _sentences_of_noun(words: list[str]) -> Iterator[Atom]:
    """`capital of`: the object has the subject as its capital; `genre`: the subject has the object as its genre."""
    words = [word for word in words if word]
    if words[-1:] == ["of"] and len(words) > 1:
        yield _sentence(OBJECT, f"'s {' '.join(words[:-1])} is ", SUBJECT)
    elif words:
        yield _sentence(SUBJECT, f"'s {' '.join(words)} is ", OBJECT)


def _sentence(subject: Variable, says: str, object_: Variable) -> Atom:
    return Atom((subject, says, object_))


@lru_cache(4096)
def _is_participle(word: str) -> bool:
    return "VBN" in _tags(word)


@lru_cache(4096)
def _is_verb_form(word: str) -> bool:
    """True if a word may be an inflected verb: `works`, `married`."""
    return bool(_tags(word) & {"VBZ", "VBD"})


@lru_cache(4096)
def _is_verb(word: str) -> bool:
    """True if a word is a verb rather than a noun: `likes`, not `headquarters`."""
    nouns = max((tagged_uses(form, "n") for form in (word, base_form(word)) if is_known(form, "n")), default=0)
    return _is_verb_form(word) and (not is_known(word, "n") or tagged_uses(base_form(word), "v") > nouns)


def _tags(word: str) -> frozenset[str]:
    """The tags of inflected verb forms that a word may have."""
    from goalmem.language.inflection import getAllInflections, getAllLemmas

    lemmas = getAllLemmas(word, upos="VERB").get("VERB", ()) if word.isalpha() else ()
    found: set[str] = set()
    for lemma in (lemma for lemma in lemmas if lemma != word):
        forms = getAllInflections(lemma, upos="VERB")
        found |= {tag for tag, words in forms.items() if word in words}
        # For a regular verb, the participle is only listed as the past tense.
        found |= {"VBN"} if "VBN" not in forms and word in forms.get("VBD", ()) else set()
    return frozenset(found)


@dataclass(frozen=True)
class EdgeChecker:
    """Checks steps from single edges of one graph."""

    edges: EdgeSource
    record: GraphRecord
    """Checks walks over the same graph."""

    @cached_property
    def oracles(self) -> SourceOracles:
        """The oracles of this checker."""
        return SourceOracles.of(self)

    def check(self, node: Node, about: ProofContext) -> Iterable[Finding]:
        """Yield the findings on an edge."""
        return (
            check_leaf(self.oracles, node, about) if node.kind == "edge" and not is_walk(node) else unknown_kind(node)
        )

    def explains(self, node: Node, _about: ProofContext, /) -> bool:
        """True if its alignment, if it has one, is that of the triple."""
        if node.note or not node.alignment or node.goal is None:
            return not node.note and not node.alignment
        anew = self.edges.anew(node.goal, {b.variable.name: b for b in node.bindings}, node.evidence)
        return anew is not None and all(any(alike(a, b) for b in anew.alignment) for a in node.alignment)

    def reads_value(self, _node: Node, _about: ProofContext, held: Binding, /) -> bool:
        """True if the value is quoted by its label; `entails` compares it with the triple's end."""
        return (held.span, held.derivation) == (held.value.text, Derivation.QUOTED)

    def entails(
        self, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence], negated: bool
    ) -> tuple[bool, str]:
        """Return if the cited triple entails the atom, word for word or by unification; and why (not)."""
        word_for_word = self.record.entails(atom, bindings, evidence, negated)
        if word_for_word[0] or negated:
            return word_for_word
        return self.edges.entails(atom, bindings, evidence)

    def judgement(
        self, _atom: Atom, _bindings: Mapping[str, Binding], _evidence: Sequence[Evidence], _negated: bool, /
    ) -> Judgement | None:
        """Return None: edges need no judge."""
        return None

    def weight(
        self, goal: Goal, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence]
    ) -> float | None:
        """The weight of a step along an edge: for a walk goal, the critic's score; otherwise, how well the triple matches."""
        walked = self.record.weight(goal, atom, bindings, evidence)
        return walked if walked is not None else self.edges.weight(atom, bindings, evidence)

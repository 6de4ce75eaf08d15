"""Proofs of walks: accepted by the checker without any search; refused when anything in them or in the graph is altered."""

from __future__ import annotations

import copy
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goalmem.answering.graph import prove_walks
from goalmem.engine.step import NearMiss, Request, Step
from goalmem.graph import record as records
from goalmem.graph.arrays import ArrayGraph
from goalmem.graph.critic import Critic, Hypothesis, Query, Reflection, Walk
from goalmem.graph.evidence_text import FEW, RelationTexts, goal_of, holds, shortened, triple_id, triple_of
from goalmem.graph.protocol import Entry, Hop, Name, Nodes, Triple
from goalmem.graph.reasoner import GraphReasoner
from goalmem.graph.record import GraphRecord, values_verified
from goalmem.graph.walk_judge import WalkEnds
from goalmem.graph.walk_reading import paths_of
from goalmem.logic.syntax import canonical, format_atom, parse_atom
from goalmem.proof.check import Verification
from goalmem.proof.document import Proof, ProofFormatError
from goalmem.proof.render import text
from goalmem.sources.graph.walks import WalkSource


class AnyWalk:
    """A judge that accepts every walk: these proofs are about triples and weights, and their relations have odd names."""

    def refusal(self, query: Query, hops: Sequence[Hop], reached: WalkEnds) -> str:
        return ""

    def misformed(self, query: Query) -> str:
        return ""


ANY = AnyWalk()


class Unasked:
    """A retriever of a search that is done."""

    def retrieve(
        self, query: Query, walk: Walk, hypotheses: Sequence[Hypothesis], available: Sequence[Hop], k: int
    ) -> list[Hop]:
        raise AssertionError


@dataclass
class Along:
    """A source of one walk."""

    source: WalkSource
    topic: str
    hops: Sequence[Hop]
    ends: Nodes
    name: str = "walks"
    closed: bool = False
    exhaustive: bool = True
    cost: int = 0

    def steps(self, request: Request) -> Sequence[Step]:
        start = self.source.graph.node(self.topic)
        return self.source.along(request.goal.question, start, self.hops, self.ends, request.atom.variables[0])

    def near_misses(self, request: Request, /) -> Sequence[NearMiss]:
        return self.source.near_misses(request)


def prove_walk(
    graph: ArrayGraph, question: str, topic: str, hops: Sequence[Hop], ends: Nodes, critic: Critic, *, at: datetime
) -> Proof:
    reasoner = GraphReasoner(graph, critic, Unasked())
    source = WalkSource(reasoner, lambda _: (), judge=ANY)
    return prove_walks(Along(source, topic, hops, ends), question, at=at)


def check_graph_proof(
    proof: Proof, graph: ArrayGraph, critic: Critic | None = None, *, record: GraphRecord | None = None
) -> Verification:
    known = replace(record, walk_judge=ANY) if record is not None else GraphRecord(graph, critic, walk_judge=ANY)
    return records.check_graph_proof(proof, graph, record=known)


AT = datetime(2024, 5, 1, tzinfo=UTC)
FULLY, PARTLY, UN = (0.8, 0.2, 0.0), (0.2, 0.6, 0.2), (0.1, 0.2, 0.7)


@dataclass
class Scripted:
    """A critic that finds some hops irrelevant, and all else relevant to its question, the more so the shorter the walk."""

    irrelevant: frozenset[str] = frozenset()
    name: str = "scripted:1"
    question: str = ""
    """The one that it understands; empty: every one."""
    seen: list[Walk] = field(default_factory=list)

    def retrieval(self, query: Query, walks: Sequence[Walk]) -> list[Reflection]:
        return [Reflection((0.1, 0.8, 0.1) if walk.pending else FULLY) for walk in walks]

    def hypotheses(self, query: Query, walk: Walk, k: int) -> list[Hypothesis]:
        return []

    def relations(self, query: Query, walk: Walk, candidates: Sequence[Hop]) -> list[Reflection]:
        self.seen.append(walk)
        kept = (FULLY if not walk.hops else PARTLY) if self.question in ("", query.question) else UN
        return [Reflection(UN if str(hop) in self.irrelevant else kept) for hop in candidates]

    def entities(self, query: Query, walk: Walk, candidates: Sequence[str]) -> list[Reflection]:
        return [Reflection(FULLY) for _ in candidates]

    def rationality(self, query: Query, walks: Sequence[Walk]) -> list[Reflection]:
        return [Reflection(FULLY) for _ in walks]

    def utility(self, query: Query, walks: Sequence[Walk]) -> list[Reflection]:
        return [Reflection((0.9, 0.1, 0.0, 0.0, 0.0)) for _ in walks]


FILMS = """Kismet|directed_by|William Dieterle
Portrait of Jennie|directed_by|William Dieterle
Portrait of Jennie|starred_actors|Jennifer Jones
Portrait of Jennie|starred_actors|Joseph Cotten
Kismet|starred_actors|Ronald Colman
Kismet|written_by|William Dieterle
Niagara|starred_actors|Joseph Cotten
Niagara|directed_by|Henry Hathaway"""
QUESTION = "who starred in the films directed by the director of Kismet"
HOPS = (Hop("directed_by"), Hop("directed_by", inverse=True), Hop("starred_actors"))
ANSWERS = ("Jennifer Jones", "Joseph Cotten")


def graph_of(lines: str = FILMS, *more: Entry) -> ArrayGraph:
    triples = [Triple(*line.split("|")) for line in lines.splitlines()]
    return ArrayGraph([*triples, *more])


def nodes(graph: ArrayGraph, *names: str) -> Nodes:
    return np.array([graph.node(name) for name in names], dtype=np.int64)


def proved(graph: ArrayGraph, *, critic: Critic | None = None, question: str = QUESTION) -> Proof:
    return prove_walk(graph, question, "Kismet", HOPS, nodes(graph, *ANSWERS), critic or Scripted(), at=AT)


def test_a_walk_is_a_step_that_rests_on_edges_that_read_as_sentences_and_each_answer_has_its_own() -> None:
    graph = graph_of()
    proof = proved(graph)
    assert (proof.status, [v.text for v in proof.values]) == ("proved", list(ANSWERS))
    assert [format_atom(a) for a in proof.goal.atoms] == [f"“{QUESTION}” leads in the graph to (x:thing)"]
    assert proof.root is not None
    walks = [step for solution in proof.root.children for step in solution.children]
    assert [(walk.kind, walk.source, walk.judge) for walk in walks] == [("edge", "walks", "scripted:1")] * 2
    assert [format_atom(edge.ground) for edge in walks[0].children if edge.ground is not None] == [
        "Kismet directed by William Dieterle",
        "Portrait of Jennie directed by William Dieterle",
        "Portrait of Jennie starred actors Jennifer Jones",
    ]
    assert [len(walk.children) for walk in walks] == [3, 3]
    assert {e.quote for e in proof.evidence()} == {
        "Kismet directed by William Dieterle",
        "Portrait of Jennie directed by William Dieterle",
        "Portrait of Jennie starred actors Jennifer Jones",
        "Portrait of Jennie starred actors Joseph Cotten",
    }
    assert "triple:Kismet|directed_by|William Dieterle" in text(proof)
    verification = check_graph_proof(Proof.from_json(proof.to_json()), graph, Scripted())
    assert verification.failures == ()
    assert values_verified(proof, verification) == 2


def test_what_no_path_leads_to_is_left_out_and_without_any_path_nothing_is_proved() -> None:
    graph = graph_of()
    some = prove_walk(graph, QUESTION, "Kismet", HOPS, nodes(graph, *ANSWERS, "Henry Hathaway"), Scripted(), at=AT)
    assert [v.text for v in some.values] == list(ANSWERS)
    assert some.root is not None
    assert {s.children[0].note for s in some.root.children} == {"2 of 3 answers are proved"}
    assert check_graph_proof(some, graph, Scripted()).ok
    none = prove_walk(graph, QUESTION, "Kismet", HOPS, nodes(graph, "Niagara"), Scripted(), at=AT)
    elsewhere = prove_walk(graph, QUESTION, "Casablanca", HOPS, nodes(graph, *ANSWERS), Scripted(), at=AT)
    unnamed = proved(graph, question="who starred in that?")
    pruned = proved(graph, critic=Scripted(frozenset({"~directed_by"})))
    for proof, why in ((none, "no path"), (elsewhere, "not name"), (unnamed, "not name"), (pruned, "critic")):
        assert (proof.status, proof.answer, len(proof.missing)) == ("unknown", "", 1)
        assert why in proof.missing[0].reason


# What a proof says for reading only: nothing follows from it.
FOR_READING = {"space", "note", "reason", "source", "relation", "stage", "spent", "asked_at"}
OTHERS = {
    "Kismet": "Niagara",
    "William Dieterle": "Henry Hathaway",
    "Jennifer Jones": "Ronald Colman",
    "Portrait of Jennie": "Kismet",
    "directed by": "written by",
    "directed_by": "written_by",
    "starred actors": "directed by",
    "x1": "x2",
    "LIST": "ONE",
}


def alterations(document: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, tuple[Any, ...]]]:
    """Every document with one field altered, left out or given twice."""
    here = document
    for step in path:
        here = here[step]
    if isinstance(here, dict):
        for key in here:
            if key not in FOR_READING:
                yield from alterations(document, (*path, key))
                yield changed(document, path, lambda d, k=key: {n: v for n, v in d.items() if n != k}), (*path, key)
    elif isinstance(here, list):
        for i in range(len(here)):
            yield from alterations(document, (*path, i))
            yield changed(document, path, lambda v, i=i: v[:i] + v[i + 1 :]), (*path, i, "left out")
            yield changed(document, path, lambda v, i=i: [*v, v[i]]), (*path, i, "twice")
        yield changed(document, path, lambda v: v[::-1]), (*path, "backwards")
    elif isinstance(here, bool):
        yield changed(document, path, lambda v: not v), (*path, "flipped")
    elif isinstance(here, int | float):
        yield changed(document, path, lambda v: v + 1), (*path, "more")
        yield changed(document, path, lambda v: v / 2), (*path, "half")
    else:
        yield changed(document, path, lambda v: f"{v}x"), (*path, "longer")
        yield changed(document, path, lambda v: v[: len(v) // 2]), (*path, "shorter")
        for one, other in OTHERS.items():
            yield changed(document, path, lambda v, a=one, b=other: v.replace(a, b)), (*path, one, other)
        for kind in ("proved", "disproved", "fact", "rule", "closed-world", "assumed", "one", "whether", "count"):
            if path[-1] in ("status", "kind", "aggregate"):
                yield changed(document, path, lambda _, k=kind: k), (*path, kind)


def changed(document: Any, path: tuple[Any, ...], change: Callable[[Any], Any]) -> Any:
    altered = copy.deepcopy(document)
    if not path:
        return change(altered)
    inner = altered
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = change(inner[path[-1]])
    return altered


# The words by which an edge is told from a fact where a walk is a goal, and the order of what stands in no order.
HARMLESS = {("kind", "fact"), ("children", "backwards"), ("values", "backwards"), ("bindings", "backwards")}


def earlier() -> Proof:
    """A proof as it was written before a walk was a step: its goal is the walk."""
    return Proof.from_json((Path(__file__).parent / "earlier" / "alone.json").read_text())


def test_a_proof_whose_goal_is_the_walk_is_still_read_and_accepted() -> None:
    proof, graph = earlier(), graph_of()
    assert [format_atom(a) for a in proof.goal.atoms] == [
        "Kismet directed by (x1:thing)",
        "(x2:thing) directed by (x1:thing)",
        "(x2:thing) starred actors (x3:thing)",
    ]
    verification = check_graph_proof(proof, graph, Scripted())
    assert verification.failures == ()
    assert values_verified(proof, verification) == 2
    without = graph_of("\n".join(FILMS.splitlines()[1:]))
    assert not check_graph_proof(proof, without, Scripted()).ok
    assert not check_graph_proof(proof, graph).ok
    said = GraphRecord(graph, on_record=lambda judge, goal, _: (judge, goal.question) == ("scripted:1", QUESTION))
    assert check_graph_proof(proof, graph, record=said).ok


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("made", [lambda: proved(graph_of()), earlier], ids=["step", "goal"])
def test_a_proof_with_anything_altered_is_refused(made: Callable[[], Proof], every: int) -> None:
    graph = graph_of()
    proof = made()
    tried = 0
    document = json.loads(proof.to_json())
    for altered, path in islice(alterations(document), 0, None, every):
        if altered == document or path[-2:] in HARMLESS:
            continue
        tried += 1
        try:
            read = Proof.from_json(json.dumps(altered))
        except ProofFormatError:
            continue
        assert read == proof or not check_graph_proof(read, graph, Scripted(question=QUESTION)).ok, path
    assert tried > 500 / every


@pytest.mark.parametrize("one", [key for key in OTHERS if key not in ("LIST", "x1")])
def test_a_proof_with_a_name_or_a_relation_altered_everywhere_is_refused(one: str) -> None:
    graph = graph_of()
    written = proved(graph).to_json().replace(one, OTHERS[one])
    assert not check_graph_proof(Proof.from_json(written), graph, Scripted()).ok


def test_a_hop_taken_the_other_way_is_refused() -> None:
    graph = graph_of("A|likes|B\nB|likes|C\nC|likes|A")
    proof = prove_walk(graph, "whom does A like?", "A", (Hop("likes"),), nodes(graph, "B"), Scripted(), at=AT)
    assert check_graph_proof(proof, graph, Scripted()).ok
    back = prove_walk(graph, "whom does A like?", "A", (Hop("likes", True),), nodes(graph, "C"), Scripted(), at=AT)
    strict = Scripted(frozenset({"~likes"}))
    assert check_graph_proof(proof, graph, strict).ok
    assert not check_graph_proof(back, graph, strict).ok
    turned = json.loads(proof.to_json().replace("A likes B", "B likes A"))
    assert not check_graph_proof(Proof.from_json(json.dumps(turned)), graph, Scripted()).ok


def test_a_proof_is_refused_once_a_triple_is_gone_or_something_is_called_otherwise() -> None:
    lines = FILMS.splitlines()
    proof = proved(graph_of())
    for gone in (0, 1, 2):
        without = graph_of("\n".join(line for n, line in enumerate(lines) if n != gone))
        verification = check_graph_proof(proof, without, Scripted())
        assert not verification.ok
        assert values_verified(proof, verification) == (1 if gone == 2 else 0)
    assert not check_graph_proof(proof, graph_of(FILMS, Name("William Dieterle", "Bill")), Scripted()).ok
    assert check_graph_proof(proof, graph_of(FILMS + "\nKismet|has_genre|Fantasy"), Scripted()).ok


def test_a_reading_counts_only_where_its_critic_scores_the_walk_again() -> None:
    graph = graph_of()
    proof = proved(graph)
    assert not check_graph_proof(proof, graph).ok
    assert not check_graph_proof(proof, graph, Scripted(name="scripted:2")).ok
    assert not check_graph_proof(proof, graph, Scripted(frozenset({"starred_actors"}))).ok
    other = proof.model_copy(update={"question": "who wrote Kismet"})
    assert not check_graph_proof(other, graph, Scripted(frozenset({"starred_actors"}))).ok
    said = GraphRecord(graph, on_walk=lambda judge, ground, *_: judge == "scripted:1" and QUESTION in str(ground))
    assert check_graph_proof(proof, graph, record=said).ok
    assert not check_graph_proof(other, graph, record=said).ok
    assert not check_graph_proof(proof, graph, record=GraphRecord(graph, on_walk=lambda *_: False)).ok


def test_the_critic_is_shown_the_same_entities_when_the_proof_is_made_and_when_it_is_checked() -> None:
    graph = graph_of()
    making, checking = Scripted(), Scripted()
    proof = proved(graph, critic=making)
    assert check_graph_proof(proof, graph, checking).ok
    assert making.seen == checking.seen
    assert [walk.onward for walk in making.seen] == [walk.onward for walk in checking.seen]
    assert making.seen[-1].entities == (("William Dieterle",), ("Portrait of Jennie",))
    assert making.seen[-1].onward == (Hop("directed_by"), Hop("starred_actors"))


def test_a_thing_called_by_another_name_is_found_in_the_question() -> None:
    named = [Name("m.1", "Kismet"), Name("m.1", "The Magic Bazaar", label=False), Name("m.2", "William Dieterle")]
    graph = graph_of("m.1|film.film.directed_by|m.2", *named)
    for question in ("Who directed Kismet?", "who directed the magic bazaar"):
        proof = prove_walk(
            graph, question, "m.1", (Hop("film.film.directed_by"),), nodes(graph, "m.2"), Scripted(), at=AT
        )
        assert (proof.answer, proof.values[0].key) == ("William Dieterle", "m.2")
        (edge,) = proof.root.children[0].children[0].children if proof.root is not None else ()
        assert format_atom(edge.goal or proof.goal.atoms[0]) == "Kismet directed by William Dieterle"
        assert check_graph_proof(Proof.from_json(proof.to_json()), graph, Scripted()).ok
    assert proved(graph_of(), question="who directed Kismetic").status == "unknown"


def test_of_several_paths_one_that_does_not_come_back_is_taken() -> None:
    graph = graph_of("T|r|A\nT|r|B\nC|r|A\nC|r|B\nT|s|Z\nC|s|Z")
    (path,) = paths_of(graph, int(nodes(graph, "T")[0]), (Hop("r"), Hop("r", True), Hop("s")), nodes(graph, "Z"))
    assert graph.identifiers(path) == ["T", "A", "C", "Z"]
    (path,) = paths_of(graph, int(nodes(graph, "T")[0]), (Hop("r"), Hop("r", True), Hop("r")), nodes(graph, "A"))
    assert graph.identifiers(path) == ["T", "B", "C", "A"]


@pytest.mark.parametrize("answers", [500, pytest.param(2000, marks=pytest.mark.thorough)])
def test_a_hub_and_many_answers_are_proved_and_checked_in_a_moment(answers: int) -> None:
    graph = ArrayGraph([Triple(f"film {n}", "has_genre", "Drama") for n in range(answers)])
    ends = np.unique(graph.edges(nodes(graph, "Drama"), Hop("has_genre", True))[1])
    proof = prove_walk(graph, "films in Drama", "Drama", (Hop("has_genre", True),), ends, Scripted(), at=AT)
    began = time.process_time()
    assert check_graph_proof(proof, graph, Scripted()).ok
    assert len(proof.values) == answers
    assert time.process_time() - began < answers / 400


class Plain:
    """A graph that does not say at once what it holds."""

    def __init__(self, graph: ArrayGraph) -> None:
        self.node, self.edges = graph.node, graph.edges


@pytest.mark.parametrize("spread", [3, FEW, FEW + 3])
def test_what_a_graph_holds_is_the_same_however_it_is_asked(spread: int) -> None:
    hub = [Triple("hub", "r", f"n{n}") for n in range(spread)] + [Triple(f"n{n}", "s", "hub") for n in range(spread)]
    both = [Triple("one", "r", f"m{n}") for n in range(spread)] + [Triple(f"k{n}", "r", "two") for n in range(spread)]
    graph = ArrayGraph([*hub, *both, Triple("one", "r", "two")])
    last = f"n{spread - 1}"
    for triple, there in (
        (Triple("hub", "r", last), True),
        (Triple(last, "s", "hub"), True),
        (Triple("one", "r", "two"), True),
        (Triple("one", "s", "two"), False),
        (Triple(last, "r", "hub"), False),
        (Triple("two", "r", "one"), False),
        (Triple("hub", "r", "nobody"), False),
    ):
        assert holds(graph, triple) is there
        assert holds(Plain(graph), triple) is there  # type: ignore[arg-type]


names = st.text(min_size=1, max_size=12).filter(lambda t: "\x00" not in t)
relations = st.one_of(st.sampled_from(["directed_by", "directed by", "a.b.directed_by", "http://x/directedBy"]), names)


@given(st.builds(Triple, names, relations, names))
def test_a_triple_is_read_back_out_of_its_id(triple: Triple) -> None:
    assert triple_of(triple_id(triple)) == triple


@given(st.text())
def test_no_other_id_is_taken_for_a_triple(turn: str) -> None:
    for candidate in (turn, f"triple:{turn}"):
        read = triple_of(candidate)
        assert read is None or triple_id(read) == candidate


@given(relations)
def test_what_is_said_shorter_stays_as_it_is(relation: str) -> None:
    assert shortened(shortened(relation)) == shortened(relation)


walks = st.lists(st.tuples(st.builds(Triple, names, relations, names), st.booleans()), min_size=1, max_size=4)


@given(walks)
@settings(max_examples=60)
def test_whatever_things_are_called_a_walk_over_them_is_proved_and_its_goal_reads_back(
    steps: list[tuple[Triple, bool]],
) -> None:
    # Joined into one walk: each goes on from where the one before led.
    hops, ends, triples = [], [steps[0][0].subject], []
    for triple, inverse in steps:
        hop = Hop(triple.relation, inverse)
        triples.append(hop.triple(ends[-1], triple.object))
        hops.append(hop)
        ends.append(triple.object)
    graph = ArrayGraph(triples)
    telling = RelationTexts(graph)
    question = f"what about {ends[0]} ?"
    goal = goal_of(question, ends[0], hops, telling)
    assert [canonical(parse_atom(format_atom(a))) for a in goal.atoms] == list(goal.atoms)
    assert (ends[0], tuple(hops)) in list(telling.walks(goal))
    proof = prove_walk(graph, question, ends[0], hops, nodes(graph, ends[-1]), Scripted(), at=AT)
    if proof.status == "proved":
        assert check_graph_proof(Proof.from_json(proof.to_json()), graph, Scripted()).failures == ()
    else:
        assert not ends[0].split()

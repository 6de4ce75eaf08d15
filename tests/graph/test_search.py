"""The search: whole answer sets, walks that do not turn back, hard and soft constraints, and a tree that keeps everything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from xml.dom import minidom

import numpy as np
import pytest
from benchmarks.graph_tree import svg
from hypothesis import given
from hypothesis import strategies as st

from goalmem.graph.arrays import ArrayGraph
from goalmem.graph.critic import Hypothesis, Query, Reflection, Walk
from goalmem.graph.protocol import Hop, Triple
from goalmem.graph.reasoner import GraphReasoner, Topic, answers_of, possible
from goalmem.graph.search import SearchOptions, search
from goalmem.graph.tree import Tree, WalkOutcome

FILMS = """Kismet|directed_by|William Dieterle
Portrait of Jennie|directed_by|William Dieterle
Portrait of Jennie|starred_actors|Jennifer Jones
Portrait of Jennie|starred_actors|Joseph Cotten
Kismet|starred_actors|Ronald Colman
Kismet|written_by|William Dieterle
Niagara|starred_actors|Joseph Cotten
Niagara|directed_by|Henry Hathaway"""
DIRECTED, STARRED, WRITTEN = Hop("directed_by"), Hop("starred_actors"), Hop("written_by")
FULLY, UN = Reflection((1.0, 0.0, 0.0)), Reflection((0.0, 0.0, 1.0))
ASK = Reflection((1.0, 0.0, 0.0))
STOP = Reflection((0.0, 0.0, 1.0))
ENTITIES = Reflection((0.0, 1.0, 0.0))


def graph_of(lines: str = FILMS) -> ArrayGraph:
    return ArrayGraph(Triple(*line.split("|")) for line in lines.splitlines())


@dataclass
class Wanting:
    """A critic that wants certain chains of hops and finds all else irrelevant."""

    chains: Sequence[tuple[Hop, ...]]
    name: str = "wanting"
    unreasonable: frozenset[Hop] = frozenset()
    disliked: frozenset[str] = frozenset()
    unwanted: frozenset[Hop] = frozenset()
    """Relations after which it wants no entities."""
    worth: Mapping[Hop, float] = field(default_factory=dict)

    def _next(self, walk: Walk) -> set[Hop]:
        size = len(walk.hops)
        return {chain[size] for chain in self.chains if len(chain) > size and chain[:size] == walk.hops}

    def retrieval(self, query: Query, walks: Sequence[Walk]) -> list[Reflection]:
        return [self._needed(walk) for walk in walks]

    def _needed(self, walk: Walk) -> Reflection:
        if walk.pending:
            return ASK if walk.hops[-1] in self.unwanted else ENTITIES
        return STOP if walk.hops in self.chains else ASK

    def hypotheses(self, query: Query, walk: Walk, k: int) -> list[Hypothesis]:
        return [Hypothesis(str(hop), 1.0) for hop in sorted(self._next(walk))][:k]

    def relations(self, query: Query, walk: Walk, candidates: Sequence[Hop]) -> list[Reflection]:
        wanted = self._next(walk)
        return [self._relevance(hop) if hop in wanted else UN for hop in candidates]

    def _relevance(self, hop: Hop) -> Reflection:
        worth = self.worth.get(hop, 1.0)
        return Reflection((worth, 1 - worth, 0.0))

    def entities(self, query: Query, walk: Walk, candidates: Sequence[str]) -> list[Reflection]:
        return [UN if label in self.disliked else FULLY for label in candidates]

    def rationality(self, query: Query, walks: Sequence[Walk]) -> list[Reflection]:
        return [UN if walk.hops[-1] in self.unreasonable else FULLY for walk in walks]

    def utility(self, query: Query, walks: Sequence[Walk]) -> list[Reflection]:
        return [Reflection((1.0, 0, 0, 0, 0)) for _ in walks]


class InOrder:
    """A retriever that takes hypotheses first, and else the hops as they come."""

    def retrieve(
        self, query: Query, walk: Walk, hypotheses: Sequence[Hypothesis], available: Sequence[Hop], k: int
    ) -> list[Hop]:
        expected = {hypothesis.text for hypothesis in hypotheses}
        return sorted(available, key=lambda hop: (str(hop) not in expected, hop))[:k]


def searched(graph: ArrayGraph, topic: str, critic: Wanting, **options: object) -> Tree:
    node = graph.node(topic)
    assert node is not None
    return search(graph, Query(f"what of {topic}", topic), node, critic, InOrder(), SearchOptions(**options))  # type: ignore[arg-type]


def answers(graph: ArrayGraph, tree: Tree) -> list[str]:
    return [answer.label for answer in answers_of(graph, tree).answers]


def test_all_entities_of_a_chain_of_relations_answer():
    graph = graph_of()
    tree = searched(graph, "Kismet", Wanting([(DIRECTED, DIRECTED.back, STARRED)]))
    assert set(answers(graph, tree)) == {"Jennifer Jones", "Joseph Cotten"}


def test_a_walk_comes_back_neither_to_its_topic_nor_over_the_triple_it_came_by():
    graph = graph_of()
    assert answers(graph, searched(graph, "Kismet", Wanting([(DIRECTED, DIRECTED.back)]))) == ["Portrait of Jennie"]
    # William Dieterle made two films; each leads back to nobody but him, so that no critic is offered the way back.
    tree = searched(graph, "William Dieterle", Wanting([(DIRECTED.back, DIRECTED)]))
    assert not any(node.walk.hops == (DIRECTED.back, DIRECTED) for node in tree.nodes)
    # Over another triple between the same two it may: who wrote what he directed is another relation.
    others = graph_of("A|knows|B\nB|knows|C\nB|likes|A\nC|likes|B")
    knows, likes = Hop("knows"), Hop("likes")
    assert answers(others, searched(others, "A", Wanting([(knows, knows, likes)]))) == ["B"]


def test_a_walk_may_return_to_an_entity_that_others_share():
    graph = graph_of("F|star|X\nG|star|X\nG|star|Y\nH|star|Y\nH|star|X")
    star = Hop("star")
    # From F by X to G and H, and from there to those who star with X: Y, and X by nobody but itself.
    assert answers(graph, searched(graph, "F", Wanting([(star, star.back, star)]))) == ["Y"]


def test_what_more_paths_lead_to_comes_first():
    graph = graph_of("T|has|A\nT|has|B\nA|in|Rare\nA|in|Usual\nB|in|Usual")
    found = answers_of(graph, searched(graph, "T", Wanting([(Hop("has"), Hop("in"))])))
    assert [(answer.label, answer.support) for answer in found.answers] == [("Usual", 2), ("Rare", 1)]


def test_each_answer_has_a_path_of_triples():
    graph = graph_of()
    found = answers_of(graph, searched(graph, "Kismet", Wanting([(DIRECTED, DIRECTED.back, STARRED)])))
    assert found.walk(graph, found.answers[0]) == (
        Triple("Kismet", "directed_by", "William Dieterle"),
        Triple("Portrait of Jennie", "directed_by", "William Dieterle"),
        Triple("Portrait of Jennie", "starred_actors", "Jennifer Jones"),
    )


def test_mediators_are_passed_through_and_count_as_no_hop():
    graph = graph_of("Ann|people.spouse|m.0j4jq57\nm.0j4jq57|people.marriage|Ben\nm.0j4jq57|people.place|Lyon")
    tree = searched(graph, "Ann", Wanting([(Hop("people.spouse"), Hop("people.marriage"))]), depth=1)
    assert answers(graph, tree) == ["Ben"]
    assert [node.depth for node in tree.path(tree.leaves[0])] == [0, 0, 1]


def test_a_mediator_is_never_an_answer():
    graph = graph_of("Ann|people.spouse|m.0j4jq57")
    tree = searched(graph, "Ann", Wanting([(Hop("people.spouse"),)]))
    assert answers(graph, tree) == []


def test_what_is_unrelevant_or_unreasonable_is_pruned_and_kept_with_the_reason():
    graph = graph_of()
    critic = Wanting([(DIRECTED,), (STARRED,)], unreasonable=frozenset({STARRED}))
    tree = searched(graph, "Kismet", critic)
    fates = {node.hop: node.fate for node in tree.nodes[1:]}
    assert fates == {DIRECTED: WalkOutcome.LEAF, STARRED: WalkOutcome.UNREASONABLE, WRITTEN: WalkOutcome.UNRELEVANT}


def test_entities_are_pruned_only_where_the_critic_says_so():
    graph = graph_of()
    critic = Wanting([(STARRED,)], disliked=frozenset({"Joseph Cotten"}))
    assert answers(graph, searched(graph, "Portrait of Jennie", critic)) == ["Jennifer Jones"]
    critic = Wanting([(STARRED,)], disliked=frozenset({"Joseph Cotten", "Jennifer Jones"}))
    tree = searched(graph, "Portrait of Jennie", critic)
    assert WalkOutcome.UNRELEVANT_ENTITIES in {node.fate for node in tree.nodes}


def test_entities_are_retrieved_only_where_the_critic_asks_for_them():
    graph = graph_of()
    tree = searched(graph, "Kismet", Wanting([(DIRECTED,), (STARRED,)], unwanted=frozenset({STARRED})))
    fates = {node.hop: node.fate for node in tree.nodes[1:]}
    assert fates == {DIRECTED: WalkOutcome.LEAF, STARRED: WalkOutcome.UNWANTED, WRITTEN: WalkOutcome.UNRELEVANT}


def test_entities_beyond_those_that_are_judged_stay_or_go_as_wanted():
    graph = graph_of("\n".join(f"T|has|E{n}" for n in range(9)))
    critic = Wanting([(Hop("has"),)], disliked=frozenset({"E1"}))
    assert len(answers(graph, searched(graph, "T", critic, judged=2))) == 8
    assert answers(graph, searched(graph, "T", critic, judged=2, unjudged=False)) == ["E0"]
    assert len(answers(graph, searched(graph, "T", critic, judged=None, unjudged=False))) == 8


def test_the_entities_are_judged_to_which_most_of_a_walk_leads():
    graph = graph_of("\n".join(f"T|has|M{n}\nM{n}|holds|E{n}\nM{n}|holds|Shared" for n in range(3)))
    critic = Wanting([(Hop("has"), Hop("holds"))], disliked=frozenset({"E0", "Shared"}))
    assert answers(graph, searched(graph, "T", critic, judged=1)) == ["E0", "E1", "E2"]
    assert answers(graph, searched(graph, "T", critic, judged=2)) == ["E1", "E2"]


def test_only_the_beam_goes_on():
    graph = graph_of("\n".join(f"T|r{n}|E{n}\nE{n}|s|F{n}" for n in range(5)))
    worth = {Hop(f"r{n}"): 0.5 + n / 10 for n in range(5)}
    critic = Wanting([(Hop(f"r{n}"), Hop("s")) for n in range(5)], worth=worth)
    narrow = searched(graph, "T", critic, beam=2)
    assert sorted(leaf.walk.hops[0].relation for leaf in narrow.leaves) == ["r3", "r4"]
    assert [node.hop.relation for node in narrow.nodes if node.fate is WalkOutcome.BEAM and node.hop] == [
        "r0",
        "r1",
        "r2",
    ]
    assert len(searched(graph, "T", critic, beam=None).leaves) == 5


def test_no_walk_is_longer_than_the_depth():
    graph = graph_of("\n".join(f"E{n}|next|E{n + 1}" for n in range(9)))
    tree = searched(graph, "E0", Wanting([(Hop("next"),) * 8]), depth=2)
    assert max(len(node.walk.hops) for node in tree.nodes) == 2


def test_where_no_walk_is_said_to_answer_the_reasonable_ones_do():
    graph = graph_of("A|next|B\nB|next|C")
    tree = searched(graph, "A", Wanting([(Hop("next"),) * 8]), depth=2)
    assert {leaf.walk.hops for leaf in tree.leaves} == {(Hop("next"),), (Hop("next"), Hop("next"))}


class Useless(Wanting):
    """One that finds no answer of any use, as a model does whose replies all fail."""

    def utility(self, query: Query, walks: Sequence[Walk]) -> list[Reflection]:
        return [Reflection((0.05, 0.05, 0.05, 0.05, 0.8)) for _ in walks]


def test_what_nobody_said_answers_and_is_surely_of_no_use_is_no_answer():
    graph = graph_of()
    tree = searched(graph, "Kismet", Useless([(DIRECTED, Hop("directed_by", True), STARRED)]), depth=2)
    assert not tree.leaves
    assert all(node.fate is not WalkOutcome.LEAF for node in tree.nodes)


def test_a_hub_is_cut_and_said_to_be():
    graph = graph_of("\n".join(f"Hub|has|E{n}" for n in range(50)))
    tree = searched(graph, "Hub", Wanting([(Hop("has"),)]), pairs=10)
    assert tree.leaves[0].cut
    assert len(tree.leaves[0].nodes) == 10


def test_cycles_end():
    graph = graph_of("A|next|B\nB|next|C\nC|next|A\nA|self|A")
    tree = searched(graph, "A", Wanting([(Hop("next"),) * n for n in (1, 2, 3)] + [(Hop("self"),)]), depth=4)
    assert {leaf.walk.hops for leaf in tree.leaves} == {(Hop("next"),)}


def test_the_hypo_generator_brings_a_relation_among_the_candidates():
    graph = graph_of("\n".join(f"T|r{n}|E{n}" for n in range(9)))
    critic = Wanting([(Hop("r8"),)])
    assert answers(graph, searched(graph, "T", critic, candidates=2)) == ["E8"]
    assert answers(graph, searched(graph, "T", critic, candidates=2, hypotheses=False)) == []


def test_a_topic_that_nothing_leads_away_from_has_no_answer():
    graph = graph_of("A|next|B")
    tree = searched(graph, "B", Wanting([(Hop("next"),)]))
    assert tree.leaves == []


def test_of_several_topics_the_one_whose_walk_is_best_answers():
    graph = graph_of("A|r|B\nC|s|D")
    a, c = graph.node("A"), graph.node("C")
    assert a is not None
    assert c is not None
    reasoner = GraphReasoner(graph, Wanting([(Hop("s"),)]), InOrder())
    found = reasoner.ask("A or C", [Topic(a), Topic(c)])
    assert found is not None
    assert [answer.label for answer in found.answers] == ["D"]
    assert reasoner.ask("nothing", []) is None


def test_a_name_within_a_longer_one_is_not_meant():
    short, whole, other = Topic(1, (10, 20), 0.5), Topic(2, (10, 22), 0.5), Topic(3, (0, 4), 0.1)
    assert possible([short, whole, other]) == [whole]
    assert possible([Topic(1, (10, 20), 0.9), whole]) == [Topic(1, (10, 20), 0.9), whole]


def test_the_tree_is_drawn():
    graph = graph_of(FILMS + "\nA <B> & C|directed_by|Ann")
    tree = searched(graph, "A <B> & C", Wanting([(DIRECTED,)]))
    drawn = minidom.parseString(svg(tree, graph))  # noqa: S318
    texts = [node.firstChild.nodeValue for node in drawn.getElementsByTagName("text") if node.firstChild]
    assert {"A <B> & C", "directed_by", "Ann"} <= set(texts)
    assert svg(tree, graph) == svg(tree, graph)


EDGES = st.lists(st.tuples(st.integers(0, 5), st.sampled_from("rs"), st.integers(0, 5)), min_size=1, max_size=16)
HOPS = st.lists(st.builds(Hop, st.sampled_from("rs"), st.booleans()), min_size=1, max_size=4)


def trails(edges: set[tuple[int, str, int]], hops: Sequence[Hop]) -> set[int]:
    """Where walks from 0 lead that return neither to it nor, at once, over the same triple; by trying them all."""
    found = {(0, None)}
    for hop in hops:
        ways = {(o, s, (s, r, o)) if hop.inverse else (s, o, (s, r, o)) for s, r, o in edges if r == hop.relation}
        found = {
            (tail, triple)
            for at, last in found
            for head, tail, triple in ways
            if head == at and tail not in (0, head) and triple != last
        }
    return {at for at, _ in found}


@given(EDGES, HOPS)
def test_walks_as_sets_are_all_walks_one_by_one(edges, hops):
    graph = ArrayGraph(Triple(f"E{s}", r, f"E{o}") for s, r, o in edges)
    topic = graph.node("E0")
    if topic is None:
        return
    chain = tuple(hops)
    tree = search(graph, Query("", "E0"), topic, Wanting([chain]), InOrder(), SearchOptions(depth=4))
    node = next((node for node in tree.nodes if node.walk.hops == chain), None)
    reached = graph.identifiers(node.nodes) if node is not None else []
    assert set(reached) == {f"E{at}" for at in trails(set(edges), chain)}
    for entity in node.nodes.tolist() if node is not None else []:
        path = tree.trace(node, entity)
        assert path[0] == topic
        assert topic not in path[1:]
        triples = tree.triples(graph, node, entity)
        assert all((int(t.subject[1:]), t.relation, int(t.object[1:])) in set(edges) for t in triples)
        assert all(one != other for one, other in pairwise(triples))
    if node is not None and len(node.nodes):
        assert tree.support(node).min() >= 1


def test_equal_searches_give_equal_trees():
    graph = graph_of()
    critic = Wanting([(DIRECTED, DIRECTED.back, STARRED), (STARRED, STARRED.back)])
    one, other = (searched(graph, "Kismet", critic) for _ in range(2))
    assert [(n.walk.hops, n.fate, n.score) for n in one.nodes] == [(n.walk.hops, n.fate, n.score) for n in other.nodes]
    assert all(np.array_equal(a.nodes, b.nodes) for a, b in zip(one.nodes, other.nodes, strict=True))


def test_options_are_the_papers_by_default():
    options = SearchOptions()
    assert (options.beam, options.candidates, options.scoring.k1, options.scoring.k2) == (3, 5, 1.0, 0.5)
    with pytest.raises(AttributeError):
        options.beam = 5  # type: ignore[misc]

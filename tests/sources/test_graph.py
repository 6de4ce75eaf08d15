"""Edges of a graph as steps: what a relation says, which triples say an atom, and that each is unified anew when checked."""

from __future__ import annotations

from datetime import datetime

import pytest
from tests.cases import one_in

from goalmem.engine.step import Request, Step
from goalmem.graph.arrays import ArrayGraph
from goalmem.graph.protocol import Triple
from goalmem.language import Analyzer, Extractor
from goalmem.language.names import Names
from goalmem.logic.syntax import format_atom, parse_atom
from goalmem.logic.terms import Atom, Binding, Goal, Substitution
from goalmem.sources.frame_reader import FrameReader
from goalmem.sources.graph.source import EdgeSource, sentences_of
from goalmem.sources.similarity import Similarity

TRIPLES = """Kismet|directed_by|William Dieterle
Kismet|has_genre|Fantasy
Kismet|in_language|English
Bergen|is_in|Norway
Bergen|is_a|city
Oslo|capital_of|Norway
Ann|works_for|Acme
Ann|born_in|Paris
Ann|spouse|Bob"""


@pytest.fixture(scope="module")
def edges() -> EdgeSource:
    graph = ArrayGraph([Triple(*line.split("|")) for line in TRIPLES.splitlines()])
    reader = FrameReader(Extractor(Analyzer()), datetime(2024, 5, 1), Names({"Kismet": "", "Ann": "person"}))
    return EdgeSource(graph, reader, Similarity({}, lambda a, b: float(a == b)))


def steps(edges: EdgeSource, atom: Atom) -> list[Step]:
    return list(edges.steps(Request(atom, Substitution(), Goal("", (atom,), None), (atom,), 0, 8)))


def bound(step: Step) -> dict[str, Binding]:
    return {b.variable.name: b for b in step.bindings}


@pytest.mark.parametrize(
    ("relation", "sentences"),
    [
        ("directed by", ["(s:thing) was directed by (o:thing)", "(s:thing) directed by (o:thing)"]),
        ("is in", ["(s:thing) is in (o:thing)"]),
        ("works for", ["(s:thing) works for (o:thing)"]),
        ("likes", ["(s:thing) likes (o:thing)"]),
        ("genre", ["(s:thing)'s genre is (o:thing)"]),
        ("has genre", ["(s:thing)'s genre is (o:thing)"]),
        ("capital of", ["(o:thing)'s capital is (s:thing)"]),
        ("in language", ["(s:thing) is in (o:thing)", "(s:thing)'s language is (o:thing)"]),
        ("headquarters", ["(s:thing)'s headquarters is (o:thing)"]),
        ("", []),
    ],
)
def test_a_relation_is_a_verb_a_participle_a_noun_or_a_preposition(relation: str, sentences: list[str]) -> None:
    assert [format_atom(s) for s in sentences_of(relation)] == sentences


@pytest.mark.parametrize(
    ("atom", "values", "triple"),
    one_in(
        2,
        [
            ("Kismet was directed by (x:person)", {"x": "William Dieterle"}, "Kismet|directed_by|William Dieterle"),
            ("(x:person) directed Kismet", {"x": "William Dieterle"}, "Kismet|directed_by|William Dieterle"),
            ("(x:film) was directed by William Dieterle", {"x": "Kismet"}, "Kismet|directed_by|William Dieterle"),
            ("Bergen is in (x:country)", {"x": "Norway"}, "Bergen|is_in|Norway"),
            ("Bergen is in Norway", {}, "Bergen|is_in|Norway"),
            ("Bergen is a city", {}, "Bergen|is_a|city"),
            ("Norway's capital is (x:city)", {"x": "Oslo"}, "Oslo|capital_of|Norway"),
            ("Kismet's genre is (x:genre)", {"x": "Fantasy"}, "Kismet|has_genre|Fantasy"),
            ("Ann was born in (x:place)", {"x": "Paris"}, "Ann|born_in|Paris"),
            ("Ann works for (x:company)", {"x": "Acme"}, "Ann|works_for|Acme"),
        ],
    ),
)
def test_an_atom_is_closed_by_the_triple_that_says_it_and_that_holds_anew(
    edges: EdgeSource, atom: str, values: dict[str, str], triple: str
) -> None:
    asked = parse_atom(atom)
    (step,) = steps(edges, asked)
    assert {n: b.value.text for n, b in bound(step).items()} == values
    assert (step.kind, [e.turn for e in step.evidence]) == ("edge", [f"triple:{triple}"])
    assert edges.entails(asked, bound(step), step.evidence)[0]
    assert edges.weight(asked, bound(step), step.evidence) == step.score
    other = "Ann|spouse|Bob"
    assert not edges.entails(asked, bound(step), tuple(_citing(edges, other)))[0]


def _citing(edges: EdgeSource, triple: str) -> tuple[object, ...]:
    from goalmem.graph.evidence_text import triple_evidence

    subject, relation, object_ = triple.split("|")
    return (triple_evidence(Triple(subject, relation, object_), edges.telling.text(subject, relation, object_)),)


@pytest.mark.parametrize(
    "atom",
    [
        "Bergen is in Sweden",
        "Norway is in Bergen",
        "not Bergen is in Norway",
        "Bob was born in (x:place)",
        "Ann was born in London",
        "William Dieterle was directed by (x:person)",
        "“Who directed Kismet?” (x:person)",
        "(x:thing) is odd",
    ],
)
def test_what_no_triple_says_is_not_closed(edges: EdgeSource, atom: str) -> None:
    assert steps(edges, parse_atom(atom)) == []


def test_a_value_that_the_triple_does_not_give_is_refused(edges: EdgeSource) -> None:
    from dataclasses import replace

    atom = parse_atom("Bergen is in (x:country)")
    (step,) = steps(edges, atom)
    binding = step.bindings[0]
    for altered in (
        replace(binding, value=replace(binding.value, text="Sweden")),
        replace(binding, value=replace(binding.value, key="sweden")),
        replace(binding, span="Bergen"),
    ):
        assert not edges.entails(atom, {"x": altered}, step.evidence)[0]
    gone = replace(step.evidence[0], turn="triple:Bergen|is_in|Sweden")
    assert not edges.entails(atom, bound(step), (gone,))[0]

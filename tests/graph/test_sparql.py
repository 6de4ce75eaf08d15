"""A SPARQL endpoint is a graph like others, asked with queries that no name can break out of."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import numpy as np
import pytest

from goalmem.errors import BackendError, InputError
from goalmem.graph import sparql
from goalmem.graph.protocol import GraphSize, Hop
from goalmem.graph.sparql import SparqlGraph, identifier_of, iri, literal, term

from .endpoint import Served, endpoint
from .graphs import nodes, pairs

ox = pytest.importorskip("pyoxigraph")

EX = "http://ex.org/"
TURTLE = """
@prefix ex: <http://ex.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
ex:heat ex:by ex:mann ; ex:cast ex:pacino, ex:deniro ; ex:year 1995 ; ex:tagline "A \\"Los Angeles\\" crime\\nsaga"@en .
ex:serpico ex:cast ex:pacino .
ex:heat rdfs:label "Heat"@en, "Hitze"@de . ex:pacino rdfs:label "Al Pacino" ; skos:altLabel "Alfredo Pacino"@it .
ex:serpico rdfs:label "Serpico"@de . ex:serpico ex:scene [ ex:place ex:nyc ] .
"""


@pytest.fixture
def served() -> Iterator[Served]:
    store = ox.Store()
    store.load(TURTLE.encode(), format=ox.RdfFormat.TURTLE)
    with endpoint(store) as running:
        yield running


@pytest.fixture
def graph(served: Served) -> Iterator[SparqlGraph]:
    with closing(SparqlGraph(served.url, page=3)) as made:
        yield made


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sparql, "_PAUSE", 0.001)


def test_nothing_is_asked_before_it_is_needed(served: Served) -> None:
    with closing(SparqlGraph(served.url)):
        assert served.queries == []


def test_nodes_are_iris_and_literals(graph: SparqlGraph) -> None:
    assert graph.node(f"{EX}heat") is not None
    assert graph.node('"1995"^^<http://www.w3.org/2001/XMLSchema#integer>') is not None
    assert graph.node(f"{EX}ronin") is None
    assert graph.node("no IRI at all") is None
    assert graph.node('"unknown"@en') is None


def test_names_in_any_language_and_case(graph: SparqlGraph) -> None:
    for name, found in (("Heat", "heat"), ("heat", "heat"), ("HITZE", "heat"), ("alfredo  pacino", "pacino")):
        assert graph.identifiers(graph.named(name)) == [f"{EX}{found}"]
    assert len(graph.named("Ronin")) == 0


def test_labels_in_the_preferred_language(graph: SparqlGraph) -> None:
    ends = np.array([graph.node(f"{EX}{n}") for n in ("heat", "pacino", "serpico", "mann")])
    assert graph.labels(ends) == ["Heat", "Al Pacino", "Serpico", "mann"]
    assert graph.kinds(ends) == ["entity"] * 4


def test_hops_and_edges_both_ways_page_by_page(graph: SparqlGraph, served: Served) -> None:
    assert graph.hops(nodes(graph, f"{EX}pacino")) == [Hop(f"{EX}cast", inverse=True)]
    films = nodes(graph, f"{EX}heat", f"{EX}serpico")
    served.queries.clear()
    assert set(pairs(graph, films, Hop(f"{EX}cast"))) == {
        (f"{EX}heat", f"{EX}deniro"),
        (f"{EX}heat", f"{EX}pacino"),
        (f"{EX}serpico", f"{EX}pacino"),
    }
    assert len(served.queries) == 2, "three rows a page: a full page, and an empty one"
    assert len(pairs(graph, films, Hop(f"{EX}cast"), 2)) == 2
    assert set(pairs(graph, nodes(graph, f"{EX}pacino"), Hop(f"{EX}cast", inverse=True))) == {
        (f"{EX}pacino", f"{EX}heat"),
        (f"{EX}pacino", f"{EX}serpico"),
    }


def test_literals_are_ends_of_walks_that_can_be_walked_back(graph: SparqlGraph) -> None:
    [(_, tagline)] = pairs(graph, nodes(graph, f"{EX}heat"), Hop(f"{EX}tagline"))
    end = nodes(graph, tagline)
    assert graph.kinds(end) == ["literal"]
    assert graph.labels(end) == ['A "Los Angeles" crime\nsaga']
    assert pairs(graph, end, Hop(f"{EX}tagline", inverse=True)) == [(tagline, f"{EX}heat")]
    assert graph.hops(end) == [Hop(f"{EX}tagline", inverse=True)]
    assert pairs(graph, end, Hop(f"{EX}tagline")) == []


def test_blank_nodes_are_left_out(graph: SparqlGraph) -> None:
    assert Hop(f"{EX}scene") not in graph.hops(nodes(graph, f"{EX}serpico"))
    assert pairs(graph, nodes(graph, f"{EX}serpico"), Hop(f"{EX}scene")) == []


def test_size_and_relations(graph: SparqlGraph) -> None:
    assert graph.size() == GraphSize(entities=7, relations=4, triples=6)
    assert graph.relations()[:2] == [f"{EX}by", f"{EX}cast"]


@pytest.mark.parametrize(
    "name", ['x" } ; DROP ALL ; #', 'a\\" . ?s ?p ?o', "new\nline", "\\", "{}<>|^`", "\u2028", "'''", "a\tb"]
)
def test_no_name_breaks_out_of_a_query(graph: SparqlGraph, served: Served, name: str) -> None:
    assert len(graph.named(name)) == 0
    assert graph.node(name) is None
    assert graph.node(f"http://ex.org/{name}") is None
    assert graph.node(literal(name)) is None
    before = len(served.store)
    with pytest.raises(InputError):
        graph.edges(nodes(graph, f"{EX}heat"), Hop("not an iri> ?x . <http://ex.org/y"))
    assert len(served.store) == before


def test_terms_are_read_as_they_are_written() -> None:
    for text in ('say "hi"', "a\\nb", "tab\t", "ünï 🎉", ""):
        for written in (literal(text), literal(text, "en"), literal(text, "", f"{EX}type")):
            assert term(written) == written
            assert ox.Store().query(f"ASK {{ FILTER(STR({written}) = {literal(text)}) }}")
    assert (
        identifier_of({"type": "literal", "value": "x", "datatype": "http://www.w3.org/2001/XMLSchema#string"}) == '"x"'
    )
    for bad in ("", "no", "http://a b", "http://a>", "http://a\n"):
        with pytest.raises(InputError):
            iri(bad)
    with pytest.raises(InputError):
        literal("x", "en . }")


def test_a_busy_endpoint_is_asked_again(graph: SparqlGraph, served: Served) -> None:
    served.failures = [503, 429]
    assert graph.node(f"{EX}heat") is not None
    served.failures = [503] * 3
    with pytest.raises(BackendError, match=r"503.*try later"):
        graph.node(f"{EX}mann")


def test_what_an_endpoint_refuses_is_told(graph: SparqlGraph, served: Served) -> None:
    served.failures = [400]
    with pytest.raises(BackendError, match="HTTP 400"):
        graph.node(f"{EX}heat")
    assert len(served.queries) == 1, "asking again would change nothing"


@pytest.mark.parametrize("body", [b"<html>", b"[]", b"{}", b'{"results": {"bindings": 3}}'])
def test_what_cannot_be_read_is_told(graph: SparqlGraph, served: Served, body: bytes) -> None:
    served.body = body
    with pytest.raises(BackendError, match="cannot be read"):
        graph.hops(np.array([graph._number(f"{EX}heat")]))
    with pytest.raises(BackendError, match="cannot be read"):
        graph.node(f"{EX}mann")


def test_an_endpoint_that_is_not_there_is_told_without_its_password() -> None:
    with closing(SparqlGraph("http://me:secret@127.0.0.1:9/sparql", timeout=0.5)) as graph:
        with pytest.raises(BackendError, match=r"127\.0\.0\.1:9/sparql cannot be reached") as told:
            graph.node(f"{EX}heat")
        assert "secret" not in str(told.value)


@pytest.mark.parametrize("url", ["", "file:///etc/passwd", "ftp://x/y", "http://", "sparql"])
def test_only_http_is_asked(url: str) -> None:
    with pytest.raises(InputError):
        SparqlGraph(url)

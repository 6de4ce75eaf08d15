"""What a question is about, where it does not mark it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from goalmem.graph.arrays import ArrayGraph
from goalmem.graph.entity_linking import LinkableGraph, Linker
from goalmem.graph.entity_names import one_edit_apart, respelt, words_of
from goalmem.graph.imports import import_graph, source_of
from goalmem.graph.protocol import Name, Triple
from goalmem.graph.stored import StoredGraph
from goalmem.io.triples_files import graph_file
from goalmem.store import open_store
from goalmem_lab.evals.kgqa_data import read_metaqa

ENTRIES = [
    *(Triple(film, "directed_by", "Michael Mann") for film in ("Heat", "The Insider", "The Keep")),
    Triple("Heat", "starred_actors", "Al Pacino"),
    Triple("The Lord of the Rings: The Return of the King", "directed_by", "Peter Jackson"),
    Triple("The Return", "directed_by", "Andrey Zvyagintsev"),
    Triple("What?", "directed_by", "Roman Polanski"),
    Triple("In", "has_tags", "film"),
    Triple("Amélie", "has_tags", "paris"),
    Triple("Paris", "in_country", "France"),
    Triple("Paris", "has_river", "Seine"),
    Triple("Scream 2", "directed_by", "Wes Craven"),
    Triple("Scream", "directed_by", "Wes Craven"),
    Triple("q42", "born_in", "Cambridge"),
    Name("q42", "Douglas Adams"),
    Name("q42", "DNA (author)", label=False),
]


@pytest.fixture(scope="module", params=["arrays", "stored"])
def graph(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LinkableGraph]:
    if request.param == "arrays":
        yield ArrayGraph(ENTRIES)
        return
    with closing(open_store(tmp_path_factory.mktemp("linking") / "memory.db", model="m", dimension=4)) as store:
        import_graph(store.graphs, "ana", source_of(ENTRIES, "test"))
        yield StoredGraph(store.graphs, "ana")


def first(graph: LinkableGraph, question: str) -> str:
    links = Linker(graph).link(question)
    return links[0].identifier if links else ""


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("Who directed Heat?", "Heat"),
        ("who directed heat", "Heat"),
        ("what films did al pacino star in", "Al Pacino"),
        ("Which films were directed by MICHAEL MANN?", "Michael Mann"),
        ("who made the lord of the rings the return of the king", "The Lord of the Rings: The Return of the King"),
        ("who directed The Return", "The Return"),
        ("which tags describe amelie", "Amélie"),
        ("where was Douglas Adams born", "q42"),
        ("where was the dna author born", "q42"),
        ("who directed Scream 2", "Scream 2"),
        ("who directed Scream", "Scream"),
        ("what is the director of the film scream 2", "Scream 2"),
    ],
)
def test_names_and_aliases(graph: LinkableGraph, question: str, topic: str) -> None:
    assert first(graph, question) == topic


def test_function_words_are_names_only_where_nothing_else_is(graph: LinkableGraph) -> None:
    assert first(graph, "what is heat about in short") == "Heat"
    assert first(graph, "who directed what?") == "What?"


def test_quotation_marks_and_capitals_tell_names(graph: LinkableGraph) -> None:
    assert first(graph, 'which tags describe the film "In"') == "In"
    assert first(graph, "is there a film about In") == "In"


def test_of_namesakes_the_one_as_written_comes_first_then_the_one_with_more_to_tell(graph: LinkableGraph) -> None:
    assert first(graph, "which films are about paris") == "paris"
    assert first(graph, "what country is Paris in") == "Paris"
    found = Linker(graph).link("WHAT COUNTRY IS PARIS IN")
    assert [link.identifier for link in found[:2]] == ["Paris", "paris"]
    assert found[0].score == found[1].score


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("what films did al pacno star in", "Al Pacino"),
        ("what films did al paicno star in", "Al Pacino"),
        ("who is zvyagintsevv", "Andrey Zvyagintsev"),
        ("films by micheal mann", "Michael Mann"),
        ("films by Polansky", "Roman Polanski"),
    ],
)
def test_misspelt_and_partial_names(graph: LinkableGraph, question: str, topic: str) -> None:
    assert topic in [link.identifier for link in Linker(graph).link(question)]


def test_a_part_of_a_name_is_enough_where_nothing_is_named_whole(graph: LinkableGraph) -> None:
    assert first(graph, "who directed the one with Zvyagintsev") == "Andrey Zvyagintsev"
    assert first(graph, "lord rings return king") == "The Lord of the Rings: The Return of the King"


def test_spans_say_where_and_scores_are_shares(graph: LinkableGraph) -> None:
    question = "Is it true that Al Pacino is in Heat?"
    links = Linker(graph).link(question)
    assert {question[slice(*link.span)] for link in links[:2]} == {"Al Pacino", "Heat"}
    assert all(0 < link.score <= 1 for link in links)
    assert [link.score for link in links] == sorted((link.score for link in links), reverse=True)
    assert len(Linker(graph).link(question, limit=1)) == 1


def test_a_question_as_long_as_a_book_is_cut_short() -> None:
    assert Linker(HELD).link("heat " + "x y z " * 100_000)[0].identifier == "Heat"


@pytest.mark.parametrize("question", ["", "   ", "?!", "zzz qqq", "\0", "\ud800", "🎉", "[]"])
def test_what_names_nothing_is_about_nothing(graph: LinkableGraph, question: str) -> None:
    assert Linker(graph).link(question) == []


@given(st.text(max_size=80))
def test_any_text_is_just_text(question: str) -> None:
    for link in Linker(HELD).link(question):
        assert 0 <= link.span[0] < link.span[1] <= len(question)


HELD = ArrayGraph(ENTRIES)


@given(st.sampled_from([name for _, name in HELD.names() if words_of(name)]), st.booleans())
def test_whatever_is_quoted_is_found(name: str, upper: bool) -> None:
    written = name.upper() if upper else name.lower()
    found = Linker(HELD).link(f'zzz "{written}" zzz')[0]
    assert words_of(name) in [words_of(known) for known in HELD.names_of(np.array([found.node]))[0]]


class Meaning:
    """An embedder of two words."""

    name = "meaning"
    dimension = 2

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array(
            [[1.0, 0.0] if re.search("cop|insider|thief", t.lower()) else [0.0, 1.0] for t in texts], np.float32
        )


def test_meaning_is_the_last_resort(graph: LinkableGraph) -> None:
    assert Linker(graph, Meaning()).link("cop")[0].identifier == "The Insider"
    assert Linker(graph, Meaning()).link("cop")[0].span == (0, 3)
    assert Linker(graph, Meaning()).link("heat cop")[0].identifier == "Heat"


@given(st.text("abcd", max_size=6), st.text("abcd", max_size=6))
def test_one_edit_is_symmetric_and_as_defined(a: str, b: str) -> None:
    edits = {a[:i] + a[i + 1 :] for i in range(len(a))}
    edits |= {a[:i] + c + a[j:] for i in range(len(a) + 1) for c in "abcd" for j in (i, i + 1) if j <= len(a)}
    edits |= {a[:i] + a[i + 1] + a[i] + a[i + 2 :] for i in range(len(a) - 1)}
    assert one_edit_apart(a, b) == one_edit_apart(b, a) == (b in edits - {a})


@given(st.sampled_from(["pacino", "zvyagintsev", "michael"]), st.data())
def test_any_one_edit_is_undone(word: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(word) - 1))
    wrong = word[:place] + data.draw(st.sampled_from(["", "x", word[place] + "x"])) + word[place + 1 :]
    assert word in respelt(wrong, HELD.index) or wrong == word


METAQA = Path(__file__).parents[3] / "shared" / "data" / "metaqa"


@pytest.mark.data
@pytest.mark.skipif(not METAQA.is_dir(), reason="the development data are not here")
def test_topics_of_metaqa_are_found_without_their_marks() -> None:
    linker = Linker(ArrayGraph(graph_file(METAQA / "kb.txt").entries()))
    for hops in (1, 2, 3):
        asked = read_metaqa(METAQA / f"{hops}-hop" / "qa_dev.txt")
        named = [(q.text, q.text[slice(*q.spans[0])]) for q in asked[:: len(asked) // 60]]
        right = [linker.link(text)[0].identifier == name for text, name in named]
        lower = [linker.link(text.lower())[0].label.lower() == name.lower() for text, name in named]
        assert np.mean(right) > 0.985
        assert np.mean(lower) > 0.97

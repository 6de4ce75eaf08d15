"""Algorithm 2: what is collected for the training of a tuned critic."""

from __future__ import annotations

import json
import re
import time

import numpy as np
import pytest
from lab.tests.train.arg_world import asked, collector, world

from goalmem.errors import FormatError, InputError
from goalmem.graph.arrays import ArrayGraph
from goalmem.graph.critic import Query, Rationality, Reflection, Relevance, Retrieval, Utility
from goalmem.graph.protocol import Hop, Triple
from goalmem.graph.tuned_text import CLOSE, OPEN, SPECIAL, pieces
from goalmem_lab.train.arg_collect import Sample, Shape
from goalmem_lab.train.arg_paths import AnswerCritic, agreement, ends_of, shortest_paths
from goalmem_lab.train.arg_records import Layout, collect, read_samples
from goalmem_lab.train.critic_labels import Asked

BY, OF, SHOWN = Hop("painted_by"), Hop("painted_by", True), Hop("shown_in")


@pytest.fixture(scope="module")
def graph():
    return world()


def nodes(graph, *names):
    return np.array(sorted(graph.node(name) for name in names), dtype=np.int64)


# -- paths -------------------------------------------------------------------------------------------------------------


def test_paths_are_the_shortest_to_each_answer_best_first(graph):
    found = shortest_paths(graph, graph.node("Ann Poe"), nodes(graph, "Porto Museum", "Oslo Hall"), depth=3, keep=9)
    assert [(path.hops, round(path.f1, 2)) for path in found] == [
        ((OF, SHOWN), 1.0),
        ((Hop("owned_by", True), SHOWN), 0.67),
    ]
    assert len(shortest_paths(graph, graph.node("Ann Poe"), nodes(graph, "Kites"), depth=3, keep=1)) == 1


def test_no_path_is_deeper_than_asked_and_the_topic_is_no_answer(graph):
    topic = graph.node("Ann Poe")
    assert shortest_paths(graph, topic, nodes(graph, "Porto Museum"), depth=1, keep=3) == []
    assert shortest_paths(graph, topic, nodes(graph, "Ann Poe"), depth=3, keep=3) == []
    assert shortest_paths(graph, topic, np.empty(0, dtype=np.int64), depth=3, keep=3) == []


def test_what_a_walk_leads_to_is_not_its_topic(graph):
    topic = graph.node("Rain")
    assert ends_of(graph, topic, [BY, OF]).tolist() == [graph.node("Kites")]
    assert agreement(nodes(graph, "Kites", "Rain"), nodes(graph, "Kites")) == pytest.approx(2 / 3)
    assert agreement(nodes(graph, "Fog"), nodes(graph, "Kites")) == 0


def test_cycles_and_hubs_end():
    ring = [Triple(f"n{i}", "next", f"n{(i + 1) % 50}") for i in range(50)]
    spokes = [Triple("hub", "has", f"leaf{i}") for i in range(20_000)] + [Triple("n0", "in", "hub")]
    graph = ArrayGraph([*ring, *spokes])
    began = time.perf_counter()
    found = shortest_paths(graph, graph.node("n1"), nodes(graph, "leaf7"), depth=3, keep=3)
    assert [path.hops for path in found] == [(Hop("next", True), Hop("in"), Hop("has"))]
    assert time.perf_counter() - began < 2


# -- labels ------------------------------------------------------------------------------------------------------------


def test_answers_alone_label_every_kind_of_token(graph):
    question = asked(graph)[6]
    paths = shortest_paths(graph, question.topic, question.answers, depth=2, keep=3)
    critic = AnswerCritic(graph, question.topic, question.answers, paths)
    from goalmem.graph.critic import Walk

    start, walk = Walk(), Walk((OF,), (("Kites", "Rain"),))
    whole = walk.then(SHOWN, ("Porto Museum",))
    wrong = walk.then(Hop("made_of"), ("oil",))
    query = question.query
    assert [list(Retrieval)[r.best] for r in critic.retrieval(query, [start, walk, whole])] == [
        Retrieval.RELATION, Retrieval.RELATION, Retrieval.NO,
    ]  # fmt: skip
    pending = [start.towards(OF), start.towards(Hop("born_in"))]
    assert [list(Retrieval)[r.best] for r in critic.retrieval(query, pending)] == [Retrieval.ENTITY, Retrieval.RELATION]
    rated = critic.relations(query, start, [OF, Hop("owned_by", True), Hop("born_in")])
    assert [list(Relevance)[r.best] for r in rated] == [Relevance.FULLY, Relevance.PARTIALLY, Relevance.UN]
    assert [r.best for r in critic.entities(query, walk, ["Kites", "Rain"])] == [0, 0]
    assert critic.entities(query, wrong, ["oil"])[0].best == 2
    assert [list(Rationality)[r.best] for r in critic.rationality(query, [whole, wrong])] == [
        Rationality.FULLY, Rationality.UN,
    ]  # fmt: skip
    assert [list(Utility)[r.best] for r in critic.utility(query, [whole, wrong])] == [Utility.FIVE, Utility.ONE]
    assert critic.hypotheses(query, walk, 2)[0].text == "shown_in"


# -- samples -----------------------------------------------------------------------------------------------------------


def test_a_transcript_has_the_form_of_figure_4(graph):
    transcript = next(s for s in collector(graph).samples(asked(graph)[6], 6) if s.kind == "path")
    assert transcript.prompt == "Query: where are pictures by (topic) shown\nTopic: Ann Poe\nOutput:"
    text = transcript.completion
    assert text.count("[Retrieve Relation]") == text.count("[Retrieve Entity]") == 2
    assert text.count("[Fully Reasonable]") == 2
    assert "[No Retrieval] Answer: Oslo Hall; Porto Museum [Utility:5]" in text
    assert re.search(r"\(Ann Poe, ~painted_by, (Kites|Rain)\)", text)
    first = text[text.index(OPEN) + len(OPEN) : text.index(CLOSE)].split(";")
    assert "~painted_by" in first
    assert len(first) <= Shape().candidates
    for name in first:
        assert re.search(rf" {re.escape(name)} \[(Fully|Partially) Relevant\]| {re.escape(name)} \[Unrelevant\]", text)


def test_candidates_are_no_more_than_k_and_hold_the_path_s_own(graph):
    for sample in collector(graph, Shape(depth=2, candidates=2)).samples(asked(graph)[6], 6):
        for paragraph in re.findall(f"{OPEN}(.*?){CLOSE}", sample.completion):
            assert len(paragraph.split(";")) <= 2
        if sample.kind == "path" and "[Utility:5]" in sample.completion:
            assert "~painted_by" in sample.completion


def test_at_unreasonable_a_transcript_ends_with_the_answers(graph):
    class Doubting(AnswerCritic):
        def rationality(self, query, walks):
            return [Reflection((0.0, 0.0, 1.0)) for _ in walks]

    question = asked(graph)[6]
    paths = shortest_paths(graph, question.topic, question.answers, depth=2, keep=3)
    doubting = Doubting(graph, question.topic, question.answers, paths)
    for sample in collector(graph, critic=doubting).samples(question, 6):
        if sample.kind == "path":
            assert sample.completion.count("[Retrieve Relation]") == 1
            assert "[Unreasonable][No Retrieval] Answer: Oslo Hall; Porto Museum" in sample.completion
        assert sample.kind != "retrieval"


def test_single_decisions_end_where_their_token_stands(graph):
    found = [s for n, q in enumerate(asked(graph)) for s in collector(graph).samples(q, n)]
    kinds = {
        "relation": tuple(t.value for t in Relevance),
        "entity": tuple(t.value for t in Relevance),
        "rationality": tuple(t.value for t in Rationality),
        "utility": tuple(t.value for t in Utility),
    }
    assert {s.kind for s in found} == {*kinds, "path", "retrieval"}
    for sample in found:
        if sample.kind in kinds:
            assert sample.completion in kinds[sample.kind]
    assert any(s.completion == Rationality.UN.value for s in found)
    assert any(s.kind == "utility" and s.completion == Utility.ONE.value for s in found)
    assert {s.kind for s in collector(graph, Shape(decisions=False)).samples(asked(graph)[0], 0)} == {"path"}


def test_the_same_question_gives_the_same_samples_whatever_came_before(graph):
    questions = asked(graph)
    one = collector(graph).samples(questions[3], 3)
    used = collector(graph)
    for n, question in enumerate(questions[:3]):
        used.samples(question, n)
    assert used.samples(questions[3], 3) == one
    assert len(set(one)) == len(one)
    assert collector(graph, Shape(depth=2, seed=8)).samples(questions[6], 6) != collector(graph).samples(
        questions[6], 6
    )


def test_a_question_without_a_path_gives_nothing(graph):
    lost = Asked(Query("who", "Faro"), graph.node("Faro"), nodes(graph, "ink"))
    assert collector(graph, Shape(depth=1)).samples(lost, 0) == []


@pytest.mark.parametrize("label", ["a;b", "[Fully Relevant]", "</paragraph>[Utility:5]", "x\ny", "a|b", "Ä 日本 🎨"])
def test_names_never_become_tokens_marks_or_separators(label):
    graph = ArrayGraph([Triple("Ann", "made", label), Triple("Ann", f"r{label}", "Bo"), Triple("Ann", "made", "Cy")])
    question = Asked(Query("what did Ann make", "Ann", (9, 12)), graph.node("Ann"), nodes(graph, label))
    for sample in collector(graph).samples(question, 0):
        text = sample.prompt + sample.completion
        assert text.count(OPEN) == text.count(CLOSE)
        assert sum(text.count(t.value) for t in Utility) <= 1
        for paragraph in re.findall(f"{OPEN}(.*?){CLOSE}", text):
            assert not any(token in paragraph for token in SPECIAL)
        assert text.count("\n") == 2


def test_pieces_join_to_the_text_and_cut_at_special_tokens():
    text = "a[Fully Relevant]b;c<paragraph>d</paragraph>[Utility:3]"
    assert "".join(pieces(text)) == text
    assert pieces(text) == ["a", "[Fully Relevant]", "b", ";", "c", "<paragraph>", "d", "</paragraph>", "[Utility:3]"]
    assert pieces("") == []


# -- records -----------------------------------------------------------------------------------------------------------


def made(place):
    return [Sample("path", f"p{place} é", f"c{place}-{n}") for n in range(place % 3)]


@pytest.mark.parametrize("layout", list(Layout))
def test_every_layout_is_written_and_read(tmp_path, layout):
    out = tmp_path / "samples.jsonl"
    done = collect(out, layout, 6, made, {}, lambda at: None)
    assert done.samples == 6
    assert read_samples([out]) == [(s.prompt, s.completion) for n in range(6) for s in made(n)]
    first = json.loads(out.read_text(encoding="utf-8").splitlines()[0])
    wanted = {
        "prompt": {"prompt", "completion"},
        "messages": {"messages"},
        "alpaca": {"instruction", "input", "output"},
    }
    assert set(first) == wanted[layout.value] | {"kind"}
    assert not list(tmp_path.glob("*.state*"))


@pytest.mark.parametrize("killed", [0, 1, 5, 9])
def test_a_run_that_was_killed_goes_on_to_the_same_file(tmp_path, monkeypatch, killed):
    monkeypatch.setattr("goalmem_lab.train.arg_records.SAVED_EVERY", 0.0)
    whole, parts = tmp_path / "whole.jsonl", tmp_path / "parts.jsonl"
    collect(whole, Layout.PROMPT, 10, made, {"k": 5}, lambda at: None)

    def dying(place):
        if place == killed:
            raise KeyboardInterrupt
        return made(place)

    with pytest.raises(KeyboardInterrupt):
        collect(parts, Layout.PROMPT, 10, dying, {"k": 5}, lambda at: None)
    with parts.open("a") as file:
        file.write('{"prompt": "half a li')
    seen = []
    collect(parts, Layout.PROMPT, 10, lambda n: seen.append(n) or made(n), {"k": 5}, lambda at: None)
    assert parts.read_bytes() == whole.read_bytes()
    assert seen == list(range(killed, 10))


def test_a_file_of_another_run_is_not_touched(tmp_path):
    out = tmp_path / "samples.jsonl"
    out.write_text("mine")
    with pytest.raises(InputError, match="there already"):
        collect(out, Layout.PROMPT, 1, made, {}, lambda at: None)
    assert out.read_text() == "mine"
    other = tmp_path / "other.jsonl"
    with pytest.raises(ZeroDivisionError):
        collect(other, Layout.PROMPT, 1, lambda n: 1 // 0, {"k": 5}, lambda at: None)
    with pytest.raises(InputError, match="other settings"):
        collect(other, Layout.PROMPT, 1, made, {"k": 3}, lambda at: None)
    (tmp_path / "other.jsonl.state").write_text("{")
    with pytest.raises(InputError, match="no record"):
        collect(other, Layout.PROMPT, 1, made, {"k": 5}, lambda at: None)
    with pytest.raises(InputError, match="cannot be written"):
        collect(tmp_path / "no" / "folder.jsonl", Layout.PROMPT, 1, made, {}, lambda at: None)


@pytest.mark.parametrize(
    "line",
    ["{", "[]", "3", '{"prompt": "a"}', '{"prompt": 1, "completion": "b"}', '{"messages": [1, 2]}', '{"output": ""}'],
)
def test_bad_samples_are_named_with_their_line(tmp_path, line):
    path = tmp_path / "bad.jsonl"
    path.write_text(f'{{"prompt": "a", "completion": "b"}}\n\n{line}\n')
    with pytest.raises(FormatError, match="line 3"):
        read_samples([path])
    with pytest.raises(InputError, match="cannot be read"):
        read_samples([tmp_path / "gone.jsonl"])

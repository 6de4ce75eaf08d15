"""`goalmem eval metaqa`, `kgqa` and `graph-ablation`, and `goalmem train critic`, as they are typed."""

import json
from pathlib import Path

import pytest
from tests.cases import one_in
from typer.testing import CliRunner

from goalmem.cli.app import app
from goalmem_lab.evals.kgqa_data import read_metaqa
from goalmem_lab.evals.kgqa_figures import scored

KB = """Signe Holm|captain_of|MS Aurora
Tobias Rask|engineer_on|MS Aurora
Ida Winther|captain_of|MS Boreas
MS Aurora|home_port|Esbjerg
MS Boreas|home_port|Skagen
MS Aurora|built_in|1974
MS Boreas|built_in|1991
Esbjerg|mayor|Karen Lund
Skagen|mayor|Poul Bech
Signe Holm|spouse|Tobias Rask
"""
ONE = """what is the home port of [MS Boreas]\tSkagen
what is the home port of [MS Aurora]\tEsbjerg
who is the captain of [MS Aurora]\tSigne Holm
who is the captain of [MS Boreas]\tIda Winther
when was [MS Aurora] built\t1974
"""
TWO = """who is the mayor of the home port of [MS Aurora]\tKaren Lund
who is the mayor of the home port of [MS Boreas]\tPoul Bech
"""
GRAPHS = Path(__file__).parents[3] / "examples" / "graph"
KEYS = {"questions", "hits@1", "hit", "f1", "exact", "seconds_per_question", "paths_verified"}


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kb.txt").write_text(KB, encoding="utf-8")
    for hops, text in (("1-hop", ONE), ("2-hop", TWO)):
        (tmp_path / hops).mkdir()
        (tmp_path / hops / "qa.txt").write_text(text, encoding="utf-8")
    return "1-hop/qa.txt", "2-hop/qa.txt"


def typed(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)))


def figures(*arguments):
    done = typed("eval", *arguments, "--json", "out.json")
    assert done.exit_code == 0, done.output
    with open("out.json", encoding="utf-8") as file:
        return json.load(file)


def test_untrained_over_any_graph(files):
    found = figures("metaqa", "--kb", "kb.txt", *files)
    assert found.keys() == KEYS | {"by_hops"}
    assert found["by_hops"].keys() == {"1", "2"}
    assert found["by_hops"]["1"].keys() == KEYS
    assert (found["questions"], found["by_hops"]["2"]["questions"]) == (7, 2)
    assert found["hits@1"] >= 0.8
    assert found["paths_verified"] == 1.0


@pytest.mark.parametrize("name", one_in(2, ["firms", "kitchen", "music", "rivers"]))
def test_untrained_over_the_graphs_made_by_hand(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    found = figures("metaqa", "--kb", GRAPHS / name / "kb.txt", *sorted((GRAPHS / name).glob("*-hop/qa.txt")))
    assert found["hits@1"] >= 0.85
    assert found["paths_verified"] == 1.0


def test_the_topic_can_be_found_in_the_question(files):
    given, linked = (figures("metaqa", "--kb", "kb.txt", *files, "--topic", topic) for topic in ("given", "linked"))
    assert linked["hits@1"] == given["hits@1"]
    assert linked["paths_verified"] == 1.0


def test_training_and_measuring_what_was_trained(files):
    done = typed("train", "critic", "--kb", "kb.txt", *files, "--out", "critic", "--epochs", 2, "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["labelled"] == 7
    found = figures("metaqa", "--kb", "kb.txt", *files, "--critic-model", "critic")
    assert found["hits@1"] == 1.0
    assert figures("metaqa", "--kb", "kb.txt", *files, "--folds", 2)["questions"] == 7


def test_what_is_missing_counts_as_wrong(files, tmp_path):
    (tmp_path / "qa.txt").write_text("who is the captain of [MS Nowhere]\tNobody\n", encoding="utf-8")
    found = figures("metaqa", "--kb", "kb.txt", "qa.txt")
    assert (found["questions"], found["hits@1"], found["f1"], found["paths_verified"]) == (1, 0.0, 0.0, None)
    assert found["by_hops"] == {}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("no tab here\n", "line 1"),
        ("who [X]\tY\nwho [X]\t\n", "line 2"),
        ("", "no question"),
        ("who is the captain\tX\n", "marks no topic"),
    ],
)
def test_bad_questions_are_one_line_that_says_where(files, tmp_path, text, told):
    (tmp_path / "qa.txt").write_text(text, encoding="utf-8")
    done = typed("eval", "metaqa", "--kb", "kb.txt", "qa.txt")
    assert done.exit_code == 3
    assert told in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--beam", "0"], "--beam 0"),
        (["--beam", "wide"], "--beam wide"),
        (["--critic-model", "nowhere"], "nowhere"),
        (["--folds", "2", "--critic", "chat"], "--folds"),
        (["--folds", "50"], "50 parts"),
        (["--critic", "chat"], "chat model"),
        (["--critic", "tuned"], "--critic-model"),
    ],
)
def test_options_that_cannot_be_are_one_line(files, options, told):
    done = typed("eval", "metaqa", "--kb", "kb.txt", *files, *options)
    assert done.exit_code in (3, 4)
    assert told in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(("kb", "told"), [("", "no triple"), ("a|b\n", "line 1"), (None, "kb.txt")])
def test_a_graph_that_cannot_be_read_is_one_line(files, tmp_path, kb, told):
    if kb is None:
        (tmp_path / "kb.txt").unlink()
    else:
        (tmp_path / "kb.txt").write_text(kb, encoding="utf-8")
    for command in (["eval", "metaqa", *files], ["train", "critic", *files, "--out", "critic"]):
        done = typed(*command, "--kb", "kb.txt")
        assert done.exit_code == 3
        assert told in done.stderr


def test_a_run_goes_on_where_it_was_stopped(files, monkeypatch):
    from goalmem.graph.reasoner import GraphReasoner

    asked, whole = [], GraphReasoner.ask

    def stopping(self, question, topics):
        asked.append(question)
        if len(asked) == 4:
            raise KeyboardInterrupt
        return whole(self, question, topics)

    monkeypatch.setattr(GraphReasoner, "ask", stopping)
    assert typed("eval", "metaqa", "--kb", "kb.txt", *files).exit_code == 130
    found = figures("metaqa", "--kb", "kb.txt", *files)
    assert (found["questions"], len(asked)) == (7, 4 + 4)


def test_questions_with_graphs_of_their_own(files, tmp_path):
    triples = [line.split("|") for line in KB.splitlines()]
    rows = [
        {
            "id": "q1",
            "question": "who is the captain of MS Aurora",
            "answer": ["Signe Holm"],
            "q_entity": ["MS Aurora"],
            "a_entity": ["Signe Holm"],
            "graph": triples,
        },
        {"id": "q2", "question": "who", "answer": "X", "q_entity": ["Nobody"], "a_entity": ["X"], "graph": triples},
        {"id": "q3", "question": "who", "answer": ["X"], "q_entity": [], "a_entity": [], "graph": []},
    ]
    (tmp_path / "rog.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    found = figures("kgqa", "rog.jsonl", "--depth", "2")
    assert found.keys() == KEYS | {"by_hops"}
    assert found["questions"] == 3
    assert found["hits@1"] == pytest.approx(1 / 3)
    assert found["paths_verified"] == 1.0
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pytest.importorskip("pyarrow").Table.from_pylist([{**row, "answer": [*row["answer"]]} for row in rows])
    parquet.write_table(table, tmp_path / "rog.parquet")
    other = figures("kgqa", "rog.parquet", "--depth", "2")
    assert (other["questions"], other["hits@1"]) == (3, found["hits@1"])
    (tmp_path / "bad.parquet").write_text("no Parquet", encoding="utf-8")
    done = typed("eval", "kgqa", "bad.parquet")
    assert (done.exit_code, len(done.stderr.splitlines())) == (3, 1)
    (tmp_path / "bad.jsonl").write_text('{"question": "who", "answer": "X", "graph": [["a", "b"]]}', encoding="utf-8")
    done = typed("eval", "kgqa", "bad.jsonl")
    assert done.exit_code == 3
    assert "line 1" in done.stderr


def test_the_ablation_has_every_variant_and_a_picture(files):
    found = figures("graph-ablation", "--kb", "kb.txt", *files, "--picture", "ablation.svg")
    assert list(found["beam"]) == ["1", "3", "5", "exhaustive"]
    assert list(found["depth"]) == ["1", "2", "3", "4"]
    assert list(found["retrieval"]) == ["K = 5", "no hypo-generator", "no retriever", "K = 3"]
    assert list(found["entities"]) == ["5 judged", "only 5", "all judged"]
    assert list(found["without"]) == ["nothing", "S_seq", "S_rel", "S_rat", "S_uti"]
    assert len(found["without two"]) == 7
    assert found["depth"]["1"]["by_hops"]["2"]["hits@1"] == 0.0
    with open("ablation.svg", encoding="utf-8") as file:
        assert "hypo-generator" in file.read()


def test_marks_around_topics_are_taken_out(tmp_path):
    lines = "did [A B] meet [C] again\tD| E |D\r\nwho directed [[REC]]\tX\n"
    (tmp_path / "qa.txt").write_bytes(lines.encode())
    question, bracketed = read_metaqa(tmp_path / "qa.txt")
    assert bracketed.text == "who directed [REC]"
    assert [bracketed.text[slice(*span)] for span in bracketed.spans] == ["[REC]"]
    assert question.text == "did A B meet C again"
    assert [question.text[slice(*span)] for span in question.spans] == ["A B", "C"]
    assert question.answers == ("D", "E")


def test_answers_are_compared_as_sets_and_the_best_alone():
    one = scored(["A", "B"], [["a"], ["x"]], [["b"]], hops="", seconds=0.0, paths=(2, 2))
    assert (one.right, one.hit, one.f1, one.exact) == (True, True, 0.5, False)
    wrong = scored(["A"], [["x"]], [["a"]], hops="", seconds=0.0, paths=(1, 1))
    assert (wrong.right, wrong.hit, wrong.f1) == (False, True, 0.0)
    nothing = scored(["A"], [], [], hops="", seconds=0.0, paths=(0, 0))
    assert (nothing.right, nothing.hit, nothing.f1, nothing.exact) == (False, False, 0.0, False)

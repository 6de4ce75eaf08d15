"""Failed questions sorted by where they failed."""

import pytest
from typer.testing import CliRunner

from goalmem.cli.app import app
from goalmem_lab.evals.failures import failures_of, summary, table
from goalmem_lab.evals.runs import write_run

GOOD = {
    "benchmark": "locomo",
    "id": "talk/1",
    "category": "multi-hop",
    "question": "What did Petra adopt?",
    "gold": "a beagle, a cat",
    "answerable": True,
    "known": True,
    "goals": True,
    "answer": "a beagle",
    "evidence": ["D1:1", "D2:2"],
    "found": ["D1:1", "D2:2", "D3:3"],
    "bound": ["D1:1", "D2:2"],
    "goal": "Petra adopted (x:thing)",
    "gold_said": 1.0,
    "f1": 0.3,
    "score": 0.3,
    "confidence": 0.7,
    "raw": 0.7,
}


@pytest.mark.parametrize(
    ("cause", "change"),
    [
        ("aggregation", {}),
        ("unification", {"bound": ["D1:1", "D3:3"]}),
        ("unification", {"bound": [], "known": False, "answer": "I don't know"}),
        ("retrieval", {"found": ["D1:1"], "bound": []}),
        ("decomposition", {"goal": "it is clear what “what did petra adopt” asks for", "found": []}),
        ("gold error", {"evidence": []}),
        ("gold error", {"gold_said": 0.0}),
        ("aggregation", {"gold_said": 0.0, "gold": "9 March 2024"}),
        ("aggregation", {"gold_said": None}),
    ],
)
def test_the_first_thing_that_went_wrong_is_the_cause(cause, change):
    assert [f.cause for f in failures_of([GOOD | change], ())] == [cause]


def test_only_failed_questions_that_have_an_answer_count():
    rows = [GOOD | {"f1": 0.9}, GOOD | {"answerable": False}, GOOD | {"category": "temporal"}, GOOD]
    assert [f.row for f in failures_of(rows, {"multi-hop"})] == [GOOD]
    assert len(failures_of([GOOD] * 5, (), 3)) == 3


def test_the_summary_counts_each_cause():
    columns, rows = summary(failures_of([GOOD, GOOD | {"found": []}], ()))
    assert columns[1] == "questions"
    assert {name: n for name, n, _ in rows} == {
        "gold error": "0", "decomposition": "0", "retrieval": "1", "unification": "0", "aggregation": "1"
    }  # fmt: skip


def test_text_of_a_conversation_cannot_break_the_table():
    shown = table(failures_of([GOOD | {"answer": "a | b\n<b>*loud*</b> " + "x" * 500}], ()))[1][0][3]
    assert "\n" not in shown
    assert shown.startswith(r"a \| b \<b\>\*loud\*")
    assert len(shown) < 130


def test_as_it_is_typed(tmp_path):
    write_run([GOOD, GOOD | {"id": "talk/2", "category": "temporal"}], tmp_path / "run.jsonl")

    def typed(*options):
        return CliRunner().invoke(app, ["eval", "errors", str(tmp_path / "run.jsonl"), *options])

    lines = typed("--category", "1").stdout.splitlines()
    assert lines[:2] == ["| cause | questions | share |", "| --- | ---: | ---: |"]
    assert sum("talk/" in line for line in lines) == 1
    assert sum("talk/" in line for line in typed().stdout.splitlines()) == 2
    assert typed("--category", "5").exit_code == 3

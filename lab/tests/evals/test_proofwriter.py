"""ProofWriter: true, false or unknown in an open world."""

import json

import pytest
from typer.testing import CliRunner

from goalmem.cli.app import app
from goalmem.errors import FormatError
from goalmem.rules.grammar.reader import GrammarReader
from goalmem_lab.evals.proofwriter import evaluate, read_proofwriter

ASKED = "Based on the above information, is the following statement true, false, or unknown? "
CONTEXT = (
    "Tom is big. Pip is not big. Big people are slow. If someone is slow then they are not red. All red people are odd."
)


def problem(statement, answer, context=CONTEXT, **others):
    options = ["A) True", "B) False", "C) Unknown"]
    return {
        "id": statement,
        "context": context,
        "question": ASKED + statement,
        "options": options,
        "answer": answer,
        **others,
    }


PROBLEMS = [
    problem("Tom is slow.", "A"),
    problem("Tom is red.", "B"),
    problem("Tom is not red.", "A"),
    problem("Pip is big.", "B"),
    problem("Pip is slow.", "C"),
    problem("Pip is not slow.", "C"),
    problem("Tom is odd.", "C"),
]


def write(tmp_path, problems):
    path = tmp_path / "dev.json"
    path.write_text(json.dumps(problems))
    return path


def measured(tmp_path, problems, **options):
    return evaluate([write(tmp_path, problems)], GrammarReader(), **options)


def test_what_is_neither_derived_nor_denied_is_unknown(tmp_path):
    figures = measured(tmp_path, PROBLEMS)
    assert (figures["questions"], figures["accuracy"], figures["unreadable"]) == (7, 1.0, 0)
    assert {k: v["questions"] for k, v in figures["by_answer"].items()} == {"false": 2, "true": 2, "unknown": 3}


def test_a_denied_condition_must_be_stated_or_derived(tmp_path):
    context = "Tom is big. Pip is big. Pip is not red. If someone is big and not red then they are calm."
    problems = [problem("Tom is calm.", "C", context), problem("Pip is calm.", "A", context)]
    assert measured(tmp_path, problems)["accuracy"] == 1.0


def test_what_is_not_read_is_wrong_and_counted(tmp_path):
    figures = measured(tmp_path, [problem("Tom slowly.", "C"), problem("Tom is slow.", "A", CONTEXT + " Tom ist rot.")])
    assert (figures["accuracy"], figures["unreadable"]) == (0.5, 1)


def test_answers_may_be_words_and_options_in_any_order(tmp_path):
    other = {"options": ["(A) Unknown", "(B) False", "(C) True"]}
    assert (
        measured(tmp_path, [problem("Tom is slow.", "C", **other), problem("Tom is slow.", "True")])["accuracy"] == 1.0
    )


def test_questions_without_a_preface_are_statements(tmp_path):
    path = write(tmp_path, [problem("Tom is slow.", "A", question="Tom is slow.")])
    assert read_proofwriter(path)[0].statement == "Tom is slow."


@pytest.mark.parametrize(
    ("problems", "said"),
    [
        ({"a": 1}, "no list"),
        ([1], r"\[0\]"),
        ([{"id": "a"}], "question"),
        ([problem("Tom is slow.", "D")], "none of its options"),
    ],
)
def test_bad_data_is_said_with_its_place(tmp_path, problems, said):
    with pytest.raises(FormatError, match=said):
        read_proofwriter(write(tmp_path, problems))


def test_the_command_writes_figures_and_rows(tmp_path):
    path = write(tmp_path, PROBLEMS)
    out, rows = tmp_path / "out.json", tmp_path / "rows.jsonl"
    done = CliRunner().invoke(
        app, ["eval", "proofwriter", str(path), "--json", str(out), "--save", str(rows), "--limit", "3"]
    )
    assert done.exit_code == 0, done.output
    assert json.loads(out.read_text())["questions"] == 3
    assert [json.loads(line)["answer"] for line in rows.read_text().splitlines()] == ["proved", "disproved", "proved"]

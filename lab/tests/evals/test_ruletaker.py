"""RuleTaker: what is answered, how it is proved, and what the figures say of it."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from goalmem.cli.app import app
from goalmem.errors import FormatError
from goalmem.rules.grammar.reader import GrammarReader
from goalmem_lab.evals.ruletaker import evaluate
from goalmem_lab.evals.ruletaker_data import read_ruletaker
from goalmem_lab.evals.ruletaker_proofs import given_failure, given_proofs

KEYS = {
    "questions", "accuracy", "by_depth", "by_strategy", "proof_accuracy", "proofs_verified", "unreadable",
    "seconds_per_question",
}  # fmt: skip
DATA = Path(__file__).parents[4] / "shared" / "data" / "ruletaker"
CONTEXT = "Tom is big. Tom is round. Big, round people are slow. Slow people are calm. If someone is calm and not red then they are kind."
QUESTIONS = [
    ("Tom is big.", True, 0, "proof"),
    ("Tom is not slow.", False, 1, "inv-proof"),
    ("Tom is kind.", True, 3, "proof"),
    ("Pip is slow.", False, 1, "rconc"),
    ("Pip is not red.", True, 0, "inv-random"),
]


def plain(context=CONTEXT, questions=QUESTIONS):
    asked = [
        {"id": f"t-{n}", "text": text, "label": label, "meta": {"QDep": depth, "strategy": strategy}}
        for n, (text, label, depth, strategy) in enumerate(questions)
    ]
    return {"id": "t", "context": context, "questions": asked}


def proved():
    """A theory in the layout of `meta-*`, with a paraphrase that no grammar reads."""
    facts = {"triple1": "Tom is big.", "triple2": "Tom is round.", "triple3": "Eve is calm."}
    rules = {
        "rule1": "If someone is big and round then they are slow.",
        "rule2": "If someone is slow then they are calm.",
        "rule3": "If someone is big and old then they are red.",
        "rule4": "If someone is red and calm then they are sad.",
    }
    asked = [
        ("Tom is big.", True, 0, "proof", "[(triple1)]"),
        ("Tom is calm.", True, 2, "proof", "[(((((triple1 triple2) -> rule1)) -> rule2))]"),
        ("Tom is not slow.", False, 1, "inv-proof", "[(((triple2 triple1) -> rule1) OR ((triple9) -> rule7))]"),
        ("Tom is calm.", True, 1, "proof", "[(((triple1) -> rule2))]"),
        (
            "Tom is sad.",
            False,
            2,
            "rconc",
            "[@2: Tom is sad.[CWA. Example of deepest failure = (rule4 <- rule3 <- FAIL)]]",
        ),
        ("Eve is not old.", True, 0, "inv-random", "[@0: Eve is old.[CWA. Example of deepest failure = (FAIL)]]"),
    ]
    return {
        "id": "m",
        "theory": "Tom, the round old giant, came by one day.",
        "triples": {name: {"text": text} for name, text in facts.items()},
        "rules": {name: {"text": text} for name, text in rules.items()},
        "questions": {
            f"Q{n}": {"question": q, "answer": a, "QDep": d, "strategy": s, "proofs": p}
            for n, (q, a, d, s, p) in enumerate(asked)
        },
    }


def write(path, *theories):
    path.write_text("\n".join(json.dumps(t) for t in theories) + "\n")
    return path


def measured(*paths, **options):
    return evaluate(paths, GrammarReader(), **options)


def test_answers_are_counted_by_depth_and_strategy(tmp_path):
    figures = measured(write(tmp_path / "dev.jsonl", plain()))
    assert figures.keys() == KEYS
    assert (figures["questions"], figures["accuracy"], figures["unreadable"]) == (5, 1.0, 0)
    assert figures["proof_accuracy"] is None
    assert figures["proofs_verified"] == 1.0
    assert figures["seconds_per_question"] > 0
    assert {k: v["questions"] for k, v in figures["by_depth"].items()} == {"0": 2, "1": 2, "3": 1}
    assert {k: v["accuracy"] for k, v in figures["by_strategy"].items()} == dict.fromkeys(
        ("inv-proof", "inv-random", "proof", "rconc"), 1.0
    )


def test_questions_of_a_theory_that_is_not_all_read_count(tmp_path):
    figures = measured(write(tmp_path / "dev.jsonl", plain(CONTEXT.replace("Slow people are calm", "Slow folk calm"))))
    assert (figures["questions"], figures["unreadable"]) == (5, 1)
    assert figures["accuracy"] == 4 / 5


def test_a_question_that_is_not_read_is_wrong(tmp_path):
    figures = measured(write(tmp_path / "dev.jsonl", plain(questions=[("Tom big?", True, 0, "proof")])))
    assert figures["accuracy"] == 0.0
    assert figures["proofs_verified"] is None


def test_a_circle_through_a_negation_is_no_answer(tmp_path):
    context = "Tom is big. If someone is big and not red then they are calm. If someone is calm then they are red."
    figures = measured(write(tmp_path / "dev.jsonl", plain(context, [("Tom is calm.", True, 1, "proof")])))
    assert figures["accuracy"] == 0.0


def test_proofs_are_compared_with_those_given(tmp_path):
    rows = tmp_path / "rows.jsonl"
    figures = measured(write(tmp_path / "meta-dev.jsonl", proved()), save=rows)
    assert figures["accuracy"] == 1.0
    assert figures["proof_accuracy"] == 5 / 6
    wrong = [json.loads(line) for line in rows.read_text().splitlines()]
    assert [row["id"] for row in wrong if not row["proved"]] == ["m-Q3"]


def test_the_paraphrase_of_a_meta_file_can_be_read_instead(tmp_path):
    figures = measured(write(tmp_path / "meta-dev.jsonl", proved()), controlled=False)
    assert figures["unreadable"] == 1
    assert figures["accuracy"] < 1


def test_many_files_are_one_measure_and_progress_is_told(tmp_path):
    seen = []
    paths = [write(tmp_path / f"{n}.jsonl", plain()) for n in "ab"]
    figures = measured(*paths, progress=lambda *at: seen.append(at))
    assert figures["questions"] == 10
    assert [(done, total) for _, done, total in seen] == [(1, 1), (1, 1)]
    assert measured(*paths, limit=2)["questions"] == 4


def test_each_theory_may_have_a_reader_of_its_own(tmp_path):
    readers = []

    def reader_of(theory):
        readers.append(theory.id)
        return GrammarReader()

    assert evaluate([write(tmp_path / "dev.jsonl", plain())], reader_of)["accuracy"] == 1.0
    assert readers == ["t"]


def test_proofs_in_the_notation_of_the_data():
    assert given_proofs("[(triple1)]") == [("triple1", ())]
    assert given_proofs("[(((triple2 triple1) -> rule1))]") == given_proofs("[((triple1 triple2) -> rule1)]")
    assert len(given_proofs("[(((triple1) -> rule1) OR ((triple2) -> rule2))]")) == 2
    assert given_proofs("[(((triple1 NAF) -> rule1))]") == given_proofs("[((triple1) -> rule1)]")
    failed = "[@1: Tom is red.[CWA. Example of deepest failure = (rule3 <- rule5 <- FAIL)]]"
    assert given_failure(failed) == ("rule3", "rule5")
    assert given_proofs(failed) == []


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "line 1 is not valid JSON"),
        ("[]", "line 1 is a list, not an object"),
        ('{"id": "a"}', "has no 'questions'"),
        ('{"id": "a", "context": "x", "questions": [{"id": "q"}]}', "has no 'text'"),
        ('{"id": "a", "context": "x", "questions": [{"id": "q", "text": "y", "label": "yes"}]}', "'label'"),
        ('{"id": "a", "theory": "x", "triples": {}, "rules": {}, "questions": {}}', "neither facts nor rules"),
    ],
)
def test_bad_data_is_said_with_its_place(tmp_path, line, said):
    path = tmp_path / "dev.jsonl"
    path.write_text(line)
    with pytest.raises(FormatError, match=said.replace("(", r"\(")):
        list(read_ruletaker(path))


def typed(*arguments):
    return CliRunner().invoke(app, ["eval", "ruletaker", *map(str, arguments)])


def test_the_command_prints_a_table_and_writes_the_figures(tmp_path):
    path = write(tmp_path / "dev.jsonl", plain())
    done = typed(path, "--json", tmp_path / "out.json")
    assert done.exit_code == 0, done.output
    assert "proofs_verified 1.000" in done.stdout
    assert json.loads((tmp_path / "out.json").read_text()).keys() == KEYS


def test_the_command_says_what_is_wrong_in_a_line(tmp_path):
    for arguments in ((tmp_path / "none.jsonl",), (write(tmp_path / "d.jsonl", plain()), "--model", tmp_path)):
        done = typed(*arguments)
        assert done.exit_code != 0
        assert len(done.stderr.splitlines()) == 1


@pytest.mark.data
@pytest.mark.skipif(not DATA.exists(), reason="the development data is not there")
def test_the_development_data_is_answered_and_proved():
    paths = [DATA / "depth-5" / "dev.jsonl", DATA / "NatLang" / "meta-dev.jsonl"]
    figures = measured(*paths, limit=600)
    assert (figures["accuracy"], figures["proof_accuracy"], figures["proofs_verified"]) == (1.0, 1.0, 1.0)
    assert figures["unreadable"] == 0

import json
from pathlib import Path

import pytest

from goalmem.errors import FormatError, NotFoundError

pytest.importorskip("torch")

from goalmem_lab.train.changes import read_changes
from goalmem_lab.train.lives import Label

CASE = {
    "earlier": "Ines lives in Oslo.",
    "by": "user",
    "question": "Where does Ines live?",
    "answer": "Oslo",
    "later": "We helped Ines carry her boxes to Bergen.",
    "later_by": "Leo",
    "label": "changed",
}


def test_all_cases_of_the_laboratory_are_read():
    trained, held = read_changes(Path(__file__).parents[2] / "changes")
    assert len(trained) > 6 * len(held) > 0
    assert {c.label for c in held} == {Label.ENTAILED, Label.CONTRADICTED, Label.NOT_SAID}


def test_a_later_turn_is_shown_behind_the_one_that_told_the_answer(tmp_path):
    (tmp_path / "a.jsonl").write_text(
        "\n".join(json.dumps({**CASE, "earlier": f"{n}. Ines lives in Oslo."}) for n in range(40))
    )
    claim = read_changes(tmp_path)[0][0]
    assert claim.excerpt.before.endswith("Ines lives in Oslo.")
    assert claim.excerpt.speaker == "Leo"
    assert claim.statement.answer == "Oslo"
    assert claim.label is Label.CONTRADICTED


def test_what_is_no_case_is_refused(tmp_path):
    with pytest.raises(NotFoundError):
        read_changes(tmp_path)
    (tmp_path / "a.jsonl").write_text('{"earlier": "x"}\n')
    with pytest.raises(FormatError, match="line 1"):
        read_changes(tmp_path)

"""What the documents of the language and the proof say runs, and gives what they show."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from goalmem.logic.terms import Aggregate
from goalmem.proof.document import Node, Proof

DOCS = Path(__file__).parents[2] / "docs"
PAGES = ("nl-logic.md", "proofs.md")


@pytest.mark.parametrize("name", PAGES)
def test_examples_run_and_print_what_is_shown(name, capsys):
    page = (DOCS / name).read_text("utf-8")
    shown = "".join(line.removeprefix("    ") for line in page.splitlines(keepends=True))
    names = {"__name__": "example"}
    for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(compile(code, name, "exec"), names)
        assert capsys.readouterr().out.strip() in shown


def test_every_field_of_a_proof_is_described():
    text = (DOCS / "proofs.md").read_text("utf-8")
    for field in (*Proof.model_fields, *Node.model_fields):
        assert f"`{field}`" in text, field


def test_every_aggregate_is_described():
    text = (DOCS / "nl-logic.md").read_text("utf-8")
    for aggregate in Aggregate:
        assert f"`{aggregate}`" in text

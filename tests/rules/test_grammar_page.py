"""The tables of docs/rules.md say what the grammar does."""

import re
from pathlib import Path

import pytest

from tests.rules.printed import READER, lines, reason, said

PAGE = Path(__file__).parents[2] / "docs" / "rules.md"


def rows(heading):
    """The rows of the table under a heading, without its head."""
    text = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    found = re.search(rf"^### {re.escape(heading)}$(.*?)(?=^##|\Z)", text, re.MULTILINE | re.DOTALL)
    table = re.findall(r"^\| (.*?) \| (.*?) \|$", found[1], re.MULTILINE) if found else []
    return table[2:]


def test_the_page_has_the_tables():
    for heading in ("Facts", "Rules", "Statements and questions", "What is not read, and why"):
        assert len(rows(heading)) > 5, heading


@pytest.mark.parametrize(("sentence", "reading"), [*rows("Facts"), *rows("Rules")])
def test_what_is_read(sentence, reading):
    assert "; ".join(lines(sentence)) == reading.replace("←", "<-")


@pytest.mark.parametrize(("question", "statement"), rows("Statements and questions"))
def test_what_is_asked(question, statement):
    found = READER.read_statement(question)
    assert found is not None
    assert said(found) == statement


@pytest.mark.parametrize(("sentence", "why"), rows("What is not read, and why"))
def test_what_is_not_read(sentence, why):
    assert reason(sentence) == why

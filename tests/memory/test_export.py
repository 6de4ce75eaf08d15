"""Export and import: complete, and the same again."""

from __future__ import annotations

from pathlib import Path

import pytest

from goalmem import FormatError, Memory, NotFoundError
from goalmem.language import Analyzer

from .conftest import FIRST, remember


def test_a_round_trip_keeps_everything(tmp_path: Path, analyzer: Analyzer) -> None:
    with Memory(analyzer=analyzer) as first, Memory(analyzer=analyzer) as second:
        remember(first)
        remember(first, space="other")
        written = first.export(tmp_path / "a.jsonl")
        assert second.import_(tmp_path / "a.jsonl") == written == 14
        assert second.import_(tmp_path / "a.jsonl") == 0
        second.export(tmp_path / "b.jsonl")
        assert (tmp_path / "a.jsonl").read_text() == (tmp_path / "b.jsonl").read_text()
        question = "Where does Ruben's sister live?"
        assert first.ask(question).proof.to_json() == second.ask(question).proof.to_json()
        assert second.add(FIRST, session="one", at="2024-05-08T18:00:00").new == 0


def test_one_space_alone(memory: Memory, tmp_path: Path) -> None:
    remember(memory)
    memory.add([{"role": "user", "content": "Secret."}], space="other")
    assert memory.export(tmp_path / "a.jsonl", space="default") == 7
    assert "Secret" not in (tmp_path / "a.jsonl").read_text()
    with pytest.raises(NotFoundError):
        memory.export(tmp_path / "a.jsonl", space="nowhere")


@pytest.mark.parametrize(
    "text", ["", "{}", "[]\n", '{"goalmem": 99}\n', '{"goalmem": 1}\n{"space": 3}\n', '{"goalmem": 1}\n{half']
)
def test_what_is_no_export_is_refused(tmp_path: Path, memory: Memory, text: str) -> None:
    (tmp_path / "x.jsonl").write_text(text)
    with pytest.raises(FormatError):
        memory.import_(tmp_path / "x.jsonl")

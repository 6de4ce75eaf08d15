"""A memory in PostgreSQL finds, answers and proves what one in a file does."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from benchmarks.search import questions, sentence
from typer.testing import CliRunner

from goalmem import Memory
from goalmem.cli.app import app
from goalmem.language import Analyzer
from goalmem.settings import Settings
from tests.memory.conftest import remember

TIE = 1e-5
"""Scores this near are equal but for the order of sums."""
ASKED = (
    "What is the name of Nadia's dog?",
    "Where does Ilse live?",
    "Does Nadia like olives?",
    "Where did Ruben start a job?",
    "What does Ilse's neighbour do?",
)


@pytest.fixture(scope="module")
def place(empty_database: Callable[[], str]) -> str:
    return empty_database()


@pytest.fixture(scope="module")
def both(place: str, analyzer: Analyzer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Memory, Memory]]:
    """The same conversations, in a file and in PostgreSQL."""
    chance = np.random.default_rng(11)
    made = [
        [{"role": "user", "name": ("Maya", "Leo")[n % 2], "content": sentence(chance)} for n in range(12)]
        for _ in range(3)
    ]
    settings = Settings(reader="none")
    path = tmp_path_factory.mktemp("file") / "memory.goalmem"
    with (
        Memory(path, analyzer=analyzer, settings=settings) as file,
        Memory(place, analyzer=analyzer, settings=settings) as server,
    ):
        for memory in (file, server):
            remember(memory)
            for number, messages in enumerate(made):
                memory.add(messages, space="made", session=f"s{number}", at=f"2024-0{number + 1}-02T10:00:00")
        yield file, server


def test_searches_find_the_same(both: tuple[Memory, Memory]) -> None:
    asked = [(question, "made") for question in questions(20)] + [(question, "default") for question in ASKED]
    for question, space in asked:
        in_file, in_server = (memory.search(question, space=space, k=10) for memory in both)
        assert [hit.score for hit in in_server] == pytest.approx([hit.score for hit in in_file], abs=TIE)
        for a, b in zip(in_file, in_server, strict=True):
            assert a.turn == b.turn or abs(a.score - b.score) <= TIE


def test_answers_and_proofs_are_the_same(both: tuple[Memory, Memory]) -> None:
    for question in ASKED:
        in_file, in_server = (memory.ask(question) for memory in both)
        assert (in_server.text, in_server.status, in_server.citations) == (
            in_file.text,
            in_file.status,
            in_file.citations,
        )
        assert both[1].verify(in_server).ok


def test_everything_else_that_a_memory_does(both: tuple[Memory, Memory], tmp_path: Path) -> None:
    file, server = both
    assert server.spaces() == file.spaces()
    assert server.sessions() == file.sessions()
    assert server.history("Ilse") == file.history("Ilse")
    assert server.export(tmp_path / "server.jsonl") == file.export(tmp_path / "file.jsonl")
    assert server.check() == []
    assert server.add([{"role": "user", "content": "Bye."}], space="brief").new == 1
    assert server.forget(space="brief", everything=True).turns == 1


def test_a_changed_turn_is_the_same(both: tuple[Memory, Memory]) -> None:
    said = [
        {"role": "user", "name": "Ivo", "content": "Lea moved to Turin."},
        {"role": "user", "name": "Ivo", "content": "She works at a bank.", "metadata": {"n": 1}},
    ]
    told = []
    for memory in both:
        turns = memory.add(said, space="changed", at="2024-05-01").turns
        old = memory.ask("Where does Lea live?", space="changed")
        memory.update(turns[0], text="Mia moved to Trento.", metadata={"n": 2}, space="changed")
        assert any("was changed on" in c.detail for c in memory.verify(old).failures)
        answers = [memory.ask(q, space="changed") for q in ("Where does Mia live?", "Where does Mia work?")]
        assert all(memory.verify(answer).ok for answer in answers)
        where = {"$not": {"n": 1}}
        found = [t.text for t in memory.get_all(space="changed", where=where).items]
        versions = [v.text for v in memory.versions(turns[0], space="changed")]
        told.append(([a.text for a in answers], found, versions, memory._parts.store.facts("changed")))
        assert memory.check() == []
        memory.forget(space="changed", everything=True)
    assert told[0] == told[1]
    assert told[0][1:3] == (["Mia moved to Trento."], ["Lea moved to Turin.", "Mia moved to Trento."])


def test_the_command_line_takes_a_url(
    place: str, both: tuple[Memory, Memory], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(*arguments: str) -> str:
        result = CliRunner().invoke(app, list(arguments))
        assert result.exit_code == 0, result.output
        return result.output

    assert "Bruges" in run("ask", "Where does Ilse live?", "--store", place)
    monkeypatch.setenv("GOALMEM_STORE", place)
    assert "beagle" in run("search", "a beagle")
    assert json.loads(run("stats", "--json"))["counts"]["turns"] == 7
    chat = tmp_path / "chat.json"
    chat.write_text(json.dumps([{"role": "user", "name": "Ana", "content": "I moved to Porto."}]), encoding="utf-8")
    run("add", str(chat), "--space", "cli")
    assert "1 turn," in run("forget", "--all", "--space", "cli", "--yes")
    moved = json.loads(run("move", place, str(tmp_path / "copy.goalmem"), "--json"))
    assert (moved["turns"], moved["spaces"], moved["new"]) == (43, 2, True)
    assert "Bruges" in run("ask", "Where does Ilse live?", "--store", str(tmp_path / "copy.goalmem"))


def test_a_large_space_is_indexed_by_a_command(place: str, both: tuple[Memory, Memory]) -> None:
    def run(*arguments: str) -> str:
        return CliRunner().invoke(app, list(arguments)).output

    assert run("index", "--store", place, "--space", "made") == "made: 36 turns, searched in the database\n"
    with Memory(place, settings=Settings(reader="none")) as memory:
        assert len(memory.search("What did Maya repair?", space="made", k=5)) == 5
        changed = memory.search("What did Maya repair?", space="made", k=1)[0].turn
        memory.update(changed.id, text="Maya sharpened the zither.", space="made")
        assert memory.search("the zither", space="made", k=1)[0].turn.text == "Maya sharpened the zither."
        memory.update(changed.id, text=changed.text, space="made")
    assert run("index", "--store", place, "--space", "made", "--drop") == "made: searched in memory\n"
    assert CliRunner().invoke(app, ["index", "--store", place, "--space", "none"]).exit_code == 3
    assert CliRunner().invoke(app, ["index", "--store", "some.goalmem"]).exit_code == 3

"""`goalmem reindex`."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Goalmem
from tests.models.endpoint import answers, rejects, serving
from tests.models.test_endpoint import embeds

OWN = "all-MiniLM-L6-v2-int8-8199be6f"


def test_the_model_is_changed_and_changed_back(goalmem: Goalmem, store: Path, monkeypatch: pytest.MonkeyPatch):
    with serving(embeds()) as endpoint:
        monkeypatch.setenv("GOALMEM_EMBEDDING_URL", endpoint.url)
        done = goalmem("reindex", "--embedder", "openai:tiny")
        assert done.exit_code == 0, done.stderr
        assert done.stdout == f"memory.goalmem: 3 turns embedded; vectors are of openai:tiny/6, no longer {OWN}\n"
        again = goalmem("reindex", "--embedder", "openai:tiny")
        assert again.stdout == "memory.goalmem: vectors are of openai:tiny/6 already\n"
        assert "Wotan" in goalmem("search", "dog", "-k", "1").stdout
        monkeypatch.setenv("GOALMEM_EMBEDDER", "minilm")
        refused = goalmem("search", "dog")
        assert refused.exit_code == 4
        assert "openai:tiny/6" in refused.stderr
        assert "goalmem reindex --embedder minilm" in refused.stderr
    monkeypatch.delenv("GOALMEM_EMBEDDING_URL")
    told = json.loads(goalmem("reindex", "--json").stdout)
    assert told == {"store": "memory.goalmem", "new": True, "before": "openai:tiny/6", "after": OWN, "turns": 3}
    assert "Wotan" in goalmem("search", "dog", "-k", "1").stdout
    assert goalmem("check").exit_code == 0


def test_one_that_fails_says_how_far_it_is_and_is_given_up(
    goalmem: Goalmem, store: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("GOALMEM_EMBEDDING_RETRIES", "0")
    with serving(embeds(), answers(503, "")) as endpoint:
        monkeypatch.setenv("GOALMEM_EMBEDDING_URL", endpoint.url)
        failed = goalmem("reindex", "--embedder", "openai:tiny")
        assert failed.exit_code == 4
        assert "tiny at 127.0.0.1" in failed.stderr
    assert goalmem("reindex", "--status").stdout == (
        f"memory.goalmem: vectors are of {OWN}, 384 dimensions\n"
        "  a change to openai:tiny/6 is under way: 0 of 3 turns\n"
    )
    told = json.loads(goalmem("reindex", "--status", "--json").stdout)
    assert told["under_way"] == {"model": {"name": "openai:tiny/6", "dimension": 6}, "done": 0, "turns": 3}
    assert "Wotan" in goalmem("search", "dog", "-k", "1").stdout
    assert goalmem("reindex", "--give-up").stdout == "given up: the vectors in use stay\n"
    assert goalmem("reindex", "--give-up").stdout == "nothing is under way\n"
    assert json.loads(goalmem("reindex", "--status", "--json").stdout)["under_way"] is None


def test_what_is_under_way_is_gone_on_with(goalmem: Goalmem, store: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GOALMEM_EMBEDDING_RETRIES", "0")
    with serving(embeds(), rejects("no", status=500), embeds()) as endpoint:
        monkeypatch.setenv("GOALMEM_EMBEDDING_URL", endpoint.url)
        assert goalmem("reindex", "--embedder", "openai:tiny").exit_code == 4
        assert "3 turns embedded" in goalmem("reindex").stdout


def test_what_makes_no_sense_is_refused(goalmem: Goalmem, store: Path):
    assert "No embedder was named" in goalmem("reindex").stderr
    assert "no embedder 'bert'" in goalmem("reindex", "--embedder", "bert").stderr
    assert goalmem("reindex", "--status", "--give-up").exit_code == 2
    assert goalmem("reindex", "--embedder", "minilm", "--store", "no.goalmem").exit_code == 3
    Path("text.goalmem").write_text("hello " * 100)
    refused = goalmem("reindex", "--embedder", "minilm", "--store", "text.goalmem")
    assert refused.exit_code == 4
    assert "not a goalmem store" in refused.stderr

"""What was removed stands in no file any more: not in the store, its write-ahead log, or what a server keeps beside it."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from goalmem import Memory, Settings
from goalmem.language import Analyzer

from ..serve.conftest import serve

__all__ = ["serve"]

WORD = "Quokkaville"
NEVER = Settings(busy_timeout=3600)
"""Who waits for a reader here waits for the tests to be ended."""


def files_with_the_word(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.rglob("*") if p.is_file() and WORD.lower().encode() in p.read_bytes().lower())


@contextmanager
def reading(store: Path) -> Iterator[None]:
    """Another process looks at the store as it is now."""
    other = sqlite3.connect(store, isolation_level=None)
    try:
        other.execute("BEGIN")
        other.execute("SELECT count(*) FROM space").fetchone()
        yield
    finally:
        other.close()


def told(memory: Memory) -> None:
    memory.add(f"I live in {WORD}.", session="one", at="2024-05-01")
    memory.add("I own a kayak.", session="two", at="2024-05-02")
    memory.add_rules(f"Everybody from {WORD} is nice. Bob is big.", partial=True)
    memory.import_graph([("Ada", "lives in", WORD), ("Ada", "owns", "a lamp")])
    memory.ask(f"Who lives in {WORD}?")


def removed(memory: Memory) -> None:
    memory.forget(session="one")
    memory.remove_rules([rule.id for rule in memory.rules()])
    memory.remove_graph()


@pytest.mark.parametrize(
    "then", [lambda m: m.stats(), lambda m: m.add("Hello.", session="two"), lambda m: m.search("lamp")]
)
def test_removed_words_leave_the_log_once_nobody_reads_it(
    analyzer: Analyzer, tmp_path: Path, then: Callable[[Memory], object]
):
    store = tmp_path / "store.goalmem"
    with Memory(store, analyzer=analyzer, settings=NEVER) as memory:
        told(memory)
        assert files_with_the_word(tmp_path)
        with reading(store):
            removed(memory)  # and waits for nobody
        then(memory)
        assert files_with_the_word(tmp_path) == []
        assert memory.check() == []


def test_without_a_reader_removed_words_are_gone_at_once(analyzer: Analyzer, tmp_path: Path):
    with Memory(tmp_path / "store.goalmem", analyzer=analyzer, settings=NEVER) as memory:
        told(memory)
        removed(memory)
        assert files_with_the_word(tmp_path) == []


def test_a_server_keeps_no_removed_words(serve, tmp_path: Path):
    client = serve(tmp_path / "store.goalmem")
    once = iter({"Idempotency-Key": str(n)} for n in range(9))
    turn = client.post("/v1/messages", json={"messages": "I live in Ghent."}, headers=next(once)).json()["turns"][0]
    client.patch(f"/v1/turns/{turn}", json={"text": f"I live in {WORD}."}, headers=next(once))
    client.post(
        "/v1/rules", json={"text": f"Everybody from {WORD} is nice. {WORD} of.", "partial": True}, headers=next(once)
    )
    graph = f"Ada\tlives in\t{WORD}\n".encode()
    assert client.post("/v1/graph/triples?name=b.tsv", content=graph, headers=next(once)).status_code == 201
    lines = f"Ada\tlives in\t{WORD}\n{WORD}\n".encode()
    job = client.post("/v1/uploads?name=a.tsv&format=graph", content=lines, headers=next(once)).json()
    while client.get(f"/v1/jobs/{job['id']}").json()["state"] not in ("failed", "done"):
        pass
    assert files_with_the_word(tmp_path)
    for rule in client.get("/v1/rules").json()["items"]:
        assert client.delete(f"/v1/rules/{rule['id']}").status_code == 200
    assert client.delete("/v1/graph").status_code == 200
    assert client.delete(f"/v1/turns/{turn}").status_code == 200
    assert files_with_the_word(tmp_path) == []


def test_words_of_what_expired_leave_what_was_answered_before(serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    client = serve(tmp_path / "store.goalmem")
    turn = client.post("/v1/messages", json={"messages": "I live in Ghent."}).json()["turns"][0]
    client.patch(f"/v1/turns/{turn}", json={"text": f"I live in {WORD}.", "ttl": 1}, headers={"Idempotency-Key": "1"})
    assert files_with_the_word(tmp_path)
    while client.get("/v1/stats").json()["turns"]:
        pass
    until = time.monotonic() + 60  # What was answered is emptied behind the turns: by then a busy machine has done it.
    while files_with_the_word(tmp_path) and time.monotonic() < until:
        time.sleep(0.05)
    assert files_with_the_word(tmp_path) == []

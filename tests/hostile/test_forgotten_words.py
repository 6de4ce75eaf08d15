"""What was removed stands in no file any more: not in the store, its write-ahead log, or what a server keeps beside it."""

from __future__ import annotations

import random
import sqlite3
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from goalmem import Memory, Settings
from goalmem.language import Analyzer

from ..serve.conftest import serve

pytest.importorskip("fastapi")

from starlette.testclient import TestClient

from goalmem.serve.idempotency import Acknowledgements, IdempotentWrite
from goalmem.serve.ledger import Ledger
from goalmem.serve.service import Service

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


def changed_for_a_second(client: TestClient) -> None:
    """A turn holds the word, as an answer does that is kept under a key, until it expires."""
    turn = client.post("/v1/messages", json={"messages": "I live in Ghent."}).json()["turns"][0]
    client.patch(f"/v1/turns/{turn}", json={"text": f"I live in {WORD}.", "ttl": 1}, headers={"Idempotency-Key": "1"})
    time.sleep(1)


def test_the_call_that_removes_what_expired_removes_what_was_answered(serve, tmp_path: Path, monkeypatch):
    monkeypatch.setattr(Service, "purge_all", lambda _: None)  # who calls is who removes
    client = serve(tmp_path / "store.goalmem")
    changed_for_a_second(client)
    assert {Path(name).suffix for name in files_with_the_word(tmp_path)} >= {".db-wal"}
    assert client.get("/v1/stats").json()["turns"] == 0
    assert files_with_the_word(tmp_path) == []


def test_what_expires_in_the_midst_of_a_call_leaves_what_was_answered(serve, tmp_path: Path, monkeypatch):
    monkeypatch.setattr(Service, "purge_all", lambda _: None)  # who calls is who removes
    client = serve(tmp_path / "store.goalmem")
    changed_for_a_second(client)
    assert client.service.memory.sessions() == []
    assert files_with_the_word(tmp_path) == []


def test_an_answer_that_is_late_is_not_kept_of_what_is_gone(serve, tmp_path: Path):
    client = serve(tmp_path / "store.goalmem")
    client.post("/v1/messages", json={"messages": f"I live in {WORD}.", "session": "one"})
    answers, once = client.service.acknowledged, IdempotentWrite("", "default", "1", b"")
    with ThreadPoolExecutor(1) as other:
        assert other.submit(answers.begin, once).result() is None
        assert client.post("/v1/forget", json={"session": "one"}, headers={"Idempotency-Key": "2"}).status_code == 200
        other.submit(answers.finish, once, 200, WORD.encode()).result()
        assert files_with_the_word(tmp_path) == []
        assert answers.begin(once) is None
    again = client.post("/v1/forget", json={"session": "one"}, headers={"Idempotency-Key": "2"})
    assert again.headers["Idempotency-Replayed"] == "true"


def test_what_another_process_removes_leaves_the_answers_of_a_running_server(serve, tmp_path: Path, analyzer: Analyzer):
    client = serve(tmp_path / "store.goalmem")
    message, key = {"messages": f"I live in {WORD}."}, {"Idempotency-Key": "1"}
    turn = client.post("/v1/messages", json=message, headers=key).json()["turns"][0]
    changed = {"text": f"I live in {WORD} now."}
    client.patch(f"/v1/turns/{turn}", json=changed, headers={"Idempotency-Key": "2"})
    rules = client.post("/v1/rules", json={"text": f"Everybody from {WORD} is nice."}, headers={"Idempotency-Key": "3"})
    client.service.purge_all()
    assert client.post("/v1/messages", json=message, headers=key).headers["Idempotency-Replayed"] == "true"
    with Memory(tmp_path / "store.goalmem", analyzer=analyzer) as other:
        other.forget(turn=turn)
        client.service.purge_all()
        assert client.service.acknowledged.spaces() == []
        assert (
            client.post("/v1/rules", json={"text": "Bob is big."}, headers={"Idempotency-Key": "4"}).status_code == 201
        )
        other.remove_rules([rule.id for rule in other.rules()])
    assert (
        "Idempotency-Replayed"
        not in client.post("/v1/rules", json={"text": "Bob is big."}, headers={"Idempotency-Key": "4"}).headers
    )
    assert rules.status_code == 201
    assert files_with_the_word(tmp_path) == []


@pytest.mark.parametrize("ended", ["before the answers went", "before they were overwritten"])
def test_a_server_that_was_killed_leaves_no_removed_words_to_the_next(tmp_path: Path, ended: str, monkeypatch):
    ledger = Ledger(tmp_path)
    answers, once = Acknowledgements(ledger), IdempotentWrite("", "default", "1", b"")
    answers.begin(once)
    answers.finish(once, 200, WORD.encode())
    removal = answers.expect_removal("default")
    if ended == "before they were overwritten":
        with monkeypatch.context() as patch:
            patch.setattr(Ledger, "scrub", lambda *_, **__: None)
            answers.end_removal(removal)
    assert files_with_the_word(tmp_path)
    later = Ledger(tmp_path)
    Acknowledgements(later).take_up()
    assert files_with_the_word(tmp_path) == []
    later.close()
    ledger.close()


def test_answers_that_were_moved_between_pages_leave_no_copy(tmp_path: Path):
    chance, ledger = random.Random(98), Ledger(tmp_path)  # noqa: S311 - without writing the file anew a copy stays with this one
    answers = Acknowledgements(ledger)
    for n in range(50):
        once = IdempotentWrite("c", chance.choice("ab"), str(chance.random()), bytes(32))
        answers.begin(once)
        answers.finish(once, 200, f"{WORD} of {once.space}{'.' * chance.randrange(900)}".encode())
        if n % 10 == 9:
            answers.end_removal(answers.expect_removal(once.space))
            assert not any(f"{WORD} of {once.space}".encode() in file.read_bytes() for file in tmp_path.glob("*.db*"))
    ledger.close()

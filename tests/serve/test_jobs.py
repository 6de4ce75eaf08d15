"""Uploads: taken durably, remembered in the background, resumed exactly once."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from goalmem import StoreFullError
from goalmem.schema.server_models import Job
from goalmem.serve import job_runner
from tests.cases import one_in

from .conftest import Serve, add, problem_of

CHAT = b"".join(b"Leo: I met person number %d at the harbour.\n" % n for n in range(100))


def ended(client: TestClient, id_: str) -> dict[str, object]:
    for _ in range(1000):
        answer = client.get(f"/v1/jobs/{id_}")
        assert answer.status_code == 200, answer.text
        job = answer.json()
        if job["state"] in ("done", "failed"):
            return job
        time.sleep(0.02)
    raise AssertionError(f"the job does not end: {job}")


def test_a_file_is_remembered_in_the_background(client: TestClient):
    sent = client.post("/v1/uploads", params={"name": "chat.txt", "at": "2024-05-01"}, content=CHAT[:2000])
    assert sent.status_code == 202
    Job.model_validate_json(sent.content)
    job = ended(client, sent.json()["id"])
    lines = CHAT[:2000].count(b"\n") + 1
    assert (job["state"], job["done"], job["total"], job["new"]) == ("done", lines, lines, lines)
    turns = client.get("/v1/turns", params={"session": "chat"}).json()["items"]
    assert len(turns) == lines
    assert turns[0]["at"].startswith("2024-05-01")
    assert not list(client.service.ledger.uploads.iterdir()), "the file is gone"


def test_sending_it_again_adds_nothing(client: TestClient):
    for new in (3, 0):
        sent = client.post("/v1/uploads", params={"name": "chat.txt"}, content=b"A: one\nB: two\nA: three\n")
        assert ended(client, sent.json()["id"])["new"] == new


@pytest.mark.parametrize(
    ("content", "params", "said"),
    [
        (b'{"messages": [{"role": "user"}]}', {}, "line 1"),
        (b'[{"role": "user", "content": "a"}, {"role": "nobody", "content": "b"}]', {}, "role"),
        (b"\xff\xfe\x00", {}, ""),
        (b"nonsense", {"format": "export"}, "line 1"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_whole(client: TestClient, content: bytes, params: dict, said: str):
    job = ended(client, client.post("/v1/uploads", params=params, content=content).json()["id"])
    assert job["state"] == "failed"
    assert said in str(job["problem"])
    assert job["remedy"]
    assert client.get("/v1/stats").json()["turns"] == 0


@pytest.mark.parametrize(
    "params",
    one_in(
        2,
        [
            {"format": "nothing"},
            {"at": "someday"},
            {"format": "export", "session": "a"},
            {"name": ""},
            {"prune": "true"},
            {"format": "document", "metadata": "{"},
            {"format": "document", "document": "docx"},
        ],
    ),
)
def test_options_that_fit_no_file_are_refused_at_once(client: TestClient, params: dict[str, str]):
    problem_of(client.post("/v1/uploads", params=params, content=b"A: one\n"), 422)


def test_what_failed_is_resumed_where_it_stopped(client: TestClient, monkeypatch: pytest.MonkeyPatch):
    store, pieces = job_runner.store_messages, []

    def failing(parts, placed, *where):
        if len(pieces) == 1:
            pieces.append(0)
            raise StoreFullError("The disk is full.", "Free some.")
        pieces.append(len(placed))
        return store(parts, placed, *where)

    monkeypatch.setattr(job_runner, "store_messages", failing)
    id_ = client.post("/v1/uploads", params={"name": "chat.txt"}, content=CHAT).json()["id"]
    job = ended(client, id_)
    assert (job["state"], job["done"]) == ("failed", job_runner.PIECE)
    assert client.post(f"/v1/jobs/{id_}/resume").status_code == 202
    job = ended(client, id_)
    assert (job["state"], job["done"], job["new"]) == ("done", 100, 100)
    assert sum(pieces) == 100, "no piece was stored twice"
    assert client.get("/v1/stats").json()["turns"] == 100
    problem_of(client.post(f"/v1/jobs/{id_}/resume"), 409)


def test_a_job_goes_on_after_a_restart(serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    store = tmp_path / "store.goalmem"
    first = serve(store)
    monkeypatch.setattr(first.service.runner, "start", lambda job: None)
    id_ = first.post("/v1/uploads", params={"name": "chat.txt"}, content=CHAT[:3000]).json()["id"]
    lines = CHAT[:3000].count(b"\n") + 1
    # As if it had stored a piece, and was killed before it could note that.
    job = first.service.jobs.find(id_)
    next(job_runner.stored(first.service.memory, job, first.service.jobs.file(id_)))
    first.service.jobs.note(id_, state="running", total=lines)
    second = serve(store)
    job = ended(second, id_)
    assert (job["state"], job["done"], job["new"]) == ("done", lines, lines - job_runner.PIECE)
    assert second.get("/v1/stats").json()["turns"] == lines


def test_a_job_can_be_ended(client: TestClient, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(client.service.runner, "start", lambda job: None)
    id_ = client.post("/v1/uploads", content=CHAT).json()["id"]
    assert client.delete(f"/v1/jobs/{id_}").json() == {"removed": [id_]}
    problem_of(client.get(f"/v1/jobs/{id_}"), 404)
    assert not list(client.service.ledger.uploads.iterdir())


def test_who_forgets_everything_forgets_files_that_wait(client: TestClient, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(client.service.runner, "start", lambda job: None)
    add(client, "hello")
    client.post("/v1/uploads", content=CHAT)
    client.post("/v1/forget", json={"everything": True})
    assert client.get("/v1/jobs").json()["items"] == []
    assert not list(client.service.ledger.uploads.iterdir())


def test_an_export_names_no_other_space(client: TestClient):
    lines = [
        {"goalmem": 1},
        {"space": "other", "session": "s", "session_at": "2024-05-01T00:00:00+00:00", "role": "user", "speaker": "Leo",
         "text": "hello", "at": "2024-05-01T00:00:00+00:00", "hash": "ab", "place": 0},
    ]  # fmt: skip
    content = "\n".join(map(json.dumps, lines)).encode()
    job = client.post("/v1/uploads", params={"format": "export", "space": "mine"}, content=content).json()
    assert ended(client, job["id"])["state"] == "done"
    assert client.get("/v1/spaces").json()["items"] == ["mine"]


def test_other_writes_come_between_the_pieces_of_a_file(client: TestClient):
    id_ = client.post("/v1/uploads", params={"name": "chat.txt"}, content=CHAT * 3).json()["id"]
    while client.get(f"/v1/jobs/{id_}").json()["done"] == 0:
        time.sleep(0.01)
    add(client, "Something else.", session="between")
    assert client.get(f"/v1/jobs/{id_}").json()["state"] == "running"
    client.delete(f"/v1/jobs/{id_}")


def test_files_of_no_job_go_at_the_start(serve: Serve, tmp_path: Path):
    store = tmp_path / "store.goalmem"
    left = serve(store).service.ledger.uploads / "0123.part"
    left.write_bytes(b"cut off")
    serve(store)
    assert left.exists(), "another process may be receiving it"
    os.utime(left, (time.time() - 3600,) * 2)
    serve(store)
    assert not left.exists()


def test_a_document_is_remembered_in_the_background(client: TestClient):
    page = b'<!doctype html><h1>Ferries</h1><p>The ferry leaves from <b>pier four</b>.<p>I like it.<meta name="x">'
    for new in (2, 0):
        params = {"format": "document", "name": "page.html", "at": "2024-05-01", "author": "Rosa"}
        params["metadata"] = '{"tags": ["sea"]}'
        job = ended(client, client.post("/v1/uploads", params=params, content=page + b" " * new).json()["id"])
        assert (job["state"], job["format"], job["total"], job["new"]) == ("done", "document", 2, new)
    (first, second) = client.get("/v1/turns", params={"session": "page.html"}).json()["items"]
    assert (first["role"], first["speaker"], first["at"][:10]) == ("document", "Rosa", "2024-05-01")
    assert first["metadata"] == {"source": "page.html", "heading": "Ferries", "tags": ["sea"]}
    assert second["text"] == "I like it."
    gone = page.replace(b"I like it.", b"I love it.")
    job = ended(client, client.post("/v1/uploads", params=params | {"prune": "true"}, content=gone).json()["id"])
    assert job["new"] == 1
    kept = client.get("/v1/turns", params={"session": "page.html"}).json()["items"]
    assert [turn["text"] for turn in kept] == [first["text"], "I love it."]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.pdf", b"nonsense", "named as a PDF"),
        ("a.json", b"[]", "not a readable document"),
        ("a.txt", b"caf\xe9", "not valid UTF-8"),
    ],
)
def test_a_bad_document_is_refused_whole(client: TestClient, name: str, content: bytes, said: str):
    params = {"format": "document", "name": name}
    job = ended(client, client.post("/v1/uploads", params=params, content=content).json()["id"])
    assert job["state"] == "failed"
    assert said in job["problem"]
    assert client.get("/v1/stats").json()["turns"] == 0

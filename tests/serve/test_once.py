"""Idempotency keys and ETags: nothing is done twice, and nothing on a false premise."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from .conftest import Serve, add, key_for, problem_of

ONCE = {"Idempotency-Key": "one"}


def test_the_same_again_is_answered_the_same(client: TestClient):
    first = client.post("/v1/messages", json={"messages": "hello"}, headers=ONCE)
    again = client.post("/v1/messages", json={"messages": "hello"}, headers=ONCE)
    assert (first.json(), first.status_code) == (again.json(), again.status_code)
    assert first.json()["new"] == 1
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"


def test_another_request_under_the_same_key_is_refused(client: TestClient):
    add(client, "hello", ONCE)
    problem_of(client.post("/v1/messages", json={"messages": "goodbye"}, headers=ONCE), 422)
    problem_of(client.post("/v1/rules", json={"text": "Bob is big."}, headers=ONCE), 422)
    assert client.get("/v1/stats").json()["turns"] == 1


def test_it_survives_a_restart(serve: Serve, tmp_path: Path):
    store = tmp_path / "store.goalmem"
    first = serve(store).post("/v1/messages", json={"messages": "hello"}, headers=ONCE)
    again = serve(store).post("/v1/messages", json={"messages": "hello"}, headers=ONCE)
    assert first.json() == again.json()
    assert again.headers["idempotency-replayed"] == "true"


def test_what_a_process_began_and_did_not_finish_is_done_again(serve: Serve, tmp_path: Path):
    store = tmp_path / "store.goalmem"
    client = serve(store)
    add(client, "hello", ONCE)
    with client.service.ledger.writing() as connection:
        connection.execute("UPDATE acknowledged SET status = NULL, body = NULL, owner = 'a process that was killed'")
    assert add(client, "hello", ONCE)["new"] == 0, "it was stored before the end"


def test_what_failed_may_be_tried_again(client: TestClient):
    problem_of(client.post("/v1/rules", json={"text": "Green furiously."}, headers=ONCE), 422)
    assert client.post("/v1/rules", json={"text": "Bob is big."}, headers=ONCE).status_code == 201


def test_keys_of_callers_and_spaces_are_apart(client: TestClient):
    maya, leo = key_for(client, "maya", "shared"), key_for(client, "leo", "shared")
    for headers, space in ((maya, "maya"), (leo, "leo"), (maya, "shared"), (leo, "shared")):
        done = client.post("/v1/messages", json={"messages": space}, headers=headers | ONCE, params={"space": space})
        assert done.status_code == 201
        assert "idempotency-replayed" not in done.headers


def test_an_upload_is_taken_once(client: TestClient):
    first = client.post("/v1/uploads", content=b"Leo: hello\n", headers=ONCE)
    again = client.post("/v1/uploads", content=b"Leo: hello\n", headers=ONCE)
    assert first.json() == again.json()
    assert len(client.get("/v1/jobs").json()["items"]) == 1
    problem_of(client.post("/v1/uploads", content=b"Leo: goodbye\n", headers=ONCE), 422)


@pytest.mark.parametrize("key", ["", " ", "a b", "x" * 256])
def test_a_key_that_cannot_be_used_is_refused(client: TestClient, key: str):
    problem_of(client.post("/v1/messages", json={"messages": "hello"}, headers={"Idempotency-Key": key}), 400)
    assert client.get("/v1/stats").json()["turns"] == 0


def test_forgetting_leaves_nothing_of_what_was_answered(client: TestClient):
    add(client, "hello", ONCE, session="a secret name")
    client.post("/v1/forget", json={"everything": True})
    assert client.service.ledger.rows("SELECT * FROM acknowledged") == []


def test_a_space_changes_its_etag_with_its_turns_and_rules(client: TestClient):
    seen = set()

    def etag() -> str:
        answer = client.get("/v1/stats")
        assert client.get("/v1/rules").headers["etag"] == answer.headers["etag"]
        return answer.headers["etag"]

    seen.add(etag())
    add(client, "hello")
    seen.add(etag())
    client.post("/v1/rules", json={"text": "Bob is big."})
    seen.add(etag())
    client.post("/v1/forget", json={"session": "default"})
    seen.add(etag())
    assert len(seen) == 4
    assert client.get("/v1/stats", headers={"If-None-Match": etag()}).status_code == 304
    before = etag()
    add(client, "hello", space="another")
    assert etag() == before


def test_nothing_is_changed_on_a_false_premise(client: TestClient):
    add(client, "hello")
    seen = client.get("/v1/stats").headers["etag"]
    add(client, "more", session="more")
    stale = {"If-Match": seen}
    problem_of(client.post("/v1/forget", json={"everything": True}, headers=stale), 412)
    problem_of(client.post("/v1/rules", json={"text": "Bob is big."}, headers=stale), 412)
    problem_of(client.post("/v1/messages", json={"messages": "x"}, headers=stale), 412)
    assert client.get("/v1/stats").json()["turns"] == 2
    fresh = {"If-Match": client.get("/v1/stats").headers["etag"]}
    done = client.post("/v1/forget", json={"session": "more"}, headers=fresh)
    assert done.status_code == 200
    assert client.post("/v1/forget", json={"everything": True}, headers={"If-Match": done.headers["etag"]}).json()[
        "turns"
    ]


def test_everything_stays_for_who_is_wrong_also_of_jobs(client: TestClient, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(client.service.runner, "start", lambda job: None)
    client.post("/v1/uploads", content=b"Leo: hello\n")
    problem_of(client.post("/v1/forget", json={"everything": True}, headers={"If-Match": '"0"'}), 412)
    assert len(client.get("/v1/jobs").json()["items"]) == 1

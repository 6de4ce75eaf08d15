"""What a file holds is told before it is stored; the demo; what turns were judged to say."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from goalmem.language.terms import matching_words, terms_of
from goalmem.schema import server_models

from .conftest import TOLD, add, problem_of

CHAT = "Ana: I bought a kite.\nBo: Lovely.\nAna: It is red.\nBo: Mine is blue.\n"


def test_a_preview_tells_what_would_be_stored_and_stores_nothing(client: TestClient):
    told = client.post("/v1/uploads/preview", params={"name": "park.txt", "at": "2024-05-02"}, content=CHAT)
    found = server_models.Preview.model_validate_json(told.content)
    assert (found.sessions, found.messages, found.whole) == (1, 4, True)
    assert [(m.speaker, m.text) for m in found.items[0].first][:2] == [("Ana", "I bought a kite."), ("Bo", "Lovely.")]
    assert client.get("/v1/stats").json()["turns"] == 0
    assert client.get("/v1/jobs").json()["items"] == []
    assert not list(client.service.ledger.uploads.iterdir())


def test_a_preview_and_the_upload_agree(client: TestClient):
    sessions = [
        {"session": f"s{n}", "messages": [{"name": "Ana", "content": f"I have kite {n}."} for _ in range(n)]}
        for n in (40, 1, 3)
    ]
    content = "\n".join(map(json.dumps, sessions))
    found = client.post("/v1/uploads/preview", content=content).json()
    assert {i["session"]: i["messages"] for i in found["items"]} == {"s40": 40, "s1": 1, "s3": 3}
    job = client.post("/v1/uploads", content=content).json()
    assert finished(client, job["id"])["total"] == found["messages"] == 44


@pytest.mark.parametrize("content", [b"", b"\x00\x01", b"[]", b'{"messages": [{"role": 4}]}'])
def test_a_preview_of_what_cannot_be_read_says_why(client: TestClient, content: bytes):
    problem_of(client.post("/v1/uploads/preview", content=content), 422)
    assert not list(client.service.ledger.uploads.iterdir())


def test_the_demo_is_remembered_once(client: TestClient):
    for _ in range(2):
        job = client.post("/v1/demo").json()
        done = finished(client, job["id"])
        assert (done["state"], done["done"]) == ("done", done["total"])
    counts = client.get("/v1/stats").json()
    assert counts["turns"] == done["total"]
    assert counts["rules"]
    assert counts["triples"]


def test_a_graph_of_what_is_stated_has_sentences_of_turns(told: TestClient):
    every = told.get("/v1/graph").json()["edges"]
    stated = told.get("/v1/graph", params={"stated": True}).json()["edges"]
    assert 0 < len(stated) <= len(every)
    for edge in stated:
        assert {name: value for name, value in edge.items() if name != "text"} in every
        assert edge["text"].endswith(".")
    said = [s for t in told.get("/v1/turns").json()["items"] for s in statements(told, t["id"])]
    assert {edge["fact"] for edge in stated} <= {s["fact"] for s in said}


def test_a_node_without_a_name_is_called_as_it_was_said(client: TestClient):
    add(client, [{"name": "Ana", "content": "I have ninety violins. I live in Porto."}])
    nodes = client.get("/v1/graph", params={"stated": True}).json()["nodes"]
    labels = {node["id"]: node["label"] for node in nodes}
    assert labels["ninety violin"] == "ninety violins"
    assert labels["Porto"] == "Porto"


def test_statements_of_a_turn_are_what_it_was_judged_to_say(client: TestClient):
    add(client, [*TOLD, {"name": "Ana", "content": "Would you ever adopt a beagle? Here it is."}])
    *_, asked = client.get("/v1/turns").json()["items"]
    assert statements(client, asked["id"]) == []
    problem_of(client.get("/v1/turns/t0/statements"), 404)


def test_a_search_marks_the_words_that_match(told: TestClient):
    hit = told.post("/v1/search", json={"query": "adopting beagles", "marked": True}).json()["items"][0]
    assert [hit["turn"]["text"][start:end] for start, end in hit["matches"]] == ["adopted", "beagle"]
    assert told.post("/v1/search", json={"query": "adopting beagles"}).json()["items"][0].get("matches") is None


@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(st.text(max_size=30), st.text(max_size=80))
def test_what_is_marked_shares_a_term_and_lies_in_the_text_in_order(query: str, text: str):
    end = 0
    for start, stop in matching_words(f"{query} {text[:9]}", text):
        assert end <= start < stop <= len(text)
        assert set(terms_of(text[start:stop])) & set(terms_of(f"{query} {text[:9]}"))
        end = stop


def statements(client: TestClient, turn: str) -> list[dict[str, object]]:
    return client.get(f"/v1/turns/{turn}/statements").json()["items"]


def finished(client: TestClient, job: str) -> dict[str, object]:
    for _ in range(3000):
        found = client.get(f"/v1/jobs/{job}").json()
        if found["state"] in ("done", "failed"):
            return found
        time.sleep(0.02)
    raise AssertionError(found)

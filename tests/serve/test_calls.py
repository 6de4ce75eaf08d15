"""Every call does what the method of the memory does."""

from __future__ import annotations

import json
import time
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from goalmem import Proof
from goalmem.language import Analyzer
from goalmem.schema import models, server_models

from .conftest import TOLD, add, problem_of, serving

ASK = {"question": "What did Nadia adopt?"}


def test_messages_are_remembered_once(client: TestClient):
    receipt = add(client, TOLD, session="one", at="2024-05-08")
    assert (receipt["session"], receipt["new"], receipt["repaired"]) == ("one", 3, [])
    assert add(client, TOLD, session="one", at="2024-05-08") == receipt | {"new": 0}
    assert client.get("/v1/stats").json()["turns"] == 3


@pytest.mark.parametrize("messages", ["I adopted a beagle.", {"content": "I adopted a beagle."}])
def test_a_single_message_will_do(client: TestClient, messages: object):
    assert add(client, messages)["new"] == 1


def test_a_turn_is_there_verbatim(told: TestClient):
    first = told.get("/v1/turns", params={"session": "one"}).json()["items"][0]
    assert first["text"] == TOLD[0]["content"]
    assert told.get(f"/v1/turns/{first['id']}").json() == first
    problem_of(told.get("/v1/turns/t123"), 404)


def test_a_turn_is_changed_and_what_it_was_is_told(client: TestClient):
    add(client, TOLD, session="one", at="2024-05-08")
    first, second, _ = client.get("/v1/turns", params={"session": "one"}).json()["items"]
    before = client.post("/v1/ask", json=ASK).json()
    path = f"/v1/turns/{first['id']}"
    changed = client.patch(
        path, json={"text": "I adopted a parrot.", "tags": ["pets"]}, headers={"Idempotency-Key": "k1"}
    )
    assert changed.status_code == 200, changed.text
    models.Turn.model_validate_json(changed.content)
    assert changed.json() == first | {"text": "I adopted a parrot.", "metadata": {"tags": ["pets"]}}
    assert changed.headers["etag"] == client.get("/v1/stats").headers["etag"]
    history = client.get(f"{path}/history")
    models.TurnVersions.model_validate_json(history.content)
    assert [item["text"] for item in history.json()["items"]] == [first["text"], "I adopted a parrot."]
    assert client.post("/v1/ask", json=ASK).json()["text"] == "parrot"
    assert not client.post("/v1/verify", json={"proof": before["proof"]}).json()["ok"]
    stale = {"If-Match": '"0-0"'}
    problem_of(client.patch(path, json={"text": "Else."}, headers=stale), 412)
    problem_of(client.patch(path, json={}), 422)
    problem_of(client.patch(path, json={"text": "x", "speaker": "Zoe"}), 422)
    problem_of(client.patch("/v1/turns/t123", json={"text": "x"}), 404)
    problem_of(client.get("/v1/turns/t123/history"), 404)
    assert len(client.get(f"/v1/turns/{second['id']}/history").json()["items"]) == 1


def test_a_space_that_is_full_is_a_507(analyzer: Analyzer):
    with serving(analyzer, space_turns=2) as client:
        add(client, TOLD[:2])
        problem_of(client.post("/v1/messages", json={"messages": TOLD}), 507)
        stats = client.get("/v1/stats").json()
        assert (stats["turns"], stats["quota"]) == (2, {"turns": 2, "bytes": 0})


def test_what_has_expired_is_removed_where_nobody_asks(analyzer: Analyzer, tmp_path: Path):
    with serving(analyzer, tmp_path / "life.db", retention=0.05) as client:
        add(client, [{"role": "user", "content": "The vault's code word is marzipan."}])
        time.sleep(0.06)
        client.service.purge_all()
        assert b"marzipan" not in (tmp_path / "life.db").read_bytes()
        assert client.service.memory.spaces() == []


def test_a_search_finds_and_says_why(told: TestClient):
    hits = told.post("/v1/search", json={"query": "the beagle", "k": 1}).json()["items"]
    assert hits[0]["turn"]["text"] == TOLD[0]["content"]
    assert hits[0]["score"] == pytest.approx(sum(hits[0]["signals"].values()), abs=0.01)
    assert told.post("/v1/search", json={"query": "beagle", "speakers": ["Ruben"]}).json()["items"][0]["turn"][
        "speaker"
    ] == ("Ruben")


def test_recall_ranks_by_reasoning(told: TestClient):
    hits = told.post("/v1/recall", json={"query": "Where does Ruben's sister live?", "k": 1}).json()["items"]
    assert hits[0]["turn"]["text"] == TOLD[1]["content"]


def test_an_answer_comes_with_a_proof_that_verifies(told: TestClient):
    answer = told.post("/v1/ask", json=ASK).json()
    assert (answer["text"], answer["status"]) == ("beagle", "proved")
    assert Proof.from_json(json.dumps(answer["proof"])).answer == "beagle"
    checked = told.post("/v1/verify", json={"proof": answer["proof"]}).json()
    assert checked["ok"]
    assert all(check["ok"] for check in checked["checks"])


def test_an_altered_proof_does_not_verify(told: TestClient):
    proof = told.post("/v1/ask", json=ASK).json()["proof"]
    assert not told.post("/v1/verify", json={"proof": proof | {"answer": "cat"}}).json()["ok"]
    problem_of(told.post("/v1/verify", json={"proof": {"version": 1}}), 422)


def test_what_is_not_known_says_what_is_missing(told: TestClient):
    answer = told.post("/v1/ask", json={"question": "Where does Zoe work?"}).json()
    assert (answer["text"], answer["status"]) == ("I don't know", "unknown")
    assert answer["missing"]
    why = told.post("/v1/why-not", json={"question": "Where does Zoe work?"}).json()
    assert why["stage"] == answer["missing"][0]["stage"]
    assert why["missing"] == answer["missing"]


def test_i_is_who_is_said_to_ask(told: TestClient):
    answer = told.post("/v1/ask", json={"question": "What did I adopt?", "speaker": "Nadia"}).json()
    assert (answer["text"], answer["proof"]["asker"]) == ("beagle", "Nadia")
    assert told.post("/v1/verify", json={"proof": answer["proof"]}).json()["ok"]
    assert not told.post("/v1/verify", json={"proof": answer["proof"] | {"asker": "Ruben"}}).json()["ok"]
    assert (
        told.post("/v1/ask", json={"question": "What did I adopt?", "speaker": "Ruben"}).json()["status"] == "unknown"
    )
    why = told.post("/v1/why-not", json={"question": "What did I sell?", "speaker": "Ruben"}).json()
    assert "Ruben" in why["missing"][0]["atom"]
    context = told.post("/v1/context", json={"utterance": "Where does my sister live?", "speaker": "Ruben"}).json()
    assert "Bruges" in context["text"]
    for path in ("/v1/search", "/v1/recall"):
        hits = told.post(path, json={"query": "my new job", "speaker": "Nadia"}).json()["items"]
        assert hits[0]["turn"]["speaker"] == "Nadia"
    problem_of(told.post("/v1/ask", json={"question": "What did I adopt?", "speaker": ""}), 422)


@pytest.mark.usefixtures("likely")
def test_an_answer_may_be_likely(told: TestClient):
    row = told.post("/v1/ask", json=ASK).json()
    answer = models.Answer.model_validate(row)
    assert (answer.status, answer.text, answer.confidence) == ("likely", "beagle", 0.62)
    assert told.post("/v1/verify", json={"proof": row["proof"]}).json()["ok"]
    schema = told.get("/openapi.json").json()["components"]["schemas"]["Answer"]["properties"]["status"]
    assert schema["enum"] == ["proved", "likely", "disproved", "unknown"]


def test_a_question_may_be_estimated(told: TestClient):
    assert told.post("/v1/ask", json=ASK | {"dry_run": True}).json()["calls"] == 0


def test_a_context_quotes_what_bears_on_it(told: TestClient):
    context = told.post("/v1/context", json={"utterance": "Where does Ilse live?", "max_tokens": 300}).json()
    assert "Bruges" in context["text"]
    assert 0 < context["tokens"] <= 300


def test_facts_are_listed_by_whom_they_are_about(told: TestClient):
    facts = told.get("/v1/facts", params={"about": "Ilse"}).json()["items"]
    assert any(f["predicate"] == "live" for f in facts)
    turn = facts[0]["turn"]
    assert {f["turn"] for f in told.get("/v1/facts", params={"turn": turn}).json()["items"]} == {turn}
    every = told.get("/v1/facts").json()["items"]
    assert len(every) == told.get("/v1/stats").json()["facts"]


def test_history_says_what_replaced_what(client: TestClient):
    add(client, [{"name": "Maya", "content": "I live in Porto."}], session="a", at="2024-01-01")
    add(client, [{"name": "Maya", "content": "I live in Oslo now."}], session="b", at="2024-06-01")
    entries = client.get("/v1/history", params={"about": "Maya"}).json()["items"]
    assert [e["superseded_by"] for e in entries] == [entries[1]["fact"]["id"], None]


def test_entities_and_their_graph(told: TestClient):
    names = [e["entity"] for e in told.get("/v1/entities").json()["items"]]
    assert names == sorted(names, key=str.casefold)
    assert "Comet" in names
    assert [e["entity"] for e in told.get("/v1/entities", params={"q": "COME"}).json()["items"]] == [
        "Comet",
        "Comet's name",
    ]
    graph = told.get("/v1/graph", params={"around": "Nadia"}).json()
    ids = {node["id"] for node in graph["nodes"]}
    assert "Nadia" in ids
    assert all({e["subject"], e["object"]} <= ids for e in graph["edges"])
    assert len(told.get("/v1/graph", params={"limit": 1}).json()["edges"]) == 1


def test_rules_are_kept_listed_and_removed(client: TestClient):
    said = {"text": "Big people are rough. Bob is big."}
    report = client.post("/v1/rules", json=said).json()
    assert report["new"] == 2
    rules = client.get("/v1/rules").json()["items"]
    assert [r["id"] for r in rules] == report["ids"]
    assert client.post("/v1/ask", json={"question": "Is Bob rough?"}).json()["text"] == "Yes"
    assert client.delete(f"/v1/rules/{report['ids'][0]}").json() == {"removed": [report["ids"][0]]}
    problem_of(client.delete(f"/v1/rules/{report['ids'][0]}"), 404)
    problem_of(client.post("/v1/rules", json={"text": "Colourless green furiously."}), 422)
    problem_of(client.post("/v1/rules", json={"text": "Carl is big.", "world": "open"}), 409)


def test_forgetting_has_a_preview(client: TestClient):
    turns = add(client, TOLD, session="one")["turns"]
    preview = client.post("/v1/forget", json={"turn": turns[0], "preview": True}).json()
    assert (preview["turns"], preview["sessions"]) == (1, 0)
    assert [t["id"] for t in preview["items"]] == [turns[0]]
    assert client.get("/v1/stats").json()["turns"] == 3
    gone = client.post("/v1/forget", json={"turn": turns[0]}).json()
    assert {n: gone[n] for n in ("turns", "facts")} == {n: preview[n] for n in ("turns", "facts")}
    whole = client.post("/v1/forget", json={"session": "one", "preview": True}).json()
    assert (whole["turns"], whole["sessions"]) == (2, 1)
    assert client.post("/v1/forget", json={"everything": True}).json()["turns"] == 2
    problem_of(client.post("/v1/forget", json={"everything": True}), 404)
    problem_of(client.post("/v1/forget", json={"session": "one", "preview": True}), 404)
    problem_of(client.post("/v1/forget", json={}), 422)
    problem_of(client.post("/v1/forget", json={"session": "one", "turn": "t1"}), 422)


def test_an_export_can_be_uploaded_again(client: TestClient, serve, tmp_path):
    add(client, TOLD, session="one", at="2024-05-08")
    client.post("/v1/rules", json={"text": "Bob is big."})
    exported = client.get("/v1/export")
    assert exported.headers["content-type"].startswith("application/jsonl")
    other = serve()
    other.post("/v1/uploads", params={"format": "export", "space": "copy"}, content=exported.content)
    wait_for_jobs(other, "copy")
    assert other.get("/v1/turns", params={"space": "copy"}).json()["items"][0]["text"] == TOLD[0]["content"]
    assert len(other.get("/v1/rules", params={"space": "copy"}).json()["items"]) == 1
    assert client.get("/v1/export", headers={"Range": "bytes=x"}).status_code == 400
    assert not list(client.service.ledger.uploads.iterdir()), "the export's file is gone"


def wait_for_jobs(client: TestClient, space: str) -> None:
    import time

    for _ in range(500):
        if all(
            j["state"] in ("done", "failed") for j in client.get("/v1/jobs", params={"space": space}).json()["items"]
        ):
            return
        time.sleep(0.01)
    raise AssertionError("the jobs do not end")


def test_spaces_and_sessions_are_listed(client: TestClient):
    add(client, TOLD, space="a", session="late", at="2024-05-08")
    add(client, TOLD, space="b", session="x", at="2024-05-08")
    add(client, TOLD, space="a", session="early", at="2024-05-07")
    assert client.get("/v1/spaces").json() == {"items": ["a", "b"], "next": None}
    sessions = client.get("/v1/sessions", params={"space": "a"}).json()["items"]
    assert [(s["session"], s["turns"]) for s in sessions] == [("early", 3), ("late", 3)]
    assert datetime.fromisoformat(sessions[0]["at"]).day == 7


@pytest.mark.parametrize(
    ("path", "model"),
    [
        ("/v1/stats", models.Stats),
        ("/v1/spaces", models.Spaces),
        ("/v1/sessions", models.Sessions),
        ("/v1/turns", models.Turns),
        ("/v1/facts", models.Facts),
        ("/v1/history?about=Nadia", models.History),
        ("/v1/profile?who=Nadia", models.Profile),
        ("/v1/profile", models.Profile),
        ("/v1/entities", models.Entities),
        ("/v1/rules", models.Rules),
        ("/v1/graph", models.Graph),
        ("/v1/graph?stated=true", models.Graph),
        ("/v1/keys", server_models.Keys),
        ("/v1/jobs", server_models.Jobs),
        ("/health", server_models.Health),
        ("/ready", server_models.Ready),
    ],
)
def test_what_is_answered_is_what_is_described(told: TestClient, path: str, model: type[models.Result]):
    model.model_validate_json(told.get(path).content)


@pytest.mark.parametrize(
    ("path", "body", "model"),
    [
        ("search", {"query": "beagle"}, models.Hits),
        ("recall", {"query": "beagle"}, models.Hits),
        ("ask", ASK, models.Answer),
        ("ask", {"question": "Where does Zoe work?"}, models.Answer),
        ("why-not", {"question": "Where does Zoe work?"}, models.WhyNot),
        ("context", {"utterance": "Plan a walk with Comet."}, models.Context),
        ("ask", ASK | {"dry_run": True}, models.Estimate),
        ("forget", {"everything": True, "preview": True}, models.Forgotten),
    ],
)
def test_results_are_what_is_described(told: TestClient, path: str, body: object, model: type[models.Result]):
    model.model_validate_json(told.post(f"/v1/{path}", json=body).content)


def test_triples_are_imported_explored_asked_and_removed(client: TestClient):
    said = "Inception|directed_by|Christopher Nolan\nMemento|directed_by|Christopher Nolan\n"
    report = client.post("/v1/graph/triples", content=said, params={"name": "films.txt"})
    assert report.status_code == 201, report.text
    assert (report.json()["triples"], report.json()["known"]) == (2, False)
    assert client.post("/v1/graph/triples", content=said, params={"name": "films.txt"}).json()["known"]
    graph = client.get("/v1/graph", params={"source": "imported", "around": "Memento", "limit": 5}).json()
    models.Graph.model_validate(graph)
    assert {(e["subject"], e["relation"], e["object"]) for e in graph["edges"]} == {
        ("Memento", "directed_by", "Christopher Nolan"),
        ("Inception", "directed_by", "Christopher Nolan"),
    }
    assert client.get("/v1/graph", params={"source": "imported"}).json()["edges"]
    assert client.get("/v1/stats").json()["triples"] == 2
    problem_of(client.post("/v1/graph/triples", content="no triples"), 422)
    assert client.delete("/v1/graph").json() == {"triples": 2}
    problem_of(client.delete("/v1/graph"), 404)
    assert client.get("/v1/graph", params={"source": "imported"}).json() == {"nodes": [], "edges": []}


def test_a_graph_can_be_uploaded(client: TestClient):
    content = b"".join(b"film %d|has_year|19%02d\n" % (n, n % 90) for n in range(300))
    client.post("/v1/uploads", params={"format": "graph", "name": "films.txt"}, content=content)
    wait_for_jobs(client, "default")
    (job,) = client.get("/v1/jobs").json()["items"]
    assert (job["state"], job["new"], job["problem"]) == ("done", 300, "")
    client.post("/v1/forget", json={"everything": True})
    assert client.get("/v1/stats").json()["triples"] == 0


def test_a_misspelt_key_of_a_message_is_refused(client: TestClient):
    said = {"role": "user", "content": "secret pin 42", "expire_at": "2026-12-01"}
    refused = problem_of(client.post("/v1/messages", json={"messages": [said]}), 422)
    assert "'expire_at'" in refused["detail"]
    assert "'expires_at'" in refused["detail"]
    assert client.get("/v1/stats").json()["turns"] == 0


@pytest.mark.parametrize(
    "call", ["/v1/turns?tag=work", "/v1/turns?wehre=1", "/v1/facts?speaker=Maya", "/v1/stats?limit=3"]
)
def test_an_unknown_parameter_is_refused_with_those_that_the_call_takes(told: TestClient, call: str):
    refused = problem_of(told.get(call), 422)
    assert "takes no parameter" in refused["detail"]
    assert "space" in refused["remedy"]


def test_every_call_refuses_parameters_that_it_does_not_describe(told: TestClient):
    description = told.get("/openapi.json").json()["paths"]
    for path, calls in description.items():
        for method, call in calls.items():
            if path.startswith("/v1/"):
                known = [one["name"] for one in call["parameters"] if one["in"] == "query"]
                refused = told.request(method, path, params={"unheard_of": "1"} | dict.fromkeys(required(call), "1"))
                problem = problem_of(refused, 422)
                assert problem["remedy"] == f"It takes {', '.join(known)}.", (path, method, problem)


def required(call: dict[str, Any]) -> list[str]:
    return [one["name"] for one in call["parameters"] if one["in"] == "query" and one["required"]]

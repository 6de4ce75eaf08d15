"""A Graphiti server: recorded answers of its documented REST API, `POST /search` (zepai/graphiti 0.22, graphiti/server)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from goalmem import BackendError, InputError
from goalmem.integrations.backends.graphiti_server import GraphitiServerBackend
from tests.integrations.backends.conftest import ASKED, Over
from tests.integrations.backends.recorded import Recorded, serving

pytest.importorskip("httpx2")

FACTS = [
    {
        "uuid": "f1",
        "name": "LIVES_IN",
        "fact": "Ilse lives in Bruges.",
        "valid_at": "2024-09-02T00:00:00+00:00",
        "invalid_at": None,
        "created_at": "2024-09-05T08:00:00+00:00",
        "expired_at": None,
    },
    {
        "uuid": "f2",
        "name": "LIVES_IN",
        "fact": "Ilse lives in Ghent.",
        "valid_at": "2024-05-08T18:00:00+00:00",
        "invalid_at": "2024-09-02T00:00:00+00:00",
        "created_at": "2024-05-08T18:00:00+00:00",
        "expired_at": "2024-09-05T08:00:00+00:00",
    },
]


@pytest.fixture
def recorded() -> Iterator[Recorded]:
    with serving(Recorded({("POST", "/search"): {"facts": FACTS}})) as server:
        yield server


@pytest.fixture
def backend(recorded: Recorded) -> Iterator[GraphitiServerBackend]:
    with GraphitiServerBackend(recorded.url, group_ids=["maya"]) as opened:
        yield opened


def test_goal_mem_works_over_a_server(recorded: Recorded, backend: GraphitiServerBackend, over: Over):
    memory = over(backend)
    answer = memory.ask("Where does Ilse live?", at=ASKED)
    assert (answer.text, answer.citations) == ("Bruges", ("f1",))
    assert memory.verify(answer).ok
    assert recorded.asked[0][2]["group_ids"] == ["maya"]
    recorded.answers["POST", "/search"] = {"facts": FACTS[1:]}
    assert not memory.verify(answer).ok


def test_facts_that_have_ended_are_passed_on_when_asked_for(recorded: Recorded):
    with GraphitiServerBackend(recorded.url, group_ids=["maya"], ended=True) as backend:
        assert [(p.id, str(p.at)) for p in backend.search("Ilse", 5)] == [
            ("f1", "2024-09-02 00:00:00+00:00"),
            ("f2", "2024-05-08 18:00:00+00:00"),
        ]
        assert len(backend.search("Ilse", 1)) == 1


@pytest.mark.parametrize("groups", [[], "maya"])
def test_whose_partitions_are_searched_must_be_said(groups: Any):
    with pytest.raises(InputError, match="partition"):
        GraphitiServerBackend("http://127.0.0.1:9", group_ids=groups)


@pytest.mark.parametrize("answer", ["<html>Welcome</html>", {"status": "ok"}, {"facts": "none"}, [], 7])
def test_an_answer_that_is_none_of_graphitis_is_an_error(
    recorded: Recorded, backend: GraphitiServerBackend, over: Over, answer: Any
):
    recorded.answers["POST", "/search"] = answer
    with pytest.raises(BackendError, match="Graphiti sent an unreadable response"):
        over(backend).ask("Where does Ilse live?", at=ASKED)


def test_what_is_no_fact_is_left_out(recorded: Recorded, backend: GraphitiServerBackend):
    recorded.answers["POST", "/search"] = {"facts": [None, "x", {}, {"fact": 7}, FACTS[0]]}
    assert [p.id for p in backend.search("Ilse", 5)] == ["f1"]


@pytest.mark.parametrize(("status", "refused"), [(401, True), (422, True), (429, False), (503, False)])
def test_what_graphiti_refuses_is_an_error_and_what_may_pass_makes_answers_fewer(
    recorded: Recorded, backend: GraphitiServerBackend, over: Over, status: int, refused: bool
):
    recorded.status = status
    memory = over(backend)
    if refused:
        with pytest.raises(BackendError, match=f"Graphiti refused the request with status {status}"):
            memory.ask("Where does Ilse live?", at=ASKED)
    else:
        assert f"status {status}" in memory.ask("Where does Ilse live?", at=ASKED).missing[0].reason


def test_a_server_that_is_slow_or_gone_makes_answers_fewer(recorded: Recorded, over: Over):
    recorded.seconds = 1.0
    for url, seconds in ((recorded.url, 0.1), ("http://127.0.0.1:9", 1.0)):
        with GraphitiServerBackend(url, group_ids=["maya"], seconds=seconds) as backend:
            answer = over(backend).ask("Where does Ilse live?", at=ASKED)
        assert "Graphiti did not answer" in answer.missing[0].reason

"""Letta: its client against recorded answers of the documented API (as letta-client 1.12.1 calls it), and the adapter over stubs.

The answers hold the fields that letta-client 1.12.1 documents for `GET /v1/agents/{id}/archival-memory/search`; a Letta server needs
a database and a language model of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from goalmem import BackendError
from goalmem.integrations.backends.letta import LettaBackend
from tests.integrations.backends.conftest import ASKED, PASSAGES, Over
from tests.integrations.backends.recorded import Recorded, serving

AGENT = "agent-123e4567-e89b-42d3-8456-426614174000"
MEMORY = f"/v1/agents/{AGENT}/archival-memory"
RESULTS = [
    {
        "id": f"passage-{place}",
        "content": f"{p.speaker}: {p.text}",
        "timestamp": p.at.isoformat() if p.at else "",
        "tags": [f"goalmem_turn:{p.id}", f"speaker:{p.speaker}", "session:a: b", "role:user"],
    }
    for place, p in enumerate(PASSAGES)
]


@pytest.fixture
def recorded() -> Iterator[Recorded]:
    answers = {
        ("GET", f"{MEMORY}/search"): {"count": len(RESULTS), "results": RESULTS},
        ("POST", MEMORY): [{"id": "passage-9", "text": "Ruben: Ilse bought a sailing boat."}],
    }
    with serving(Recorded(answers)) as server:
        yield server


def client_of(url: str) -> Any:
    """Letta's own client, of that server."""
    letta = pytest.importorskip("letta_client")
    return letta.Letta(base_url=url, api_key="key", max_retries=0)


def stub(results: Any) -> Any:
    """As much of `letta_client.Letta` as the adapter uses."""
    rows = [SimpleNamespace(**row) for row in results] if isinstance(results, list) else results
    passages = SimpleNamespace(search=lambda agent, **asked: SimpleNamespace(count=1, results=rows))
    return SimpleNamespace(agents=SimpleNamespace(passages=passages))


def test_a_passage_has_its_speaker_session_and_time(over: Over):
    backend = LettaBackend(stub(RESULTS), AGENT)
    first = backend.search("beagle", 1)[0]
    assert (first.id, first.speaker, first.session, first.at) == ("passage-0", "Nadia", "a: b", PASSAGES[0].at)
    memory = over(backend)
    answer = memory.ask("When did Nadia adopt a beagle?", at=ASKED)
    assert "3 May 2024" in answer.text
    assert memory.verify(answer).ok


def test_an_agents_own_tags_are_no_fields():
    rows = [
        {"id": "p", "content": "Ilse lives in Bruges.", "timestamp": "2024-09-04 18:00", "tags": ["role:tool", "x"]}
    ]
    (passage,) = LettaBackend(stub(rows), AGENT).search("Ilse", 1)
    assert (passage.role, passage.speaker) == ("user", "")


@pytest.mark.parametrize("results", [None, "none", {}])
def test_an_answer_without_results_is_an_error(results: Any):
    with pytest.raises(BackendError, match="without a list of results"):
        LettaBackend(stub(results), AGENT).search("Ilse", 3)


def test_goal_mem_works_over_lettas_client(recorded: Recorded, over: Over):
    memory = over(LettaBackend(client_of(recorded.url), AGENT, tags=["friends"]))
    answer = memory.ask("Where does Ilse live?", at=ASKED)
    assert "Bruges" in answer.text
    assert memory.verify(answer).ok
    method, path, sent = recorded.asked[0]
    assert (method, path) == ("GET", f"{MEMORY}/search")
    assert sent["tag_match_mode"] == "any"


def test_what_is_known_is_not_added_again(recorded: Recorded):
    backend = LettaBackend(client_of(recorded.url), AGENT, tags=["friends"])
    backend.add([PASSAGES[2]])
    assert [method for method, _, _ in recorded.asked] == ["GET"]
    recorded.answers["GET", f"{MEMORY}/search"] = {"count": 0, "results": []}
    backend.add([PASSAGES[2]])
    _, _, sent = recorded.asked[-1]
    assert sent["text"] == "Ruben: Ilse bought a sailing boat."
    assert sent["created_at"] == "2024-05-08T18:00:00+00:00"
    assert sent["tags"] == ["friends", "goalmem_turn:row-2", "speaker:Ruben", "role:user"]


@pytest.mark.parametrize(("status", "refused"), [(401, True), (404, True), (422, True), (429, False), (500, False)])
def test_what_letta_refuses_is_an_error_and_what_may_pass_makes_answers_fewer(
    recorded: Recorded, over: Over, status: int, refused: bool
):
    recorded.answers["GET", f"{MEMORY}/search"] = {"detail": "no such thing"}
    recorded.status = status
    memory = over(LettaBackend(client_of(recorded.url), AGENT))
    if refused:
        with pytest.raises(BackendError, match=f"Letta refused the request with status {status}"):
            memory.ask("Where does Ilse live?", at=ASKED)
    else:
        answer = memory.ask("Where does Ilse live?", at=ASKED)
        assert f"status {status}" in answer.missing[0].reason


@pytest.mark.parametrize("answer", ["<html>Welcome</html>", {"status": "ok"}, {"results": "none"}, []])
def test_an_answer_that_is_none_of_lettas_is_an_error(recorded: Recorded, over: Over, answer: Any):
    recorded.answers["GET", f"{MEMORY}/search"] = answer
    with pytest.raises(BackendError, match="Letta sent an unreadable response"):
        over(LettaBackend(client_of(recorded.url), AGENT)).ask("Where does Ilse live?", at=ASKED)


def test_a_server_that_is_slow_or_gone_makes_answers_fewer(recorded: Recorded, over: Over):
    recorded.seconds = 1.0
    for url, seconds in ((recorded.url, 0.1), ("http://127.0.0.1:9", 1.0)):
        answer = over(LettaBackend(client_of(url), AGENT, seconds=seconds)).ask("Where does Ilse live?", at=ASKED)
        assert not answer.known
        assert "Letta did not answer" in answer.missing[0].reason

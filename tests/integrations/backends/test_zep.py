"""Zep: its client against recorded answers of the documented API (v4, as zep-cloud 4.0.1 calls it), and the adapter over stubs.

The answers hold the fields that zep-cloud 4.0.1 documents for `POST /graphs/{uuid}/search/edges`, `…/search/episodes` and
`GET /graphs/{uuid}/edges/{uuid}`; Zep itself runs only on Zep's servers.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from goalmem import BackendError, InputError
from goalmem.integrations.backends import Passage
from goalmem.integrations.backends.zep import ZepBackend
from tests.integrations.backends.conftest import ASKED, AUTUMN, Over
from tests.integrations.backends.recorded import Recorded, serving

GRAPH = "7f0c1f0e-6f0f-4f6e-9b1e-2f7a4f4b9a10"
NOW = "c2a6a5b6-0000-4000-8000-000000000001"
BEFORE = "c2a6a5b6-0000-4000-8000-000000000002"


def edge(uuid: str, fact: str, **fields: Any) -> dict[str, Any]:
    """A fact as Zep returns it."""
    return {
        "uuid": uuid,
        "name": "LIVES_IN",
        "fact": fact,
        "scope": "entity",
        "graph_uuid": GRAPH,
        "episode_uuids": ["e1"],
        "created_at": "2024-09-05T08:00:00Z",
        "valid_at": "2024-09-02T00:00:00Z",
        "invalid_at": None,
        "expired_at": None,
        "source_node_name": "Ilse",
        "target_node_name": "Bruges",
        "score": 0.5,
        "relevance": 0.91,
    } | fields


FACTS = [
    edge(NOW, "Ilse lives in Bruges."),
    edge(BEFORE, "Ilse lives in Ghent.", valid_at="2024-05-08T18:00:00Z", invalid_at="2024-09-02T00:00:00Z"),
]
EPISODES = [
    {
        "uuid": "e1",
        "content": "Ilse moved to Bruges on Monday.",
        "role": "user",
        "role_name": "Ruben",
        "reference_time": "2024-09-04T18:00:00Z",
        "created_at": "2024-09-05T08:00:00Z",
        "thread_uuid": "t1",
        "source": "message",
        "score": 0.4,
    }
]
SEARCH = f"/api/v4/graphs/{GRAPH}/search"


@pytest.fixture
def recorded() -> Iterator[Recorded]:
    answers = {
        ("POST", f"{SEARCH}/edges"): {"items": FACTS, "next_cursor": None},
        ("POST", f"{SEARCH}/episodes"): {"items": EPISODES},
        ("GET", f"/api/v4/graphs/{GRAPH}/edges/{NOW}"): FACTS[0],
        ("GET", f"/api/v4/graphs/{GRAPH}/edges/{BEFORE}"): FACTS[1],
        ("POST", f"/api/v4/graphs/{GRAPH}/episodes"): {"episode": EPISODES[0]},
    }
    with serving(Recorded(answers)) as server:
        yield server


def client_of(url: str) -> Any:
    """Zep's own client, of that server."""
    zep = pytest.importorskip("zep_cloud")
    return zep.Zep(api_key="key", base_url=f"{url}/api/v4")


def as_client_returns(row: dict[str, Any]) -> SimpleNamespace:
    """An answer as zep-cloud reads it: attributes, `uuid_` for `uuid`, None for what is not there."""
    fields = dict.fromkeys((*edge("", ""), "content", "metadata", "role", "role_name", "thread_uuid", "reference_time"))
    return SimpleNamespace(**fields | row | {"uuid_": row["uuid"]})


class Stub:
    """As much of `zep_cloud.Zep` as the adapter uses."""

    def __init__(self, page: Any = None) -> None:
        self.graph = SimpleNamespace(search_edges=self.search, search_episodes=self.search)
        self.page = page
        self.sizes: list[int] = []

    def search(self, graph: str, *, query: str, page_size: int, **options: Any) -> Any:
        self.sizes.append(page_size)
        return self.page


def page_of(rows: list[dict[str, Any]] | None, **extra: Any) -> SimpleNamespace:
    items = [as_client_returns(row) for row in rows] if rows is not None else None
    return SimpleNamespace(items=items, response=SimpleNamespace(model_extra=extra))


def test_facts_are_passed_on_with_the_time_from_which_they_are_true(over: Over):
    backend = ZepBackend(Stub(page_of(FACTS)), GRAPH, ended=True)
    now, before = backend.search("Where does Ilse live?", 9)
    assert (now.id, now.text, now.score) == (NOW, "Ilse lives in Bruges.", 0.91)
    assert str(now.at) == "2024-09-02 00:00:00+00:00"
    assert before.metadata["invalid_at"] == "2024-09-02T00:00:00Z"
    assert "Bruges" in over(backend).search("Where does Ilse live?", at=ASKED)[0].turn.content


def test_a_fact_that_has_ended_answers_nothing_unless_it_is_asked_for(over: Over):
    ended = [
        FACTS[1],
        edge("x", "Ilse lives in Lier.", expired_at="2024-06-01T00:00:00Z"),
        edge("y", "Ilse lives in Mechelen.", invalid_at="2999-01-01T00:00:00Z"),
    ]
    assert [p.text for p in ZepBackend(Stub(page_of(ended)), GRAPH).search("Ilse", 9)] == ["Ilse lives in Mechelen."]
    assert not over(ZepBackend(Stub(page_of(ended[:2])), GRAPH)).ask("Where does Ilse live?", at=ASKED).known


def test_an_episode_has_its_speaker_session_and_time():
    (episode,) = ZepBackend(Stub(page_of(EPISODES)), GRAPH, of="episodes").search("Ilse", 9)
    assert (episode.speaker, episode.session, episode.role) == ("Ruben", "t1", "user")
    assert episode.at == AUTUMN


def test_no_more_is_asked_for_than_zep_gives_at_once():
    stub = Stub(page_of([]))
    assert ZepBackend(stub, GRAPH).search("Ilse", 400) == []
    assert stub.sizes == [50]


def test_a_page_without_items_is_empty_and_another_servers_answer_is_an_error():
    assert ZepBackend(Stub(page_of(None)), GRAPH).search("Ilse", 3) == []
    with pytest.raises(BackendError, match="status"):
        ZepBackend(Stub(page_of(None, status="ok")), GRAPH).search("Ilse", 3)


def test_what_is_searched_is_one_of_two():
    with pytest.raises(InputError, match="episodes"):
        ZepBackend(Stub(), GRAPH, of="nodes")


def test_goal_mem_works_over_zeps_client(recorded: Recorded, over: Over):
    backend = ZepBackend(client_of(recorded.url), GRAPH, reranker="cross_encoder")
    memory = over(backend)
    answer = memory.ask("Where does Ilse live?", at=ASKED)
    assert answer.text == "Bruges"
    assert answer.citations == (NOW,)
    assert memory.verify(answer).ok
    method, path, sent = recorded.asked[0]
    assert (method, path, sent["reranker"]) == ("POST", f"{SEARCH}/edges", "cross_encoder")
    recorded.answers["GET", f"/api/v4/graphs/{GRAPH}/edges/{NOW}"] = FACTS[0] | {"fact": "Ilse lives in Lier."}
    assert not memory.verify(answer).ok


def test_facts_are_looked_up(recorded: Recorded):
    backend = ZepBackend(client_of(recorded.url), GRAPH)
    assert backend.get(NOW) is not None
    assert backend.get(BEFORE) is None
    assert backend.get("nobody") is None


def test_a_message_is_added_as_an_episode_that_zep_knows_again(recorded: Recorded):
    backend = ZepBackend(client_of(recorded.url), GRAPH)
    backend.add([Passage("Ilse moved to Bruges on Monday.", "row-5", "Ruben", AUTUMN, "chat")])
    sent = recorded.asked[-1][2]
    assert sent["data"] == "Ruben: Ilse moved to Bruges on Monday."
    assert sent["type"] == "message"
    assert sent["reference_time"] == "2024-09-04T18:00:00+00:00"
    assert sent["metadata"]["goalmem_turn"] == "row-5"
    backend.add([Passage("Ilse moved to Bruges on Monday.", "row-5", "Ruben", AUTUMN, "chat")])
    backend.add([Passage("Ilse moved to Bruges on Monday.", "row-6", "Ruben", AUTUMN, "chat")])
    first, again, other = (headers["idempotency-key"] for headers in recorded.headers)
    assert first == again != other


@pytest.mark.parametrize(("status", "refused"), [(400, True), (401, True), (404, True), (429, False), (503, False)])
def test_what_zep_refuses_is_an_error_and_what_may_pass_makes_answers_fewer(
    recorded: Recorded, over: Over, status: int, refused: bool
):
    recorded.answers["POST", f"{SEARCH}/edges"] = {"code": "some_code", "message": "no such thing"}
    recorded.status = status
    memory = over(ZepBackend(client_of(recorded.url), GRAPH))
    if refused:
        with pytest.raises(BackendError, match=f"Zep refused the request with status {status}") as raised:
            memory.ask("Where does Ilse live?", at=ASKED)
        assert "key" in raised.value.remedy
    else:
        answer = memory.ask("Where does Ilse live?", at=ASKED)
        assert not answer.known
        assert f"status {status}" in answer.missing[0].reason


@pytest.mark.parametrize("answer", ["<html>Welcome</html>", {"status": "ok"}, {"items": "none"}, []])
def test_an_answer_that_is_none_of_zeps_is_an_error(recorded: Recorded, over: Over, answer: Any):
    recorded.answers["POST", f"{SEARCH}/edges"] = answer
    with pytest.raises(BackendError, match="Zep sent an unreadable response"):
        over(ZepBackend(client_of(recorded.url), GRAPH)).ask("Where does Ilse live?", at=ASKED)


def test_a_server_that_is_slow_or_gone_makes_answers_fewer(recorded: Recorded, over: Over):
    recorded.seconds = 1.0
    for url, seconds in ((recorded.url, 0.1), ("http://127.0.0.1:9", 1.0)):
        answer = over(ZepBackend(client_of(url), GRAPH, seconds=seconds)).ask("Where does Ilse live?", at=ASKED)
        assert not answer.known
        assert "Zep did not answer" in answer.missing[0].reason

"""A client gives what the memory behind the server gives."""

import inspect
import json
import re
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from tests.cases import one_in
from tests.client.conftest import AT, CHAT, QUESTION, Served

from goalmem import AsyncClient, AsyncMemory, Client, Event, Memory, NotFoundError
from goalmem.client import calls, uploads
from goalmem.errors import ConflictError, FormatError, InputError, ProofError, ServiceError, UnreadableRulesError

LOCAL = {"check", "graph", "purge", "reindex"}
"""Methods of a memory that only make sense where its store lies."""


def public(kind: type) -> set[str]:
    return {name for name, value in vars(kind).items() if not name.startswith("_") and callable(value)}


def test_its_methods_are_those_of_the_memory():
    assert public(Memory) - public(Client) <= LOCAL
    assert public(AsyncMemory) - public(AsyncClient) <= LOCAL
    assert public(Client) == public(AsyncClient) - {"ask_events"}


@pytest.mark.parametrize(("client", "memory"), [(Client, Memory), (AsyncClient, AsyncMemory)])
def test_they_take_the_same_parameters(client: type, memory: type):
    """But for the space, whose default is the server's to choose."""
    for name in sorted((public(client) & public(memory)) - {"close"}):
        here = inspect.signature(getattr(client, name)).parameters
        there = inspect.signature(getattr(memory, name)).parameters
        ours = {n: (p.kind, p.default) for n, p in here.items() if n not in ("self", "space")}
        theirs = {n: (p.kind, p.default) for n, p in there.items() if n not in ("self", "space")}
        assert ours == theirs, name
        assert ("space" in here) == ("space" in there), name


def test_what_is_added_is_remembered(client: Client, served: Served, space: str):
    receipt = client.add(CHAT, space=space, session="spring", at=AT)
    assert receipt.new == 3
    assert client.add(CHAT, space=space, session="spring", at=AT) == served.memory.add(
        CHAT, space=space, session="spring", at=AT
    )
    assert client.turn(receipt.turns[0], space=space) == served.memory.turn(receipt.turns[0], space=space)
    assert [turn.text for turn in client.turns("spring", space=space)] == [m["content"] for m in CHAT]
    assert client.sessions(space=space) == served.memory.sessions(space=space)
    assert client.stats(space=space) == served.memory.stats(space=space)
    assert client.spaces() == served.memory.spaces()


def test_metadata_narrows_what_is_found_listed_and_forgotten(client: Client, served: Served, space: str):
    noted = [
        {"role": "user", "name": "Ivo", "content": "I live in Bruges.", "metadata": {"project": "x"}, "tags": ["home"]},
        {"role": "user", "name": "Ivo", "content": "I own a kiln.", "metadata": {"project": "y"}, "ttl": 86_400},
    ]
    client.add(noted, space=space)
    where = {"project": "x"}
    assert [h.turn.metadata for h in client.search("kiln", space=space, where=where)] == [
        {"project": "x", "tags": ["home"]}
    ]
    assert client.ask("Where does Ivo live?", space=space, where=where).text == "Bruges"
    asked = client.ask("Where does Ivo live?", space=space, where={"project": "y"})
    assert not asked.known
    assert client.verify(asked).ok
    assert "kiln" not in client.context("kiln", space=space, where=where).text
    assert client.why_not("Where does Ivo live?", space=space, where={"project": "y"}).missing
    assert client.recall("Where does Ivo live?", space=space, where={"project": "z"}) == []
    page = client.get_all(space=space, limit=1)
    assert page.items == served.memory.get_all(space=space, limit=1).items
    assert client.get_all(space=space, cursor=page.next).items[0].expires_at is not None
    assert client.forget(where=where, dry_run=True, space=space).turns == 1
    assert client.forget(where=where, space=space).turns == 1
    assert [t.text for t in client.get_all(space=space, where={"project": ["x", "y"]}).items] == ["I own a kiln."]
    with pytest.raises(InputError):
        client.get_all(space=space, where={"project": {"$regex": "x"}})


def test_a_turn_is_changed_and_what_it_was_is_kept(client: Client, served: Served, space: str):
    (turn,) = client.add({"role": "user", "name": "Ivo", "content": "I live in Bruges."}, space=space).turns
    changed = client.update(turn, text="I live in Ghent.", metadata={"n": 1}, ttl=timedelta(days=1), space=space)
    assert changed == served.memory.turn(turn, space=space)
    assert client.ask("Where does Ivo live?", space=space).text == "Ghent"
    told, kept = client.versions(turn, space=space), served.memory.versions(turn, space=space)
    assert [(v.text, v.metadata, v.expires_at, v.until) for v in told] == [
        (v.text, v.metadata, v.expires_at, v.until) for v in kept
    ]
    assert client.update(turn, expires_at="never", space=space).expires_at is None
    with pytest.raises(InputError):
        client.update(turn, space=space)


def test_times_may_be_given_as_to_a_memory(client: Client, space: str):

    receipt = client.add({"content": "I sold my bike.", "at": datetime(2024, 5, 1, tzinfo=UTC)}, space=space)
    assert client.turn(receipt.turns[0], space=space).at == datetime(2024, 5, 1, tzinfo=UTC)


def test_searching_finds_the_same(client: Client, served: Served):
    assert client.search("dog", k=2) == served.memory.search("dog", k=2)
    assert client.search("dog", speakers=["Ivo"], without=["phrase"]) == served.memory.search(
        "dog", speakers=["Ivo"], without=["phrase"]
    )
    assert client.recall(QUESTION, k=2) == served.memory.recall(QUESTION, k=2)


def test_i_is_who_is_said_to_ask(client: Client, served: Served):
    answer = client.ask("What did I adopt?", speaker="Nadia")
    assert (answer.text, answer.proof.asker) == ("dog", "Nadia")
    assert client.verify(answer).ok
    assert (
        client.why_not("What did I sell?", speaker="Ivo").missing
        == served.memory.why_not("What did I sell?", speaker="Ivo").missing
    )
    sister = "Where does my sister live?"
    assert client.context(sister, speaker="Ivo") == served.memory.context(sister, speaker="Ivo")
    assert client.search(sister, speaker="Ivo") == served.memory.search(sister, speaker="Ivo")
    assert client.recall(sister, speaker="Ivo") == served.memory.recall(sister, speaker="Ivo")


@pytest.mark.usefixtures("likely")
def test_an_answer_may_be_likely(client: Client):
    answer = client.ask(QUESTION)
    assert (answer.status, answer.known, answer.confidence, answer.proof.status) == ("likely", True, 0.62, "likely")
    assert answer.citations
    assert client.verify(answer).ok


def test_an_answer_comes_with_its_proof(client: Client, served: Served):
    answer, expected = client.ask(QUESTION), served.memory.ask(QUESTION)
    assert (answer.text, answer.citations, answer.values) == (expected.text, expected.citations, expected.values)
    assert answer.proof == expected.proof
    assert answer.known
    for proof in (answer, answer.proof, answer.proof.to_json()):
        assert client.verify(proof) == served.memory.verify(proof)


def test_events_are_told_in_order_and_the_answer_last(client: Client, served: Served):
    here: list[Event] = []
    there: list[Event] = []
    answer = client.ask(QUESTION, on_event=here.append)
    served.memory.ask(QUESTION, on_event=there.append)
    assert answer.text == "Tarnholm"
    assert [(e.kind, e.text) for e in here] == [(e.kind, e.text) for e in there]


def test_what_a_listener_raises_ends_the_asking(client: Client):
    def listener(event: Event) -> None:
        raise ConnectionResetError("the listener's own")

    with pytest.raises(ConnectionResetError, match="own"):
        client.ask(QUESTION, on_event=listener)


def test_what_is_not_known_comes_with_what_is_missing(client: Client, served: Served):
    question = "Does Ivo have a boat?"
    why, expected = client.why_not(question), served.memory.why_not(question)
    assert (why.stage, why.missing, why.to_dict()) == (expected.stage, expected.missing, expected.to_dict())
    assert not client.ask(question).known


def test_a_question_may_be_estimated(client: Client, served: Served):
    assert client.ask(QUESTION, dry_run=True) == served.memory.ask(QUESTION, dry_run=True)


def test_a_context_is_the_same(client: Client, served: Served):
    assert client.context("Buy a toy for Nadia's dog", max_tokens=200) == served.memory.context(
        "Buy a toy for Nadia's dog", max_tokens=200
    )
    with pytest.raises(InputError, match="tokens"):
        client.context("Hello", count=len)


def test_a_profile(client: Client, served: Served):
    assert client.profile("Lucia") == served.memory.profile("Lucia")
    assert client.profile(at="2024-05-01", limit=3) == served.memory.profile(at="2024-05-01", limit=3)


def test_facts_and_their_history(client: Client, served: Served):
    assert client.history("Lucia") == served.memory.history("Lucia")
    turn = client.search("dog", k=1)[0].turn
    assert {fact.turn for fact in client.facts(turn=turn.id)} == {turn.id}
    assert len(client.facts()) == served.memory.stats().facts


def test_rules_are_kept_and_removed(client: Client, served: Served, space: str):
    report = client.add_rules("Big people are rough. Bob is big.", space=space)
    assert (report.new, report.world) == (2, "closed")
    kept, expected = client.rules(space=space), served.memory.rules(space=space)
    assert [(s.id, s.text, s.logic, s.world) for s in kept] == [(s.id, s.text, s.logic, s.world) for s in expected]
    assert client.ask("Is Bob rough?", space=space).text.lower().startswith("yes")
    assert client.remove_rules([kept[0].id, "rule-unknown"], space=space) == [kept[0].id]
    assert client.remove_rules(kept[0].id, space=space) == []


def test_a_graph_is_imported_asked_and_removed(
    client: Client, space: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    file = tmp_path / "films.txt"
    file.write_text("Alien|directed_by|Ridley Scott\nAlien|release_year|1979\n", encoding="utf-8")
    report = client.import_graph(file, space=space)
    assert (report.source, report.triples, report.known) == ("films.txt", 2, False)
    assert client.import_graph(file, space=space).known
    assert client.remove_graph(space=space) == 2
    monkeypatch.setattr("goalmem.client.uploads.MOST_AT_ONCE", 1)
    assert client.import_graph(file, space=space, name="again").triples == 2
    with pytest.raises(NotFoundError):
        client.remove_graph(space=space + "-other")
    with pytest.raises(InputError, match="as a file"):
        client.import_graph([("Alien", "directed_by", "Ridley Scott")], space=space)
    file.write_text("no triple at all\n", encoding="utf-8")
    with pytest.raises(FormatError):
        client.import_graph(file, space=space)


def test_what_is_forgotten_is_gone(client: Client, space: str):
    receipt = client.add(CHAT, space=space, session="spring")
    assert client.forget(turn=receipt.turns[0], space=space).turns == 1
    assert client.forget(session="spring", space=space).turns == 2
    with pytest.raises(NotFoundError):
        client.forget(space=space, everything=True)


def test_what_has_expired_is_purged_and_counted(client: Client, space: str):
    client.add([{"content": "The pin is 4711.", "ttl": 0.001}, {"content": "I like tea."}], space=space)
    time.sleep(0.01)
    assert client.purge(space=space) == 1
    assert client.purge(space=space) == 0


@pytest.mark.parametrize("named", [{}, {"turn": None}, {"turn": "t1", "everything": True}])
def test_what_names_nothing_or_two_things_forgets_nothing(client: Client, space: str, named: dict[str, Any]):
    client.add(CHAT, space=space, session="spring")
    with pytest.raises(InputError, match="forget"):
        client.forget(space=space, **named)
    assert len(client.get_all(space=space).items) == 3


def test_an_export_is_imported_with_the_ids_that_turns_had(client: Client, served: Served, tmp_path: Path, space: str):
    there, here = tmp_path / "there.jsonl", tmp_path / "here.jsonl"
    assert client.export(here, space="default") == served.memory.export(there, space="default") == 3
    assert here.read_bytes() == there.read_bytes()
    assert client.import_(here, space=space) == 3
    assert client.import_(here, space=space) == 0
    with pytest.raises(FormatError):
        client.import_(tmp_path / "missing.jsonl")


def test_all_spaces_are_exported_together(client: Client, tmp_path: Path, space: str):
    client.add("I sold my bike.", space=space)
    client.add_rules("Bob is big.", space=space + "-rules")
    out = tmp_path / "all.jsonl"
    turns = client.export(out)
    with Memory() as copy:
        assert copy.import_(out) == turns
        assert set(copy.spaces()) == set(client.spaces())


def test_what_is_no_export_is_refused(client: Client, tmp_path: Path):
    bad = tmp_path / "bad.jsonl"
    bad.write_text("hello\n", encoding="utf-8")
    with pytest.raises(FormatError):
        client.import_(bad)


REFUSED: list[tuple[Any, type[Exception]]] = [
    (lambda c, s: c.add({"role": "nobody", "content": "Hi"}, space=s), InputError),
    (lambda c, s: c.add({"content": object()}, space=s), InputError),
    (lambda c, s: c.add(["x"], space=s), InputError),
    (lambda c, s: c.add({"content": "b", "id": 1}, space=s), ConflictError),
    (lambda c, s: c.turn("t0", space=s), NotFoundError),
    (lambda c, s: c.turn("../../health", space=s), NotFoundError),
    (lambda c, s: c.search(" ", space=s), InputError),
    (lambda c, s: c.search("x", k=0, space=s), InputError),
    (lambda c, s: c.search("x", without=["nothing"], space=s), InputError),
    (lambda c, s: c.ask("", space=s), InputError),
    (lambda c, s: c.verify("{}", space=s), ProofError),
    (lambda c, s: c.forget(turn="a", session="b", space=s), InputError),
    (lambda c, s: c.add_rules("Blorp the glork unless.", space=s), UnreadableRulesError),
    (lambda c, s: c.add_rules("Bob is big.", reader=object(), space=s), InputError),
    (lambda c, s: c.search("x", at="not a date", space=s), InputError),
]


@pytest.mark.parametrize(("call", "error"), REFUSED)
def test_errors_are_those_of_the_memory(call: Any, error: type[Exception], client: Client):
    client.add({"content": "a", "id": 1}, space="refused")
    with pytest.raises(error) as raised:
        call(client, "refused")
    assert type(raised.value) is error
    assert raised.value.problem  # type: ignore[attr-defined]
    assert raised.value.remedy  # type: ignore[attr-defined]


@pytest.mark.parametrize("odd", one_in(2, ["a\u2028b", "<script>", "\ud83d", "emoji 🐕", "tab\tand\nline", "‮RTL"]))
def test_any_text_is_just_text(odd: str, client: Client, space: str):
    receipt = client.add(odd, space=space)
    assert client.turn(receipt.turns[0], space=space).text == odd.replace("\ud83d", "\ufffd")
    told: list[Event] = []
    client.ask(f"What is {odd}?", space=space, on_event=told.append)
    assert told[0].kind == "question"


def test_any_name_is_just_a_name(client: Client):
    for name in ("a/b", "a?b=c&d", "ü #1", "100%"):
        client.add("I sold my bike.", space=name, session=name)
        assert [s for s, _, _ in client.sessions(space=name)] == [name]
        assert len(client.turns(name, space=name)) == 1


def test_a_document_is_remembered_at_the_server(client: Client, served: Served, space: str, tmp_path: Path):
    file = tmp_path / "ferries.txt"
    file.write_text("The ferry Stella leaves from pier four.\n\nI steer it.")
    told: list[tuple[str, int, int]] = []
    job = client.add_file(
        file, space=space, author="Rosa", tags=["sea"], metadata={"box": 3}, progress=lambda *event: told.append(event)
    )
    assert (job.total, job.new, told) == (2, 2, [("storing", 2, 2)])
    here = served.memory.search("ferry", space=space, where={"tags": "sea", "box": 3})
    assert {(hit.turn.speaker, hit.turn.source) for hit in here} == {("Rosa", "ferries.txt")}
    assert served.memory.add_file(file, space=space, author="Rosa").new == 0
    (tmp_path / "ferries.txt").write_text("The ferry Stella leaves from pier five.\n\nI steer it.")
    assert client.add_file(file, space=space, author="Rosa", prune=True).new == 1
    assert client.stats(space=space).turns == 2
    with pytest.raises((FormatError, ServiceError), match="named as a PDF"):
        client.add_file(file, space=space, name="a.pdf")


def test_a_file_is_looked_at_before_it_is_remembered(client: Client, served: Served, space: str, tmp_path: Path):
    file = tmp_path / "market.txt"
    file.write_text("Nadia: The market opens at nine.\nIvo: I will bring the crates.\n")
    found = client.preview(file, at="2024-05-01")
    assert (found.messages, found.sessions, found.whole) == (2, 1, True)
    assert [message.speaker for message in found.items[0].first] == ["Nadia", "Ivo"]
    assert space not in served.memory.spaces()


def test_the_demo_is_remembered_in_a_space(client: Client, served: Served, space: str):
    job = client.demo(space=space)
    assert job.state == "done"
    assert served.memory.stats(space=space).turns == job.new > 0
    client.forget(space=space, everything=True)


def test_what_the_server_lists_is_listed(client: Client, served: Served):
    assert {"Lucia", "Wotan"} <= {one.entity for one in client.entities()}
    assert {one.entity for one in client.entities("luc")} == {"Lucia"}
    around = client.edges("Lucia", stated=True)
    assert any(edge.text and "Lucia" in (edge.subject, edge.object) for edge in around)
    assert client.edges(source="imported") == []
    turn = next(turn for turn in client.get_all().items if "Lucia" in turn.text)
    assert "Lucia lives in Tarnholm." in {one.text for one in client.statements(turn.id)}
    with pytest.raises(NotFoundError):
        client.statements("t0")


def test_jobs_are_listed_and_removed(client: Client, space: str, tmp_path: Path):
    file = tmp_path / "ferries.txt"
    file.write_text("The ferry Stella leaves from pier four.")
    job = client.add_file(file, space=space)
    assert [one.id for one in client.jobs(space=space)] == [job.id]
    assert client.job(job.id, space=space).state == "done"
    client.remove_job(job.id, space=space)
    assert client.jobs(space=space) == []
    with pytest.raises(NotFoundError):
        client.resume_job(job.id, space=space)


def test_every_path_of_the_server_has_a_method(served: Served):
    spoken = "".join(Path(str(module.__file__)).read_text(encoding="utf-8") for module in (calls, uploads))
    known = {re.sub(r"\{.*?\}", "*", path) for path in re.findall(r'"(/v1/[^"]+)"', spoken)}
    document = json.loads(urlopen(f"{served.url}/openapi.json").read())  # noqa: S310
    assert {re.sub(r"\{.*?\}", "*", path) for path in document["paths"] if path.startswith("/v1/")} == known

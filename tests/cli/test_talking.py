"""`goalmem context` and `goalmem chat`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from goalmem import Memory
from goalmem.errors import ChatError, ChatUnavailableError
from goalmem.models import connect
from goalmem.models.chat import ChatRequest
from goalmem.testing import ScriptedChat


def configure(monkeypatch: pytest.MonkeyPatch, model: ScriptedChat) -> ScriptedChat:
    monkeypatch.setattr(connect, "connect_chat", lambda _: model)
    return model


def turns(store: str = "memory.goalmem") -> list[str]:
    with Memory(store) as memory:
        return [hit.turn.text for hit in memory.search("anything at all", k=50)]


def test_context_prints_the_block(goalmem, store: Path):
    done = goalmem("context", "Buy shoes for the dog Nadia adopted")
    assert done.exit_code == 0
    assert done.stdout.startswith("<memory>\n")
    assert "Wotan" in done.stdout


def test_context_as_json(goalmem, store: Path):
    done = goalmem("context", "Where does Ivo's sister live?", "--json", "--max-tokens", "300")
    found = json.loads(done.stdout)
    assert found["tokens"] <= 300
    assert found["sources"]
    assert any("Tarnholm" in note["quote"] for notes in found["facts"].values() for note in notes)


def test_context_without_a_match_exits_with_1(goalmem, store: Path):
    assert goalmem("context", "quantum chromodynamics").exit_code == 1


def test_chat_replies_and_remembers(goalmem, monkeypatch: pytest.MonkeyPatch):
    model = configure(monkeypatch, ScriptedChat(["Lovely name!", "Comet."]))
    done = goalmem(
        "chat", "--name", "Nadia", stdin="I adopted a beagle called Comet.\n\nWhat did I adopt?\n/quit\nno\n"
    )
    assert done.exit_code == 0
    assert done.stdout == "Lovely name!\nComet.\n"
    assert "beagle" in model.requests[1].user
    assert sorted(turns()) == ["Comet.", "I adopted a beagle called Comet.", "Lovely name!", "What did I adopt?"]


def test_why_shows_what_the_reply_rests_on(goalmem, store: Path, monkeypatch: pytest.MonkeyPatch):
    configure(monkeypatch, ScriptedChat(lambda _: "In Tarnholm."))
    done = goalmem("chat", stdin="/why\nWhere does Ivo's sister live?\n/why\n/why What did Nadia adopt?\n")
    assert done.exit_code == 0
    assert "There is no reply yet" in done.stderr
    assert "<memory>" in done.stdout
    assert "proved" in done.stdout
    assert "dog" in done.stdout


def test_forget_removes_the_last_exchange_or_a_turn(goalmem, store: Path, monkeypatch: pytest.MonkeyPatch):
    configure(monkeypatch, ScriptedChat(lambda _: "Noted."))
    before = sorted(turns())
    done = goalmem("chat", stdin="My pin is 4711.\n/forget\n/forget\n/forget nosuch\n")
    assert done.exit_code == 0
    assert "forgotten: user" in done.stdout
    assert len(done.stderr.splitlines()) == 2
    assert sorted(turns()) == before


def test_commands_are_listed_and_others_refused(goalmem, monkeypatch: pytest.MonkeyPatch):
    model = configure(monkeypatch, ScriptedChat([]))
    done = goalmem("chat", stdin="/help\n/nosuch\n")
    assert "/forget TURN" in done.stdout
    assert "There is no command /nosuch" in done.stderr
    assert not model.requests


def test_without_a_model_it_says_which_settings(goalmem):
    done = goalmem("chat", stdin="hello\n")
    assert done.exit_code == 3
    assert "GOALMEM_CHAT_URL" in done.stderr
    assert "GOALMEM_CHAT_MODEL" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not Path("memory.goalmem").exists()


@pytest.mark.parametrize("problem", [ChatUnavailableError("It is down.", "Wait."), ChatError("It broke.", "Mend it.")])
def test_a_failing_server_is_said_and_the_message_kept(goalmem, monkeypatch: pytest.MonkeyPatch, problem: ChatError):
    configure(monkeypatch, ScriptedChat([problem, "Hello again."]))
    done = goalmem("chat", stdin="I live in Oslo.\nAre you there?\n")
    assert done.exit_code == 0
    assert problem.problem in done.stderr
    assert "remembered" in done.stderr
    assert done.stdout == "Hello again.\n"
    assert "I live in Oslo." in turns()


def test_ctrl_c_during_a_reply_leaves_and_keeps_the_message(goalmem, monkeypatch: pytest.MonkeyPatch):
    def interrupted(_: ChatRequest) -> str:
        raise KeyboardInterrupt

    configure(monkeypatch, ScriptedChat(interrupted))
    done = goalmem("chat", stdin="I live in Oslo.\nMore.\n")
    assert done.exit_code == 0
    assert turns() == ["I live in Oslo."]


def test_a_reply_cannot_drive_the_terminal(goalmem, monkeypatch: pytest.MonkeyPatch):
    configure(monkeypatch, ScriptedChat(["\x1b[2J[red]plain[/red]\x07"]))
    done = goalmem("chat", stdin="hello\n")
    assert "\x1b" not in done.stdout
    assert "[red]plain[/red]" in done.stdout


def test_bytes_that_are_no_text_are_replaced(goalmem, monkeypatch: pytest.MonkeyPatch):
    model = configure(monkeypatch, ScriptedChat(["Hello."]))
    assert goalmem("chat", stdin=b"na\xffme\n").exit_code == 0
    assert "na\ufffdme" in model.requests[0].user


def test_a_session_can_be_gone_on_with(goalmem, monkeypatch: pytest.MonkeyPatch):
    for line in ("I live in Oslo.", "I own a canoe."):
        configure(monkeypatch, ScriptedChat(["Noted."]))
        goalmem("chat", "--session", "ours", stdin=f"{line}\n")
    with Memory("memory.goalmem") as memory:
        assert [(name, count) for name, _, count in memory.sessions()] == [("ours", 4)]


def test_trace_prints_what_happens_as_it_happens(goalmem, store: Path):
    done = goalmem("ask", "Where does Ivo's sister live?", "--trace")
    assert done.stdout.splitlines()[0] == "Tarnholm"
    for kind in ("goal", "retrieval", "binding", "proof"):
        assert kind in done.stderr

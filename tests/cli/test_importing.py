"""`goalmem import` of what other programs exported."""

import json
from pathlib import Path

import pytest
from tests.integrations.importers.exports import chatgpt, chatgpt_node, written, zipped

from goalmem.cli.imports import FORMATS, OWN
from goalmem.integrations.importers import FORMATS as KNOWN

TALK = [chatgpt(chatgpt_node("u", "root", "user", "I adopted a beagle."), chatgpt_node("a", "u", "assistant", "Nice!"))]
CHAT = "13/05/2024, 10:00 - Maya: I sail.\n13/05/2024, 10:01 - Tom: <Media omitted>\n"


def test_importing_says_what_was_new_and_what_was_there(goalmem):
    written(Path("c.json"), TALK)
    first = goalmem("import", "c.json", "--name", "Maya")
    assert (first.exit_code, first.stdout) == (0, "c.json: ChatGPT, 2 messages in 1 conversation, 2 new\n")
    again = goalmem("import", "chatgpt", "c.json", "--name", "Maya")
    assert again.stdout == "c.json: ChatGPT, 2 messages in 1 conversation, 0 new, 2 already there\n"
    assert "Dog talk (c1)" in goalmem("stats", "--sessions").stdout


def test_every_format_may_be_named():
    assert set(FORMATS) == {known.name for known in KNOWN} | {OWN}


def test_a_format_alone_asks_for_the_export(goalmem):
    assert "goalmem import slack PATH" in goalmem("import", "slack").stderr


def test_the_space_of_the_settings_is_meant(goalmem, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GOALMEM_SPACE", "team")
    rows = [{"memory": "Likes tea.", "user_id": user, "id": user} for user in ("maya", "tom")]
    written(Path("m.json"), rows)
    assert json.loads(goalmem("import", "m.json", "--at", "2024-05-01", "--json").stdout)["space"] == "team"


def test_a_dry_run_stores_nothing(goalmem):
    Path("Tom.txt").write_text(CHAT)
    done = goalmem("import", "Tom.txt", "--dry-run", "--timezone", "Europe/Oslo")
    assert done.exit_code == 0
    assert done.stdout == (
        "Tom.txt: WhatsApp, 1 message in 1 conversation\n  from 2024-05-13 10:00 to 2024-05-13 10:00\n"
        "  said by: Maya 1\n  passed over: media 1\n"
    )
    assert not Path("memory.goalmem").exists()


def test_report_as_json(goalmem):
    zipped(Path("c.zip"), {"conversations.json": json.dumps(TALK)})
    report = json.loads(goalmem("import", "c.zip", "--dry-run", "--json").stdout)
    assert report["dry_run"] is True
    expected = {
        "file": "c.zip",
        "format": "chatgpt",
        "messages": 2,
        "conversations": 1,
        "speakers": {"user": 1, "assistant": 1},
    }
    assert report["files"][0] | expected == report["files"][0]


def test_a_bad_export_is_refused_whole_in_one_line(goalmem):
    written(Path("c.json"), [*TALK, {"title": "broken"}], indent=1)
    done = goalmem("import", "c.json")
    assert (done.exit_code, done.stdout) == (3, "")
    assert "c.json, line " in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not Path("memory.goalmem").exists()
    skipped = goalmem("import", "c.json", "--skip-bad", "--dry-run")
    assert skipped.exit_code == 0
    assert "left out: this is no conversation of ChatGPT" in skipped.stderr


def test_standard_input(goalmem):
    done = goalmem("import", "-", "--dry-run", stdin=json.dumps(TALK))
    assert done.stdout.startswith("-: ChatGPT, 2 messages")


def test_dates_that_can_be_read_twice_ask_for_an_option(goalmem):
    Path("Tom.txt").write_text("03/04/24, 10:00 - Maya: Hi\n")
    assert "--date-order dmy" in goalmem("import", "Tom.txt", "--dry-run").stderr
    assert "2024-03-04" in goalmem("import", "Tom.txt", "--dry-run", "--date-order", "mdy").stdout


def test_messages_without_dates_are_pointed_out(goalmem):
    written(Path("chat.json"), [{"type": "human", "data": {"content": "Hi."}}])
    assert "1 message without a date" in goalmem("import", "chat.json", "--dry-run").stderr
    assert "without a date" not in goalmem("import", "chat.json", "--dry-run", "--at", "2024-05-01").stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nowhere.zip",), "no file 'nowhere.zip'"),
        (("c.json", "--timezone", "Mars/Olympus"), "no time zone 'Mars/Olympus'"),
        (("c.json", "--since", "someday"), "The date 'someday' cannot be read"),
        (("slack", "c.json"), "no days of messages"),
        (("c.json", "--only", "boats"), "holds no messages"),
        (("goalmem", "c.json", "--dry-run"), "--dry-run is for"),
    ],
)
def test_what_cannot_be_done_is_said(goalmem, arguments: tuple[str, ...], said: str):
    written(Path("c.json"), TALK)
    done = goalmem("import", *arguments)
    assert done.exit_code == 3
    assert said in done.stderr

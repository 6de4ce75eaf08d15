"""`goalmem add`: files are checked whole, stored once, and taken up again."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest


def test_adding_says_what_was_new_and_adding_again_adds_nothing(goalmem, chat: Path):
    first = goalmem("add", "chat.jsonl")
    assert (first.exit_code, first.stdout) == (0, "chat.jsonl: 3 messages in 2 sessions, 3 new\n")
    assert goalmem("add", "chat.jsonl").stdout == "chat.jsonl: 3 messages in 2 sessions, 0 new\n"
    assert Path("memory.goalmem").exists()


def test_report_as_json(goalmem, chat: Path):
    report = json.loads(goalmem("add", "chat.jsonl", "--json", "--space", "s").stdout)
    assert report["space"] == "s"
    assert report["files"][0] | {"file": "chat.jsonl", "sessions": 2, "messages": 3, "new": 3} == report["files"][0]


def test_standard_input_is_read_as_a_file(goalmem):
    done = goalmem("add", "-", "--at", "2024-05-01", "--session", "monday", stdin="Ana: Hi!\nBo: Hello.\n")
    assert (done.exit_code, done.stdout) == (0, "-: 2 messages in 1 session, 2 new\n")
    assert "monday" in goalmem("stats", "--sessions").stdout


def test_a_bad_file_is_refused_whole(goalmem):
    Path("bad.jsonl").write_text('{"role": "user", "content": "fine"}\n{"role": "user", "con')
    done = goalmem("add", "bad.jsonl")
    assert done.exit_code == 3
    assert done.stdout == ""
    assert "bad.jsonl, line 2" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not Path("memory.goalmem").exists()


def test_a_message_that_cannot_be_stored_is_named_with_its_file_and_line(goalmem):
    Path("bad.jsonl").write_text(
        '{"messages": [{"role": "user", "content": "a"}]}\n{"messages": [{"role": "boss", "content": "a"}]}'
    )
    done = goalmem("add", "bad.jsonl")
    assert done.exit_code == 3
    assert "bad.jsonl, in the conversation that begins on line 2: Message 0 has the unknown role 'boss'" in done.stderr


def test_bad_lines_can_be_left_out_and_are_listed(goalmem):
    Path("bad.jsonl").write_text('{"role": "user", "content": "fine"}\n{"role": "user", "con')
    done = goalmem("add", "bad.jsonl", "--skip-bad", "--at", "2024-05-01")
    assert (done.exit_code, done.stdout) == (0, "bad.jsonl: 1 message in 1 session, 1 new\n")
    assert "bad.jsonl, line 2, left out" in done.stderr


def test_missing_dates_are_pointed_out(goalmem):
    Path("notes.txt").write_text("Ana: Hi!")
    assert "gives no dates" in goalmem("add", "notes.txt").stderr
    assert "gives no dates" not in goalmem("add", "notes.txt", "--at", "2024-05-01", "--space", "b").stderr


@pytest.mark.parametrize("name", ["nowhere.json", "."])
def test_what_is_no_file_is_refused(goalmem, name: str):
    done = goalmem("add", name)
    assert done.exit_code == 3
    assert name in done.stderr


def test_a_session_name_is_for_files_with_one_session(goalmem, chat: Path):
    done = goalmem("add", "chat.jsonl", "--session", "one")
    assert done.exit_code == 3
    assert "2 sessions" in done.stderr


def test_a_file_that_is_no_store_is_refused(goalmem, chat: Path):
    done = goalmem("add", "chat.jsonl", "--store", "chat.jsonl")
    assert done.exit_code == 4
    assert "chat.jsonl" in done.stderr


def test_a_store_is_not_taken_for_a_chat(goalmem, store: Path):
    done = goalmem("add", str(store))
    assert done.exit_code == 3
    assert "--store" in done.stderr


def turns_in(store: Path) -> int:
    """How many turns a store that another process fills holds already."""
    try:
        with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as reading:
            return int(reading.execute("SELECT count(*) FROM turn").fetchone()[0])
    except sqlite3.Error:
        return 0


@pytest.mark.slow
@pytest.mark.parametrize("sessions", [40, pytest.param(80, marks=pytest.mark.thorough)])
def test_interrupted_adding_keeps_what_is_done_and_goes_on(goalmem, tmp_path: Path, sessions: int):
    rows = [
        {
            "session": f"s{n}",
            "at": "2024-05-01",
            "messages": [{"role": "user", "content": f"Note {n}, {m}."} for m in range(10)],
        }
        for n in range(sessions)
    ]
    (tmp_path / "big.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    command = [sys.executable, "-m", "goalmem.cli", "add", "big.jsonl"]
    work = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    began = time.monotonic()
    store = tmp_path / "memory.goalmem"
    while not turns_in(store) and time.monotonic() < began + 60:
        time.sleep(0.05)
    os.kill(work.pid, signal.SIGINT)
    _, said = work.communicate(timeout=60)
    assert work.returncode == 130
    assert "run the same command again" in said
    # The interpreter tells of a signal that met it in a callback of an import, and goes on; ours would be one more.
    assert said.count("Traceback") == said.count("Exception ignored in")
    again = subprocess.run([*command, "--json"], cwd=tmp_path, capture_output=True, text=True, check=True)
    [report] = json.loads(again.stdout)["files"]
    assert report["messages"] == 10 * sessions
    assert json.loads(goalmem("stats", "--json").stdout)["counts"]["turns"] == 10 * sessions


def test_a_text_is_remembered_and_a_file_that_is_not_there_says_how(goalmem, tmp_path):
    store = str(tmp_path / "memory.goalmem")
    missing = goalmem("add", "I like tea", "--store", store)
    assert missing.exit_code != 0
    assert "goalmem add --text 'I like tea'" in missing.output
    assert goalmem("add", "--store", store).exit_code != 0
    added = goalmem("add", "--text", "I like tea.", "--tag", "drinks", "--metadata", "n=2", "--store", store)
    assert "1 message in 1 session, 1 new" in added.output
    piped = goalmem("add", "--text", "-", "--store", store, stdin="I live in Oslo.\n")
    assert "1 message in 1 session, 1 new" in piped.output
    found = goalmem("search", "tea", "--tag", "drinks", "--where", "n>=2", "--store", store)
    assert "I like tea." in found.output
    nothing = goalmem("search", "tea", "--where", "n>2", "--store", store)
    assert nothing.exit_code == 1
    assert "Nothing was found" in nothing.output
    gone = goalmem("forget", "--tag", "drinks", "--dry-run", "--store", store)
    assert "would forget: 1 turn," in gone.output


def test_documents_are_told_from_conversations(goalmem):
    Path("page.html").write_text("<!doctype html><h1>Ferries</h1><p>The ferry Stella leaves from pier four.")
    Path("notes.txt").write_text("The harbour opens at six.\n\nBoats are blue.")
    done = goalmem("add", "page.html", "notes.txt", "--tag", "sea")
    assert (done.exit_code, done.stdout) == (
        0,
        "page.html: 1 piece in 1 session, 1 new\nnotes.txt: 2 pieces in 1 session, 2 new\n",
    )
    assert goalmem("add", "notes.txt").stdout == "notes.txt: 2 pieces in 1 session, 0 new\n"
    found = goalmem("search", "ferry", "--tag", "sea", "-k", "1")
    assert "page.html, Ferries" in found.stdout


def test_a_document_on_standard_input(goalmem):
    done = goalmem("add", "-", "--format", "text", "--author", "Rosa", stdin="I moved to Oslo in May.")
    assert (done.exit_code, done.stdout) == (0, "-: 1 piece in 1 session, 1 new\n")
    assert goalmem("ask", "Where does Rosa live?").stdout.splitlines()[0] == "Oslo"
    assert "Rosa, stdin" in goalmem("ask", "Where does Rosa live?", "--proof").stdout
    page = goalmem("add", "-", "--json", stdin="<!doctype html><p>The ferry is blue.")
    assert json.loads(page.stdout)["files"][0]["format"] == "html"


def test_what_a_document_says_no_more_is_named_and_pruned(goalmem):
    Path("notes.txt").write_text("The harbour opens at six.\n\nBoats are blue.")
    goalmem("add", "notes.txt")
    Path("notes.txt").write_text("The harbour opens at seven.\n\nBoats are blue.")
    done = goalmem("add", "notes.txt")
    assert done.stdout == "notes.txt: 2 pieces in 1 session, 1 new\n"
    assert "1 pieces of an earlier version" in done.stderr
    assert "--prune" in done.stderr
    assert goalmem("add", "notes.txt", "--prune").stderr == ""
    assert "six" not in goalmem("search", "harbour").stdout


def test_a_bad_document_leaves_no_store(goalmem):
    Path("a.pdf").write_bytes(b"nonsense")
    done = goalmem("add", "a.pdf")
    assert (done.exit_code, done.stdout) == (3, "")
    assert "named as a PDF" in done.stderr
    assert not Path("memory.goalmem").exists()


def test_plain_text_on_standard_input_is_told_how_to_remember_it(goalmem):
    done = goalmem("add", "-", stdin="I moved to Oslo.\n")
    assert done.exit_code == 3
    assert "goalmem add --text -" in done.stderr
    assert goalmem("add", "--text", "-", stdin="I moved to Oslo.\n").exit_code == 0

"""`forget`, `export`, `import`, `stats`."""

import json
from pathlib import Path

import pytest


def turns(goalmem, *arguments: str) -> int:
    return json.loads(goalmem("stats", "--json", *arguments).stdout)["counts"]["turns"]


def test_stats_count_and_list(goalmem, store: Path):
    done = goalmem("stats", "--sessions", "--check")
    assert done.exit_code == 0
    assert "2 sessions, 3 turns" in done.stdout
    assert "spring" in done.stdout


def test_stats_of_a_space_that_is_not_there(goalmem, store: Path):
    done = goalmem("stats", "--space", "nosuch")
    assert done.exit_code == 3
    assert "default" in done.stderr


def test_forget_a_session(goalmem, store: Path):
    done = goalmem("forget", "--session", "spring", "--json")
    assert json.loads(done.stdout)["turns"] == 2
    assert turns(goalmem) == 1
    assert goalmem("ask", "Where does Lucia live?").exit_code == 1


def test_forget_a_turn(goalmem, store: Path):
    turn = json.loads(goalmem("search", "shoes", "-k", "1", "--json").stdout)["items"][0]["turn"]["id"]
    assert goalmem("forget", "--turn", turn).exit_code == 0
    assert turns(goalmem) == 2
    assert goalmem("forget", "--turn", turn).exit_code == 3


def test_a_turn_is_changed_and_shows_what_it_said(goalmem, store: Path):
    turn = json.loads(goalmem("search", "shoes", "-k", "1", "--json").stdout)["items"][0]["turn"]
    assert (
        goalmem("update", turn["id"], "--text", "I bought skis.", "--tag", "sport").stdout
        == f"{turn['id']}: I bought skis.\n"
    )
    assert goalmem("update", turn["id"], "--metadata", "n=1", "--expires-at", "2090-01-01").exit_code == 0
    kept = json.loads(goalmem("update", turn["id"], "--expires-at", "never", "--json").stdout)
    assert (kept["metadata"], kept["expires_at"]) == ({"n": 1, "tags": ["sport"]}, None)
    shown = goalmem("update", turn["id"], "--history").stdout.splitlines()
    assert len(shown) == 4
    assert shown[0].startswith("until ")
    assert shown[0].endswith(turn["text"])
    assert shown[-1] == "now: I bought skis."
    assert goalmem("update", turn["id"]).exit_code == 3
    assert goalmem("update", "t0", "--text", "x").exit_code == 3


def test_forgetting_everything_asks_first(goalmem, store: Path):
    assert goalmem("forget", "--all", stdin="n\n").exit_code == 1
    assert turns(goalmem) == 3
    assert goalmem("forget", "--all", "--yes").exit_code == 0
    assert turns(goalmem) == 0


@pytest.mark.parametrize("arguments", [(), ("--all", "--session", "spring"), ("--turn", "a", "--session", "b")])
def test_what_to_forget_must_be_said(goalmem, store: Path, arguments: tuple[str, ...]):
    assert goalmem("forget", *arguments).exit_code == 2


def test_export_and_import_are_a_round_trip(goalmem, store: Path):
    assert goalmem("export", "all.jsonl").stdout == "all.jsonl: 3 turns\n"
    assert goalmem("import", "all.jsonl", "--store", "copy.goalmem").stdout == "all.jsonl: 3 new turns\n"
    assert goalmem("import", "all.jsonl", "--store", "copy.goalmem").stdout == "all.jsonl: 0 new turns\n"
    assert goalmem("export", "--store", "copy.goalmem").stdout == Path("all.jsonl").read_text(encoding="utf-8")


def test_import_from_a_pipe_into_another_space(goalmem, store: Path):
    text = goalmem("export", "-").stdout
    assert goalmem("import", "-", "--space", "copy", stdin=text).stdout == "-: 3 new turns\n"
    assert turns(goalmem, "--space", "copy") == 3


@pytest.mark.parametrize("text", ["", "nonsense", '{"goalmem": 99}\n', '{"goalmem": 1}\n{"space"'])
def test_what_is_no_export_is_refused(goalmem, text: str):
    Path("bad.jsonl").write_text(text)
    done = goalmem("import", "bad.jsonl")
    assert done.exit_code in (3, 4)
    assert len(done.stderr.splitlines()) == 1


def test_import_of_a_missing_file(goalmem):
    assert goalmem("import", "nowhere.jsonl").exit_code == 3
    assert not Path("memory.goalmem").exists()


def test_turns_are_listed_page_by_page_and_shown_whole(goalmem, store: Path):
    every = json.loads(goalmem("list", "--json").stdout)
    assert (len(every["items"]), every["next"]) == (3, None)
    first = json.loads(goalmem("list", "--limit", "2", "--json").stdout)
    rest = json.loads(goalmem("list", "--limit", "2", "--cursor", first["next"], "--json").stdout)
    assert first["items"] + rest["items"] == every["items"]
    shown = goalmem("list", "--limit", "2")
    assert shown.stdout.count("session") == 2
    assert f"--cursor {first['next']}" in shown.stderr
    turn = every["items"][0]
    goalmem("update", turn["id"], "--metadata", "project=x", "--tag", "sport", "--expires-at", "2090-01-01")
    assert [one["id"] for one in json.loads(goalmem("list", "--where", "project=x", "--json").stdout)["items"]] == [
        turn["id"]
    ]
    told = goalmem("get", turn["id"]).stdout
    assert turn["text"] in told
    assert "project=x" in told
    assert "until 2090-01-01" in told
    assert json.loads(goalmem("get", turn["id"], "--json").stdout)["metadata"] == {"project": "x", "tags": ["sport"]}
    none = goalmem("list", "--session", "nosuch")
    assert (none.exit_code, none.stdout) == (1, "")
    assert "No turn" in none.stderr
    assert goalmem("list", "--space", "nosuch").exit_code == 3
    assert goalmem("get", "t0").exit_code == 3


@pytest.mark.parametrize("ends", [("--ttl", "3600"), ("--expires-at", "2090-01-01")])
def test_what_is_added_expires_when_it_is_told_to(goalmem, tmp_path: Path, ends: tuple[str, str]):
    (tmp_path / "chat.json").write_text(
        '[{"role": "user", "content": "I like tea.", "ttl": 60}, {"role": "user", "content": "I ski."}]'
    )
    assert goalmem("add", "chat.json", "--text", "The pin is 4711.", *ends).exit_code == 0
    pin, tea, ski = json.loads(goalmem("list", "--json").stdout)["items"]
    assert pin["expires_at"][:13] == ski["expires_at"][:13]
    assert tea["expires_at"] < ski["expires_at"]
    (tmp_path / "note.md").write_text("# Tea")
    refused = goalmem("add", "note.md", *ends)
    assert refused.exit_code == 3
    assert "for messages" in refused.stderr


@pytest.mark.parametrize("wrong", ["priority>>2", "priority==2", "priority=>2", "priority><2"])
def test_a_comparison_that_there_is_not_is_refused(goalmem, store: Path, wrong: str):
    done = goalmem("search", "shoes", "--where", wrong)
    assert done.exit_code == 3
    assert wrong in done.stderr


@pytest.mark.parametrize(
    ("command", "told"),
    [(("history", "nothing"), "Nothing was said"), (("rules", "list"), "no rules"), (("keys", "list"), "No key")],
)
def test_what_is_empty_is_told(goalmem, store: Path, command: tuple[str, ...], told: str):
    done = goalmem(*command)
    assert done.stdout == ""
    assert told in done.stderr

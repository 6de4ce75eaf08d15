"""`goalmem rules`, and what `goalmem ask` makes of them."""

import json
from pathlib import Path

TEXT = "Big people are rough. Bob is big."


def test_rules_are_added_listed_asked_and_removed(goalmem, tmp_path: Path):
    file = tmp_path / "rules.txt"
    file.write_text(TEXT, encoding="utf-8")
    store = ("--store", str(tmp_path / "own.goalmem"))
    assert "2 sentences, 2 new" in goalmem("rules", "add", str(file), *store).stdout
    assert "1 sentence, 0 new" in goalmem("rules", "add", "-t", "Bob is big.", *store).stdout
    listed = json.loads(goalmem("rules", "list", "--json", *store).stdout)["items"]
    assert [(r["text"], r["world"], r["reader"]) for r in listed] == [
        ("Big people are rough.", "closed", "grammar"),
        ("Bob is big.", "closed", "grammar"),
    ]
    assert "(x:person) is rough if (x:person) is big" in goalmem("rules", "list", *store).stdout
    told = goalmem("ask", "Bob is rough: true or false?", "--monologue", *store).stdout
    assert told.startswith("Yes")
    assert "“Bob is big.”" in told
    assert "GET(RULE_BUFFER_1) THEN RUN(EPISODIC_BUFFER, RULE_BUFFER_1)" in told
    answer = tmp_path / "answer.json"
    answer.write_text(goalmem("ask", "Is Bob rough?", "--json", *store).stdout, encoding="utf-8")
    assert goalmem("verify", str(answer), *store).exit_code == 0
    assert "removed: 1 sentence\n" in goalmem("rules", "remove", listed[0]["id"], *store).stdout
    assert goalmem("verify", str(answer), *store).exit_code == 1
    assert goalmem("rules", "remove", listed[0]["id"], *store).exit_code == 1
    assert goalmem("rules", "remove", "--all", "--yes", *store).exit_code == 0


def test_rules_from_standard_input_and_what_is_left_out(goalmem, tmp_path: Path):
    store = ("--store", str(tmp_path / "own.goalmem"))
    bad = "Bob is big. Blorp the zizzle because! Bob is not big."
    refused = goalmem("rules", "add", "-", *store, stdin=bad)
    assert refused.exit_code == 3
    assert "zizzle" in refused.stderr
    kept = goalmem("rules", "add", "-", "--partial", "--json", *store, stdin=bad)
    assert [u["text"] for u in json.loads(kept.stdout)["texts"][0]["unread"]] == ["Blorp the zizzle because!"]
    assert "left out" in kept.stderr
    assert "both stated and denied" in kept.stderr


def test_nothing_to_add_and_nothing_there_is_said(goalmem, tmp_path: Path):
    store = ("--store", str(tmp_path / "own.goalmem"))
    assert goalmem("rules", "add", *store).exit_code == 3
    assert "no file" in goalmem("rules", "add", "nowhere.txt", *store).stderr
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe\x00")
    assert "UTF-8" in goalmem("rules", "add", str(binary), *store).stderr
    assert goalmem("rules", "remove", *store).exit_code == 2

"""`search`, `ask`, `verify`, `why-not`, `history`: stdout is for pipes, exit codes mean something."""

import json
from pathlib import Path

import pytest

from goalmem import Memory


def test_search_shows_turns_as_they_were_said(goalmem, store: Path):
    done = goalmem("search", "shoes", "-k", "1")
    assert done.exit_code == 0
    assert "Wotan ate my shoes. [red]All[/red] of them \u2603." in done.stdout
    assert "2024-09-22 18:20" in done.stdout


def test_search_as_json(goalmem, store: Path):
    hits = json.loads(goalmem("search", "dog", "--speaker", "Nadia", "--json").stdout)["items"]
    assert {hit["turn"]["speaker"] for hit in hits} == {"Nadia"}
    assert hits[0]["signals"]


@pytest.mark.parametrize("query", ["'; DROP TABLE turns; --", 'NEAR("a" AND *', "🦊", "x " * 50_000])
def test_a_query_is_just_text(goalmem, store: Path, query: str):
    assert goalmem("search", query).exit_code in (0, 1)


@pytest.mark.parametrize(
    "command",
    [
        ("ask", "Where does Lucia live?"),
        ("ask", "Where does Lucia live?", "--json"),
        ("search", "dog"),
        ("why-not", "Did Ivo buy a boat?"),
        ("history", "Wotan"),
        ("profile", "Ivo"),
        ("context", "Where does Lucia live?"),
        ("rules", "list"),
        ("rules", "ask", "Is Bob rough?"),
        ("stats",),
    ],
)
def test_a_space_that_does_not_exist_is_told(goalmem, store: Path, command: tuple[str, ...]):
    done = goalmem(*command, "--space", "defualt")
    assert (done.exit_code, done.stdout) == (3, "")
    assert "There is no space 'defualt'. The store holds: default." in done.stderr


def test_of_many_spaces_those_of_a_like_name_are_told(goalmem):
    with Memory("memory.goalmem") as memory:
        for number in range(25):
            memory.add("I like tea.", space=f"user-{number}")
        memory.add("I like tea.", space="shared")
    said = goalmem("search", "tea", "--space", "shard").stderr
    assert "The store holds: shared, " in said
    assert said.count("user-") == 19
    assert said.rstrip().endswith(" and 6 more.")


def test_nothing_found_is_exit_code_1(goalmem, store: Path):
    assert goalmem("search", "dog", "--session", "nosuch").exit_code == 1


@pytest.mark.parametrize(
    ("options", "sessions"),
    [
        (("--after", "2024-05-01"), {"autumn"}),
        (("--before", "2024-05-01"), {"spring"}),
        (("--at", "2024-04-16"), {"spring"}),
        (("--at", "2024-04-15"), set()),
        (("--role", "user"), {"spring", "autumn"}),
        (("--role", "assistant"), set()),
        (("--role", "assistant", "--role", "user", "--after", "2024-05-01"), {"autumn"}),
        (("--kind", "identity"), {"spring"}),
        (("--kind", "wish"), set()),
    ],
)
def test_search_is_narrowed_by_options(goalmem, store: Path, options: tuple[str, ...], sessions: set[str]):
    done = goalmem("search", "Wotan", "--json", *options)
    assert {hit["turn"]["session"] for hit in json.loads(done.stdout)["items"]} == sessions
    assert done.exit_code == (0 if sessions else 1)


def test_search_leaves_signals_out(goalmem, store: Path):
    done = goalmem("search", "dog", "--json", "--without", "dense", "--without", "session")
    for hit in json.loads(done.stdout)["items"]:
        assert not {"dense", "session"} & {*hit["signals"]}


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (("--kind", "hearsay"), "preference"),
        (("--without", "magic"), "lexical"),
        (("--after", "someday"), "'someday'"),
        (("--before", "2024-13-45"), "2024-05-01"),
    ],
)
def test_a_search_option_that_means_nothing_is_refused(goalmem, store: Path, options: tuple[str, ...], named: str):
    done = goalmem("search", "dog", *options)
    assert done.exit_code == 3
    assert named in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_first_line_of_ask_is_the_answer_alone(goalmem, store: Path):
    done = goalmem("ask", "Where does Ivo's sister live?")
    assert done.exit_code == 0
    assert done.stdout.splitlines()[0] == "Tarnholm"
    assert "Ivo, 2024-04-16 21:10" in done.stdout


def test_not_knowing_is_exit_code_1(goalmem, store: Path):
    done = goalmem("ask", "What is the name of Ivo's dog?")
    assert done.exit_code == 1
    assert done.stdout.splitlines()[0] == "I don't know"


def test_the_proof_is_a_tree(goalmem, store: Path):
    assert "My sister Lucia lives in Tarnholm" in goalmem("ask", "Where does Lucia live?", "--proof").stdout


def test_what_ask_prints_as_json_is_verified(goalmem, store: Path):
    text = goalmem("ask", "Where does Lucia live?", "--json").stdout
    assert json.loads(text)["text"] == "Tarnholm"
    for proof in (text, json.dumps(json.loads(text)["proof"])):
        Path("proof.json").write_text(proof)
        done = goalmem("verify", "proof.json")
        assert (done.exit_code, done.stdout.split(":")[0]) == (0, "verified")
    assert goalmem("verify", "-", stdin=text).exit_code == 0


def test_a_proof_that_was_tampered_with_is_not_verified(goalmem, store: Path):
    text = goalmem("ask", "Where does Lucia live?", "--json").stdout
    Path("proof.json").write_text(text.replace("Tarnholm", "Paris"))
    done = goalmem("verify", "proof.json")
    assert done.exit_code == 1
    assert "NOT verified" in done.stdout


@pytest.mark.parametrize(
    "text", ["", "no json", "{}", "[]", "5", '{"proof": {"version": 99}}', "[" * 100_000, "\udcff"]
)
def test_what_is_no_proof_is_refused(goalmem, store: Path, text: str):
    Path("proof.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    done = goalmem("verify", "proof.json")
    assert done.exit_code == 3
    assert len(done.stderr.splitlines()) == 1


def test_why_not_names_what_is_missing(goalmem, store: Path):
    done = goalmem("why-not", "What is the name of Ivo's dog?")
    assert done.exit_code == 0
    assert done.stdout.strip()
    assert json.loads(goalmem("why-not", "What is the name of Ivo's dog?", "--json").stdout)["stage"] != "answered"


def test_history_shows_statements_in_order(goalmem, store: Path):
    done = goalmem("history", "Wotan")
    assert done.exit_code == 0
    assert done.stdout.index("2024-04-16") < done.stdout.index("2024-09-22")


def test_a_profile_is_shown_and_an_empty_one_said(goalmem, store: Path):
    whole = json.loads(goalmem("profile", "Nadia", "--json").stdout)
    shown = goalmem("profile", "Nadia")
    assert all(statement["text"] in shown.stdout for statement in whole["statements"])
    nobody = goalmem("profile", "Zora")
    assert nobody.exit_code == 1
    assert "Nothing lasting is known of Zora" in nobody.stdout


@pytest.mark.parametrize("command", ["search", "ask", "why-not", "history", "profile"])
@pytest.mark.parametrize("text", ["", "   "])
def test_an_empty_question_is_refused(goalmem, store: Path, command: str, text: str):
    assert goalmem(command, text).exit_code == 3


@pytest.mark.parametrize(
    "arguments",
    [
        ("search", "x"),
        ("ask", "x"),
        ("why-not", "x"),
        ("history", "x"),
        ("stats",),
        ("export", "x.jsonl"),
        ("forget", "--all"),
    ],
)
def test_reading_makes_no_store(goalmem, arguments: tuple[str, ...]):
    done = goalmem(*arguments, "--store", "nowhere.goalmem")
    assert done.exit_code == 3
    assert "nowhere.goalmem" in done.stderr
    assert not Path("nowhere.goalmem").exists()


def test_nothing_is_read_across_spaces(goalmem, store: Path):
    assert goalmem("add", "--text", "I like tea.", "--space", "other").exit_code == 0
    assert goalmem("search", "dog", "--space", "other", "--speaker", "Nadia").exit_code == 1
    assert goalmem("ask", "Where does Lucia live?", "--space", "other").exit_code == 1


def test_a_date_that_cannot_be_read_is_refused(goalmem, store: Path):
    done = goalmem("ask", "Where does Lucia live?", "--at", "someday")
    assert done.exit_code == 3
    assert "'someday'" in done.stderr


@pytest.mark.parametrize("option", ["--speaker", "--asker"])
def test_i_is_who_is_said_to_ask(goalmem, store: Path, option: str):
    assert goalmem("ask", "What did I adopt?", option, "Nadia").stdout.startswith("dog\n")
    assert goalmem("ask", "What did I adopt?", option, "Ivo").exit_code == 1
    asked = goalmem("ask", "Where does my sister live?", option, "Ivo", "--json").stdout
    assert json.loads(asked)["proof"]["asker"] == "Ivo"
    assert goalmem("verify", "-", stdin=asked).exit_code == 0
    assert "Ivo" in goalmem("why-not", "What did I sell?", option, "Ivo").stdout
    assert "Nadia adopted" in goalmem("context", "What did I adopt?", option, "Nadia").stdout


def test_who_searches_leaves_no_turn_out(goalmem, store: Path):
    def found(*options: str) -> list[str]:
        return [
            h["turn"]["speaker"] for h in json.loads(goalmem("search", "my dog", "--json", *options).stdout)["items"]
        ]

    assert sorted(found("--asker", "Nadia")) == sorted(found())
    assert set(found("--speaker", "Ivo")) == {"Ivo"}


@pytest.mark.usefixtures("likely")
def test_what_is_likely_is_known_and_said_to_be_likely(goalmem, store: Path):
    done = goalmem("ask", "What did Nadia adopt?")
    assert done.exit_code == 0
    assert done.stdout.splitlines()[:2] == ["dog", "  likely, not certain: confidence 0.62"]
    assert "→ dog  likely, confidence" in goalmem("ask", "What did Nadia adopt?", "--proof").stdout
    asked = goalmem("ask", "What did Nadia adopt?", "--json").stdout
    assert (json.loads(asked)["status"], json.loads(asked)["proof"]["status"]) == ("likely", "likely")
    assert goalmem("verify", "-", stdin=asked).exit_code == 0


def test_a_chat_model_that_does_not_answer_is_told(goalmem, store: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GOALMEM_CHAT_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("GOALMEM_CHAT_MODEL", "small")
    monkeypatch.setenv("GOALMEM_CHAT_RETRIES", "0")
    asked = goalmem("ask", "Why is Lucia so shy?")
    assert "The chat model failed" in asked.stderr
    assert asked.exit_code == 1

"""`goalmem graph`: import, stats and show."""

import json
from pathlib import Path

import pytest

FILMS = "Heat|directed_by|Michael Mann\nHeat|starred_actors|Al Pacino\nSerpico|starred_actors|Al Pacino\n"


@pytest.fixture
def films(tmp_path: Path) -> str:
    (tmp_path / "films.txt").write_text(FILMS, encoding="utf-8")
    return "films.txt"


def test_import_and_again(goalmem, films: str):
    assert goalmem("graph", "import", films).stdout == "films.txt: 3 new triples\n"
    assert goalmem("graph", "import", films).stdout == "films.txt: 0 new triples, imported before\n"
    done = goalmem("graph", "import", "-", "--format", "tsv", "--json", stdin="Heat\tyear\t1995\n")
    assert json.loads(done.stdout)["files"] == [
        {"source": "standard input", "triples": 1, "entries": 1, "known": False}
    ]


def test_a_malformed_file_imports_nothing_and_names_the_line(goalmem, tmp_path: Path):
    (tmp_path / "bad.txt").write_text(FILMS + "Heat|1995\n", encoding="utf-8")
    done = goalmem("graph", "import", "bad.txt")
    assert done.exit_code == 3
    assert "bad.txt, line 4: it has 2 fields, not 3" in done.stderr
    assert goalmem("graph", "stats").exit_code == 3


def test_a_file_that_is_not_there(goalmem):
    done = goalmem("graph", "import", "nowhere.txt")
    assert done.exit_code == 3
    assert not Path("memory.goalmem").exists()


def test_stats(goalmem, films: str):
    goalmem("graph", "import", films)
    assert "4 entities, 2 relations, 3 triples" in goalmem("graph", "stats").stdout
    counted = json.loads(goalmem("graph", "stats", "--json").stdout)
    assert counted["counts"] == {"entities": 4, "relations": 2, "triples": 3}
    assert counted["relations"] == ["directed_by", "starred_actors"]
    assert counted["unfinished_imports"] == 0
    assert goalmem("graph", "stats", "--space", "other").exit_code == 3


def test_show_draws_the_neighbourhood(goalmem, films: str):
    goalmem("graph", "import", films)
    assert goalmem("graph", "show", "al  pacino", "--depth", "2", "--limit", "1").stdout.splitlines() == [
        "Al Pacino",
        "└── ~starred_actors",
        "    ├── Heat",
        "    │   ├── directed_by",
        "    │   │   └── Michael Mann",
        "    │   └── starred_actors",
        "    │       └── Al Pacino",
        "    └── …",
    ]
    found = json.loads(goalmem("graph", "show", "Heat", "--json").stdout)["entities"]
    assert [hop["relation"] for hop in found[0]["hops"]] == ["directed_by", "starred_actors"]


def test_show_of_what_is_not_there_names_what_is_like_it(goalmem, films: str):
    goalmem("graph", "import", films)
    done = goalmem("graph", "show", "Pacino")
    assert done.exit_code == 3
    assert "Al Pacino" in done.stderr
    assert goalmem("graph", "show", "Heat", "--depth", "0").exit_code == 2


def test_what_conversations_built(goalmem, store: Path, tmp_path: Path):
    assert json.loads(goalmem("graph", "stats", "--memory", "--json").stdout)["counts"]["triples"] > 0
    assert "Nadia" in goalmem("graph", "show", "nadia", "--memory").stdout
    (tmp_path / "more.jsonl").write_text(
        '{"role": "user", "name": "Nadia", "content": "I am allergic to cats. I have to feed the goat today."}\n'
    )
    goalmem("add", "more.jsonl")
    shown = goalmem("graph", "show", "nadia", "--memory").stdout
    assert "is allergic to" in shown
    assert "goat" not in shown
    assert goalmem("graph", "stats").exit_code == 3


def test_markup_in_names_is_text(goalmem, tmp_path: Path):
    (tmp_path / "odd.txt").write_text("[red]x[/red]|:smile:|[b]y\n", encoding="utf-8")
    goalmem("graph", "import", "odd.txt")
    assert goalmem("graph", "show", "[red]x[/red]").stdout.splitlines() == [
        "[red]x[/red]",
        "└── :smile:",
        "    └── [b]y",
    ]


def test_forgetting_the_space_forgets_its_graph(goalmem, films: str):
    goalmem("graph", "import", films)
    assert goalmem("forget", "--all", "--yes").exit_code == 0
    assert goalmem("graph", "stats").exit_code == 3

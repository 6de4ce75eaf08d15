"""A store with a short conversation in it, made once for each worker."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from goalmem.cli.app import app

CHAT = [
    {
        "session": "spring",
        "at": "2024-04-16T21:10:00",
        "messages": [
            {"role": "user", "name": "Nadia", "content": "I adopted a dog last Saturday! His name is Wotan."},
            {"role": "user", "name": "Ivo", "content": "Congratulations! My sister Lucia lives in Tarnholm."},
        ],
    },
    {
        "session": "autumn",
        "at": "2024-09-22T18:20:00",
        "messages": [
            {"role": "user", "name": "Nadia", "content": "Wotan ate my shoes. [red]All[/red] of them \u2603."}
        ],
    },
]

Goalmem = Callable[..., Result]


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def goalmem() -> Goalmem:
    """Run the command line in this process."""

    def run(*arguments: str, stdin: str | bytes | None = None) -> Result:
        return CliRunner().invoke(app, list(arguments), input=stdin)

    return run


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    """The conversation as a file."""
    file = tmp_path / "chat.jsonl"
    file.write_text("".join(json.dumps(session) + "\n" for session in CHAT), encoding="utf-8")
    return file


@pytest.fixture(scope="session")
def _filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("filled")
    file = folder / "chat.jsonl"
    file.write_text("".join(json.dumps(session) + "\n" for session in CHAT), encoding="utf-8")
    done = CliRunner().invoke(app, ["add", str(file), "--store", str(folder / "memory.goalmem")])
    assert done.exit_code == 0, done.output
    return folder / "memory.goalmem"


@pytest.fixture
def store(_filled: Path, tmp_path: Path) -> Path:
    """A store of one's own that holds the conversation; the default one of the folder."""
    return Path(shutil.copy(_filled, tmp_path / "memory.goalmem"))

"""Settings come from the call, the environment, a file and the defaults, in this order, and are checked."""

import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from goalmem import Memory
from goalmem.errors import InputError
from goalmem.settings import Settings, load_settings


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def test_defaults():
    assert load_settings() == Settings()


def test_the_call_is_stronger_than_the_environment_and_that_than_the_file(monkeypatch: pytest.MonkeyPatch):
    Path("goalmem.toml").write_text('store = "file"\nspace = "file"\nask_depth = 7\n')
    monkeypatch.setenv("GOALMEM_STORE", "environment")
    monkeypatch.setenv("GOALMEM_SPACE", "environment")
    settings = load_settings(store="call", space=None)
    assert (settings.store, settings.space, settings.ask_depth) == ("call", "environment", 7)


def test_the_file_is_looked_for_in_the_folder_and_then_in_the_configuration(tmp_path: Path):
    theirs = tmp_path / "config" / "goalmem" / "config.toml"
    theirs.parent.mkdir(parents=True)
    theirs.write_text('space = "theirs"\n')
    assert load_settings().space == "theirs"
    Path("goalmem.toml").write_text('space = "here"\n')
    assert load_settings().space == "here"


def test_a_file_can_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    named = tmp_path / "mine.toml"
    named.write_text("busy_timeout = 1.5\n")
    monkeypatch.setenv("GOALMEM_CONFIG", str(named))
    assert load_settings().busy_timeout == 1.5


def test_a_named_file_must_be_there(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GOALMEM_CONFIG", "nowhere.toml")
    with pytest.raises(InputError, match=r"nowhere\.toml"):
        load_settings()


@pytest.mark.parametrize("value", ["0", "-3", "many", "", "1.5", "1000"])
def test_a_bad_variable_is_named_with_its_value(value: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GOALMEM_ASK_DEPTH", value)
    with pytest.raises(InputError, match="GOALMEM_ASK_DEPTH") as caught:
        load_settings()
    assert repr(value) in caught.value.problem


@pytest.mark.parametrize("text", ["ask_depth = 0", "ask_deepness = 3", "ask_depth = ", "\x00", "ask_seconds = nan"])
def test_a_bad_file_is_named(text: str):
    Path("goalmem.toml").write_text(text)
    with pytest.raises(InputError, match=r"goalmem\.toml"):
        load_settings()


def test_a_file_that_is_no_utf8_is_refused():
    Path("goalmem.toml").write_bytes(b'space = "caf\xe9"')
    with pytest.raises(InputError, match=r"goalmem\.toml"):
        load_settings()


@pytest.mark.parametrize("given", [{"ask_seconds": -1}, {"store": ""}, {"answer_threshold": 2}, {"unknown": 1}])
def test_a_bad_call_is_refused(given: dict[str, object]):
    with pytest.raises(InputError, match=next(iter(given))):
        load_settings(**given)


def test_a_key_is_shown_nowhere(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GOALMEM_CHAT_KEY", "sk-secret")
    settings = load_settings()
    assert settings.chat_key == "sk-secret"
    assert "sk-secret" not in f"{settings!r} {settings}"
    monkeypatch.delenv("GOALMEM_CHAT_KEY")
    Path("goalmem.toml").write_text("chat_key = 424242\n")
    with pytest.raises(InputError, match="chat_key") as caught:
        load_settings()
    assert "424242" not in str(caught.value)


@pytest.mark.parametrize("value", ["-1", "nan", "inf", "cheap"])
def test_a_price_is_a_number(value: str, monkeypatch: pytest.MonkeyPatch):
    assert load_settings().chat_price_in is None
    monkeypatch.setenv("GOALMEM_CHAT_PRICE_IN", value)
    with pytest.raises(InputError, match="GOALMEM_CHAT_PRICE_IN"):
        load_settings()


def test_reading_settings_imports_no_framework_when_nothing_is_set():
    program = (
        "import sys, goalmem.settings as s; s.load_settings(); "
        "print([m for m in ('pydantic', 'pydantic_settings', 'numpy', 'spacy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_setting_is_documented():
    page = (Path(__file__).parents[2] / "docs" / "settings.md").read_text(encoding="utf-8")
    for setting in fields(Settings):
        assert f"`GOALMEM_{setting.name.upper()}`" in page


@pytest.mark.parametrize(
    "given",
    [
        {"space_turns": -1},
        {"space_turns": "x"},
        {"retention": -1},
        {"judge": "mine"},
        {"store": ""},
        {"captions": "no"},
    ],
)
def test_a_memory_refuses_settings_that_cannot_be(given: dict[str, Any]):
    with pytest.raises(InputError, match=f"the setting {next(iter(given))!r}"):
        Memory(settings=Settings(**given))

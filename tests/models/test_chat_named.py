"""`Memory(chat=…)` takes names, addresses, clients and models, and refuses anything else with what is possible."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from goalmem import Memory
from goalmem.errors import InputError
from goalmem.models.connect import chat_of, connect_chat
from goalmem.settings import Settings
from goalmem.testing import ScriptedChat

openai = pytest.importorskip("openai")
from .endpoint import says, serving  # noqa: E402

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def test_what_is_named_is_asked_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-one")
    named = {
        "openai:gpt-5": "gpt-5 at https://api.openai.com/v1",
        "ollama:llama3.2:1b": "llama3.2:1b at http://127.0.0.1:11434/v1",
        "http://localhost:8000/v1#small": "small at http://localhost:8000/v1",
    }
    for text in named:
        model = chat_of(text, Settings())
        assert model is not None
        name, _, place = named[text].partition(" at ")
        assert name in model.name
        assert place.removeprefix("http://").removeprefix("https://").split("/")[0] in model.name
        assert "sk-one" not in repr(model)
    by_setting = chat_of("http://localhost:8000/v1", Settings(chat_model="large"))
    assert by_setting is not None
    assert "large" in by_setting.name


def test_a_client_or_a_model_is_taken() -> None:
    scripted = ScriptedChat([])
    assert chat_of(scripted, Settings()) is scripted
    client = openai.OpenAI(base_url="http://localhost:9/v1", api_key="k")
    taken = chat_of(client, Settings(chat_model="small"))
    assert taken is not None
    assert "small" in taken.name
    named = chat_of((client, "large"), Settings(chat_model="small"))
    assert named is not None
    assert "large" in named.name
    with pytest.raises(InputError, match=r"chat=\(client, "):
        chat_of(client, Settings())


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("ollama:llama3.2:1b", "llama3.2:1b at 127.0.0.1:11434"),
        ("http://localhost:8000/v1#small", "small at localhost:8000"),
    ],
)
def test_the_address_that_is_set_may_name_the_model(url: str, place: str) -> None:
    model = connect_chat(Settings(chat_url=url))
    assert model is not None
    assert place in model.name


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("gpt-5", "not known"),
        ("openai:", "not known"),
        ("anthropic:claude", "not known"),
        ("openai:gpt-5", "OPENAI_API_KEY"),
        ("http://localhost:8000/v1", "GOALMEM_CHAT_MODEL"),
        ("", "openai:MODEL"),
        (object(), "ChatModel"),
        (print, "ChatModel"),
        (7, "ollama:MODEL"),
        (ScriptedChat, "openai:MODEL"),
    ],
)
def test_anything_else_is_refused_with_what_is_possible(given: object, said: str) -> None:
    with pytest.raises(InputError) as refused:
        Memory(chat=given)
    assert said in f"{refused.value.problem} {refused.value.remedy}"


@pytest.mark.parametrize("name", ["chat_openai", "chat_ollama"])
def test_the_example_recalls_replies_and_remembers(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with serving(says("Comet is a fine name for a beagle.")) as endpoint:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("OLLAMA_URL", endpoint.url)
        monkeypatch.setenv("GOALMEM_STORE", str(tmp_path / "memory.goalmem"))
        spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        program = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(program)
        lines = iter(["I adopted a beagle called Comet.", "What did I adopt?", ""])
        program.main(lambda _: next(lines))
    assert capsys.readouterr().out.count("Comet is a fine name for a beagle.") == 2
    shown = endpoint.asked[-1].body["messages"][-1]["content"]
    assert "I adopted a beagle called Comet." in shown
    assert "<memory>" in shown

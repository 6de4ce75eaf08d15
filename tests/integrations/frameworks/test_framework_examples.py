"""The example programs of LangGraph, LangChain and LlamaIndex run, offline, and end as they say."""

import importlib.util
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[3] / "examples" / "frameworks"
NEEDED = {"langgraph_agent": "langgraph", "langchain_tools": "langchain_core", "llama_index_chat": "llama_index.core"}
SAID = {
    "langgraph_agent": [
        "failed: the model is away",
        "> Take the train to Ghent.",
        "messages remembered of the run: 2",
        "Ghent, proved; the proof holds: True",
        "{'text': 'Maya works at the harbour office.', 'since': 2021}",
        "harbour office",
    ],
    "langchain_tools": ["> Ilse lives in Ghent.", "the proof holds: True", "2024-05-02, Maya: Ilse loves rye bread."],
    "llama_index_chat": [
        "In Ghent.",
        "sessions: spring (2), autumn (4)",
        "Biscuit, likely; the proof holds: True",
        "2024-05-02, Maya: Ilse loves rye bread.",
    ],
}


@pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning"
)  # LlamaIndex leaves its own database open
@pytest.mark.parametrize("name", SAID)
def test_an_example_does_what_it_says(name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip(NEEDED[name])
    monkeypatch.setenv("GOALMEM_ASK_SECONDS", "120")  # what is answered does not depend on how busy the machine is
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    program.main()
    printed = capsys.readouterr().out.splitlines()
    assert [line for line in printed if line in SAID[name]] == SAID[name]

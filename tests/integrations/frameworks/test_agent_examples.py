"""The example programs of Pydantic AI, the Agents SDK and Haystack run, offline, and say what they are meant to."""

import asyncio
import importlib.util
import inspect
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[3] / "examples" / "frameworks"
SECONDS = 240
SAID = {
    "pydantic_ai_agent": (
        "pydantic_ai",
        ["A table at the ramen bar on Elm Street.", "Answer: Ghent (proved, ", "sessions: 3, of others: 0"],
    ),
    "openai_agents_session": (
        "agents",
        ["monday: 4 items", "Dog food, for your beagle.", "Answer: Ghent (proved, ", "tuesday: 6 items"],
    ),
    "haystack_pipeline": ("haystack", ["2 0", "A table at the ramen bar on Elm Street."]),
}


@pytest.mark.parametrize("name", SAID)
def test_an_example_says_what_it_is_meant_to(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    package, expected = SAID[name]
    monkeypatch.setenv("HAYSTACK_TELEMETRY_ENABLED", "False")
    monkeypatch.setenv("GOALMEM_ASK_SECONDS", str(SECONDS))  # what is answered does not depend on how busy it is
    pytest.importorskip(package)
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    done = program.main()
    if inspect.iscoroutine(done):
        asyncio.run(done)
    printed = capsys.readouterr().out
    positions = [printed.find(words) for words in expected]
    assert -1 not in positions
    assert positions == sorted(positions)

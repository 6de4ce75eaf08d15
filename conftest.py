"""What holds for every test."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings
from tests.cases import THOROUGH

if TYPE_CHECKING:
    from goalmem import Memory
    from goalmem.language import Analyzer

# Tests run in a process a core: more threads in each would only wait for one another.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# A shared machine is slow at times: what a property says does not depend on how long it takes. Derandomized, a run
# tests the same examples everywhere; `make test-slow` tries ten times as many.
settings.register_profile("goalmem", deadline=None, derandomize=True, max_examples=50)
settings.register_profile("thorough", deadline=None, derandomize=True, max_examples=THOROUGH)
settings.load_profile("goalmem")


@pytest.fixture(autouse=True)
def _own_surroundings(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No settings of the person who runs the tests have an effect."""
    for name in [name for name in os.environ if name.startswith("GOALMEM_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.getbasetemp() / "no-settings"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))


@pytest.fixture(scope="session", autouse=True)
def _shared_documents() -> "Iterator[None]":
    """All memories of a process keep what they have parsed together: many tests tell and ask the same."""
    from goalmem.language import Analyzer
    from goalmem.language import analyzer as module

    given, documents, strange = Analyzer.__init__, dict[Any, Any](), dict[str, bool]()

    def sharing(self: "Analyzer", *args: Any, **options: Any) -> None:
        given(self, *args, **options)
        if not args and not options:
            self._recent, self._strange = documents, strange

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "RECENT", 4096)
        patch.setattr(Analyzer, "__init__", sharing)
        yield


@pytest.fixture(scope="session")
def analyzer() -> "Analyzer":
    """One parser for all tests of a process."""
    from goalmem.language import Analyzer

    return Analyzer()


@pytest.fixture(scope="module")
def module_memory(analyzer: "Analyzer") -> "Iterator[Callable[..., Memory]]":
    """Opens memories that the tests of a module share; takes what `Memory` takes."""
    from goalmem import Memory

    with ExitStack() as opened:
        yield lambda *args, **options: opened.enter_context(Memory(*args, **{"analyzer": analyzer, **options}))


@pytest.fixture
def open_memory(analyzer: "Analyzer") -> "Iterator[Callable[..., Memory]]":
    """Opens memories that are closed with the test; takes what `Memory` takes."""
    from goalmem import Memory

    with ExitStack() as opened:
        yield lambda *args, **options: opened.enter_context(Memory(*args, **{"analyzer": analyzer, **options}))


@pytest.fixture
def memory(open_memory: "Callable[..., Memory]") -> "Memory":
    """An empty memory."""
    return open_memory()


@pytest.fixture
def likely(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every answer that a memory knows is called likely, with a confidence of 0.62."""
    from goalmem import Answer, Memory

    ask = Memory.ask

    def asked(memory: Memory, *args: Any, **options: Any) -> Any:
        found = ask(memory, *args, **options)
        if not isinstance(found, Answer) or not found.known:
            return found
        return replace(found, confidence=0.62)

    monkeypatch.setattr(Memory, "ask", asked)
    # Both who builds a proof and who checks it find its leaves no surer than that.
    for module in ("goalmem.proof.build", "goalmem.proof.check", "goalmem.sources.space_check"):
        monkeypatch.setattr(f"{module}.grade", lambda proof: "likely")

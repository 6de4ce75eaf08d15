"""What holds for every test."""

import gc
import os
import sys
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

import pytest
from hypothesis import settings
from tests.cases import THOROUGH

if TYPE_CHECKING:
    from goalmem import Memory
    from goalmem.language import Analyzer, Extractor

T = TypeVar("T")

# Tests run in a process a core: more threads in each would only wait for one another.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# What tests import, and the commands that they start, keeps its compiled modules, as those of an install do.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# As `goalmem` itself does: to look through all that the modules and models made again and again takes time.
gc.set_threshold(50_000, 20, 100)

# A shared machine is slow at times: what a property says does not depend on how long it takes. Derandomized, a run
# tests the same examples everywhere; `make test-slow` tries ten times as many.
settings.register_profile("goalmem", deadline=None, derandomize=True, max_examples=50)
settings.register_profile("thorough", deadline=None, derandomize=True, max_examples=THOROUGH)
settings.load_profile("goalmem")


@pytest.hookimpl(tryfirst=True)  # before the markers are looked at
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as thorough all but one in so many cases of each test that is `sampled`."""
    seen = Counter[str]()
    for item in items:
        marker = item.get_closest_marker("sampled")
        if marker is None or item.get_closest_marker("thorough") is not None:
            continue
        test = item.nodeid.partition("[")[0]
        if seen[test] % marker.args[0]:
            item.add_marker("thorough")
        seen[test] += 1


@pytest.fixture(autouse=True)
def _own_surroundings(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No settings of the person who runs the tests have an effect."""
    for name in [name for name in os.environ if name.startswith("GOALMEM_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.getbasetemp() / "no-settings"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))


@pytest.fixture(scope="session", autouse=True)
def _shared_work() -> "Iterator[None]":
    """What is done again for the same input is done once a process: many tests tell and ask the same."""
    import typer.testing

    from goalmem.language import Analyzer, Extractor
    from goalmem.language import analyzer as parsing
    from goalmem.models import minilm, minilm_judge, span_reader

    given, documents, strange = Analyzer.__init__, dict[Any, Any](), dict[str, bool]()
    replaced, read = parsing.replacements, Extractor.read
    words, facts = dict[Any, dict[int, str]](), dict[Any, list[Any]]()

    def sharing(self: "Analyzer", *args: Any, **options: Any) -> None:
        given(self, *args, **options)
        if not args and not options:
            self._recent, self._strange = documents, strange

    def replacing(text: str, names: "Collection[str]", is_strange: Any) -> dict[int, str]:
        key = is_strange.func.__self__.parser, text, tuple(names)
        if key not in words:
            words[key] = replaced(text, names, is_strange)
        return words[key]

    def reading(self: "Extractor", text: str, *, anchor: Any = None) -> list[Any]:
        key = self._analyzer.parser, text, anchor
        if key not in facts:
            facts[key] = read(self, text, anchor=anchor)
        return facts[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parsing, "RECENT", 4096)
        patch.setattr(Analyzer, "__init__", sharing)
        patch.setattr(parsing, "replacements", replacing)
        patch.setattr(Extractor, "read", reading)
        # A batch is one input: what a model of 8 bits makes of a text depends on those beside it.
        patch.setattr(minilm, "_forward", once(minilm._forward, key=lambda rows: tuple(map(tuple, rows))))
        patch.setattr(span_reader, "_forward", once(span_reader._forward, key=lambda pair: (pair.ids, pair.first)))
        patch.setattr(minilm_judge, "_verdict", once(minilm_judge._verdict, key=lambda pair: (pair.ids, pair.first)))
        patch.setattr(typer.testing, "_get_command", cache(typer.testing._get_command))
        yield


def once(run: Callable[..., T], key: Callable[[Any], Hashable]) -> Callable[..., T]:
    """A function of a model, and last its input, that runs once for each of both."""
    found: dict[Hashable, T] = {}

    def of(*given: Any) -> T:
        *model, last = given
        known = (*model, key(last))
        if known not in found:
            found[known] = run(*given)
        return found[known]

    return of


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

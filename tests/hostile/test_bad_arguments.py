"""Whatever is passed to any parameter of any method, of a memory and of a server's client: an InputError says what is wrong with it."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from goalmem import AsyncClient, AsyncMemory, Client, Memory
from goalmem.errors import LONGEST_SHOWN, InputError
from goalmem.io.arguments import CHECKS, check_count, check_flag, check_function, check_names
from tests.hostile.test_bad_values import nested

HUGE = 10 ** (sys.get_int_max_str_digits() or 5000)
VALUES: dict[str, Callable[[], Any]] = {
    "an object": object, "a fraction": lambda: 1.5, "bytes": lambda: b"x", "a dict": lambda: {1: 2}, "a set": lambda: {1}, "a list": lambda: [[None]],
    "a tuple": lambda: (None,), "a generator": lambda: (n for n in [1]), "many digits": lambda: HUGE, "deep": lambda: nested(5_000),
}  # fmt: skip
"""What nothing takes, but for what is in TAKEN."""
TAKEN = {
    "a fraction": {"at", "after", "before", "ttl", "expires_at", "expires"},
    "many digits": {"k", "limit", "max_tokens"},
}
"""Parameters, by a value that they take."""
OF_OTHER_KINDS: dict[object, tuple[Any, ...]] = {
    check_flag: (0, "no", None), check_count: (True, "5", None, 0, -1), check_names: ("one", True, [3], None), check_function: ("f", 3),
}  # fmt: skip
"""More values that a parameter refuses, by its check."""
NEEDED: dict[str, Any] = {
    "messages": "I like tea.", "query": "tea", "question": "What do I like?", "utterance": "tea", "text": "Bob is big.", "about": "tea", "ids": [],
    "graph": [("a", "b", "c")], "proof": "{}", "embedder": "minilm", "session": "s", "job": "j", "name": "n", "scope": "read", "key_id": "k",
}  # fmt: skip


def methods(cls: type) -> list[str]:
    """The public methods that take something."""
    found = inspect.getmembers(cls, inspect.isfunction)
    return [
        name for name, method in found if not name.startswith("_") and len(inspect.signature(method).parameters) > 1
    ]


def parameters_of(cls: type, method: str) -> dict[str, inspect.Parameter]:
    """The parameters of a method by name, without `self`."""
    return {n: p for n, p in inspect.signature(getattr(cls, method)).parameters.items() if n != "self"}


def require_refusal(owner: Any, name: str, folder: Path) -> None:
    """Call a method with every value in the place of each of its parameters, beside valid ones."""
    method = getattr(owner, name)
    parameters = parameters_of(type(owner), name)
    needed = NEEDED | {path: str(folder / "a file.txt") for path in ("file", "target", "origin")}
    needed["turn_id"] = owner.add("I like tea.").turns[0]
    (folder / "a file.txt").write_text("Ann likes tea.")
    for parameter, declared in parameters.items():
        check = CHECKS.get(parameter, ("", None))[1]
        refused = {kind: value() for kind, value in VALUES.items() if parameter not in TAKEN.get(kind, ())}
        refused |= {str(v): v for v in OF_OTHER_KINDS.get(check, ()) if v is not declared.default}
        valid = {n: needed[n] for n, p in parameters.items() if p.default is p.empty and n != parameter}
        for kind, value in refused.items():
            try:
                method(**valid, **{parameter: value})
            except InputError as error:
                assert len(str(error)) < 3 * LONGEST_SHOWN, (parameter, kind)
                assert error.problem, (parameter, kind)
                assert error.remedy, (parameter, kind)
            except Exception as error:  # noqa: BLE001 - which one it is is what the test is about
                if not (parameter == "proof" and type(error).__name__ == "ProofError"):
                    pytest.fail(f"{name}({parameter}={kind}): {error!r:.200}")
            else:
                pytest.fail(f"{name}({parameter}={kind}) was taken")


@pytest.mark.parametrize("name", methods(Memory))
def test_a_memory_refuses_it(module_memory: Callable[..., Memory], name: str, tmp_path: Path) -> None:
    require_refusal(module_memory(), name, tmp_path)


@pytest.fixture(scope="module")
def client(module_memory: Callable[..., Memory]) -> Iterator[Client]:
    """A client of a server in this process."""
    pytest.importorskip("uvicorn")
    from goalmem.serve.testing import served

    with served(module_memory()) as url, Client(url) as client:
        yield client


@pytest.mark.parametrize("name", methods(Client))
def test_a_client_refuses_it(client: Client, name: str, tmp_path: Path) -> None:
    require_refusal(client, name, tmp_path)


@pytest.mark.parametrize(
    ("cls", "parameter"),
    [(Memory, p) for p in ("store", "settings", "embedder", "analyzer", "chat", "reader", "judge")]
    + [(AsyncMemory, "workers")]
    + [(cls, p) for cls in (Client, AsyncClient) for p in ("url", "key", "timeout", "attempts")],
)
def test_nothing_is_opened_with_it(cls: Callable[..., object], parameter: str) -> None:
    for kind, value in VALUES.items():
        if (parameter, kind) in {("timeout", "a fraction"), ("workers", "many digits"), ("attempts", "many digits")}:
            continue
        with pytest.raises(InputError):
            cls(**{parameter: value()})


def test_names_may_come_in_a_set_or_a_tuple(memory: Memory) -> None:
    memory.add("I like tea.", session="monday")
    for sessions in ({"monday"}, ("monday",), ["monday"], frozenset({"monday"})):
        assert memory.search("tea", sessions=sessions)  # type: ignore[arg-type]


def test_what_counts_tokens_must_return_a_number(memory: Memory) -> None:
    memory.add("I like tea.")
    with pytest.raises(InputError, match="`count` returned None"):
        memory.context("tea", count=lambda _: None)  # type: ignore[arg-type, return-value]

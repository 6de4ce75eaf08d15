"""Imports spaCy without the dependencies of its command line.

`import spacy` imports its command line for one function (`spacy.info`), and with it an HTTP client, a project manager and more: half
of its time.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any

_PACKAGE, _MODULE = "spacy.cli", "spacy.cli.info"


def import_spacy() -> ModuleType:
    """The package `spacy`. Its command line stays importable, and is imported when asked for."""
    if "spacy" not in sys.modules:
        try:
            with _replaced(_command_line()):
                import spacy
        except ImportError:  # another version of spaCy, which needs more of the hidden modules
            pass
        else:
            vars(spacy).pop("cli", None)
            vars(spacy).setdefault("__getattr__", _attribute)
    import spacy

    return spacy


def _attribute(name: str) -> ModuleType:
    """`spacy.cli`, as for who imported the package whole (PEP 562)."""
    if name == "cli":
        return import_module(_PACKAGE)
    raise AttributeError(f"module 'spacy' has no attribute {name!r}")


def _command_line() -> Mapping[str, ModuleType]:
    """Stands for spaCy's command line, as far as `import spacy` asks for it."""

    def info(*args: Any, **kwargs: Any) -> Any:
        from spacy.cli.info import info as own

        return own(*args, **kwargs)

    package, module = ModuleType(_PACKAGE), ModuleType(_MODULE)
    package.__path__ = []
    vars(module)["info"] = vars(package)["info"] = info
    return {_PACKAGE: package, _MODULE: module}


@contextmanager
def _replaced(modules: Mapping[str, ModuleType]) -> Iterator[None]:
    """Replace modules while something is imported."""
    sys.modules.update(modules)
    try:
        yield
    finally:
        for name, module in modules.items():
            if sys.modules.get(name) is module:
                sys.modules.pop(name, None)

"""Other memory systems as sources of evidence: Goal-Mem on top of any memory that can be searched.

Each adapter imports its package when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from goalmem.integrations.backends.protocol import Backend, Passage
    from goalmem.integrations.backends.recognition import CallableBackend, open_backend

_HOME_OF = {
    "Backend": "protocol",
    "CallableBackend": "recognition",
    "Passage": "protocol",
    "open_backend": "recognition",
}

__all__ = ["Backend", "CallableBackend", "Passage", "open_backend"]


def __getattr__(name: str) -> object:
    """Adapters are loaded when first used."""
    if name not in _HOME_OF:
        raise AttributeError(f"module 'goalmem.integrations.backends' has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOME_OF[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)

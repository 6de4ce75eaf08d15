"""goalmem: memory that reasons backwards from the question and answers with a proof that can be checked again."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from goalmem import errors
from goalmem.errors import *  # noqa: F403

if TYPE_CHECKING:
    from goalmem.answer import Answer, Context, FileReceipt, HistoryEntry, Receipt, WhyNot
    from goalmem.asynchronous import AsyncMemory
    from goalmem.client import AsyncClient, Client
    from goalmem.engine.events import Event
    from goalmem.memory import Memory
    from goalmem.proof.check import Verification
    from goalmem.proof.document import Proof
    from goalmem.records import Fact, Hit, Profile, ProfileStatement, Turn
    from goalmem.settings import Settings, load_settings

__version__ = "0.1.0"

_HOMES = {
    "goalmem.answer": ("Answer", "Context", "FileReceipt", "HistoryEntry", "Receipt", "WhyNot"),
    "goalmem.asynchronous": ("AsyncMemory",),
    "goalmem.client": ("AsyncClient", "Client"),
    "goalmem.proof.document": ("Proof",),
    "goalmem.proof.check": ("Verification",),
    "goalmem.memory": ("Memory",),
    "goalmem.engine.events": ("Event",),
    "goalmem.records": ("Fact", "Hit", "Profile", "ProfileStatement", "Turn"),
    "goalmem.settings": ("Settings", "load_settings"),
}
"""Where public names other than errors are defined."""
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Answer",
    "AsyncClient",
    "AsyncMemory",
    "Client",
    "Context",
    "Event",
    "Fact",
    "FileReceipt",
    "HistoryEntry",
    "Hit",
    "Memory",
    "Profile",
    "ProfileStatement",
    "Proof",
    "Receipt",
    "Settings",
    "Turn",
    "Verification",
    "WhyNot",
    "load_settings",
]
__all__ += errors.__all__


def __getattr__(name: str) -> object:
    """Public names are loaded when first used, so that importing goalmem imports nothing heavy."""
    if name not in _HOME_OF:
        raise AttributeError(f"module 'goalmem' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)

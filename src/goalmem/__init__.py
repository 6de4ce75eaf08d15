"""goalmem: memory that reasons backwards from the question and answers with a proof that can be checked again."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from goalmem.answer import Answer, Context, FileReceipt, HistoryEntry, Receipt, WhyNot
    from goalmem.asynchronous import AsyncMemory
    from goalmem.client import AsyncClient, Client
    from goalmem.engine.events import Event
    from goalmem.errors import (
        AccessDeniedError,
        BackendError,
        ChatBudgetError,
        ChatError,
        ChatRefusedError,
        ChatReplyError,
        ChatUnavailableError,
        ConflictError,
        CorruptStoreError,
        EmbeddingError,
        EmbeddingRefusedError,
        EmbeddingUnavailableError,
        FormatError,
        GoalmemError,
        InputError,
        ModelError,
        NewerStoreError,
        NotAStoreError,
        NotFoundError,
        ProofError,
        ReadOnlyStoreError,
        RuleError,
        ServiceError,
        ServiceUnavailableError,
        StoreBusyError,
        StoreClosedError,
        StoreError,
        StoreFullError,
        UnreadableRulesError,
        UnstratifiedError,
        WorkCancelledError,
    )
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
"""Where public names are defined; the others are those of `goalmem.errors`."""
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "AccessDeniedError",
    "Answer",
    "AsyncClient",
    "AsyncMemory",
    "BackendError",
    "ChatBudgetError",
    "ChatError",
    "ChatRefusedError",
    "ChatReplyError",
    "ChatUnavailableError",
    "Client",
    "ConflictError",
    "Context",
    "CorruptStoreError",
    "EmbeddingError",
    "EmbeddingRefusedError",
    "EmbeddingUnavailableError",
    "Event",
    "Fact",
    "FileReceipt",
    "FormatError",
    "GoalmemError",
    "HistoryEntry",
    "Hit",
    "InputError",
    "Memory",
    "ModelError",
    "NewerStoreError",
    "NotAStoreError",
    "NotFoundError",
    "Profile",
    "ProfileStatement",
    "Proof",
    "ProofError",
    "ReadOnlyStoreError",
    "Receipt",
    "RuleError",
    "ServiceError",
    "ServiceUnavailableError",
    "Settings",
    "StoreBusyError",
    "StoreClosedError",
    "StoreError",
    "StoreFullError",
    "Turn",
    "UnreadableRulesError",
    "UnstratifiedError",
    "Verification",
    "WhyNot",
    "WorkCancelledError",
    "load_settings",
]


def __getattr__(name: str) -> object:
    """Public names are loaded when first used, so that importing goalmem imports nothing heavy."""
    if name not in __all__:
        raise AttributeError(f"module 'goalmem' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME_OF.get(name, "goalmem.errors")), name)


def __dir__() -> list[str]:
    return sorted(__all__)

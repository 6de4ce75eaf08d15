"""Every error that goalmem raises.

GoalmemError
├── InputError          an argument or a message cannot be used (also a ValueError)
│   ├── ConflictError   a message id is known already, with other content
│   ├── FormatError     a file cannot be read; names the line
│   └── LogicSyntaxError    a text is no atom or rule of NL-Logic
├── NotFoundError       what was asked for is not in this space (also a LookupError)
├── ProofError          a proof document is malformed
│   └── ProofFormatError    its text is no proof of a version that is read (also a ValueError)
├── RuleError           rules cannot be used
│   ├── UnreadableRulesError    sentences are no rule English that is read
│   └── UnstratifiedError       they go in a circle through a negation
├── ModelError          bundled weights are missing or altered, or another model cannot be used
│   └── EmbeddingError      an endpoint's embeddings cannot be used
│       ├── EmbeddingUnavailableError   it could not be reached, or had no time
│       └── EmbeddingRefusedError       it does not take such requests: key, model, address
├── BackendError        another memory system cannot be used, or not for this
├── ChatError           a chat model gave no usable reply
│   ├── ChatUnavailableError    it could not be reached, or had no time
│   ├── ChatRefusedError        it does not take such requests: key, model, address
│   ├── ChatReplyError          what it sent is no reply, or an empty one
│   └── ChatBudgetError         what the calls may cost is spent; it was not asked
├── WorkCancelledError  the work was cancelled while it went on; nothing of it was stored
├── ServiceError        a server did not do what was asked of it (goalmem.Client)
│   ├── ServiceUnavailableError it could not be reached, or is too busy (also a ConnectionError)
│   └── AccessDeniedError       the key is missing, unknown, or not for this (also a PermissionError)
└── StoreError          the store cannot do what was asked
    ├── NotAStoreError      the file is something else
    ├── OtherModelError     it keeps vectors of another embedder
    ├── NewerStoreError     written by a newer goalmem
    ├── CorruptStoreError   the file is damaged
    ├── ReadOnlyStoreError  the place cannot be written
    ├── StoreFullError      the disk is full, or a space may hold no more
    ├── StoreBusyError      another process held the store for too long
    └── StoreClosedError    the memory was closed
"""

from __future__ import annotations

__all__ = [
    "AccessDeniedError",
    "BackendError",
    "ChatBudgetError",
    "ChatError",
    "ChatRefusedError",
    "ChatReplyError",
    "ChatUnavailableError",
    "ConflictError",
    "CorruptStoreError",
    "EmbeddingError",
    "EmbeddingRefusedError",
    "EmbeddingUnavailableError",
    "FormatError",
    "GoalmemError",
    "InputError",
    "LogicSyntaxError",
    "ModelError",
    "NewerStoreError",
    "NotAStoreError",
    "NotFoundError",
    "OtherModelError",
    "ProofError",
    "ProofFormatError",
    "ReadOnlyStoreError",
    "RuleError",
    "ServiceError",
    "ServiceUnavailableError",
    "StoreBusyError",
    "StoreClosedError",
    "StoreError",
    "StoreFullError",
    "UnreadableRulesError",
    "UnstratifiedError",
    "WorkCancelledError",
]


CHECK_STORE = (
    "Keep a copy of it. `goalmem check` says what is damaged, and with --repair reads again what follows from turns;"
    " restore a backup where that is not enough."
)
"""Remedy for a damaged store."""


LONGEST_SHOWN = 300
"""Characters of a value that a message repeats."""


def shown(value: object) -> str:
    """A value as Python writes it, for a message: cut where it is long; only its type where it is too large or too deep to be written."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):
        return f"of type {type(value).__name__} and too large to show"
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"


class GoalmemError(Exception):
    """Base of all errors: what was wrong, with what, and what to do next.

    `problem` says what was wrong and with what; `remedy` says what to do. Both are in `str(error)`.
    """

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(f"{problem} {remedy}")
        self.problem = problem
        self.remedy = remedy

    def __reduce__(self) -> tuple[type[GoalmemError], tuple[object, ...]]:
        return type(self), (self.problem, self.remedy)


class InputError(GoalmemError, ValueError):
    """An argument or a message cannot be used as it is."""


class ConflictError(InputError):
    """A message id is known already, with other content."""


class FormatError(InputError):
    """A file cannot be read; the problem names the file and the line."""


class LogicSyntaxError(InputError):
    """A text is no atom or rule of NL-Logic; `position` says where (characters from 0)."""

    def __init__(self, problem: str, position: int, remedy: str) -> None:
        super().__init__(problem, remedy)
        self.args = (f"{problem} (at character {position}). {remedy}",)
        self.position = position

    def __reduce__(self) -> tuple[type[GoalmemError], tuple[object, ...]]:
        return type(self), (self.problem, self.position, self.remedy)


class NotFoundError(GoalmemError, LookupError):
    """What was asked for is not in this space."""


class ProofError(GoalmemError):
    """A proof document is malformed."""


class ProofFormatError(ProofError, ValueError):
    """A text is not a proof of a version that is read; the problem says what is wrong and where."""


class RuleError(GoalmemError):
    """Rules stated in plain language cannot be used."""


class UnreadableRulesError(RuleError, ValueError):
    """Sentences of a rule text cannot be read; the problem names the first of them and why."""


class UnstratifiedError(RuleError):
    """What was asked rests on its own negation; `cycle` names the statements of the circle, in order."""

    def __init__(self, problem: str, remedy: str, cycle: tuple[str, ...]) -> None:
        super().__init__(problem, remedy)
        self.cycle = cycle

    def __reduce__(self) -> tuple[type[GoalmemError], tuple[object, ...]]:
        return type(self), (self.problem, self.remedy, self.cycle)


class ModelError(GoalmemError):
    """Bundled model files are missing or are not the ones expected, or a model of another kind cannot be used."""


class EmbeddingError(ModelError):
    """What an endpoint sent are no vectors of its model, or not as many as it was asked for."""


class EmbeddingUnavailableError(EmbeddingError):
    """An endpoint of embeddings could not be reached, or did not answer in time, also not when it was asked again."""


class EmbeddingRefusedError(EmbeddingError):
    """An endpoint of embeddings does not take such requests; asking again would change nothing."""


class BackendError(GoalmemError):
    """Another memory system cannot be used: its package is missing, it returns what cannot be read, or it is not ours to change."""


class ChatError(GoalmemError):
    """A chat model gave no usable reply."""


class ChatUnavailableError(ChatError):
    """A chat model could not be reached, or did not reply in time, also not when it was asked again."""


class ChatRefusedError(ChatError):
    """A chat model's endpoint does not take such requests; asking again would change nothing."""


class ChatReplyError(ChatError):
    """What came back is no reply, or an empty one."""


class ChatBudgetError(ChatError):
    """What the calls of a question may cost is spent; the model was not asked."""


class WorkCancelledError(GoalmemError):
    """The work was cancelled while it went on (`goalmem.cancellation`); nothing of it was stored."""

    def __init__(self) -> None:
        super().__init__("The work was cancelled before it was done; nothing of it was stored.", "Call again to do it.")

    def __reduce__(self) -> tuple[type[GoalmemError], tuple[object, ...]]:
        return type(self), ()


class ServiceError(GoalmemError):
    """A server of goalmem did not do what was asked of it."""


class ServiceUnavailableError(ServiceError, ConnectionError):
    """A server could not be reached, did not answer in time, or is too busy, also when it was asked again."""


class AccessDeniedError(ServiceError, PermissionError):
    """The key is missing or unknown, or it is not for this."""


class StoreError(GoalmemError):
    """The store cannot do what was asked."""


class NotAStoreError(StoreError):
    """The file exists and is not a goalmem store."""


class OtherModelError(StoreError):
    """The store keeps vectors of another embedding model; `model` names it."""

    def __init__(self, problem: str, remedy: str, model: str) -> None:
        super().__init__(problem, remedy)
        self.model = model

    def __reduce__(self) -> tuple[type[GoalmemError], tuple[str, ...]]:
        return type(self), (self.problem, self.remedy, self.model)


class NewerStoreError(StoreError):
    """The store was written by a newer goalmem."""


class CorruptStoreError(StoreError):
    """The store's file is damaged."""


class ReadOnlyStoreError(StoreError):
    """The store or its folder cannot be written."""


class StoreFullError(StoreError):
    """The disk is full, or the space may hold no more; nothing of the call was stored."""


class StoreBusyError(StoreError):
    """Another process held the store for longer than the busy timeout."""


class StoreClosedError(StoreError):
    """The memory was closed and is used again."""

"""The critics of graphs that commands offer, by name."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from goalmem.cli.options import settings_for
from goalmem.errors import InputError
from goalmem.models.connect import connect_chat, prices_of

if TYPE_CHECKING:
    from goalmem.graph.critic import Critic
    from goalmem.graph.retriever import Vectors


CriticKind: TypeAlias = Literal["local", "chat", "tuned"]


def critic_named(kind: CriticKind, model: Path | None, vectors: Vectors, relations: Iterable[str] = ()) -> Critic:
    """A critic, with the weights in a folder where it takes some. Raises InputError where those, or a chat model, are missing."""
    match kind:
        case "local":
            from goalmem.graph.local import LocalCritic
            from goalmem.graph.local_model import read_model

            return LocalCritic(vectors, read_model(model) if model is not None else None, tuple(relations))
        case "tuned":
            from goalmem.graph.tuned import TunedCritic

            if model is None:
                raise InputError("--critic tuned needs a model.", "Name the folder by `train arg` with --critic-model.")
            return TunedCritic.load(model, relations=relations)
        case "chat":
            return _chat_critic(model)


def _chat_critic(model: Path | None) -> Critic:
    from goalmem.graph.chat_critic import ChatCritic

    if model is not None:
        raise InputError("--critic chat takes no --critic-model.", "Set GOALMEM_CHAT_URL and GOALMEM_CHAT_MODEL.")
    settings = settings_for(":memory:", None)
    chat = connect_chat(settings)
    if chat is None:
        raise InputError("--critic chat needs a chat model.", "Set GOALMEM_CHAT_URL and GOALMEM_CHAT_MODEL.")
    return ChatCritic(chat, places=settings.chat_concurrency, prices=prices_of(settings))

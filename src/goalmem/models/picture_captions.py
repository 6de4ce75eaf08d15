"""What shared pictures show, in the words of a chat model."""

from __future__ import annotations

from collections.abc import Sequence

from goalmem.errors import ChatReplyError, InputError
from goalmem.models.chat import ChatModel, ChatRequest, Guarded
from goalmem.models.chat_prompts import instructions

__all__ = ["caption_of"]

LONGEST_CAPTION = 500
"""Characters; what is longer is no sentence of 30 words."""


def caption_of(model: ChatModel, pictures: Sequence[str]) -> str:
    """What pictures show, in one line. Raises InputError where the model takes none, and ChatError."""
    if not getattr(model, "takes_images", False):
        raise InputError(
            f"The chat model {model.name} takes no pictures.", "Give messages a `caption`, or set a model that does."
        )
    request = ChatRequest(
        "caption", instructions("caption"), "What do these show?", max_tokens=120, images=tuple(pictures)
    )
    reply = Guarded(model).reply(request)
    caption = " ".join(reply.text.split())
    if reply.finish != "stop" or not caption or len(caption) > LONGEST_CAPTION:
        raise ChatReplyError(
            f"The chat model {model.name} gave no caption.", "Give the message a `caption`, or try again."
        )
    return caption

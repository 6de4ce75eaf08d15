"""A chat model of which nothing comes but replies and ChatErrors: whatever a user's own one does, a question goes on."""

from __future__ import annotations

from goalmem.errors import ChatError, ChatReplyError
from goalmem.models.chat import ChatModel, ChatReply, ChatRequest

__all__ = ["Guarded"]

REMEDY = "A chat model gives a ChatReply or raises a ChatError (goalmem.models.chat)."


class Guarded:
    """A chat model held to its protocol. What it breaks with is named by its type: its text may hold a key or a turn."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """That of the model; of one that has none, its type's."""
        try:
            return str(self._model.name)
        except Exception:  # noqa: BLE001 - whatever it is, it is not the caller's
            return type(self._model).__name__

    def reply(self, request: ChatRequest) -> ChatReply:
        """See `ChatModel.reply`."""
        try:
            reply = self._model.reply(request)
        except ChatError:
            raise
        except Exception as error:  # noqa: BLE001 - the same
            broken = type(error).__name__
        else:
            if _whole(reply):
                return reply
            broken = f"a reply that is none ({type(reply).__name__})"
        raise ChatReplyError(f"The chat model {self.name} broke with {broken}.", REMEDY)


def _whole(reply: object) -> bool:
    """Whether it is a reply, with a text and counts that can be added up."""
    if not isinstance(reply, ChatReply):
        return False
    text: object = reply.text
    counts: tuple[object, ...] = (reply.prompt_tokens, reply.completion_tokens, reply.seconds)
    return isinstance(text, str) and all(isinstance(n, int | float) and n >= 0 for n in counts)

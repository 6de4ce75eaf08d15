"""Which of LoCoMo's questions are asked, by what name, and what of."""

from __future__ import annotations

from collections.abc import Sequence

from goalmem_lab.evals.encoded import Told
from goalmem_lab.evals.locomo_data import CATEGORIES, Conversation, Question
from goalmem_lab.evals.selection import Selection

__all__ = ["Asked", "chosen", "key_of", "sessions_of"]

Asked = list[tuple[Conversation, Question]]
"""Questions, each with its conversation."""


def chosen(conversations: Sequence[Conversation], selection: Selection) -> Asked:
    """The questions that are measured, with their conversations."""
    pairs = [(c, q) for c in conversations for q in c.questions]
    return selection.choose(
        pairs,
        key=lambda pair: key_of(*pair),
        group=lambda pair: pair[0].id,
        category=lambda pair: CATEGORIES[pair[1].category],
    )


def key_of(conversation: Conversation, question: Question) -> str:
    """Names a question within a run."""
    return f"{conversation.id}/{question.number}"


def sessions_of(conversation: Conversation) -> list[Told]:
    """The sessions as a memory takes them."""
    return [Told(session.name, session.at, session.messages) for session in conversation.sessions]

"""A chat model as judge: each statement in a separate call, without information about who proposed it or why."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from goalmem.errors import ChatError
from goalmem.models.chat import ChatModel, ChatRequest, chosen
from goalmem.models.chat_prompts import LONGEST_NAME, instructions, quoted
from goalmem.models.protocol import Excerpt, Statement, Verdict

CHOICES = (("yes",), ("no",), ("unsaid",))
UNJUDGED = Verdict(0.0, 0.0, 1.0)
"""Verdict if the model gives none: not said."""
SIDE_BY_SIDE = 4
KEPT = 4_096
"""Verdicts that are kept, so that a proof is verified without asking again."""
LONGEST_TURN = 2_000


class ChatJudge:
    """`Judge` by a chat model. Safe to use from several threads.

    Where the endpoint gives log-probabilities, they are the verdict's; where not, the word that it says counts as sure. A model
    that cannot be reached, refuses or says something else judges nothing to be said.
    """

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self._kept: OrderedDict[tuple[Statement, Excerpt], Verdict] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """Name of the model as a judge."""
        return f"chat:{self._model.name}"

    def judge(self, pairs: Sequence[tuple[Statement, Excerpt]]) -> list[Verdict]:
        """A verdict for each pair; each is judged alone."""
        new = [pair for pair in dict.fromkeys(pairs) if self._held(pair) is None]
        found = dict(zip(new, self._all_asked(new), strict=True))
        with self._lock:
            self._kept.update((pair, verdict) for pair, verdict in found.items() if verdict is not None)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return [found.get(pair) or self._held(pair) or UNJUDGED for pair in pairs]

    def _held(self, pair: tuple[Statement, Excerpt]) -> Verdict | None:
        with self._lock:
            return self._kept.get(pair)

    def _all_asked(self, pairs: Sequence[tuple[Statement, Excerpt]]) -> list[Verdict | None]:
        if not pairs:
            return []
        with ThreadPoolExecutor(min(SIDE_BY_SIDE, len(pairs)), "goalmem-judge") as pool:
            return list(pool.map(self._asked, pairs))

    def _asked(self, pair: tuple[Statement, Excerpt]) -> Verdict | None:
        """The verdict; None if the call failed, so that the next time tries again."""
        request = ChatRequest("judge", instructions("judge"), _shown(*pair))
        try:
            choice = chosen(self._model, request, CHOICES)
        except ChatError:
            return None
        return Verdict(*choice.shares) if choice is not None else UNJUDGED


def _shown(statement: Statement, excerpt: Excerpt) -> str:
    """The statement, after the message: for several statements about one message, the server can reuse the prefix."""
    day = f", {excerpt.said.day} {excerpt.said:%B %Y}" if excerpt.said is not None else ""
    before = f'Replies to: "{quoted(excerpt.before)}"\n' if excerpt.before else ""
    said = f'{before}Message of {quoted(excerpt.speaker, LONGEST_NAME)}{day}: "{quoted(excerpt.text, LONGEST_TURN)}"\n'
    if statement.answer:
        return f'{said}Question: "{quoted(statement.question)}"\nAnswer: "{quoted(statement.answer)}"'
    return f'{said}Statement: "{quoted(statement.question)}"'

"""The reasoner with a chat model: it proposes goals, bindings, refinements and wordings, and all of them are checked.

Four typed calls as in Goal-Mem (decompose, unify, refine, answer), and one that reads an answer without a goal, as a baseline. Each asks
for JSON by schema. A reply is repaired and checked; a bad one is requested once more with the reason, then dropped: the caller continues
with what the local reasoner proposes. Errors of the model or its server raise nothing here.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from goalmem.engine.budget import Budget
from goalmem.engine.events import Event, EventKind, Listener, silent
from goalmem.errors import ChatError
from goalmem.logic.syntax import format_atom
from goalmem.logic.terms import Atom, Goal
from goalmem.models.chat import FINAL, ChatModel, ChatReply, ChatRequest
from goalmem.models.chat_prompts import LONGEST_NAME, PromptFact, instructions, lines, quoted
from goalmem.questions.chat_goals import Decomposition, goal_of, queries_of
from goalmem.questions.chat_refine import Refinement, refinement_of
from goalmem.questions.chat_replies import (
    AnswerReply,
    DecomposeReply,
    FactsReply,
    RefineReply,
    RejectedError,
    UnifyReply,
    read_reply,
    schema_for,
    schema_of,
)
from goalmem.records import ASKER

LONGEST_REPLY = {"decompose": 320, "unify": 260, "refine": 260, "answer": 160, "read": 160}
"""Tokens of the longest reply: about twice what correct ones take."""
CHARACTERS_A_TOKEN = 3.5
"""For English with JSON; a low value, so that estimates are rather too high."""
LONGEST_QUESTION = 2_000
"""Characters. Of a longer question only the end is read, where the question usually is."""
MOST_TRIED = 8
"""Earlier refinements shown to the model."""
MOST_FAILURES = 5
"""Failed calls for one question, after which the model is no longer asked."""

T = TypeVar("T")
Parsed = TypeVar("Parsed", DecomposeReply, UnifyReply, RefineReply, AnswerReply, FactsReply)


@dataclass
class ChatReasoner:
    """The calls of one chat model for one question. Safe to use from several threads."""

    model: ChatModel
    budget: Budget
    listener: Listener = silent
    at: datetime | None = None
    """When the question is asked, if the model should know: "last week" is relative to it."""
    asker: str = ASKER
    """The person that `I` refers to in the question."""
    failed: int = 0
    """Calls without a usable reply, even when repeated."""
    gone: str = ""
    """Why the model is no longer asked for this question; empty while it is."""
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _owner: int = field(default_factory=threading.get_ident)
    _waiting: list[Event] = field(default_factory=list)

    # -- the four calls ----------------------------------------------------------------------------------------------

    def decompose(self, question: str) -> Decomposition | None:
        """Return up to `budget.breadth` checked alternative goals, and queries to search by; None if the model gives neither.

        The queries are used even if none of its goals is valid.
        """
        user = self._question(question, dated=False)
        queries: list[str] = []

        def checked(reply: DecomposeReply) -> tuple[Goal, ...]:
            queries.extend(reply.queries)
            goals: dict[Goal, None] = {}
            wrong: list[str] = []
            for reading in reply.alternatives[: self.budget.breadth]:
                try:
                    goals[goal_of(reading, question, self.asker)] = None
                except RejectedError as problem:
                    wrong.append(str(problem))
            if not goals:
                raise RejectedError("; ".join(wrong))
            return tuple(goals)

        goals = self._asked("decompose", user, DecomposeReply, checked)
        found = Decomposition(goals or (), queries_of(queries))
        return found if found.goals or found.queries else None

    def unify(
        self,
        question: str,
        subgoals: Sequence[Atom],
        known: str,
        facts: Sequence[PromptFact],
        checked: Callable[[UnifyReply], T],
        about: Sequence[str] = (),
    ) -> T | None:
        """Return what `checked` makes of the bindings that the model finds for all subgoals in all facts; None without a reply.

        `known` is the current substitution in words. `checked` raises RejectedError if nothing in a reply is valid.
        """
        numbered = "\n".join(f"{n}. {format_atom(a)}" for n, a in enumerate(subgoals, 1))
        user = f"Facts:\n{lines(facts)}\n\nTask: subgoals\n{self._question(question)}\n"
        user += f"Known: {known}\n" if known else ""
        schema = schema_for((v.name for a in subgoals for v in a.variables), deniable=any(a.ground for a in subgoals))
        return self._asked("unify", f"{user}Subgoals:\n{numbered}", UnifyReply, checked, about, schema)

    def refine(
        self,
        question: str,
        atom: Atom,
        *,
        known: str,
        facts: Sequence[PromptFact],
        tried: Sequence[Atom],
        names: Sequence[str],
        assume: bool,
        about: Sequence[str] = (),
    ) -> Refinement | None:
        """Return what would make an unresolved subgoal checkable; None without a usable reply."""
        shown = lines(facts)
        user = f"{self._question(question, dated=False)}\nSubgoal: {format_atom(atom)}\n"
        user += f"Known: {known}\n" if known else ""
        user += f"Facts:\n{shown}\n" if shown else ""
        user += "".join(f"Tried: {format_atom(a)}\n" for a in tried[-MOST_TRIED:])
        user += "" if assume else "Leave the rule empty.\n"
        texts = [question, self.asker, format_atom(atom), known, shown]

        def checked(reply: RefineReply) -> Refinement:
            return refinement_of(reply, atom, known=texts, tried=tried, assume=assume, names=names)

        return self._asked("refine", user.rstrip(), RefineReply, checked, about)

    def answer(
        self,
        question: str,
        values: Sequence[str],
        facts: Sequence[PromptFact],
        checked: Callable[[AnswerReply], T],
        about: Sequence[str] = (),
    ) -> T | None:
        """Return what `checked` makes of the wording of a proved answer; None without a reply, or if no wording is valid."""
        user = f"{self._question(question, dated=False)}\nValues: {'; '.join(map(quoted, values))}\n"
        return self._asked("answer", f"{user}Facts:\n{lines(facts)}", AnswerReply, checked, about)

    def read(
        self, question: str, facts: Sequence[PromptFact], checked: Callable[[FactsReply], T], about: Sequence[str] = ()
    ) -> T | None:
        """Return what `checked` makes of an answer read out of the facts without a goal."""
        user = f"Facts:\n{lines(facts)}\n\nTask: answer\n{self._question(question)}"
        return self._asked("read", user, FactsReply, checked, about)

    def _question(self, question: str, *, dated: bool = True) -> str:
        """The question with the asker's name, if known, and the day on which it is asked."""
        by = f" by {quoted(self.asker, LONGEST_NAME)}" if self.asker != ASKER else ""
        day = f" on {self.at.day} {self.at:%B %Y}" if dated and self.at is not None else ""
        asked = f" (asked{by}{day})" if by or day else ""
        return f"Question{asked}: {quoted(question[-LONGEST_QUESTION:])}"

    # -- asking ------------------------------------------------------------------------------------------------------

    def _asked(
        self,
        task: str,
        user: str,
        form: type[Parsed],
        checked: Callable[[Parsed], T],
        about: Sequence[str] = (),
        schema: Mapping[str, Any] | None = None,
    ) -> T | None:
        """Return the checked reply. An unusable one is requested once more with the reason; None if that does not help."""
        prompt = user
        for again in (False, True):
            reply = self._reply(task, prompt, schema or schema_of(form), about)
            if reply is None:
                break
            try:
                return checked(read_reply(form, reply.text))
            except RejectedError as problem:
                # The reason may quote the reply, and that a turn: it is escaped like a quote.
                reason = quoted(str(problem), 300)
                self.tell("model", f"{task}: {reason}", {"task": task, "rejected": reason, "again": not again})
                prompt = f"{user}\n\nYour last reply could not be used: {reason}. Reply again, with JSON only."
        with self._lock:
            self.failed += 1
            if self.failed >= MOST_FAILURES:
                self.gone = self.gone or "the model gave too many replies that cannot be used"
        return None

    def _reply(self, task: str, user: str, schema: Mapping[str, Any], about: Sequence[str]) -> ChatReply | None:
        """Make one call; None if the model may not be asked, or failed."""
        system = instructions(task)
        most = LONGEST_REPLY[task]
        asked = int((len(system) + len(user)) / CHARACTERS_A_TOKEN)
        with self._lock:
            if self.gone or not self.budget.allows(model_calls=1, tokens=asked + most):
                self.gone = self.gone or "the budget of model calls, tokens or seconds is spent"
                return None
            self.budget.spend(model_calls=1, tokens=asked + most)
        spent = asked + most
        try:
            left = self.budget.seconds - self.budget.spent.seconds
            seconds = left if left < float("inf") else None
            reply = self.model.reply(
                ChatRequest(
                    task,
                    system,
                    user,
                    schema,
                    f"goalmem_{task}",
                    max_tokens=most,
                    about=tuple(about),
                    seconds=seconds,
                )
            )
        except ChatError as error:
            self.tell("model", f"{task}: {error.problem}", {"task": task, "error": error.problem})
            with self._lock:
                self.budget.spend(tokens=asked - spent)
                if isinstance(error, FINAL):
                    self.gone = error.problem
            return None
        used = reply.prompt_tokens + reply.completion_tokens
        with self._lock:
            self.budget.spend(model_calls=-1 if reply.cached else 0, tokens=(0 if reply.cached else used) - spent)
        self.tell("model", f"{task}: {used} tokens", _told(task, reply))
        return reply

    def tell(self, kind: EventKind, text: str, data: Mapping[str, object]) -> None:
        """Report an event in the thread that asks; events of other threads wait until that thread reports one."""
        event = Event(kind, text, data)
        with self._lock:
            self._waiting.append(event)
            if threading.get_ident() != self._owner:
                return
            events, self._waiting = self._waiting, []
        for each in events:
            self.listener(each)


def _told(task: str, reply: ChatReply) -> dict[str, object]:
    return {
        "task": task,
        "prompt_tokens": reply.prompt_tokens,
        "completion_tokens": reply.completion_tokens,
        "seconds": round(reply.seconds, 3),
        "cached": reply.cached,
        "finish": reply.finish,
    }


def longest_call(task: str, material: int) -> tuple[int, int]:
    """Tokens of the prompt and of the longest reply of one call with `material` characters in addition to its instructions."""
    return int((len(instructions(task)) + material) / CHARACTERS_A_TOKEN), LONGEST_REPLY[task]

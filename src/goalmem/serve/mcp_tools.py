"""The tools that a model is given: a memory of one space, which the model neither names nor sees.

Descriptions are short and say when to use a tool; results are text that a small model can follow, and the same as data.
What was said by others comes quoted, on one line, so that it is read as data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Annotated, Any

from mcp.server.mcpserver.exceptions import ResourceNotFoundError, ToolError
from mcp_types import CallToolResult, ContentBlock, ResourceLink, TextContent, ToolAnnotations
from pydantic import BaseModel, Field

from goalmem.answer import Answer
from goalmem.answering.context_block import LONGEST_QUOTE, excerpt, inert
from goalmem.errors import GoalmemError
from goalmem.io.chat_messages import LONGEST_NAME
from goalmem.logic.syntax import format_atom, format_rule
from goalmem.memory import MAX_TOKENS, Memory
from goalmem.proof.document import MissingGoal
from goalmem.serve.mcp_results import (
    SCHEME,
    Gone,
    Missing,
    Proofs,
    Quote,
    Recalled,
    Remembered,
    Ruled,
    Told,
    Verified,
)

__all__ = ["Tools"]

LONGEST_TEXT = 100_000
"""Characters of a message, a question or rules: more than any model is shown at once."""
MOST_TOKENS = 8_000
"""Of one recall."""
LIKELY = "This is likely, not certain: say so."
"""What a model is told with an answer that is likely."""
MOST_CHECKS = 20
"""Failed checks that are told."""

Text = Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)]
Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]

Asker = Annotated[
    Name | None,
    Field(description='Name of whom "I" and "my" mean. Leave out where only one person speaks.'),
]


class Tools:
    """What a model may do with one space of a memory."""

    def __init__(self, memory: Memory, space: str, session: str | None = None) -> None:
        """`session`: of what is remembered; default: one a day, so that the same words on another day are new."""
        self._memory = memory
        self._space = space
        self._session = session
        self.proofs = Proofs()

    def listed(self, *, read_only: bool) -> Sequence[tuple[Callable[..., Any], ToolAnnotations]]:
        """The tools, each with what it may do."""
        reading = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
        adding = ToolAnnotations(
            read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        )
        removing = ToolAnnotations(
            read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False
        )
        readers = [(tool, reading) for tool in (self.recall, self.ask, self.why_not, self.verify)]
        if read_only:
            return readers
        return [(self.remember, adding), *readers, (self.add_rule, adding), (self.forget, removing)]

    def remember(
        self,
        text: Annotated[Text, Field(description="What was said, word for word.")],
        speaker: Annotated[Name, Field(description="Name of who said it.")] = "user",
        said_at: Annotated[str | None, Field(description="When, like 2024-05-01T14:03. Leave out for now.")] = None,
    ) -> Annotated[CallToolResult, Remembered]:
        """Remember something that was said. Use it for every message worth knowing later."""
        message = {"role": "user", "name": speaker, "content": text} | ({"at": said_at} if said_at else {})
        if speaker in ("user", "assistant"):
            message["role"] = message.pop("name")
        with _told():
            receipt = self._memory.add([message], space=self._space, session=self._session or _today())
        turn, new = receipt.turns[0], bool(receipt.new)
        said = f"Remembered as turn {turn}." if new else f"Known already, as turn {turn}."
        return _result(said, Remembered(turn=turn, new=new))

    def recall(
        self,
        about: Annotated[Text, Field(description="A question, a request or a topic, in plain words.")],
        max_tokens: Annotated[int, Field(ge=1, le=MOST_TOKENS, description="Length of what comes back.")] = MAX_TOKENS,
        speaker: Asker = None,
    ) -> Annotated[CallToolResult, Recalled]:
        """What is remembered about something, quoted with dates. Use it before you reply."""
        with _told():
            found = self._memory.context(about, space=self._space, max_tokens=max_tokens, speaker=speaker)
        return _result(found.text, Recalled(text=found.text, turns=list(found.sources)))

    def ask(
        self,
        question: Annotated[Text, Field(description="One question, with names instead of he or she.")],
        speaker: Asker = None,
    ) -> Annotated[CallToolResult, Told]:
        """Answer a question from memory, with a proof. Says what is only likely, and "I don't know" without a proof."""
        with _told():
            answer = self._memory.ask(question, space=self._space, speaker=speaker)
        told = self._answer(answer)
        return _result(_answer_text(told), told, _link(told.proof))

    def why_not(
        self,
        question: Annotated[Text, Field(description="The question that had no answer.")],
        speaker: Asker = None,
    ) -> Annotated[CallToolResult, Told]:
        """Why a question has no answer: what is missing, and what comes near. Use it after "I don't know"."""
        with _told():
            why = self._memory.why_not(question, space=self._space, speaker=speaker)
        told = self._answer(why.answer)
        if why.answer.known:
            return _result(_answer_text(told), told, _link(told.proof))
        near = [near for goal in why.missing for near in _near(goal)]
        lines = [_missing_text(told.missing), *(["What comes near:", *dict.fromkeys(near)] if near else [])]
        return _result("\n".join(lines), told, _link(told.proof))

    def verify(
        self, proof: Annotated[str, Field(max_length=200, description="The proof address that ask gave: proof://…")]
    ) -> Annotated[CallToolResult, Verified]:
        """Check again that a proof holds against what is remembered now."""
        written = self._proof(proof)
        with _told():
            checked = self._memory.verify(written, space=self._space)
        failures = [f"{c.node or 'proof'}: {c.name}: {c.detail}" for c in checked.failures]
        count = len(checked.checks)
        if checked.ok:
            said = f"The proof holds: {count} checks."
        else:
            said = "\n".join(
                [f"The proof does not hold: {len(failures)} of {count} checks fail.", *failures[:MOST_CHECKS]]
            )
        return _result(said, Verified(ok=checked.ok, checks=count, failures=failures[:MOST_CHECKS]))

    def add_rule(
        self,
        text: Annotated[
            Text, Field(description='A general rule in plain English: "Everyone who has a dog needs a leash."')
        ],
    ) -> Annotated[CallToolResult, Ruled]:
        """Keep a general rule that answers may rest on. For what happened or what somebody said, use remember."""
        with _told():
            report = self._memory.add_rules(text, space=self._space)
        read = [format_rule(clause.rule) for clause in report.clauses]
        said = f"{len(report.ids)} sentences kept, {report.new} new. Read as:"
        return _result("\n".join([said, *read]), Ruled(ids=list(report.ids), new=report.new, read_as=read))

    def forget(
        self, turn: Annotated[str, Field(max_length=200, description="Id of the turn, as recall and ask show it.")]
    ) -> Annotated[CallToolResult, Gone]:
        """Forget one remembered turn for good, with all that follows from it. Only when the user wants it."""
        with _told():
            gone = self._memory.forget(turn=turn, space=self._space)
        said = f"Forgotten: {gone.turns} turn and {gone.facts} facts."
        return _result(said, Gone(turns=gone.turns, facts=gone.facts))

    def proof(self, name: str) -> str:
        """A proof that was told, as JSON."""
        written = self.proofs.find(name)
        if written is None:
            raise ResourceNotFoundError(f"There is no proof {SCHEME}{name} any more. Ask the question again.")
        return written

    def _proof(self, address: str) -> str:
        written = self.proofs.find(address)
        if written is None:
            raise ToolError(f"There is no proof {address!r}. Ask the question again, and pass the proof it gives.")
        return written

    def _answer(self, answer: Answer) -> Told:
        evidence = answer.proof.evidence() if answer.known else ()
        quotes = [
            Quote(turn=e.turn, speaker=e.speaker, said=e.said, words=excerpt(e.quote, LONGEST_QUOTE)) for e in evidence
        ]
        missing = [Missing(goal=format_atom(m.atom), stage=m.stage, reason=m.reason) for m in answer.missing]
        return Told(
            status=answer.proof.status,
            answer=answer.full or answer.text,
            confidence=answer.confidence,
            proof=self.proofs.keep(answer.proof),
            quotes=quotes,
            missing=missing,
        )


@contextmanager
def _told() -> Iterator[None]:
    """Tell a model what was wrong and what to do, as a result that is an error."""
    try:
        yield
    except GoalmemError as error:
        raise ToolError(f"{error.problem} {error.remedy}") from error


def _result(text: str, data: BaseModel, *more: ContentBlock) -> CallToolResult:
    content: list[ContentBlock] = [TextContent(type="text", text=text), *more]
    return CallToolResult(content=content, structured_content=data.model_dump())


def _link(address: str) -> ResourceLink:
    return ResourceLink(type="resource_link", uri=address, name="proof", mime_type="application/json")


def _answer_text(told: Told) -> str:
    """An answer with the words that it rests on, or what is missing."""
    if told.status == "unknown":
        return f"{told.answer}.\n{_missing_text(told.missing)}\nProof: {told.proof}"
    quotes = [f'- {q.said[:10]}, {inert(q.speaker)}: "{inert(q.words)}" (turn {q.turn})' for q in told.quotes]
    head = f"Answer: {inert(told.answer)} ({told.status}, confidence {told.confidence:.2f})"
    sure = [LIKELY] if told.status == "likely" else []
    return "\n".join([head, *sure, *(["It was said:", *quotes] if quotes else []), f"Proof: {told.proof}"])


def _missing_text(missing: Sequence[Missing]) -> str:
    lines = [f"- {inert(m.goal)}: {m.stage} ({inert(m.reason)})" for m in missing]
    return "\n".join(["Missing:", *lines]) if lines else "Nothing that is remembered bears on it."


def _near(goal: MissingGoal) -> Iterator[str]:
    for evidence in goal.nearest:
        yield f'- "{inert(excerpt(evidence.quote, LONGEST_QUOTE))}" (turn {evidence.turn})'


def _today() -> str:
    return f"{datetime.now(UTC):%Y-%m-%d}"

"""The tools of models over the Model Context Protocol: a memory of one space, which the model neither names nor sees.

Names, words and parameters are those of the list in `integrations/frameworks/tools.py`; results are text that a small model can
follow, and the same as data.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Annotated, Any

from mcp.server.mcpserver.exceptions import ResourceNotFoundError, ToolError
from mcp_types import CallToolResult, ContentBlock, ResourceLink, TextContent, ToolAnnotations
from pydantic import BaseModel

from goalmem.answer import Answer, Context, Page, Receipt, WhyNot
from goalmem.answering.context_block import LONGEST_QUOTE, excerpt, inert
from goalmem.errors import GoalmemError
from goalmem.integrations.frameworks import tools as shared
from goalmem.integrations.frameworks.tool_text import (
    answer_text,
    hits_text,
    missing_text,
    page_text,
    profile_text,
    receipt_text,
)
from goalmem.integrations.frameworks.tools import SELF, Call, offered
from goalmem.logic.syntax import format_atom, format_rule
from goalmem.memory import Memory
from goalmem.proof.check import Verification
from goalmem.proof.document import MissingGoal, Proof, Status
from goalmem.records import Hit, Profile, Turn, attribution
from goalmem.rules.stored import RuleReport
from goalmem.store.protocol import Forgotten

__all__ = ["Proofs", "Tools"]

MOST_CHECKS = 20
"""Failed checks that are told."""
MOST_PROOFS = 256
MOST_PROOF_BYTES = 16 * 2**20
"""Proofs kept for `verify` and as resources; the oldest go first."""
SCHEME = "proof://"


class Remembered(BaseModel):
    """What was stored."""

    turn: str
    new: bool


class Recalled(BaseModel):
    """What bears on a text."""

    text: str
    turns: list[str]


class Quote(BaseModel):
    """Words that an answer rests on."""

    turn: str
    speaker: str
    said: str
    words: str


class Found(BaseModel):
    """Turns that were found, best first."""

    hits: list[Quote]


class Listed(BaseModel):
    """Turns in the order stored."""

    turns: list[Quote]
    next: str | None


class KnownOf(BaseModel):
    """A statement about somebody."""

    topic: str
    text: str
    turn: str
    said: str


class Portrait(BaseModel):
    """What is known of somebody now."""

    who: str
    statements: list[KnownOf]
    total: int


class Missing(BaseModel):
    """A part that could not be proved."""

    goal: str
    stage: str
    reason: str


class Told(BaseModel):
    """An answer with what it rests on, or what is missing."""

    status: Status
    answer: str
    confidence: float
    proof: str
    quotes: list[Quote]
    missing: list[Missing]


class Verified(BaseModel):
    """Whether a proof holds."""

    ok: bool
    checks: int
    failures: list[str]


class Changed(BaseModel):
    """A turn as it is now."""

    turn: str
    text: str


class Gone(BaseModel):
    """What was forgotten."""

    turns: int
    facts: int


class Ruled(BaseModel):
    """What rules were read as."""

    ids: list[str]
    new: int
    read_as: list[str]


def tool(describe: Callable[..., Call], model: type[BaseModel]) -> Callable[[Callable[[Any, Any], Any]], Any]:
    """A tool of the list as a method; what is decorated tells what came of its call, in words and as the model."""

    def decorated(tell: Callable[[Any, Any], CallToolResult]) -> Any:
        def work(tools: Tools, call: Call) -> CallToolResult:
            return tell(tools, tools._done(call))

        return offered(describe, work, SELF, returns=Annotated[CallToolResult, model])

    return decorated


class Tools:
    """What a model may do with one space of a memory."""

    def __init__(self, memory: Memory, space: str, session: str | None = None) -> None:
        """`session`: of what is remembered; default: one a day, so that the same words on another day are new."""
        self.memory = memory
        self.space = space
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
        offered = (self.recall, self.ask, self.search, self.profile, self.list_, self.why_not, self.verify)
        readers = [(tool, reading) for tool in offered]
        if read_only:
            return readers
        writers = [(self.add_rule, adding), (self.update, removing), (self.forget, removing)]
        return [(self.remember, adding), *readers, *writers]

    @tool(shared.remember, Remembered)
    def remember(self, receipt: Receipt) -> CallToolResult:
        """What was stored."""
        return _result(receipt_text(receipt), Remembered(turn=receipt.turns[0], new=bool(receipt.new)))

    @tool(shared.recall, Recalled)
    def recall(self, found: Context) -> CallToolResult:
        """What bears on a text."""
        return _result(found.text, Recalled(text=found.text, turns=list(found.sources)))

    @tool(shared.ask, Told)
    def ask(self, answer: Answer) -> CallToolResult:
        """An answer with its proof."""
        told = self._answer(answer)
        return _result(f"{answer_text(answer)}\nProof: {told.proof}", told, _link(told.proof))

    @tool(shared.search, Found)
    def search(self, hits: list[Hit]) -> CallToolResult:
        """Turns, best first."""
        return _result(hits_text(hits), Found(hits=[_quote(hit.turn) for hit in hits]))

    @tool(shared.profile, Portrait)
    def profile(self, profile: Profile) -> CallToolResult:
        """What is known of somebody."""
        known = [
            KnownOf(topic=one.topic, text=one.text, turn=one.turn, said=one.said.isoformat())
            for one in profile.statements
        ]
        return _result(profile_text(profile), Portrait(who=profile.who, statements=known, total=profile.total))

    @tool(shared.list_, Listed)
    def list_(self, page: Page) -> CallToolResult:
        """Turns in the order stored."""
        return _result(page_text(page), Listed(turns=[_quote(turn) for turn in page.items], next=page.next))

    @tool(shared.why_not, Told)
    def why_not(self, why: WhyNot) -> CallToolResult:
        """What is missing, and what comes near."""
        told = self._answer(why.answer)
        if why.answer.known:
            return _result(f"{answer_text(why.answer)}\nProof: {told.proof}", told, _link(told.proof))
        near = [near for goal in why.missing for near in _near(goal)]
        lines = [missing_text(why.answer.missing), *(["What comes near:", *dict.fromkeys(near)] if near else [])]
        return _result("\n".join(lines), told, _link(told.proof))

    @tool(shared.verify, Verified)
    def verify(self, checked: Verification) -> CallToolResult:
        """Whether a proof holds."""
        failures = [f"{c.node or 'proof'}: {c.name}: {c.detail}" for c in checked.failures]
        count, shown = len(checked.checks), failures[:MOST_CHECKS]
        said = f"The proof holds: {count} checks{f'; it is {checked.seal}' if checked.told_of_seal else ''}."
        if not checked.ok:
            said = "\n".join([f"The proof does not hold: {len(failures)} of {count} checks fail.", *shown])
        return _result(said, Verified(ok=checked.ok, checks=count, failures=shown))

    @tool(shared.add_rule, Ruled)
    def add_rule(self, report: RuleReport) -> CallToolResult:
        """What rules were read as."""
        read = [format_rule(clause.rule) for clause in report.clauses]
        said = f"{len(report.ids)} sentences kept, {report.new} new. Read as:"
        return _result("\n".join([said, *read]), Ruled(ids=list(report.ids), new=report.new, read_as=read))

    @tool(shared.update, Changed)
    def update(self, turn: Turn) -> CallToolResult:
        """What a turn says now."""
        said = f'Turn {turn.id} says now: "{inert(excerpt(turn.text, LONGEST_QUOTE))}"'
        return _result(said, Changed(turn=turn.id, text=turn.text))

    @tool(shared.forget, Gone)
    def forget(self, gone: Forgotten) -> CallToolResult:
        """What was forgotten."""
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

    def _done(self, call: Call) -> Any:
        """What the memory returns. What it refuses is told to the model, as a result that is an error."""
        if call.method == "verify":
            call = replace(call, arguments=tuple(map(self._proof, call.arguments)))
        try:
            return call.of(self.memory, self.space, self._session)()
        except GoalmemError as error:
            raise ToolError(f"{error.problem} {error.remedy}") from error

    def _answer(self, answer: Answer) -> Told:
        evidence = answer.proof.evidence() if answer.known else ()
        quotes = [
            Quote(
                turn=e.turn,
                speaker=attribution(e.speaker, e.source),
                said=e.said,
                words=excerpt(e.quote, LONGEST_QUOTE),
            )
            for e in evidence
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


class Proofs:
    """The proofs told lately, by a hash of each: bounded in number and in bytes. Safe for many threads."""

    def __init__(self, most: int = MOST_PROOFS, most_bytes: int = MOST_PROOF_BYTES) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._kept: OrderedDict[str, str] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def keep(self, proof: Proof) -> str:
        """Keep a proof; its address."""
        written = proof.to_json()
        name = hashlib.sha256(written.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        with self._lock:
            if name not in self._kept:
                self._bytes += len(written)
            self._kept[name] = written
            self._kept.move_to_end(name)
            while len(self._kept) > self._most or (self._bytes > self._most_bytes and len(self._kept) > 1):
                _, gone = self._kept.popitem(last=False)
                self._bytes -= len(gone)
        return SCHEME + name

    def find(self, address: str) -> str | None:
        """The JSON of a proof, by its address or the name alone."""
        with self._lock:
            return self._kept.get(address.strip().removeprefix(SCHEME))


def _result(text: str, data: BaseModel, *more: ContentBlock) -> CallToolResult:
    content: list[ContentBlock] = [TextContent(type="text", text=text), *more]
    return CallToolResult(content=content, structured_content=data.model_dump())


def _quote(turn: Turn) -> Quote:
    said = turn.at.isoformat() if turn.dated else ""
    return Quote(
        turn=turn.id,
        speaker=attribution(turn.speaker, turn.source),
        said=said,
        words=excerpt(turn.content, LONGEST_QUOTE),
    )


def _link(address: str) -> ResourceLink:
    return ResourceLink(type="resource_link", uri=address, name="proof", mime_type="application/json")


def _near(goal: MissingGoal) -> Iterator[str]:
    for evidence in goal.nearest:
        yield f'- "{inert(excerpt(evidence.quote, LONGEST_QUOTE))}" (turn {evidence.turn})'

"""The tools of models over the Model Context Protocol: a memory of one space, which the model neither names nor sees.

Names, words and parameters are those of the list in `integrations/frameworks/tools.py`; results are text that a small model can
follow, and the same as data.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Annotated, Any

from mcp.server.mcpserver.exceptions import ResourceNotFoundError, ToolError
from mcp_types import CallToolResult, ContentBlock, ResourceLink, TextContent, ToolAnnotations
from pydantic import BaseModel

from goalmem.answer import Answer, Context, Page, Receipt, WhyNot
from goalmem.answering.context_block import LONGEST_QUOTE, excerpt
from goalmem.errors import GoalmemError
from goalmem.integrations.frameworks import tools as shared
from goalmem.integrations.frameworks.tool_text import MOST_CHECKS, failures_of
from goalmem.integrations.frameworks.tools import SELF, ToolCall, tool_function
from goalmem.logic.syntax import format_atom, format_rule
from goalmem.memory import Memory
from goalmem.proof.check import Verification
from goalmem.proof.document import Proof, Status
from goalmem.records import Hit, Profile, Turn, attribution
from goalmem.rules.stored import RuleReport
from goalmem.store.protocol import Forgotten

MOST_PROOFS = 256
MOST_PROOF_BYTES = 16 * 2**20
"""Proofs kept for `verify` and as resources; the oldest go first."""
SCHEME = "proof://"
JSON = "application/json"


class RememberResult(BaseModel):
    """What was stored."""

    turn: str
    new: bool


class RecallResult(BaseModel):
    """What bears on a text."""

    text: str
    turns: list[str]


class Quote(BaseModel):
    """Words that an answer rests on."""

    turn: str
    speaker: str
    said: str
    words: str


class SearchResult(BaseModel):
    """Turns that were found, best first."""

    hits: list[Quote]


class ListResult(BaseModel):
    """Turns in the order stored."""

    turns: list[Quote]
    next: str | None


class ProfileEntry(BaseModel):
    """A statement about somebody."""

    topic: str
    text: str
    turn: str
    said: str


class ProfileResult(BaseModel):
    """What is known of somebody now."""

    who: str
    statements: list[ProfileEntry]
    total: int


class Missing(BaseModel):
    """A part that could not be proved."""

    goal: str
    stage: str
    reason: str


class AskResult(BaseModel):
    """An answer with what it rests on, or what is missing."""

    status: Status
    answer: str
    confidence: float
    proof: str
    quotes: list[Quote]
    missing: list[Missing]


class VerifyResult(BaseModel):
    """Whether a proof holds."""

    ok: bool
    checks: int
    failures: list[str]


class UpdateResult(BaseModel):
    """A turn as it is now."""

    turn: str
    text: str


class ForgetResult(BaseModel):
    """What was forgotten."""

    turns: int
    facts: int


class AddRuleResult(BaseModel):
    """What rules were read as."""

    ids: list[str]
    new: int
    read_as: list[str]


def tool(describe: Callable[..., ToolCall], model: type[BaseModel]) -> Callable[[Callable[[Any, Any], BaseModel]], Any]:
    """Make a method a tool; the decorated function converts the result of its call to the model, which goes with its text."""

    def decorated(data_of: Callable[[Any, Any], BaseModel]) -> Any:
        def work(tools: Tools, call: ToolCall) -> CallToolResult:
            result = tools._done(call)
            data, text = data_of(tools, result), call.text(result)
            content: list[ContentBlock] = [TextContent(type="text", text=text)]
            if isinstance(data, AskResult):
                proven = not isinstance(result, WhyNot) or result.answer.known
                content = [TextContent(type="text", text=f"{text}\nProof: {data.proof}" if proven else text)]
                content.append(ResourceLink(type="resource_link", uri=data.proof, name="proof", mime_type=JSON))
            return CallToolResult(content=content, structured_content=data.model_dump())

        return tool_function(describe, work, SELF, returns=Annotated[CallToolResult, model])

    return decorated


class Tools:
    """The tools of one space of a memory."""

    def __init__(self, memory: Memory, space: str, session: str | None = None) -> None:
        """`session`: of what is remembered; default: one per day, so that the same words on another day are new."""
        self.memory = memory
        self.space = space
        self._session = session
        self.proofs = Proofs()

    def listed(self, *, read_only: bool) -> Sequence[tuple[Callable[..., Any], ToolAnnotations]]:
        """The tools with their annotations."""
        reading = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
        adding = ToolAnnotations(
            read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        )
        removing = ToolAnnotations(
            read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False
        )
        tools = (self.recall, self.ask, self.search, self.profile, self.list_, self.why_not, self.verify)
        readers = [(tool, reading) for tool in tools]
        if read_only:
            return readers
        writers = [(self.add_rule, adding), (self.update, removing), (self.forget, removing)]
        return [(self.remember, adding), *readers, *writers]

    @tool(shared.remember, RememberResult)
    def remember(self, receipt: Receipt) -> BaseModel:
        """What was stored."""
        return RememberResult(turn=receipt.turns[0], new=bool(receipt.new))

    @tool(shared.recall, RecallResult)
    def recall(self, found: Context) -> BaseModel:
        """What bears on a text."""
        return RecallResult(text=found.text, turns=list(found.sources))

    @tool(shared.ask, AskResult)
    def ask(self, answer: Answer) -> BaseModel:
        """An answer with its proof."""
        return self._answer(answer)

    @tool(shared.search, SearchResult)
    def search(self, hits: list[Hit]) -> BaseModel:
        """Turns, best first."""
        return SearchResult(hits=[_quote(hit.turn) for hit in hits])

    @tool(shared.profile, ProfileResult)
    def profile(self, profile: Profile) -> BaseModel:
        """What is known of somebody."""
        known = [
            ProfileEntry(topic=one.topic, text=one.text, turn=one.turn, said=one.said.isoformat())
            for one in profile.statements
        ]
        return ProfileResult(who=profile.who, statements=known, total=profile.total)

    @tool(shared.list_, ListResult)
    def list_(self, page: Page) -> BaseModel:
        """Turns in the order stored."""
        return ListResult(turns=[_quote(turn) for turn in page.items], next=page.next)

    @tool(shared.why_not, AskResult)
    def why_not(self, why: WhyNot) -> BaseModel:
        """What is missing, and what comes near."""
        return self._answer(why.answer)

    @tool(shared.verify, VerifyResult)
    def verify(self, checked: Verification) -> BaseModel:
        """Whether a proof holds."""
        return VerifyResult(ok=checked.ok, checks=len(checked.checks), failures=failures_of(checked)[:MOST_CHECKS])

    @tool(shared.add_rule, AddRuleResult)
    def add_rule(self, report: RuleReport) -> BaseModel:
        """What rules were read as."""
        read = [format_rule(clause.rule) for clause in report.clauses]
        return AddRuleResult(ids=list(report.ids), new=report.new, read_as=read)

    @tool(shared.update, UpdateResult)
    def update(self, turn: Turn) -> BaseModel:
        """What a turn says now."""
        return UpdateResult(turn=turn.id, text=turn.text)

    @tool(shared.forget, ForgetResult)
    def forget(self, gone: Forgotten) -> BaseModel:
        """What was forgotten."""
        return ForgetResult(turns=gone.turns, facts=gone.facts)

    def proof(self, name: str) -> str:
        """The JSON of a proof from an earlier result."""
        written = self.proofs.find(name)
        if written is None:
            raise ResourceNotFoundError(f"There is no proof {SCHEME}{name} any more. Ask the question again.")
        return written

    def _proof(self, address: str) -> str:
        written = self.proofs.find(address)
        if written is None:
            raise ToolError(f"There is no proof {address!r}. Ask the question again, and pass the proof it gives.")
        return written

    def _done(self, call: ToolCall) -> Any:
        """Run a call. Refusals of the memory become results that are errors, for the model."""
        if call.method == "verify":
            call = replace(call, arguments=tuple(map(self._proof, call.arguments)))
        try:
            return call.of(self.memory, self.space, self._session)()
        except GoalmemError as error:
            raise ToolError(f"{error.problem} {error.remedy}") from error

    def _answer(self, answer: Answer) -> AskResult:
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
        return AskResult(
            status=answer.proof.status,
            answer=answer.full or answer.text,
            confidence=answer.confidence,
            proof=self.proofs.keep(answer.proof),
            quotes=quotes,
            missing=missing,
        )


class Proofs:
    """Proofs of recent results by hash: bounded in number and bytes. Thread-safe."""

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


def _quote(turn: Turn) -> Quote:
    said = turn.at.isoformat() if turn.dated else ""
    return Quote(
        turn=turn.id,
        speaker=attribution(turn.speaker, turn.source),
        said=said,
        words=excerpt(turn.content, LONGEST_QUOTE),
    )

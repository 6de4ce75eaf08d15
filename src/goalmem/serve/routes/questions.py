"""Search, ask, and what belongs to it: recall, context, verify, why-not."""

from __future__ import annotations

import json
from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from goalmem.answer import Answer
from goalmem.cancellation import checkpoint
from goalmem.engine.events import Listener
from goalmem.language.terms import matching_words
from goalmem.memory import Memory
from goalmem.schema import models
from goalmem.schema.rows import Row, answer_row, hit_row, verification_row, why_not_row
from goalmem.serve import requests
from goalmem.serve.bodies import json_body
from goalmem.serve.calls import Read
from goalmem.serve.openapi import described
from goalmem.serve.streams import EventStream, wants_events

router = APIRouter(tags=["asking"], default_response_class=Response)


@router.post("/search", openapi_extra=described(body=requests.Search, result=models.Hits))
async def search(call: Read, wanted: Annotated[requests.Search, Depends(json_body(requests.Search))]) -> Response:
    """The turns that say most about a query, best first, each with what every signal gave it."""
    options = wanted.model_dump(exclude={"query", "marked"})

    def work(memory: Memory) -> Row:
        hits = memory.search(wanted.query, space=call.space, **options)
        if not wanted.marked:
            return {"items": [hit_row(hit) for hit in hits]}
        return {"items": [hit_row(h) | {"matches": matching_words(wanted.query, h.turn.content)} for h in hits]}

    return await call.found(work)


@router.post("/recall", openapi_extra=described(body=requests.Recall, result=models.Hits))
async def recall(call: Read, wanted: Annotated[requests.Recall, Depends(json_body(requests.Recall))]) -> Response:
    """The turns that reasoning towards a question ranks first: slower than search, and better at several steps."""
    options = wanted.model_dump(exclude={"query"})

    def work(memory: Memory) -> Row:
        return {"items": [hit_row(hit) for hit in memory.recall(wanted.query, space=call.space, **options)]}

    return await call.reasoned(work)


ASK = described(body=requests.Ask, result=(models.Answer, models.Estimate))
ASK["responses"]["200"]["content"]["text/event-stream"] = {
    "schema": {"type": "string", "description": "Events `question`, `goal`, …, at last `answer` (or `error`)."}
}


@router.post("/ask", openapi_extra=ASK)
async def ask(
    call: Read, wanted: Annotated[requests.Ask, Depends(json_body(requests.Ask))], request: Request
) -> Response:
    """Answer with a proof, or say what is missing.

    With `Accept: text/event-stream`: everything that happens on the way as server-sent events, the answer last. The
    asking ends when the client goes. With `dry_run`: an estimate of what it may cost.
    """
    options = wanted.model_dump(exclude={"question", "dry_run"})
    if wanted.dry_run:
        return await call.reasoned(
            lambda memory: memory.ask(wanted.question, space=call.space, **options, dry_run=True)
        )

    def asking(memory: Memory, listener: Listener) -> Answer:
        answer: Answer = memory.ask(wanted.question, space=call.space, **options, on_event=listener)
        call.service.metrics.answers.labels(answer.status).inc()
        return answer

    if wants_events(request.headers.get("accept", "")):
        return EventStream(call.reason, asking, call.request_id)
    # Whatever happens on the way is a moment to see whether anybody waits.
    return await call.reasoned(lambda memory: answer_row(asking(memory, lambda _: checkpoint())))


@router.post("/context", openapi_extra=described(body=requests.Describe, result=models.Context))
async def context(call: Read, wanted: Annotated[requests.Describe, Depends(json_body(requests.Describe))]) -> Response:
    """What memory has to say to any utterance, as a block ready for a prompt."""
    options = wanted.model_dump(exclude={"utterance"})
    return await call.reasoned(lambda memory: memory.context(wanted.utterance, space=call.space, **options))


@router.post("/verify", openapi_extra=described(body=requests.Verify, result=models.Verification))
async def verify(call: Read, wanted: Annotated[requests.Verify, Depends(json_body(requests.Verify))]) -> Response:
    """Check a proof again, without the engine that made it, against what the space holds now.

    The space is the one that is named, or the key's; not the one that the proof names.
    """
    proof = json.dumps(wanted.proof)
    return await call.reasoned(lambda memory: verification_row(memory.verify(proof, space=call.space)))


@router.post("/why-not", openapi_extra=described(body=requests.Question, result=models.WhyNot))
async def why_not(call: Read, wanted: Annotated[requests.Question, Depends(json_body(requests.Question))]) -> Response:
    """Why a question has no answer: the stage that failed for each missing goal, with the nearest facts."""
    options = wanted.model_dump(exclude={"question"})
    return await call.reasoned(lambda memory: why_not_row(memory.why_not(wanted.question, space=call.space, **options)))

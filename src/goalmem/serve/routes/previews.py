"""Before something is remembered: what a file holds, and the demo's conversation, to try the memory with."""

from __future__ import annotations

import hashlib
import secrets
from datetime import UTC, datetime
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response

from goalmem.demo import add_background
from goalmem.io.chat_messages import parse_when
from goalmem.io.dates import read_moment
from goalmem.memory import Memory
from goalmem.schema import server_models
from goalmem.schema.rows import encoded, row
from goalmem.serve.calls import Write, json_response
from goalmem.serve.job_runner import Limits, Piece, pieces
from goalmem.serve.jobs import JobOptions
from goalmem.serve.openapi import described
from goalmem.serve.routes.jobs import (
    BODY,
    DayFirst,
    FileName,
    OneSession,
    SaidAt,
    SkipBad,
    accept,
    require_room,
)
from goalmem.serve.uploads import Received, receive_file
from goalmem.serve.workers import LaneName

__all__ = ["router"]

router = APIRouter(tags=["jobs"], default_response_class=Response)

PIECES_READ = 1_000
"""Pieces of at most 32 messages up to which a file is read for a preview."""
SESSIONS_SHOWN = 50
MESSAGES_SHOWN = 3
"""Of each session."""


@router.post("/uploads/preview", openapi_extra=described(content=BODY, result=server_models.Preview))
async def preview(
    call: Write,
    format: Annotated[Literal["chat", "document"], Query(description="A chat file; a text, page or e-mail.")] = "chat",
    name: FileName = "upload",
    session: OneSession = None,
    at: SaidAt = None,
    day_first: DayFirst = False,
    skip_bad: SkipBad = False,
) -> Response:
    """What `POST /v1/uploads` would read out of a file of messages, or of a document. Nothing is stored."""
    if at is not None:
        parse_when(read_moment(at) or at, "The upload")
    options = JobOptions(format, name, session, at, day_first, skip_bad)
    received = await receive_file(call.request, call.service.ledger.uploads, call.service.settings.serve_upload_bytes)

    def work(memory: Memory) -> bytes:
        return encoded(_previewed(received.path, options, Limits.of(memory)))

    try:
        return json_response(await call.service.run(LaneName.LOADING, call.caller, work))
    finally:
        received.path.unlink(missing_ok=True)


def _previewed(file: Path, options: JobOptions, limits: Limits) -> dict[str, Any]:
    counts: dict[str, int] = {}
    first: dict[str, list[dict[str, Any]]] = {}
    found = pieces(options, datetime.now(UTC), file, limits)
    for piece in islice(found, PIECES_READ):
        assert isinstance(piece, Piece)
        counts[piece.session] = counts.get(piece.session, 0) + len(piece.messages)
        if piece.session in first or len(first) < SESSIONS_SHOWN:
            shown = first.setdefault(piece.session, [])
            messages = (message for _, message in piece.messages[: MESSAGES_SHOWN - len(shown)])
            shown += [row(server_models.PreviewMessage, message) for message in messages]
    items = [{"session": name, "messages": counts[name], "first": shown} for name, shown in first.items()]
    return {
        "sessions": len(counts),
        "messages": sum(counts.values()),
        "whole": next(found, None) is None,
        "items": items,
    }


@router.post("/demo", status_code=202, openapi_extra=described(result=server_models.Job, status=202, writes=True))
async def demo(call: Write) -> Response:
    """Remember the demo: a made-up conversation of two friends, with rules and a graph. The answer is a job."""
    await require_room(call)
    await call.service.run(LaneName.WRITING, call.caller, lambda memory: add_background(memory, space=call.space))
    content = (files("goalmem.demo") / "data" / "conversation.jsonl").read_bytes()
    path = call.service.ledger.uploads / f"{secrets.token_hex(8)}.part"
    path.write_bytes(content)
    received = Received(path, len(content), hashlib.sha256(content).digest())
    return await accept(call, JobOptions(name="conversation.jsonl"), received)

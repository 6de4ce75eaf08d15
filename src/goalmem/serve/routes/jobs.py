"""Files to remember: what one holds, before; uploaded, and worked off in the background. The demo's conversation is one of them."""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from datetime import UTC, datetime
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response

from goalmem.demo import add_background
from goalmem.errors import InputError
from goalmem.io.chat_messages import LONGEST_NAME, check_name, parse_when
from goalmem.io.dates import read_moment
from goalmem.io.documents import DocumentKind
from goalmem.io.triples_files import GraphFormatName
from goalmem.memory import Memory
from goalmem.schema import models, server_models
from goalmem.schema.rows import encoded, row
from goalmem.serve.bodies import ReceivedFile, json_of, receive_file
from goalmem.serve.calls import ApiCall, Read, Write, json_response
from goalmem.serve.job_runner import MessagePiece, UploadLimits, pieces
from goalmem.serve.jobs import FileJob, JobOptions
from goalmem.serve.lists import Cursor, Limit
from goalmem.serve.openapi import described
from goalmem.serve.refusals import BusyError
from goalmem.serve.workers import LaneName
from goalmem.store.metadata import LONGEST, parse_metadata

router = APIRouter(tags=["jobs"], default_response_class=Response)

MOST_UNFINISHED = 100
"""Jobs of one caller that are not done yet."""
PATIENCE = 30
"""Seconds after which another may have been done."""
BODY = {
    "required": True,
    "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
}


FileName = Annotated[str, Query(min_length=1, max_length=LONGEST_NAME, description="What to call the file.")]
OneSession = Annotated[
    str | None, Query(min_length=1, max_length=LONGEST_NAME, description="For a file that holds one session.")
]
SaidAt = Annotated[str | None, Query(max_length=64, description="When it was said, where the file gives no date.")]
DayFirst = Annotated[bool, Query(description="Read 03/04/2024 as 3 April.")]
SkipBad = Annotated[bool, Query(description="Leave out what cannot be read.")]


@router.post(
    "/uploads",
    status_code=202,
    openapi_extra=described(content=BODY, result=server_models.Job, status=202, writes=True),
)
async def upload(
    call: Write,
    format: Annotated[
        Literal["chat", "document", "export", "graph"],
        Query(description="A chat file, a text, page or e-mail, what export wrote, or triples."),
    ] = "chat",
    name: FileName = "upload",
    session: OneSession = None,
    at: SaidAt = None,
    day_first: DayFirst = False,
    skip_bad: SkipBad = False,
    triples: Annotated[
        GraphFormatName | None, Query(description="How triples are written; default: told by name and content.")
    ] = None,
    document: Annotated[
        DocumentKind | None, Query(description="What a document is; default: told by name and content.")
    ] = None,
    author: Annotated[
        str | None,
        Query(
            min_length=1,
            max_length=LONGEST_NAME,
            description='Who says "I" in a document that does not say who wrote it.',
        ),
    ] = None,
    metadata: Annotated[
        str | None,
        Query(max_length=LONGEST, description="What to note about every piece of a document: a JSON object."),
    ] = None,
    prune: Annotated[
        bool, Query(description="Forget what an earlier version of a document said and this one does not.")
    ] = False,
) -> Response:
    """Remember a file of any size. The answer is a job: the file is on the disk, and will be remembered also after a restart."""
    if at is not None:
        parse_when(read_moment(at) or at, "The upload")
    if format not in ("chat", "document") and session is not None:
        raise InputError("Only of a chat file or a document the session can be named.", "Leave out `session`.")
    if author is not None:
        check_name(author, "The author")
    about = parse_metadata(json_of(metadata, "metadata"), "The upload") if metadata is not None else {}
    if format != "document" and (about or prune or author is not None or document is not None):
        raise InputError("Only documents are uploaded so.", "Pass format=document, or leave these parameters out.")
    options = JobOptions(format, name, session, at, day_first, skip_bad, triples, document, author, about, prune)
    await require_room(call)
    settings = call.service.settings
    received = await receive_file(call.request, call.service.ledger.uploads, settings.serve_upload_bytes)
    return await accept(call, options, received)


async def require_room(call: ApiCall) -> None:
    """Raises BusyError where the caller has too many files that are not done yet."""
    if len(await asyncio.to_thread(call.service.jobs.unfinished, call.caller.id)) >= MOST_UNFINISHED:
        raise BusyError("Too many files of this caller are not done yet.", PATIENCE, of_caller=True)


async def accept(call: ApiCall, options: JobOptions, received: ReceivedFile) -> Response:
    """Make a job of a file that is whole and on the disk, and start it; or answer as before."""
    status, body, job = await asyncio.to_thread(_accepted, call, options, received)
    if job is not None:
        call.service.runner.start(job)
    return json_response(body, status, {} if job is not None else {"Idempotency-Replayed": "true"})


def _accepted(call: ApiCall, options: JobOptions, received: ReceivedFile) -> tuple[int, bytes, FileJob | None]:
    """A job for a file, or what was answered before."""
    once, answers = call.once(received.digest), call.service.acknowledged
    try:
        if once is not None and (before := answers.begin(once)) is not None:
            return before.status, before.body, None
        job = call.service.jobs.add(call.caller, call.space, options, received.size, received.path)
    finally:
        received.path.unlink(missing_ok=True)
    body = encoded(job.row)
    if once is not None:
        answers.finish(once, 202, body)
    return 202, body, job


@router.get("/jobs", openapi_extra=described(result=server_models.Jobs))
async def jobs(call: Read, cursor: Cursor = None, limit: Limit = 100) -> Response:
    """Jobs of the space, the newest first."""
    held = call.service.jobs
    return await call.listed(["jobs"], cursor, lambda _, after: held.page(call.space, after, limit), lambda j: j.row)


@router.get("/jobs/{id}", openapi_extra=described(result=server_models.Job))
async def job(call: Read, id: str) -> Response:
    """How far a job is."""
    return json_response(await asyncio.to_thread(lambda: encoded(call.service.jobs.seen(call.caller, id).row)))


@router.post("/jobs/{id}/resume", status_code=202, openapi_extra=described(result=server_models.Job, status=202))
async def resume(call: Write, id: str) -> Response:
    """Take a job up again that failed, where it stopped."""

    def work() -> FileJob:
        call.service.jobs.seen(call.caller, id)
        return call.service.jobs.resume(id)

    taken = await asyncio.to_thread(work)
    call.service.runner.start(taken)
    return json_response(encoded(taken.row), 202)


@router.delete("/jobs/{id}", openapi_extra=described(result=models.Removed))
async def remove_job(call: Write, id: str) -> Response:
    """End a job and remove its file. What it stored is kept."""
    held = await asyncio.to_thread(call.service.jobs.seen, call.caller, id)
    await call.service.runner.cancel(held.id)
    await asyncio.to_thread(call.service.jobs.remove, held.id)
    return json_response(encoded({"removed": [held.id]}))


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
        return encoded(_previewed(received.path, options, UploadLimits.of(memory)))

    try:
        return json_response(await call.service.run(LaneName.LOADING, call.caller, work))
    finally:
        received.path.unlink(missing_ok=True)


def _previewed(file: Path, options: JobOptions, limits: UploadLimits) -> dict[str, Any]:
    counts: dict[str, int] = {}
    first: dict[str, list[dict[str, Any]]] = {}
    found = pieces(options, datetime.now(UTC), file, limits)
    for piece in islice(found, PIECES_READ):
        assert isinstance(piece, MessagePiece)
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
    received = ReceivedFile(path, len(content), hashlib.sha256(content).digest())
    return await accept(call, JobOptions(name="conversation.jsonl"), received)

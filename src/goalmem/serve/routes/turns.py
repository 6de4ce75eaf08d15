"""Messages in, turns out; forgetting and export."""

from __future__ import annotations

import secrets
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Response
from starlette.responses import FileResponse
from starlette.types import Receive, Scope, Send

from goalmem.cancellation import checkpoint
from goalmem.errors import NotFoundError
from goalmem.io.arguments import check_forgotten
from goalmem.io.chat_messages import LONGEST_NAME
from goalmem.memory import Memory
from goalmem.schema import models, server_models
from goalmem.schema.rows import Row, encoded, row, session_row
from goalmem.serve import lists, requests
from goalmem.serve.bodies import json_body, json_of
from goalmem.serve.calls import Read, Write, json_response
from goalmem.serve.lists import Cursor, Limit, ListPage, after_key, store_of
from goalmem.serve.openapi import described
from goalmem.serve.workers import LaneName
from goalmem.store.metadata import EVERYTHING, LONGEST, parse_where

router = APIRouter(tags=["remembering"], default_response_class=Response)

SHOWN = 100
"""Turns of a preview that are shown; all are counted."""
COUNTED = ("turns", "facts", "sessions", "rules", "triples")
SessionName = Annotated[str | None, Query(max_length=LONGEST_NAME, description="Only turns of this session.")]


@router.get("/spaces", openapi_extra=described(result=models.Spaces))
async def spaces(call: Read, cursor: Cursor = None, limit: Limit = 100) -> Response:
    """The spaces that hold something and that the key is for."""
    return await call.listed(
        ["spaces", call.caller.id],
        cursor,
        lambda memory, after: after_key(
            [s for s in memory.spaces() if call.caller.sees(s)], lambda name: [name], after, limit
        ),
        str,
    )


@router.get("/stats", openapi_extra=described(result=models.Stats, etag=True))
async def stats(call: Read) -> Response:
    """Counts of the space."""

    def work(memory: Memory) -> Row:
        counts = row(models.Stats, memory.stats(space=call.space))
        # The size of the store tells of other spaces.
        return counts if call.caller.sees_all else counts | {"bytes": None}

    return await call.tagged(work)


@router.get("/sessions", openapi_extra=described(result=models.Sessions))
async def sessions(call: Read, cursor: Cursor = None, limit: Limit = 100) -> Response:
    """Every session: its time and number of turns, oldest first."""
    return await call.listed(
        ["sessions"],
        cursor,
        lambda memory, after: after_key(
            memory.sessions(space=call.space), lambda s: [s[1].timestamp(), s[0]], after, limit
        ),
        session_row,
    )


@router.get("/turns", openapi_extra=described(result=models.Turns))
async def turns(
    call: Read,
    session: SessionName = None,
    where: Annotated[
        str | None,
        Query(
            max_length=LONGEST,
            description="Only turns whose metadata meet these conditions, a JSON object; then in the order stored.",
            examples=['{"project": "x"}'],
        ),
    ] = None,
    cursor: Cursor = None,
    limit: Limit = 100,
) -> Response:
    """A conversation's turns in order; without a session, every turn in the order stored."""
    conditions = parse_where(json_of(where, "where")) if where is not None else EVERYTHING

    def listed(memory: Memory, after: list[int] | None) -> ListPage:
        if session is None or conditions:
            return lists.stored_turns(store_of(memory), call.space, conditions, session, after, limit)
        return lists.conversation(store_of(memory), call.space, session, after, limit)

    return await call.listed(["turns", repr(session), repr(conditions)], cursor, listed, partial(row, models.Turn))


@router.get("/turns/{id}", openapi_extra=described(result=models.Turn))
async def turn(call: Read, id: str) -> Response:
    """One turn, verbatim."""
    return await call.found(lambda memory: row(models.Turn, memory.turn(id, space=call.space)))


@router.patch(
    "/turns/{id}",
    openapi_extra=described(body=requests.TurnUpdate, result=models.Turn, writes=True, conditional=True, etag=True),
)
async def update_turn(
    call: Write, id: str, wanted: Annotated[requests.TurnUpdate, Depends(json_body(requests.TurnUpdate))]
) -> Response:
    """Change a turn, which keeps its id, place and time; what it was can be read, and what followed from it holds no more."""
    given = wanted.model_dump(exclude_unset=True)

    def work(memory: Memory) -> Row:
        return row(models.Turn, memory.update(id, space=call.space, **given))

    return await call.write(work, encoded(given))


@router.get("/turns/{id}/history", openapi_extra=described(result=models.TurnVersions))
async def turn_history(call: Read, id: str) -> Response:
    """What a turn was, oldest first, each until when; the last is what it is now."""

    def work(memory: Memory) -> Row:
        return {"items": [row(models.TurnVersion, of) for of in memory.versions(id, space=call.space)]}

    return await call.found(work)


@router.delete(
    "/turns/{id}", openapi_extra=described(result=models.Forgotten, writes=True, conditional=True, etag=True)
)
async def delete_turn(call: Write, id: str) -> Response:
    """Forget one turn, with all that was derived from it alone, as POST /v1/forget."""
    wanted = requests.Forget(turn=id)

    def work(memory: Memory) -> Row:
        return _forgotten(memory, call.space, wanted)

    return await call.write(work, b"")


@router.post(
    "/messages",
    status_code=201,
    openapi_extra=described(body=requests.Messages, result=models.Receipt, status=201, writes=True, conditional=True),
)
async def messages(call: Write, told: Annotated[requests.Messages, Depends(json_body(requests.Messages))]) -> Response:
    """Remember messages of one session. All of them are on disk when this returns, or none; adding again adds nothing."""
    given = told.model_dump(exclude_unset=True)

    def work(memory: Memory) -> Row:
        receipt = memory.add(given["messages"], space=call.space, session=told.session, at=told.at)
        call.service.metrics.turns.inc(receipt.new)
        return row(models.Receipt, receipt)

    return await call.write(work, encoded(given), 201)


@router.post(
    "/forget",
    openapi_extra=described(body=requests.Forget, result=models.Forgotten, writes=True, conditional=True, etag=True),
)
async def forget(call: Write, wanted: Annotated[requests.Forget, Depends(json_body(requests.Forget))]) -> Response:
    """Remove a turn, a session or everything of the space, with all that was derived from it alone; or say what would go.

    With everything, files of the space that are not remembered whole yet go, too.
    """
    ended: list[str] = []

    def work(memory: Memory) -> Row:
        if wanted.preview:
            return _forgotten(memory, call.space, wanted)
        if wanted.everything:
            ended.extend(call.service.jobs.remove_all(call.space))
            with call.service.runner.importing:  # a graph that is being imported stops
                pass
        return _forgotten(memory, call.space, wanted)

    answer = await call.write(work, encoded(wanted))
    for job in ended:
        await call.service.runner.cancel(job)
    return answer


@router.post("/purge", openapi_extra=described(result=server_models.Purged))
async def purge(call: Write) -> Response:
    """Remove what has expired by now. Every other call about the space does so first."""

    def work(memory: Memory) -> bytes:
        return encoded({"turns": memory.purge(space=call.space)})

    return json_response(await call.service.run(LaneName.WRITING, call.caller, work, call.space))


def _forgotten(memory: Memory, space: str, wanted: requests.Forget) -> dict[str, Any]:
    """Forget, or say what would go. Raises InputError unless exactly one thing is named, NotFoundError when it is not there."""
    check_forgotten(wanted.turn, wanted.session, wanted.where, wanted.everything)
    if wanted.preview and wanted.where is None:
        return _preview(memory, space, wanted)
    gone = memory.forget(**wanted.model_dump(exclude={"preview"}), dry_run=wanted.preview, space=space)
    counts = {name: getattr(gone, name) for name in COUNTED}
    shown = (
        memory.get_all(where=wanted.where, session=wanted.session, limit=SHOWN, space=space).items
        if wanted.preview
        else []
    )
    return {"preview": wanted.preview, **counts, "items": [row(models.Turn, turn) for turn in shown]}


def _preview(memory: Memory, space: str, wanted: requests.Forget) -> dict[str, Any]:
    store = store_of(memory)
    if wanted.everything:
        held = memory.stats(space=space)
        if not (held.turns or held.rules or held.triples):
            raise NotFoundError(f"There is nothing in the space {space!r}.", "Check the name.")
        counts = {name: getattr(held, name) for name in COUNTED}
        return {"preview": True, **counts, "items": []}
    if wanted.turn is not None:
        turns = [memory.turn(wanted.turn, space=space)]
        alone = len(store.session_turns(space, turns[0].session)) == 1
    else:
        turns = store.session_turns(space, wanted.session or "")
        alone = True
    if not turns:
        raise NotFoundError(f"There is no session {wanted.session!r} in the space {space!r}.", "Check the name.")
    facts = len(store.facts(space, turns=[t.id for t in turns]))
    counts = {"turns": len(turns), "facts": facts, "sessions": int(alone), "rules": 0, "triples": 0}
    return {"preview": True, **counts, "items": [row(models.Turn, t) for t in turns[:SHOWN]]}


@router.get("/export", openapi_extra=described(result=server_models.Line, media="application/jsonl"))
async def export(call: Read) -> Response:
    """Every turn and rule of the space as JSON lines, complete enough to rebuild it: what `goalmem import` reads."""
    path = call.service.ledger.uploads / f"{secrets.token_hex(8)}.export"

    def work(memory: Memory) -> None:
        try:
            memory.export(path, space=call.space)
            checkpoint()  # the client may have left meanwhile
        except NotFoundError:  # whose words name the other spaces
            raise NotFoundError(f"There is nothing in the space {call.space!r}.", "Check the name.") from None
        except BaseException:
            path.unlink(missing_ok=True)
            raise

    try:
        await call.read(work)
    except BaseException:
        path.unlink(missing_ok=True)  # the client left behind the last checkpoint
        raise
    return PassingFile(path, media_type="application/jsonl", filename="export.jsonl")


class PassingFile(FileResponse):
    """A file that is sent and then removed, however the sending ends."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the file."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            Path(self.path).unlink(missing_ok=True)

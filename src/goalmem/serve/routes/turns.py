"""Messages in, turns out; forgetting and export."""

from __future__ import annotations

import secrets
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response
from starlette.background import BackgroundTask
from starlette.responses import FileResponse

from goalmem.errors import NotFoundError
from goalmem.io.chat_messages import LONGEST_NAME
from goalmem.memory import Memory
from goalmem.serve import lists, requests, responses
from goalmem.serve.bodies import json_body
from goalmem.serve.calls import Read, Write, json_response
from goalmem.serve.deletion import forget as forget_or_preview
from goalmem.serve.openapi import described
from goalmem.serve.pagination import Cursor, Limit, Page, after_key
from goalmem.serve.plain import Row, encoded, receipt_row, turn_row
from goalmem.serve.stores import store_of

__all__ = ["router"]

router = APIRouter(tags=["remembering"], default_response_class=Response)

SessionName = Annotated[str | None, Query(max_length=LONGEST_NAME, description="Only turns of this session.")]


@router.get("/spaces", openapi_extra=described(result=responses.Spaces))
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


@router.get("/stats", openapi_extra=described(result=responses.Stats, etag=True))
async def stats(call: Read) -> Response:
    """Counts of the space."""

    def work(memory: Memory) -> Row:
        held = memory.stats(space=call.space)
        row = {name: getattr(held, name) for name in held.__slots__}
        # The size of the store tells of other spaces.
        return row if call.caller.sees_all else row | {"bytes": None}

    return await call.tagged(work)


@router.get("/sessions", openapi_extra=described(result=responses.Sessions))
async def sessions(call: Read, cursor: Cursor = None, limit: Limit = 100) -> Response:
    """Every session: its time and number of turns, oldest first."""
    return await call.listed(
        ["sessions"],
        cursor,
        lambda memory, after: after_key(
            memory.sessions(space=call.space), lambda s: [s[1].timestamp(), s[0]], after, limit
        ),
        lambda s: {"session": s[0], "at": s[1], "turns": s[2]},
    )


@router.get("/turns", openapi_extra=described(result=responses.Turns))
async def turns(call: Read, session: SessionName = None, cursor: Cursor = None, limit: Limit = 100) -> Response:
    """A conversation's turns in order; without a session, every turn in the order stored."""

    def listed(memory: Memory, after: list[int] | None) -> Page:
        store = store_of(memory)
        if session is None:
            return lists.every_turn(store, call.space, after, limit)
        return lists.conversation(store, call.space, session, after, limit)

    return await call.listed(["turns", repr(session)], cursor, listed, turn_row)


@router.get("/turns/{id}", openapi_extra=described(result=responses.Turn))
async def turn(call: Read, id: str) -> Response:
    """One turn, verbatim."""
    return json_response(await call.read(lambda memory: encoded(turn_row(memory.turn(id, space=call.space)))))


@router.post(
    "/messages",
    status_code=201,
    openapi_extra=described(
        body=requests.Messages, result=responses.Receipt, status=201, writes=True, conditional=True
    ),
)
async def messages(call: Write, told: Annotated[requests.Messages, Depends(json_body(requests.Messages))]) -> Response:
    """Remember messages of one session. All of them are on disk when this returns, or none; adding again adds nothing."""
    given = told.model_dump(exclude_unset=True)

    def work(memory: Memory) -> Row:
        receipt = memory.add(given["messages"], space=call.space, session=told.session, at=told.at)
        call.service.metrics.turns.inc(receipt.new)
        return receipt_row(receipt)

    return await call.write(work, encoded(given), 201)


@router.post(
    "/forget",
    openapi_extra=described(body=requests.Forget, result=responses.Forgotten, writes=True, conditional=True, etag=True),
)
async def forget(call: Write, wanted: Annotated[requests.Forget, Depends(json_body(requests.Forget))]) -> Response:
    """Remove a turn, a session or everything of the space, with all that was derived from it alone; or say what would go.

    With everything, files of the space that are not remembered whole yet go, too.
    """
    ended: list[str] = []

    def work(memory: Memory) -> Row:
        if wanted.preview:
            return forget_or_preview(memory, call.space, wanted)
        if wanted.everything:
            ended.extend(call.service.jobs.remove_all(call.space))
            with call.service.runner.importing:  # a graph that is being imported stops
                pass
        gone = forget_or_preview(memory, call.space, wanted)
        call.service.acknowledged.forget(call.space)
        return gone

    answer = await call.write(work, encoded(wanted))
    for job in ended:
        await call.service.runner.cancel(job)
    return answer


@router.get("/export", openapi_extra=described(result=responses.Line, media="application/jsonl"))
async def export(call: Read) -> Response:
    """Every turn and rule of the space as JSON lines, complete enough to rebuild it: what `goalmem import` reads."""
    path = call.service.ledger.uploads / f"{secrets.token_hex(8)}.export"

    def work(memory: Memory) -> None:
        try:
            memory.export(path, space=call.space)
        except NotFoundError:  # whose words name the other spaces
            raise NotFoundError(f"There is nothing in the space {call.space!r}.", "Check the name.") from None

    await call.read(work)
    done = BackgroundTask(path.unlink, missing_ok=True)
    return FileResponse(path, media_type="application/jsonl", filename="export.jsonl", background=done)

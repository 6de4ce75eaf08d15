"""Rules and facts stated in plain language."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Depends, Response

from goalmem.errors import InputError, NotFoundError
from goalmem.memory import Memory
from goalmem.rules.stored import Sentence
from goalmem.schema import models
from goalmem.schema.rows import Row, encoded, row
from goalmem.serve import requests
from goalmem.serve.bodies import json_body
from goalmem.serve.calls import Read, Write
from goalmem.serve.lists import Cursor, Limit, ListPage, Position
from goalmem.serve.openapi import described

router = APIRouter(tags=["rules"], default_response_class=Response)


@router.get("/rules", openapi_extra=described(result=models.Rules, etag=True))
async def rules(call: Read, cursor: Cursor = None, limit: Limit = 100) -> Response:
    """Every sentence that states rules or facts, with what it was read as, in the order first added."""

    def listed(memory: Memory, after: Position | None) -> ListPage:
        return _page(memory.rules(space=call.space), after, limit)

    return await call.listed(["rules"], cursor, listed, partial(row, models.Rule), tagged=True)


@router.post(
    "/rules",
    status_code=201,
    openapi_extra=described(
        body=requests.RuleText, result=models.RuleReport, status=201, writes=True, conditional=True, etag=True
    ),
)
async def add_rules(
    call: Write, wanted: Annotated[requests.RuleText, Depends(json_body(requests.RuleText))]
) -> Response:
    """Keep rules and facts stated in plain language. All of the text is kept, or nothing; adding again adds nothing."""
    given = wanted.model_dump()

    def work(memory: Memory) -> Row:
        return row(models.RuleReport, memory.add_rules(**given, space=call.space))

    return await call.write(work, encoded(given), 201)


@router.delete("/rules/{id}", openapi_extra=described(result=models.Removed, writes=True, conditional=True, etag=True))
async def remove_rule(call: Write, id: str) -> Response:
    """Remove a sentence. What is remembered of conversations stays."""

    def work(memory: Memory) -> Row:
        removed = memory.remove_rules(id, space=call.space)
        if not removed:
            raise NotFoundError(f"There is no rule {id!r} in the space {call.space!r}.", "See GET /v1/rules.")
        return {"removed": removed}

    return await call.write(work, b"")


def _page(kept: list[Sentence], after: Position | None, limit: int) -> ListPage:
    """Behind a sentence, wherever it stands now; rules are only appended and removed."""
    places = {sentence.id: n for n, sentence in enumerate(kept)}
    if after is not None and after[0] not in places:
        raise InputError("The rule at the cursor was removed.", "List again from the beginning, without a cursor.")
    first = places[after[0]] + 1 if after is not None else 0
    page = kept[first : first + limit]
    return ListPage(page, [page[-1].id] if first + limit < len(kept) else None)

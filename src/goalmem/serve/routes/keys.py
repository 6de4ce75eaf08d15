"""Keys, made and revoked by who may do all: never for more than the caller's own key is for."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Response

from goalmem.errors import InputError, NotFoundError
from goalmem.io.chat_messages import parse_when
from goalmem.schema import server_models
from goalmem.schema.rows import encoded
from goalmem.serve import requests
from goalmem.serve.auth import EVERY_SPACE, ApiKey, Scope
from goalmem.serve.bodies import json_body
from goalmem.serve.calls import Admin, ApiCall, json_response
from goalmem.serve.openapi import described
from goalmem.serve.refusals import ForbiddenError

router = APIRouter(tags=["keys"], default_response_class=Response)


@router.get("/keys", openapi_extra=described(result=server_models.Keys))
async def keys(call: Admin) -> Response:
    """The keys for spaces that the caller's key is for, without their secrets. It has the scope admin."""
    held = await asyncio.to_thread(call.service.keys.list)
    return json_response(encoded({"items": [_row(key) for key in held if _covers(call, key.spaces)]}))


@router.post(
    "/keys", status_code=201, openapi_extra=described(body=requests.KeyWish, result=server_models.NewKey, status=201)
)
async def add_key(call: Admin, wanted: Annotated[requests.KeyWish, Depends(json_body(requests.KeyWish))]) -> Response:
    """Make a key; its text is in this answer alone. From the first on, which is for everything, every call needs a key."""
    spaces = tuple(wanted.spaces) if wanted.spaces is not None else call.caller.spaces
    if not _covers(call, spaces):
        raise ForbiddenError("A key cannot be for more spaces than the one that makes it.", "Name fewer spaces.")
    if EVERY_SPACE in (wanted.spaces or ()):
        raise InputError(f"A key for the space {EVERY_SPACE!r} would open every space.", "Say so: leave `spaces` out.")
    if (wanted.scope != "admin" or wanted.spaces is not None) and not call.service.keys.used():
        raise InputError(
            "The first key is to be for everything: from it on every call needs a key, and no other could make more.",
            "Make one with the scope admin and without `spaces` first.",
        )
    expires = parse_when(wanted.expires, "The end of the key") if wanted.expires is not None else None

    def work() -> tuple[ApiKey, str]:
        own = call.service.keys.find(call.caller.id) if call.caller.id else None
        until, rate = (min(filter(None, (expires, own.expires)), default=None), own.rate) if own else (expires, None)
        return call.service.keys.add(wanted.name, Scope[wanted.scope.upper()], spaces, expires=until, rate=rate)

    key, text = await asyncio.to_thread(work)
    return json_response(encoded({"key": _row(key), "text": text}), 201)


@router.delete("/keys/{id}", openapi_extra=described(result=server_models.Key))
async def revoke_key(call: Admin, id: str) -> Response:
    """End a key, at once and for good."""

    def work() -> ApiKey:
        if not _covers(call, call.service.keys.find(id).spaces):
            raise NotFoundError(f"There is no key {id!r}.", "See GET /v1/keys.")
        return call.service.keys.revoke(id)

    return json_response(encoded(_row(await asyncio.to_thread(work))))


def _covers(call: ApiCall, spaces: tuple[str, ...]) -> bool:
    return call.caller.sees_all or set(spaces) <= set(call.caller.spaces)


def _row(key: ApiKey) -> dict[str, Any]:
    fields = {name: getattr(key, name) for name in server_models.Key.model_fields}
    return fields | {"scope": key.scope.name.lower(), "spaces": list(key.spaces)}

"""A call: who calls, about which space, and how its work is done.

ETags say what a space was when it was read, so that what changes it may ask that it still is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from fastapi import Depends, Query, Request, Response, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from goalmem.errors import InputError, shown
from goalmem.io.chat_messages import LONGEST_NAME
from goalmem.memory import Memory
from goalmem.schema.rows import Row, encoded
from goalmem.serve.auth import OWNER, Caller, Scope
from goalmem.serve.command_socket import is_command
from goalmem.serve.idempotency import IdempotentWrite, check_key, fingerprint, named
from goalmem.serve.lists import ListPage, Position, store_of
from goalmem.serve.openapi import parameters_of, route_of
from goalmem.serve.refusals import ClientGoneError, PreconditionError
from goalmem.serve.service import Service
from goalmem.serve.streams import ended, gone
from goalmem.serve.workers import LaneName

if TYPE_CHECKING:
    from goalmem.store import Store


def space_etag(store: Store, space: str) -> str:
    """Another one after each change of a space's turns, rules or imported graph."""
    epoch, seq = store.version(space)
    return f'"{epoch}-{seq}-{store.rules_version(space)}-{store.graphs.version(space)}"'


def matches(header: str | None, etag: str) -> bool:
    """True if a header of ETags names this one."""
    if header is None:
        return False
    named = [part.strip().removeprefix("W/") for part in header.split(",")]
    return etag in named or "*" in named


def require_match(headers: Mapping[str, str], store: Store, space: str) -> None:
    """Raises PreconditionError when `If-Match` names another state than the space is in."""
    named = headers.get("if-match")
    if named is not None and not matches(named, space_etag(store, space)):
        raise PreconditionError


T = TypeVar("T")
Listing = Callable[[Memory, Position | None], ListPage]

bearer = HTTPBearer(auto_error=False, scheme_name="key", description="An API key: `gm_<id>_<secret>`.")
SpaceName = Annotated[
    str | None,
    Query(min_length=1, max_length=LONGEST_NAME, description="The space; default: the key's only one, else `default`."),
]


@dataclass(frozen=True, slots=True)
class ApiCall:
    """An authorised request."""

    service: Service
    caller: Caller
    space: str
    request: Request

    @property
    def request_id(self) -> str:
        """Id of the request in logs and problems."""
        return str(self.request.scope["state"]["request_id"])

    async def read(self, work: Callable[[Memory], T]) -> T:
        """Look something up."""
        return await self._watched(self.service.run(LaneName.READING, self.caller, self._current(work)))

    async def reason(self, work: Callable[[Memory], T]) -> T:
        """Reason about something."""
        return await self._watched(self.service.run(LaneName.ASKING, self.caller, self._current(work)))

    async def found(self, work: Callable[[Memory], object]) -> Response:
        """Run a look-up and return its result as JSON."""
        return json_response(await self.read(lambda memory: encoded(work(memory))))

    async def reasoned(self, work: Callable[[Memory], object]) -> Response:
        """Run reasoning and return its result as JSON."""
        return json_response(await self.reason(lambda memory: encoded(work(memory))))

    async def _watched(self, work: Coroutine[Any, Any, T]) -> T:
        """Run work that is cancelled when the client disconnects. Then raises ClientGoneError, which nobody receives."""
        working = asyncio.ensure_future(work)
        leaving = asyncio.ensure_future(gone(self.request.receive))
        try:
            await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if not working.done():
                raise ClientGoneError
            return await working
        finally:
            await ended(leaving, working)

    def _current(self, work: Callable[[Memory], T]) -> Callable[[Memory], T]:
        """Wrap work on the space: expired turns are removed first."""

        def current(memory: Memory) -> T:
            memory.purge(space=self.space)
            return work(memory)

        return current

    async def write(self, work: Callable[[Memory], Row], wanted: bytes, status: int = 200) -> Response:
        """Change something: if it is as `If-Match` says, and once for an `Idempotency-Key`. `wanted`: the body."""
        once = self.once(wanted)
        whole = partial(self._acknowledged, once, work, status)
        code, body, etag, replayed = await self._watched(
            self.service.run(LaneName.WRITING, self.caller, whole, self.space)
        )
        headers = {"ETag": etag}
        if replayed:
            headers["Idempotency-Replayed"] = "true"
        return json_response(body, code, headers)

    async def listed(
        self, kind: Sequence[str], cursor: str | None, list_: Listing, row: Callable[..., Any], *, tagged: bool = False
    ) -> Response:
        """A page of a list that `kind` names; its items as `row` makes them. `tagged`: with the ETag of the space."""
        words = [*kind, self.space]
        after = self.service.cursors.read(words, cursor)

        def work(memory: Memory) -> Row:
            page = list_(memory, after)
            following = self.service.cursors.write(words, page.last)
            return {"items": [row(item) for item in page.items], "next": following}

        return await (self.tagged(work) if tagged else self.found(work))

    async def tagged(self, work: Callable[[Memory], Row]) -> Response:
        """A look-up with the ETag of the space; not sent again to a client that has this state."""

        def whole(memory: Memory) -> tuple[bytes, str]:
            etag = space_etag(store_of(memory), self.space)
            known = matches(self.request.headers.get("if-none-match"), etag)
            return b"" if known else encoded(work(memory)), etag

        body, etag = await self.read(whole)
        return json_response(body, 200, {"ETag": etag}) if body else Response(status_code=304, headers={"ETag": etag})

    def once(self, wanted: bytes) -> IdempotentWrite | None:
        """The idempotent write, if the request has an idempotency key."""
        key = self.request.headers.get("idempotency-key")
        if key is None:
            return None
        asked = f"{self.request.method} {self.request.url.path}".encode()
        query = "&".join(sorted(f"{n}={v}" for n, v in self.request.query_params.multi_items() if n != "space"))
        return IdempotentWrite(self.caller.id, self.space, check_key(key), fingerprint(asked, query.encode(), wanted))

    def _acknowledged(
        self, once: IdempotentWrite | None, work: Callable[[Memory], Row], status: int, memory: Memory
    ) -> tuple[int, bytes, str, bool]:
        """Runs in the write lane, where this server changes nothing else in the space."""
        answers, store = self.service.acknowledged, store_of(memory)
        if once is not None and (before := answers.begin(once)) is not None:
            if self.service.holds(self.space, named(before.body)):
                return before.status, before.body, space_etag(store, self.space), True
            self.service.forget_answers(self.space)  # another process removed what it names
            answers.begin(once)
        try:
            require_match(self.request.headers, store, self.space)
            body = encoded(self._current(work)(memory))
        except BaseException:
            if once is not None:
                answers.abandon(once)
            raise
        if once is not None:
            answers.finish(once, status, body)
        return status, body, space_etag(store, self.space), False


def refuse_unknown_parameters(request: Request) -> None:
    """Raises InputError for a parameter in the address that this call does not take: a filter that is ignored returns too much."""
    if not request.query_params:
        return
    known = parameters_of(request.app, route_of(request.scope), request.method)
    unknown = next((name for name in request.query_params if name not in known), None)
    if unknown is not None:
        raise InputError(f"The call takes no parameter {shown(unknown)}.", f"It takes {', '.join(known)}.")


def allowed(scope: Scope) -> Callable[..., Coroutine[Any, Any, ApiCall]]:
    """A dependency: a call whose key has this scope, and is for the space that is named."""

    async def call(
        request: Request,
        space: SpaceName = None,
        presented: Annotated[HTTPAuthorizationCredentials | None, Security(bearer)] = None,
    ) -> ApiCall:
        service: Service = request.app.state.service
        owned = is_command(request.scope)
        caller = OWNER if owned else service.caller(presented.credentials if presented is not None else None)
        request.scope["state"]["key"] = caller.id
        caller.require(scope)
        refuse_unknown_parameters(request)
        return ApiCall(service, caller, caller.space(space), request)

    return call


Read = Annotated[ApiCall, Depends(allowed(Scope.READ))]
Write = Annotated[ApiCall, Depends(allowed(Scope.WRITE))]
Admin = Annotated[ApiCall, Depends(allowed(Scope.ADMIN))]


def json_response(content: bytes, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """JSON that was encoded in a thread."""
    return Response(content, status, headers, "application/json")

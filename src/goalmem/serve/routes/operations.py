"""What watches a server: is it there, is it ready, and its figures."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Request, Response, Security
from fastapi.security import HTTPAuthorizationCredentials

from goalmem.schema import server_models
from goalmem.schema.rows import encoded
from goalmem.serve.auth import Scope
from goalmem.serve.calls import bearer, json_response
from goalmem.serve.openapi import described
from goalmem.serve.refusals import StoppingError
from goalmem.serve.service import CONTENT_TYPE, Service

router = APIRouter(tags=["operations"], default_response_class=Response)


@router.get("/health", openapi_extra=described(result=server_models.Health))
async def health() -> Response:
    """Whether the process runs."""
    return json_response(encoded({"status": "ok"}))


@router.get("/ready", openapi_extra=described(result=server_models.Ready))
async def ready(request: Request) -> Response:
    """Whether calls are served: 503 when the server is stopping."""
    service: Service = request.app.state.service
    if service.stopping:
        raise StoppingError
    return json_response(encoded({"ready": True, "warm": service.warm}))


@router.get("/metrics", openapi_extra=described(result=server_models.Text, media="text/plain"))
async def metrics(
    request: Request, presented: Annotated[HTTPAuthorizationCredentials | None, Security(bearer)] = None
) -> Response:
    """Figures for Prometheus, of all spaces; where keys are used, for one with the scope admin and every space."""
    service: Service = request.app.state.service
    caller = service.caller(presented.credentials if presented is not None else None)
    caller.require(Scope.ADMIN)
    caller.require_all()
    return Response(service.metrics.text(), media_type=CONTENT_TYPE)

"""The OpenAPI document: bodies, results and problems of every call, with examples."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, models_json_schema
from starlette.types import Scope

from goalmem.schema.server_models import Problem
from goalmem.serve.problems import MEDIA_TYPE
from goalmem.serve.requests import Body

VALIDATED: JsonSchemaMode = "validation"
SCHEMAS = "#/components/schemas/{model}"
UNMATCHED = "unmatched"
"""Route label for requests that match no route: their paths are kept out of metrics and logs."""
VERSION = "/v1"
"""Before the path of every call; a route knows its path behind it."""
PROBLEMS = {
    400: "The request is malformed.",
    401: "No key, or none that is valid.",
    403: "The key is not for this.",
    404: "It is not there.",
    405: "The path does not take this method.",
    409: "It is in conflict with what is there.",
    412: "The space has changed since the ETag of If-Match.",
    413: "The body is too large.",
    415: "The body is not declared as JSON.",
    422: "A value cannot be used.",
    429: "Too many requests of this key; Retry-After says when to come again.",
    503: "Too much to do, or stopping; Retry-After says when to come again.",
    507: "The disk is full.",
}
"""Problems that any call may return."""
ETAG = {"ETag": {"description": "Of the state of the space, for If-Match.", "schema": {"type": "string"}}}
IDEMPOTENCY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "The same key with the same request does nothing again, and answers the same; kept for a day.",
    "schema": {"type": "string", "pattern": "^[\\x21-\\x7e]{1,255}$"},
}
IF_MATCH = {
    "name": "If-Match",
    "in": "header",
    "required": False,
    "description": "ETag of the space; the call is refused with 412 when it has changed.",
    "schema": {"type": "string"},
}

_described: dict[str, type[BaseModel]] = {"Problem": Problem}
"""Every model that some call takes or answers."""


def described(
    *,
    body: type[Body] | None = None,
    result: type[BaseModel] | tuple[type[BaseModel], ...] | None = None,
    status: int = 200,
    etag: bool = False,
    writes: bool = False,
    conditional: bool = False,
    media: str = "application/json",
    content: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Documentation of a call (`openapi_extra` of its route)."""
    extra: dict[str, Any] = {}
    if body is not None:
        extra["requestBody"] = {"required": True, "content": {"application/json": {"schema": _reference(body)}}}
    if content is not None:
        extra["requestBody"] = content
    answered: dict[str, Any] = {"description": "Done."}
    if result is not None:
        kinds = result if isinstance(result, tuple) else (result,)
        references = [_reference(kind) for kind in kinds]
        answered["content"] = {media: {"schema": references[0] if len(kinds) == 1 else {"anyOf": references}}}
    if etag:
        answered["headers"] = ETAG
    extra["responses"] = {str(status): answered}
    parameters = [IDEMPOTENCY] * writes + [IF_MATCH] * conditional
    if parameters:
        extra["parameters"] = parameters
    return extra


def document(app: FastAPI, *, keyed: bool) -> dict[str, Any]:
    """The document, made once; `keyed` says whether calls need a key."""
    if app.openapi_schema is None:
        app.openapi_schema = _made(app)
    return app.openapi_schema if keyed else _without_keys(app.openapi_schema)


def route_of(scope: Scope) -> str:
    """The declared path (`/v1/turns/{id}`), not the requested one."""
    path = getattr(scope.get("route"), "path", None)
    if path is None:
        return UNMATCHED
    return f"{VERSION}{path}" if scope["path"].startswith(f"{VERSION}/") and not path.startswith(VERSION) else str(path)


def parameters_of(app: FastAPI, path: str, method: str) -> list[str]:
    """The parameters in the address that a call takes, as documented."""
    call = document(app, keyed=True)["paths"][path][method.lower()]
    return [one["name"] for one in call.get("parameters", ()) if one["in"] == "query"]


def _without_keys(made: dict[str, Any]) -> dict[str, Any]:
    components = {name: held for name, held in made["components"].items() if name != "securitySchemes"}
    paths = {
        path: {method: {n: v for n, v in operation.items() if n != "security"} for method, operation in held.items()}
        for path, held in made["paths"].items()
    }
    return made | {"components": components, "paths": paths}


def _made(app: FastAPI) -> dict[str, Any]:
    made = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
    schemas = made.setdefault("components", {}).setdefault("schemas", {})
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    models = [(model, VALIDATED) for model in _described.values()]
    schemas |= models_json_schema(models, ref_template=SCHEMAS)[1]["$defs"]
    for operation in (o for path in made["paths"].values() for o in path.values()):
        _complete(operation)
    return made


def _complete(operation: dict[str, Any]) -> None:
    """Every call may answer a problem."""
    responses = operation["responses"]
    responses.pop("422", None)
    for status, description in PROBLEMS.items():
        content = {MEDIA_TYPE: {"schema": _reference(Problem)}}
        responses[str(status)] = {"description": description, "content": content}


def _reference(model: type[BaseModel]) -> dict[str, str]:
    assert _described.setdefault(model.__name__, model) is model, "two models of one name"
    return {"$ref": SCHEMAS.format(model=model.__name__)}

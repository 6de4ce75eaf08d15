"""Requests and responses of OpenAI's chat completions API.

Endpoints differ in what they take. A `ChatRequestForm` is one way to put a request; when an endpoint does not take it, `weaker`
says which to try next.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from goalmem.errors import ChatReplyError
from goalmem.models.chat import ChatReply, ChatRequest, tokens_in

_OPTIONAL = ("seed", "temperature", "logprobs")
"""Parameters that some endpoints do not take, or at their default only; a reply without them is still one."""
_MOST_TOKENS = 10**9
"""Maximum plausible token count of one call; larger values are ignored."""
_LEAST_LOGARITHM = -1e4
"""Minimum plausible log-probability; lower values are ignored."""
_SCHEMA_IN_WORDS = "\n\nReply with one JSON value that follows this JSON schema, and with nothing else:\n"


@dataclass(frozen=True, slots=True)
class ChatRequestForm:
    """A variant of a request."""

    reply: Literal["json_schema", "json_object", "text"] = "json_schema"
    """How to request the schema: as a parameter, as JSON mode with the schema in the prompt, or in the prompt alone."""
    longest: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    """Name of the endpoint's parameter for the maximum reply length."""
    without: frozenset[str] = frozenset()
    """Optional parameters that are left out."""


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why an endpoint did not take a request, as far as it says so."""

    message: str = ""
    parameter: str = ""
    code: str = ""


def body_of(request: ChatRequest, model: str, form: ChatRequestForm) -> dict[str, Any]:
    """The body of a request in this form."""
    system = request.system
    if request.schema is not None and form.reply != "json_schema":
        system += _SCHEMA_IN_WORDS + json.dumps(request.schema, ensure_ascii=False, sort_keys=True)
    body: dict[str, Any] = {
        "model": model,
        "messages": [
            {"role": role, "content": content}
            for role, content in (("system", _whole(system)), ("user", _shown(request)))
            if content
        ],
        form.longest: request.max_tokens,
        "temperature": request.temperature,
        "seed": request.seed,
    }
    if request.schema is not None and form.reply == "json_schema":
        wanted = {"name": request.schema_name, "schema": request.schema, "strict": _is_strict(request.schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": wanted}
    elif request.schema is not None and form.reply == "json_object":
        body["response_format"] = {"type": "json_object"}
    if request.alternatives and "logprobs" not in form.without:
        body |= {"logprobs": True, "top_logprobs": request.alternatives}
    return {name: value for name, value in body.items() if name not in form.without}


def _shown(request: ChatRequest) -> str | list[dict[str, Any]]:
    """The material, with the pictures behind it where there are some."""
    text = _whole(request.user)
    if not request.images:
        return text
    pictures = [{"type": "image_url", "image_url": {"url": address}} for address in request.images]
    return [{"type": "text", "text": text}, *pictures]


def weaker(form: ChatRequestForm, rejection: Rejection, *, schema: bool) -> ChatRequestForm | None:
    """The next form to try after a rejection; None if none is left or the form is not the reason."""
    says = f"{rejection.parameter} {rejection.message}"
    if "context" in rejection.code or rejection.code == "model_not_found":
        return None
    if form.longest == "max_tokens" and "max_completion_tokens" in says:
        return replace(form, longest="max_completion_tokens")
    for name in _OPTIONAL:
        if name not in form.without and name in (rejection.parameter or says):
            return replace(form, without=form.without | {name})
    if not schema or form.reply == "text":
        return None
    return replace(form, reply="json_object" if form.reply == "json_schema" else "text")


def rejection_of(content: str) -> Rejection:
    """Parse the body of an error: OpenAI's object or a similar one; empty if it is not JSON."""
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        return Rejection()
    error = body.get("error", body) if isinstance(body, dict) else body
    if not isinstance(error, dict):
        return Rejection(_line(error))
    message = error.get("message") or error.get("detail") or ""
    return Rejection(_line(message), _line(error.get("param")), _line(error.get("code") or error.get("type")))


def read_reply(content: str, request: ChatRequest, model: str, seconds: float) -> ChatReply:
    """The reply in the body of an answer.

    Raises:
        ChatReplyError: it is no chat completion, or an empty one.
    """
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        raise _no_completion(model, "is not valid JSON" if content.strip() else "has no content") from None
    choices = body.get("choices") if isinstance(body, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(body, dict) or not isinstance(choice, dict) or not isinstance(message, dict):
        said = rejection_of(content).message if isinstance(body, dict) and "error" in body else ""
        raise _no_completion(model, f"says: {said}" if said else "holds no message")
    refused = message.get("refusal")
    text, finish = _text(message.get("content")), str(choice.get("finish_reason") or "stop")
    if (isinstance(refused, str) and refused.strip()) or finish == "content_filter":
        text, finish = text or _text(refused), "refusal"
    elif not text.strip():
        raise _empty(model, finish, request)
    named = body.get("model")
    reply = _counted(body.get("usage"), request, text, seconds, finish, _text(named) or model)
    return replace(reply, first=_first_token(choice.get("logprobs"))) if request.alternatives else reply


def _counted(usage: object, request: ChatRequest, text: str, seconds: float, finish: str, model: str) -> ChatReply:
    """A reply with the tokens that the endpoint counted, or estimates of them."""
    counts = usage if isinstance(usage, Mapping) else {}
    asked, answered = _count(counts.get("prompt_tokens")), _count(counts.get("completion_tokens"))
    return ChatReply(
        text=text,
        prompt_tokens=tokens_in(request.system) + tokens_in(request.user) if asked is None else asked,
        completion_tokens=tokens_in(text) if answered is None else answered,
        seconds=seconds,
        finish=finish,
        model=model,
        estimated=asked is None or answered is None,
    )


def _first_token(logprobs: object) -> dict[str, float]:
    """Probabilities of the first token's candidates; those that spell the same are added up."""
    tokens = logprobs.get("content") if isinstance(logprobs, dict) else None
    first = tokens[0] if isinstance(tokens, list) and tokens else None
    candidates = first.get("top_logprobs") if isinstance(first, dict) else None
    found: dict[str, float] = {}
    for candidate in candidates if isinstance(candidates, list) else ():
        token, logarithm = (
            (candidate.get("token"), candidate.get("logprob")) if isinstance(candidate, dict) else (None, None)
        )
        if isinstance(token, str) and isinstance(logarithm, (int, float)) and _LEAST_LOGARITHM <= logarithm <= 0:
            found[token] = found.get(token, 0.0) + math.exp(logarithm)
    return found


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_TOKENS else None


def _text(content: object) -> str:
    """The text of a message, which may come in parts."""
    if isinstance(content, str):
        return _whole(content)
    if not isinstance(content, list):
        return ""
    parts = [part.get("text") for part in content if isinstance(part, dict)]
    return _whole("".join(part for part in parts if isinstance(part, str)))


def _empty(model: str, finish: str, request: ChatRequest) -> ChatReplyError:
    if finish == "length":
        return ChatReplyError(
            f"The chat model {model!r} spent its {request.max_tokens} tokens before it wrote a reply.",
            "Switch its reasoning off, or use a model that answers at once.",
        )
    return ChatReplyError(
        f"The reply of the chat model {model!r} is empty (it stopped for {finish!r}).", "Try another model."
    )


def _no_completion(model: str, what: str) -> ChatReplyError:
    return ChatReplyError(
        f"What was sent in place of a reply of the chat model {model!r} {what}.",
        "See that GOALMEM_CHAT_URL is the base address of an OpenAI-compatible endpoint; most end in /v1.",
    )


def _is_strict(schema: Any) -> bool:
    """True when a schema is of the kind that OpenAI can hold a model to: closed objects whose members are all required."""
    if isinstance(schema, Mapping):
        properties = schema.get("properties")
        if schema.get("type") == "object" or isinstance(properties, Mapping):
            named = set(properties) if isinstance(properties, Mapping) else set()
            if schema.get("additionalProperties") is not False or set(schema.get("required", ())) != named:
                return False
        return "default" not in schema and all(_is_strict(inner) for inner in schema.values())
    return all(_is_strict(inner) for inner in schema) if isinstance(schema, (list, tuple)) else True


def _whole(text: str) -> str:
    """The text with lone surrogates replaced by U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _line(value: object) -> str:
    """A message of an endpoint as one line."""
    return "" if value is None else _whole(" ".join(str(value).split()))

"""Replies of a chat model as Pydantic models, their JSON schemas, and how they are parsed.

A reply is a proposal: parsing checks only its form. Its content is checked against the goal and the memory.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from copy import deepcopy
from functools import cache
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from goalmem.logic.terms import Relation

MOST_CHARACTERS = 40_000
"""Longer replies are rejected: the longest correct ones have some thousand characters."""
MOST_ITEMS = 64
"""Bindings, queries etc. taken from one reply; the rest is dropped."""
MOST_WORDS = 2_000
"""Characters taken from one text in a reply."""
MOST_READINGS, MOST_STATEMENTS, MOST_QUERIES, MOST_BINDINGS = 4, 6, 4, 8
"""Limits in the schemas, which stop a small model that begins to repeat itself. Longer replies are still accepted."""


class RejectedError(ValueError):
    """A reply cannot be used; the message tells the model why."""


def _text(value: Any) -> Any:
    """Small models write numbers where words are asked for, and null for nothing."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) if isinstance(value, int | float) else value[:MOST_WORDS] if isinstance(value, str) else value


def _number(value: Any) -> Any:
    """`[4]`, `"4."` and `fact 4` are 4."""
    found = re.search(r"\d{1,6}", value) if isinstance(value, str) else None
    return int(found.group()) if found else value


def _several(value: Any) -> Any:
    """One thing is a list of one; null is an empty list."""
    if value is None or value == "":
        return []
    return value[:MOST_ITEMS] if isinstance(value, list) else [value]


def _values(value: Any) -> Any:
    """`{"x": "tea"}` is `[{"variable": "x", "value": "tea"}]`."""
    if isinstance(value, Mapping) and "variable" not in value:
        return [{"variable": k, "value": v} for k, v in value.items()]
    return _several(value)


def _at_most(items: int) -> Any:
    """A limit in the schema for which no reply is rejected."""
    return Field(json_schema_extra={"maxItems": items})


def _lower(value: Any) -> Any:
    value = _text(value)
    return value.strip().casefold() if isinstance(value, str) else value


Words = Annotated[str, BeforeValidator(_text)]
Number = Annotated[int, BeforeValidator(_number)]
Listed = BeforeValidator(_several)


class _Reply(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class ReadingReply(_Reply):
    """One way to split a question."""

    subgoals: Annotated[list[Words], Listed, _at_most(MOST_STATEMENTS)]
    answer: Words = ""
    kind: Words = "one"
    order: Words = ""


def _readings(value: Any) -> Any:
    return [value] if isinstance(value, Mapping) else value[:MOST_ITEMS] if isinstance(value, list) else value


class DecomposeReply(_Reply):
    """Alternative goals of a question, and possible statements that answer it, used only for searching."""

    alternatives: Annotated[list[ReadingReply], BeforeValidator(_readings), _at_most(MOST_READINGS)] = Field(
        min_length=1
    )
    queries: Annotated[list[Words], Listed, _at_most(MOST_QUERIES)] = []


class ValueReply(_Reply):
    """The value of a variable."""

    variable: Words
    value: Words


class BindingReply(_Reply):
    """A fact that says a subgoal."""

    subgoal: Number
    fact: Number
    says: Annotated[Literal["yes", "no"], BeforeValidator(_lower)] = "yes"
    values: Annotated[list[ValueReply], BeforeValidator(_values)] = []


class UnifyReply(_Reply):
    """Everything that the facts say about all subgoals."""

    bindings: Annotated[list[BindingReply], Listed, _at_most(MOST_BINDINGS)]
    conflicts: Annotated[list[Number], Listed] = []
    unresolved: Annotated[list[Number], Listed] = []


class RefineReply(_Reply):
    """What would make a subgoal checkable, or why nothing would."""

    status: Annotated[Literal["refine", "stop"], BeforeValidator(_lower)]
    reason: Words = ""
    antecedents: Annotated[list[Words], Listed] = []
    relation: Annotated[Relation, BeforeValidator(_lower)] = Relation.SEMANTIC
    queries: Annotated[list[Words], Listed] = []
    rule: Words = ""


class AnswerReply(_Reply):
    """The wording of a proved answer."""

    short: Words
    full: Words = ""


class FactsReply(_Reply):
    """An answer read out of facts without a goal."""

    facts: Annotated[list[Number], Listed] = []
    values: Annotated[list[Words], Listed]


R = TypeVar("R", bound=_Reply)


@cache
def schema_of(reply: type[_Reply]) -> Mapping[str, Any]:
    """The JSON schema of a reply: without references, all fields required and no others allowed, as strict endpoints demand."""
    schema = reply.model_json_schema()
    return dict(_closed(schema, schema.get("$defs", {})))


def schema_for(variables: Iterable[str], *, deniable: bool) -> Mapping[str, Any]:
    """The schema of `UnifyReply` for subgoals with these variables: values are given by variable name, which takes half the tokens. Whether
    a fact says or denies is included only if the subgoals are `deniable`.
    """
    schema = deepcopy(dict(schema_of(UnifyReply)))
    row = schema["properties"]["bindings"]["items"]
    text = {"type": "string"}
    names = list(dict.fromkeys(variables))
    row["properties"]["values"] = {
        "type": "object",
        "properties": dict.fromkeys(names, text),
        "required": names,
        "additionalProperties": False,
    }
    if not deniable:
        del row["properties"]["says"]
    row["required"] = list(row["properties"])
    return schema


def _closed(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        return _closed(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    dropped = ("$defs", "title", "default", "description", "minItems")
    out = {k: deepcopy(v) for k, v in schema.items() if k not in dropped}
    if "properties" in schema:
        out["properties"] = {name: _closed(inner, definitions) for name, inner in schema["properties"].items()}
        out["required"] = list(schema["properties"])
        out["additionalProperties"] = False
    if "items" in schema:
        out["items"] = _closed(schema["items"], definitions)
    return out


def read_reply(reply: type[R], text: str) -> R:
    """Parse a reply; repair it if it is cut off, fenced or followed by other text. Raises RejectedError."""
    if len(text) > MOST_CHARACTERS:
        raise RejectedError("the reply is far too long")
    if not text.strip():
        raise RejectedError("the reply is empty")
    first = "no JSON object was found"
    for value in _json_in(text):
        try:
            return reply.model_validate(_wrapped(reply, value))
        except ValidationError as error:
            problem = error.errors(include_url=False, include_input=False, include_context=False)[0]
            where = ".".join(map(str, problem["loc"])) or "the top level"
            first = f"at {where}: {problem['msg']}"
    raise RejectedError(f"the reply is not the JSON that was asked for ({first})")


def _wrapped(reply: type[_Reply], value: Any) -> Any:
    """Put a single reading, or bare bindings, into the object that should contain them."""
    if reply is DecomposeReply and isinstance(value, Mapping) and "subgoals" in value:
        return {"alternatives": [value]}
    if (
        reply is UnifyReply
        and isinstance(value, list)
        and value
        and isinstance(value[0], Mapping)
        and "fact" in value[0]
    ):
        return {"bindings": value}
    return value


def _json_in(text: str) -> list[Any]:
    """JSON candidates in a text: the text itself, its last fenced block, and what a repair makes of it."""
    text = re.sub(r"<think>.*?(?:</think>|\Z)", "", text, flags=re.DOTALL).strip()
    fenced = re.findall(r"```(?:json)?\s*(.*?)(?:```|\Z)", text, flags=re.DOTALL | re.IGNORECASE)
    tried = [text, *reversed(fenced), text[text.find("{") :] if "{" in text else ""]
    found = []
    for candidate in filter(None, tried):
        try:
            found.append(json.JSONDecoder().raw_decode(candidate.strip())[0])
        except (ValueError, RecursionError):
            continue
    return found or _repaired(tried[-1])


def _repaired(text: str) -> list[Any]:
    """Repair a broken object with `json_repair`, if it is installed (the extra `chat`)."""
    if not text:
        return []
    try:
        from json_repair import repair_json
    except ImportError:
        return []
    try:
        value = json.loads(repair_json(text))
    except (ValueError, RecursionError):
        return []
    return [value] if value else []

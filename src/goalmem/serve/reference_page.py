"""The page at `/docs`: every call, out of the OpenAPI document, as plain HTML; no scripts, and nothing from other hosts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import Any

HEAD = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>goalmem: the calls</title>'
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
    '<link rel="icon" href="/assets/icon.svg"><link rel="stylesheet" href="/assets/calls.css"></head><body><main>'
)
JSON = "application/json"


def reference_page(document: Mapping[str, Any]) -> str:
    """The HTML of an OpenAPI document, calls by their tag."""
    reference = Reference(document)
    by_tag: dict[str, list[str]] = {}
    for path, calls in document["paths"].items():
        for method, call in calls.items():
            by_tag.setdefault((call.get("tags") or ["other"])[0], []).append(reference.call(method, path, call))
    about = document["info"]
    intro = (
        f"<h1>{escape(about['title'])} {escape(about['version'])}</h1><p>{escape(about.get('description', ''))}</p>"
        '<p>The same for programs: <a href="/openapi.json">openapi.json</a>. Errors are <code>application/problem+json</code> with a'
        " <code>remedy</code>.</p>"
    )
    sections = (f"<h2>{escape(tag.capitalize())}</h2>{''.join(calls)}" for tag, calls in by_tag.items())
    return f"{HEAD}{intro}{''.join(sections)}</main></body></html>"


class Reference:
    """Parts of the page, with the schemas that they refer to."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._schemas: Mapping[str, Any] = document.get("components", {}).get("schemas", {})

    def call(self, method: str, path: str, call: Mapping[str, Any]) -> str:
        """One call, closed until it is clicked at."""
        said = call.get("description", "")
        named = f"<b>{method.upper()}</b> <code>{escape(path)}</code>"
        parts = [f"<details><summary>{named} <span>{escape(said.split('. ')[0])}</span></summary><p>{escape(said)}</p>"]
        rows = [
            (
                f"{p['name']}{'' if p.get('required') else '?'}",
                p["in"],
                self._type(p["schema"]),
                p.get("description", ""),
            )
            for p in call.get("parameters", ())
        ]
        parts.append(_table("Parameters", rows))
        for media, content in call.get("requestBody", {}).get("content", {}).items():
            parts.append(self._fields(f"Body, {media}", content.get("schema", {})))
            if media == JSON:
                parts.append(_example(method, path, self._resolved(content["schema"])))
        for status, response in call["responses"].items():
            for media, content in response.get("content", {}).items():
                if status.startswith("2"):
                    parts.append(self._fields(f"Answer {status}, {media}", content.get("schema", {})))
        return f"{''.join(parts)}</details>"

    def _fields(self, title: str, schema: Mapping[str, Any]) -> str:
        return "".join(
            _table(
                f"{title}: {self._type(one)}",
                [
                    (
                        f"{name}{'' if name in held.get('required', ()) else '?'}",
                        self._type(of),
                        of.get("description", ""),
                    )
                    for name, of in held.get("properties", {}).items()
                ],
                empty=True,
            )
            for one in schema.get("anyOf", [schema])
            for held in [self._resolved(one)]
        )

    def _resolved(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        name = str(schema.get("$ref", "")).rpartition("/")[2]
        held: Mapping[str, Any] = self._schemas.get(name, schema)
        return held

    def _type(self, schema: Mapping[str, Any]) -> str:
        if "$ref" in schema:
            return str(schema["$ref"]).rpartition("/")[2]
        if "anyOf" in schema:
            return " | ".join(self._type(one) for one in schema["anyOf"])
        if "enum" in schema:
            return " | ".join(json.dumps(one) for one in schema["enum"])
        kind = str(schema.get("type", "any"))
        return f"[{self._type(schema.get('items', {}))}]" if kind == "array" else kind


def _table(title: str, rows: Iterable[tuple[str, ...]], *, empty: bool = False) -> str:
    cells = "".join(f"<tr>{''.join(_cells(row))}</tr>" for row in rows)
    return f"<h3>{escape(title)}</h3><table>{cells}</table>" if cells or empty else ""


def _cells(row: tuple[str, ...]) -> Iterator[str]:
    first, *middle, last = row
    yield f"<th><code>{escape(first)}</code></th>"
    yield from (f"<td><code>{escape(cell)}</code></td>" for cell in middle)
    yield f"<td>{escape(last)}</td>"


def _example(method: str, path: str, schema: Mapping[str, Any]) -> str:
    """A request with the examples of its fields, to paste into a shell."""
    fields = schema.get("properties", {}).items()
    body = {name: of["examples"][0] for name, of in fields if of.get("examples")}
    said = json.dumps(body, ensure_ascii=False).replace("'", "'\\''")
    command = f"curl -X {method.upper()} 'http://127.0.0.1:8765{path}' -H 'Content-Type: {JSON}' -d '{said}'"
    return f"<pre>{escape(command)}</pre>" if body else ""

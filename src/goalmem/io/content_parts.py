"""The parts of a message's content, as OpenAI, Anthropic and LangChain write them: text, pictures, calls of tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from goalmem.errors import InputError

__all__ = ["CAPTION_KEYS", "NOT_SAID", "Content", "content_in", "only_tools"]

TEXT_KEYS = ("text", "refusal")
CAPTION_KEYS = ("caption", "blip_caption", "alt", "alt_text")
"""What says in words what a picture shows."""
NOT_SAID = frozenset(
    "tool_use tool_call tool_calls tool_result function_call function_call_output server_tool_use web_search_tool_result "
    "mcp_tool_use mcp_tool_result code_execution_tool_result thinking redacted_thinking reasoning reasoning_content non_standard".split()
)
"""Types of parts that nobody says: calls of tools with their results, and what a model thinks to itself. Left out, as messages are
that only call tools."""
PICTURES = frozenset({"image_url", "input_image", "image"})
LONGEST_PICTURE = 30_000_000
"""Characters of a picture that stands in its address; 20 MB."""


@dataclass(frozen=True, slots=True)
class Content:
    """What the parts of a message say and show."""

    text: str
    captions: tuple[str, ...] = ()
    pictures: tuple[str, ...] = ()
    """Addresses (`https:`, `data:`) of pictures without a caption."""
    other: str = ""
    """The type of the first part that is neither text nor a picture with an address; empty where there is none."""


def content_in(parts: Sequence[object], where: str) -> Content:
    """The parts of a message; texts are joined by line breaks. Raises InputError for what is no part."""
    texts: list[str] = []
    captions: list[str] = []
    pictures: list[str] = []
    other = ""
    for part in parts:
        if isinstance(part, str):
            texts.append(part)
        elif not isinstance(part, Mapping):
            raise InputError(f"{where} has a content part that is neither text nor typed.", "See OpenAI's format.")
        elif (said := _first(part, TEXT_KEYS)) is not None:
            texts.append(said)
        elif (shown := _first(part, CAPTION_KEYS)) is not None:
            captions.append(shown)
        elif "type" not in part:
            raise InputError(f"{where} has a content part that is neither text nor typed.", "See OpenAI's format.")
        elif part["type"] not in NOT_SAID:
            address = _address(part) if part["type"] in PICTURES else ""
            pictures += [address] if address else []
            other = other or ("" if address else str(part["type"]))
    return Content("\n".join(texts), tuple(captions), tuple(pictures), other)


def only_tools(content: object) -> bool:
    """Whether content has parts, and nobody says any of them."""
    return (
        isinstance(content, list)
        and bool(content)
        and all(isinstance(part, Mapping) and part.get("type") in NOT_SAID and "text" not in part for part in content)
    )


def _first(part: Mapping[str, Any], keys: Sequence[str]) -> str | None:
    return next((part[key] for key in keys if isinstance(part.get(key), str)), None)


def _address(part: Mapping[str, Any]) -> str:
    """Where a picture is, or the picture itself as a `data:` address; empty where the part has neither."""
    held = next((part[key] for key in ("image_url", "source", "url") if part.get(key)), part)
    if isinstance(held, Mapping):
        data = next((held[key] for key in ("data", "base64") if isinstance(held.get(key), str)), None)
        kind = next((held[key] for key in ("media_type", "mime_type") if isinstance(held.get(key), str)), "image/png")
        held = f"data:{kind};base64,{data}" if data else held.get("url")
    known = isinstance(held, str) and held.startswith(("https://", "http://", "data:image/"))
    return str(held) if known and len(str(held)) <= LONGEST_PICTURE else ""

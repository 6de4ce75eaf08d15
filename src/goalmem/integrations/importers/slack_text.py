"""Slack's markup as plain text: mentions, channels, links, dates and escaped characters (docs: "Formatting text for app
surfaces"), and text out of blocks, where a message has no other.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

__all__ = ["block_text", "plain_text"]

TOKEN = re.compile(r"<([^<>\s][^<>]*)>")
LINE_ENDS = ("rich_text_section", "rich_text_preformatted", "rich_text_quote")


def plain_text(text: str, name_of: Callable[[str], str], channel_of: Callable[[str], str]) -> str:
    """The text as people see it; users and channels are named by what the callables give for their ids."""

    def shown(found: re.Match[str]) -> str:
        target, _, label = found[1].partition("|")
        if target.startswith("@"):
            return f"@{label or name_of(target[1:])}"
        if target.startswith("#"):
            return f"#{label or channel_of(target[1:])}"
        if target.startswith("!"):
            return _special(target, label)
        address = target.removeprefix("mailto:").removeprefix("tel:")
        return address if not label or label == address else f"{label} ({address})"

    return html.unescape(TOKEN.sub(shown, text)).strip()


def _special(target: str, label: str) -> str:
    """`<!here>`, `<!subteam^S1|@team>`, `<!date^1392734382^{date}|18 February>`."""
    if target.startswith("!date^"):
        return label or target
    name = label or target[1:].partition("^")[0]
    return name if name.startswith("@") else f"@{name}"


def block_text(blocks: object, depth: int = 8) -> str:
    """The text of rich blocks, in Slack's markup again so that ids become names in one place."""
    return "".join(_texts(blocks, depth)).strip()


def _texts(node: object, depth: int) -> Iterator[str]:
    """Blocks nest: a list in a quote in a message. Deeper than people write them, nothing is looked for."""
    if depth == 0:
        return
    if isinstance(node, list):
        for inner in node:
            yield from _texts(inner, depth - 1)
    elif isinstance(node, Mapping):
        kind = node.get("type")
        if (own := _element(kind, node)) is not None:
            yield own
            return
        yield from _texts(node.get("text"), depth - 1)
        yield from _texts(node.get("elements"), depth - 1)
        yield from _texts(node.get("fields"), depth - 1)
        if kind in LINE_ENDS or kind in ("section", "header", "mrkdwn", "plain_text"):
            yield "\n"


def _element(kind: object, node: Mapping[str, Any]) -> str | None:
    """The smallest parts of a block; None for what holds others."""
    if kind in ("text", "mrkdwn", "plain_text") and isinstance(node.get("text"), str):
        return str(node["text"])
    if kind == "link":
        return f"<{node.get('url', '')}|{node.get('text', '')}>" if node.get("text") else f"<{node.get('url', '')}>"
    if kind == "user":
        return f"<@{node.get('user_id', '')}>"
    if kind == "channel":
        return f"<#{node.get('channel_id', '')}>"
    if kind == "broadcast":
        return f"<!{node.get('range', '')}>"
    if kind == "emoji":
        return f":{node.get('name', '')}:"
    return None

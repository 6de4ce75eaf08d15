"""The keys of a message: those that mean something here, those that chat clients add, and misspelt ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from goalmem.errors import InputError, shown

NOTED_KEYS = ("metadata", "tags", "ttl", "expires_at")
"""What is noted about a message, and how long it stays."""
KEYS = ("role", "content", "name", "id", "at", "caption", *NOTED_KEYS)
CLIENT_KEYS = frozenset(
    "tool_calls tool_call_id tool_name function_call refusal audio annotations parsed type status phase cache_control "
    "reasoning reasoning_content reasoning_details thinking thinking_blocks provider_specific_fields citations "
    "model stop_reason stop_sequence stop_details usage container prefix weight".split()
)
"""Keys of messages as OpenAI, Anthropic, Ollama, LiteLLM and OpenRouter write them. They hold nothing to remember."""
CLOSE = 0.8
"""How like a known key (`difflib`'s ratio) a key of a file is that is taken for a misspelling: as `tag`, `metdata`, `expiresAt`."""


def refuse_unknown_keys(raw: Mapping[str, Any], where: str) -> None:
    """Raises InputError for a key that no message has, with the nearest that one has."""
    for key, value in raw.items():
        if key not in KEYS and key not in CLIENT_KEYS and value is not None:
            near = nearest(key, KEYS, 0.6)
            meant = f" Did you mean {near!r}?" if near else ""
            raise InputError(
                f"{where} has the unknown key {shown(key)}.{meant}",
                f"Use {', '.join(KEYS)}; put anything else into the metadata.",
            )


def misspelt_key(raw: Mapping[str, Any]) -> tuple[str, str] | None:
    """The first key that is nearly one of NOTED_KEYS, and that one. Files of other programs have keys of their own."""
    unlike = (key for key in raw if key not in NOTED_KEYS)
    return next(((str(key), near) for key in unlike if (near := nearest(key, NOTED_KEYS, CLOSE))), None)


def nearest(given: object, known: Iterable[str], close: float) -> str | None:
    """The known name most like what was given, whatever its case and underscores; None where none is."""
    plain = {name.replace("_", ""): name for name in known}
    found = get_close_matches(str(given).lower().replace("_", "").replace("-", ""), plain, 1, close)
    return plain[found[0]] if found else None

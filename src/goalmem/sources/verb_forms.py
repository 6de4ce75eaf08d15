"""The forms of a verb (lemminflect)."""

from __future__ import annotations

from functools import lru_cache

__all__ = ["forms_of"]


@lru_cache(4096)
def forms_of(verb: str) -> frozenset[str]:
    """All forms of a verb, contracted ones of be and have included."""
    from lemminflect import getAllInflections

    forms = {f for group in getAllInflections(verb).values() for f in group}
    contracted = {"be": {"m", "s", "re"}, "have": {"ve", "s", "d"}}.get(verb, set())
    return frozenset({verb, *forms, *contracted})

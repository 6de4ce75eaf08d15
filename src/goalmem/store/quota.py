"""How much a space may hold, checked while nobody else can write to it."""

from __future__ import annotations

from collections.abc import Iterable

from goalmem.errors import StoreFullError
from goalmem.store.protocol import Quota
from goalmem.store.tables import Tables

__all__ = ["held_bytes", "require_room"]


def require_room(tables: Tables, quota: Quota, texts: Iterable[tuple[str, ...]], *, turns: int) -> None:
    """Raises StoreFullError where the space, which is held, may not hold these texts and so many more turns besides."""
    if quota.turns and turns:
        count = int(tables.rows("SELECT count(*) FROM turn WHERE space = :space")[0][0]) + turns
        _require(tables.name, count, quota.turns, "turns", "GOALMEM_SPACE_TURNS")
    if quota.bytes:
        size = sum(len(text.encode("utf-8", "surrogatepass")) for of_turn in texts for text in of_turn)
        _require(tables.name, held_bytes(tables) + size, quota.bytes, "bytes", "GOALMEM_SPACE_BYTES")


def _require(space: str, wanted: int, most: int, what: str, setting: str) -> None:
    if wanted > most:
        raise StoreFullError(
            f"The space {space!r} would hold {wanted:,} {what}; it may hold {most:,}.",
            f"Nothing was stored. Forget something of it, or raise {setting}.",
        )


def held_bytes(tables: Tables) -> int:
    """Bytes of the text, captions and metadata of a space's turns, and of their earlier versions."""
    size = tables.dialect.size.format
    found = tables.rows(
        f"SELECT (SELECT coalesce(sum({size('text')} + {size('caption')} + {size('metadata')}), 0)"
        " FROM turn WHERE space = :space)"
        f" + (SELECT coalesce(sum({size('text')} + {size('metadata')}), 0) FROM version WHERE space = :space)"
    )
    return int(found[0][0])

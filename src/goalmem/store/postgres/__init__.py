"""The store in a PostgreSQL database (docs/postgres.md). Needs the extra `postgres`."""

from __future__ import annotations

from goalmem.store.postgres.store import PostgresStore

__all__ = ["PostgresStore"]

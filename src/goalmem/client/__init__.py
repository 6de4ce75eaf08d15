"""`Memory` and `AsyncMemory` of a server, over HTTP (the extra `client`)."""

from __future__ import annotations

from goalmem.client.asynchronous import AsyncClient
from goalmem.client.synchronous import Client

__all__ = ["AsyncClient", "Client"]

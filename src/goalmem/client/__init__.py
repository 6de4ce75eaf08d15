"""`Memory` and `AsyncMemory` of a server, over HTTP (the extra `client`)."""

from goalmem.client.client import AsyncClient, Client

__all__ = ["AsyncClient", "Client"]

"""`Memory` and `AsyncMemory` of a server, over HTTP (the extra `client`)."""

from goalmem.client.async_client import AsyncClient
from goalmem.client.client import Client

__all__ = ["AsyncClient", "Client"]

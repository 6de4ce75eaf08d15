"""A server for tests: in this process, on a free port of loopback, over a memory of one's own."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import uvicorn

from goalmem.memory import Memory
from goalmem.serve.app import create_app
from goalmem.serve.ledger import Ledger, open_ledger
from goalmem.serve.service import Service
from goalmem.store.location import MEMORY

__all__ = ["served"]

PAUSE = 0.01
"""Seconds between looks at whether the server has started."""


@contextmanager
def served(memory: Memory, *, ledger: Ledger | None = None) -> Iterator[str]:
    """Serve a memory over HTTP while the block runs; gives the server's address.

    `ledger`: with keys of one's own; otherwise no key is needed, and what the server keeps beside the store goes with it.
    """
    kept = ledger or open_ledger(MEMORY, "")
    settings = replace(memory.settings, serve_host="127.0.0.1")
    app = create_app(Service(memory, kept, settings))
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False, ws="none", lifespan="on"))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, name="goalmem-served")
        thread.start()
        try:
            while not server.started and thread.is_alive():
                time.sleep(PAUSE)
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()
            if ledger is None:
                kept.close()

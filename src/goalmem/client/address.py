"""Which server is called, with which key, and how patiently."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from goalmem.errors import InputError, ServiceError

__all__ = ["ATTEMPTS", "CONNECT", "SECONDS", "Server", "require_packages", "server_at"]

SECONDS = 150.0
"""What a call may take with all that is tried again: a little more than a server gives one request by default."""
ATTEMPTS = 4
"""How often what is safe to repeat is sent at most."""
CONNECT = 10.0
"""Seconds to reach a server, or to wait for one of the connections to it."""
STALLED = 45.0
"""Seconds without a byte after which a stream counts as broken; a server sends a sign of life every ten."""
_PACKAGES = ("httpx2", "stamina")
_REMEDY = "Give the server's base address, as http://127.0.0.1:8765."


@dataclass(frozen=True, slots=True)
class Server:
    """Where calls go."""

    url: str
    """Base address, without a slash at its end."""
    key: str = field(default="", repr=False)
    """Secret: shown nowhere."""
    space: str | None = None
    """Of calls that name none; None: what the server takes for the key."""
    timeout: float = SECONDS
    attempts: int = ATTEMPTS

    @property
    def headers(self) -> dict[str, str]:
        """What every request says of the caller."""
        said = {"user-agent": "goalmem", "accept-encoding": "identity"}
        return said | ({"authorization": f"Bearer {self.key}"} if self.key else {})


def server_at(url: str, key: str, space: str | None, timeout: float, attempts: int) -> Server:
    """A server whose address, key and limits can be used. Raises InputError."""
    base = url.strip().rstrip("/")
    if "@" in base:
        raise InputError("The server's address holds a name or a password.", f"{_REMEDY} The key is given as `key`.")
    try:
        parts = urlsplit(base)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        usable = usable and not parts.query and not parts.fragment
    except ValueError:
        usable = False
    if not usable or any(character.isspace() or not character.isprintable() for character in base):
        raise InputError(f"The server's address {url!r} is none.", _REMEDY)
    secret = key.strip()
    if not secret.isascii() or not secret.isprintable():
        raise InputError("The key holds characters that no key has.", "Pass what `goalmem keys add` printed.")
    if timeout <= 0 or attempts < 1:
        raise InputError(
            f"With a timeout of {timeout} s and {attempts} attempts nothing is asked.", "Give both above zero."
        )
    return Server(base, secret, space, timeout, attempts)


def require_packages() -> None:
    """Raises ServiceError where the extra `client` is not installed."""
    missing = [name for name in _PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        raise ServiceError(f"A client needs {' and '.join(missing)}.", "Install goalmem[client].")

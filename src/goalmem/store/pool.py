"""SQLite connections for many threads, given up before a fork so that parent and child never share one.

An SQLite connection must not cross a fork: file locks belong to a process, so a child would write to a file that
the parent believes it can tidy up (sqlite.org/howtocorrupt.html, section 2.6).
"""

from __future__ import annotations

import os
import sqlite3
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from goalmem.errors import StoreClosedError

__all__ = ["Pool"]


class Pool:
    """Lends connections, each to one thread at a time; opens another when all are out."""

    def __init__(self, name: str, connect: Callable[[], sqlite3.Connection], *, single: bool = False) -> None:
        """`single` keeps exactly one connection for good, as a database in memory needs."""
        self._name = name
        self._connect = connect
        self._single = single
        self._idle: list[sqlite3.Connection] = [connect()]
        self._lent = 0
        self._line: deque[object] = deque()
        self._closed = False
        self._changed = threading.Condition(threading.RLock())
        with _forking:
            _pools.add(self)

    @contextmanager
    def lend(self) -> Iterator[sqlite3.Connection]:
        """A connection outside any transaction; whatever the borrower leaves open is rolled back."""
        connection = self._take()
        try:
            yield connection
        finally:
            self._give_back(connection)

    def close(self) -> None:
        """Close every connection once it comes back. May be called twice."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._lent == 0)
            self._close_idle()

    @property
    def closed(self) -> bool:
        """True after `close`."""
        return self._closed

    def before_fork(self) -> None:
        """Wait for borrowers, then hold the pool with nothing open until `after_fork`."""
        self._changed.acquire()
        self._changed.wait_for(lambda: self._lent == 0)
        if not self._single:
            self._close_idle()

    def after_fork(self) -> None:
        """Let borrowers in again, in the parent as in the child."""
        self._changed.release()

    def _take(self) -> sqlite3.Connection:
        with self._changed:
            if self._single:
                self._wait_in_line()
            if self._closed:
                raise StoreClosedError(f"The store {self._name} is closed.", "Open it again.")
            connection = self._idle.pop() if self._idle else self._connect()
            self._lent += 1
            return connection

    def _wait_in_line(self) -> None:
        ticket = object()
        self._line.append(ticket)
        try:
            self._changed.wait_for(lambda: self._closed or (self._lent == 0 and self._line[0] is ticket))
        finally:
            self._line.remove(ticket)

    def _give_back(self, connection: sqlite3.Connection) -> None:
        sound = _rolled_back(connection) or self._single
        with self._changed:
            self._lent -= 1
            if sound:
                self._idle.append(connection)
            else:
                connection.close()
            self._changed.notify_all()

    def _close_idle(self) -> None:
        while self._idle:
            self._idle.pop().close()


def _rolled_back(connection: sqlite3.Connection) -> bool:
    try:
        connection.rollback()
    except sqlite3.Error:
        return False
    return True


_pools: weakref.WeakSet[Pool] = weakref.WeakSet()
_forking = threading.Lock()
"""Held from before a fork until after it: one fork at a time, and no pool is made meanwhile."""
_held: list[Pool] = []


def _before_fork() -> None:
    _forking.acquire()
    for pool in list(_pools):
        pool.before_fork()
        _held.append(pool)


def _after_fork() -> None:
    while _held:
        _held.pop().after_fork()
    _forking.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)

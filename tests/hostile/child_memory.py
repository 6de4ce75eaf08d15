"""Live while SQLite's memory ends at some allocation, again and again; each time the store is opened again and compared.

python -m tests.hostile.child_memory SEED TIMES FOLDER
"""

from __future__ import annotations

import ctypes
import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import CFUNCTYPE, c_int, c_void_p
from functools import partial
from pathlib import Path

from .disk import sqlite_library
from .workload import lived, require_any_of

GET, SET = 5, 4
"""SQLITE_CONFIG_GETMALLOC and SQLITE_CONFIG_MALLOC (sqlite.org/c3ref/c_config_covering_index_scan.html)."""
_ALLOCATE, _AGAIN = CFUNCTYPE(c_void_p, c_int), CFUNCTYPE(c_void_p, c_void_p, c_int)


class _Methods(ctypes.Structure):
    """sqlite3_mem_methods."""

    _fields_ = (
        ("malloc", _ALLOCATE),
        ("free", c_void_p),
        ("realloc", _AGAIN),
        ("others", c_void_p * 5),
    )


class Allocations:
    """SQLite's allocations, of which those in a range fail."""

    def __init__(self) -> None:
        self.count, self.failing = 0, range(0)
        library = sqlite_library()
        library.sqlite3_config.argtypes = (c_int,)
        assert library.sqlite3_shutdown() == 0
        below, self.methods = _Methods(), _Methods()
        assert library.sqlite3_config(GET, ctypes.byref(below)) == 0
        ctypes.pointer(self.methods)[0] = below
        self.below = below
        self.methods.malloc = _ALLOCATE(lambda size: None if self.fails() else below.malloc(size))
        self.methods.realloc = _AGAIN(lambda at, size: None if self.fails() else below.realloc(at, size))
        assert library.sqlite3_config(SET, ctypes.byref(self.methods)) == 0
        assert library.sqlite3_initialize() == 0

    def fails(self) -> bool:
        self.count += 1
        return self.count in self.failing

    @contextmanager
    def ending(self, failing: range) -> Iterator[None]:
        """While it lasts, those in the range fail."""
        self.count, self.failing = 0, failing
        try:
            yield
        finally:
            self.failing = range(0)


def main(seed: str, times: str, folder: str) -> None:
    """Print how often memory ended."""
    chance, allocations, ended = random.Random(int(seed)), Allocations(), 0  # noqa: S311 - the same each time
    for number in range(int(times)):
        path = Path(folder) / f"{number}.db"
        first = round(10 ** chance.uniform(0, 4))
        failing = range(first, first + chance.choice((1, 3, 100)))
        found = lived(path, around=partial(allocations.ending, failing))
        ended += bool(found.errors)
        require_any_of(path, found.may)
    sys.stdout.write(f"{ended}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])

"""What a user would pick instead of goalmem, one module each, and goalmem itself, all behind one protocol.

A module names the packages that it needs in `PACKAGES`, says in `HOW` how the library is used, and opens a store with
`open_store`. Nothing here is imported before it is needed: each rival runs in a process of its own.
"""

from __future__ import annotations

import importlib
from importlib import metadata

from benchmarks.rivals.protocol import RivalModule

RIVALS = {
    "goalmem": "benchmarks.rivals.ours",
    "chroma": "benchmarks.rivals.chroma",
    "lancedb": "benchmarks.rivals.lance",
    "bm25s": "benchmarks.rivals.lexical",
    "mempalace": "benchmarks.rivals.palace",
    "mem0": "benchmarks.rivals.verbatim",
}
"""Name of a rival -> its module."""


def load(name: str) -> RivalModule:
    """The module of a rival. Does not import the library behind it."""
    module: RivalModule = importlib.import_module(RIVALS[name])
    return module


def missing_packages(name: str) -> list[str]:
    """Packages that a rival needs and that are not installed."""
    return [package for package in load(name).PACKAGES if _version(package) is None]


def versions(name: str) -> dict[str, str]:
    """Version of each package of a rival."""
    return {package: _version(package) or "missing" for package in load(name).PACKAGES}


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None

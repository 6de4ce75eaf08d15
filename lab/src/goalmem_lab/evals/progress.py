"""Finished work of a run that may be interrupted, one JSON object a line."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import goalmem
import goalmem_lab
from goalmem.errors import InputError

Tick: TypeAlias = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""

DEFAULT_FOLDER = Path(".goalmem") / "eval"


def ignore(what: str, done: int, total: int) -> None:
    """For callers that do not watch."""
    del what, done, total


def within(tick: Tick, part: str) -> Tick:
    """The same, with what is being done named behind `part`."""
    return lambda what, done, total: tick(f"{part} {what}", done, total)


def shown(path: Path) -> str:
    """A file of data as progress names it, with its folder."""
    return f"{path.parent.name}/{path.name}" if path.parent.name else path.name


@contextmanager
def resumable(name: str, parts: Iterable[str], data: Iterable[Path], folder: Path | None) -> Iterator[Finished]:
    """What of a run is finished; kept where it is stopped, forgotten when it is complete. Arguments and errors of `Finished`."""
    finished, complete = Finished(name, parts, data, folder), False
    try:
        yield finished
        complete = True
    finally:
        finished.close(complete=complete)


class Finished:
    """Results by key, kept in a file until all are there.

    The file's name holds a fingerprint of the data, of how it is measured and of this program, so that a run never goes on
    from another's results. A line that was cut short by a kill is left out and done again.
    """

    def __init__(self, name: str, parts: Iterable[str], data: Iterable[Path], folder: Path | None) -> None:
        """`parts` and the bytes of the files `data` make the fingerprint. Raises InputError when `folder` cannot be used."""
        mark = _fingerprint(parts, data)
        self._path = (folder or DEFAULT_FOLDER) / f"{name}-{mark}.jsonl"
        self._results: dict[str, Mapping[str, Any]] = {}
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._read()
            # A line that follows half a line must not be glued to it.
            self._file = self._path.open("a", encoding="utf-8")
            if self._results or self._path.stat().st_size:
                self._file.write("\n")
        except OSError as error:
            raise InputError(
                f"The folder {self._path.parent} cannot keep the state of a run: {error.strerror or error}.",
                "Name another one for `state`.",
            ) from None

    def _read(self) -> None:
        if not self._path.exists():
            return
        for line in self._path.read_text(encoding="utf-8", errors="replace").splitlines():
            try:
                entry = json.loads(line)
                self._results[entry["key"]] = entry["result"]
            except (ValueError, KeyError, TypeError):
                continue

    def get(self, key: str) -> Mapping[str, Any] | None:
        """The result of a key, when it is there."""
        return self._results.get(key)

    def keep(self, key: str, result: Mapping[str, Any]) -> None:
        """Keep a result; it is on its way to the disk when this returns."""
        self._results[key] = result
        self._file.write(json.dumps({"key": key, "result": result}) + "\n")
        self._file.flush()

    def close(self, *, complete: bool) -> None:
        """Close the file; remove it when all is done, since a later run should measure anew."""
        self._file.close()
        if complete:
            self._path.unlink(missing_ok=True)


def _fingerprint(parts: Iterable[str], data: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode() + b"\0")
    code = sorted(
        path for package in (goalmem, goalmem_lab) for path in Path(str(package.__file__)).parent.rglob("*.py")
    )
    for path in [*data, *code]:
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:16]

"""States of runs that train a network: kept so that a kill loses little, and given back only to a run with the same settings."""

from __future__ import annotations

import json
import os
import pickle
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from goalmem.errors import InputError

At = TypeVar("At")


@dataclass(frozen=True, slots=True)
class Watch(Generic[At]):
    """Whom a run tells how far it is."""

    step: Callable[[At], None]
    stage: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run is."""

    step: int
    steps: int
    epoch: int
    loss: float
    """Mean of the last steps."""
    seconds: float
    """Since this process began to train."""


def save_state(path: Path, held: Mapping[str, Any]) -> None:
    """Tensors and plain values, written beside and then put in place: a kill leaves the state before or this one."""
    import torch

    beside = path.with_name(f"{path.name}.{os.getpid()}")
    torch.save(dict(held), beside)
    os.replace(beside, path)


def load_state(path: Path, schedule: Mapping[str, Any], device: Any) -> dict[str, Any] | None:
    """The state of a run with this schedule; None where there is none. Raises InputError for another's, or a damaged one."""
    import torch

    if not path.exists():
        return None
    with readable(path):
        held: dict[str, Any] = torch.load(path, weights_only=True, map_location=device)
        found = held["schedule"]
    if found != dict(schedule):
        raise InputError(
            f"{path} belongs to a run with other settings: {found}.",
            "Repeat those settings to go on, or remove the file to begin anew.",
        )
    return held


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Within it, what goes wrong with a state that is put back is an InputError that names its file."""
    try:
        yield
    except (OSError, RuntimeError, KeyError, TypeError, ValueError, EOFError, pickle.UnpicklingError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"{path} cannot be read as the state of a run ({type(error).__name__}).", "Remove it to begin anew."
        ) from error


def require_same(folder: Path, config: Mapping[str, Any], path: Path) -> None:
    """Keep the settings of a run that begins in `path`. Raises InputError where those of another run are there already."""
    plain = json.loads(json.dumps(config))
    if not path.exists():
        write_json(path, plain)
        return
    with readable(path):
        found = dict(json.loads(path.read_text(encoding="utf-8")))
    if found != plain:
        differing = ", ".join(sorted(key for key in {*plain, *found} if found.get(key) != plain.get(key)))
        raise InputError(
            f"{folder} holds a run with other settings ({differing}).",
            "Repeat its settings to go on, or name another folder.",
        )


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Written beside and then put in place."""
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    beside.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")
    os.replace(beside, path)

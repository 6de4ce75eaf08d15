"""Packages that only some commands need."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from goalmem.errors import InputError, ModelError


def require_packages(*packages: str) -> None:
    """Raises ModelError for the first that is not installed."""
    for package in packages:
        if importlib.util.find_spec(package) is None:
            raise ModelError(
                f"Training needs the package {package!r}, which is not installed.",
                'Install it: pip install "goalmem-lab[train]".',
            )


def require_run(out: Path, config: str, made: str, checkpoint: Path | None, wanted: str, *, resume: bool) -> None:
    """What can be said before a network is trained. Raises InputError where `out` holds another run, or what one `made`, with its `config`.

    `wanted`: what `checkpoint` must be.
    """
    if checkpoint is not None and not checkpoint.is_dir():
        raise InputError(f"--from {checkpoint} is not a folder.", f"Name the folder of {wanted}.")
    begun = (out / "state").exists()
    if begun and not resume:
        raise InputError(f"{out} holds a run that was stopped.", "Go on with --resume, or name another folder.")
    if resume and not begun:
        raise InputError(f"{out} holds no run that was stopped.", "Leave --resume out.")
    if (out / config).exists() and not begun:
        raise InputError(f"{out} holds {made}.", "Name another folder.")

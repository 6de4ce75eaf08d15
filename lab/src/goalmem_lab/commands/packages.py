"""Packages that only some commands need."""

from __future__ import annotations

import importlib.util

from goalmem.errors import ModelError

__all__ = ["require_packages"]


def require_packages(*packages: str) -> None:
    """Raises ModelError for the first that is not installed."""
    for package in packages:
        if importlib.util.find_spec(package) is None:
            raise ModelError(
                f"Training needs the package {package!r}, which is not installed.",
                'Install it: pip install "goalmem-lab[train]".',
            )

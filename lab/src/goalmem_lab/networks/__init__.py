"""Trained networks that come with the laboratory."""

from __future__ import annotations

from pathlib import Path


def evr1() -> Path:
    """The folder of EVR's networks (EVR1, trained to depth 1), which its README.md describes."""
    return Path(__file__).parent / "evr1"

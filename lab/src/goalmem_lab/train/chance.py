"""Chance that a seed fixes."""

from __future__ import annotations

import random


def chance(seed: int) -> random.Random:
    """A generator that draws the same for the same seed."""
    return random.Random(seed)  # noqa: S311 - sampling, no secret

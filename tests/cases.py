"""Which of many cases of the same kind `make test` tries; `make test-slow` tries them all."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import settings

THOROUGH = 500
"""Examples of the profile that `make test-slow` loads."""


def one_in(every: int, cases: Iterable[Any]) -> list[Any]:
    """All the cases; but for one in so many, the first among them, they are thorough."""
    return [_case(case, thorough=number % every > 0) for number, case in enumerate(cases)]


def _case(case: Any, *, thorough: bool) -> Any:
    if not isinstance(case, type(pytest.param())):
        case = pytest.param(*case) if isinstance(case, tuple) else pytest.param(case)
    return case._replace(marks=[*case.marks, pytest.mark.thorough]) if thorough else case


def examples(few: int, many: int) -> settings:
    """So many generated examples: few for `make test`, many for `make test-slow`."""
    return settings(max_examples=few if settings().max_examples < THOROUGH else many)

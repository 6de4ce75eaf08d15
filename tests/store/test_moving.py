"""A store moves to another file."""

from __future__ import annotations

from pathlib import Path

import pytest

from goalmem.errors import ConflictError, InputError
from goalmem.store.transfer import move

from .moves import Moves, fill


class TestFileToFile(Moves):
    @pytest.fixture
    def source(self, tmp_path: Path) -> str:
        return str(tmp_path / "old.goalmem")

    @pytest.fixture
    def target(self, tmp_path: Path) -> str:
        return str(tmp_path / "new.goalmem")


def test_a_store_in_memory_or_the_same_place_is_refused(tmp_path: Path) -> None:
    fill(str(tmp_path / "a"))
    with pytest.raises(InputError):
        move(str(tmp_path / "a"), ":memory:")
    with pytest.raises(ConflictError):
        move(str(tmp_path / "a"), f"sqlite:///{tmp_path / 'a'}")

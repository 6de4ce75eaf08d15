"""A disk that fails, power that is lost, memory that ends: what was acknowledged stays, and of a call everything is there or nothing."""

from __future__ import annotations

import random
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import examples

from ..store.children import ENVIRONMENT
from .disk import Disk, Fault, after_power_loss, sqlite_library
from .workload import Lived, lived, require_any_of

ROOT = Path(__file__).parents[2]
OPERATIONS = {"read": 400, "write": 1160, "sync": 46, "truncate": 4, "delete": 2, "create": 2}
"""How many of each kind the life of the tests has, about."""


@st.composite
def faults(draw: st.DrawFn) -> Fault:
    kind = draw(st.sampled_from(sorted(OPERATIONS)))
    kinds = draw(st.frozensets(st.sampled_from(sorted(OPERATIONS)), max_size=2)) | {kind}
    return Fault(draw(st.integers(0, OPERATIONS[kind])), kinds, draw(st.booleans()), draw(st.booleans()))


def after(disk: Disk, fault: Fault | None) -> Lived:
    """What a life on this disk came to."""
    with disk.mounted():
        disk.fail(fault)
        return lived(disk.folder / "memory.db", clock=lambda: len(disk.done))


def test_the_disk_of_these_tests_is_used(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    assert after(disk, None).errors == []
    done = [one.what for one in disk.done]
    assert all(done.count(kind) >= OPERATIONS[kind] // 2 for kind in OPERATIONS if kind != "read")
    everything = after_power_loss(disk.done, random.Random(0))  # noqa: S311
    assert everything["memory.db"] == (tmp_path / "memory.db").read_bytes()


@examples(15, 500)
@given(faults())
def test_whatever_operation_of_the_disk_fails_no_call_is_lost_or_done_in_part(
    tmp_path_factory: pytest.TempPathFactory, fault: Fault
) -> None:
    disk = Disk(tmp_path_factory.mktemp("failing"))
    found = after(disk, fault)
    assert all(error.remedy for error in found.errors)
    disk.fail(None)
    with disk.mounted():
        require_any_of(disk.folder / "memory.db", found.may)


def require_what_was_acknowledged(disk: Disk, found: Lived, moment: int, seed: int, folder: Path) -> None:
    """Lose power at a moment; the store that is left holds what was acknowledged before."""
    path = folder / "memory.db"
    path.touch()  # it is made before SQLite opens it
    left = after_power_loss(disk.done[:moment], random.Random(seed))  # noqa: S311 - the same each time
    for name, content in left.items():
        (folder / name).write_bytes(content)
    with Disk(folder).mounted():
        require_any_of(path, found.at(moment))


@examples(15, 500)
@given(st.none() | faults(), st.floats(0, 1), st.integers(0, 2**32))
def test_whenever_power_is_lost_what_was_acknowledged_is_there(
    tmp_path_factory: pytest.TempPathFactory, fault: Fault | None, share: float, seed: int
) -> None:
    disk = Disk(tmp_path_factory.mktemp("running"))
    found = after(disk, fault)
    moment = round(share * len(disk.done))
    require_what_was_acknowledged(disk, found, moment, seed, tmp_path_factory.mktemp("left"))


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.thorough)])
def test_power_that_is_lost_while_a_store_is_made_leaves_a_place_that_opens(every: int, tmp_path: Path) -> None:
    disk = Disk(tmp_path / "running")
    disk.folder.mkdir()
    found = after(disk, None)
    made = next(number for number, one in enumerate(disk.done) if one.file.endswith("-wal"))
    for moment in range(0, made + 1, every):
        folder = tmp_path / f"left at {moment}"
        folder.mkdir()
        require_what_was_acknowledged(disk, found, moment, moment, folder)


@pytest.mark.parametrize("seeds", [1, pytest.param(4, marks=pytest.mark.thorough)])
def test_a_store_that_could_not_switch_to_a_log_loses_nothing_either(seeds: int, tmp_path: Path) -> None:
    disk = Disk(tmp_path / "running")
    disk.folder.mkdir()
    found = after(disk, Fault(3, frozenset({"sync"})))
    assert found.errors == []
    assert not any(one.file.endswith("-wal") for one in disk.done)
    for moment, seed in product([when for when, _ in found.after[-5:]], range(seeds)):
        folder = tmp_path / f"left at {moment} {seed}"
        folder.mkdir()
        require_what_was_acknowledged(disk, found, moment, seed, folder)


@pytest.mark.parametrize("lives", [5, pytest.param(100, marks=pytest.mark.thorough)])
def test_whichever_allocation_of_sqlite_fails_no_call_is_lost_or_done_in_part(lives: int, tmp_path: Path) -> None:
    sqlite_library()
    command = [sys.executable, "-m", "tests.hostile.child_memory", str(lives), str(lives), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > lives / 2

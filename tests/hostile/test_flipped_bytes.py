"""A flipped bit of a closed file: nothing is changed by it, or the file is refused, or a check finds it."""

import random
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

import pytest

from goalmem import Memory
from goalmem.errors import GoalmemError
from goalmem.language import Analyzer
from goalmem.maintenance.check import check
from goalmem.store import Store, open_store

from .test_damaged_stores import CHAT, TRIPLES


def read_of(store: Store) -> list[object]:
    """What a store's turns and rules are read as, and what they said before."""
    turns = [kept for page in store.kept_pages(100) for kept in page]
    before = {id_: [version.text for version in every] for id_, every in store.versions("default").items()}
    return [turns, store.rules("default"), before]


@pytest.mark.parametrize("moves", [10, pytest.param(40, marks=pytest.mark.thorough)])
def test_a_page_in_the_place_of_another_is_refused_or_only_changes_what_is_found(
    moves: int, tmp_path: Path, analyzer: Analyzer
) -> None:
    """As where a disk writes a page to the wrong place: every use ends, with an answer or a `GoalmemError`."""
    path, moved = tmp_path / "memory.db", tmp_path / "moved.db"
    with Memory(path, analyzer=analyzer) as memory:
        memory.add(CHAT, at="2024-04-16T21:10:00")
        memory.add_rules("Everyone who has a dog needs a leash.")
        memory.import_graph(TRIPLES)
    written, size = path.read_bytes(), 4096
    chance = random.Random(1)  # noqa: S311 - the same pages each time
    for _ in range(moves):
        one, other = (chance.randrange(1, len(written) // size) * size for _ in range(2))
        for left in tmp_path.glob("moved.db*"):
            left.unlink()
        moved.write_bytes(written[:one] + written[other : other + size] + written[one + size :])
        with suppress(GoalmemError), Memory(moved, analyzer=analyzer) as memory:
            for use in (
                memory.stats,
                memory.rules,
                partial(memory.search, "dog"),
                partial(memory.ask, "Who has a dog?"),
                memory.check,
            ):
                with suppress(GoalmemError):
                    use()


@pytest.mark.parametrize("flips", [60, pytest.param(1_000, marks=pytest.mark.thorough)])
def test_no_flipped_bit_is_silent(flips: int, tmp_path: Path, analyzer: Analyzer) -> None:
    path, flipped = tmp_path / "memory.db", tmp_path / "flipped.db"
    with Memory(path, analyzer=analyzer) as memory:
        turns = memory.add(CHAT, at="2024-04-16T21:10:00").turns
        memory.update(turns[2], text="She is a good diver.")
        memory.add_rules("Everyone who has a dog needs a leash.")
        memory.import_graph(TRIPLES)
        embedder, held = memory._parts.embedder, read_of(memory._parts.store)
    written = path.read_bytes()
    used = [place for place, byte in enumerate(written) if byte]
    chance = random.Random(flips)  # noqa: S311 - the same flips each time
    outcomes = {"refused": 0, "found": 0, "harmless": 0}
    for _ in range(flips):
        place, bit = chance.choice(used), 1 << chance.randrange(8)
        for left in tmp_path.glob("flipped.db*"):
            left.unlink() if left.is_file() else left.rmdir()
        flipped.write_bytes(written[:place] + bytes([written[place] ^ bit]) + written[place + 1 :])
        try:
            with closing(open_store(flipped, model=embedder.name, dimension=embedder.dimension)) as store:
                found = check(store, embedder, analyzer=analyzer).found
                same = bool(found) or read_of(store) == held
        except GoalmemError:
            outcomes["refused"] += 1
            continue
        outcomes["found" if found else "harmless"] += 1
        assert same, f"bit {bit} of byte {place} was changed silently"
    assert outcomes["found"] > flips / 4, outcomes

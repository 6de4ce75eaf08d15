"""What is asked for by a noun is of its kind: a composer who is played is no instrument."""

from __future__ import annotations

import pytest

from goalmem.sources.type_fit import fit


@pytest.mark.parametrize("name", ["Brahms", "Bach", "Mozart", "Beethoven", "Schubert"])
@pytest.mark.parametrize("kind", ["instrument", "car", "tool", "bike"])
def test_an_author_is_no_thing(name: str, kind: str) -> None:
    assert fit(kind, name) == 0


@pytest.mark.parametrize(
    ("kind", "name"), [("composer", "Brahms"), ("car", "Ford"), ("instrument", "viola"), ("piece", "Bach")]
)
def test_what_may_be_meant_stays(kind: str, name: str) -> None:
    assert fit(kind, name) > 0

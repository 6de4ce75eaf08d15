"""What docs/retrieval.md says of signals and weights is what the code has."""

import re

import pytest
from tests.docs.page import ROOT

from goalmem.retrieve.enrich import KINDS
from goalmem.retrieve.fusion import CORRECTIONS, SIGNAL_NAMES
from goalmem.retrieve.settings import Weights

TEXT = (ROOT / "docs" / "retrieval.md").read_text(encoding="utf-8")
ROWS = {name: float(weight) for name, weight in re.findall(
    r"^\| \[`(\w+)`\]\(#\w+\) \| ([\d.]+) \| [\d.]+ \|", TEXT, re.MULTILINE
)}  # fmt: skip


def test_every_signal_and_correction_has_a_section():
    assert {*re.findall(r"^### `(\w+)`$", TEXT, re.MULTILINE)} == SIGNAL_NAMES


def test_every_weight_is_the_one_that_ships():
    assert Weights().as_dict() == ROWS
    assert {*ROWS} == SIGNAL_NAMES - {*CORRECTIONS}


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_is_named(kind: str):
    assert f"`{kind}`" in TEXT

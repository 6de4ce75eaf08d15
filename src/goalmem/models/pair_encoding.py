"""A question and a passage as word pieces, the passage in overlapping windows: what a span reader reads.

The layout is BERT's (Devlin et al., 2019, section 4.2): [CLS] question [SEP] passage [SEP].
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from goalmem.models.vectors import clean

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

__all__ = ["MAX_PIECES", "PairWindow", "pair_windows", "stacked"]

MAX_PIECES = 256
"""Pieces a window, question and special pieces included: what the reader was trained with."""
QUESTION_PIECES = 64
"""A longer question is cut: in SQuAD 2.0 and FriendsQA none comes near."""
OVERLAP_PIECES = 64
"""Of two neighbouring windows: more than any answer is long, so that each is whole in one of them."""
CLS, SEP = 101, 102
"""The tokenizer's special pieces."""


@dataclass(frozen=True, slots=True)
class PairWindow:
    """One window of one pair."""

    ids: tuple[int, ...]
    """All pieces, special ones included."""
    first: int
    """Where the passage's pieces begin in `ids`; all but the last of what follows are the passage's."""
    offsets: tuple[tuple[int, int], ...]
    """Start and end of each of those pieces, in characters of the passage."""
    words: tuple[int, ...]
    """The number of the word that each of those pieces belongs to."""


def pair_windows(
    tokenizer: Tokenizer, pairs: Sequence[tuple[str, str]], *, most: int | None = None
) -> list[list[PairWindow]]:
    """For each (question, passage) its windows, at most `most`; one without passage pieces has a single empty window.

    `tokenizer` must neither pad nor truncate.
    """
    texts = {text: None for pair in pairs for text in pair}
    encoded = tokenizer.encode_batch([clean(text) for text in texts], add_special_tokens=False)
    known = dict(zip(texts, encoded, strict=True))
    return [list(_windows(known[question], known[passage], most)) for question, passage in pairs]


def _windows(question: Encoding, passage: Encoding, most: int | None) -> Iterator[PairWindow]:
    asked, ids = question.ids[:QUESTION_PIECES], passage.ids
    offsets = passage.offsets
    words = [
        -1 if word is None else word for word in passage.word_ids
    ]  # None is for special pieces, of which there are none
    room = MAX_PIECES - len(asked) - 3
    start = made = 0
    while True:
        part = slice(start, start + room)
        yield PairWindow((CLS, *asked, SEP, *ids[part], SEP), len(asked) + 2, tuple(offsets[part]), tuple(words[part]))
        made += 1
        if start + room >= len(ids) or made == most:
            return
        start += room - OVERLAP_PIECES


def stacked(windows: Sequence[PairWindow]) -> dict[str, NDArray[np.int64]]:
    """The windows as the model's padded inputs, each of shape (windows, longest)."""
    shape = (len(windows), max(len(window.ids) for window in windows))
    ids = np.zeros(shape, dtype=np.int64)
    mask = np.zeros(shape, dtype=np.int64)
    kinds = np.zeros(shape, dtype=np.int64)
    for row, window in enumerate(windows):
        ids[row, : len(window.ids)] = window.ids
        mask[row, : len(window.ids)] = 1
        kinds[row, window.first : len(window.ids)] = 1
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": kinds}

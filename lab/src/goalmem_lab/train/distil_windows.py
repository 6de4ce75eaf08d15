"""The arrays that a teacher and its students learn from, out of the corpora and the laboratory's conversations.

Beside the questions of the corpora, each question of a life over the turns that the product finds for it: what reader and judge see in use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Encoding, Tokenizer

from goalmem.models.encoder_file import bundled
from goalmem.models.minilm import bundled_tokenizer
from goalmem.models.minilm_judge import excerpt_text, statement_text
from goalmem.models.span_reader import breaks_of
from goalmem.models.vectors import clean
from goalmem_lab.train.corpora import TRAINING, read_corpus, read_qamr
from goalmem_lab.train.distil_data import CLAIM, FOUND_TURN, MOST_SPANS, READING, Answering, DistilData, Rows
from goalmem_lab.train.documents import held_out
from goalmem_lab.train.examples import Example, Mix, examples
from goalmem_lab.train.found_turns import FoundTurn, found_turns
from goalmem_lab.train.judge_claims import as_questions, elsewhere, undecided
from goalmem_lab.train.lives import Claim, Label, Life, claims_of, is_held_out, read_lives, read_notes
from goalmem_lab.train.network import pretrained_encoder
from goalmem_lab.train.similar_lines import Lookalikes
from goalmem_lab.train.warm_start import PREFIX, exported_weights

LABELS = (Label.ENTAILED, Label.CONTRADICTED, Label.NOT_SAID, Label.UNSUPPORTED)
"""In the order of the judge's outputs; the last is one of the two before it."""
ONE_IN = 10
"""Of the groups of the corpora, what is left out."""
WINDOW_PIECES, OVERLAP = 200, 64
QUESTION_PIECES, STATEMENT_PIECES, EXCERPT_PIECES = 53, 64, 253
EPOCHS = 2
"""Different draws of windows out of the corpora."""
CORPUS_WINDOWS, TURN_WINDOWS = 2, 3
"""Windows of one passage, at most."""
DRAWS = 2
"""Draws of turns that do not say a statement or decide a question."""
DISTIL_TURNS = (1, 2, 2, 3, 3, 4, 6)
"""Lengths of dialogue windows."""
DISTIL_MIXES = {
    "friendsqa": Mix(with_answer=2.0, without=1.0, wrong_person=0.6, alike=0.4, unanswerable=0.0),
    "molweni": Mix(with_answer=0.4, without=0.2, wrong_person=0.15, alike=0.1, unanswerable=0.3),
    "squad": Mix(with_answer=1.0, without=0.3, wrong_person=0.0, alike=0.15, unanswerable=0.6),
    "qamr": Mix(with_answer=0.5, without=0.0, wrong_person=0.0, alike=0.03, unanswerable=0.0),
    "notes": Mix(with_answer=1.0, without=0.0, wrong_person=0.1, alike=0.1, unanswerable=0.6),
}

Offsets = list[tuple[int, int]]
Tell = Callable[[str], None]


def build(data: Path, lab: Path, seed: int, tell: Tell, starts: Mapping[str, Path | None]) -> DistilData:
    """All arrays. Of the lives, those held out are left out. `starts`: as for `first_weights`.

    Raises NotFoundError or FormatError for data that are missing or in another layout, ModelError for a start that is no model.
    """
    start = first_weights(starts)
    tell("Reading the data")
    documents = [document for corpus in TRAINING for document in read_corpus(data, corpus)]
    kept, _ = held_out([*documents, *read_qamr(data)], ONE_IN)
    notes, noted = read_notes(lab / "notes")
    lives = [life for life in read_lives(lab / "lives") if not is_held_out(life)]
    windows = WindowTable(bundled_tokenizer())
    read = [*kept, *notes]
    alike = Lookalikes(read)
    corpora = []
    for epoch in range(EPOCHS):
        tell(f"Drawing windows out of the corpora, {epoch + 1} of {EPOCHS}")
        drawn = examples(read, alike, seed * 101 + epoch, DISTIL_MIXES, DISTIL_TURNS)
        corpora += [row for example in drawn for row in windows.read(example, epoch)]
    tell("Drawing claims")
    claims = [windows.claim(claim, noted=0) for claim in _told(lives, noted, seed)]
    claims += [windows.claim(claim, noted=1) for claim in noted]
    turns: list[tuple[Any, ...]] = []
    asked = 0
    for number, life in enumerate(lives, 1):
        tell(f"Asking, conversation {number} of {len(lives)}")
        for found in found_turns(life):
            turns += (row for turn in found.turns for row in windows.turn(turn, found.question, asked))
            asked += 1
    rows = np.array(corpora, dtype=READING), np.array(turns, dtype=FOUND_TURN), np.array(claims, dtype=CLAIM)
    return windows.data(*rows, start)


def _told(lives: Sequence[Life], noted: Sequence[Claim], seed: int) -> Iterator[Claim]:
    told = [claim for life in lives for claim in claims_of(life)]
    for draw in range(DRAWS):
        for life in lives:
            yield from elsewhere(life, seed + draw)
            yield from undecided(life, seed + draw)
    yield from told
    yield from as_questions([*told, *noted], seed)


class PieceTable:
    """Texts as pieces, each kept once."""

    def __init__(self) -> None:
        self.places: dict[object, int] = {}
        self.pieces: list[Sequence[int]] = []

    def add(self, key: object, pieces: Sequence[int]) -> int:
        """Its number."""
        if key not in self.places:
            self.places[key] = len(self.pieces)
            self.pieces.append(pieces)
        return self.places[key]

    def arrays(self) -> tuple[Rows, Rows]:
        """All pieces end to end, and how many each text has."""
        return _flat(self.pieces), np.array([len(each) for each in self.pieces], dtype=np.int32)


def _flat(rows: Sequence[Sequence[int]]) -> Rows:
    return np.array([value for row in rows for value in row], dtype=np.uint16)


class WindowTable:
    """Texts and windows of passages as they are collected, and the rows that name them."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._encoded: dict[str, Encoding] = {}
        self._texts = PieceTable()
        self._windows = PieceTable()
        self._words: list[Sequence[int]] = []
        self._sentences: list[Sequence[int]] = []

    def text(self, text: str, most: int) -> int:
        """The number of a text that is cut after `most` pieces."""
        return self._texts.add((text, most), self._encode(text).ids[:most])

    def windows(self, passage: str, most: int) -> Iterator[tuple[int, Offsets]]:
        """The first windows of a passage: their numbers, and the characters of each piece."""
        encoded, breaks = self._encode(passage), breaks_of(passage)
        for start in range(0, max(1, len(encoded.ids) - OVERLAP), WINDOW_PIECES - OVERLAP)[:most]:
            part = slice(start, start + WINDOW_PIECES)
            offsets = encoded.offsets[part]
            number = self._windows.add((passage, start), encoded.ids[part])
            if number == len(self._words):
                self._words.append([word or 0 for word in encoded.word_ids[part]])
                self._sentences.append(np.searchsorted(breaks, [first for first, _ in offsets]).tolist())
            yield number, offsets

    def read(self, example: Example, epoch: int) -> Iterator[tuple[Any, ...]]:
        """Rows of `READING`; none of a window that holds no answer of a passage that has one."""
        question = self.text(example.question, QUESTION_PIECES)
        for window, offsets in self.windows(example.passage, CORPUS_WINDOWS):
            spans = [span for each in example.spans if (span := pieces_of(offsets, each))][:MOST_SPANS]
            if spans or not example.spans:
                yield question, window, [*spans, *[(-1, -1)] * (MOST_SPANS - len(spans))], epoch

    def turn(self, turn: FoundTurn, question: str, asked: int) -> Iterator[tuple[Any, ...]]:
        """Rows of `FOUND_TURN`."""
        texts = self.text(question, QUESTION_PIECES), self.text(turn.excerpt, EXCERPT_PIECES)
        for window, offsets in self.windows(turn.passage, TURN_WINDOWS):
            span = pieces_of(offsets, turn.span) if turn.span else None
            missed = turn.answering is Answering.MARKED and span is None
            own = sum(start < turn.own for start, _ in offsets)
            answering = Answering.UNKNOWN if missed else turn.answering
            yield asked, texts[0], window, texts[1], answering, span or (-1, -1), own

    def claim(self, claim: Claim, noted: int) -> tuple[int, int, int, int]:
        """A row of `CLAIM`."""
        statement = self.text(statement_text(claim.statement), STATEMENT_PIECES)
        return statement, self.text(excerpt_text(claim.excerpt), EXCERPT_PIECES), LABELS.index(claim.label), noted

    def data(self, corpora: Rows, turns: Rows, claims: Rows, start: dict[str, Any]) -> DistilData:
        """Everything collected, with those rows and the students' first weights."""
        words, sentences = _flat(self._words), _flat(self._sentences)
        return DistilData(
            *self._texts.arrays(), *self._windows.arrays(), words, sentences, corpora, turns, claims, start
        )

    def _encode(self, text: str) -> Encoding:
        if text not in self._encoded:
            self._encoded[text] = self._tokenizer.encode(clean(text), add_special_tokens=False)
        return self._encoded[text]


def pieces_of(offsets: Offsets, span: tuple[int, int]) -> tuple[int, int] | None:
    """First and last piece of what stands between two characters; None where the window does not hold all of it."""
    inside = [place for place, (start, end) in enumerate(offsets) if start < span[1] and end > span[0]]
    if not inside or offsets[inside[-1]][1] < span[1] or offsets[inside[0]][0] > span[0] + 1:
        return None
    return inside[0], inside[-1]


def first_weights(starts: Mapping[str, Path | None]) -> dict[str, Any]:
    """A `reader` and a `judge`, by default the bundled ones, and the published word embeddings, as arrays.

    Raises ModelError for a file that is no such model, or when the package that carries the embeddings is missing.
    """
    weights: dict[str, Any] = {}
    for kind in ("reader", "judge"):
        file = starts.get(kind)
        with bundled(kind) if file is None else nullcontext(file) as path:
            weights |= {f"{kind}/{name}": tensor.numpy() for name, tensor in exported_weights(path).items()}
    words = pretrained_encoder(0).embeddings.word_embeddings.weight.detach().numpy()
    return {**weights, f"words/{PREFIX}embeddings.word_embeddings.weight": words}

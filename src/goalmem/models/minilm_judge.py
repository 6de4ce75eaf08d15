"""The bundled judge: MiniLM-L6 fine-tuned to say whether an excerpt of a conversation entails a statement, in 8 bits.

Made by `goalmem train judge`; docs/judge.md says how, models/data/JUDGE.md what of. The file is checked against a pinned
hash before first use. A statement and an excerpt are the same two texts when it is trained and when it judges.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from goalmem.cancellation import with_checkpoints
from goalmem.models.encoder_file import pair_windows, running, stacked
from goalmem.models.protocol import Excerpt, Statement, Verdict

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

    from goalmem.models.encoder_file import PairWindow

SHOWN_BEFORE = 300
"""Characters of the turn before that are shown, from its end."""
SHOWN = 900
"""Characters of the turn itself."""


def statement_text(statement: Statement) -> str:
    """A complete statement is unchanged; an answer follows its question: `Where does Ines live? Oslo`."""
    return f"{statement.question} {statement.answer}" if statement.answer else statement.question


def excerpt_text(excerpt: Excerpt) -> str:
    """`Speaker (day): text`, on the line after the end of the turn that it replies to."""
    day = f" ({excerpt.said:%a} {excerpt.said.day} {excerpt.said:%B %Y})" if excerpt.said is not None else ""
    before = f"{excerpt.before[-SHOWN_BEFORE:]}\n" if excerpt.before else ""
    lead = f"{excerpt.speaker}{day}: " if excerpt.speaker else ""
    return f"{before}{lead}{excerpt.text[:SHOWN]}"


JUDGE_SHA256 = "5530aff6fbaa8c5fb9258a0e7df4ad2ac7906c671ba296736e15a453f5fbf9c8"


class MiniLMJudge:
    """`Judge` over the bundled weights. Loads on first use; one instance serves any number of threads."""

    def __init__(self, weights: Path | None = None, *, threads: int | None = None) -> None:
        """`weights`: a file that `goalmem train judge` made, instead of the bundled one.

        `threads` that judge at the same time; by default one a core that this process may use, four at most.
        """
        self._loaded = running("judge", weights, JUDGE_SHA256, _temperature, threads)

    @property
    def name(self) -> str:
        """Model and precision; which weights, `digest` says."""
        return "minilm-judge-int8"

    @property
    def digest(self) -> str:
        """SHA-256 of the weights, hexadecimal. Raises ModelError as `judge` does."""
        return self._loaded.get().digest

    def judge(self, pairs: Sequence[tuple[Statement, Excerpt]]) -> list[Verdict]:
        """A verdict for each pair, every one judged alone. Raises ModelError when a file is missing, altered or no judge."""
        if not pairs:
            return []
        model = self._loaded.get()
        texts = [(statement_text(statement), excerpt_text(excerpt)) for statement, excerpt in pairs]
        windows = [own[0] for own in pair_windows(model.tokenizer, texts, most=1)]
        return list(with_checkpoints(model.pool.map(partial(_verdict, model.session, model.calibration), windows)))


def _verdict(session: InferenceSession, warmth: float, window: PairWindow) -> Verdict:
    (logits,) = session.run(None, stacked([window]))
    scaled = np.asarray(logits[0], dtype=np.float64) / warmth
    shares = np.exp(scaled - scaled.max())
    entailed, contradicted, not_said = (shares / shares.sum()).tolist()
    return Verdict(entailed, contradicted, not_said)


def _temperature(metadata: Mapping[str, str]) -> float:
    return float(metadata["goalmem.temperature"])

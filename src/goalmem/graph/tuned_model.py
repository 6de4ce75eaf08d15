"""A causal language model in a local folder with reflection tokens in its vocabulary: scores texts in batches."""

from __future__ import annotations

import hashlib
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from goalmem.errors import InputError, ModelError
from goalmem.graph.tuned_text import SPECIAL, pieces
from goalmem.models.vectors import like_lengths

AT_ONCE = 8_192
"""Tokens that are read together, padding included: some 100 MB of a model with 8 billion weights."""
SAMPLED = 1 << 20
"""Bytes at both ends of a weights file that its fingerprint covers: reading a large file completely takes minutes."""
EQUAL = 0.01
"""Relative tolerance of logits for 16-bit arithmetic."""
MOST_KEPT = 100_000
"""Pieces of text whose ids are kept."""
TRAIN = "Train it: goalmem train arg DATA --from CHECKPOINT --out DIR."


@dataclass(frozen=True, slots=True)
class ScoringRequest:
    """A text and the requested scores."""

    ids: tuple[int, ...]
    span: tuple[int, int] = (0, 0)
    """Range of ids whose log-probabilities are summed; empty if both are equal. Otherwise never starts at 0."""


@dataclass(frozen=True, slots=True)
class TextScore:
    """Scores of a text."""

    probabilities: tuple[float, ...]
    """Probability of each alternative as the next token, normalised over all alternatives."""
    log_probability: float
    """Sum over the ids in the span."""


@dataclass
class TunedModel:
    """A model with its tokenizer. Safe to use from several threads: one of them calculates at a time."""

    model: Any
    tokenizer: Any
    name: str = "unsaved"
    _ids: dict[str, tuple[int, ...]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def load(cls, folder: Path) -> TunedModel:
        """A model that `goalmem train arg` wrote.

        Raises ModelError where torch is missing, InputError where the folder holds no such model or a reflection token is no
        token of its own.
        """
        model, tokenizer = open_checkpoint(folder)
        lacking = lacking_tokens(tokenizer)
        if lacking:
            raise InputError(f"The vocabulary of {folder} has no token {', '.join(lacking)}.", TRAIN)
        return cls(placed(model), tokenizer, fingerprint(folder))

    def encode(self, text: str) -> tuple[int, ...]:
        """Tokenize a text without special tokens. The ids up to a cut come first."""
        return tuple(n for piece in pieces(text) for n in self._piece(piece))

    def begun(self, text: str) -> tuple[int, ...]:
        """The ids of a text from its very beginning, as the model expects it."""
        first = self.tokenizer.bos_token_id
        return (*(() if first is None else (first,)), *self.encode(text))

    def judged(self, wanted: Sequence[ScoringRequest], alternatives: Sequence[str]) -> list[TextScore]:
        """For each text, the distribution over some special tokens that may follow it (equation 4), and the
        log-probability of its span; in the given order.
        """
        import torch

        tokens = [self.encode(token)[0] for token in alternatives]
        wanted = [self._ending(each) for each in wanted]
        found: list[TextScore | None] = [None] * len(wanted)
        with self._lock, torch.inference_mode():
            for rows in like_lengths([len(each.ids) for each in wanted], AT_ONCE):
                for n, judged in zip(rows, self._batch([wanted[n] for n in rows], tokens), strict=True):
                    found[n] = judged
        return [judged for judged in found if judged is not None]

    def beams(
        self,
        ids: Sequence[int],
        k: int,
        ends: Sequence[int],
        most: int,
        allowed: Callable[[Any, Any], list[int]] | None,
    ) -> list[tuple[tuple[int, ...], float]]:
        """At most `k` continuations up to one of `ends`, which is left out, with their log-probabilities; likeliest first."""
        import torch

        ids = ids[-max(1, self.longest - most) :]
        row = torch.tensor([list(ids)], device=self.device)
        with self._lock, torch.inference_mode():
            out = self.model.generate(
                input_ids=row,
                attention_mask=torch.ones_like(row),
                num_beams=max(2, k),
                num_return_sequences=k,
                max_new_tokens=most,
                do_sample=False,
                length_penalty=0.0,
                eos_token_id=list(ends),
                pad_token_id=ends[0],
                prefix_allowed_tokens_fn=allowed,
                return_dict_in_generate=True,
                output_scores=True,
            )
        written = [self._until(sequence[len(ids) :], ends) for sequence in out.sequences.tolist()]
        return [(w, s) for w, s in zip(written, out.sequences_scores.tolist(), strict=True) if w]

    def hidden(self, rows: Sequence[Sequence[int]]) -> Any:
        """The last layer's states of each row of ids: shape (rows, longest, hidden), padding behind."""
        import torch

        most = max(map(len, rows))
        ids = torch.tensor([[*row, *[0] * (most - len(row))] for row in rows], device=self.device)
        mask = torch.tensor([[1] * len(row) + [0] * (most - len(row)) for row in rows], device=self.device)
        return self._states(ids, mask) if self._plain else self._full(ids, mask)

    def logits(self, hidden: Any) -> Any:
        """Logits of the next token after each state: shape (…, vocabulary)."""
        return self.model.get_output_embeddings()(hidden) if self._plain else hidden

    @cached_property
    def _plain(self) -> bool:
        """True if the output embeddings alone make logits of states; some kinds of model scale or cap them.

        Of those that do, all logits are calculated and stand for the states.
        """
        import torch

        ids = torch.arange(1, 5, device=self.device)[None]  # id 0 is often padding
        mask = torch.ones_like(ids)
        training = self.model.training
        self.model.eval()
        with torch.no_grad():
            made = self.model.get_output_embeddings()(self._states(ids, mask)).float()
            off = (made - self._full(ids, mask).float()).abs().max()
        self.model.train(training)
        return bool(off <= EQUAL * made.abs().max())

    def _states(self, ids: Any, mask: Any) -> Any:
        return self.model.base_model(input_ids=ids, attention_mask=mask, use_cache=False).last_hidden_state

    def _full(self, ids: Any, mask: Any) -> Any:
        return self.model(input_ids=ids, attention_mask=mask, use_cache=False).logits

    @cached_property
    def device(self) -> Any:
        """Device of the model."""
        return next(self.model.parameters()).device

    @cached_property
    def longest(self) -> int:
        """Tokens that the model can read."""
        return int(getattr(self.model.config, "max_position_embeddings", None) or sys.maxsize)

    def _ending(self, wanted: ScoringRequest) -> ScoringRequest:
        """The end of a text that is too long, since the judged part is there."""
        over = len(wanted.ids) - self.longest
        if over <= 0:
            return wanted
        start, stop = (max(1, place - over) for place in wanted.span)
        return ScoringRequest(wanted.ids[over:], (start, max(start, stop)))

    def _piece(self, piece: str) -> tuple[int, ...]:
        if piece in SPECIAL:
            return (self.tokenizer.convert_tokens_to_ids(piece),)
        if piece not in self._ids:
            if len(self._ids) >= MOST_KEPT:
                self._ids.clear()
            self._ids[piece] = tuple(self.tokenizer.encode(piece, add_special_tokens=False))
        return self._ids[piece]

    def _batch(self, batch: Sequence[ScoringRequest], tokens: Sequence[int]) -> Iterator[TextScore]:
        """Only the places that are asked about go through the large last layer."""
        import torch

        hidden = self.hidden([w.ids for w in batch])
        ends = torch.stack([hidden[n, len(w.ids) - 1] for n, w in enumerate(batch)])
        shares = self.logits(ends)[:, list(tokens)].float().softmax(dim=-1).tolist()
        for n, wanted in enumerate(batch):
            start, stop = wanted.span
            sure = 0.0
            if stop > start:
                logs = self.logits(hidden[n, start - 1 : stop - 1]).float().log_softmax(dim=-1)
                own = torch.tensor(wanted.ids[start:stop], device=self.device)
                sure = float(logs.gather(1, own[:, None]).sum())
            yield TextScore(tuple(shares[n]), sure)

    @staticmethod
    def _until(ids: Sequence[int], ends: Sequence[int]) -> tuple[int, ...]:
        stop = next((n for n, token in enumerate(ids) if token in ends), 0)
        return tuple(ids[:stop])


def require_torch() -> None:
    """Raise ModelError if the packages for networks are not installed."""
    for package in ("torch", "transformers"):
        if find_spec(package) is None:
            raise ModelError(
                f"A tuned model needs the package {package!r}, which is not installed.",
                'Install it: pip install "goalmem[tuned]".',
            )


def open_checkpoint(folder: Path) -> tuple[Any, Any]:
    """A causal language model and its tokenizer, from local files alone. Raises ModelError, and InputError with the reason."""
    require_torch()
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder.", "Name the folder of a causal language model.")
    from transformers import AutoModelForCausalLM, AutoTokenizer

    try:
        with no_bars():
            model = AutoModelForCausalLM.from_pretrained(folder, local_files_only=True, torch_dtype="auto")
            tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    # Other libraries parse these files: any exception means that the folder is invalid.
    except Exception as error:
        raise InputError(
            f"{folder} holds no causal language model with its tokenizer ({type(error).__name__}: {_line(error)}).",
            "Name the folder of a checkpoint: config.json, the weights and the tokenizer's files.",
        ) from error
    return model, tokenizer


@contextmanager
def no_bars() -> Iterator[None]:
    """While it lasts transformers draws no progress bars: they would run across those of the command line."""
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


def lacking_tokens(tokenizer: Any) -> list[str]:
    """The special tokens that a vocabulary does not have."""
    vocabulary = tokenizer.get_vocab()
    return [token for token in SPECIAL if token not in vocabulary]


def placed(model: Any) -> Any:
    """The model where it calculates fastest, ready to be asked."""
    import torch

    # Processors are slow with 16 bits, where they can do it at all.
    return (model.to("cuda") if torch.cuda.is_available() else model.float()).eval()


def fingerprint(folder: Path) -> str:
    """Tells weights apart: from the sizes and both ends of their files."""
    digest = hashlib.sha256()
    for path in sorted(p for p in folder.iterdir() if p.suffix in (".safetensors", ".bin")):
        size = path.stat().st_size
        digest.update(f"{path.name}\0{size}\0".encode())
        with path.open("rb") as file:
            digest.update(file.read(SAMPLED))
            file.seek(max(0, size - SAMPLED))
            digest.update(file.read(SAMPLED))
    return digest.hexdigest()[:12]


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]

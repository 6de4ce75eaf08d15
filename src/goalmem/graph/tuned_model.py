"""A causal language model in a local folder whose vocabulary has the reflection tokens: what it thinks of texts, in batches."""

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

AT_ONCE = 8_192
"""Tokens that are read together, padding included: some 100 MB of a model with 8 billion weights."""
SAMPLED = 1 << 20
"""Bytes at both ends of a file of weights that its fingerprint is made of: all of a large one takes minutes."""
EQUAL = 0.01
"""Of the largest logit: what calculating in 16 bits may change."""
MOST_KEPT = 100_000
"""Pieces of text whose ids are kept."""
TRAIN = "Train it: goalmem train arg DATA --from CHECKPOINT --out DIR."


@dataclass(frozen=True, slots=True)
class Wanted:
    """A text, and what is wanted of it."""

    ids: tuple[int, ...]
    span: tuple[int, int] = (0, 0)
    """Places of ids whose log-probabilities are summed up; none where both are the same. Never begins at 0 otherwise."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What the model thinks of a text."""

    probabilities: tuple[float, ...]
    """Of each alternative as the next token, as shares of all alternatives."""
    log_probability: float
    """Of the ids in the span."""


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
        """The ids of a text, without what a tokenizer would put around it. Those of its beginning, up to a cut, come first."""
        return tuple(n for piece in pieces(text) for n in self._piece(piece))

    def begun(self, text: str) -> tuple[int, ...]:
        """The ids of a text from its very beginning, as the model expects it."""
        first = self.tokenizer.bos_token_id
        return (*(() if first is None else (first,)), *self.encode(text))

    def judged(self, wanted: Sequence[Wanted], alternatives: Sequence[str]) -> list[Judged]:
        """What follows each text, of some special tokens (equation 4), and how likely its span is; in the order given."""
        import torch

        tokens = [self.encode(token)[0] for token in alternatives]
        wanted = [self._ending(each) for each in wanted]
        found: list[Judged | None] = [None] * len(wanted)
        with self._lock, torch.inference_mode():
            for rows in _batches(wanted):
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
        """Of the next token after each state: shape (…, vocabulary)."""
        return self.model.get_output_embeddings()(hidden) if self._plain else hidden

    @cached_property
    def _plain(self) -> bool:
        """Whether the output embeddings alone make logits of states; some kinds of model scale or cap them.

        Of those that do, all logits are calculated and stand for the states.
        """
        import torch

        ids = torch.arange(1, 5, device=self.device)[None]  # 0 is often padding, whose state is nothing
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
        """Where the model is."""
        return next(self.model.parameters()).device

    @cached_property
    def longest(self) -> int:
        """Tokens that the model can read."""
        return int(getattr(self.model.config, "max_position_embeddings", None) or sys.maxsize)

    def _ending(self, wanted: Wanted) -> Wanted:
        """Of a text that is too long, its end: what is judged stands there."""
        over = len(wanted.ids) - self.longest
        if over <= 0:
            return wanted
        start, stop = (max(1, place - over) for place in wanted.span)
        return Wanted(wanted.ids[over:], (start, max(start, stop)))

    def _piece(self, piece: str) -> tuple[int, ...]:
        if piece in SPECIAL:
            return (self.tokenizer.convert_tokens_to_ids(piece),)
        if piece not in self._ids:
            if len(self._ids) >= MOST_KEPT:
                self._ids.clear()
            self._ids[piece] = tuple(self.tokenizer.encode(piece, add_special_tokens=False))
        return self._ids[piece]

    def _batch(self, batch: Sequence[Wanted], tokens: Sequence[int]) -> Iterator[Judged]:
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
            yield Judged(tuple(shares[n]), sure)

    @staticmethod
    def _until(ids: Sequence[int], ends: Sequence[int]) -> tuple[int, ...]:
        stop = next((n for n, token in enumerate(ids) if token in ends), 0)
        return tuple(ids[:stop])


def require_torch() -> None:
    """Raises ModelError where what networks need is not installed."""
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
        raise InputError(f"{folder} is no folder.", "Name the folder of a causal language model.")
    from transformers import AutoModelForCausalLM, AutoTokenizer

    try:
        with no_bars():
            model = AutoModelForCausalLM.from_pretrained(folder, local_files_only=True, torch_dtype="auto")
            tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    # Foreign code reads foreign files: whatever it breaks with, the folder is what was wrong.
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


def _batches(wanted: Sequence[Wanted]) -> Iterator[list[int]]:
    """Places of texts of like length, as many as are read together."""
    order = sorted(range(len(wanted)), key=lambda n: len(wanted[n].ids))
    batch: list[int] = []
    for n in order:
        if batch and (len(batch) + 1) * len(wanted[n].ids) > AT_ONCE:
            yield batch
            batch = []
        batch.append(n)
    if batch:
        yield batch


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]

"""Reading: what a teacher learns from marked answers, what a student learns from what the teacher says beside them, and what it proposes.

Hinton et al., 2015, section 2: a student that learns the probabilities of its teacher learns from each row more than what the mark says.
Spans are scored as by Devlin et al., 2019, section 4.3: start and end over the passage's pieces and one place for no answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from goalmem_lab.train.distil_batches import Index, Learner, Pools, Steps, by_length, in_order, learn, paired
from goalmem_lab.train.distil_data import Answering, Rows, joined, readings_of
from goalmem_lab.train.states import Progress

OUTSIDE = -1e4
PRESENT_WEIGHT = 0.5
"""Of the presence loss beside the span loss."""
MARKED_WEIGHT = 0.3
"""Of the marks beside the teacher, in a student's loss."""
NEGATIVES = 5
"""Found turns without the answer that an epoch of the teacher sees for each question."""
SCORED = 512
"""Rows that are read at once without learning."""
PROPOSED, OF_QUESTION = 2, 12
"""Spans that are proposed of a window, and of all windows that a question finds."""
LONGEST = 24
"""Pieces of a proposed span."""
LARGEST = 200.0
"""Logits are kept in 16 bits; none that matters is larger."""
RIGHT, WRONG = 0.6, 0.2
"""F1 of pieces with the marked span from which a proposal is right, and up to which it is wrong."""

Tell = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class WindowScores:
    """What a network says of a batch of windows."""

    spans: Tensor
    """Start and end logits of no answer and of each piece of the window, shape (rows, 1 + pieces, 2)."""
    allowed: Tensor
    """Which of those places a window has, shape (rows, 1 + pieces)."""
    present: Tensor
    """Shape (rows,)."""


def window_scores(learner: Learner, pools: Pools, rows: Rows) -> WindowScores:
    """Of rows that have a `question` and a `window`."""
    question, window = (
        torch.from_numpy(rows[name].astype(np.int64)).to(pools.device) for name in ("question", "window")
    )
    passage = pools.windows.rows(window)
    inputs, begins = paired(pools.texts.rows(question), passage, learner.special)
    spans, present = learner(inputs)
    columns = torch.arange(int(passage.lengths.max()), device=pools.device)[None]
    none = torch.zeros_like(begins)[:, None]
    places = torch.cat([none, begins[:, None] + columns], 1).clamp(max=spans.shape[1] - 1)
    allowed = torch.cat([none == 0, columns < passage.lengths[:, None]], 1)
    taken = spans.float().gather(1, places[..., None].expand(-1, -1, 2))
    return WindowScores(taken.masked_fill(~allowed[..., None], OUTSIDE), allowed, present.float())


def marked_loss(scores: WindowScores, spans: Tensor) -> tuple[Tensor, Tensor]:
    """For each row the negative log probability of its marked spans together, and whether it has any. `spans`: (rows, marks, 2)."""
    logs = scores.spans.log_softmax(1)
    places = (spans + 1).clamp(min=0)
    each = logs[..., 0].gather(1, places[..., 0]) + logs[..., 1].gather(1, places[..., 1])
    further = torch.arange(spans.shape[1], device=spans.device)[None] > 0
    each = each.masked_fill((spans[..., 0] < 0) & further, OUTSIDE)
    return -each.logsumexp(1), (spans[:, 0, 0] >= 0).float()


def _spans(rows: Rows, pools: Pools) -> Tensor:
    return torch.from_numpy(rows["spans"].astype(np.int64)).to(pools.device)


def _lengths(rows: Rows, pools: Pools) -> Index:
    lengths: Index = pools.texts.sizes[rows["question"]] + pools.windows.sizes[rows["window"]]
    return lengths


def teach_reader(
    teacher: Learner, pools: Pools, corpora: Rows, turns: Rows, steps: Steps, random_: np.random.Generator, tell: Tell
) -> None:
    """Train a teacher on marked answers: of the corpora, and of the turns that questions find."""

    def losses(epoch: int) -> Iterator[Tensor]:
        rows = _epoch(corpora, turns, epoch, random_)
        for batch in by_length(_lengths(rows, pools), steps.rows, random_):
            scores = window_scores(teacher, pools, rows[batch])
            loss, there = marked_loss(scores, _spans(rows[batch], pools))
            presence = functional.binary_cross_entropy_with_logits(scores.present, there)
            yield loss.mean() + PRESENT_WEIGHT * presence

    learn(teacher.network, steps, losses, tell)


def _epoch(corpora: Rows, turns: Rows, epoch: int, random_: np.random.Generator) -> Rows:
    draws = int(corpora["epoch"].max()) + 1 if len(corpora) else 1
    without = turns[turns["answering"] == Answering.NO]
    share = NEGATIVES * len(np.unique(turns["asked"])) / max(1, len(without))
    kept = without[random_.random(len(without)) < share]
    marked = turns[turns["answering"] == Answering.MARKED]
    return joined([corpora[corpora["epoch"] == epoch % draws], readings_of(marked), readings_of(kept)])


@dataclass(frozen=True, slots=True)
class Readings:
    """What a network said of rows, kept."""

    spans: Tensor
    """Start and end logits of all rows end to end, each with its place for no answer first; 16 bits."""
    starts: Tensor
    present: Tensor

    def of(self, batch: Index, allowed: Tensor) -> tuple[Tensor, Tensor]:
        """Logits and presence of some rows, laid out as in `WindowScores`."""
        rows = torch.from_numpy(batch).to(self.starts.device)
        columns = torch.arange(allowed.shape[1], device=self.starts.device)[None]
        flat = (self.starts[rows][:, None] + columns).clamp(max=len(self.spans) - 1)
        return self.spans[flat].float().masked_fill(~allowed[..., None], OUTSIDE), self.present[rows]


def read_all(learner: Learner, pools: Pools, rows: Rows) -> Readings:
    """What a network says of all rows."""
    with torch.inference_mode():
        return _read_all(learner, pools, rows)


def _read_all(learner: Learner, pools: Pools, rows: Rows) -> Readings:
    sizes = pools.windows.sizes[rows["window"]] + 1
    starts = torch.from_numpy(np.cumsum(sizes) - sizes).to(pools.device)
    kept = torch.empty(int(sizes.sum()), 2, dtype=torch.float16, device=pools.device)
    present = torch.empty(len(rows), device=pools.device)
    for batch in in_order(_lengths(rows, pools), SCORED):
        scores = window_scores(learner, pools, rows[batch])
        numbers = torch.from_numpy(batch).to(pools.device)
        columns = torch.arange(scores.allowed.shape[1], device=pools.device)[None]
        places = starts[numbers][:, None] + columns
        kept[places[scores.allowed]] = scores.spans[scores.allowed].clamp(-LARGEST, LARGEST).half()
        present[numbers] = scores.present
    return Readings(kept, starts, present)


def distil_reader(
    student: Learner,
    teacher: Learner,
    pools: Pools,
    corpora: Rows,
    turns: Rows,
    steps: Steps,
    random_: np.random.Generator,
    tell: Tell,
) -> None:
    """Train a student on what its teacher says of every row, and on the marks of those where they are known."""
    rows = joined([readings_of(turns), corpora])
    unknown = turns["answering"] == Answering.UNKNOWN
    known = torch.from_numpy(np.concatenate([~unknown, np.ones(len(corpora), dtype=bool)])).to(pools.device).float()
    said = read_all(teacher, pools, rows)
    lengths = _lengths(rows, pools)

    def losses(_: int) -> Iterator[Tensor]:
        for batch in by_length(lengths, steps.rows, random_):
            scores = window_scores(student, pools, rows[batch])
            taught, present = said.of(batch, scores.allowed)
            sure = known[torch.from_numpy(batch).to(pools.device)]
            yield _distilled(scores, taught, present.sigmoid(), _spans(rows[batch], pools), sure)

    learn(student.network, steps, losses, tell)


def _distilled(scores: WindowScores, taught: Tensor, present: Tensor, spans: Tensor, known: Tensor) -> Tensor:
    """Cross-entropy with the teacher's probabilities (up to a constant the divergence from them), and the marks' where they are known."""
    logs = scores.spans.log_softmax(1).masked_fill(~scores.allowed[..., None], 0.0)
    divergence = -(taught.softmax(1) * logs).sum((1, 2))
    loss, there = marked_loss(scores, spans)
    wanted = torch.where(known > 0, MARKED_WEIGHT * there + (1 - MARKED_WEIGHT) * present, present)
    presence = functional.binary_cross_entropy_with_logits(scores.present, wanted)
    return (divergence + MARKED_WEIGHT * known * loss).mean() + PRESENT_WEIGHT * presence


@dataclass(frozen=True, slots=True)
class Proposals:
    """Spans that a reader proposes of turns, the best of each question."""

    turns: Rows
    first: Index
    last: Index
    right: Index
    """1 right, 0 wrong, -1 not known."""


def proposals(learner: Learner, pools: Pools, turns: Rows) -> Proposals:
    """The spans of found turns that a reader likes best, in pieces of their windows; none in the turn before."""
    readings = read_all(learner, pools, readings_of(turns))
    first, last = (np.zeros((len(turns), PROPOSED), dtype=np.int64) for _ in range(2))
    score = np.full((len(turns), PROPOSED), -np.inf, dtype=np.float32)
    for batch in in_order(pools.windows.sizes[turns["window"]], SCORED):
        if pools.windows.sizes[turns["window"][batch]].max():  # a turn may have no piece
            _propose(readings, pools, turns, batch, (first, last, score))
    return _best(turns, first, last, score)


def _propose(
    readings: Readings, pools: Pools, turns: Rows, batch: Index, into: tuple[Index, Index, NDArray[np.float32]]
) -> None:
    passage = pools.windows.rows(torch.from_numpy(turns["window"][batch].astype(np.int64)).to(pools.device))
    columns = torch.arange(int(passage.lengths.max()), device=pools.device)[None]
    allowed = columns < passage.lengths[:, None]
    places = torch.cat([torch.ones_like(allowed[:, :1]), allowed], 1)
    logits, present = readings.of(batch, places)
    sums = _span_sums(logits.log_softmax(1)[:, 1:], pools, turns[batch], passage.starts, allowed)
    width = allowed.shape[1]
    lengths = torch.arange(sums.shape[1], device=pools.device)[None, :, None]
    for rank in range(PROPOSED):
        best, place = sums.flatten(1).max(1)
        start, end = place % width, place % width + place // width
        into[0][batch, rank], into[1][batch, rank] = start.cpu().numpy(), end.cpu().numpy()
        liked = (best + functional.logsigmoid(present)).masked_fill(best <= OUTSIDE / 2, -torch.inf)
        into[2][batch, rank] = liked.cpu().numpy()
        overlapping = (columns[:, None] <= end[:, None, None]) & (columns[:, None] + lengths >= start[:, None, None])
        sums = sums.masked_fill(overlapping, OUTSIDE)


def _span_sums(logs: Tensor, pools: Pools, turns: Rows, starts: Tensor, allowed: Tensor) -> Tensor:
    """Start plus end of every span of whole words in one sentence of a turn's own words: (rows, lengths less one, first pieces)."""
    columns = torch.arange(allowed.shape[1], device=pools.device)[None]
    flat = (starts[:, None] + columns).clamp(max=len(pools.words) - 1)
    words, sentences = pools.words[flat], pools.sentences[flat]
    changes = words[:, 1:] != words[:, :-1]
    edge = torch.ones_like(allowed[:, :1])
    own = torch.from_numpy(turns["own"].astype(np.int64)).to(pools.device)[:, None]
    begins = torch.cat([edge, changes], 1) & allowed & (columns >= own)
    ends = torch.cat([changes | ~allowed[:, 1:], edge], 1) & allowed
    width = allowed.shape[1]
    sums = []
    for more in range(min(LONGEST, width)):
        near, far = slice(0, width - more), slice(more, width)
        whole = begins[:, near] & ends[:, far] & (sentences[:, near] == sentences[:, far])
        both = (logs[:, near, 0] + logs[:, far, 1]).masked_fill(~whole, OUTSIDE)
        sums.append(functional.pad(both, (0, more), value=OUTSIDE))
    return torch.stack(sums, 1)


def _best(turns: Rows, first: Index, last: Index, score: NDArray[np.float32]) -> Proposals:
    rows = np.repeat(np.arange(len(turns)), PROPOSED)
    scores = score.ravel()
    order = np.lexsort((-scores, turns["asked"][rows]))
    asked = turns["asked"][rows][order]
    ranks = np.arange(len(order)) - np.searchsorted(asked, asked)
    order = order[(ranks < OF_QUESTION) & np.isfinite(scores[order])]
    proposed, begin, end = turns[rows[order]], first.ravel()[order], last.ravel()[order]
    return Proposals(proposed, begin, end, _right(proposed, begin, end))


def _right(turns: Rows, first: Index, last: Index) -> Index:
    marked = turns["span"].astype(np.int64)
    shared = np.minimum(last, marked[:, 1]) - np.maximum(first, marked[:, 0]) + 1
    f1 = 2 * np.maximum(shared, 0) / (last - first + marked[:, 1] - marked[:, 0] + 2)
    by_overlap = np.where(f1 >= RIGHT, 1, np.where(f1 <= WRONG, 0, -1))
    answering = turns["answering"]
    right: Index = np.where(answering == Answering.MARKED, by_overlap, np.where(answering == Answering.NO, 0, -1))
    return right

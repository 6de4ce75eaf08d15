"""Judging: what a teacher learns from labelled claims and from a reader's proposals, and what a student learns from it (Hinton et al., 2015)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import torch
from torch import Tensor

from goalmem_lab.train.distil_batches import (
    Index,
    Learner,
    Pools,
    SpecialPieces,
    Steps,
    Stretches,
    by_length,
    in_order,
    learn,
    paired,
)
from goalmem_lab.train.distil_data import Answering, Rows, joined
from goalmem_lab.train.distil_reader import SCORED, Proposals
from goalmem_lab.train.states import Progress

PAIR = np.dtype([(name, "<i4") for name in ("statement", "window", "first", "last", "excerpt", "label")])
"""A text, and where `window` is not -1 pieces of that window behind it, over an excerpt; `label` as below."""
ENTAILED, UNSUPPORTED, UNKNOWN = 0, 3, -1
"""Beside contradicted (1) and not said (2): one of those two, and none."""
MOST_PIECES = 250
"""Of a pair, without special pieces."""
SHOWN_PIECES = 180
"""Of an excerpt, as far as it counts for sorting by length."""
LABEL_WEIGHT = 0.3
"""Of the labels beside the teacher, in a student's loss."""
PROPOSALS_SEEN, TOLD_SEEN, NOTED_SEEN = 70_000, 60_000, 40_000
"""Of each kind, what an epoch of the teacher sees at most."""
NOTED_TAUGHT = 80_000
"""Claims of notes that a student learns from, at most."""

Tell = Callable[[Progress], None]


def stated_pairs(claims: Rows) -> Rows:
    """Claims as pairs."""
    pairs = np.full(len(claims), -1, dtype=PAIR)
    for name in ("statement", "excerpt", "label"):
        pairs[name] = claims[name]
    return pairs


def proposed_pairs(proposed: Proposals) -> Rows:
    """A question with the words proposed as its answer, over the turn that says them."""
    labels = np.where(proposed.right == 1, ENTAILED, np.where(proposed.right == 0, UNSUPPORTED, UNKNOWN))
    return _asked_pairs(proposed.turns, proposed.first, proposed.last, labels)


def marked_pairs(turns: Rows) -> Rows:
    """Questions with their marked answers, over the turns that say them."""
    marked = turns[turns["answering"] == Answering.MARKED]
    return _asked_pairs(marked, marked["span"][:, 0], marked["span"][:, 1], np.full(len(marked), ENTAILED))


def _asked_pairs(turns: Rows, first: Index, last: Index, labels: Index) -> Rows:
    pairs = np.zeros(len(turns), dtype=PAIR)
    pairs["statement"], pairs["window"], pairs["excerpt"] = turns["question"], turns["window"], turns["excerpt"]
    pairs["first"], pairs["last"], pairs["label"] = first, last, labels
    return pairs


def _inputs(pairs: Rows, pools: Pools, special: SpecialPieces) -> dict[str, Tensor]:
    columns = {name: torch.from_numpy(pairs[name].astype(np.int64)).to(pools.device) for name in PAIR.names or ()}
    asked = pools.texts.rows(columns["statement"])
    answers = torch.where(columns["window"] >= 0, columns["last"] - columns["first"] + 1, 0)
    windows = pools.windows.rows(columns["window"].clamp(min=0))
    answer = Stretches(windows.pieces, windows.starts + columns["first"], answers)
    whole = asked.lengths + answers
    places = torch.arange(int(whole.max()), device=pools.device)[None]
    in_question = places < asked.lengths[:, None]
    pieces = torch.where(in_question, asked.at(places), answer.at(places - asked.lengths[:, None]))
    starts = torch.arange(len(pairs), device=pools.device) * pieces.shape[1]
    excerpt = pools.texts.rows(columns["excerpt"])
    shown = Stretches(excerpt.pieces, excerpt.starts, torch.minimum(excerpt.lengths, MOST_PIECES - whole))
    return paired(Stretches(pieces.flatten(), starts, whole), shown, special)[0]


def _lengths(pairs: Rows, pools: Pools) -> Index:
    answers = np.where(pairs["window"] >= 0, pairs["last"] - pairs["first"] + 1, 0)
    shown = np.minimum(pools.texts.sizes[pairs["excerpt"]], SHOWN_PIECES)
    lengths: Index = pools.texts.sizes[pairs["statement"]] + answers + shown
    return lengths


def labelled_losses(logits: Tensor, labels: Tensor) -> Tensor:
    """Cross-entropy for each row; of what is contradicted or not said, but not known which, the two together; 0 without a label."""
    logs = logits.log_softmax(1)
    known = -logs.gather(1, labels.clamp(0, 2)[:, None])[:, 0]
    losses = torch.where(labels == UNSUPPORTED, -logs[:, 1:].logsumexp(1), known)
    return losses * (labels >= 0)


def teach_judge(
    teacher: Learner,
    pools: Pools,
    proposed: Rows,
    marked: Rows,
    stated: tuple[Rows, Rows],
    steps: Steps,
    random_: np.random.Generator,
    tell: Tell,
) -> None:
    """Train a teacher on labels. `stated`: claims of lives and of notes."""
    sure = proposed[proposed["label"] >= 0]

    def losses(_: int) -> Iterator[Tensor]:
        told, noted = some(stated[0], TOLD_SEEN, random_), some(stated[1], NOTED_SEEN, random_)
        pairs = joined([some(sure, PROPOSALS_SEEN, random_), marked, told, noted])
        for batch in by_length(_lengths(pairs, pools), steps.rows, random_):
            logits = teacher(_inputs(pairs[batch], pools, teacher.special)).float()
            labels = torch.from_numpy(pairs["label"][batch].astype(np.int64)).to(pools.device)
            yield labelled_losses(logits, labels).sum() / (labels >= 0).sum().clamp(min=1)

    learn(teacher.network, steps, losses, tell)


def distil_judge(
    student: Learner,
    teacher: Learner,
    pools: Pools,
    pairs: Rows,
    steps: Steps,
    random_: np.random.Generator,
    tell: Tell,
) -> None:
    """Train a student on what its teacher says of every pair, and on the labels of those that have one."""
    lengths = _lengths(pairs, pools)
    taught = _verdicts(teacher, pools, pairs)

    def losses(_: int) -> Iterator[Tensor]:
        for batch in by_length(lengths, steps.rows, random_):
            logits = student(_inputs(pairs[batch], pools, student.special)).float()
            labels = torch.from_numpy(pairs["label"][batch].astype(np.int64)).to(pools.device)
            said = taught[torch.from_numpy(batch).to(pools.device)]
            divergence = -(said * logits.log_softmax(1)).sum(1)
            yield (divergence + LABEL_WEIGHT * labelled_losses(logits, labels)).mean()

    learn(student.network, steps, losses, tell)


def _verdicts(learner: Learner, pools: Pools, pairs: Rows) -> Tensor:
    """The probabilities of the three classes, shape (pairs, 3)."""
    verdicts = torch.empty(len(pairs), 3, device=pools.device)
    for batch in in_order(_lengths(pairs, pools), SCORED):
        with torch.inference_mode():
            logits = learner(_inputs(pairs[batch], pools, learner.special)).float()
        verdicts[torch.from_numpy(batch).to(pools.device)] = logits.softmax(1)
    return verdicts


def some(rows: Rows, most: int, random_: np.random.Generator) -> Rows:
    """A draw of rows without putting back, in their order."""
    return rows[np.sort(random_.choice(len(rows), min(most, len(rows)), replace=False))]

"""Fitting the local critic to weak labels: online expectation maximisation of a log-linear model.

What is made likely is each question's labels together: the sum, over the chains that may have been meant, of the chain's
probability (the product over its steps, stopping included) times how well what it leads to agrees with the answers. Each
question's chains are weighed by what the model has come to prefer, so that questions whose answers leave no doubt decide for
those that do (Dempster, Laird and Rubin 1977; Neal and Hinton 1998 for one case at a time). AdaGrad steps (Duchi et al. 2011).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from goalmem.graph.local_alignment import FEATURES, QuestionAlignment
from goalmem.graph.local_model import BITS, GENERAL, LocalModel, buckets, contexts, grams
from goalmem.graph.protocol import Hop
from goalmem.graph.retriever import Vectors
from goalmem_lab.train.critic_labels import Labelled

Choice = Hop | None
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Fit:
    """How is fitted."""

    epochs: int = 8
    rate: float = 0.5
    """Step size of the table's weights."""
    general_rate: float = 0.02
    """Step size of the general weights, which every step of every question moves."""
    agreement: float = 10.0
    """How sharply a chain's weight falls with its F1: exp(agreement * (F1 - the best F1))."""
    shortness: float = 0.5
    """What each hop costs a chain in log-odds: of two that lead to the same, the shorter was rather meant."""
    seed: int = 7


@dataclass(slots=True, eq=False)
class Fitting:
    """Weights while they are fitted, with AdaGrad's sums of squares."""

    table: Floats = field(default_factory=lambda: np.zeros(1 << BITS, dtype=np.float32))
    squares: Floats = field(default_factory=lambda: np.full(1 << BITS, 1e-2, dtype=np.float32))
    general: Floats = field(default_factory=lambda: np.array([GENERAL[n] for n in FEATURES], dtype=np.float32))
    general_squares: Floats = field(default_factory=lambda: np.full(len(FEATURES), 1e-2, dtype=np.float32))
    epoch: int = 0
    """Those that are done."""

    def model(self, relations: Sequence[str], made: dict[str, str | int | float]) -> LocalModel:
        """What was fitted."""
        general = dict(zip(FEATURES, self.general.tolist(), strict=True))
        return LocalModel(general, frozenset(relations), self.table, made)


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """A beginning of some chains: what may be next."""

    within: NDArray[np.uint64]
    """Contexts of each choice."""
    features: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A question, ready to be fitted to."""

    grams: NDArray[np.uint64]
    states: tuple[State, ...]
    chains: tuple[tuple[tuple[int, int], ...], ...]
    """Of each chain its steps: the state, and the place of what is chosen there."""
    prior: NDArray[np.float64]
    """Log-weight of each chain."""


def fit(
    labels: Sequence[Labelled],
    vectors: Vectors,
    how: Fit | None = None,
    begun: Fitting | None = None,
    epoch_done: Callable[[Fitting, float], None] | None = None,
) -> Fitting:
    """Fit to weak labels, going on from what was `begun`. `epoch_done` hears the weights and the mean log-likelihood."""
    how, at = how or Fit(), begun or Fitting()
    made: dict[str, QuestionAlignment] = {}
    forth = tuple(sorted({Hop(hop.relation) for each in labels for ways in each.onward.values() for hop in ways}))
    cases = [
        _case(each, made.setdefault(each.masked, QuestionAlignment(each.masked, vectors, forth)), how)
        for each in labels
    ]
    while at.epoch < how.epochs:
        order = np.random.default_rng(how.seed + at.epoch).permutation(len(cases)).tolist()
        told = math.fsum(_step(cases[place], at, how) for place in order)
        at.epoch += 1
        if epoch_done is not None:
            epoch_done(at, told / max(len(cases), 1))
    return at


def _case(labelled: Labelled, alignment: QuestionAlignment, how: Fit) -> Case:
    numbers: dict[tuple[Hop, ...], int] = {}
    choices: dict[tuple[Hop, ...], list[Choice]] = {}
    states: list[State] = []
    chains = []
    for chain in labelled.chains:
        steps = []
        for place in range(len(chain.hops) + 1):
            before = chain.hops[:place]
            if before not in numbers:
                choices[before] = _choices(before, labelled)
                numbers[before] = len(states)
                features = alignment.features(before, choices[before], labelled.onward[before])
                states.append(State(contexts(before, choices[before]), features))
            chosen = chain.hops[place] if place < len(chain.hops) else None
            steps.append((numbers[before], choices[before].index(chosen)))
        chains.append(tuple(steps))
    best = max(chain.f1 for chain in labelled.chains)
    prior = [how.agreement * (c.f1 - best) - how.shortness * len(c.hops) for c in labelled.chains]
    return Case(grams(labelled.masked), tuple(states), tuple(chains), np.array(prior))


def _choices(before: tuple[Hop, ...], labelled: Labelled) -> list[Choice]:
    hops = dict.fromkeys((*labelled.onward[before], *labelled.others))
    return [*hops, *([None] if before else [])]


def _step(case: Case, at: Fitting, how: Fit) -> float:
    """One step towards a question's labels; their log-likelihood before it."""
    scale = 1 / math.sqrt(max(len(case.grams), 1))
    places = [buckets(case.grams, state.within) for state in case.states]
    chances = []
    for state, where in zip(case.states, places, strict=True):
        scores = at.table[where].sum(axis=1) * scale + state.features @ at.general
        chances.append(_chances(scores))
    logs = [np.log(np.maximum(chance, 1e-30)) for chance in chances]
    joint = case.prior + [math.fsum(logs[s][c] for s, c in steps) for steps in case.chains]
    top = joint.max()
    meant = np.exp(joint - top)
    told = float(top + math.log(meant.sum()))
    meant /= meant.sum()
    targets = [np.zeros(len(chance)) for chance in chances]
    for steps, weight in zip(case.chains, meant.tolist(), strict=True):
        for s, c in steps:
            targets[s][c] += weight
    for state, where, chance, target in zip(case.states, places, chances, targets, strict=True):
        through = target.sum()
        if through > 1e-4:
            _move(at, how, where, (target - through * chance).astype(np.float32), scale)
            _move_general(at, how, state, target, float(through))
    return told


def _move(at: Fitting, how: Fit, where: NDArray[np.int64], error: Floats, scale: float) -> None:
    """An AdaGrad step of the table up the gradient of one state. Where two features share a place, one of them counts."""
    uphill = np.broadcast_to((error * scale)[:, None], where.shape)
    at.squares[where] += uphill**2
    at.table[where] += how.rate * uphill / np.sqrt(at.squares[where])


def _move_general(at: Fitting, how: Fit, state: State, target: NDArray[np.float64], through: float) -> None:
    """The same of the general weights, as if there were no table: they must stand alone on a graph of which it says nothing."""
    error = (target - through * _chances(state.features @ at.general)).astype(np.float32)
    general = error @ state.features
    at.general_squares += general**2
    at.general += how.general_rate * general / np.sqrt(at.general_squares)


def _chances(scores: Floats) -> NDArray[np.float64]:
    made = np.exp(scores - scores.max(), dtype=np.float64)
    chances: NDArray[np.float64] = made / made.sum()
    return chances

"""What is measured of answers over graphs.

`hits@1`: the single best answer is right. `hit`: any answer of the best leaves is, as the paper of ArG counts. `f1`: of the best
leaf's whole set against the gold answers, averaged over questions. `exact`: that set is the gold set. `paths_verified`: share
of the answers, over all questions, whose walk the verifier accepts. `seconds_per_question`: from a question and its marked
or linked topic to its answers; verifying comes on top.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from goalmem.graph.entity_names import folded


@dataclass(frozen=True, slots=True)
class Scored:
    """What came of one question."""

    hops: str
    right: bool
    hit: bool
    f1: float
    exact: bool
    answers: int
    """Paths that were verified, or tried to be."""
    verified: int
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        """As it is kept in the state of a run."""
        return asdict(self)


def scored(
    gold: Iterable[str],
    answers: Sequence[Sequence[str]],
    others: Iterable[Sequence[str]],
    *,
    hops: str,
    seconds: float,
    paths: tuple[int, int],
) -> Scored:
    """Compare answers, each under all of its names, best first, with the gold ones; names are compared without case."""
    wanted = {folded(name) for name in gold}
    found = [frozenset(map(folded, names)) for names in answers]
    right = [bool(names & wanted) for names in found]
    # Two gold names of one answer are one, and two answers of one gold name are two.
    missed = len(wanted - frozenset().union(*found)) if found else len(wanted)
    hits = sum(right)
    f1 = 2 * hits / (len(found) + hits + missed) if hits else 0.0
    hit = any(right) or any(frozenset(map(folded, names)) & wanted for names in others)
    exact = bool(found) and not missed and all(right)
    return Scored(hops, bool(right[:1] == [True]), hit, f1, exact, paths[1], paths[0], seconds)


def figures_of(results: Sequence[Scored]) -> dict[str, Any]:
    """The figures of all questions, and by hops where files say how many."""
    return {**_figures(results), "by_hops": _by_hops(results)}


def _figures(results: Sequence[Scored]) -> dict[str, Any]:
    tried = sum(result.answers for result in results)
    return {
        "questions": len(results),
        "hits@1": _mean(r.right for r in results),
        "hit": _mean(r.hit for r in results),
        "f1": _mean(r.f1 for r in results),
        "exact": _mean(r.exact for r in results),
        "seconds_per_question": _mean(r.seconds for r in results),
        "paths_verified": sum(r.verified for r in results) / tried if tried else None,
    }


def _mean(values: Iterable[float]) -> float | None:
    given = list(values)
    return fmean(given) if given else None


def _by_hops(results: Sequence[Scored]) -> Mapping[str, Any]:
    parts: dict[str, list[Scored]] = defaultdict(list)
    for result in results:
        if result.hops:
            parts[result.hops].append(result)
    return {name: _figures(own) for name, own in sorted(parts.items())}

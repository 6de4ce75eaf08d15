"""What ArG's parts are worth on a graph, as in the paper's ablations: beams and depths (figure 3), scores (table 3), retrieval (table 4).

Every variant answers the same questions with the same critic.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from goalmem.graph.reasoner import GraphReasoner
from goalmem.graph.search import SearchOptions
from goalmem.graph.tree import PUBLISHED
from goalmem_lab.evals.kgqa import Linker, asked, warm_up
from goalmem_lab.evals.kgqa_data import GraphQuestion
from goalmem_lab.evals.kgqa_figures import figures_of
from goalmem_lab.evals.picture import save
from goalmem_lab.evals.progress import Tick, ignore

if TYPE_CHECKING:
    from matplotlib.axes import Axes


BEAMS = (1, 3, 5, None)
DEPTHS = (1, 2, 3, 4)
GROUPS = ("beam", "depth", "retrieval", "entities", "without", "without two")
ROWS = 2
"""Rows of panels of the picture."""
MEASURES = ("hits@1", "hit", "f1", "exact", "seconds_per_question")
FEWER = 3
"""The smaller K of table 4."""
SCORES = ("sequence", "relevance", "rationality", "utility")
COLOURS = {"hits@1": "#0072B2", "f1": "#D55E00"}
"""Blue and vermilion of Okabe and Ito (2008), which everybody tells apart."""
INCHES = (11.0, 6.8)


def variants(base: SearchOptions) -> Mapping[str, Mapping[str, SearchOptions]]:
    """The variants of each group by name; where the base is one of them, it is there, too."""
    k = base.candidates
    return {
        "beam": {"exhaustive" if b is None else str(b): replace(base, beam=b) for b in BEAMS},
        "depth": {str(depth): replace(base, depth=depth) for depth in DEPTHS},
        "retrieval": {
            f"K = {k}": base,
            "no hypo-generator": replace(base, hypotheses=False),
            "no retriever": replace(base, retriever=False),
            f"K = {FEWER}": replace(base, candidates=FEWER),
        },
        "entities": {
            f"{k} judged": base,
            f"only {k}": replace(base, judged=k, unjudged=False),
            "all judged": replace(base, judged=None),
        },
        "without": {"nothing": base, **{_left_out(name): _without(base, name) for name in SCORES}},
        "without two": {_left_out(*pair): _without(base, *pair) for pair in combinations(SCORES, 2)}
        | {"S_uti alone": _without(base, "sequence", "relevance", "rationality")},
    }


def _left_out(*names: str) -> str:
    return ", ".join(f"S_{name[:3]}" for name in names)


def _without(base: SearchOptions, *names: str) -> SearchOptions:
    return replace(base, scoring=replace(PUBLISHED, **dict.fromkeys(names, False)))


def ablate(
    reasoner: GraphReasoner, questions: Sequence[GraphQuestion], linker: Linker, progress: Tick | None = None
) -> dict[str, Any]:
    """Measure every variant of a reasoner's options; of each group the figures by variant."""
    warm_up(reasoner)
    known: dict[SearchOptions, dict[str, Any]] = {}
    groups: dict[str, dict[str, Any]] = {}
    for group, named in variants(reasoner.options).items():
        for name, options in named.items():
            if options not in known:
                known[options] = _figures(
                    replace(reasoner, options=options), questions, linker, f"{group} {name}", progress
                )
            groups.setdefault(group, {})[name] = known[options]
    return {"questions": len(questions), "critic": reasoner.critic.name, **groups}


def _figures(
    reasoner: GraphReasoner, questions: Sequence[GraphQuestion], linker: Linker, name: str, progress: Tick | None
) -> dict[str, Any]:
    results = []
    for number, question in enumerate(questions, 1):
        results.append(asked(reasoner, question, linker, verify=False))
        (progress or ignore)(name, number, len(questions))
    found = figures_of(results)
    by_hops = {hops: {key: own[key] for key in MEASURES} for hops, own in found["by_hops"].items()}
    return {**{key: found[key] for key in MEASURES}, "by_hops": by_hops}


def table(figures: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Columns and rows: a row a variant."""
    rows = [
        [f"{group} {name}", *("" if own[key] is None else f"{own[key]:.3f}" for key in MEASURES)]
        for group in GROUPS
        for name, own in figures[group].items()
    ]
    return ["variant", *MEASURES], rows


def draw_ablation(figures: Mapping[str, Any], path: Path) -> None:
    """Draw hits@1 and F1 of each variant, a panel a group. Raises InputError when the file cannot be written."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=INCHES, layout="constrained")
    panels = figure.subplots(ROWS, len(GROUPS) // ROWS, sharey=True).flatten()
    for ax, group in zip(panels, GROUPS, strict=True):
        _bars(ax, group, figures[group])
        ax.set_ylabel("share")
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, frameon=False, loc="outside lower center", ncols=len(names), fontsize=8)
    figure.suptitle(f"{figures['questions']} questions, critic {figures['critic'].split('-')[0]}", fontsize=11)
    save(figure, path)


def _bars(ax: Axes, group: str, named: Mapping[str, Mapping[str, Any]]) -> None:
    width = 0.4
    for number, (measure, colour) in enumerate(COLOURS.items()):
        places = [place + (number - 0.5) * width for place in range(len(named))]
        heights = [own[measure] or 0.0 for own in named.values()]
        ax.bar(places, heights, width, color=colour, label=measure)
        for place, height in zip(places, heights, strict=True):
            ax.annotate(f"{height:.2f}", (place, height), ha="center", va="bottom", fontsize=6)
    slanted = group not in ("beam", "depth")
    ax.set_xticks(
        range(len(named)), list(named), fontsize=8, rotation=20 if slanted else 0, ha="right" if slanted else "center"
    )
    ax.set_title(group, fontsize=10)
    ax.set_ylim(0, 1.08)
    ax.spines[["top", "right"]].set_visible(False)

"""The ablation as a picture: for each benchmark a bar a signal."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from goalmem.errors import InputError, ModelError
from goalmem_lab.evals.ablation import CHIEF, difference, table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


KINDS = (".svg", ".png", ".pdf")
MISSED, BETTER = "#0072B2", "#D55E00"
"""Blue and vermilion of Okabe and Ito (2008), which everybody tells apart; direction and number say the same."""
INCHES_A_SIGNAL = 0.27
INCHES_A_BENCHMARK = 3.3
ROOM = 0.3
"""Share of the longest bar that is left free at its end, for its number."""
LEAST_REACH = 0.5
"""Points of a hundred that an axis shows at least: noise shall look like noise."""


def check_picture(path: Path) -> None:
    """Say before the work begins that a picture cannot be drawn. Raises InputError, or ModelError for a missing package."""
    if path.suffix.lower() not in KINDS:
        raise InputError(f"{path} is no picture that can be drawn.", f"Let its name end with {', '.join(KINDS)}.")
    if find_spec("matplotlib") is None:
        raise ModelError(
            "The picture needs the package 'matplotlib', which is not installed.",
            'Install it: pip install "goalmem-lab[eval]".',
        )


def draw(figures: Mapping[str, Any], path: Path) -> None:
    """Draw the difference that each signal's absence makes to the chief measure of each benchmark, in points of a hundred.

    Raises InputError when the file cannot be written.
    """
    from matplotlib.figure import Figure

    benchmarks = list(figures["benchmarks"])
    signals = [row[0] for row in table(figures)[1][1:]]
    size = (1.4 + INCHES_A_BENCHMARK * len(benchmarks), 1.3 + INCHES_A_SIGNAL * len(signals))
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(1, len(benchmarks), sharey=True, squeeze=False)[0]
    for ax, name in zip(axes, benchmarks, strict=True):
        _bars(ax, signals, [difference(figures, name, signal, CHIEF[name]) for signal in signals])
        whole = 100 * (figures["benchmarks"][name]["full"][CHIEF[name]] or 0.0)
        ax.set_title(f"{name}\n{CHIEF[name]}, all signals: {whole:.1f}", fontsize=10)
    figure.suptitle("Without one signal", fontsize=12)
    figure.supxlabel("difference to the full system, points of a hundred", fontsize=10)
    save(figure, path)


def _bars(ax: Axes, signals: list[str], differences: list[float]) -> None:
    places = range(len(signals))
    ax.barh(places, differences, color=[MISSED if d < 0 else BETTER for d in differences], height=0.7)
    for place, value in zip(places, differences, strict=True):
        ax.annotate(
            f"{value:+.1f}" if abs(value) >= 0.05 else "0",
            (value, place),
            xytext=(-3 if value < 0 else 3, 0),
            textcoords="offset points",
            ha="right" if value < 0 else "left",
            va="center",
            fontsize=8,
        )
    low, high = min([-LEAST_REACH, *differences]), max([LEAST_REACH, *differences])
    ax.set_xlim(low - ROOM * max(-low, high), high + ROOM * max(-low, high))
    ax.set_yticks(list(places), signals)
    ax.invert_yaxis()
    ax.axvline(0, color="black", linewidth=0.8)
    ax.grid(axis="x", linewidth=0.4, alpha=0.5)
    ax.set_axisbelow(True)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0)


def save(figure: Figure, path: Path) -> None:
    """Write a figure; the same one gives the same file. Raises InputError when it cannot be written."""
    import matplotlib

    # Same figures, same file: no date, and ids that do not change.
    with matplotlib.rc_context({"svg.hashsalt": "goalmem", "svg.fonttype": "none"}):
        try:
            figure.savefig(path, dpi=150, metadata={"Date": None} if path.suffix.lower() == ".svg" else None)
        except OSError as error:
            raise InputError(
                f"{path} cannot be written: {error.strerror or error}.", "Choose another place."
            ) from error

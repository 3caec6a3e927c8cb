"""What leases cost, as a picture: how long jobs waited, by queue, and what each length of lease wasted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .outcome import Run
from .report import clock, percent, queue_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INKS = ("#3b6fb6", "#c8553d", "#2f8f6b", "#8a5ca8", "#b8860b", "#4d4d4d")
SHARES = {"p50": "o", "p90": "s", "max": "^"}
"""The waits that are shown, and the marker of each, so that colour isn't all that tells them apart."""
ROW, LEAST = 0.34, 2.2
"""Inches."""


def plot(file: str, title: str, runs: Sequence[Run]) -> None:
    """Write the picture; the file's ending says in which form. Raises OSError. Importing matplotlib takes a second."""
    from matplotlib.figure import Figure

    rows = sum(len(run.waits) for run in runs)
    high = max(LEAST, 1.1 + ROW * rows) + max(LEAST, 1.1 + 2 * ROW * len(runs))
    figure = Figure(figsize=(9, high), layout="constrained", facecolor="white")
    waits, costs = figure.subplots(
        2, 1, height_ratios=[max(LEAST, 1.1 + ROW * rows), max(LEAST, 1.1 + 2 * ROW * len(runs))]
    )
    figure.suptitle(title, fontsize=10, wrap=True)
    _draw_waits(waits, runs)
    _draw_costs(costs, runs)
    figure.savefig(file, dpi=150, metadata={"Date": None} if file.endswith(".svg") else None)


def _draw_waits(axes: Axes, runs: Sequence[Run]) -> None:
    """A row for each queue and lease: the median, the 90th percentile and the longest wait."""
    queues = list(dict.fromkeys(wait.queue for run in runs for wait in run.waits))
    rows = [(queue, run, wait) for queue in queues for run in runs for wait in run.waits if wait.queue == queue]
    for place, (_, run, wait) in enumerate(rows):
        ink = INKS[runs.index(run) % len(INKS)]
        seconds = [getattr(wait, name) for name in SHARES]
        axes.plot([seconds[0], seconds[-1]], [place, place], color=ink, linewidth=1.2, alpha=0.6, zorder=1)
        for (_, marker), value in zip(SHARES.items(), seconds, strict=True):
            axes.plot(value, place, marker, color=ink, markersize=6, zorder=2)
    axes.set_yticks(range(len(rows)), [_row_name(queue, run, runs) for queue, run, _ in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    longest = max((wait.max for _, _, wait in rows), default=0)
    axes.set_xscale("symlog", linthresh=60, linscale=0.5)
    axes.set_xlim(-2, max(60, longest) * 1.6)
    ticks = [second for second in TICKS if second <= max(60, longest) * 1.6]
    axes.set_xticks(ticks, [TICKS[second] for second in ticks])
    axes.set_xticks([], minor=True)
    axes.set_title("How long jobs waited for their first lease", loc="left", fontsize=10)
    legend = [
        _marker(marker, {"p50": "half waited no longer", "p90": "nine of ten", "max": "the longest"}[name])
        for name, marker in SHARES.items()
    ]
    axes.legend(handles=legend, fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=3, frameon=False)
    _tidy(axes)


TICKS = {
    0: "0",
    10: "10 s",
    60: "1 min",
    600: "10 min",
    3600: "1 h",
    36_000: "10 h",
    86_400: "1 d",
    864_000: "10 d",
    8_640_000: "100 d",
}


def _row_name(queue: int | None, run: Run, runs: Sequence[Run]) -> str:
    who = "all jobs" if queue is None else f"queue {queue_name(queue)}"
    return who if len(runs) == 1 else f"{who}, lease {run.lease}"


def _draw_costs(axes: Axes, runs: Sequence[Run]) -> None:
    """For each lease the work that counted, and what was wasted."""
    hours = 3600
    for place, run in enumerate(runs):
        counted = (run.worked_seconds - run.wasted_seconds) / hours
        ink = INKS[runs.index(run) % len(INKS)]
        axes.barh(place, counted, color=ink, height=0.5)
        axes.barh(
            place, run.wasted_seconds / hours, left=counted, color="white", edgecolor=ink, hatch="////", height=0.5
        )
        share = percent(run.wasted_seconds / run.worked_seconds if run.worked_seconds else None)
        said = f"  {share} wasted ({clock(run.wasted_seconds)}); {run.expiries:,} expiries, {run.leases:,} leases"
        axes.text(0, place + 0.42, said.strip(), fontsize=8, va="center")
    axes.set_yticks(range(len(runs)), [f"lease {run.lease}" for run in runs])
    axes.set_ylim(len(runs) - 0.3, -0.5)
    axes.set_xlabel("hours worked: what counted is filled, what was wasted is hatched", fontsize=8)
    axes.set_title("What each length of lease costs", loc="left", fontsize=10)
    _tidy(axes)


def _marker(marker: str, label: str) -> Any:
    from matplotlib.lines import Line2D

    return Line2D([], [], color="#4d4d4d", marker=marker, linestyle="", label=label)


def _tidy(axes: Axes) -> None:
    axes.tick_params(labelsize=8)
    axes.grid(axis="x", color="#dddddd", linewidth=0.6, zorder=0)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)

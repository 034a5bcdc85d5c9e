"""How time grows with judged hits, runs, topics and trials. If it grows linearly,
seconds per unit are constant down a column.

    python benchmarks/growth.py FOLDER

Collections of several sizes are generated in the folder (`collection.py`). Times are
the fastest of several, in processor seconds and by the clock. The script prints the
table, and writes the figure `growth.svg` beside this file.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

import irmeval
from benchmarks.collection import RUNS, TOPICS, write
from benchmarks.evaluation import OURS
from irmeval.experiments import EXPERIMENTS
from irmeval.plots.colors import Style
from irmeval.plots.line_charts import Axes, ChartLine, curves
from irmeval.plots.svg import svg
from irmeval.stats.significance import compare
from irmeval.stats.swap_rates import swap
from irmeval.stats.topic_sets import stability

TIMES = 5
NAMES = {compare: "bootstrap", stability: "stability", swap: "swap"}
COLORS = ("#0072B2", "#D55E00", "#009E73")
PANEL = 420
"""Pixels that a panel of the figure is wide."""


def seconds(work: Callable[[], object], times: int = TIMES) -> tuple[float, float]:
    """Seconds by the clock and of the processors, the least of each."""
    taken = []
    for _ in range(times):
        clock, cpu = time.perf_counter(), time.process_time()
        work()
        taken.append((time.perf_counter() - clock, time.process_time() - cpu))
    clocks, cpus = zip(*taken, strict=True)
    return min(clocks), min(cpus)


class Row(NamedTuple):
    """A timed task: name, size and time."""

    work: str
    amount: float
    unit: str
    clock: float
    cpu: float

    def line(self) -> str:
        """A line of the table."""
        shown = (
            f"{self.clock * 1000:,.1f} | {self.cpu * 1000:,.1f} |"
            f" {self.cpu / self.amount * 1e9:,.0f}"
        )
        return f"| {self.work} | {self.amount:,.0f} {self.unit} | {shown} |"


def row(what: str, amount: float, unit: str, work: Callable[[], object], times: int = TIMES) -> Row:
    """Time a task and print its row."""
    found = Row(what, amount, unit, *seconds(work, times))
    print(found.line(), flush=True)
    return found


def figure(rows: list[Row]) -> str:
    """The figure as SVG: processor milliseconds against size, a panel for each unit.
    Dotted lines are proportional to size, up to the largest.
    """
    panels = []
    for unit in dict.fromkeys(row.unit for row in rows):
        here = sorted((row for row in rows if row.unit == unit), key=lambda row: row.amount)
        x, lines = [0.0, *dict.fromkeys(row.amount for row in here)], []
        for color, work in zip(COLORS, dict.fromkeys(row.work for row in here), strict=False):
            y = np.array([np.nan, *(row.cpu * 1000 for row in here if row.work == work)])
            lines.append(ChartLine(work.split(",")[0], y, Style(color, "solid", "circle")))
            lines.append(
                ChartLine(
                    f"proportional to {len(lines)}",
                    y[-1] * np.array(x) / x[-1],
                    Style(color, "dot", "circle"),
                )
            )
        top = max(row.cpu for row in here) * 1100
        ticks = {amount: f"{amount:,.0f}" for amount in (x if len(x) < 5 else (x[0], x[-1]))}
        named = [line.name for line in lines[::2]]
        panels.append(
            svg(
                curves(
                    x,
                    lines,
                    Axes(xtitle=unit, ytitle="CPU ms", yrange=(0.0, top), ticks=ticks),
                    named=named,
                ),
                pixels=PANEL,
            )
        )
    nested = "".join(
        panel.replace("<svg ", f'<svg x="{i * PANEL}" ', 1) for i, panel in enumerate(panels)
    )
    size = f'width="{PANEL * len(panels)}" height="450"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {PANEL * len(panels)}'
        f' 450">{nested}</svg>\n'
    )


def main(folder: Path) -> None:
    def collection(runs: int, topics: int) -> irmeval.Collection:
        place = folder / f"{runs}x{topics}"
        if not place.exists():
            write(place, runs, topics)
        return irmeval.read_collection(place / "qrels.txt", place / "runs")

    print("| work | grows with | ms | CPU ms | CPU ns per unit |\n| --- | --- | --- | --- | --- |")
    whole, rows = collection(RUNS, TOPICS), []
    for rate in (100, 70, 50, 30, 10):
        grades = irmeval.reduce(whole, rate=rate)[0]
        hits = np.count_nonzero(grades[whole.judgment_index] > 0)
        rows += [
            row(
                "16 measures",
                int(hits),
                "relevant retrieved",
                lambda grades=grades: irmeval.evaluate(whole, OURS, grades=grades),
            )
        ]
    sizes = (
        [(r, TOPICS) for r in (32, 63, RUNS, 2 * RUNS)],
        [(RUNS, t) for t in (12, 25, TOPICS, 2 * TOPICS)],
    )
    for i, unit in enumerate(("runs", "topics")):
        for size in sizes[i]:
            made = collection(*size)
            rows += [
                row("16 measures", size[i], unit, lambda made=made: irmeval.evaluate(made, OURS))
            ]
    for size in sizes[0]:
        scores = irmeval.evaluate(collection(*size), ["AP"]).values[0]
        for test in NAMES:
            rows += [
                row(
                    NAMES[test],
                    size[0] * (size[0] - 1) // 2,
                    "pairs",
                    lambda test=test, scores=scores: test(scores),
                )
            ]
    incompleteness = EXPERIMENTS["curves"]
    for trials in (1, 2, 4, 8):
        params = incompleteness.params(levels=(50.0, 10.0), trials=trials)
        rows += [
            row(
                "Curves, 2 rates, 8 measures",
                trials,
                "trials",
                lambda params=params: incompleteness(whole, OURS[:8], params),
                2,
            )
        ]
    Path(__file__).with_suffix(".svg").write_text(figure(rows))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""How time grows with judged hits, runs, topics and trials; where it is linear, seconds per unit stay the same down a column.

    python benchmarks/growth.py FOLDER

Collections of several sizes are generated in the folder (`collection.py`); times are the fastest of some, in CPU seconds and by the clock.
The table is printed, the figure is `growth.svg` beside this file.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
import plotly.graph_objects as go
from collection import RUNS, TOPICS, write
from evaluation import OURS
from plotly.subplots import make_subplots

import irmeval
from irmeval.experiments import EXPERIMENTS
from irmeval.report.figures import svgs
from irmeval.stats.significance import compare
from irmeval.stats.stability import stability
from irmeval.stats.swap import swap

TIMES = 5
NAMES = {compare: "bootstrap", stability: "stability", swap: "swap"}
OKABE_ITO = ("#0072B2", "#D55E00", "#009E73")


def seconds(work: Callable[[], object], times: int = TIMES) -> tuple[float, float]:
    """By the clock and of the processors, the least of each."""
    taken = []
    for _ in range(times):
        clock, cpu = time.perf_counter(), time.process_time()
        work()
        taken.append((time.perf_counter() - clock, time.process_time() - cpu))
    clocks, cpus = zip(*taken, strict=True)
    return min(clocks), min(cpus)


class Row(NamedTuple):
    """What was timed, at which size, and how long it took."""

    work: str
    amount: float
    unit: str
    clock: float
    cpu: float

    def line(self) -> str:
        """Of the table."""
        shown = f"{self.clock * 1000:,.1f} | {self.cpu * 1000:,.1f} | {self.cpu / self.amount * 1e9:,.0f}"
        return f"| {self.work} | {self.amount:,.0f} {self.unit} | {shown} |"


def row(what: str, amount: float, unit: str, work: Callable[[], object], times: int = TIMES) -> Row:
    """Timed, and printed."""
    found = Row(what, amount, unit, *seconds(work, times))
    print(found.line(), flush=True)
    return found


def figure(rows: list[Row]) -> go.Figure:
    """CPU milliseconds against the size, a panel for each unit; the dashed lines go from nothing through the largest size."""
    units = list(dict.fromkeys(row.unit for row in rows))
    drawn = make_subplots(1, len(units), subplot_titles=units, horizontal_spacing=0.05)
    for column, unit in enumerate(units, 1):
        for i, work in enumerate(dict.fromkeys(row.work for row in rows if row.unit == unit)):
            mine = sorted((row for row in rows if row.unit == unit and row.work == work), key=lambda row: row.amount)
            x, y, color = [row.amount for row in mine], [row.cpu * 1000 for row in mine], OKABE_ITO[i]
            drawn.add_scatter(x=[0, x[-1]], y=[0, y[-1]], mode="lines", line={"dash": "dot", "color": color}, row=1, col=column)
            drawn.add_scatter(x=x, y=y, mode="markers", marker={"color": color, "size": 9}, row=1, col=column)
            drawn.add_annotation(
                x=x[-1], y=y[-1], text=work.split(",")[0], xanchor="right", yanchor="bottom", showarrow=False, row=1, col=column
            )
    drawn.update_xaxes(rangemode="tozero", nticks=5).update_yaxes(rangemode="tozero")
    drawn.update_yaxes(title="CPU ms", col=1)
    margin = {"l": 60, "r": 20, "t": 40, "b": 40}
    return drawn.update_layout(width=1400, height=330, showlegend=False, template="plotly_white", margin=margin)


def main(folder: Path) -> None:
    def collection(runs: int, topics: int) -> irmeval.Collection:
        place = folder / f"{runs}x{topics}"
        if not place.exists():
            write(place, runs, topics)
        return irmeval.read_collection(place / "qrels.txt", place / "runs")

    print("| work | grows with | ms | CPU ms | CPU ns per unit |\n| --- | --- | --- | --- | --- |")
    whole, rows = collection(RUNS, TOPICS), []
    for rate in (1.0, 0.7, 0.5, 0.3, 0.1):
        grades = irmeval.reduce(whole, rate=rate)[0]
        hits = np.count_nonzero(grades[whole.slot] > 0)
        rows += [row("16 measures", hits, "relevant retrieved", lambda grades=grades: irmeval.evaluate(whole, OURS, grades=grades))]
    sizes = [(r, TOPICS) for r in (32, 63, RUNS, 2 * RUNS)], [(RUNS, t) for t in (12, 25, TOPICS, 2 * TOPICS)]
    for i, unit in enumerate(("runs", "topics")):
        for size in sizes[i]:
            made = collection(*size)
            rows += [row("16 measures", size[i], unit, lambda made=made: irmeval.evaluate(made, OURS))]
    for size in sizes[0]:
        scores = irmeval.evaluate(collection(*size), ["AP"]).values[0]
        for test in NAMES:
            rows += [row(NAMES[test], size[0] * (size[0] - 1) // 2, "pairs", lambda test=test, scores=scores: test(scores))]
    curves = EXPERIMENTS["incompleteness"]
    for trials in (1, 2, 4, 8):
        params = curves.params(rates=(50.0, 10.0), trials=trials)
        rows += [row("Curves, 2 rates, 8 measures", trials, "trials", lambda params=params: curves(whole, OURS[:8], params), 2)]
    with svgs() as svg:
        Path(__file__).with_suffix(".svg").write_bytes(svg(figure(rows)))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

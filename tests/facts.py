"""What tables and sentences of results state, as facts that can be compared.

A column of a table states what its name says, whatever the experiment: a new one joins
by naming its columns as the others do.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import chain, combinations
from typing import Any, NamedTuple

import numpy as np

from irmeval.experiments.incompleteness.watched_curves import Curves
from irmeval.experiments.measures.variance import Variance
from irmeval.experiments.runs.matrix import PairMatrix
from irmeval.experiments.runs.two_runs import TwoRuns
from irmeval.plots.axes import use_scale
from irmeval.plots.line_charts import BAND
from irmeval.report.wide import as_table
from tests.small_work import sentences_of

ALONE, AT_ONCE, TUKEY = "alone", "at once", "Tukey's HSD"
OF_PAIRS = {
    "difference": ("difference", ""),
    "p_alone": ("p", ALONE),
    "p alone": ("p", ALONE),
    "p_at_once": ("p", AT_ONCE),
    "p at once": ("p", AT_ONCE),
    "p_value": ("p", ALONE),
    "significant": ("differs", ALONE),
    "hedges_g": ("Hedges' g", ""),
    "Hedges' g": ("Hedges' g", ""),
    "effect_size": ("effect size", ""),
    "topics_won": ("share of topics won", ""),
    "topics won": ("share of topics won", ""),
}
"""Columns of a table with a pair of runs a row, or a run that is compared with a
baseline -> what they state, and in which reading.
"""
OF_RUNS = {
    "score": ("mean", ""),
    "mean": ("mean", ""),
    "rank_low": ("rank, low", AT_ONCE),
    "rank_high": ("rank, high", AT_ONCE),
}
"""Columns of a table with a run a row."""
OF_MEASURES = {
    "mean": ("mean over runs", ""),
    "tau": ("tau", ""),
    "tau_b": ("tau of two measures", ""),
    "power": ("power", ALONE),
    "told apart": ("pairs that differ", ALONE),
    "at once": ("pairs that differ", AT_ONCE),
    "one score per topic": ("pairs that differ", ALONE),
    "minority_rate": ("minority rate", ""),
    "proportion_of_ties": ("proportion of ties", ""),
}
"""Columns of a table with a measure a row, or a measure at a rate."""
PLACES = (
    *(
        "topic",
        "rate",
        "trial",
        "pool",
        "teams",
        "topics",
        "fuzziness",
        "gains",
        "measure_b",
        "measure b",
        "ordering_a",
        "ordering_b",
    ),
    *("way", "order", "budget", "judge", "share"),
)
"""Further columns that tell rows apart."""
NOT_MEANS = "ranks"
"""The table with columns named by measures that has no means in them."""
ALPHA = 0.05
NUMBERS = {"no": 0, "none": 0, "neither": 0, "the": 1, "both": 2}
NUMBER = r"(?P<n>[\d,]+|none|no|neither|the|both|all [\d,]+)"
SENTENCES = {
    rf"[Bb]y (?P<m>\S+), {NUMBER} (?:of [\d,]+ )?pairs? of runs differs? tested pair by pair": (
        "pairs that differ",
        ALONE,
    ),
    r"[Bb]y (?P<m>\S+), \S.* pairs? of runs differs? tested pair by pair, "
    rf"{NUMBER} with all pairs tested together": (
        "pairs that differ",
        AT_ONCE,
    ),
    rf"(?P<a>\w+) is best by (?P<m>\S+) \([\d.]+\), better than {NUMBER} "
    r"(?:of [\d,]+ )?other runs?, all pairs tested together": (
        "runs beaten",
        AT_ONCE,
    ),
    rf"By (?P<m>\S+), (?P<a>\w+) is better than {NUMBER} "
    r"(?:of [\d,]+ )?other runs? tested pair by pair": (
        "runs beaten",
        ALONE,
    ),
    r"By (?P<m>\S+), (?P<a>\w+) is better than .*? tested pair by pair, "
    rf"than {NUMBER} with": (
        "runs beaten",
        AT_ONCE,
    ),
    rf"{NUMBER} other runs? (?:does|do) not differ significantly from (?P<a>\w+), the best": (
        "runs alike",
        TUKEY,
    ),
}
"""Patterns of sentences -> what they state, in which reading: of the measure `m`, the
run `a`, the number `n`.
"""


class Key(NamedTuple):
    """What is stated of what."""

    what: str
    measure: str = ""
    runs: tuple[str, ...] = ()
    reading: str = ""
    """of a pair"""
    places: tuple[tuple[str, str], ...] = ()
    """topic, rate, trial and the like"""


class Stated(NamedTuple):
    """A value, between the lowest and the highest number that are written so, and where
    it is stated.
    """

    low: float
    high: float
    where: str


Facts = dict[Key, list[Stated]]
Found = Iterator[tuple[Key, Any, str]]
"""Key, value and where it is stated."""


def stated(value: Any, where: str) -> Stated | None:
    """A value of a table or a sentence; None where it is no number."""
    if not isinstance(value, str):
        return (
            None if value is None or value != value else Stated(float(value), float(value), where)
        )
    text = str(NUMBERS.get(value.lower(), value.removeprefix("all ")))
    if not (found := re.fullmatch(r"(<? ?)([-+]?[\d,]*\.?\d+(?:e-\d+)?)", text)):
        return None
    below, digits = found.groups()
    number, rounded = (
        float(digits.replace(",", "")),
        (0.5 * 10.0 ** -len(digits.partition(".")[2]) if "." in digits else 0.0),
    )
    return Stated(0.0 if below else number - rounded, number + rounded, where)


def contradictions(facts: Facts) -> dict[Key, list[Stated]]:
    """The facts that have more than one value; sums of the same numbers in another
    order are one.
    """
    return {
        key: said
        for key, said in facts.items()
        if max(one.low for one in said) > min(one.high for one in said) + 1e-9
    }


def collect(results: dict[str, Any], runs: int) -> Facts:
    """All that the results of some experiments on so many runs state, by key."""
    facts: Facts = defaultdict(list)
    for name, result in results.items():
        own: Facts = defaultdict(list)
        for reader in (of_tables, of_sentences, of_two_runs, of_leaderboard):
            for key, value, where in reader(result):
                if said := stated(value, f"{name}: {where}"):
                    own[key].append(said)
        for key, value, where in [*implied(own)]:
            own[key].append(Stated(float(value), float(value), f"{name}: {where}"))
        for key, value, where in [*counted(own, runs)]:
            own[key].append(Stated(float(value), float(value), f"{name}: {where}"))
        for key, every in own.items():
            facts[key] += every
    return facts


def of_tables(result: Any) -> Found:
    """What the tables of a result state; those of *Variance*, of a test of its own."""
    for title, frame in (
        ("frame", result.frame()),
        *((table.name, table.make()) for table in result.tables()),
    ):
        for row in frame.to_dict("records"):
            for key, value, column in of_row(result, row, title):
                reading = TUKEY if key.reading and isinstance(result, Variance) else key.reading
                yield key._replace(reading=reading), value, f"table {title}, {column}"
        if letters := next((column for column in ("group", "groups") if column in frame), ""):
            yield from of_letters(result, frame.to_dict("records"), title, letters)


def of_letters(result: Any, rows: list[dict[str, Any]], title: str, column: str) -> Found:
    """Which runs share a letter, and so do not differ."""
    reading, first = TUKEY if isinstance(result, Variance) else AT_ONCE, str(result.measures[0])
    for one, other in combinations([row for row in rows if row[column]], 2):
        if (measure := one.get("measure", first)) == other.get("measure", first):
            apart = {*one[column]}.isdisjoint(other[column])  # at most 26, one letter each
            key = Key("differs", measure, tuple(sorted((one["run"], other["run"]))), reading)
            yield key, apart, f"table {title}, letters {one[column]} and {other[column]}"


def of_row(result: Any, row: dict[str, Any], title: str) -> Found:
    """What a row of a table states, and in which column."""
    names = [*map(str, result.measures)]
    measure, places = (
        row.get("measure", row.get("measure_a", [*names, ""][0])),
        places_of(result, row),
    )
    if pair := pair_of(result, row):
        for column in [column for column in OF_PAIRS if column in row]:
            what, reading = OF_PAIRS[column]
            yield turned(Key(what, measure, pair, reading, places), row[column], column)
        for end, reading in (("", ALONE), ("_at_once", AT_ONCE)):
            if f"high{end}" in row and "run" not in row and row[f"low{end}"] == row[f"low{end}"]:
                apart = not row[f"low{end}"] <= 0 <= row[f"high{end}"]
                yield turned(
                    Key("differs", measure, pair, reading, places), apart, f"low{end} and high{end}"
                )
        if mark := row.get("mark"):
            for least, reading in ((1, ALONE), (2, AT_ONCE)):
                yield turned(
                    Key("differs", measure, pair, reading, places),
                    len(mark.replace("–", "")) >= least,
                    f"mark {mark}",
                )
    if "run" in row:
        for column in [column for column in OF_RUNS if column in row]:
            what, reading = OF_RUNS[column]
            yield Key(what, measure, (row["run"],), reading, places), row[column], column
        for name in names if title != NOT_MEANS else []:
            for column in [column for column in (name, f"mean {name}") if column in row]:
                yield (
                    Key("mean", name, (row["run"],), "", places),
                    re.sub(r"\^.*", "", str(row[column])),
                    column,
                )
    elif not pair:
        for column in [column for column in OF_MEASURES if column in row]:
            what, reading = OF_MEASURES[column]
            yield Key(what, measure, (), reading, places), row[column], column


def places_of(result: Any, row: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    """What else tells a row apart: nothing where all judgments and topics are used."""
    if isinstance(result, Curves):
        return places_on_curves(result, row)
    places = {name: str(row[name]) for name in PLACES if name in row}
    if "rate" not in places:
        places.pop("topics", None)  # the number of topics that there are
        places |= {"left": str(row["left"])} if row.get("left", 100) != 100 else {}
    elif float(places["rate"]) == 100:  # every trial is the same, unless it draws topics
        places = {
            name: place
            for name, place in places.items()
            if name not in ({"rate"} if "topics" in places else {"rate", "trial"})
        }
    else:
        places["method"] = result.params.method
    return tuple(places.items())


def places_on_curves(result: Curves, row: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    """The same of a row of *Curves*: the axis and the level, by default the last one."""
    level = row.get("level", result.levels[-1])
    if level == result.axis.whole and not result.by.name:
        return ()
    own = result.params.own_of(result.axis)
    asked = {"of": result.axis.name, "how": own, "level": level, "by": result.params.by}
    asked |= {name: row[name] for name in ("line", "trial", "on all judgments") if name in row}
    return tuple((name, str(value)) for name, value in asked.items())


def pair_of(result: Any, row: dict[str, Any]) -> tuple[str, ...]:
    """The pair of runs of a row; () where it has none."""
    for a, b in (("run_a", "run_b"), ("run a", "run b"), ("original", "reproduced")):
        if a in row and b in row:
            return row[a], row[b]
    if isinstance(result, TwoRuns) and "p alone" in row:
        return result.pairs[0].a, result.pairs[0].b
    baseline = getattr(result, "baseline", None)
    return (row["run"], baseline) if baseline and "run" in row and row["run"] != baseline else ()


def turned(key: Key, value: Any, where: str) -> tuple[Key, Any, str]:
    """The fact with the runs of its pair in the order of their names."""
    if key.runs == tuple(sorted(key.runs)) or value is None:
        return key, value, where
    if key.what == "share of topics won":  # ties are neither won nor lost
        value = None
    elif key.what not in ("p", "differs"):
        value = -value
    return key._replace(runs=tuple(sorted(key.runs))), value, where


def of_sentences(result: Any) -> Found:
    """What the headline, the next steps and the captions of a result state."""
    for text in sentences_of(result):
        for pattern, (what, reading) in SENTENCES.items():
            for found in re.finditer(pattern, text):
                said = {"m": str(result.measures[0]), "a": ""} | {
                    name: part for name, part in found.groupdict().items() if part
                }
                yield (
                    Key(what, said["m"], (said["a"],) if said["a"] else (), reading),
                    said["n"],
                    text,
                )


def of_two_runs(result: Any) -> Found:
    """What the page of two runs states of every pair."""
    if not isinstance(result, PairMatrix):
        return
    for name in result.names:
        for a, b in combinations(result.runs, 2):
            both = result.pair(name, a, b)
            key, sentence = Key("p", str(name), tuple(sorted((a, b)))), both.verdict().text
            for reading, pattern in (
                (ALONE, r"\(p (?:= )?((?:< )?\S+)\)\."),
                (AT_ONCE, r"tested together, p (?:= )?((?:< )?[\d.]+)\. "),
            ):
                if found := re.search(pattern, sentence):
                    yield key._replace(reading=reading), found[1], sentence


def of_leaderboard(result: Any) -> Found:
    """What the table to paste states of every run and the baseline."""
    if (
        (made_by := result.made_by) is None
        or made_by.experiment != "leaderboard"
        or len(result.scores.runs) < 2
    ):
        return
    head, _, *rows = [
        [cell.strip(" *") for cell in line.split("|")[1:-1]]
        for line in as_table(result).splitlines()
        if line.startswith("|")
    ]
    for row in [dict(zip(head, row, strict=True)) for row in rows]:
        for name in [str(measure) for measure in result.measures if row["run"] != result.baseline]:
            marks = len(re.sub("[^▲▼]", "", row[name]))
            for least, reading in ((1, ALONE), (2, AT_ONCE)):
                key = Key("differs", name, tuple(sorted((row["run"], result.baseline))), reading)
                yield key, marks >= least if row[name] else None, f"table to paste: {row[name]}"


def implied(facts: Facts) -> Found:
    """Which runs differ by what is stated: their p is below alpha, the ranks they may
    have are apart, they share no letter.
    """
    for key, every in facts.items():
        if key.what == "p":
            yield from (
                (key._replace(what="differs"), one.low < ALPHA, f"{one.where} {one.low:.3g}")
                for one in every
                if one.high == one.low
            )
    of = {
        what: {key[1:4]: every[0].low for key, every in facts.items() if key.what == what}
        for what in ("rank, low", "rank, high")
    }
    for (measure, (a,), reading), low in of["rank, low"].items():
        for (other, (b,), how), high in of["rank, high"].items():
            if (measure, reading) == (other, how) and high < low:
                yield (
                    Key("differs", measure, tuple(sorted((a, b))), reading),
                    True,
                    f"ranks of {b} end at {high:g}, of {a} begin at {low:g}",
                )


def counted(facts: Facts, runs: int) -> Found:
    """How many pairs and runs differ, by what is stated of all pairs, or of all pairs
    with a run.
    """
    differ: dict[tuple[str, str], dict[tuple[str, ...], bool]] = defaultdict(dict)
    for key, said in facts.items():
        if key.what == "differs" and not key.places:
            differ[key.measure, key.reading][key.runs] = bool(said[0].low)
    for (measure, reading), pairs in differ.items():
        yes, met = sum(pairs.values()), Counter(run for both in pairs for run in both)
        if len(pairs) == runs * (runs - 1) / 2:
            yield Key("pairs that differ", measure, (), reading), yes, "all pairs"
            yield (
                Key("pairs that do not differ", measure, (), reading),
                len(pairs) - yes,
                "all pairs",
            )
            yield Key("power", measure, (), reading), yes / len(pairs), "all pairs"
        for run in [run for run, times in met.items() if times == runs - 1]:
            alike = sum(run in both and not apart for both, apart in pairs.items())
            yield Key("runs alike", measure, (run,), reading), alike, f"all pairs with {run}"


def ends_of_differences(frame: Any) -> Iterator[tuple[str, np.ndarray]]:
    """The columns with ends of intervals of differences of pairs of runs."""
    if "difference" in frame and {"run_a", "run a", "measure"} & {*frame}:
        for column in [c for c in frame if re.match(r"(low|high)\b|(low|high)_", str(c))]:
            yield column, frame[column].to_numpy(float)


def texts_in(figure: dict[str, Any]) -> list[str]:
    """The texts in a figure: of its marks and beside them."""
    marks = [np.ravel(np.array(trace.get("text", ""), object)) for trace in figure["data"]]
    beside = [note.get("text", "") for note in figure["layout"].get("annotations", ())]
    return [*map(str, chain(*marks)), *beside]


def has_band(figure: dict[str, Any]) -> bool:
    """Whether a band or bar is drawn that has a width."""
    return any(
        trace.get("name", "").endswith(BAND) and np.ptp(_known(trace["y"])) > 0
        for trace in figure["data"]
    )


def _known(values: Any) -> np.ndarray:
    numbers = np.array(values, float)
    return numbers[np.isfinite(numbers)] if np.isfinite(numbers).any() else np.zeros(1)


def has_dots(figure: dict[str, Any]) -> bool:
    """Whether a dotted line is drawn."""
    drawn = [*figure["data"], *figure["layout"].get("shapes", ())]
    return any((each.get("line") or {}).get("dash") == "dot" for each in drawn)


THINGS = {
    r"\b(The band|Each bar)\b": has_band,
    r"\b[Ii]n brackets\b": lambda figure: any(text.startswith("(") for text in texts_in(figure)),
    r"\bdotted\b": has_dots,
    r"\bLabelled\b": lambda figure: any(texts_in(figure)),
}
"""Remark of a caption -> whether a figure has what it is about."""
OF_TRIALS = re.compile(r"(\d+)th to \d+th percentile of (\d+) trials")


def idle_remarks(chart: Any) -> list[str]:
    """The remarks of a caption on what its figure does not have, or on percentiles of
    too few trials to have any beyond.
    """
    figure = chart.draw().to_dict()
    few = [
        found[0]
        for found in OF_TRIALS.finditer(chart.caption)
        if int(found[2]) * int(found[1]) < 100
    ]
    return few + [
        remark
        for remark, has_it in THINGS.items()
        if re.search(remark, chart.caption) and not has_it(figure)
    ]


def wrongly_called_zoomed(chart: Any, how: str) -> bool:
    """Whether the caption of a chart says that its axis does not begin at 0, and 0 is
    on all axes.
    """
    with use_scale(how) as scale:
        layout = chart.draw().to_dict()["layout"]
    axes = [axis for name, axis in layout.items() if re.match("[xy]axis", name)]
    away = [
        not min(axis["range"]) <= 0 <= max(axis["range"])
        if axis.get("range")
        else axis.get("rangemode") == "normal"
        for axis in axes
    ]
    return scale.zoomed and not any(away)

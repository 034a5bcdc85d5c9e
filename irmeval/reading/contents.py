"""Qrels, runs and score matrices from the columns of a file, frame or dictionary."""

from dataclasses import replace
from functools import partial
from itertools import filterfalse
from typing import Any

import numpy as np

from irmeval.core.errors import ReadError
from irmeval.core.lazy import pa
from irmeval.core.places import pick
from irmeval.core.text import count_noun
from irmeval.reading.arrays import to_arrow
from irmeval.reading.lines import TOO_LARGE, whole_number
from irmeval.reading.nested import ranks
from irmeval.reading.order import whole_ranks
from irmeval.reading.trec import (
    REPEAT_REMEDY,
    Qrels,
    Run,
    fault_at,
    line_of,
    make_qrels,
    make_run,
    repeated_rows,
)

NTCIR = {
    "L0": 0,
    "L1": 1,
    "L2": 2,
    "L3": 3,
    "L4": 4,
    "L5": 5,
    "S": 3,
    "A": 2,
    "B": 1,
    "C": 0,
    "D": 0,
}
"""Grades of NTCIR's relevance levels: S, A and B are relevant, C (partially) and D are
not, as in rigid judgments.
"""
MAP_GRADES = "Map them to levels 0, 1, 2, ..."


def qrels_from(name: str, table: dict[str, Any]) -> Qrels:
    """Judgments from columns. Grades are in ``grade``, ``level`` or ``number``; without
    any, every document is relevant. With ``pooled``, a grade below 0 with an inclusion
    probability belongs to a document in the pool that was not judged.
    """
    table, unjudged = _judged_rows(name, table)
    grade, notes = _grades(name, table)
    if unjudged:
        notes.append(f"{count_noun(unjudged, 'document')} without a grade left out")
    topics, topic, documents, line = (
        table["topics"],
        table["topic"],
        table["document"],
        table.get("line"),
    )
    # a document is judged once per aspect; measures here ask for one grade
    if "subtopic" in table:
        topic, documents, grade = _highest(name, table, grade)
        notes.append(f"highest grade over {count_noun(len(table['subtopics']), 'subtopic')}")
        return replace(make_qrels(name, topics, topic, documents, grade), notes=tuple(notes))
    strata = (table["stratums"], table["stratum"]) if "stratum" in table else None
    probability = (
        _probabilities(name, table, grade, "pooled" in table) if "probability" in table else None
    )
    made = make_qrels(
        name, topics, topic, documents, grade, line, strata=strata, probability=probability
    )
    return replace(made, notes=tuple(notes))


def _judged_rows(name: str, table: dict[str, Any]) -> tuple[dict[str, Any], int]:
    """The rows with a grade, and the number of rows without one, which are not judged."""
    if "" in table.get("grades", ()):
        judged = table["grade"] != table["grades"].index("")
    else:
        numbers = table.get("grade", table.get("number"))
        if "grades" in table or numbers is None or not np.isnan(numbers).any():
            return table, 0
        judged = ~np.isnan(numbers)
    kept = np.flatnonzero(judged)
    if not kept.size:
        came = "documents without a grade"
        raise ReadError(name, None, "at least one judgment", came, "Fill in the grades.")
    # a topic whose documents all lack a grade is not a topic without relevant documents
    used, topic = np.unique(table["topic"][kept], return_inverse=True)
    rows: dict[str, Any] = {
        column: values[kept]
        for column, values in table.items()
        if isinstance(values, np.ndarray) and column != "topic"
    }
    rows |= {
        "topics": tuple(pick(table["topics"], used)),
        "topic": topic.astype(np.int32),
        "document": table["document"].take(to_arrow(kept)),
    }
    rows["line"] = _lines_of(kept, table.get("line"))
    return table | rows, judged.size - kept.size


def _grades(name: str, table: dict[str, Any]) -> tuple[np.ndarray, list[str]]:
    """Grade of each row, and its origin if it is not written in the file."""
    if "grades" in table:
        return np.array([*map(whole_number, table["grades"])])[table["grade"]], []
    if "levels" in table:
        levels = table["levels"]
        if odd := [*filterfalse(NTCIR.__contains__, levels)]:
            row = int(np.flatnonzero(table["level"] == levels.index(odd[0]))[0])
            raise ReadError(
                name,
                line_of(table.get("line"), row),
                "a level of NTCIR (L0, L1, ... or S, A, B, C, D)",
                odd[0],
            )
        # told, since a collection may read B or C as it likes
        said = ", ".join(f"{level} = {NTCIR[level]}" for level in sorted(levels))
        return np.array(pick(NTCIR, levels))[table["level"]], [said]
    numbers = table.get("grade", table.get("number"))
    if numbers is None:
        return np.ones(len(table["document"]), np.int64), ["every document listed has grade 1"]
    with np.errstate(invalid="ignore"):
        unfit = np.flatnonzero(~(np.isfinite(numbers) & (numbers == np.floor(numbers))))
    if unfit.size:
        came = "fractions or infinite numbers"
        raise ReadError(name, None, "whole numbers as grades", came, MAP_GRADES)
    return np.clip(numbers, -TOO_LARGE, TOO_LARGE).astype(np.int64), []


def _highest(
    name: str, table: dict[str, Any], grade: np.ndarray
) -> tuple[np.ndarray, "pa.StringArray", np.ndarray]:
    """Topics, documents and grades with merged subtopics: a document gets its highest
    grade of any.
    """
    of_subtopic = table["topic"].astype(np.int64) * len(table["subtopics"]) + table["subtopic"]
    # numbered anew, since topic times subtopic may not fit 32 bits
    code = np.unique(of_subtopic, return_inverse=True)[1]
    again, first = repeated_rows(code.astype(np.int32), table["document"])
    if again.size:
        came = f"{table['document'][int(again[0])].as_py()!r} again"
        expected = "each document once per subtopic"
        raise fault_at(
            name, table.get("line"), expected, REPEAT_REMEDY, again, first, lambda row, before: came
        )[0].first
    again, first = repeated_rows(table["topic"], table["document"])
    grade = grade.copy()
    np.maximum.at(grade, first, grade[again])
    kept = np.delete(np.arange(grade.size), again)
    return table["topic"][kept], table["document"].take(to_arrow(kept)), grade[kept]


def _probabilities(
    name: str, table: dict[str, Any], grade: np.ndarray, unjudged: bool
) -> np.ndarray:
    """Inclusion probabilities of the drawn documents. Raises `ReadError` for an
    impossible one.
    """
    stated = table["probability"]
    for bad, expected, came, remedy in (
        (
            ~((stated > 0) & (stated <= 1)),
            "an inclusion probability above 0 and at most 1",
            stated,
            "Fix the line.",
        ),
        (stated < 1e-12, "an inclusion probability of at least 1e-12", stated, "Fix the line."),
        (
            (grade < 0) & (not unjudged),
            "a grade of 0 or higher, as prels list drawn documents alone",
            grade,
            "Leave out the line.",
        ),
    ):
        if (rows := np.flatnonzero(bad)).size:
            raise ReadError(
                name, line_of(table.get("line"), rows[0]), expected, f"{came[rows[0]]:g}", remedy
            )
    return stated


def runs_from(name: str, table: dict[str, Any]) -> list[Run]:
    """Runs in a table: one, or one for each name in the column ``run``. Without scores,
    ranks are the order.
    """
    notes = []
    if (rank := table.get("rank")) is None:
        rank = ranks(
            np.diff([0, *np.flatnonzero(np.diff(table["topic"])) + 1, table["topic"].size]).tolist()
        )
    if (score := table.get("score", table.get("number"))) is None:
        # trec_eval orders by score: without any, the rank has to be one
        line_of_row = partial(line_of, table.get("line"))
        found = whole_ranks(name, rank, "Fix or remove the line.", line=line_of_row)
        score = -found.astype(np.float64)
        notes.append("score = -rank")
    names, line = table.get("runs", ()), table.get("line")
    tags = table.get("tags", names if len(names) == 1 else ())
    if len(names) < 2:
        made = make_run(
            name, tags, table["topics"], table["topic"], table["document"], score, rank, line
        )
        return [made._replace(notes=tuple(notes))]
    return [
        _part(
            f"{name}/{tag}", tag, np.flatnonzero(table["run"] == place), table, score, rank
        )._replace(notes=tuple(notes))
        for place, tag in enumerate(names)
    ]


def _part(
    name: str,
    tag: str,
    rows: np.ndarray,
    table: dict[str, Any],
    score: np.ndarray,
    rank: "pa.StringArray",
) -> Run:
    """Run in some rows of a table."""
    present, topic = np.unique(table["topic"][rows], return_inverse=True)
    topics = tuple(pick(table["topics"], present))
    taken, line = to_arrow(rows), table.get("line")
    return make_run(
        name,
        (tag,),
        topics,
        topic.astype(np.int32),
        table["document"].take(taken),
        score[rows],
        rank.take(taken),
        _lines_of(rows, line),
    )


def _lines_of(rows: np.ndarray, line: Any) -> Any:
    """The line number of each of some rows, as a function; None if there are no lines."""
    if not line:
        return None
    return lambda row: line(int(rows[row]))


def several_runs(table: dict[str, Any]) -> bool:
    """Whether topics have lines of several runs."""
    pairs = np.unique(table["topic"].astype(np.int64) * len(table["runs"]) + table["run"])
    return pairs.size > np.unique(pairs // len(table["runs"])).size

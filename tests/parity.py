"""irmeval beside other programs on the same data: ``python -m tests.parity >
docs/PARITY.md``.

The data are drawn from a seed, so that the page comes out the same wherever it is made.
"""

import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from typing import NamedTuple

import numpy as np

import irmeval
from irmeval.metrics.elsewhere import EXPONENTIAL, REASONS
from tests import cases
from tests.oracles import ORACLES, score

TOP = 4
EXACT, PRINTED = 1e-9, 5.0001e-6
LOOPS = "loops"
Values = Mapping[tuple[str, str], float]
"""(run, topic) -> score"""


class Comparison(NamedTuple):
    """A measure of ours and what another program calls it."""

    ours: str
    theirs: str
    reason: str = ""
    """why they differ; empty where they agree"""
    gains: str | None = None
    tolerance: float = EXACT


@cache
def data() -> tuple[cases.Judgments, Mapping[str, Mapping[str, Mapping[str, float]]]]:
    judgments, scores = cases.drawn(7, top=TOP)
    # every tenth document of the pool was never judged
    unjudged = {
        t: {d: -1 if i % 10 == 9 else g for i, (d, g) in enumerate(grades.items())}
        for t, grades in judgments.items()
    }
    return unjudged, scores


@cache
def collection() -> irmeval.Collection:
    return cases.tied_collection(*data())


@cache
def ours(measure: str, gains: str | None = None) -> Values:
    scores = irmeval.evaluate(collection(), [measure], gains=gains)
    return {
        (run, t): scores.values[0, i, j]
        for i, run in enumerate(scores.runs)
        for j, t in enumerate(scores.topics)
    }


@cache
def rankings() -> dict[tuple[str, str], list[str]]:
    return {
        (run, t): cases.ranked(found)
        for run, topics in data()[1].items()
        for t, found in topics.items()
    }


def loops(name: str) -> Values:
    judgments = data()[0]
    return {
        (run, t): score(name, ranking, judgments[t], top=TOP)
        for (run, t), ranking in rankings().items()
    }


@cache
def trec_eval(name: str) -> Values:
    import pytrec_eval

    judgments, scores = data()
    name, _, level = name.partition(" -l ")
    family, _, k = name.rpartition("_")
    asked = f"{family}.{k}" if k.isdigit() else name
    evaluator = pytrec_eval.RelevanceEvaluator(judgments, {asked}, relevance_level=int(level or 1))
    key = family if family == "set_F" else name
    return {
        (run, t): found[key]
        for run, topics in scores.items()
        for t, found in evaluator.evaluate(topics).items()
    }


@cache
def ir_measures(name: str) -> Values:
    import ir_measures

    judgments = data()[0]
    qrels = [
        ir_measures.Qrel(t, d, grade)
        for t, grades in judgments.items()
        for d, grade in grades.items()
    ]
    found = {}
    for run in data()[1]:
        # in trec_eval's order and without ties, which each of its providers breaks in a way of its
        # own
        lists = [(t, ranking) for (name_, t), ranking in rankings().items() if name_ == run]
        untied = [
            ir_measures.ScoredDoc(t, d, float(-i))
            for t, ranking in lists
            for i, d in enumerate(ranking)
        ]
        for value in ir_measures.iter_calc([ir_measures.parse_measure(name)], qrels, untied):
            found[run, value.query_id] = float(value.value)
    return found


@cache
def ntcireval(name: str) -> Values:
    from pyNTCIREVAL import Labeler
    from pyNTCIREVAL.metrics import (
        AP,
        ERR,
        RBP,
        RR,
        MSnDCG,
        OMeasure,
        PMeasure,
        PPlusMeasure,
        Precision,
        QMeasure,
        nDCG,
    )

    gains = list(range(1, TOP + 1))
    made: dict[str, Callable] = {
        "RR": lambda n: RR(),
        "P@10": lambda n: Precision(10),
        "AP": lambda n: AP(n, gains),
        "AP@10": lambda n: AP(n, gains, 10),
        "Q-measure": lambda n: QMeasure(n, gains, 1.0),
        "O-measure": lambda n: OMeasure(n, gains, 1.0),
        "P-measure": lambda n: PMeasure(n, gains, 1.0),
        "P-plus": lambda n: PPlusMeasure(n, gains, 1.0),
        "RBP": lambda n: RBP(n, gains, 0.95),
        "ERR": lambda n: ERR(n, gains),
        "nDCG@1000": lambda n: nDCG(n, gains, 2.0, 1000),
        "MSnDCG@1000": lambda n: MSnDCG(n, gains, 1000),
    }
    plain = name.removesuffix(" -j")
    found = {}
    for (run, t), ranking in rankings().items():
        qrels = {d: grade for d, grade in data()[0][t].items() if grade >= 0}
        labeler = Labeler(qrels, is_condensed=name != plain)
        labelled = labeler.label(ranking)
        # it fails on an empty list
        found[run, t] = (
            float(made[plain](labeler.compute_per_level_doc_num(TOP + 1)).compute(labelled))
            if labelled
            else 0.0
        )
    return found


NO_LEVEL = (
    "trec_eval's `ndcg` takes no notice of the relevance level; here a document below it gains"
    " nothing"
)
TOOLS: dict[str, tuple[Callable[[str], Values], list[Comparison]]] = {
    "trec_eval 9 (pytrec_eval-terrier)": (
        trec_eval,
        [
            Comparison("AP", "map"),
            Comparison("AP@10", "map_cut_10"),
            Comparison("AP(rel=2)", "map -l 2"),
            Comparison("P@10", "P_10"),
            Comparison("R@100", "recall_100"),
            Comparison("Rprec", "Rprec"),
            Comparison("RR", "recip_rank"),
            Comparison("nDCG", "ndcg"),
            Comparison("nDCG@10", "ndcg_cut_10"),
            Comparison("nDCG(rel=2)", "ndcg -l 2", NO_LEVEL),
            Comparison("Bpref", "bpref"),
            Comparison("infAP", "infAP"),
            Comparison("NumRet", "num_ret"),
            Comparison("NumRel", "num_rel"),
            Comparison("NumRelRet", "num_rel_ret"),
            Comparison("NumNonrelRet", "num_nonrel_judged_ret"),
            Comparison("R_cap@10", "relative_P_10"),
            Comparison("Success@5", "success_5"),
            Comparison("SetP", "set_P"),
            Comparison("SetR", "set_recall"),
            Comparison("SetF", "set_F"),
            Comparison("SetF(x=2)", "set_F_2"),
            Comparison("SetAP", "set_map"),
            Comparison("SetRelP", "set_relative_P"),
            *(
                Comparison(f"IPrec(recall={x})", f"iprec_at_recall_{x:.2f}")
                for x in (0.0, 0.1, 0.5, 1.0)
            ),
            Comparison("AP_11pt", "11pt_avg"),
            Comparison("RnDCG", "Rndcg"),
        ],
    ),
    "ir_measures": (
        ir_measures,
        [
            Comparison("AP'", "AP(judged_only=True)"),
            Comparison("P@10'", "P(judged_only=True)@10"),
            Comparison("Rprec'", "Rprec(judged_only=True)"),
            Comparison("RR'", "RR(judged_only=True)"),
            Comparison("nDCG'", "nDCG(judged_only=True)"),
            Comparison("nDCG@10'", "nDCG(judged_only=True)@10"),
            Comparison("RBP(p=0.8)", "RBP(rel=1,p=0.8)", gains="flat"),
            Comparison("RBP(p=0.8)", "RBP(rel=1,p=0.8)", "its RBP is binary; here gain = grade"),
            Comparison("ERR@20", "ERR@20", tolerance=PRINTED),
            Comparison("ERR(top=4)@20", "ERR@20", tolerance=PRINTED),
            Comparison("nDCG@10", "nDCG(gains={0:0,1:1,2:5,3:6,4:9})@10", gains="1:1,2:5,3:6,4:9"),
            Comparison("nDCG@10", "nDCG(dcg='exp-log2')@10", gains=EXPONENTIAL, tolerance=PRINTED),
            Comparison("Judged@10", "Judged@10", "it takes a negative grade for a judgment"),
        ],
    ),
    "pyNTCIREVAL": (
        ntcireval,
        [
            Comparison("RR", "RR"),
            Comparison("P@10", "P@10"),
            Comparison("AP", "AP"),
            Comparison("AP'", "AP -j"),
            Comparison("AP@10", "AP@10", "it divides by min(k, R); here as in trec_eval by R"),
            Comparison("Q", "Q-measure"),
            Comparison("Q'", "Q-measure -j"),
            Comparison("O-measure", "O-measure"),
            Comparison("P-measure", "P-measure"),
            Comparison("P+", "P-plus"),
            Comparison("RBP(p=0.95)", "RBP"),
            Comparison("RBP(p=0.95)'", "RBP -j"),
            Comparison("nDCG(base=2)@1000", "nDCG@1000"),
            Comparison("nDCG(base=2)@1000'", "nDCG@1000 -j"),
            Comparison("nDCG@1000", "MSnDCG@1000"),
            Comparison(
                "ERR",
                "ERR",
                "its stop probability is gain/(highest gain + 1); here as in gdeval (2^grade -"
                " 1)/2^(top grade)",
            ),
        ],
    ),
}


def named(program: str) -> dict[str, str]:
    """The measures of a program, by name: ours, or why there is none."""
    import ir_measures
    import pytrec_eval

    # of ours there may be some
    theirs = (
        name for name, one in ir_measures.measures.registry.items() if not hasattr(one, "metric")
    )
    names = sorted(
        pytrec_eval.supported_measures if program == "trec_eval" else theirs, key=str.lower
    )
    return {name: REASONS[program].get(name) or _ours(name) for name in names}


def _ours(name: str) -> str:
    """Our measure of this name, in backticks, with a parameter where it needs one."""
    for form in (name, f"{name}@10", f"{name}_10", f"{name}_0.5", f"{name}@0.5", f"{name}(p=0.8)"):
        with suppress(irmeval.IrmevalError):
            return f"`{irmeval.measure(form)}`"
    raise AssertionError(f"{name} is neither here nor left out for a reason")


class Row(NamedTuple):
    """A comparison made."""

    metric: str
    tool: str
    one: Comparison
    difference: float

    @property
    def agrees(self) -> bool:
        return self.difference <= self.one.tolerance


def difference(one: Comparison, theirs: Values) -> float:
    """The largest difference over runs and topics; NaN if there is one."""
    return float(
        np.max([abs(value - theirs[cell]) for cell, value in ours(one.ours, one.gains).items()])
    )


@cache
def rows() -> list[Row]:
    """Every metric beside the loops, where they have it, and beside each program that
    has it.
    """
    found = []
    for name in irmeval.METRICS:
        if name in ORACLES:
            found += [
                Row(name, LOOPS, Comparison(m, m), difference(Comparison(m, m), loops(m)))
                for m in cases.measures(name)
            ]
        for tool, (compute, comparisons) in TOOLS.items():
            found += [
                Row(name, tool, c, difference(c, compute(c.theirs)))
                for c in comparisons
                if irmeval.measure(c.ours).metric.name == name
            ]
    return found


def size(difference: float) -> str:
    """To two digits where it is one; else a bound, as the last bits depend on the
    processor.
    """
    return next(
        (f"< {bound:.0e}" for bound in (1e-12, EXACT, PRINTED) if difference <= bound),
        f"{difference:.2g}",
    )


def summary(name: str, tool: str) -> str:
    """What a program says of a metric: the verdict of all its measures and the largest
    difference among those that agree.
    """
    found = [row for row in rows() if (row.metric, row.tool) == (name, tool)]
    agreeing = [row.difference for row in found if row.agrees]
    verdicts = [f"agree, {size(max(agreeing))}"] if agreeing else []
    verdicts += ["differ"] * (len(agreeing) < len(found))
    return "; ".join(verdicts) or "–"


def page() -> str:
    judgments, scores = data()
    compared = dict.fromkeys(row.metric for row in rows())
    lines = [
        "# Parity: irmeval beside other programs",
        "",
        (
            "Made by `python -m tests.parity > docs/PARITY.md`; a test compares this page with that"
            " output."
        ),
        "",
        (
            f"Every measure is scored on the same {len(judgments)} topics and {len(scores)} runs,"
            " drawn from a seed: lists of 1 to 60 documents,"
        ),
        (
            "many tied scores, grades 0 to 4, a tenth of the pool unjudged (grade -1). The"
            " difference is the largest over the"
        ),
        (
            f"topics of all runs; two programs agree if it is at most {EXACT:.0e}. gdeval, behind"
            " ir_measures' ERR, prints five"
        ),
        (
            "decimals and assumes the top grade 4: it agrees with `ERR(top=4)` on all judgments,"
            " and with `ERR` on those that have"
        ),
        (
            "a grade 4, as these do. ir_measures and pyNTCIREVAL get the lists in trec_eval's"
            " order, without ties. The loops are in"
        ),
        "`tests/oracles.py`: every metric in plain Python, written from its formula.",
        "",
        (
            "A topic without relevant documents has no score in irmeval and 0 in trec_eval; these"
            " data have no such topic."
        ),
        "",
        "## Metric by program",
        "",
        f"| metric | {' | '.join((LOOPS, *TOOLS))} |",
        "| --- |" + " --- |" * (1 + len(TOOLS)),
        *(
            f"| `{name}` | {' | '.join(summary(name, tool) for tool in (LOOPS, *TOOLS))} |"
            for name in compared
        ),
        "",
        (
            "Metrics that no program has stand on the loops, on the worked examples and on the"
            " identities that the tests name."
        ),
        "",
        "## Measure by measure",
        "",
        "| measure | program | its name there | verdict | largest difference | reason |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for row in rows():
        if row.tool != LOOPS:
            measure = f"`{row.one.ours}`" + (f", gains {row.one.gains}" if row.one.gains else "")
            verdict = "agree" if row.agrees else "**differ**"
            lines.append(
                f"| {measure} | {row.tool} | `{row.one.theirs}` | {verdict} |"
                f" {size(row.difference)} | {row.one.reason} |"
            )
    for program in ("trec_eval", "ir_measures"):
        known = named(program)
        here = [name for name in known if name not in REASONS[program]]
        lines += [
            "",
            f"## Measures of {program}",
            "",
            f"Here under the same name or another: {len(here)} of {len(known)}.",
            "",
        ]
        lines += [
            "| its name | here |",
            "| --- | --- |",
            *(f"| `{name}` | {ours} |" for name, ours in known.items()),
        ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(page())

"""The metric lab: one list, every measure, what each rank adds, what a swap does.

The tests of the dashboard; the others are in
`tests/unit/experiments/test_learn_lab.py`.
"""

import numpy as np
import pytest

import irmeval
from irmeval.experiments.learn.lab import Params, lab
from irmeval.ui.pages.bench import EXAMPLES
from irmeval.ui.widgets import form


def shown(name: str, **changes: object):
    """An example with the measures that are on screen: its own, and those that the
    sidebar begins with.
    """
    example = EXAMPLES[name]
    return lab(
        None, [*example.measures, *form.MEASURES], Params(**(vars(example.params) | changes))
    )


def scores(result, *names: str) -> list[float]:
    return [result.score(irmeval.measure(name))[0] for name in names]


def changes(result, *names: str) -> list[list[float]]:
    """What either swap adds to each measure."""
    return [
        [result.change(irmeval.measure(name), swap) for swap in result.params.swaps]
        for name in names
    ]


def gaps(result) -> dict[str, float]:
    """How much higher the condensed score is than the raw one, by measure."""
    return {
        m: condensed - raw
        for m in result.measures
        for raw, condensed in [result.score(m)]
        if condensed is not None
    }


def graded_holds_everything(result) -> None:
    assert {"3", "2", "1", "0", "x"} <= {*result.documents}
    judged = gaps(shown("graded", list="0-3-0-1-0-0-2-0"))
    assert all(gap > judged[m] >= 0 for m, gap in gaps(result).items())


def unjudged_on_top(result) -> None:
    assert all(c > 1.1 * r for r, c in map(result.score, result.measures) if c is not None)
    pooled = shown("unjudged", list="u-u-u-1-1-0")
    assert [m for m in result.measures if result.score(m)[0] != pooled.score(m)[0]] == ["infAP"]


def propositions_1_and_2(result) -> None:
    assert all(change > 0 for pair in changes(result, "AP", "RankEff") for change in pair)


def proposition_3(result) -> None:
    assert changes(result, "Bpref_10", "Bpref")[0] == [0, pytest.approx(2 / 11)]
    assert result.moves("swap 1")["same"] == ["Bpref_10", "Bpref"]
    assert "Bpref_10" in result.moves("swap 2")["up"]


def ideal_list_punished(result) -> None:
    assert scores(result, "Bpref_relative", "Bpref_relative2", "rpref_relative", "AP") == [
        0.5,
        1.0,
        0.5,
        1.0,
    ]
    assert scores(shown("relative", list="1-0-0-0"), "Bpref_relative") == [0.0]


def base_2_sees_nothing(result) -> None:
    assert {"nDCG", "AP", "RBP(p=0.95)"} <= set(result.moves("swap 1")["down"])
    (first, second), *_ = changes(result, "nDCG(base=2)")
    assert first == 0 > second


def not_top_heavy(result) -> None:
    for first, second in changes(result, "RankEff", "Bpref", "Bpref_10"):
        assert first == pytest.approx(second)
        assert first > 0
    assert all(top > 2 * bottom > 0 for top, bottom in changes(result, "AP", "Q", "nDCG"))
    said = "RankEff, Bpref and Bpref_10 change by the same amount in both swaps."
    assert result.describe_swaps() == said
    (first, second), *_ = changes(
        shown("topheavy", list="0-0-0-0-" + EXAMPLES["topheavy"].params.list, a=5, b=6, c=13, d=14),
        "Bpref",
    )
    assert first > second == 0


def ideal_list_below_one(result) -> None:
    assert scores(result, "RBP(p=0.95)", "RBP(p=0.5)", "AP", "nDCG") == pytest.approx(
        [0.05, 0.5, 1.0, 1.0]
    )


SHOWN = {
    "graded": graded_holds_everything,
    "unjudged": unjudged_on_top,
    "swap": propositions_1_and_2,
    "bpref10": proposition_3,
    "relative": ideal_list_punished,
    "ndcg": base_2_sees_nothing,
    "topheavy": not_top_heavy,
    "rbp": ideal_list_below_one,
}
"""Example -> that the measures on screen show what its title and its text say."""


@pytest.mark.parametrize("name", EXAMPLES)
def test_example_when_opened_then_the_measures_on_screen_show_what_its_title_says(name):
    result = shown(name)
    assert all(np.isfinite(result.score(one)[0]) for one in result.measures)
    assert not result.describe_swaps().startswith("Pick")
    SHOWN[name](result)

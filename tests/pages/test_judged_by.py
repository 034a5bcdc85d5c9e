"""A collection with further judges: no score changes, and seen by another judge it is
what it would have been with theirs alone.

The tests of the dashboard; the others are in `tests/unit/judging/test_judged_by.py`.
"""

import shlex

import pytest

from irmeval import read_qrels
from irmeval.cli import main
from irmeval.core.errors import ParamError
from irmeval.core.tables import csv
from irmeval.experiments import EXPERIMENTS
from irmeval.scoring.selection import Selection, select
from irmeval.ui.state.cache import size_of, with_judges
from irmeval.workspace.stored import OtherJudge
from tests.cases import SAMPLE, read_once

BOARD = EXPERIMENTS["leaderboard"]


@pytest.mark.parametrize("first", ["judged", "selected"])
def test_result_when_another_judge_evaluates_then_is_kept_apart_and_its_recipe_makes_it_again(
    first, capsys, monkeypatch
):
    rules, more = Selection(topics_only="901-904", top_runs=5), {"relevant": 2, "map": {3: 2}}
    both = read_once(*SAMPLE).with_judgments("made", "simulated:strict,0.5,3", **more)
    own, with_others = (select(each, rules).collection for each in (read_once(*SAMPLE), both))
    seen = (
        select(both.judged_by("made"), rules).collection
        if first == "judged"
        else with_others.judged_by("made")
    )
    keys = [BOARD.key(BOARD.work(each, ["AP"])) for each in (own, with_others, seen)]
    assert keys[0] == keys[1] != keys[2]
    assert BOARD.work(own, ["AP"]).source is own  # whose fingerprint is known
    # a collection never holds itself, or its size would have no end
    assert size_of(own.alone) == size_of(own) - size_of(own.alone)
    assert BOARD.work(with_others, ["AP"]).source is BOARD.work(with_others, ["AP"]).source
    result = BOARD(seen, ["AP"])
    printed = csv(result.frame())
    if first == "judged":
        main(
            shlex.split(
                result.recipe()
                .command()
                .replace("QRELS", str(SAMPLE[0]))
                .replace("RUNS", str(SAMPLE[1]))
            )[3:]
        )
        assert capsys.readouterr().out == printed
    else:
        with pytest.raises(ParamError, match="Use its script"):
            result.recipe().command()
    monkeypatch.setattr("sys.argv", ["script", *map(str, SAMPLE)])
    exec(compile(result.recipe().script(), "script", "exec"), {})
    assert capsys.readouterr().out == printed


def test_judge_beside_when_taken_with_another_map_or_level_then_is_not_the_one_that_is_kept():
    c, qrels = read_once(*SAMPLE), read_qrels(SAMPLE[0])
    judges = [OtherJudge(qrels), OtherJudge(qrels, map=((3, 2),)), OtherJudge(qrels, relevant=2)]
    made = [with_judges(c, "own", {"other": judge}).judged_by("other") for judge in judges]
    assert len({one.fingerprint for one in made}) == 3

"""Parameters by name, in Python: as keywords or in a record, and refused where nothing
knows them; rates are per cent everywhere.
"""

import inspect
import json
import pydoc
import shlex
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import irmeval
from irmeval.cli import main
from irmeval.core.errors import ParamError
from irmeval.core.params import fields
from irmeval.experiments import EXPERIMENTS
from irmeval.judges import Judges
from irmeval.papers.exhibits import Overrides
from irmeval.reading.policy import Policy
from irmeval.reductions import with_design
from irmeval.report.items import recipe_as_json, recipe_from_json
from irmeval.scoring.selection import Selection
from tests.cases import SAMPLE, read_once, refusal

BOARD = EXPERIMENTS["leaderboard"]
CURVES = EXPERIMENTS["curves"]


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_experiment_when_a_keyword_is_unknown_then_is_refused_with_its_name(name):
    for call in (EXPERIMENTS[name], EXPERIMENTS[name].work):
        with pytest.raises(ParamError, match=f"^{name}: unknown keyword 'nonsense'; "):
            call(nonsense=3)
    with pytest.raises(ParamError, match="^unknown keyword 'nonsense'; "):
        EXPERIMENTS[name].params(nonsense=3)


NO_COLLECTION = "collection: expected one as made by irmeval.read_collection"
ONE = {"1": {"a": 1}}
WRONG = {
    "no collection": (lambda c: irmeval.evaluate(None), NO_COLLECTION),
    "a path for a collection": (lambda c: irmeval.reduce("qrels.txt", rate=10), NO_COLLECTION),
    "an array for a collection": (lambda c: BOARD(np.zeros((2, 3)), ["AP"]), NO_COLLECTION),
    "a number for measures": (
        lambda c: irmeval.evaluate(c, 5),
        "measures: expected texts, such as AP, found 5",
    ),
    "a list for gains": (
        lambda c: irmeval.evaluate(c, gains=[1]),
        "gains: expected numbers, grade to gain, as in {1: 1, 2: 3}, found [1]",
    ),
    "a text as gain": (
        lambda c: irmeval.evaluate(c, gains={1: "x"}),
        "gains: expected numbers, grade to gain, as in {1: 1, 2: 3}, found",
    ),
    "no runs": (
        lambda c: irmeval.read_collection(SAMPLE[0], None),
        "runs: expected a file, found None",
    ),
    "a run without a name": (
        lambda c: irmeval.Collection.from_dicts(ONE, {None: ONE}),
        "runs: expected texts as names of runs, found None",
    ),
    "a column twice": (
        lambda c: irmeval.Collection.from_frames(
            pd.DataFrame([["1", "1", "a", 1]], columns=["qid", "qid", "docno", "label"]), {}
        ),
        "qrels: expected each column once, found qid twice. Leave one out.",
    ),
    "no name of a reduction": (
        lambda c: irmeval.reduce(c, None, rate=10),
        "reduce: expected the name of a reduction, found None.",
    ),
    "a tuple for a text": (
        lambda c: EXPERIMENTS["two-runs"](c, pair=("a", "b")),
        "pair: expected a text, found ('a', 'b')",
    ),
    "nothing for levels": (
        lambda c: EXPERIMENTS["curves"](c, levels=None),
        "levels: expected a number, found None",
    ),
    "one run": (
        lambda c: EXPERIMENTS["matrix"](c, ["AP"], only=c.runs[:1]),
        "with a score for every run, found 1 run.",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_value_when_of_the_wrong_type_then_is_refused_by_what_was_expected(case):
    call, said = WRONG[case]
    assert said in refusal(irmeval.IrmevalError, call, read_once(*SAMPLE))


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_experiment_when_every_parameter_is_a_keyword_then_all_are_known(name):
    experiment = EXPERIMENTS[name]
    given = {field.name: field.default for field in fields(experiment.params).values()}
    if not experiment.data and not experiment.judged:
        assert experiment.work(measures=["AP"], **given).params == experiment.params()
        return
    with pytest.raises(ParamError, match=f"^{name}: expected (a collection|judges)"):
        experiment.work(**given)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_experiment_when_asked_for_help_then_lists_each_parameter_with_meaning_and_default(name):
    experiment = EXPERIMENTS[name]
    declared, signature = fields(experiment.params), inspect.signature(experiment)
    text = pydoc.render_doc(experiment, renderer=pydoc.plaintext)
    for field in declared.values():
        assert signature.parameters[field.name].default == field.default
        assert f"{field.name} : " in text
        assert f"    {field.param.label[0].upper()}{field.param.label[1:]}." in text
    assert experiment.question in text
    assert [*signature.parameters] == [
        "source",
        "measures",
        "params",
        "only",
        "team",
        "store",
        "progress",
        *declared,
    ]


def test_experiment_when_parameters_are_keywords_then_is_as_with_a_record():
    collection = read_once(*SAMPLE)
    given = {"test": "wilcoxon", "at_once": "benjamini-hochberg"}
    by_keyword, by_record = (
        BOARD(collection, ["AP"], **given),
        BOARD(collection, ["AP"], BOARD.params(**given)),
    )
    assert by_keyword.params == by_record.params == BOARD.params(**given)
    assert by_keyword.frame().equals(by_record.frame())
    both = BOARD(collection, ["AP"], BOARD.params(test="sign", seed=4), test="wilcoxon")
    assert both.params == BOARD.params(test="wilcoxon", seed=4)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda c: BOARD(c, ["AP"], tets="t"),
            "leaderboard: unknown keyword 'tets'; nearest: test",
        ),
        (
            lambda c: BOARD(c, ["AP"], stroe={}),
            "leaderboard: unknown keyword 'stroe'; nearest: store",
        ),
        (lambda c: Policy(dpeth=10), "unknown keyword 'dpeth'; nearest: depth"),
        (lambda c: Selection(topruns=3), "unknown keyword 'topruns'; nearest: top_runs"),
        (
            lambda c: irmeval.fuse({"a": {"1": {"d": 1.0}}}, detph=5),
            "unknown keyword 'detph'; nearest: depth",
        ),
        (
            lambda c: irmeval.reduce(c, rate=10, sed=3),
            "stratified: unknown keyword 'sed'; nearest: seed",
        ),
        (
            lambda c: with_design(c, "by-rank", bound="1"),
            "by-rank: unknown keyword 'bound'; nearest: bounds",
        ),
        (
            lambda c: with_design(c, "uniform", bounds="1"),
            "uniform: unknown keyword 'bounds'; nearest: rounding",
        ),
        (lambda c: Overrides(params={"trails": 1}), "unknown keyword 'trails'; nearest: trials"),
        (
            lambda c: irmeval.Workspace().add("mine", "q", "r", gain="1:1"),
            "unknown keyword 'gain'; nearest: gains",
        ),
    ],
)
def test_keyword_when_unknown_then_is_refused_with_the_nearest(call, message):
    assert refusal(ParamError, call, read_once(*SAMPLE)).startswith(message)


def test_judges_when_a_map_is_of_nobody_then_is_refused():
    judges = irmeval.read_judges(SAMPLE[0], {"mine": SAMPLE[0]})
    assert isinstance(judges, Judges)
    with pytest.raises(irmeval.UnknownName, match="unknown judge 'mien'; nearest: mine"):
        irmeval.read_judges(SAMPLE[0], {"mine": SAMPLE[0]}, maps={"mien": "1:0"})


RATES = [
    (name, field)
    for name, e in EXPERIMENTS.items()
    for field in fields(e.params).values()
    if field.name in {"rate", "rates", "levels", "budgets"}
]


@pytest.mark.parametrize(
    ("name", "field"), RATES, ids=[f"{name}-{field.name}" for name, field in RATES]
)
def test_rate_when_it_may_be_a_share_then_both_spellings_are_told(name, field):
    is_in_documents = "unit" in fields(EXPERIMENTS[name].params)
    expected = "per cent, or at least 1 document" if is_in_documents else "per cent"
    with pytest.raises(
        ParamError,
        match=f'^{field.name}: expected {expected}, found 0.2. Write 20 for 20%, or "0.2%".$',
    ):
        EXPERIMENTS[name].params(**{field.name: 0.2})


def test_rate_when_below_one_then_command_record_and_settings_keep_its_sign(run_command):
    result = CURVES(read_once(*SAMPLE), ["AP"], levels=(50, "0.5%"), trials=1)
    params, recipe = result.params, result.recipe()
    assert params.levels == (50.0, 0.5)
    assert replace(params, trials=2).levels == params.levels
    assert params.levels_said == "50 and 0.5%"
    assert recipe_from_json(json.loads(json.dumps(recipe_as_json(recipe)))).params == params
    assert "'levels': [50.0, '0.5%']" in recipe.script()
    files = {"QRELS": str(SAMPLE[0]), "RUNS": str(SAMPLE[1])}
    assert (
        run_command(*(files.get(word, word) for word in shlex.split(recipe.command())[3:]))
        .out.splitlines()[2]
        .startswith("AP,0.5,")
    )


def test_reduce_when_run_then_reports_rate_and_judgments_kept(capsys, run_command):
    for rate, said in (
        ("10", "rate 10%: 3,559 of 35,979"),
        ("1", "rate 1%: 551 of 35,979"),
        ("0.5%", "rate 0.5%: 550 of 35,979"),
    ):
        assert run_command("reduce", SAMPLE[0], "--rate", rate).err == f"{said} judgments\n"
    with pytest.raises(SystemExit, match="2"):
        main(["reduce", str(SAMPLE[0]), "--rate", "0.1"])
    assert (
        capsys.readouterr().err
        == """irmeval: rate: expected per cent, found '0.1'. Write 10 for 10%, or "0.1%".\n"""
    )

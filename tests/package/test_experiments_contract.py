"""What holds for every experiment in the registry."""

import json
import re
import sys
from dataclasses import replace
from functools import cache
from html import escape

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
from plotly.io import to_json
from plotly.tools import return_figure_from_figure_or_data

import irmeval
from irmeval.cli.run_experiment import check_table
from irmeval.collection import joining
from irmeval.core import parallel
from irmeval.core.errors import Cancelled, MissingPackage, ParamError
from irmeval.core.folders import page_scripts
from irmeval.core.params import fields, takes
from irmeval.experiments import EXPERIMENTS, Result, sweep
from irmeval.experiments.facts import LONGEST
from irmeval.experiments.incompleteness import judgments_needed
from irmeval.experiments.story import ORDER
from irmeval.metrics import Measure
from irmeval.plots.canvas import MARGIN
from irmeval.plots.colors import styles
from irmeval.plots.display import figure_to_send, on_page
from irmeval.reading.score_matrix import Matrix
from irmeval.scoring import hole_grades, unjudged_near_top, values
from irmeval.stats import blocks, correlation, means
from irmeval.ui.state.cache import Cache
from tests.cases import OTHERWISE, drawn, tied_collection
from tests.small_work import (
    MEASURES,
    SMALL,
    allows,
    bases,
    every,
    panel,
    params_of,
    small,
    source,
    tied,
)
from tests.unit.plots.test_svg import parts

FEW = ["AP", "nDCG"]
LEAST = SMALL | {
    "trials": 1,
    "sets": 10,
    "mixtures": 10,
    "rates": (100.0, 30.0),
    "levels": (100.0, 30.0),
    "shares": (30.0,),
    "budgets": (30.0,),
    "systems": (2, 10),
    "differences": (0.1, 0.2),
}
"""Less still, for what is computed again for each parameter."""
QUICK = (
    *("collection", "unjudged", "topics", "agreement", "rankings"),
    *(
        "lab",
        "top-heaviness",
        "ideal-lists",
        "swap-property",
        "judges",
        "judge-next",
        "judgments-needed",
        "reproduction",
    ),
)
"""Experiments that tell no progress: nothing of theirs takes long."""
TOLD = frozenset(ORDER)
"""Experiments with a place of their own among the commands."""
PARTLY = ("gains",)
"""Experiments that keep the scores, but not what is compared on them."""
FIT = blocks.fit
PARTS = (
    (judgments_needed, "AT_ONCE", 1),
    (sweep, "KEPT_BYTES", 0),
    (joining, "RUNS_AT_ONCE", 1),
    (values, "SLICE_DOCUMENTS", 50),
    (unjudged_near_top, "AT_ONCE", 40),
    (hole_grades, "BLOCK", 70),
    (means, "CELLS", 16),
    (correlation, "CELLS", 700),
)
"""What sets how much is computed at a time: module, name, a small size."""
TEAM = {"run0": "a", "run1": "a", "run2": "b"}


@pytest.fixture(scope="module")
def c() -> irmeval.Collection:
    return tied(12, 6)


@pytest.fixture(scope="module")
def many() -> irmeval.Collection:
    return tied(12, 20)


@pytest.fixture(scope="module")
def other() -> irmeval.Collection:
    return tied_collection(*drawn(4, topics=12, runs=6))


@pytest.fixture(scope="module", autouse=True)
def three_samples_tried():
    """To try a plan of judgments; nothing here depends on how many."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judgments_needed, "TRIED", 3)
        yield


def variants(experiment, base, *, once=False):
    """Parameters with one of them changed: for each of its choices, or once. One that
    nothing uses, and selections of runs have too, stays.
    """
    for name, field in fields(experiment.params).items():
        now = getattr(base, name)
        number = now if isinstance(now, int | float) else 0
        others = OTHERWISE | {
            "by": "nDCG",
            "against": "nDCG",
            "gold": "nDCG",
            "baseline": "run1",
            "second": "noisy",
            "original": "run1",
            "reproduced": "run2",
            "driver": "qrels",
            "cheap": "noisy",
        }
        tried = field.param.choices or (others.get(name), number + 1, number / 2)
        allowed = [
            params
            for value in tried
            if value != now and (params := allows(base, name, value)) and params != base
        ]
        yield from allowed if field.param.choices and not once else allowed[:1]


def outcome(experiment, *given, **more):
    """The table and the sentence, or why there is none."""
    try:
        result = experiment(*given, **more)
    except ParamError as error:
        return None, str(error)
    return result.frame(), result.headline()


@every
def test_every_parameter_when_varied_with_one_store_shared_then_results_are_those_of_a_fresh_run(
    c, other, experiment, shared_store
):
    calls = []
    for base in bases(experiment, LEAST):
        teams = [{}, TEAM] if takes(base, "team_rule") else [{}]
        calls += [(base, c, team) for team in teams]
        calls += [(params, c, {}) for params in variants(experiment, base, once=True)]
        if takes(base, "test") and takes(base, "samples"):
            tested = replace(base, test="bootstrap")
            calls += [(replace(tested, samples=samples), c, {}) for samples in (40, 10)]
    of = {where: [source(experiment, where), source(experiment, where)] for where in (c, other)}
    calls.append((base, other, {}))
    own = [{} for _ in calls]
    anew = [
        outcome(experiment, of[where][1], FEW, params, team=team, store=new)
        for (params, where, team), new in zip(calls, own, strict=True)
    ]
    if not any(own):  # what keeps nothing can be given nothing that is kept
        calls, anew = calls[:1], anew[:1]
    for (params, where, team), (fresh, said) in zip(
        [*calls, calls[0]], [*anew, anew[0]], strict=True
    ):
        kept, told = outcome(experiment, of[where][0], FEW, params, team=team, store=shared_store)
        assert told == said
        if fresh is not None:
            pd.testing.assert_frame_equal(kept, fresh)


@pytest.fixture(scope="module")
def shared_store() -> Cache:
    """One for all experiments, as in the dashboard: what is found there again cannot be
    written to.
    """
    return Cache()


@every
def test_key_when_anything_changes_then_it_changes(c, other, experiment):
    made = bases(experiment)
    keys = [key for params in made for key in keys_of_changes(experiment, params, c, other)]
    assert len(set(keys)) == len(keys)


def keys_of_changes(experiment, params, c, other):
    """The keys of a work and of what differs from it in one thing each."""

    def key(on=c, measures=MEASURES, params=params, **more):
        return experiment.key(experiment.work(source(experiment, on), measures, params, **more))

    assert key() == key()
    keys = [key(), *(key(params=changed) for changed in variants(experiment, params))]
    if experiment.data or experiment.judged:
        keys.append(key(other))
    if experiment.measured:
        keys.append(key(measures=MEASURES[1:]))
    if experiment.matrix:
        keys += [
            experiment.key(experiment.work(c, MEASURES, params, only=only))
            for only in (["run1", "run0"], ["run0", "run1"])
        ]
    if takes(params, "team_rule"):
        keys.append(key(team=TEAM))
    return keys


@pytest.fixture(scope="module")
def made(c):
    """The result of an experiment, and the steps it told; made once for those who only
    look at them.
    """

    @cache
    def of(experiment):
        told = []
        return (
            experiment(
                source(experiment, c),
                MEASURES,
                small(experiment),
                progress=lambda *step: told.append(step),
            ),
            told,
        )

    return of


@every
def test_progress_when_told_then_it_never_falls_and_ends_at_n_of_n(made, experiment):
    _, told = made(experiment)
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    # before the steps are counted it is 0 of 1
    assert len({total for done, total in told if (done, total) != (0, 1)}) == 1
    # steps; the runs here are of one team
    least = 1 if experiment.name in (*QUICK, "leave-one-out") else 2
    assert told[-1][0] == told[-1][1] >= least


@pytest.mark.parametrize("name", [name for name in EXPERIMENTS if name not in QUICK])
def test_progress_when_it_raises_then_the_work_stops(c, name):
    def stop(done: int, total: int) -> None:
        raise Cancelled("Stopped.")

    with pytest.raises(Cancelled):
        EXPERIMENTS[name](
            source(EXPERIMENTS[name], c), MEASURES, small(EXPERIMENTS[name]), progress=stop
        )


@pytest.mark.parametrize("name", [name for name in EXPERIMENTS if name not in QUICK])
def test_work_when_a_step_is_long_then_it_can_be_stopped_within_it(c, name):
    told = []

    def stop(*step: int) -> None:
        told.append(step)
        if told.count(step) > 1:
            raise Cancelled("Stopped.")

    with pytest.raises(Cancelled):
        EXPERIMENTS[name](
            source(EXPERIMENTS[name], c), MEASURES, small(EXPERIMENTS[name]), progress=stop
        )


def own_pools(experiment):
    """Parameters that make little work, of pairs of runs on samples of their own pools."""
    choice = {"sample_of": "pair", "watch": ("pairs",)}
    return (
        [params_of(experiment, LEAST | choice)] if takes(experiment.params(), "sample_of") else []
    )


@pytest.mark.parametrize(
    "experiment", [e for e in EXPERIMENTS.values() if e.first], ids=lambda e: e.name
)
def test_looks_when_there_are_several_then_each_is_that_of_its_parameters_and_the_last_of_all(
    c, experiment
):
    lowest = {
        name: int(field.param.low or 1)
        for name, field in experiment.declared.items()
        if name in experiment.first
    }
    experiment = replace(
        experiment,
        first={name: max(least // 50, lowest[name]) for name, least in experiment.first.items()},
    )
    for base in [*bases(experiment, LEAST), *own_pools(experiment)]:
        last = {name: 10 * least + 1 for name, least in experiment.first.items()}
        params = replace(base, **last)
        work = experiment.work(c, FEW[1:], params, store={})
        looks = list(experiment.compute_in_steps(work))
        asked = [
            {name: least * part for name, least in experiment.first.items()} for part in (1, 10)
        ]
        told = [{name: getattr(look.params, name) for name in experiment.first} for look in looks]
        assert told == [*asked, last]
        for look in looks:
            fresh = experiment(c, FEW[1:], look.params)
            pd.testing.assert_frame_equal(look.frame(), fresh.frame())
    assert not {*experiment.first} & {*experiment.stored}


@pytest.mark.parametrize(
    "experiment", [e for e in EXPERIMENTS.values() if e.data and not e.others], ids=lambda e: e.name
)
def test_work_when_there_is_one_judge_then_it_is_on_the_collection_itself(c, experiment):
    # or all that it keeps of itself would be made again
    assert experiment.work(c, MEASURES, small(experiment)).source is c


def test_store_when_shared_then_no_two_experiments_have_a_part_in_common(c, shared_store):
    kept = [
        e.work(source(e, c), MEASURES, small(e), store=shared_store).cache
        for e in EXPERIMENTS.values()
    ]
    assert len({id(part) for part in kept}) == len(kept)


def check_by_plotly(figure):
    """Plotly refuses what it does not know, which is looked at nowhere else; of what it
    knows, a browser is sent what it would send, and draws it once, although Streamlit
    gives it to Plotly twice.
    """
    drawn = on_page(figure, dark=False)
    # as Streamlit asks
    sent = return_figure_from_figure_or_data(figure_to_send(drawn), validate_figure=True)
    (data, layout), (all_data, whole) = (
        json.loads(to_json(made, validate=False)).values() for made in (sent, go.Figure(drawn))
    )
    assert data == all_data
    assert not [
        part
        for trace in data
        for part in trace.values()
        if isinstance(part, dict) and "bdata" in part and "shape" not in part
    ]
    assert layout["datarevision"] == on_page(figure, dark=True)["layout"]["datarevision"]
    assert {name: part for name, part in layout.items() if part != []} == {
        name: part for name, part in whole.items() if name != "template"
    }


@every
def test_result_when_shown_then_names_differ_captions_end_and_tables_have_rows(
    made, experiment, monkeypatch
):
    result, _ = made(experiment)
    assert isinstance(result.params, experiment.params)
    assert all(isinstance(measure, Measure) for measure in result.measures)
    charts, tables = result.charts(), result.tables()
    for items in (charts, tables):
        assert (
            len({item.name for item in items}) == len({item.title for item in items}) == len(items)
        )
    figures = [chart.draw() for chart in charts]
    for chart, figure in zip(charts, figures, strict=True):
        assert figure.data
        check_by_plotly(figure)
        assert chart.caption.endswith(".")
        # in a report and a notebook, nothing is clicked
        assert not re.search(r"\b(click|press|tick)", chart.caption, re.I)
        assert chart.usual in chart.caption
    for table in tables:
        check_table(experiment.name, table.name)
    for frame in (result.frame(), *(table.make() for table in tables)):
        assert len(frame)
        # but its text
        assert not any(
            isinstance(value, Measure)
            for value in (*frame, *frame.astype(object).to_numpy().ravel())
        )
    assert len(result.headline()) > 40
    page = result._repr_html_()
    assert page.startswith(f"<p>{escape(result.headline())}</p><table")
    assert repr(result) == f"{experiment.name}: {result.headline()}"
    assert result.to_frame().equals(result.frame())
    assert result.to_frame(tables[-1].name).equals(tables[-1].make())
    if charts:
        assert result.plot().to_json() == figures[0].to_json()
        assert result.plot(charts[-1].name).to_json() == figures[-1].to_json()
        assert "<figure><svg" in page
        monkeypatch.setitem(sys.modules, "plotly", None)
        with pytest.raises(MissingPackage, match=r'pip install "irmeval\[report\]"'):
            result.plot()
        bare = result._repr_html_()
        assert bare.startswith(f"<p>{escape(result.headline())}</p><table")
        assert bare.endswith(
            "<p>No charts: this needs the package plotly, which is not installed:"
            " pip install &quot;irmeval[report]&quot;</p>"
        )
    for ask in (result.to_frame, result.plot):
        with pytest.raises(irmeval.IrmevalError, match=r"this result has no (table 'none'|figure)"):
            ask("none")


@every
def test_svg_when_it_is_of_any_chart_then_it_is_drawn_and_nothing_is_at_no_place(made, experiment):
    for chart in made(experiment)[0].charts():
        found = parts(chart.draw())
        assert len(found) > 5, chart.name
        assert not [
            element
            for element in found
            for value in element.attrib.values()
            if "nan" in value or "inf" in value
        ], chart.name


@every
def test_leads_when_there_are_data_then_each_is_a_finding_and_another_page(made, experiment):
    found = made(experiment)[0].next_steps()
    # one that is all in its own file need not have any, nor one without data
    has_page = experiment.name in TOLD or {*page_scripts()} & {*experiment.pages}
    if (found or has_page) and (experiment.data or experiment.judged):
        assert any(lead.page not in experiment.pages for lead in found)
    assert {lead.page for lead in found} <= page_scripts().keys()
    for lead in found:
        assert not {"nan", "nan%", "None", "1 measures"} & {
            *lead.question.replace(",", "").split()
        }, lead
        assert not lead.question.endswith("."), lead
        assert all(
            type(value) in (str, tuple) or isinstance(value, Measure)
            for value in lead.settings.values()
        ), lead


@every
def test_headline_when_there_is_one_measure_then_it_is_not_both_best_and_worst(c, experiment):
    for chosen in (["AP"], ["nDCG"]):
        try:
            result = experiment(source(experiment, c), chosen, small(experiment))
        except ParamError:
            continue
        said = " ".join([result.headline(), *(lead.question for lead in result.next_steps())])
        assert not ("best" in said and "worst" in said and said.count(chosen[0]) > 1), said
        assert not ("most" in said and "fewest" in said and said.count(chosen[0]) > 1), said
        assert "1 measures" not in said
        assert "nan%" not in said


@every
def test_work_when_given_what_it_cannot_use_then_it_says_so(c, experiment):
    matrix = Matrix("m", ("a", "b"), ("1", "2"), np.array([[0.1, 0.2], [0.3, 0.1]]))
    if experiment.data:
        with pytest.raises(ParamError, match="expected a collection"):
            experiment(None, MEASURES)
        with pytest.raises(ParamError, match="expected a collection"):
            experiment(panel(c), MEASURES)
    if experiment.judged:
        with pytest.raises(ParamError, match="expected judges to compare, found none"):
            experiment(c)
    if experiment.others:
        with pytest.raises(
            ParamError, match="expected a collection with another judge, found one with qrels alone"
        ):
            experiment(c, MEASURES)
    if experiment.data and not experiment.matrix:
        with pytest.raises(ParamError, match="no judgments"):
            experiment(matrix)
        with pytest.raises(ParamError, match="all runs"):
            experiment(source(experiment, c), MEASURES, only=["run0"])
    if experiment.measured:
        with pytest.raises(ParamError, match="at least one"):
            experiment(source(experiment, c), [])
    with pytest.raises(ParamError, match="parameters of its own"):
        experiment(source(experiment, c), MEASURES, object())


@pytest.mark.parametrize("workers", [1, 3])
@every
def test_numbers_when_work_is_divided_otherwise_then_are_the_same_to_the_bit(
    many, experiment, workers, monkeypatch
):
    given = source(experiment, many), MEASURES, small(experiment)
    expected = every_table(experiment(*given))
    divide(monkeypatch, workers)
    for name, table in every_table(experiment(*given)).items():
        pd.testing.assert_frame_equal(table, expected[name], check_exact=True, obj=name)


def every_table(result):
    """The tables of a result by name, and its frame."""
    return {"frame": result.frame()} | {table.name: table.make() for table in result.tables()}


def divide(monkeypatch, workers):
    """Share work by so many workers, in parts that are small and odd."""
    monkeypatch.setattr(parallel, "count_processors", lambda: workers)
    of_samples = 7 * SMALL["samples"]  # of seven pairs
    for module in (each for name, each in [*sys.modules.items()] if name.startswith("irmeval.")):
        if getattr(module, "fit", None) is FIT:
            monkeypatch.setattr(module, "fit", lambda most, each=64: min(most, of_samples))
    for module, name, size in PARTS:
        monkeypatch.setattr(module, name, size)


@every
def test_verdict_when_a_result_states_it_then_its_claim_is_one_short_sentence(made, experiment):
    assert experiment.result_type.headline is Result.headline, "it is the verdict, as a text"
    result, _ = made(experiment)
    choice = result.choice()
    for option in ("", *(choice.options if choice else ())):
        verdict = result.verdict(option)
        assert len(verdict.claim.split()) <= LONGEST, verdict
        assert verdict.claim.endswith("."), verdict
        assert result.headline(option) == verdict.text


@every
def test_chart_when_a_mark_is_of_a_measure_then_it_has_the_colour_of_that(made, experiment):
    result, _ = made(experiment)
    looks = styles([*map(str, result.measures), *MEASURES])
    for chart in result.charts():
        for trace in chart.draw().to_dict()["data"]:
            drawn = trace.get("line") or trace.get("marker") or {}
            if (look := looks.get(trace.get("name"))) and "color" in drawn:
                assert drawn["color"] == look.color, (chart.name, trace["name"])
            texts = [*map(str, trace.get("text", ()))]
            if texts and trace.get("mode") == "markers" and {*texts} <= {*looks}:
                assert trace["marker"]["color"] == [looks[text].color for text in texts]


def drawn_by(made, experiment):
    """Name, traces and layout of each chart of an experiment."""
    result, _ = made(experiment)
    for chart in result.charts():
        figure = chart.draw().to_dict()
        yield chart.name, figure["data"], figure["layout"]


@every
def test_margin_when_nothing_is_written_on_the_right_of_a_chart_then_it_has_no_room_for_that(
    made, experiment
):
    for name, traces, layout in drawn_by(made, experiment):
        texts = [trace for trace in traces if trace.get("mode") == "text"]
        if not texts and not layout.get("annotations"):
            assert layout["margin"]["r"] <= MARGIN, name


@every
def test_legend_when_a_key_is_of_marks_in_several_colours_then_it_has_none_of_them(
    made, experiment
):
    for name, traces, layout in drawn_by(made, experiment):
        keys = [trace for trace in traces if trace.get("showlegend", True)]
        if layout.get("showlegend"):
            assert all(isinstance(key["marker"]["color"], str) for key in keys), name


@every
def test_choice_when_a_result_has_one_then_each_option_has_charts_and_others_are_refused(
    made, experiment
):
    result, _ = made(experiment)
    choice = result.choice()
    if choice is None:
        return
    assert choice.help.endswith(".")
    assert choice.default in ("", *choice.options)
    for option in choice.options:
        assert result.plot(choice=option).data
    with pytest.raises(irmeval.IrmevalError, match=f"unknown {choice.label} 'none'"):
        result.plot(choice="none")

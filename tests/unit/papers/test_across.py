"""Several collections side by side: their figures against those of the experiments,
differences against loops, and the command.
"""

import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import irmeval
from irmeval.cli import main
from irmeval.cli.several_collections import short_names
from irmeval.core import parallel
from irmeval.core.errors import Cancelled, ParamError, UnknownName
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.measures.scorecard import Params
from irmeval.papers import PAPERS, findings_across, on_collections
from irmeval.papers.findings import DIRECTION, DOES_NOT, HOLDS, UNDECIDED, Outcome
from irmeval.papers.findings_across import FindingsAcross, compare_findings, standing_of
from irmeval.papers.on_collections import compare_collections
from irmeval.papers.resampled import COUNTED, DEFINITION
from irmeval.plots.axes import array
from irmeval.report.findings_table import latex, printed_findings
from irmeval.stats.correlation import tau_b
from tests import cases
from tests.cases import SAMPLE, refusal, rows

MEASURES = ["AP", "P@5", "AP'"]
SMALL = Params(trials=2, sets=30)


@pytest.fixture(scope="module")
def two() -> dict[str, irmeval.Collection]:
    return {
        f"seed {seed}": cases.collection(*cases.drawn(seed, topics=8, runs=6)) for seed in (1, 2)
    }


@pytest.fixture(scope="module")
def compared(two):
    return compare_collections(two, MEASURES, SMALL)


def test_figures_when_compared_then_those_of_the_experiments(two, compared):
    card = EXPERIMENTS["scorecard"]
    for c, collection in enumerate(two.values()):
        shown = card(collection, MEASURES, SMALL)
        found = dict(
            zip([column.name for column in compared.criteria], compared.values[..., c], strict=True)
        )
        names = [column.name for column in shown.columns]
        same = {name: name for name in ("rate for tau 0.9 (%)", "minority rate at 10% ties")}
        for name, own in (
            same | {compared.criteria[0].name: names[0], "power": "power at 100%"}
        ).items():
            assert found[name] == pytest.approx(shown.values[names.index(own)], nan_ok=True), name
        swapped = EXPERIMENTS["swap"](
            collection, MEASURES, EXPERIMENTS["swap"].params(threshold=5, trials=30)
        )
        assert found["required difference"] == pytest.approx(
            swapped.required.difference, nan_ok=True
        )
        # of AP, and of its prime
        assert found["left at rank 10"][0] == found["left at rank 10"][2] == pytest.approx(0.1)


def test_criteria_when_more_is_left_than_was_asked_then_are_named_by_what_is_left():
    lists = {
        f"r{r}": {
            str(t): [*[f"u{i}" for i in range((r + t) % 3)], "d0", "d1", "d2"] for t in range(4)
        }
        for r in range(3)
    }
    few, many = (
        {str(t): {f"d{i}": int(i < R) for i in range(n)} for t in range(4)}
        for R, n in ((2, 2), (10, 110))
    )
    two = {"few": cases.collection(few, lists), "many": cases.collection(many, lists)}
    card = EXPERIMENTS["scorecard"](two["few"], ["AP", "P@5"], SMALL)
    assert [name for name in card.numbers() if "asked" in name] == [
        f"{name} at 50% (10% asked)" for name in ("tau", "power", "errors", "mean off")
    ]
    assert "with 50% (10% asked) of the judgments" in card.columns[0].meaning
    both = compare_collections(two, ["AP", "P@5"], SMALL)
    assert both.criteria[0].name == "tau at 10% to 50% (10% asked)"
    assert "at 10%" not in {*both.frame()["criterion"]}


def test_tau_on_halves_when_topics_count_more_then_that_of_their_means(two):
    """Its standard error against the definition: weights 2 and 0 for the halves of an
    even number of topics.
    """
    collection = next(iter(two.values()))
    weights, scale = on_collections.weigh_halves(8)
    assert (set(weights.ravel()), scale) == ({0.0, 2.0}, 1.0)
    found = on_collections.summarize(
        collection, measures=tuple(map(irmeval.measure, MEASURES)), params=SMALL
    )
    rate, by_hand = 10, []
    full = irmeval.evaluate(collection, ["AP"]).values[0]
    samples = irmeval.reduce(
        collection, "stratified", rate=rate, trials=2, seed=1, rounding="floor"
    )
    scored = [irmeval.evaluate(collection, ["AP"], grades=grades).values[0] for grades in samples]
    for half in weights:
        some = half > 0
        by_hand.append(
            np.mean(
                [tau_b(less[:, some].mean(axis=1), full[:, some].mean(axis=1)) for less in scored]
            )
        )
    assert found.error(found.halves)[0, 0] == pytest.approx(np.std(by_hand, ddof=1))


def test_summary_when_a_store_has_it_then_is_that_one(two):
    store, of = {}, {"measures": tuple(map(irmeval.measure, MEASURES)), "params": SMALL}
    first, second = two.values()
    kept = on_collections.summarize(first, store=store, **of)
    assert on_collections.summarize(first, store=store, **of) is kept
    assert on_collections.summarize(second, store=store, **of) is not kept


def test_agreement_when_compared_then_by_the_orders_of_the_measures(compared):
    frame = compared.agreement()
    assert list(frame) == ["criterion", "W", "W by chance", "tau seed 1, seed 2"]
    row = next(
        c
        for c, values in enumerate(compared.values)
        if all(len({*column}) == 3 for column in values.T)
    )
    ranked = [np.argsort(np.argsort(column)) for column in compared.values[row].T]
    rho = np.corrcoef(ranked)[0, 1]  # of orders without ties
    assert frame["W"][row] == pytest.approx((1 + rho) / 2)
    assert frame["W"][5] == 1  # top-heaviness follows from the definitions


def test_effects_when_listed_then_each_pair_once_with_its_mean_between_the_collections(compared):
    frame = compared.effects()
    assert len(frame) == 6 * 3
    assert [*zip(frame["measure a"][:3], frame["measure b"][:3], strict=True)] == [
        *combinations(MEASURES, 2)
    ]
    of = frame[frame["collections"] == 2]
    assert len(of)
    ends = of[["seed 1", "seed 2"]]
    assert (
        (ends.min(axis=1) - 1e-12 <= of["mean"]) & (of["mean"] <= ends.max(axis=1) + 1e-12)
    ).all()
    tau = compared.criteria[0].name
    assert compared.pooled(tau, "AP", "P@5").mean == pytest.approx(
        -compared.pooled(tau, "P@5", "AP").mean
    )
    for criterion in (tau, "power"):
        _, errors, _ = compared.effects_of(criterion, "AP", "AP")
        # of the difference, as both are computed on the same halves
        assert errors.tolist() == [0, 0]
    with pytest.raises(UnknownName, match="unknown criterion"):
        compared.pooled("tau", "AP", "P@5")


def test_result_when_shown_then_says_what_two_cannot_tell_and_draws_a_forest(compared):
    assert compared.headline().startswith("2 collections agree most by ")
    assert "too few to estimate how much collections differ" in compared.headline()
    agree = compared.agreement().set_index("criterion")["W"].dropna()
    most, least = re.search(r"most by (.*), least by (.*?)\. ", compared.headline()).groups()
    assert most.endswith(f"(W {agree.max():.2f})")
    assert least.endswith(f"({agree.min():.2f})")
    assert agree.max() > agree.min()
    order = np.argsort(-compared.values[0].mean(axis=1), kind="stable")
    forest = compared.chart_of_effect(compared.criteria[0].name, "AP", "AP'").draw().to_dict()
    assert forest["layout"]["yaxis"]["ticktext"] == ["seed 1", "seed 2", "Mean of 2 collections"]
    assert [table.name for table in compared.tables()] == [
        "summary",
        "agreement",
        "effects",
        "observations",
    ]
    assert len(compared.frame()) == 2 * 6 * 3
    drawn = array(compared.plot("values").to_dict()["data"][0]["z"])
    np.testing.assert_allclose(drawn, compared.values[0][order], rtol=1e-6)  # of 32 bits


def test_forest_when_no_mean_is_known_then_it_has_no_diamond_and_without_values_no_row(compared):
    for name, drawn_rows in (("halves", ["seed 1", "seed 2"]), ("values", [])):
        unknown = [
            replace(summary, **{name: np.full_like(getattr(summary, name), np.nan)})
            for summary in compared.summaries
        ]
        forest = (
            replace(compared, summaries=tuple(unknown))
            .chart_of_effect(compared.criteria[0].name, "AP", "AP'")
            .draw()
            .to_dict()
        )
        assert list(forest["layout"]["yaxis"]["ticktext"]) == drawn_rows
        assert [trace["name"] for trace in forest["data"] if trace.get("fill")] == []


def test_collections_when_fewer_than_two_or_unfit_then_refused_by_name(two):
    with pytest.raises(ParamError, match="at least two collections"):
        compare_collections({"one": next(iter(two.values()))}, MEASURES)
    lone = cases.collection(*cases.drawn(3, topics=8, runs=1))
    with pytest.raises(ParamError, match=r"^lone: "):
        compare_collections({"lone": lone, **two}, MEASURES, SMALL)


def test_collections_when_read_in_turn_then_each_once_and_progress_ends_with_all(two):
    read, told = [], []

    def reads(name):
        return lambda: read.append(name) or two[name]

    steps = on_collections.map_collections(
        lambda collection, store, progress: read.append(collection.topics[0]),
        {n: reads(n) for n in two},
        "",
        None,
        None,
    )
    next(steps)
    # the next is not read before this one is done
    assert read == ["seed 1", two["seed 1"].topics[0]]
    compare_collections(two, ["AP", "P@5"], SMALL, progress=lambda *at: told.append(at))
    assert told == sorted(told)
    assert told[-1] == (200, 200)


def test_collections_on_workers_when_stopped_then_what_is_done_is_there_and_no_call_goes_on(
    two, monkeypatch
):
    ended: list[str] = []

    class Workers:
        def run(self, calls):
            _, name, _, _ = calls[0].given
            try:
                while name == "seed 2":  # until it is stopped
                    parallel.check_cancelled()
            finally:
                ended.append(name)
            return [name]

    def progress(done: int, total: int) -> None:
        assert total == 200
        if done:
            raise Cancelled("Stopped.")

    monkeypatch.setattr(parallel, "cluster", lambda address: Workers())
    steps = on_collections.map_collections(on_collections.summarize, two, "local:2", None, progress)
    assert next(steps) == ("seed 1", "seed 1")
    with pytest.raises(Cancelled):
        next(steps)
    assert ended == ["seed 1", "seed 2"]


def test_findings_when_compared_then_a_verdict_each_and_a_standing():
    assert standing_of(HOLDS, HOLDS, UNDECIDED) == "open somewhere"
    assert standing_of(HOLDS, DIRECTION) == "leaning"
    assert standing_of(DIRECTION, DOES_NOT) == "open somewhere"
    assert standing_of(DOES_NOT, DOES_NOT) == "nowhere"
    answer = Outcome("", HOLDS, 1.0, 0.5, 1.5, "topics", "", 0.01)
    sure, not_so = (
        answer._replace(interval=DEFINITION),
        answer._replace(verdict=DOES_NOT, interval=COUNTED),
    )
    keys = [("bompada-2007", claim) for claim in ("both", "sure", "one")]
    of = [dict(zip(keys, (answer, sure, third), strict=True)) for third in (answer, not_so)]
    found = FindingsAcross(("a", "b"), tuple(of))
    assert found.matrix()["holds"].tolist() == [
        "everywhere",
        "everywhere",
        "on some, not on others",
    ]
    assert found.matrix()[["holds on", "a", "b"]].to_numpy().tolist()[2] == [1, "yes", "no"]
    assert found.verdict().claim == "Of 3 findings of the papers, 2 hold on both collections."
    assert found.headline().endswith("1 follows from definitions and cannot fail.")
    table = printed_findings(found)
    assert table.head == ("finding", "a", "b")
    [(title, lines)] = table.parts
    assert [[cell.text for cell in line[1:]] for line in lines] == [
        ["yes", "yes"],
        ["yes", "yes"],
        ["yes", "no"],
    ]
    assert [[cell.bold for cell in line[1:]] for line in lines][2] == [True, False]
    assert title == PAPERS["bompada-2007"].title
    assert all(claim in latex(found) for claim in ("both", "sure", "one"))
    assert r"p{0.5\linewidth}ll" in latex(found)
    assert len(found.frame()) == 6


def test_findings_when_asked_of_collections_then_those_of_every_paper(two, monkeypatch):
    bpref = PAPERS["sakai-2007-bpref"]
    monkeypatch.setattr(
        findings_across, "PAPERS", {bpref.name: replace(bpref, exhibits=bpref.exhibits[:3])}
    )
    wanted = {f.exhibit for f in bpref.findings.values()}
    kept = {exhibit.label for exhibit in bpref.exhibits[:3]}
    few = {
        claim: finding
        for claim, finding in bpref.findings.items()
        if finding.exhibit in kept & wanted
    }
    monkeypatch.setitem(
        findings_across.PAPERS,
        bpref.name,
        replace(bpref, exhibits=bpref.exhibits[:3], findings=few),
    )
    store: dict = {}
    found = compare_findings(two, store=store)
    assert [*found.standing] == [(bpref.name, claim) for claim in few]
    monkeypatch.setattr(findings_across, "make", None)  # nothing is made again
    told: list[tuple[int, int]] = []
    assert (
        compare_findings(two, store=store, progress=lambda *at: told.append(at))
        .frame()
        .equals(found.frame())
    )
    assert told[-1] == (200, 200)


FEW = ("--trials", "1", "--sets", "10", "-m", "AP", "P@10", "--topics-only", "1-6")


def test_across_when_pairs_are_given_then_named_by_their_folders_and_compared(
    run_command, tmp_path, monkeypatch
):
    monkeypatch.setattr("irmeval.cli.given_data.LONG_SECONDS", 0.0)
    qrels, runs = cases.written(tmp_path / "one", 1)
    other = tmp_path / "other"
    other.mkdir()
    (other / "qrels.txt").write_text(Path(qrels).read_text())
    printed = run_command(
        "across", qrels, runs, other / "qrels.txt", runs, "--table", "summary", *FEW
    )
    found = rows(printed.out)
    assert list(found[0]) == ["criterion", "measure", "one", "other"]
    assert all(row["one"] == row["other"] for row in found)
    assert "2 collections agree " in printed.err
    assert "100 of 200 (50%, about " in printed.err


def test_across_when_a_workspace_is_given_then_its_collections_and_measures(
    capsys, tmp_path, tiny, two, run_command
):
    files = cases.written(tmp_path / "one", 1)
    made = irmeval.Workspace().add("first", *files).add("second", *files)
    file = tmp_path / "my.irmeval"
    replace(made, measures=(irmeval.measure("P@5"), irmeval.measure("RR"))).save(file)
    printed = run_command(
        "across",
        file,
        "--table",
        "agreement",
        "--trials",
        "1",
        "--sets",
        "10",
        "--topics-only",
        "1-8",
    )
    assert list(rows(printed.out)[0]) == ["criterion", "W", "W by chance", "tau first, second"]
    assert "2 measures" in printed.err
    assert (
        main_refuses(capsys, str(file) + "#first")
        == "irmeval: expected at least two collections to compare, found 1. Add another.\n"
    )


def test_collections_when_files_share_a_name_then_are_named_by_folder_and_of_workspaces_by_file():
    assert short_names(["robust/qrels.txt", "covid/qrels.txt", "own.txt"]) == [
        "robust",
        "covid",
        "own",
    ]
    assert short_names(["robust/q/qrels.txt", "covid/q/qrels.txt"]) == ["robust/q", "covid/q"]
    assert len({*short_names(["robust/qrels.txt", "covid/qrels.txt", "a/robust.txt"])}) == 3
    assert short_names(["a.irmeval#mine v1.2", "b.irmeval#mine v1.2", "b.irmeval#other"]) == [
        "a.irmeval/mine v1.2",
        "b.irmeval/mine v1.2",
        "other",
    ]


@pytest.mark.parametrize(
    ("sources", "names"),
    [
        (["a/qrels.txt", "b/qrels.txt", "a/other.txt"], ["a", "b", "other"]),
        (["/a/q.txt", "/a/q.csv"], ["a/q.txt", "a/q.csv"]),
        (["/a/q.txt", "/b/q.txt", "/a/q.csv"], ["a/q.txt", "b", "a/q.csv"]),
    ],
)
def test_collections_when_one_folder_holds_several_then_each_has_a_name(sources, names):
    assert short_names(sources) == names


def test_collection_when_given_twice_then_its_file_is_named():
    told = refusal(ParamError, short_names, ["b/q.txt", "a/q.txt", "a/q.txt"])
    assert told == (
        "expected different qrels, or names in a workspace, for each collection, found 'a/q.txt'"
        " twice. Leave one out."
    )


def main_refuses(capsys, *sources: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main(["across", *sources, *FEW])
    assert ended.value.code == 2
    return capsys.readouterr().err


@pytest.mark.parametrize(
    ("sources", "said"),
    [
        (["a.txt"], "irmeval: expected RUNS after QRELS 'a.txt', found none."),
        (
            ["a.txt", "my.irmeval"],
            "irmeval: expected RUNS after QRELS 'a.txt', found 'my.irmeval'.",
        ),
        (
            ["a.txt", "runs", "b.txt", "no"],
            "irmeval: a.txt: expected a readable file, found no such file",
        ),
        ([*map(str, SAMPLE), *map(str, SAMPLE)], "irmeval: expected different qrels, or names"),
        (["gone.irmeval", "other.irmeval"], "irmeval: gone.irmeval: "),
    ],
)
def test_across_when_sources_are_wrong_then_one_line_says_which(
    capsys, tmp_path, monkeypatch, sources, said
):
    monkeypatch.chdir(tmp_path)
    # nothing is begun
    monkeypatch.setattr("irmeval.cli.several_collections.compare_collections", None)
    found = main_refuses(capsys, *sources)
    assert found.startswith(said), found
    assert found.count("\n") == 1

"""The audit of a judge: against plain loops on random tables, on real scores, and in
words where there is nothing to state.
"""

import csv
import io
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from irmeval.core.errors import IrmevalError, ParamError
from irmeval.experiments import EXPERIMENTS
from irmeval.reading.parsing import read_scores
from irmeval.reading.score_matrix import Matrix, with_judges
from irmeval.report import rerun
from irmeval.report.items import recipe_as_json
from irmeval.stats.mixtures import DecisionCounts
from tests.cases import drawn, tied_collection
from tests.conftest import real

AUDIT = EXPERIMENTS["audit"]
ANSWERED = "irmeval.experiments.planning.audit"
PLAIN = {"test": "t", "samples": 50, "trials": 3}
DL19 = {
    "umbrela_zeroshot": (0.8889, 0.6889, 0.0896, 0.9654, 3),
    "nuggets_vital": (0.8348, 0.4667, 0.0863, 0.7775, 3),
    "preferences": (0.8709, 0.6444, 0.0935, 0.9633, 3),
    "exam_graded_mean": (0.8438, 0.7333, 0.0878, 0.8078, 2),
}
"""Judge -> tau, that among NIST's ten best runs, share of its pairs not confirmed,
share of NIST's pairs found, place of its best run.
"""
WITH_AVERAGE = {
    "umbrela_zeroshot": (0.0909, 0.9698),
    "nuggets_vital": (0.0875, 0.7866),
    "preferences": (0.0948, 0.9677),
    "exam_graded_mean": (0.0946, 0.8254),
}
"""The two shares if the rows called average, which are means over topics, counted as a
topic.
"""


def scores(judge, table, runs=None):
    """A score matrix from a table [run, topic]."""
    table = np.asarray(table, float)
    runs = runs or [f"r{r}" for r in range(len(table))]
    return Matrix(judge, tuple(runs), tuple(map(str, range(table.shape[1]))), table, judge=judge)


def audited(*matrices, **how):
    return AUDIT(with_judges({matrix.judge: matrix for matrix in matrices}), **PLAIN | how)


def values(result, judge=""):
    """(statistic, k) -> value, of a judge."""
    frame = result.frame()
    chosen = frame[frame["judge"] == (judge or result.judges[0])]
    return {(row.statistic, row.k): row.value for row in chosen.itertuples()}


def significant(table):
    """Pair of runs -> sign, of the pairs that differ alone by t at .05."""
    found = {}
    for i, j in combinations(range(len(table)), 2):
        if stats.ttest_rel(table[i], table[j]).pvalue < 0.05:
            found[i, j] = np.sign(table[i].mean() - table[j].mean())
    return found


def by_loops(first, second, k):
    """The statistics of the issue's table from scores [run, topic] without holes."""
    a, b = first.mean(axis=1).round(12), second.mean(axis=1).round(12)
    top = [i for i in range(len(a)) if a[i] >= sorted(a)[-k]]
    said = [
        {pair: sign for pair, sign in significant(table).items() if {*pair} <= {*top}}
        for table in (first, second)
    ]
    both = sum(said[0].get(pair) == sign for pair, sign in said[1].items())
    against = sum(said[0].get(pair) == -sign for pair, sign in said[1].items())
    return {
        "tau": stats.kendalltau(a[top], b[top]).statistic,
        "confirmed_alone": both / (len(said[1]) or np.nan),
        "opposed_alone": against / (len(said[1]) or np.nan),
        "not_confirmed_alone": (len(said[1]) - both - against) / (len(said[1]) or np.nan),
        "found_alone": both / (len(said[0]) or np.nan),
        "judge_alone": len(said[1]),
        "reference_alone": len(said[0]),
    }


@pytest.mark.parametrize("seed", range(12))
def test_audit_when_runs_topics_and_scores_are_missing_then_is_that_of_loops_on_what_both_scored(
    seed,
):
    rng = np.random.default_rng(seed)
    first = rng.normal(np.linspace(0, 1, 13)[:, None], 0.5, (13, 16))
    second = np.round(first + rng.normal(0, 0.4, first.shape) + np.linspace(0.4, 0, 13)[:, None], 1)
    holes = [first.copy(), second.copy()]
    holes[0][3, 5] = holes[1][7, 2] = np.nan
    runs = [f"r{r}" for r in range(13)]
    reference, judge = scores("person", holes[0], runs), scores("model", holes[1][1:], runs[1:])
    judge = Matrix(
        "model",
        judge.runs,
        (*judge.topics[1:], "elsewhere"),
        judge.values[:, [*range(1, 16), 0]],
        judge="model",
    )
    result = audited(reference, judge)
    left = [t for t in range(1, 16) if t not in (5, 2)]
    found, (audit,) = values(result), result.audits
    assert (audit.runs, audit.topics) == (tuple(runs[1:]), tuple(map(str, left)))
    for k in (5, 10, 12):
        expected = by_loops(first[1:, left], second[1:, left], k)
        for name, value in expected.items():
            assert found.get((name, "all" if k == 12 else str(k)), np.nan) == pytest.approx(
                value, nan_ok=True
            ), (name, k)
    a, b = first[1:, left].mean(axis=1), second[1:, left].mean(axis=1)
    assert found["winner_place", "all"] == 1 + (a > a[np.argmax(b)]).sum()
    assert found["winner_loss", "all"] == pytest.approx(a.max() - a[np.argmax(b)])
    assert "Left out, as only one of person and model scored it: r0." in result.headline()
    assert "4 topics without a score by both" in result.headline()


def test_audit_when_the_scores_are_nists_of_2019_then_is_the_known_table():
    folder = real("judges-dl19")
    result = AUDIT(
        read_scores(
            {"nist": folder / "original.csv.gz"}
            | {name: folder / f"{name}.csv.gz" for name in DL19}
        ),
        **PLAIN,
    )
    for audit, (judge, known) in zip(result.audits, DL19.items(), strict=True):
        found = values(result, judge)
        assert (audit.judge, len(audit.runs), len(audit.topics)) == (judge, 37, 43)
        asked = [
            ("tau", "all"),
            ("tau", "10"),
            ("not_confirmed_alone", "all"),
            ("found_alone", "all"),
            ("winner_place", "all"),
        ]
        assert [round(found[key], 4) for key in asked] == [*known]
        assert found["opposed_alone", "all"] == 0
        whole = [
            np.column_stack([table, table.mean(axis=1)])
            for table in _tables(folder, ("original", judge))
        ]
        loops = by_loops(*whole, 37)
        assert (
            round(loops["not_confirmed_alone"], 4),
            round(loops["found_alone"], 4),
        ) == WITH_AVERAGE[judge]
        assert (round(loops["tau"], 4), round(by_loops(*whole, 10)["tau"], 4)) == known[:2]
    claim, _, below = result.verdict()
    assert claim == (
        "No. umbrela_zeroshot orders the runs with tau 0.89, the ten best with 0.69; 0.9 is"
        " required."
    )
    assert below.startswith("95% intervals of tau over 43 topics: ")
    assert "Other topics could change the answer. Its winner is third by nist." in below
    said = next(chart.caption for chart in result.charts() if chart.name == "decisions")
    assert said.endswith(
        "nist does not confirm 9% of the 491 significant pairs of umbrela_zeroshot."
    )
    assert (
        "Of 4 judges, exam_graded_mean orders the 10 best most like nist: tau 0.73."
        in result.headline()
    )


def test_judges_when_they_judged_other_topics_then_are_compared_on_those_of_all():
    rng = np.random.default_rng(1)
    truth = rng.random((15, 20))
    near, far = (truth + rng.normal(0, noise, truth.shape) for noise in (0.6, 0.9))
    far[:, :8] = truth[:, :8] + rng.normal(0, 0.02, (15, 8))  # right where it judged alone
    matrices = [
        scores("person", truth),
        scores("near", near),
        scores("far", far[:, :8]),
    ]
    told = audited(*matrices).headline()
    taus = {
        name: by_loops(truth[:, :8], table[:, :8], 10)["tau"]
        for name, table in (("near", near), ("far", far))
    }
    best = max(taus, key=lambda name: taus[name])
    expected = f"Of 2 judges, {best} orders the 10 best most like person on the 8 topics of all"
    assert f"{expected}: tau {taus[best]:.2f}." in told
    assert taus["near"] != pytest.approx(by_loops(truth, near, 10)["tau"])


@pytest.mark.parametrize("first", [0, 5])
def test_judges_when_none_is_ahead_or_one_topic_is_of_all_then_none_is_called_best(first):
    truth = np.random.default_rng(2).random((12, 12))
    near = truth + np.random.default_rng(3).normal(0, 0.5, truth.shape)
    runs, topics = (tuple(f"{kind}{i}" for i in range(12)) for kind in "rt")
    matrices = [
        Matrix(judge, runs, topics[part], table[:, part], judge=judge)
        for judge, table, part in [
            ("person", truth, slice(12)),
            ("one", near, slice(6)),
            ("other", near, slice(first, first + 6)),
        ]
    ]
    assert "most like" not in audited(*matrices).headline()


def _tables(folder, names):
    found = read_scores({name: folder / f"{name}.csv.gz" for name in names})
    return [matrix.values for matrix in (found, *found.others)]


def test_audit_when_runs_tie_or_a_judge_reverses_then_all_at_the_border_are_in_and_pairs_opposed():
    first = np.linspace(0, 1, 7)[:, None] + np.random.default_rng(1).normal(0, 0.05, (7, 12))
    first[1] = first[2]
    tied = first.copy()
    tied[0] = tied[6]
    reversing, tying = audited(
        scores("person", first), scores("against", -first), scores("tying", tied)
    ).audits
    assert reversing.decisions[reversing.tops.index(5)][0] == DecisionCounts(
        both=0, first_only=0, second_only=0, opposed=14, neither=1
    )
    assert (reversing.winner.place, reversing.winner.ties) == (7, 1)
    assert (tying.winner.system, tying.winner.place, tying.winner.ties) == (0, 7, 2)
    assert tying.winner.low < tying.winner.loss < tying.winner.high


@pytest.mark.parametrize(
    ("noise", "runs", "topics", "said"),
    [
        (
            0,
            20,
            30,
            (
                "Yes",
                "would not change the answer, by the interval. ",
            ),
        ),
        (
            0,
            8,
            30,
            (
                "Yes",
                "would not change the answer, by the interval. ",
            ),
        ),
        (
            (0, 0.4),
            20,
            30,
            (
                "No",
                "could change the answer for all 20 runs. ",
            ),
        ),
        (
            0.15,
            20,
            30,
            (
                "Yes",
                "could change the answer for the 10 best. ",
            ),
        ),
        (
            (0, 0.3),
            20,
            30,
            (
                "In part",
                "could change the answer. ",
            ),
        ),
        (
            0,
            4,
            30,
            (
                "Yes",
                "4 runs on 30 topics are too few to speak of other topics. ",
            ),
        ),
        (
            0,
            20,
            5,
            (
                "Yes",
                "20 runs on 5 topics are too few to speak of",
            ),
        ),
    ],
)
def test_audit_when_told_in_words_then_the_answer_is_first_and_other_topics_are_in_the_interval(
    noise, runs, topics, said
):
    rng = np.random.default_rng(3)
    first = np.linspace(0, 1, runs)[:, None] + rng.normal(0, 0.01, (runs, topics))
    result = audited(
        scores("person", first),
        scores(
            "model",
            first
            + rng.normal(0, 0.03, first.shape)
            + np.repeat(noise, runs // np.size(noise))[:, None] * rng.normal(size=first.shape),
        ),
        samples=200,
    )
    answer, others = said
    assert result.verdict().claim.startswith(f"{answer}. model orders the runs with tau ")
    assert ("the ten best with" in result.verdict().claim) == (runs > 10)
    assert others in result.headline()
    assert result.to_frame("summary")["may rank"].tolist() == [answer.lower()]


def test_audit_when_all_runs_tie_by_a_judge_then_there_is_no_order_and_no_winner():
    rng = np.random.default_rng(1)
    result = audited(scores("person", rng.random((4, 6))), scores("model", np.full((4, 6), 0.5)))
    assert result.headline().startswith(
        "model or person gives all runs the same mean, so there is no order to compare."
    )
    found = values(result)
    assert ("tau", "all") not in found
    assert ("winner_place", "all") not in found
    assert found["judge_alone", "all"] == 0
    for table in result.tables():
        table.make()
    for chart in result.charts():
        chart.draw()


@pytest.mark.parametrize(
    ("reference", "judge", "said"),
    [
        (
            scores("a", [[1, 2], [3, 4]], ["x", "y"]),
            scores("b", [[1, 2], [3, 5]], ["v", "w"]),
            "at least 2 runs that a and b scored, found 0. a has x, y; b has v, w.",
        ),
        (
            scores("a", [[1, 2], [3, 4]], ["x", "y"]),
            scores("b", [[1, 2], [3, 5]], ["x", "w"]),
            "at least 2 runs that a and b scored, found 1",
        ),
        (
            scores("a", [[1], [3]]),
            scores("b", [[1], [3]]),
            "at least 2 runs and 2 topics with a score for every run, found 2 runs and 1 topic.",
        ),
        (
            scores("a", [[1, 2], [3, 4]]),
            Matrix("b", ("r0", "r1"), ("8", "9"), np.ones((2, 2)), judge="b"),
            "at least 2 topics that a and b scored, found 0. a has 0, 1; b has 8, 9.",
        ),
        (
            scores("a", [[1, 2, 3], [3, np.nan, np.nan], [1, 2, 3]]),
            scores("b", [[1, 2, 3], [3, 4, 5], [1, 2, 3]]),
            (
                "at least 2 topics on which a and b scored every run, found 1 of 3. 'r1' has 1"
                " topic: leave it out."
            ),
        ),
    ],
)
def test_audit_when_judges_have_too_little_in_common_then_it_is_said(reference, judge, said):
    with pytest.raises(ParamError) as refused:
        audited(reference, judge)
    assert said in str(refused.value)


def test_audit_when_there_is_one_judge_then_asks_for_another():
    with pytest.raises(
        ParamError,
        match="expected a collection or the scores of several judges, found the score matrix a",
    ):
        AUDIT(scores("a", [[1, 2], [3, 4]]))
    with pytest.raises(
        ParamError, match="expected the scores of at least 2 judges with a name, found a"
    ):
        with_judges({"a": scores("a", [[1, 2], [3, 4]])})


def test_audit_when_scores_are_no_shares_then_it_is_said_where_that_matters():
    rng = np.random.default_rng(1)
    table = rng.random((5, 8))
    assert (
        "depend on the scale" not in audited(scores("a", table), scores("b", table**2)).headline()
    )
    assert "Scores reach from" in audited(scores("a", table), scores("b", 100 * table)).headline()


def test_favour_when_kinds_are_known_then_is_the_mean_change_of_places_with_a_permutation_test():
    first = np.linspace(0, 1, 8)[:, None] + np.random.default_rng(1).normal(0, 0.01, (8, 10))
    second = first + np.array([1, 1, 0, 0, 0, 0, 0, 0])[:, None]
    kinds = "model's own,r0,r1;lexical,r2,r3,r4,r5,r6;neural,r7"
    result = audited(
        scores("person", first), scores("model", second), kinds=kinds, samples=5000, team_rule="2"
    )
    found = values(result)
    assert found["favour_kind:model's own", "all"] == 6
    assert found["favour_kind:lexical", "all"] == -2
    assert found["favour_kind:neural", "all"] == 0 - 2
    assert found["favour_kind_p:model's own", "all"] == pytest.approx(3 / 28, abs=0.02)
    assert result.to_frame("kinds")["runs"].tolist() == [2, 5, 1]
    assert (
        next(chart for chart in result.charts() if chart.name == "favour").title
        == "Places gained by kind"
    )
    with pytest.raises(ParamError, match="kinds: expected runs that are here, found x"):
        audited(scores("person", first), scores("model", second), kinds="lexical,x")


def test_circularity_when_runs_are_in_the_judges_order_then_scores_rise_to_the_lists_ceiling():
    collection = tied_collection(*drawn(4, topics=8, runs=5)).with_judgments(
        "noisy", "simulated:noisy,0.4,3"
    )
    result = AUDIT(collection, ["AP", "nDCG"], **PLAIN)
    assert [(audit.judge, audit.measure) for audit in result.audits] == [
        ("noisy", "AP"),
        ("noisy", "nDCG"),
    ]
    assert result.frame().columns.tolist() == [
        "measure",
        "judge",
        "reference",
        "statistic",
        "k",
        "value",
        "low",
        "high",
    ]
    for audit in result.audits:
        assert (audit.circle.judge >= audit.means[1] - 1e-12).all()
        mean, low, high = audit.circle.ceiling
        assert low <= mean <= high
    assert result.verdict().claim.startswith(
        "No. By AP, noisy (simulated) orders the runs with tau"
    )
    same = AUDIT(collection.judged_by("noisy"), ["AP"], **PLAIN)
    assert (same.reference, same.judges) == ("noisy", ("qrels",))


def test_order_of_runs_and_topics_when_changed_then_no_number_does():
    rng = np.random.default_rng(2)
    tables = rng.random((2, 7, 9))
    one = audited(*(scores(name, table) for name, table in zip("ab", tables, strict=True)))
    runs, topics = rng.permutation(7), rng.permutation(9)
    turned = [
        Matrix(
            name,
            tuple(f"r{r}" for r in runs),
            tuple(str(t) for t in topics),
            table[np.ix_(runs, topics)],
            judge=name,
        )
        for name, table in zip("ab", tables, strict=True)
    ]
    free = ("tau", "all"), ("found_alone", "all"), ("winner_loss", "all"), ("tau_ap", "all")
    assert [values(one)[key] for key in free] == [values(audited(*turned))[key] for key in free]


LONG = "runid,topic,rbo\n" + "".join(
    f"r{r},{t},{(r * 7 + t * 3) % 11 / 11}\n" for r in range(6) for t in range(8)
)
OTHER = "runid,topic,rbo\n" + "".join(
    f"r{r},{t},{(r * 7 + t * 5) % 13 / 13}\n" for r in range(6) for t in range(8)
)


@pytest.fixture
def files(tmp_path):
    (tmp_path / "a.csv").write_text(LONG)
    (tmp_path / "b.csv").write_text(OTHER + "runid,topic,rbo\nr9,1,.5\n")
    (tmp_path / "teams.csv").write_text(
        "run,team,kind\nr0,x,lexical\nr1,x,lexical\nr2,y,neural\nr3,y,neural\n"
    )
    return tmp_path


def test_command_when_given_files_of_scores_then_prints_the_rows_and_the_sentence(
    files, run_command
):
    found = run_command(
        "audit",
        "--scores",
        f"nist={files / 'a.csv'}",
        "--scores",
        f"model={files / 'b.csv'}",
        "--team-list",
        files / "teams.csv",
    )
    rows = [*csv.DictReader(io.StringIO(found.out))]
    assert list(rows[0]) == ["judge", "reference", "statistic", "k", "value", "low", "high"]
    assert {(row["judge"], row["reference"]) for row in rows} == {("model", "nist")}
    assert {"favour_team:x", "favour_kind:lexical", "favour_kind:neural", "enough_powered"} <= {
        row["statistic"] for row in rows
    }
    assert "model: 7 runs, 8 topics; read as scores with a header" in found.err
    assert "No. model orders the runs with tau " in found.err
    assert "Left out, as only one of nist and model scored it: r9." in found.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["--scores", "nist={a}"],
            "expected the scores of at least 2 judges with a name, found nist",
        ),
        (["--scores", "{a}", "--scores", "x={b}"], "scores: expected NAME=..., found"),
        (
            ["--scores", "x={a}", "--scores", "x={b}"],
            "scores: expected a different name for each judge, found one twice",
        ),
        (
            ["--scores", "x={a}", "--scores", "y=nowhere.csv"],
            "nowhere.csv: expected a readable file",
        ),
        (
            ["--scores", "x={a}", "--scores", "y={b}", "-m", "AP"],
            "scores replace QRELS, RUN, -m and their flags. Leave out",
        ),
        (["--scores", "x={a}", "--scores", "y={b}", "--runs", "r0,q"], "unknown run 'q'"),
    ],
)
def test_command_when_the_files_do_not_do_then_says_so_in_a_line(files, run_command, words, said):
    names = {"a": files / "a.csv", "b": files / "b.csv"}
    assert said in run_command("audit", *(word.format(**names) for word in words), status=2).err


def test_recipe_when_of_scores_then_its_command_its_script_and_its_report_give_the_same_rows(
    files, run_command
):
    source = read_scores({"nist": files / "a.csv", "model": files / "b.csv"})
    result = AUDIT(source, **PLAIN)
    command = result.recipe().command()
    assert (
        command
        == "python -m irmeval audit --scores nist=SCORES --scores model=SCORES --test t --samples"
        " 50 --trials 3"
    )
    words = (
        command.replace("nist=SCORES", f"nist={files / 'a.csv'}")
        .replace("model=SCORES", f"model={files / 'b.csv'}")
        .split()[3:]
    )
    rows = [*csv.DictReader(io.StringIO(run_command(*words).out))]
    assert [float(row["value"]) for row in rows] == pytest.approx(
        result.frame()["value"].tolist(), abs=0
    )
    again = rerun(recipe_as_json(result.recipe()), [files / "a.csv", files / "b.csv"])
    assert again.frame().equals(result.frame())


def test_matrix_when_it_has_judges_then_other_experiments_take_the_reference_alone(files):
    source = read_scores({"nist": files / "a.csv", "model": files / "b.csv"})
    alone = EXPERIMENTS["matrix"](source, test="t")
    assert alone.headline() == EXPERIMENTS["matrix"](source.complete, test="t").headline()
    with pytest.raises(IrmevalError):
        EXPERIMENTS["curves"](source)


def test_answer_when_tau_is_just_what_is_required_then_is_yes(monkeypatch):
    reference = scores("person", [[1, 2], [2, 3], [3, 4], [4, 5]])
    other = scores("model", [[2, 3], [1, 2], [3, 4], [4, 5]])
    found = audited(reference, other)
    monkeypatch.setattr(f"{ANSWERED}.EQUIVALENT", float(found.audits[0].tau(4)[0]))
    assert found.headline().startswith("Yes.")
    monkeypatch.setattr(f"{ANSWERED}.EQUIVALENT", 0.67)
    assert found.headline().startswith("No.")

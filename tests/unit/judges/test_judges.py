"""Judges: their agreement on documents, against other programs and by hand; and
simulated judges.
"""

import io

import krippendorff
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmeval
from irmeval.core.errors import ParamError, ReadError, UnknownName
from irmeval.experiments import EXPERIMENTS
from irmeval.judges.grade_maps import HIGHEST, apply_map, map_as_text, parse_map
from irmeval.judges.simulation import confusion_matrix
from irmeval.reading import foreign
from irmeval.report import report
from irmeval.stats.judge_agreement import ALPHAS
from irmeval.workspace.stored import OtherJudge
from tests.conftest import real

AGREEMENT = EXPERIMENTS["judges"]
FEW = AGREEMENT.params(samples=50)


def judges(*grades, topics=1):
    """Judges of documents d0, d1, ..., spread over topics; a negative grade is none."""
    made = {}
    for j, row in enumerate(grades):
        made[f"j{j}"] = {
            str(t): {f"d{d}": int(g) for d, g in enumerate(row) if d % topics == t and g > -2}
            for t in range(topics)
            if len(row) > t
        }
    return irmeval.Judges.from_dicts(made)


def values(result, pair=("j0", "j1"), topic="all"):
    frame = result.frame()
    here = frame[(frame.judge_a == pair[0]) & (frame.judge_b == pair[1]) & (frame.topic == topic)]
    return dict(zip(here.statistic, here.value, strict=True))


def some_grades(seed, documents=200, top=3, agree=0.6):
    """Two judges' grades, each unknown (-1) for some documents."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, top + 1, documents)
    b = np.where(rng.random(documents) < agree, a, rng.integers(0, top + 1, documents))
    for row in (a, b):
        row[rng.random(documents) < 0.2] = -1
    return a, b


def other_programs(a, b):
    """Statistics by scikit-learn, which takes a second to import, and krippendorff."""
    from sklearn.metrics import cohen_kappa_score, jaccard_score, precision_score, recall_score

    both = (a >= 0) & (b >= 0)
    x, y = a[both], b[both]
    pair = np.where(np.array([x, y]) >= 0, np.array([x, y], float), np.nan)
    # where a grade is missing, scikit-learn would else take its neighbours for near
    levels = [*range(max(x.max(), y.max()) + 1)]
    found = {
        f"kappa{name}": cohen_kappa_score(x, y, labels=levels, weights=w)
        for name, w in (("", None), ("_linear", "linear"), ("_quadratic", "quadratic"))
    }
    found |= {
        f"alpha_{kind}": krippendorff.alpha(pair, level_of_measurement=kind)
        for kind in ("ordinal", "nominal", "interval")
    }
    found |= {
        "overlap": jaccard_score(x > 0, y > 0),
        "precision": precision_score(x > 0, y > 0),
        "recall": recall_score(x > 0, y > 0),
    }
    return found | {
        "agreement": np.mean(x == y),
        "agreement_binary": np.mean((x > 0) == (y > 0)),
        "leniency": np.mean(y - x),
        "documents": len(x),
    }


@pytest.mark.parametrize("seed", range(6))
def test_statistics_when_computed_by_other_programs_then_are_the_same(seed):
    a, b = some_grades(seed, top=1 + seed % 4)
    result = AGREEMENT(judges(a, b, topics=3), params=FEW)
    found = values(result)
    for name, value in other_programs(a, b).items():
        assert found[name] == pytest.approx(value, abs=1e-12), name
    for t in range(3):
        here = values(result, topic=str(t))
        for name, value in other_programs(a[t::3], b[t::3]).items():
            assert here[name] == pytest.approx(value, abs=1e-12), name


@pytest.mark.parametrize("other", ["Olz-gpt4o", "h2oloo-zeroshot1", "willia-umbrela1"])
def test_language_models_when_compared_with_people_then_figures_are_those_of_other_programs(other):
    folder = real("llmjudge")
    found = irmeval.read_judges(folder / "human.txt", {other: folder / f"{other}.txt"})
    result = AGREEMENT(found, params=FEW)
    for name, value in other_programs(*found.grade).items():
        assert values(result, ("human", other))[name] == pytest.approx(value, abs=1e-12), name


def test_alpha_when_of_many_judges_then_is_that_of_the_paper_and_of_another_program():
    # Krippendorff (2011), Computing Krippendorff's alpha-reliability, section C: four observers,
    # twelve units
    rows = "123321412...", "1233224125.3", ".3332342251.", "12332441251."
    grades = np.array([[-1 if c == "." else int(c) for c in row] for row in rows])
    result = AGREEMENT(judges(*grades), params=FEW)
    together = dict(zip(ALPHAS, result.together[0], strict=True))
    assert {name: round(value, 3) for name, value in together.items()} == {
        "alpha_ordinal": 0.815,
        "alpha_nominal": 0.743,
        "alpha_interval": 0.849,
    }
    known = np.where(grades >= 0, grades.astype(float), np.nan)
    for name, value in together.items():
        assert value == pytest.approx(
            krippendorff.alpha(known, level_of_measurement=name.removeprefix("alpha_")), abs=1e-12
        )


def test_ordinal_alpha_when_grades_are_renamed_in_their_order_then_is_the_same():
    a, b = some_grades(1)
    found = judges(a, b)
    stretched = found.mapped("j0", {1: 4, 2: 20, 3: 21}).mapped("j1", {1: 4, 2: 20, 3: 21})
    before, after = (values(AGREEMENT(which, params=FEW)) for which in (found, stretched))
    assert after["alpha_ordinal"] == pytest.approx(before["alpha_ordinal"], abs=1e-12)
    assert after["kappa"] == pytest.approx(before["kappa"], abs=1e-12)
    assert after["alpha_interval"] != pytest.approx(before["alpha_interval"], abs=1e-3)


def test_judge_when_compared_with_itself_then_agrees_wholly_and_with_chance_not_at_all():
    a, _ = some_grades(2)
    same = values(AGREEMENT(judges(a, a), params=FEW))
    assert all(
        same[name] == 1
        for name in (
            "agreement",
            "kappa",
            "kappa_linear",
            "kappa_quadratic",
            "overlap",
            "precision",
            "recall",
            *ALPHAS,
        )
    )
    rng = np.random.default_rng(3)
    chance = values(AGREEMENT(judges(*rng.integers(0, 4, (2, 20_000))), params=FEW))
    assert all(
        abs(chance[name]) < 0.03 for name in ("kappa", "kappa_linear", "kappa_quadratic", *ALPHAS)
    )


def test_judges_when_they_share_no_document_then_it_is_said():
    apart = irmeval.Judges.from_dicts({"a": {"1": {"x": 1}}, "b": {"2": {"x": 1}}})
    with pytest.raises(ParamError, match="a and b have judged no document in common"):
        AGREEMENT(apart)
    unknown = irmeval.Judges.from_dicts({"a": {"1": {"x": 1}}, "b": {"1": {"x": -1, "y": 2}}})
    with pytest.raises(ParamError, match="no document in common"):
        AGREEMENT(unknown)


def test_judges_when_there_is_one_grade_only_then_words_say_so_and_no_cell_is_nan():
    result = AGREEMENT(judges([1, 1, 1, 1], [1, 1, 1, 1], topics=2), params=FEW)
    assert result.verdict().claim.endswith("; there is only one grade.")
    assert result.frame().value.notna().all()
    assert "kappa" not in values(result)
    assert values(result)["agreement"] == 1


def test_judge_when_they_have_no_judgment_of_a_topic_then_it_is_left_out_of_means_and_counted():
    both = irmeval.Judges.from_dicts(
        {"a": {"1": {"x": 1, "y": 0}, "2": {"x": 1}}, "b": {"1": {"x": 1, "y": 1}, "3": {"z": 2}}}
    )
    result = AGREEMENT(both, params=FEW)
    summary = result.summary().set_index("statistic")
    assert summary.loc["Same grade", "topics"] == 1
    assert summary.loc["Same grade", "mean over topics"] == 0.5
    coverage = result.coverage().set_index("judge")
    assert coverage.documents.to_dict() == {"a": 3, "b": 3}
    assert coverage["judged by nobody else"].to_dict() == {"a": 1, "b": 1}


def of_percent():
    """A judge with 70 grades beside another."""
    return irmeval.Judges.from_dicts(
        {"a": {"1": {f"d{i}": i for i in range(70)}}, "b": {"1": {"d1": 1, "d69": 1}}}
    )


def test_grades_when_too_many_for_a_table_and_mapped_to_fewer_then_they_are_compared():
    coarse = of_percent().mapped(
        "a", parse_map(",".join(f"{grade}:{grade // 35}" for grade in range(70)))
    )
    assert values(AGREEMENT(coarse, params=FEW), ("a", "b"))["agreement"] == 0.5


@given(st.dictionaries(st.integers(-1, 120), st.integers(-1, 3), max_size=80))
def test_map_when_written_as_text_then_reads_the_same_and_maps_each_grade(grades):
    text = map_as_text(sorted(grades.items()))
    assert parse_map(text) == grades
    assert map_as_text(parse_map(text).items()) == text
    before = np.arange(-1, 125)
    assert apply_map(before, grades).tolist() == [
        grades.get(grade, grade) for grade in before.tolist()
    ]


def test_map_when_of_ranges_then_is_as_that_of_each_grade_in_every_place():
    text, each = "0-34:0, 35-69:1", {grade: grade // 35 for grade in range(70)}
    assert of_percent().mapped("a", text).fingerprint == of_percent().mapped("a", each).fingerprint
    assert map_as_text(parse_map(text).items()) == "0-34:0,35-69:1"


@given(st.text("0123456789-:, ", max_size=40))
def test_map_when_any_text_then_is_read_or_refused_in_words(text):
    try:
        assert len(parse_map(text)) <= 2 * HIGHEST + 1
    except ParamError as error:
        assert str(error).startswith("map: expected ")


def test_grades_when_mapped_or_another_is_relevant_then_it_counts():
    found = judges([3, 2, 1, 0], [1, 1, 0, 0])
    coarse = found.mapped("j0", {3: 1, 2: 1, 1: 0})
    assert values(AGREEMENT(coarse, params=FEW))["kappa"] == 1
    assert values(AGREEMENT(found.relevant_from("j0", 2), params=FEW))["overlap"] == 1
    assert (
        len({found.fingerprint, coarse.fingerprint, found.relevant_from("j0", 2).fingerprint}) == 3
    )
    thresholds = (
        AGREEMENT(found, params=FEW)
        .thresholds()
        .set_index(["relevant to a from", "relevant to b from"])
    )
    assert thresholds.loc[(2, 1), "overlap"] == 1
    assert thresholds.loc[(1, 1), "recall"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda: irmeval.Judges.from_dicts({"a": {"1": {"x": 1}}}), "at least two, found 1"),
        (
            lambda: irmeval.Judges.from_dicts({"a": {"1": {"x": 1}}, "": {"1": {"x": 1}}}),
            "name of 1 to 100 characters",
        ),
        (lambda: AGREEMENT(of_percent()), "at most 64 over all judges, found 70. Map them"),
        (
            lambda: judges([1], [1]).mapped("j0", {1: 40_000}),
            "map: expected grades up to 32767, found 40000",
        ),
        (lambda: parse_map("1:0,1:2"), "map: expected each grade once"),
        (
            lambda: parse_map("0-5:0,5:1"),
            "map: expected each grade once, found 5 twice in '0-5:0,5:1'",
        ),
        (
            lambda: parse_map("50-0:1"),
            "map: expected the lower grade of a range first, as in 50-100:1, found '50-0:1'",
        ),
        (lambda: parse_map("0-40000:1"), "map: expected grades up to 32767, found 40000"),
        (lambda: parse_map("0-1-2:1"), "expected pairs of grades as in 1:1,2:1, or ranges"),
        (
            lambda: parse_map("1:0,2"),
            (
                "map: expected pairs of grades as in 1:1,2:1, or ranges as in 0-49:0,50-100:1,"
                " found '1:0,2'"
            ),
        ),
        (
            lambda: OtherJudge.of(foreign.qrels_from_dict({"1": {"x": 1}}), "", 0),
            "level: expected at least 1",
        ),
        (lambda: judges([1], [1]).relevant_from("j0", 0), "level: expected at least 1"),
        (
            lambda: irmeval.simulated(irmeval.read_qrels("sample_data/qrels.txt.gz"), "lenien"),
            "one of lenient, strict, noisy, binary",
        ),
        (lambda: confusion_matrix(np.arange(3), "noisy", 1.5), "from 0 to 1"),
    ],
)
def test_judges_when_they_cannot_be_then_it_is_said_in_words(wrong, says):
    with pytest.raises(ParamError, match=says):
        wrong()


def test_judge_when_unknown_then_the_nearest_is_named():
    with pytest.raises(UnknownName, match="nearest: j1"):
        judges([1], [1]).mapped("j11", {1: 0})


def test_command_when_run_then_prints_a_row_for_each_pair_statistic_and_topic(
    tmp_path, run_command
):
    for name, text in (
        ("person.txt", "1 0 a 2\n1 0 b 0\n2 0 c 1\n"),
        ("model", "1 0 a 1\n1 0 b 0\n2 0 c -1\n"),
        ("third", "1 0 a 0\n1 0 b 2\n"),
    ):
        (tmp_path / name).write_text(text)
    command = [
        "judges",
        f"{tmp_path}/person.txt",
        "--other",
        f"model={tmp_path}/model",
        "--other",
        f"third={tmp_path}/third",
    ]
    out, err = run_command(*command, "--samples", "20")
    rows = (
        pd.read_csv(io.StringIO(out), dtype={"topic": str})
        .set_index(["judge_a", "judge_b", "statistic", "topic"])
        .value
    )
    assert rows["person", "model", "agreement", "all"] == 0.5
    assert rows["person", "model", "documents", "1"] == 2
    # apart by 1 and 2; by chance 1, 1, 0 and 2
    assert rows["model", "third", "kappa_linear", "all"] == pytest.approx(1 - 1.5 / 1)
    assert ("all", "all", "alpha_ordinal", "all") in rows.index
    assert "person 3 documents, model 2 documents, third 2 documents" in err
    assert (
        "person,3,1,1,2,1,2,0"
        in run_command(
            *command, "--map", "person=2:1", "--relevant", "third=2", "--table", "coverage"
        ).out
    )


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (["--other", "model"], "other: expected NAME=..., found 'model'"),
        (["--other", "m={0}", "--other", "m={0}"], "a different name for each judge"),
        (["--other", "qrels={0}"], "is already the name of the first judge"),
        (["--other", "m={0}", "--map", "m=1"], "expected pairs of grades as in 1:1,2:1"),
        (["--other", "m={0}", "--map", "x=1:1"], "unknown judge 'x'"),
        (["--other", "m={0}", "--relevant", "m=two"], "expected a whole number"),
        (["--other", "m=simulated:strict,much,1"], "simulated:KIND,SHARE,SEED"),
        (["--other", "m=simulated:nobody"], "one of lenient, strict, noisy, binary"),
        (["--other", "m=nowhere.txt"], "nowhere.txt"),
    ],
)
def test_command_when_a_judge_is_wrong_then_one_line_says_so(flags, says, tmp_path, run_command):
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n1 0 b 0\n")
    err = run_command(
        "judges",
        f"{tmp_path}/qrels.txt",
        *(flag.format(tmp_path / "qrels.txt") for flag in flags),
        status=2,
    ).err
    assert says in err
    assert "Traceback" not in err


def test_qrels_when_a_line_is_malformed_then_its_file_and_line_are_named(tmp_path):
    (tmp_path / "good").write_text("1 0 a 1\n")
    (tmp_path / "bad").write_text("1 0 a 1\n1 0 b 1.5\n")
    with pytest.raises(ReadError, match=r"bad.*2"):
        irmeval.read_judges(tmp_path / "good", {"bad": tmp_path / "bad"})


def test_raters_when_each_has_a_column_then_each_is_a_judge(tmp_path, run_command):
    file, bob = tmp_path / "r.csv", tmp_path / "bob.csv"
    file.write_text("query,docid,ann,bob\n1,a,1,0\n1,b,2,2\n2,a,0,\n")
    bob.write_text("query,docid,rating\n1,a,0\n1,b,2\n")
    ann = irmeval.read_judges(file, {"bob": bob}, name="ann", qrels_format="columns:ann")
    both = irmeval.read_judges(file)
    assert (both.names, both.fingerprint) == (ann.names, ann.fingerprint)
    assert irmeval.read_judges(file, name="bob").names == ("bob", "ann")
    assert irmeval.read_judges(file, {"cy": bob}).names == ("ann", "bob", "cy")
    assert "ann,bob,agreement,all,0.5" in run_command("judges", file).out
    with pytest.raises(UnknownName, match="unknown rater 'an'"):
        irmeval.read_judges(file, name="an")
    with pytest.raises(ParamError, match="at least two, found 1. Add another"):
        irmeval.read_judges(bob)


RATED = "query,docid,ann,bob\n1,a,1,0\n1,b,2,2\n2,a,0,1\n2,b,1,0\n"
RANKED = "1 Q0 b 1 9 {0}\n1 Q0 a 2 8 {0}\n2 Q0 b 1 9 {0}\n2 Q0 a 2 8 {0}\n"


@pytest.fixture
def rated(tmp_path):
    """A file with a column a rater, and a run."""
    file, run = tmp_path / "rated.csv", tmp_path / "run"
    file.write_text(RATED)
    run.write_text(RANKED.format("r"))
    return file, run


def test_rater_when_another_judge_has_the_name_of_a_column_then_it_is_read(rated, run_command):
    file, run = rated
    more = "-m", "RR", "--qrels-format", "columns:ann", "--other", f"bob={file}"
    first = run_command("evaluate", file, run, *more).out
    assert "RR,all,1.0" in first
    second = run_command("evaluate", file, run, *more, "--judge", "bob").out
    assert "RR,all,0.75" in second
    told = run_command("evaluate", file, run, *more[:-1], f"cy={file}", status=2).err
    assert "--qrels-format columns:ann or --qrels-format columns:bob" in told


@pytest.mark.parametrize("judge", ["ann", "bob"])
def test_rerun_when_a_judge_is_a_rater_of_a_file_then_the_table_is_identical(
    judge, rated, tmp_path, run_command
):
    file, run = rated
    read = irmeval.read_collection(file, run, qrels_format="columns:ann")
    joined = read.with_judgments("bob", file, first="ann").judged_by(judge)
    made = EXPERIMENTS["leaderboard"](joined, ["RR"])
    recorded = tmp_path / "manifest.json"
    recorded.write_text(report([made]).files()["manifest.json"])
    others = ["--other", f"bob={file}"] if judge == "bob" else []
    given = recorded, file, run, *others, "--qrels-format"
    assert "identical" in run_command("rerun", *given, "columns:ann").err
    if judge == "ann":
        assert "differ" in run_command("rerun", *given, "columns:bob", status=1).err


def test_judges_when_rerun_from_a_file_of_raters_then_tables_are_identical(
    rated, tmp_path, run_command
):
    file = rated[0]
    made = EXPERIMENTS["judges"](irmeval.read_judges(file))
    recorded = tmp_path / "manifest.json"
    recorded.write_text(report([made]).files()["manifest.json"])
    given = recorded, file, "--qrels-format", "columns:ann", "--other", f"bob={file}"
    assert "identical" in run_command("rerun", *given).err

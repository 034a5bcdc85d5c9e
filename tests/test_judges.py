"""Judges: how far they agree on documents, beside other programs and by hand; and judges who do not exist."""

import io

import krippendorff
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score, jaccard_score, precision_score, recall_score

import irmeval
from irmeval.biased import simulated_biased
from irmeval.cli import main
from irmeval.errors import ParamError, ReadError, UnknownName
from irmeval.experiments import EXPERIMENTS
from irmeval.grade_maps import HIGHEST, applied, as_text, parse
from irmeval.reading import foreign
from irmeval.simulation import KINDS, Simulation, chances_of, mistakes, written
from irmeval.stats.judges import ALPHAS, STATISTICS
from irmeval.stored import OtherJudge
from tests.conftest import real
from tests.dashboard import fine, opened, texts

AGREEMENT = EXPERIMENTS["judges"]
FEW = AGREEMENT.params(samples=50)


def judges(*grades, topics=1):
    """Judges of documents d0, d1, ..., spread over topics; a negative grade is none."""
    made = {}
    for j, row in enumerate(grades):
        made[f"j{j}"] = {
            str(t): {f"d{d}": int(g) for d, g in enumerate(row) if d % topics == t and g > -2} for t in range(topics) if len(row) > t
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
    """Statistics by scikit-learn and krippendorff."""
    both = (a >= 0) & (b >= 0)
    x, y = a[both], b[both]
    pair = np.where(np.array([x, y]) >= 0, np.array([x, y], float), np.nan)
    levels = [*range(max(x.max(), y.max()) + 1)]  # where a grade is missing, scikit-learn would else take its neighbours for near
    found = {
        f"kappa{name}": cohen_kappa_score(x, y, labels=levels, weights=w)
        for name, w in (("", None), ("_linear", "linear"), ("_quadratic", "quadratic"))
    }
    found |= {f"alpha_{kind}": krippendorff.alpha(pair, level_of_measurement=kind) for kind in ("ordinal", "nominal", "interval")}
    found |= {"overlap": jaccard_score(x > 0, y > 0), "precision": precision_score(x > 0, y > 0), "recall": recall_score(x > 0, y > 0)}
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
    # Krippendorff (2011), Computing Krippendorff's alpha-reliability, section C: four observers, twelve units
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
        assert value == pytest.approx(krippendorff.alpha(known, level_of_measurement=name.removeprefix("alpha_")), abs=1e-12)


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
        same[name] == 1 for name in ("agreement", "kappa", "kappa_linear", "kappa_quadratic", "overlap", "precision", "recall", *ALPHAS)
    )
    rng = np.random.default_rng(3)
    chance = values(AGREEMENT(judges(*rng.integers(0, 4, (2, 20_000))), params=FEW))
    assert all(abs(chance[name]) < 0.03 for name in ("kappa", "kappa_linear", "kappa_quadratic", *ALPHAS))


def test_intervals_when_truth_is_known_then_hold_it_about_as_often_as_they_say():
    chances = mistakes(np.arange(4), "noisy", 0.4)
    inside, rng = 0, np.random.default_rng(5)
    for seed in range(100):
        a = rng.integers(0, 4, 600)
        b = (np.cumsum(chances, axis=1)[a, :-1] <= rng.random(600)[:, None]).sum(axis=1)
        result = AGREEMENT(judges(a, b, topics=30), params=AGREEMENT.params(samples=200, seed=seed))
        at = [*STATISTICS].index("agreement")
        inside += result.low[0, at] <= 0.6 <= result.high[0, at]
    assert 85 <= inside <= 100


def test_judges_when_they_share_no_document_then_it_is_said():
    apart = irmeval.Judges.from_dicts({"a": {"1": {"x": 1}}, "b": {"2": {"x": 1}}})
    with pytest.raises(ParamError, match="a and b have judged no document in common"):
        AGREEMENT(apart)
    unknown = irmeval.Judges.from_dicts({"a": {"1": {"x": 1}}, "b": {"1": {"x": -1, "y": 2}}})
    with pytest.raises(ParamError, match="no document in common"):
        AGREEMENT(unknown)


def test_judges_when_there_is_one_grade_only_then_words_say_so_and_no_cell_is_nan():
    result = AGREEMENT(judges([1, 1, 1, 1], [1, 1, 1, 1], topics=2), params=FEW)
    assert "all are of one grade, so that agreement beyond chance cannot be told" in result.headline()
    assert result.frame().value.notna().all()
    assert "kappa" not in values(result)
    assert values(result)["agreement"] == 1


def test_judge_when_they_have_no_judgment_of_a_topic_then_it_is_left_out_of_means_and_counted():
    both = irmeval.Judges.from_dicts({"a": {"1": {"x": 1, "y": 0}, "2": {"x": 1}}, "b": {"1": {"x": 1, "y": 1}, "3": {"z": 2}}})
    result = AGREEMENT(both, params=FEW)
    summary = result.summary().set_index("statistic")
    assert summary.loc["Same grade", "topics"] == 1
    assert summary.loc["Same grade", "mean over topics"] == 0.5
    coverage = result.coverage().set_index("judge")
    assert coverage.documents.to_dict() == {"a": 3, "b": 3}
    assert coverage["judged by nobody else"].to_dict() == {"a": 1, "b": 1}


def of_percent():
    """A judge with 70 grades beside another."""
    return irmeval.Judges.from_dicts({"a": {"1": {f"d{i}": i for i in range(70)}}, "b": {"1": {"d1": 1, "d69": 1}}})


def test_grades_when_too_many_for_a_table_and_mapped_to_fewer_then_they_are_compared():
    coarse = of_percent().mapped("a", parse(",".join(f"{grade}:{grade // 35}" for grade in range(70))))
    assert values(AGREEMENT(coarse, params=FEW), ("a", "b"))["agreement"] == 0.5


@given(st.dictionaries(st.integers(-1, 120), st.integers(-1, 3), max_size=80))
def test_map_when_written_as_text_then_reads_the_same_and_maps_each_grade(grades):
    text = as_text(sorted(grades.items()))
    assert parse(text) == grades
    assert as_text(parse(text).items()) == text
    before = np.arange(-1, 125)
    assert applied(before, grades).tolist() == [grades.get(grade, grade) for grade in before.tolist()]


def test_map_when_of_ranges_then_is_as_that_of_each_grade_in_every_place():
    text, each = "0-34:0, 35-69:1", {grade: grade // 35 for grade in range(70)}
    assert of_percent().mapped("a", text).fingerprint == of_percent().mapped("a", each).fingerprint
    assert as_text(parse(text).items()) == "0-34:0,35-69:1"


@given(st.text("0123456789-:, ", max_size=40))
def test_map_when_any_text_then_is_read_or_refused_in_words(text):
    try:
        assert len(parse(text)) <= 2 * HIGHEST + 1
    except ParamError as error:
        assert str(error).startswith("map: expected ")


def test_grades_when_mapped_or_another_is_relevant_then_it_counts():
    found = judges([3, 2, 1, 0], [1, 1, 0, 0])
    coarse = found.mapped("j0", {3: 1, 2: 1, 1: 0})
    assert values(AGREEMENT(coarse, params=FEW))["kappa"] == 1
    assert values(AGREEMENT(found.relevant_from("j0", 2), params=FEW))["overlap"] == 1
    assert len({found.fingerprint, coarse.fingerprint, found.relevant_from("j0", 2).fingerprint}) == 3
    thresholds = AGREEMENT(found, params=FEW).thresholds().set_index(["relevant to a from", "relevant to b from"])
    assert thresholds.loc[(2, 1), "overlap"] == 1
    assert thresholds.loc[(1, 1), "recall"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda: irmeval.Judges.from_dicts({"a": {"1": {"x": 1}}}), "at least two, came 1"),
        (lambda: irmeval.Judges.from_dicts({"a": {"1": {"x": 1}}, "": {"1": {"x": 1}}}), "name of 1 to 100 characters"),
        (lambda: AGREEMENT(of_percent()), "at most 64 over all judges, came 70. Map them"),
        (lambda: judges([1], [1]).mapped("j0", {1: 40_000}), "map: expected grades up to 32767, came 40000"),
        (lambda: parse("1:0,1:2"), "map: expected each grade once"),
        (lambda: parse("0-5:0,5:1"), "map: expected each grade once, came 5 twice in '0-5:0,5:1'"),
        (lambda: parse("50-0:1"), "map: expected the lower grade of a range first, as in 50-100:1, came '50-0:1'"),
        (lambda: parse("0-40000:1"), "map: expected grades up to 32767, came 40000"),
        (lambda: parse("0-1-2:1"), "expected pairs of grades as in 1:1,2:1, or ranges"),
        (lambda: parse("1:0,2"), "map: expected pairs of grades as in 1:1,2:1, or ranges as in 0-49:0,50-100:1, came '1:0,2'"),
        (lambda: OtherJudge.of(foreign.qrels_of_dict({"1": {"x": 1}}), "", 0), "level: expected at least 1"),
        (lambda: judges([1], [1]).relevant_from("j0", 0), "level: expected at least 1"),
        (lambda: irmeval.simulated(irmeval.read_qrels("sample_data/qrels.txt.gz"), "lenien"), "one of lenient, strict, noisy, binary"),
        (lambda: mistakes(np.arange(3), "noisy", 1.5), "from 0 to 1"),
    ],
)
def test_judges_when_they_cannot_be_then_it_is_said_in_words(wrong, says):
    with pytest.raises(ParamError, match=says):
        wrong()


def test_judge_when_unknown_then_the_nearest_is_named():
    with pytest.raises(UnknownName, match="nearest: j1"):
        judges([1], [1]).mapped("j11", {1: 0})


@pytest.mark.parametrize("kind", KINDS)
def test_simulated_judge_when_documents_are_fewer_then_each_keeps_its_grade(kind):
    qrels = irmeval.read_qrels("sample_data/qrels.txt.gz")
    whole = irmeval.simulated(qrels, kind, 0.4, 7).grade
    part = np.flatnonzero(np.arange(qrels.grade.size) % 3 == 0)
    fewer = qrels._replace(topic=qrels.topic[part], documents=qrels.documents.take(part), grade=qrels.grade[part])
    np.testing.assert_array_equal(irmeval.simulated(fewer, kind, 0.4, 7).grade, whole[part])
    assert not np.array_equal(irmeval.simulated(qrels, kind, 0.4, 8).grade, whole)


@pytest.mark.parametrize("kind", KINDS)
def test_simulated_judge_when_counted_then_errs_as_the_table_says_and_agrees_as_it_follows(kind):
    qrels = irmeval.read_qrels("sample_data/qrels.txt.gz")
    grades, counts = np.unique(qrels.grade, return_counts=True)
    chances = mistakes(grades, kind, 0.4)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    result = AGREEMENT(irmeval.Judges.of({"person": qrels, kind: irmeval.simulated(qrels, kind, 0.4)}), params=FEW)
    met = result.n[0].sum(axis=0)
    deviation = np.sqrt(counts[:, None] * chances * (1 - chances))
    assert (np.abs(met - counts[:, None] * chances) <= 5 * deviation + 1e-9).all()
    expected = chances * (counts / counts.sum())[:, None]
    by_chance = expected.sum(axis=1) @ expected.sum(axis=0)
    assert values(result, ("person", kind))["kappa"] == pytest.approx((np.trace(expected) - by_chance) / (1 - by_chance), abs=0.02)


def test_command_when_run_then_prints_a_row_for_each_pair_statistic_and_topic(tmp_path, capsys):
    for name, text in (
        ("person.txt", "1 0 a 2\n1 0 b 0\n2 0 c 1\n"),
        ("model", "1 0 a 1\n1 0 b 0\n2 0 c -1\n"),
        ("third", "1 0 a 0\n1 0 b 2\n"),
    ):
        (tmp_path / name).write_text(text)
    command = ["judges", f"{tmp_path}/person.txt", "--other", f"model={tmp_path}/model", "--other", f"third={tmp_path}/third"]
    main([*command, "--samples", "20"])
    out, err = capsys.readouterr()
    rows = pd.read_csv(io.StringIO(out), dtype={"topic": str}).set_index(["judge_a", "judge_b", "statistic", "topic"]).value
    assert rows["person", "model", "agreement", "all"] == 0.5
    assert rows["person", "model", "documents", "1"] == 2
    assert rows["model", "third", "kappa_linear", "all"] == pytest.approx(
        cohen_kappa_score([1, 0], [0, 2], labels=[0, 1, 2], weights="linear")
    )
    assert ("all", "all", "alpha_ordinal", "all") in rows.index
    assert "person 3 documents, model 2 documents, third 2 documents" in err
    main([*command, "--map", "person=2:1", "--relevant", "third=2", "--table", "coverage"])
    assert "person,3,1,1,2,1,2,0" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (["--other", "model"], "other: expected NAME=..., came 'model'"),
        (["--other", "m={0}", "--other", "m={0}"], "a name of its own for each judge"),
        (["--other", "qrels={0}"], "is the name of the first judge already"),
        (["--other", "m={0}", "--map", "m=1"], "expected pairs of grades as in 1:1,2:1"),
        (["--other", "m={0}", "--map", "x=1:1"], "unknown judge 'x'"),
        (["--other", "m={0}", "--relevant", "m=two"], "expected a whole number"),
        (["--other", "m=simulated:strict,much,1"], "simulated:KIND,SHARE,SEED"),
        (["--other", "m=simulated:nobody"], "one of lenient, strict, noisy, binary"),
        (["--other", "m=nowhere.txt"], "nowhere.txt"),
    ],
)
def test_command_when_a_judge_is_wrong_then_one_line_says_so(flags, says, tmp_path, capsys):
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n1 0 b 0\n")
    with pytest.raises(SystemExit) as stopped:
        main(["judges", f"{tmp_path}/qrels.txt", *(flag.format(tmp_path / "qrels.txt") for flag in flags)])
    err = capsys.readouterr().err
    assert stopped.value.code == 2
    assert says in err
    assert "Traceback" not in err


def test_qrels_when_a_line_is_malformed_then_its_file_and_line_are_named(tmp_path):
    (tmp_path / "good").write_text("1 0 a 1\n")
    (tmp_path / "bad").write_text("1 0 a 1\n1 0 b 1.5\n")
    with pytest.raises(ReadError, match=r"bad.*2"):
        irmeval.read_judges(tmp_path / "good", {"bad": tmp_path / "bad"})


TABLE = "0.7:0.3:0:0/0:0.6:0.4:0/0.1:0:0.9:0/0:0:0.5:0.5"


def test_simulated_judge_when_given_a_table_then_errs_by_it_and_a_part_keeps_its_grades():
    qrels = irmeval.read_qrels("sample_data/qrels.txt.gz")
    table = chances_of(TABLE)
    whole = irmeval.simulated(qrels, chances=table, seed=3).grade
    met = np.array([[np.sum((qrels.grade == g) & (whole == h)) for h in range(4)] for g in range(4)])
    n = met.sum(axis=1, keepdims=True)
    assert (np.abs(met - n * table) <= 5 * np.sqrt(n * table * (1 - table))).all()
    part = np.flatnonzero(qrels.topic % 2 == 0)
    fewer = qrels._replace(topic=qrels.topic[part], documents=qrels.documents.take(part), grade=qrels.grade[part])
    np.testing.assert_array_equal(irmeval.simulated(fewer, chances=table, seed=3).grade, whole[part])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("matrix=.7:.3/0:1,x", "simulated:matrix=ROW/ROW/...,SEED"),
        ("matrix=.7:.3/0:1,.5,1", "simulated:matrix=ROW/ROW/...,SEED"),
        ("matrix=.7:.3/1", "rows of as many chances each"),
        ("matrix=", "rows of as many chances each"),
        ("matrix=1:-1/0:1", "rows of as many chances each"),
        ("matrix=1:1e-3/0:1", "rows of as many chances each"),
        ("matrix=" + "1:" * 3_000, "at most 4,000 characters"),
        ("matrix=1:0:0/0:1:0/0:0:1", r"expected 2 rows of 2 chances, of the grades 0, 2, came 3 x 3"),
        ("matrix=.7:.3/.4:.5", "add up to 1 where the first judge gives 2, came 0.9"),
        ("matrix=.7:.3/1.5:0", "from 0 to 1 where the first judge gives 2, came 1.5"),
    ],
)
def test_table_of_mistakes_when_it_is_none_then_words_say_what_is_wrong(text, says, tmp_path):
    (tmp_path / "qrels").write_text("1 0 a 2\n1 0 b 0\n")
    with pytest.raises(ParamError, match=says):
        irmeval.read_judges(tmp_path / "qrels", {"other": f"simulated:{text}"})


@given(st.integers(1, 8).flatmap(lambda g: st.lists(st.lists(st.integers(0, 10**6), min_size=g, max_size=g), min_size=g, max_size=g)))
def test_table_of_mistakes_when_written_then_reads_back_as_it_was(cells):
    table = np.array(cells) / 10**6
    np.testing.assert_allclose(chances_of(written(table)), table, atol=1e-12)
    told = Simulation(seed=5, chances=table).text()
    assert Simulation.parsed(told).text() == told


def test_command_when_a_judge_is_simulated_then_prints_what_was_to_be_expected_beside_what_came(capsys):
    main(["judges", "sample_data/qrels.txt.gz", "--other", f"own=simulated:matrix={TABLE},2", "--samples", "10", "--table", "expected"])
    rows = pd.read_csv(io.StringIO(capsys.readouterr().out)).set_index("statistic")
    counts = np.unique(irmeval.read_qrels("sample_data/qrels.txt.gz").grade, return_counts=True)[1]
    joint = counts[:, None] / counts.sum() * chances_of(TABLE)
    chance = joint.sum(axis=1) @ joint.sum(axis=0)
    assert rows.expected["Same grade"] == pytest.approx(np.trace(joint))
    assert rows.expected["Cohen's kappa"] == pytest.approx((np.trace(joint) - chance) / (1 - chance))
    assert (rows.expected - rows.observed).abs().max() < 0.02


@pytest.mark.parametrize("runs", [("a,1", "b%2C"), ("100%",)])
@pytest.mark.parametrize("start", ["simulated:lenient,0.3,1", f"simulated:matrix={TABLE},5"])
def test_biased_judge_when_written_then_its_text_reads_back_as_the_same(start, runs):
    again = Simulation.parsed(Simulation.parsed(start)._replace(runs=runs).text())
    assert again.runs == runs
    assert again._replace(runs=()).text() == start


def test_biased_judge_when_there_are_no_runs_then_words_say_what_it_needs():
    with pytest.raises(ParamError, match="errs on what a1, a2 retrieved, of which qrels alone say nothing"):
        irmeval.read_judges("sample_data/qrels.txt.gz", {"biased": "simulated:lenient,0.3,1,a1,a2"})


def test_biased_judge_when_counted_then_agrees_as_follows_from_where_it_errs():
    collection = irmeval.read_collection("sample_data/qrels.txt.gz", "sample_data/runs")
    simulation = Simulation("noisy", 0.4, 1, None, collection.runs[:3])
    seen = np.zeros(collection.grade.size, bool)
    for r in range(3):
        for t in range(len(collection.topics)):
            entries = slice(*collection.start[r * len(collection.topics) + t :][:2])
            seen[collection.slot[entries][collection.rank[entries] <= 10]] = True
    own = np.unique(collection.grade[collection.grade >= 0])
    table = mistakes(own, "noisy", 0.4)
    by_hand = np.zeros((own.size, own.size))
    for grade, errs in zip(collection.grade, seen, strict=True):
        if grade >= 0:
            place = np.searchsorted(own, grade)
            by_hand[place] += table[place] if errs else np.eye(own.size)[place]
    grades, meetings = simulation.meetings(collection)
    np.testing.assert_array_equal(grades, own)
    np.testing.assert_allclose(meetings, by_hand, rtol=1e-12)
    met = np.zeros_like(by_hand)
    for seed in range(20):
        drawn = collection.with_judgments("biased", simulation._replace(seed=seed).text()).panel.judges
        np.add.at(met, tuple(np.searchsorted(own, drawn.grade[:, (drawn.grade >= 0).all(axis=0)])), 1 / 20)
    assert (np.abs(met - meetings) <= 5 * np.sqrt(meetings / 20) + 1e-9).all()
    rows = AGREEMENT(drawn, params=FEW).beside_expected("biased", grades, meetings).set_index("statistic")
    assert rows.expected["Same grade"] == pytest.approx(np.trace(by_hand) / by_hand.sum())
    assert (rows.expected - rows.observed).abs().max() < 0.02


def test_biased_judge_when_simulated_then_errs_only_on_what_the_runs_have_near_the_top():
    rng = np.random.default_rng(4)
    qrels = {t: {f"d{i}": int(rng.integers(-1, 3)) for i in range(40)} for t in ("1", "2", "3")}
    runs = {run: {t: {f"d{d}": -float(i) for i, d in enumerate(rng.permutation(60)[:30])} for t in qrels} for run in ("a1", "a2", "b1")}
    collection = irmeval.Collection.from_dicts(qrels, runs)
    biased = simulated_biased(collection, ["a1", "a2"], "lenient", 1.0, prior=[0, 0, 1], top=5)
    judged = {(biased.topics[t], d): g for t, d, g in zip(biased.topic, biased.documents.to_pylist(), biased.grade.tolist(), strict=True)}
    expected = {(t, d): g for t, of in qrels.items() for d, g in of.items()}
    for run in ("a1", "a2"):
        for t, ranking in runs[run].items():
            for d in sorted(ranking, key=ranking.get, reverse=True)[:5]:
                g = qrels[t].get(d, -1)
                expected[t, d] = 2 if g < 0 else min(g + 1, 2)
    assert judged == expected
    told = Simulation("lenient", 1.0, 1, None, ("a1", "a2")).text()
    assert told == "simulated:lenient,1,1,a1,a2"
    of_text = collection.with_judgments("biased", told)
    of_qrels = collection.with_judgments("biased", simulated_biased(collection, ["a1", "a2"], "lenient", 1.0))
    np.testing.assert_array_equal(of_text.panel.judges.grade, of_qrels.panel.judges.grade)
    assert of_text.panel.judges.made == ("", told)
    with pytest.raises(ParamError, match="came 'c1'"):
        collection.with_judgments("biased", "simulated:lenient,1,1,c1")
    unguessed = simulated_biased(collection, ["a1", "a2"], "lenient", 1.0, top=5)
    assert len(unguessed.documents) == 120
    with pytest.raises(ParamError, match="came 'c1'"):
        simulated_biased(collection, ["c1"])
    with pytest.raises(ParamError, match="3 chances that add up to 1"):
        simulated_biased(collection, ["a1"], prior=[0.5, 0, 0])


def test_page_when_the_table_of_mistakes_is_in_the_address_then_it_holds_and_a_row_that_is_short_is_said():
    app = fine(opened("pages/judges/documents.py", {"matrix": TABLE}))
    assert "qrels and own table give the same grade" in texts(app)
    app.text_input(key="matrix").set_value(TABLE.replace("0.9", "0.8")).run()
    assert "where the first judge gives 2, came 0.9" in app.error[0].value
    app.selectbox(key="errs").select("strict").run()
    assert "qrels and strict give" in texts(fine(app))
    assert app.text_input(key="matrix").value == ""

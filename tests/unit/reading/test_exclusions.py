"""What a policy leaves out on purpose: own documents, pairs on a list, all but the best
of repeated lines; counted wherever results are.
"""

import numpy as np
import pytest

import irmeval
from irmeval.collection.caveats import describe_caveats
from irmeval.core.errors import ParamError, ReadError
from irmeval.experiments import EXPERIMENTS
from irmeval.reading import parsing
from irmeval.reading.exclusions import read_exclusions, take
from irmeval.reading.policy import Policy
from irmeval.reading.writing import text_of
from irmeval.report import report
from irmeval.report.overview import remarks
from irmeval.workspace import archive

QRELS = "q1 0 q1 1\nq1 0 a 1\nq1 0 b 0\nq2 0 a 1\nq2 0 c 1\n"
RUN = "q1 Q0 q1 1 9 t\nq1 Q0 b 2 8 t\nq1 Q0 a 3 7 t\nq2 Q0 c 1 5 t\nq2 Q0 a 2 4 t\n"
OTHER = "q1 Q0 a 1 9 u\nq2 Q0 q2 1 9 u\nq2 Q0 a 2 8 u\n"
PASSAGES = "1 Q0 a 3 1 r\n1 Q0 b 2 2 r\n1 Q0 a 1 3 r\n1 Q0 a 4 3 r\n1 Q0 b 5 1 r\n"
PAIRS = "q1\tb\nq2\tc"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "runs").mkdir()
    for name, text in {
        "q": QRELS,
        "runs/t": RUN,
        "runs/u": OTHER,
        "x": "q2 c\nq1 b\nq2 c\nq9 z\n",
    }.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def scored(collection):
    return {m: irmeval.evaluate(collection, [m]).values[0].tolist() for m in ("AP", "RR")}


def test_own_documents_when_excluded_then_leave_the_runs_before_ranks_are_given(files):
    collection = irmeval.read_collection(files / "q", files / "runs", exclude_own=True)
    # R of q1 is still 2, as BEIR leaves judgments alone
    assert scored(collection) == {
        "AP": [[1 / 2 / 2, 1.0], [1 / 2, 1 / 2]],
        "RR": [[1 / 2, 1], [1, 1]],
    }
    assert collection.excluded == ((0, 0), (1, 0), (1, 0))
    assert collection.length.tolist() == [2, 2, 1, 1]


def test_pairs_when_excluded_then_leave_runs_and_judgments(files):
    collection = irmeval.read_collection(files / "q", files / "runs", exclude=files / "x")
    assert scored(collection) == {"AP": [[1.0, 1.0], [1 / 2, 1 / 2]], "RR": [[1, 1], [1, 1 / 2]]}
    assert collection.excluded == ((0, 2), (0, 2), (0, 0))
    assert collection.documents.to_pylist() == ["a", "q1", "a"]
    assert collection.policy.exclude == f"{PAIRS}\nq9\tz"
    assert "without 3 excluded pairs" in collection._repr_html_()


def test_residual_collection_when_qrels_are_excluded_then_topics_judged_in_full_are_gone(files):
    (files / "before").write_text("q1 0 a 1\nq1 0 q1 0\nq1 0 b 1\n")
    collection = irmeval.read_collection(files / "q", files / "runs", exclude=files / "before")
    assert (collection.topics, collection.unknown) == (("q2",), (("q1",), ("q1",)))
    with pytest.raises(ParamError, match="every judgment is excluded"):
        irmeval.read_collection(files / "q", files / "runs", exclude=files / "q")


@pytest.mark.parametrize(
    "given", [[("q1", "b"), ("q2", "c")], PAIRS, {("q2", "c"): 1, ("q1", "b"): 1}]
)
def test_pairs_when_given_in_python_then_are_as_from_a_file(files, given):
    judgments, runs = (
        {"q1": {"a": 1, "b": 0}, "q2": {"c": 1, "a": 1}},
        {"t": {"q1": {"b": 2.0, "a": 1.0}, "q2": {"c": 1.0}}},
    )
    assert irmeval.Collection.from_dicts(judgments, runs, exclude=given).policy.exclude == PAIRS


@pytest.mark.parametrize(
    "text",
    [
        '{"q1":["b"],"q2":["c"]}',
        '{"q1": {"b": 1}, "q2": {"c": 0}}',
        "topic,document\nq1,b\nq2,c\n",
        "q1, b\nq2, c\n",
        "q1;b\nq2;c\n",
        "q1\tb\nq2\tc\n",
    ],
)
def test_list_when_json_or_with_a_header_then_has_the_pairs_of_plain_lines(tmp_path, text):
    (tmp_path / "x").write_text(text)
    assert read_exclusions(tmp_path / "x") == PAIRS


@pytest.mark.parametrize(
    ("text", "pair"),
    [("1\ta,b\n", "1\ta,b"), ("1\ta b\n2\tc\n", "1\ta b\n2\tc"), ("1 a,b\n", "1\ta,b")],
)
def test_list_when_names_of_documents_hold_commas_or_blanks_then_are_whole(tmp_path, text, pair):
    (tmp_path / "x").write_text(text)
    assert read_exclusions(tmp_path / "x") == pair


def test_list_when_no_line_has_its_pairs_then_is_said(files):
    collection = irmeval.read_collection(
        files / "q", files / "runs", exclude=[("nosuch", "zzz"), ("q1", "zzz")]
    )
    assert describe_caveats(collection) == "The list of 2 excluded pairs matches no line."


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q1 b\nq2\n", "line 2: expected a topic and a document, found 'q2'"),
        ("q1,b\nq2,c,1\n", "line 2: expected a topic and a document, found 'q2 c 1'"),
        ("", "expected pairs of topic and document, found none"),
        ("a\n", "expected 4 columns"),
    ],
)
def test_list_when_a_line_is_no_pair_then_refused_with_file_and_line(tmp_path, text, message):
    (tmp_path / "x").write_text(text)
    with pytest.raises(ReadError, match=message):
        read_exclusions(tmp_path / "x")


def test_policy_when_its_pairs_are_none_then_refused():
    with pytest.raises(
        ParamError, match="exclude: expected lines of topic, tab and document, found '/etc/passwd'"
    ):
        Policy(exclude="/etc/passwd")


def test_best_when_passages_are_mapped_to_documents_then_the_highest_score_counts():
    run = parsing.parse_run("r", PASSAGES.encode())
    (fault,) = run.repeated
    assert (fault.lines, run.score.tolist()) == (3, [1.0, 2.0])
    best = take(run, Policy(repeated="best")).run
    assert (best.documents.to_pylist(), best.score.tolist(), best.rank.to_pylist()) == (
        ["a", "b"],
        [3, 2],
        ["1", "2"],
    )
    assert take(run, Policy(repeated="first")).run is run


@pytest.mark.parametrize(("repeated", "ap"), [("first", 0.5), ("best", 1.0)])
def test_repeated_documents_when_decided_then_scores_are_right_from_files_workspaces_and_archives(
    tmp_path, repeated, ap
):
    (tmp_path / "q").write_text("1 0 a 1\n1 0 b 0\n")
    (tmp_path / "r").write_text(PASSAGES)
    read = irmeval.read_collection(tmp_path / "q", tmp_path / "r", repeated=repeated)
    irmeval.Workspace().add("mine", tmp_path / "q", tmp_path / "r", repeated=repeated).save(
        tmp_path / "my.irmeval"
    )
    kept = irmeval.Workspace.load(tmp_path / "my.irmeval").collection()
    assert kept.fingerprint == read.fingerprint
    assert (
        irmeval.evaluate(read, "AP").means.item() == irmeval.evaluate(kept, "AP").means.item() == ap
    )
    run = parsing.parse_run("r", PASSAGES.encode())
    for again in (archive.read("r", archive.write(run)), parsing.parse_run("r", text_of(run))):
        assert again.better.row.tolist() == [0]
        assert again.better.score.tolist() == [3.0]
        assert again.better.rank.to_pylist() == ["1"]


def test_best_when_drawn_then_is_the_maximum_of_each_document():
    rng = np.random.default_rng(3)
    lines = [(rng.integers(3), rng.integers(6), rng.integers(9)) for _ in range(200)]
    text = "".join(f"{t} Q0 d{d} 1 {s} r\n" for t, d, s in lines)
    best = take(parsing.parse_run("r", text.encode()), Policy(repeated="best")).run
    found = {
        (best.topics[t], d): s
        for t, d, s in zip(best.topic, best.documents.to_pylist(), best.score, strict=True)
    }
    assert found == {
        (str(t), f"d{d}"): max(s for u, e, s in lines if (u, e) == (t, d)) for t, d, _ in lines
    }


SAID = "2 own documents, 2 excluded documents and 2 excluded judgments left out."


def test_command_when_documents_are_excluded_then_counts_them_and_its_recipe_does_the_same(
    files, run_command, monkeypatch
):
    flags = ["--exclude-own", "--exclude", files / "x"]
    printed = run_command("evaluate", files / "q", files / "runs", "-m", "AP", *flags)
    assert SAID in printed.err
    assert printed.out.splitlines()[1:] == ["t,AP,all,0.75", "u,AP,all,0.75"]
    collection = irmeval.read_collection(
        files / "q", files / "runs", exclude_own=True, exclude=files / "x"
    )
    result = EXPERIMENTS["leaderboard"](collection, ["AP"])
    assert result.note == SAID
    words = result.recipe().command().split()
    assert words[-3:] == ["--exclude-own", "--exclude", "EXCLUDE"]
    named = {"QRELS": files / "q", "RUNS": files / "runs", "EXCLUDE": files / "x"}
    again = run_command(*(named.get(word, word) for word in words[3:]))
    assert again.out == irmeval.core.tables.csv(result.frame())
    assert SAID in again.err
    assert SAID in remarks(collection)


def test_report_when_made_again_then_leaves_the_same_out(files, run_command):
    collection = irmeval.read_collection(
        files / "q", files / "runs", exclude_own=True, exclude=files / "x"
    )
    document = report(
        [EXPERIMENTS["leaderboard"](collection, ["AP"]).recipe()], lambda _: collection
    )
    assert SAID in document.html()
    (files / "manifest.json").write_text(document.files()["manifest.json"])
    again = "rerun", files / "manifest.json", files / "q", files / "runs"
    assert "identical" in run_command(*again).err
    (files / "y").write_text("q2 c\n")
    assert (
        "Other policy: a different list of exclusions."
        in run_command(*again, "--exclude", files / "y", status=1).out
    )


def test_judge_when_pairs_are_excluded_then_has_none_of_them(files):
    collection = irmeval.read_collection(files / "q", files / "runs", exclude=files / "x")
    other = collection.with_judgments(
        "second", {"q1": {"a": 0, "b": 1}, "q2": {"a": 1, "c": 1}}
    ).judged_by("second")
    assert other.documents.to_pylist() == ["a", "a"]
    np.testing.assert_array_equal(
        irmeval.evaluate(other, ["RR"]).values[0], [[np.nan, 1], [np.nan, 0.5]]
    )


def test_collection_when_documents_are_excluded_then_fingerprint_and_selection_keep_the_counts(
    files,
):
    from irmeval.scoring.selection import select_by_name

    collection = irmeval.read_collection(
        files / "q", files / "runs", exclude_own=True, exclude=files / "x"
    )
    plain = irmeval.read_collection(files / "q", files / "runs")
    assert collection.fingerprint != plain.fingerprint
    assert select_by_name(collection, ["t"], ["q1"]).excluded == ((0, 2), (1, 2))


def test_fused_run_when_the_best_lines_are_kept_then_counts_their_scores(tmp_path, run_command):
    (tmp_path / "r").write_text(PASSAGES)
    (tmp_path / "s").write_text("1 Q0 b 1 1 s\n")
    first, best = (
        run_command("fuse", tmp_path / "r", tmp_path / "s", "--repeated", how).out.split()
        for how in ("first", "best")
    )
    assert (first[2], best[2]) == ("b", "b")
    alone = [
        run_command("fuse", tmp_path / "r", tmp_path / "r", "--repeated", how).out.split()[2]
        for how in ("first", "best")
    ]
    assert alone == ["b", "a"]


def test_exclusions_when_in_a_qrels_file_with_commas_in_its_names_then_are_its_pairs(tmp_path):
    (tmp_path / "x").write_text("q1 0 a,b 1\nq2 0 c,d 0\n")
    assert read_exclusions(tmp_path / "x") == "q1\ta,b\nq2\tc,d"

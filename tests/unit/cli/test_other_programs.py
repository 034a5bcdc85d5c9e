"""Commands and snippets as users of trec_eval, pytrec_eval, ir_measures, ranx, pyserini
and BEIR type them: each works at the first try, or one line says what is typed here.
"""

import csv
import io
import json
import sys
from pathlib import Path

import pandas as pd
import pytest

import irmeval
from irmeval.core.errors import IrmevalError
from irmeval.reading import parsing

JUDGED = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"a": 1, "d": 2}}
FOUND = {"1": {"b": 3.0, "a": 2.0, "x": 1.0, "c": 0.5}, "2": {"a": 2.0, "2": 1.5, "d": 1.0}}
SECOND = {"1": {"a": 2.0, "b": 1.0}}

TYPED = [
    # trec_eval, and pyserini and Anserini, which call it
    ("evaluate Q R -m map", {"AP": (1 / 2 + 5 / 6) / 2}),
    ("evaluate -q -m map Q R", {"AP"}),
    ("evaluate -m map -m ndcg_cut.10,20 -m P.1 Q R", {"AP", "nDCG@10", "nDCG@20", "P@1"}),
    ("evaluate -c -mrecall.1000 -mmap Q R", {"R@1000", "AP"}),
    ("evaluate -c -M 10 -m recip_rank Q R", {"RR"}),
    ("evaluate -M1 -mrecip_rank Q R", {"RR": (0 + 1) / 2}),
    ("evaluate -l 2 -m recip_rank Q R", {"RR(rel=2)": (1 / 2 + 1 / 3) / 2}),
    ("evaluate -l 2 -m num_ret -m num_rel_ret Q R", {"NumRet", "NumRelRet(rel=2)"}),
    ("evaluate -J -m recip_rank Q R", {"RR'": (1 / 2 + 1) / 2}),
    ("evaluate -n -q -m P.1 Q R", {"P@1"}),
    ("evaluate -m iprec_at_recall.0,0.5 Q R", {"IPrec(recall=0)", "IPrec(recall=0.5)"}),
    ("-m map Q R", {"AP"}),
    ("trec_eval -m map Q R", {"AP"}),
    ("evaluate Q R R2 -m map", {"AP"}),
    ("evaluate -c -l 2 -m ndcg_cut.10 -m recall.100 Q R", {"nDCG(rel=2)@10", "R(rel=2)@100"}),
    ("evaluate -J -m ndcg_cut.10 -m map -m bpref Q R", {"nDCG@10'", "AP'", "Bpref"}),
    (
        "evaluate -m relative_P.5 -m Rndcg -m num_nonrel_judged_ret -m set_F.2 Q R",
        {"R_cap@5", "RnDCG", "NumNonrelRet", "SetF(x=2)"},
    ),
    # ir_measures
    ("Q R P@1 AP nDCG@10", {"P@1", "AP", "nDCG@10"}),
    (
        "evaluate Q R 'nDCG(judged_only=True)@10' 'RBP(p=0.8,rel=1)' ERR@20 Judged@10",
        {"nDCG@10'", "RBP(p=0.8)", "ERR@20", "Judged@10"},
    ),
    (
        "evaluate Q R \"nDCG(dcg='log2')@10\" NDCG@5 MAP MRR@10 RPrec SetF Bpref infAP",
        {"nDCG@10", "nDCG@5", "AP", "RR@10", "Rprec"},
    ),
    (
        "evaluate Q R 'IPrec@0.1' NumRet NumRel Success@1 R@5 Precision@1 Recall@5",
        {"IPrec(recall=0.1)", "NumRet", "P@1", "R@5"},
    ),
    # ranx
    ("evaluate --qrels Q --runs R -m map@100 mrr ndcg@10", {"AP@100", "RR", "nDCG@10"}),
    (
        "evaluate --qrels Q --runs R -m map@100-l2 ndcg@10-l2 precision@1-l2",
        {"AP(rel=2)@100", "nDCG(rel=2)@10", "P(rel=2)@1"},
    ),
    (
        "evaluate Q R -m hits@5 f1@6 f1 dcg@10 recall@10 hit_rate@1 r-precision bpref",
        {"hits@5": 2.0, "F@6": (0.5 + 0.5) / 2, "SetF": None},
    ),
    ("compare Q R R2 -m map", {"AP"}),
    ("evaluate Q R -m map,mrr,ndcg@10", {"AP", "RR", "nDCG@10"}),
    # BEIR, MTEB
    (
        "evaluate Q R -m NDCG@10 MAP@100 Recall@100 P@10 mrr@10 R_cap@10 accuracy@5",
        {"nDCG@10", "R_cap@10", "Success@5"},
    ),
    ("evaluate --exclude-own Q R -m mrr@10", {"RR@10": (1 / 2 + 1) / 2}),
    ("evaluate Q R -m R_cap@1 RelP@1", {"R_cap@1": (0 + 1) / 2}),
    # either way of typing a flag, names of other programs
    ("evaluate --per-topic Q R AP P@10", {"AP", "P@10"}),
    ("eval Q R -m AP", {"AP"}),
    ("score Q R AP", {"AP"}),
    ("leaderboard Q R R2 -m map --at-once benjamini-hochberg", {"AP"}),
    ("leaderboard Q R R2 -m map --correction holm", {"AP"}),
    # several measures or cut-offs in one word
    ("evaluate Q R -m P@5,10 map", {"P@5", "P@10", "AP"}),
    ("evaluate Q R -m ndcg_cut_5,10 'nDCG@{1,2}'", {"nDCG@5", "nDCG@10", "nDCG@1", "nDCG@2"}),
    ('evaluate Q R -m "AP nDCG@10, P@5"', {"AP", "nDCG@10", "P@5"}),
    ("evaluate Q R -m map --aggregate geometric", {"AP"}),
    # flags of other programs
    ("evaluate Q R --metrics=map", {"AP"}),
    ("evaluate --qrels-file Q --run_file R --measures AP P@5 --csv", {"AP", "P@5"}),
    ("evaluate Q R -m AP --min-rel 2", {"AP(rel=2)"}),
    ("evaluate Q R -m AP --by_query", {"AP"}),
    # commands of other programs
    ("ir_measures Q R AP", {"AP"}),
    ("ttest Q R R2 -m AP", {"AP"}),
    ("matrix Q R R2 -m AP --test ttest", {"AP"}),
    ("significance Q R R2 -m AP", {"AP"}),
    ("rank Q R R2 -m AP", {"AP"}),
    ("curves Q R -m AP --trials 2 --levels 100 50", {"AP"}),
    # files by the flags of other programs
    ("compare --qrels Q --runs R R2 --metrics map@100 --max_p 0.01", {"AP@100"}),
    ("matrix --qrels=Q R --run R2 -m AP", {"AP"}),
    ("evaluate Q R AP --places 3", {"AP"}),
    ("evaluate Q R -m MSnDCG@10", {"nDCG@10"}),
    # values and names in any case, and two words for one command
    ("evaluate Q R AP --rel 2", {"AP(rel=2)"}),
    ("evaluate Q R AP --format CSV", {"AP"}),
    ("matrix Q R R2 -m AP --test T-test", {"AP"}),
]
"""Words of a line in which Q and R stand for files -> measures whose scores it prints,
or their means.
"""

REFUSED = [
    ("evaluate Q R -m gm_map", "AP with --aggregate geometric; in Python score AP"),
    ("evaluate Q R -m alpha_nDCG@10", "needs judgments by subtopic"),
    ("evaluate Q R ERR_IA@20", "needs judgments by subtopic"),
    ("evaluate Q R -m ndcg_burges@10", "--gains 1:1,2:3,3:7,4:15"),
    ("evaluate Q R \"nDCG(dcg='exp-log2')@10\"", "Write nDCG@10 and --gains 1:1,2:3,3:7,4:15"),
    ("evaluate Q R 'nDCG(gains={0:0,1:1,2:3})@10'", "Write nDCG@10 and --gains 0:0,1:1,2:3"),
    ("evaluate Q R -m hole@10", "1 less Judged@k"),
    ("evaluate Q R -N 100", "-N of trec_eval is not needed: no measure"),
    ("evaluate Q R -m INST", "a user model of cwl_eval's"),
    ("topics Q R -q", "-q of trec_eval is --per-topic of evaluate here"),
    ("check Q R --digits 3", "--digits: numbers of tables only"),
    ("check Q R --sort AP", "--sort: rows of tables only"),
    ("evaluate Q R --digits -1", "is not in the range 0<=x<=17"),
    ("evaluate Q R -k 10", "-k: the cut-off of a measure, as in -m nDCG@10"),
    ("leaderboard Q R --min-rel 2", "--min-rel: a level of the measure, as in -m 'AP(rel=2)'"),
    ("evaluate Q R --threads 4", "--threads: not needed: all processors are used"),
    ("evaluate Q R --list-metrics", "--list-metrics: irmeval metrics"),
    ("plot Q R", "plot: charts are drawn by irmeval serve"),
    ("report Q R", "the dashboard makes reports"),
    ("gdeval -k 20 Q R", "irmeval evaluate -m ERR@20, and -m nDCG@20 with --gains 1:1,2:3"),
    ("ndeval Q R", "judgments by subtopic"),
    ("evaluate Q R AP -p 6", "decimals are --digits"),
    ("evaluate Q R AP --provider pytrec_eval", "every measure is computed here"),
    ("evaluate Q R AP NumQ", "every mean shows its number of topics"),
    ("fuse R R2 --norm min-max", "scores are scaled to 0 to 1 by combsum and combmnz"),
    ("convert Q", "every command reads every format"),
    ("evaluate Q R bprefs", "unknown metric 'bprefs'; nearest: "),
    ("evaluate --qrels Q --runs missing.txt", "missing.txt: expected a readable file"),
    ("curve Q R", "nearest: curves"),
    ("findings Q R", "at least two collections"),
]
"""Words of a line -> what the one line of its error says."""


@pytest.fixture
def words(tmp_path):
    """Turns a line into words, Q, R and R2 into files."""
    import shlex

    judged = "".join(f"{t} 0 {d} {g}\n" for t, of in JUDGED.items() for d, g in of.items())
    files = {"Q": judged} | {
        name: "".join(f"{t} Q0 {d} 1 {s} {name}\n" for t, of in run.items() for d, s in of.items())
        for name, run in (("R", FOUND), ("R2", SECOND))
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)

    def placed(word: str) -> str:
        name, equals, file = word.rpartition("=")
        return f"{name}{equals}{tmp_path / file}" if file in files else word

    return lambda line: [*map(placed, shlex.split(line))]


@pytest.mark.parametrize(("line", "measures"), TYPED, ids=[line for line, _ in TYPED])
def test_line_when_typed_as_for_another_program_then_works_at_the_first_try(
    line, measures, words, run_command
):
    rows = [*csv.DictReader(io.StringIO(run_command(*words(line)).out))]
    assert {*measures} <= {row["measure"] for row in rows}
    for measure, mean in measures.items() if isinstance(measures, dict) else ():
        scores = [
            float(row["score"])
            for row in rows
            if (row["measure"], row["topic"]) == (measure, "all")
        ]
        assert mean is None or scores == [pytest.approx(mean, abs=5e-5)]


@pytest.mark.parametrize(("line", "said"), REFUSED, ids=[line for line, _ in REFUSED])
def test_line_when_it_means_nothing_here_then_one_line_says_what_is_typed(
    line, said, words, run_command
):
    told = run_command(*words(line), status=2)
    assert said in told.err
    assert (told.err.count("\n"), told.out) == (1, "")


def test_fuse_when_its_runs_follow_a_flag_then_they_are_fused(words, run_command):
    flagged = run_command(*words("fusion --runs R R2 --method RRF")).out
    assert flagged == run_command(*words("fuse R R2")).out


def test_runs_when_chosen_by_name_then_a_file_of_that_name_is_no_run_file(
    words, run_command, monkeypatch
):
    line = words("matrix Q R R2 -m AP")
    monkeypatch.chdir(Path(line[1]).parent)
    assert run_command(*line, "--runs", "R,R2").out == run_command(*line).out
    assert run_command(*line, "--runs", "").out == run_command(*line).out
    told = run_command(*line, "--runs", "R", status=2).err
    assert "2 runs" in told


def test_flags_of_trec_eval_when_given_then_rows_are_those_of_trec_eval(words, run_command):
    import pytrec_eval

    evaluator = pytrec_eval.RelevanceEvaluator(JUDGED, {"map", "P.1"}, relevance_level=2)
    expected = {
        (t, name): value
        for t, of in evaluator.evaluate(FOUND).items()
        for name, value in of.items()
    }
    rows = csv.DictReader(
        io.StringIO(run_command(*words("evaluate -q -n -c -l 2 -m map -m P.1 Q R")).out)
    )
    names = {"AP(rel=2)": "map", "P(rel=2)@1": "P_1"}
    assert {
        (row["topic"], names[row["measure"]]): float(row["score"]) for row in rows
    } == pytest.approx(expected)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("AP(rel=2)", "AP(rel=2)"),
        ("AP", "AP(rel=3)'"),
        ("Bpref", "Bpref(rel=3)"),
        ("AP'", "AP(rel=3)'"),
    ],
)
def test_level_when_given_then_is_that_of_measures_without_one_and_condenses_those_that_can(
    measure, expected, words, run_command
):
    out = run_command(*words(f'evaluate -l 3 -J Q R -m "{measure}" --empty zero')).out
    assert out.splitlines()[1].startswith(
        f"R,{expected if 'rel=2' not in measure else expected + chr(39)},all"
    )


def of_pandas(columns, run):
    return pd.DataFrame(
        [(t, d, s) for t, of in run.items() for d, s in of.items()], columns=columns
    )


SNIPPETS = {
    "pytrec_eval": lambda: irmeval.Collection.from_dicts(JUDGED, {"bm25": FOUND}),
    "ranx": lambda: irmeval.Collection.from_dicts(JUDGED, {"bm25": FOUND, "second": FOUND}),
    "PyTerrier": lambda: irmeval.Collection.from_frames(
        of_pandas(["qid", "docno", "label"], JUDGED),
        {"bm25": of_pandas(["qid", "docno", "score"], FOUND)},
    ),
    "ir_measures": lambda: irmeval.Collection.from_frames(
        of_pandas(["query_id", "doc_id", "relevance"], JUDGED),
        of_pandas(["query_id", "doc_id", "score"], FOUND),
    ),
    "BEIR": lambda: irmeval.Collection.from_frames(
        of_pandas(["query-id", "corpus-id", "score"], JUDGED),
        {"bm25": of_pandas(["qid", "docid", "score"], FOUND)},
    ),
}


@pytest.mark.parametrize("name", SNIPPETS)
def test_snippet_when_written_as_for_another_library_then_gives_its_scores(name):
    found = irmeval.evaluate(
        SNIPPETS[name](), ["map", "ndcg_cut_10", "recip_rank", "mrr@10", "P.1", "map@100-l2"]
    )
    assert [str(m) for m in found.measures] == [
        "AP",
        "nDCG@10",
        "RR",
        "RR@10",
        "P@1",
        "AP(rel=2)@100",
    ]
    assert found.means[:, 0].tolist() == pytest.approx(
        [(0.5 + 5 / 6) / 2, found.means[1, 0], 0.75, 0.75, 0.5, (1 / 2 + 1 / 3) / 2]
    )


def test_tables_when_on_a_terminal_then_are_the_first_of_the_page(words, run_command, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    curves = run_command(*words("curves Q R -m AP --trials 3 --levels 100,50 --format text")).out
    assert curves.split("\n")[0].split()[:4] == ["measure", "level", "left", "mean"]
    assert len(curves.strip().split("\n")) == 1 + 2
    assert (
        run_command(*words("curves Q R -m AP --trials 3 --levels 100,50 --format csv")).out.count(
            "\n"
        )
        == 1 + 2 * 3
    )
    assert run_command(*words("judges Q --other b=Q --format text")).out.split()[:2] == [
        "judge",
        "a",
    ]


def test_latex_when_there_are_126_runs_then_goes_on_over_pages(tmp_path, run_command):
    (tmp_path / "q").write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n")
    (tmp_path / "runs").mkdir()
    for i in range(126):
        (tmp_path / "runs" / f"r{i}").write_text(
            f"1 Q0 {'ab'[i % 2]} 1 2 r{i}\n2 Q0 x{i} 2 1 r{i}\n2 Q0 a 3 {i % 3} r{i}\n"
        )
    for command in ("evaluate", "leaderboard", "topics", "unjudged"):
        more = ["--table", "runs"] if command == "unjudged" else []
        latex = run_command(
            command, tmp_path / "q", tmp_path / "runs", *(["-m", "AP"]), *more, "--format", "latex"
        ).out
        assert latex.count(r"\begin{longtable}") == latex.count(r"\endhead") == 1, command
        assert r"\begin{tabular}" not in latex


def test_error_when_no_name_is_near_then_is_still_one_line():
    with pytest.raises(IrmevalError) as refused:
        irmeval.measure("zzzz@10")
    assert "\n" not in str(refused.value)


def test_trec_format_when_topics_are_not_asked_then_has_means_alone(words, run_command):
    lines = run_command(*words("evaluate Q R -m map --format trec")).out.splitlines()
    assert [line.split()[:2] for line in lines] == [["runid", "all"], ["AP", "all"]]
    by_topic = run_command(*words("evaluate Q R -q -m map --format trec")).out
    assert [line.split()[1] for line in by_topic.splitlines()] == ["all", "1", "2", "all"]


def test_metrics_when_one_is_named_then_is_described_with_its_formula(run_command):
    said = run_command("metrics", "ndcg_cut_10", "--format", "text").out
    described = dict(line.split(None, 1) for line in said.splitlines())
    assert described["formula"] == irmeval.METRICS["nDCG"].formula
    assert described["measure"] == "nDCG@10"
    rows = csv.DictReader(io.StringIO(run_command("metrics", "AP", "nDCG", "--format", "csv").out))
    assert [row["metric"] for row in rows] == ["AP", "nDCG"]


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("kendall", "agreement"),
        ("validate", "check"),
        ("rrf", "fuse"),
        ("--list-metrics", "metrics"),
        ("list metrics", "metrics"),
    ],
)
def test_command_when_another_program_calls_it_so_then_is_ours(line, meant, run_command):
    said = run_command(*line.split(), "--help", status=0).out
    assert said.startswith(f"example: irmeval {meant} ")


class Ranx:
    """A run as ranx makes it."""

    def __init__(self, lists, name):
        self.lists, self.name = lists, name

    def to_dict(self):
        return self.lists


RUNS = {"a": FOUND, "b": SECOND}
PYTHON = {
    "a run, then measures": lambda: irmeval.evaluate(JUDGED, FOUND, ["map"]).means,
    "metrics": lambda: irmeval.evaluate(JUDGED, FOUND, metrics="map").means,
    "keywords": lambda: irmeval.evaluate(qrels=JUDGED, run=FOUND, metrics=["map"]).means,
    "several runs": lambda: irmeval.evaluate(JUDGED, {"a": FOUND, "b": FOUND}, ["map"]).means,
    "runs in a list": lambda: irmeval.evaluate(JUDGED, [FOUND, FOUND], ["map"]).means,
    "a collection of a list": lambda: (
        irmeval.evaluate(irmeval.Collection.from_dicts(JUDGED, [FOUND]), "AP").means
    ),
    "a measure by name": lambda: irmeval.evaluate(JUDGED, FOUND, "map P@5,10")["AP"]["run"],
    "a measure by another name": lambda: irmeval.evaluate(JUDGED, FOUND, "AP")["map"].iloc[0],
    "a run by name": lambda: irmeval.evaluate(JUDGED, {"a": FOUND}, ["AP"])["a"]["AP"],
    "to_dict": lambda: irmeval.evaluate(JUDGED, {"a": FOUND}, ["AP"]).to_dict()["a"]["AP"],
    "items": lambda: dict(irmeval.evaluate(JUDGED, {"a": FOUND}, ["AP"]).items())["AP"]["a"],
    "from_dicts": lambda: irmeval.evaluate(irmeval.from_dicts(JUDGED, RUNS), ["AP"])["a"]["AP"],
    "from_frames": lambda: irmeval.evaluate(
        irmeval.from_frames(
            of_pandas(["qid", "docno", "label"], JUDGED),
            of_pandas(["qid", "docno", "score"], FOUND),
        ),
        [irmeval.parse_measure("map")],
    )["run"]["AP"],
    "frames": lambda: irmeval.evaluate(JUDGED, FOUND, ["AP"]).to_dataframe()["score"].mean(),
    "evaluate by another name": lambda: irmeval.score(JUDGED, FOUND, ["map"]).means,
    "classes of ranx": lambda: (
        irmeval.evaluate(irmeval.Qrels.from_dict(JUDGED), irmeval.Run.from_dict(FOUND), "AP").means
    ),
    "constructors of ranx": lambda: (
        irmeval.evaluate(irmeval.Qrels(JUDGED), irmeval.Run(FOUND), ["AP"]).means
    ),
    "qrels as a dictionary": lambda: (
        irmeval.evaluate(irmeval.read_qrels(JUDGED).to_dict(), FOUND, ["AP"]).means
    ),
    "metrics of ir_measures": lambda: irmeval.evaluate(JUDGED, FOUND, [irmeval.AP(rel=1)]).means,
    "names in letters of another case": lambda: (
        irmeval.evaluate(JUDGED, FOUND, [irmeval.MAP, irmeval.Map @ 10, irmeval.ap(rel=1)]).means
    ),
    "cut-offs of ir_measures": lambda: irmeval.evaluate(JUDGED, FOUND, [irmeval.AP @ 10]).means,
    "columns": lambda: irmeval.evaluate(JUDGED, FOUND, ["AP"]).AP["run"],
    "methods of pandas": lambda: irmeval.evaluate(JUDGED, FOUND, ["AP"]).head(1).iloc[0, 0],
    "CSV": lambda: float(irmeval.evaluate(JUDGED, FOUND, "AP").to_csv().split(",")[-1]),
}


@pytest.mark.parametrize("name", PYTHON)
def test_python_when_written_as_for_another_library_then_works(name):
    assert PYTHON[name]() == pytest.approx((1 / 2 + 5 / 6) / 2)


def test_files_when_read_by_names_of_another_library_then_are_those_read_here(words):
    qrels, run = words("Q R")
    assert irmeval.load(qrels, run).runs == irmeval.read_collection(qrels, run).runs
    assert irmeval.load_qrels(qrels).topics == irmeval.read_qrels(qrels).topics


def test_fuse_when_parameters_are_a_dictionary_then_they_are_used():
    assert irmeval.fuse(RUNS, params={"k": 1}) == irmeval.fuse(RUNS, k=1) != irmeval.fuse(RUNS)


FILES = {
    "paths as texts": lambda qrels, run: (qrels, run),
    "paths of pathlib": lambda qrels, run: (Path(qrels), Path(run)),
    "a list of files": lambda qrels, run: (qrels, [run]),
    "one in memory": lambda qrels, run: (irmeval.read_qrels(qrels), run),
    "read": lambda qrels, run: (irmeval.load_qrels(qrels), {"R": irmeval.load_run(run)}),
    "a file by name": lambda qrels, run: (qrels, {"R": run}),
    "files and memory by name": lambda qrels, run: (
        irmeval.read_qrels(qrels),
        {"R": Path(run), "same": irmeval.read_run(run)},
    ),
    "the run in memory": lambda qrels, run: (qrels, {"R": irmeval.read_run(run)}),
    "classes": lambda qrels, run: (
        irmeval.Qrels.from_file(qrels),
        {"R": irmeval.Run.from_file(run)},
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_evaluate_when_given_files_then_reads_them(name, words):
    qrels, run = FILES[name](*words("Q R"))
    assert irmeval.evaluate(qrels, run, ["map"]).to_dict()["R"]["AP"] == pytest.approx(2 / 3)


def test_run_when_read_then_is_a_dictionary_for_every_package(words):
    (file,) = words("R")
    assert irmeval.read_run(file) == irmeval.read_run(FOUND) == FOUND
    frame = of_pandas(["qid", "docno", "score"], FOUND)
    assert irmeval.read_run(frame) == FOUND
    with pytest.raises(IrmevalError, match="expected one run, found 2: a, b"):
        irmeval.read_run(frame.assign(run=["a", "b"] + ["a"] * (len(frame) - 2)))


TWICE = {
    "keys that are one text": {"1": {1: 1.0, "1": 9.0}},
    "rows": pd.DataFrame({"qid": ["1", "1"], "docno": ["a", "a"], "score": [1.0, 9.0]}),
}


@pytest.mark.parametrize("given", TWICE)
def test_run_in_memory_when_a_document_stands_twice_then_is_refused_as_a_file_is(given):
    with pytest.raises(IrmevalError, match="expected each document once per topic"):
        irmeval.read_run(TWICE[given])


def test_qrels_when_given_on_then_are_the_dictionary_that_was_read():
    qrels = irmeval.read_qrels(JUDGED)
    assert qrels.to_dict() == JUDGED
    assert len(qrels) == len(JUDGED)


def test_name_of_another_package_when_imported_then_its_use_says_what_there_is():
    from irmeval import compare

    for use in (lambda: compare("q", ["a", "b"]), lambda: compare.something):
        with pytest.raises(
            (IrmevalError, AttributeError), match=r'irmeval.EXPERIMENTS\["matrix"\]'
        ):
            use()


@pytest.mark.parametrize("method", ["rrf", "RRF"])
@pytest.mark.parametrize(
    "runs",
    [
        [FOUND, SECOND],
        [Ranx(FOUND, "a"), Ranx(SECOND, "b")],
        {"a": Ranx(FOUND, "a"), "b": SECOND},
        [parsing.parse_run(n, json.dumps(run).encode()) for n, run in RUNS.items()],
    ],
    ids=["dictionaries", "ranx", "by name", "parsed"],
)
def test_fuse_when_runs_are_of_any_kind_then_gives_the_same_run(runs, method):
    assert irmeval.fuse(runs, method) == irmeval.fuse(RUNS)


COLLECTION = irmeval.Collection.from_dicts(JUDGED, RUNS)
HINTS = [
    (lambda: irmeval.evaluate(JUDGED, FOUND, per_query=True), "Here it is scores.frame()"),
    (lambda: irmeval.evaluate(JUDGED, FOUND, relevance_level=2), 'as in "AP(rel=2)"'),
    (lambda: irmeval.evaluate(JUDGED, FOUND, measure=["AP"]), "nearest: measures"),
    (lambda: irmeval.evaluate(JUDGED, FOUND, ["AP"])["zzz"], "unknown measure 'zzz'"),
    (lambda: irmeval.evaluate(JUDGED, FOUND).plot(), 'EXPERIMENTS["leaderboard"]'),
    (lambda: irmeval.evaluate(JUDGED, FOUND).per_query, "scores.frame()"),
    (lambda: irmeval.evaluate(JUDGED, FOUND).std(), "scores.mean().std(), over runs, or"),
    (lambda: irmeval.evaluate(JUDGED, FOUND).describe(), "scores.mean().describe(), over runs"),
    (lambda: irmeval.Collection.from_dicts(JUDGED, RUNS).evaluate("AP"), "irmeval.evaluate"),
    (lambda: irmeval.reduce(irmeval.Collection.from_dicts(JUDGED, RUNS), "x", 10), "it takes"),
    (lambda: irmeval.read_collection("q", "r", format="x"), "unknown keyword 'format'"),
    (lambda: irmeval.read_collection("q"), "it takes qrels, runs, "),
    (lambda: irmeval.Collection(JUDGED, FOUND), "Collection.from_dicts(qrels, runs) of dict"),
    (lambda: irmeval.Qrels(JUDGED, 1), "irmeval.read_qrels(judgments) makes them"),
    (lambda: irmeval.Run(FOUND, name="a"), "irmeval.read_run(run), a dictionary"),
    (lambda: irmeval.Run.from_file("r", kind="trec"), "known: run, form"),
    (lambda: irmeval.fuse(RUNS, norm="min-max"), "norm is not needed"),
    (lambda: irmeval.Judges(JUDGED), "Judges.from_dicts(judgments)"),
    (lambda: irmeval.Scores(JUDGED), "irmeval.evaluate(collection, measures)"),
    (lambda: irmeval.Measure("AP"), 'irmeval.measure("nDCG@10")'),
    (lambda: irmeval.Workspace("my.irmeval"), "irmeval.Workspace.load(file)"),
    (lambda: COLLECTION["a"], "irmeval.evaluate(collection, measures)[run]"),
    (lambda: [*COLLECTION], "it has no item 0"),
    (lambda: COLLECTION.to_dict(), "irmeval.evaluate(collection, measures).to_dict()"),
    (lambda: irmeval.EXPERIMENTS.curvs, "unknown experiment 'curvs'; nearest: curves"),
    (lambda: COLLECTION.queries, "collection.topics"),
    (lambda: COLLECTION.describe(), 'EXPERIMENTS["collection"](collection)'),
    (lambda: len(COLLECTION), "len(collection.topics)"),
    (lambda: irmeval.reduce(COLLECTION, 0.1), "A rate is rate=10 for 10%"),
    (lambda: irmeval.Qrels.from_file(), "read_qrels: missing a required argument"),
    (lambda: irmeval.Qrels({}), "expected topics with documents"),
    (lambda: irmeval.evaluate(JUDGED, "nowhere", "AP"), "nowhere: expected a readable file"),
    (lambda: irmeval.evaluate(JUDGED, {"a": "nowhere"}, "AP"), "nowhere: expected a readable file"),
    (lambda: irmeval.evaluate(JUDGED, ["nowhere", FOUND], "AP"), "name the runs: {'bm25': run"),
    (lambda: irmeval.evaluate(JUDGED, "nowhere"), "Give a run after the qrels."),
    (lambda: irmeval.AP(2), "expected parameters by name, as in AP(rel=2)"),
    (lambda: irmeval.ndcg @ 10, "irmeval.evaluate(qrels, run, ["),
    (lambda: irmeval.read_runs("runs"), "irmeval.read_collection(qrels, runs)"),
    (lambda: irmeval.parse_qrel("qrels"), "irmeval.read_qrels(file)"),
    (lambda: irmeval.calc(["AP"], JUDGED, FOUND), "irmeval.evaluate(qrels, run, measures)"),
    (lambda: irmeval.list_metrics(), "irmeval.METRICS"),
    (lambda: irmeval.ndcg(JUDGED, FOUND), "irmeval.evaluate(qrels, run, ["),
    (lambda: irmeval.kendalltau([1], [1]), "tau_b of irmeval.stats.correlation"),
    (lambda: irmeval.significance(COLLECTION), 'EXPERIMENTS["matrix"]'),
    (lambda: irmeval.evalute, "Nearest: evaluate"),
    (lambda: irmeval.leave_one_out(COLLECTION), 'EXPERIMENTS["leave-one-out"]'),
]


@pytest.mark.parametrize("number", range(len(HINTS)))
def test_python_when_it_means_something_else_here_then_the_error_says_what(number):
    written, said = HINTS[number]
    with pytest.raises((IrmevalError, AttributeError, TypeError)) as refused:
        written()
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_experiments_when_asked_of_the_package_then_are_there():
    assert "matrix" in irmeval.EXPERIMENTS

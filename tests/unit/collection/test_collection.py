"""The join against one in plain dictionaries; names, fingerprint, data frames."""

import dataclasses
import gzip
import io
import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irmeval
from irmeval import Collection, ParamError, ReadError, read_collection
from irmeval.collection.base import build
from irmeval.collection.joining import NEAR, name_runs
from irmeval.core.params import fields
from irmeval.reading import foreign, parsing
from irmeval.reading.policy import ORDERS, Policy
from tests.cases import refusal, settled_run
from tests.conftest import TINY_QRELS, TINY_RUNS, run_lines

DOCUMENTS = ["a", "b", "B", "é", "z\u00a0", "文", "10", "9", "NA"]
# close pairs tie as 32-bit floats and differ as 64-bit ones
SCORES = [
    0.0,
    -0.0,
    1.0,
    1.00000001,
    0.123456789012,
    0.123456789011,
    -3.5,
    1e39,
    1e40,
    np.inf,
    -np.inf,
    1e-50,
]


def qrels_of(judgments):
    text = "".join(
        f"{topic} 0 {document} {grade}\n" for (topic, document), grade in judgments.items()
    )
    return parsing.settled_qrels("qrels", text.encode())


def run_of(lines, name="run"):
    text = "".join(
        f"{topic} Q0 {document} {rank} {score!r} {name}\n" for topic, document, rank, score in lines
    )
    return settled_run(name, text.encode())


def lists_of(collection):
    """(run, topic) -> {document: rank} of the pooled documents, and its length."""
    found = {}
    T = len(collection.topics)
    names = collection.documents.to_pylist()
    for i, (start, stop) in enumerate(
        zip(collection.start[:-1], collection.start[1:], strict=True)
    ):
        slots, ranks = collection.judgment_index[start:stop], collection.rank[start:stop]
        assert set(collection.topic[slots]) <= {i % T}
        assert np.all(np.diff(ranks) > 0)
        ranking = dict(zip([names[s] for s in slots], ranks.tolist(), strict=True))
        found[collection.runs[i // T], collection.topics[i % T]] = (
            ranking,
            int(collection.length[i]),
        )
    return found


def outside_of(collection):
    """(run, topic) -> {document: rank} of what the pool lacks near the top."""
    T = len(collection.topics)
    assert np.all(np.diff(collection.outside.list) >= 0)
    found = {(run, topic): {} for run in collection.runs for topic in collection.topics}
    for i, rank, document in zip(
        *collection.outside[:2], collection.outside.documents.to_pylist(), strict=True
    ):
        found[collection.runs[i // T], collection.topics[i % T]][document] = rank
    return found


def naive_lists(judgments, runs, depth, order):
    """The same two, one document at a time."""
    found, outside = {}, {}
    for name, lines in runs.items():
        for topic in {t for t, _ in judgments}:
            lines_here = [line for line in lines if line[0] == topic]
            if order == "trec_eval":
                with np.errstate(over="ignore"):
                    lines_here.sort(
                        key=lambda line: (np.float32(line[3]), line[1].encode()), reverse=True
                    )
            elif order == "double":
                lines_here.sort(key=lambda line: (line[3], line[1].encode()), reverse=True)
            elif order == "rank":
                lines_here.sort(key=lambda line: line[2])
            ranked = [line[1] for line in lines_here][:depth]
            pooled = {
                document: rank
                for rank, document in enumerate(ranked, 1)
                if (topic, document) in judgments
            }
            found[name, topic] = (pooled, len(ranked))
            outside[name, topic] = {
                document: rank
                for rank, document in enumerate(ranked[:NEAR], 1)
                if document not in pooled
            }
    return found, outside


TOPICS = st.sampled_from(["1", "2", "10", "q"])
JUDGMENTS = st.dictionaries(
    st.tuples(TOPICS, st.sampled_from(DOCUMENTS)), st.integers(-2, 3), min_size=1, max_size=20
)
LINES = st.lists(
    st.tuples(
        TOPICS | st.just("unknown"),
        st.sampled_from([*DOCUMENTS, "u1", "u2"]),
        st.integers(-2, 12),
        st.sampled_from(SCORES),
    ),
    max_size=30,
    unique_by=lambda line: line[:2],
)


@given(
    JUDGMENTS, st.lists(LINES, min_size=1, max_size=3), st.integers(1, 12), st.sampled_from(ORDERS)
)
def test_join_when_compared_with_dictionaries_then_agrees(judgments, rankings, depth, order):
    anchor = (next(iter(judgments))[0], "u3", 13, -1e9)  # every run shares a topic with the qrels
    runs = {f"r{i}": [*lines, anchor] for i, lines in enumerate(rankings)}
    collection = build(
        qrels_of(judgments),
        [run_of(lines, name) for name, lines in runs.items()],
        depth=depth,
        order=order,
    )
    assert (lists_of(collection), outside_of(collection)) == naive_lists(
        judgments, runs, depth, order
    )
    grades = {
        (collection.topics[t], d): g
        for t, d, g in zip(
            collection.topic, collection.documents.to_pylist(), collection.grade, strict=True
        )
    }
    assert grades == judgments
    for (name, lines), unknown in zip(runs.items(), collection.unknown, strict=True):
        assert set(unknown) == {line[0] for line in lines} - set(collection.topics), name


def test_outside_when_lists_are_long_then_only_their_tops_are_kept():
    lines = [("1", f"u{i}", i, -float(i)) for i in range(1, NEAR + 50)]
    found = outside_of(build(qrels_of({("1", "u2"): 1}), [run_of(lines)]))["run", "1"]
    assert found == {f"u{i}": i for i in range(1, NEAR + 1) if i != 2}


def test_order_when_scores_tie_as_32_bit_floats_then_ids_go_down_as_bytes():
    qrels = qrels_of({("1", d): 1 for d in ("B", "a", "b", "é", "文", "9", "10")})
    lines = [
        ("1", d, i, 0.123456789012 if i % 2 else 0.123456789011)
        for i, d in enumerate(("10", "é", "B", "文", "9", "b", "a"), 1)
    ]
    ranking, _ = lists_of(build(qrels, [run_of(lines)]))["run", "1"]
    assert list(ranking) == ["文", "é", "b", "a", "B", "9", "10"]


@pytest.mark.parametrize(
    ("order", "ranking"),
    [("trec_eval", ["c", "a", "b"]), ("rank", ["b", "c", "a"]), ("file", ["a", "b", "c"])],
)
def test_order_when_chosen_then_score_rank_column_or_file_decides(order, ranking):
    qrels = qrels_of({("1", d): 1 for d in "abc"})
    run = run_of([("1", "a", 3, 0.5), ("1", "b", 1, 0.1), ("1", "c", 2, 0.9)])
    assert list(lists_of(build(qrels, [run], order=order))["run", "1"][0]) == ranking


def test_rank_column_when_written_with_a_sign_then_still_orders():
    run = settled_run("r", b"1 Q0 a +2 1 t\n1 Q0 b +1 0 t\n")
    assert list(
        lists_of(build(qrels_of({("1", "a"): 1, ("1", "b"): 1}), [run], order="rank"))["r", "1"][0]
    ) == ["b", "a"]


@pytest.mark.parametrize(
    ("depth", "order", "message"),
    [
        (0, "trec_eval", "depth: expected a value from 1 to 1000000, found 0"),
        (10, "score", "order: expected one of trec_eval, double, rank, file, found 'score'"),
    ],
)
def test_join_when_depth_or_order_is_impossible_then_refused(depth, order, message):
    with pytest.raises(ParamError, match=message):
        build(qrels_of({("1", "a"): 1}), [run_of([("1", "a", 1, 1.0)])], depth=depth, order=order)


def test_collection_when_read_from_disk_then_holds_what_the_files_say(tiny):
    c = read_collection(*tiny)
    assert c.topics == ("1", "2", "3", "4")
    assert c.runs == ("example", "ideal", "short")
    assert c.unknown == (("99",), (), ())
    assert c.missing.tolist() == [[False] * 4, [False] * 4, [False, False, True, True]]
    assert c.length.reshape(3, 4).tolist() == [[8, 2, 2, 3], [7, 3, 1, 3], [2, 3, 0, 0]]
    assert c.top_grade == 3
    assert lists_of(c)["example", "1"] == (
        {"n1": 1, "S1": 2, "B1": 4, "n2": 5, "A1": 7, "n3": 8},
        8,
    )


def test_arrays_when_written_to_then_refuse(tiny):
    c = read_collection(*tiny)
    for array in (c.topic, c.grade, c.judgment_index, c.rank, c.start, c.length):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


# ---------------------------------------------------------------- names of runs


def test_topics_and_runs_of_a_folder_when_numbered_then_in_natural_order(tmp_path):
    (tmp_path / "qrels").write_text("106_10 0 d 1\n106_2 0 d 1\n9_1 0 d 0\n")
    for name in ("run10", "run2"):
        (tmp_path / "runs" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "runs" / name).write_text("106_2 Q0 d 1 1 t\n20 Q0 d 1 1 t\n3 Q0 d 1 1 t\n")
    c = read_collection(tmp_path / "qrels", tmp_path / "runs")
    assert (c.topics, c.runs, c.unknown[0]) == (
        ("9_1", "106_2", "106_10"),
        ("run2", "run10"),
        ("3", "20"),
    )


@pytest.mark.parametrize(
    ("files", "names"),
    [
        ([("f1", ("a",)), ("f2", ("b",))], ["a", "b"]),
        ([("f1", ("a",)), ("f2", ("a",))], ["f1", "f2"]),
        ([("f1", ("a", "x")), ("f2", ("b",))], ["f1", "b"]),
        ([("f1", ("a",)), ("f2", ("a",)), ("f3", ("f1",))], ["f1", "f2", "f3"]),
        ([("x/f", ("a",)), ("y/g", ("a",)), ("y/h", ("b",))], ["x/f", "y/g", "b"]),
        (
            [("z/x/f", ("a",)), ("z/y/f", ("a",)), ("z/x/g", ("b",)), ("f", ("b",))],
            ["x/f", "y/f", "x/g", "f"],
        ),
        ([("w/x/f", ("a",)), ("v/x/f", ("a",)), ("v/x/g", ("a",))], ["w/x/f", "v/x/f", "x/g"]),
        ([("f", ("a",)), ("x/f", ("a",))], ["f", "x/f"]),
    ],
    ids=[
        "a tag each",
        "a tag shared",
        "two tags in a file",
        "the tag of one is the file of another",
        "folders differ",
        "a file name shared",
        "a folder's name shared",
        "a file beside a folder",
    ],
)
def test_runs_when_named_then_by_tag_where_it_is_their_own_else_by_path(files, names):
    assert name_runs(files) == names
    assert name_runs([(f"home/me/{path}", tags) for path, tags in files]) == names


def test_runs_when_a_file_is_given_twice_then_refused():
    with pytest.raises(
        ReadError,
        match=(
            "^run: expected each run file once, found it twice, or beside its .gz. Leave one out.$"
        ),
    ):
        name_runs([("tmp/run", ("a",)), ("tmp/run", ("a",))])


def test_runs_when_tags_are_shared_then_are_named_by_file_less_gz(tmp_path):
    (tmp_path / "q").write_text("1 0 a 1\n")
    for name in ("x", "y.gz", "z.txt"):
        data = b"1 Q0 a 1 1 same\n"
        (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    assert read_collection(tmp_path / "q", [tmp_path / n for n in ("x", "y.gz", "z.txt")]).runs == (
        "x",
        "y",
        "z.txt",
    )


# ---------------------------------------------------------------- fingerprint

BASE = {
    "qrels": TINY_QRELS,
    **{name: run_lines(name, rankings) for name, rankings in TINY_RUNS.items()},
}
BASE["example"] += "98 Q0 S1 1 1 example\n"


def collection_of(texts, **how):
    runs = [settled_run(name, text.encode()) for name, text in texts.items() if name != "qrels"]
    return build(parsing.settled_qrels("qrels", texts["qrels"].encode()), runs, **how)


CHANGES_THAT_MATTER = {
    "a grade": {"qrels": TINY_QRELS.replace("1 0 S1 3", "1 0 S1 2")},
    "a judgment more": {"qrels": TINY_QRELS + "4 0 z 0\n"},
    "a document's name": {
        "qrels": TINY_QRELS.replace(" x1 ", " x2 "),
        "ideal": BASE["ideal"].replace(" x1 ", " x2 "),
        "short": BASE["short"].replace(" x1 ", " x2 "),
    },
    "a topic's name": {name: text.replace("\n3 ", "\n5 ") for name, text in BASE.items()},
    "the order of two judged documents": {
        "short": BASE["short"].replace("S1 1", "x1 1").replace("x1 2", "S1 2", 1)
    },
    "an unjudged document above a judged one": {"short": BASE["short"] + "1 Q0 u9 0 200 short\n"},
    "the name of an unjudged document near the top": {"short": BASE["short"].replace("u1", "u7")},
    "a topic that the qrels lack": {"short": BASE["short"] + "98 Q0 S1 1 1 short\n"},
    "an unjudged document at the end": {"short": BASE["short"] + "1 Q0 u9 9 0 short\n"},
}
CHANGES_THAT_DO_NOT = {
    "scores with the same order": {"short": BASE["short"].replace(" 99 ", " 99.5 ")},
    "the tag": {"short": BASE["short"].replace(" short\n", " other\n")},
    "blanks, comments and line ends": {
        name: "# new\r\n" + text.replace(" ", "\t ").replace("\n", "\r\n")
        for name, text in BASE.items()
    },
    "the order of lines": {
        name: "".join(reversed(text.splitlines(keepends=True))) for name, text in BASE.items()
    },
}


@pytest.mark.parametrize("change", CHANGES_THAT_MATTER)
def test_fingerprint_when_a_result_could_differ_then_differs(change):
    assert (
        collection_of({**BASE, **CHANGES_THAT_MATTER[change]}).fingerprint
        != collection_of(BASE).fingerprint
    )


@pytest.mark.parametrize("change", CHANGES_THAT_DO_NOT)
def test_fingerprint_when_no_result_could_differ_then_is_the_same(change):
    assert (
        collection_of({**BASE, **CHANGES_THAT_DO_NOT[change]}).fingerprint
        == collection_of(BASE).fingerprint
    )


def test_fingerprint_when_depth_order_or_runs_differ_then_differs():
    fewer = {name: text for name, text in BASE.items() if name != "short"}
    renamed = {("new" if name == "short" else name): text for name, text in BASE.items()}
    others = [
        collection_of(BASE, depth=3),
        collection_of(BASE, order="rank"),
        collection_of(fewer),
        collection_of(renamed),
    ]
    assert len({c.fingerprint for c in [collection_of(BASE), *others]}) == 5


def changes(value):
    """A part of a collection with one thing in it changed, in every way that its kind
    allows.
    """
    if isinstance(value, str):
        yield value + "x"
    elif isinstance(value, int):
        yield value + 1
    elif isinstance(value, np.ndarray):
        for i in range(value.size):
            changed = value.copy()
            changed[i] += 1
            yield changed
    elif isinstance(value, pa.StringArray):
        yield from (pa.array(texts, pa.string()) for texts in changes(value.to_pylist()))
    elif isinstance(value, Policy):
        for name, field in fields(Policy).items():
            texts = ["1\ta"] if name == "exclude" else ["steep", "1:1,2:3"]
            others = field.param.choices or (
                texts if field.kind is str else [field.kind(getattr(value, name) + 1)]
            )
            yield from (
                replace(value, **{name: other}) for other in others if other != getattr(value, name)
            )
    else:
        make = value._make if hasattr(value, "_make") else type(value)
        for i, part in enumerate(value):
            yield from (make([*value[:i], other, *value[i + 1 :]]) for other in changes(part))


SAID_ONLY = {"digests", "recognised", "chosen", "source"}
"""Fields that say where a collection comes from, and decide nothing."""
APART = {"panel", "design"}
"""Fields that have a test of their own, in test_judged_by.py and test_design.py."""


@pytest.mark.parametrize(
    "field",
    [field.name for field in dataclasses.fields(Collection) if field.name not in SAID_ONLY | APART],
)
def test_fingerprint_when_anything_in_a_field_is_another_then_differs(field):
    header = "# ir_metadata.start\n# ir_metadata.end\n"
    collection = collection_of({**BASE, "short": header + BASE["short"] + "98 Q0 S1 1 1 short\n"})
    others = [
        replace(collection, **{field: other}) for other in changes(getattr(collection, field))
    ]
    assert others
    assert len({c.fingerprint for c in (collection, *others)}) == len(others) + 1


def test_fingerprint_when_runs_differ_in_unjudged_documents_far_down_then_differs_as_scores_do():
    judged = {"1": {"d0": 1}}
    shallow, deep = (
        Collection.from_dicts(judged, {"r": {"1": {f"d{i}": -float(i) for i in range(n)}}})
        for n in (150, 400)
    )
    assert [irmeval.evaluate(c, "NumRet").values.item() for c in (shallow, deep)] == [150, 400]
    assert shallow.fingerprint != deep.fingerprint


@pytest.mark.parametrize(
    "order", list(itertools.permutations([("1", "a", 1), ("1", "b", 0), ("2", "a", 2)]))
)
def test_fingerprint_when_judgments_come_another_way_or_in_another_order_then_is_the_same(
    order, datasets
):
    nested = {}
    for topic, document, grade in order:
        nested.setdefault(topic, {})[document] = grade
    ways = (
        parsing.settled_qrels("q", "".join(f"{t} 0 {d} {g}\n" for t, d, g in order).encode()),
        foreign.qrels_from_frame(pd.DataFrame(order, columns=["qid", "docno", "label"])),
        foreign.qrels_from_dict(nested),
        foreign.qrels_from_ir_datasets("irds:tiny"),
    )
    assert len({build(qrels, []).fingerprint for qrels in ways}) == 1


# ---------------------------------------------------------------- data frames

PYTERRIER = {"topic": "qid", "document": "docno", "grade": "label"}
IR_MEASURES = {"topic": "query_id", "document": "doc_id", "grade": "relevance"}


@pytest.mark.parametrize("names", [PYTERRIER, IR_MEASURES], ids=["PyTerrier", "ir_measures"])
def test_frames_when_columns_are_pyterriers_or_ir_measures_then_equal_the_files(names):
    def frame(text, columns):
        found = pd.read_csv(
            io.StringIO(text),
            sep=" ",
            names=columns,
            dtype={"topic": str, "document": str},
            keep_default_na=False,
        )
        return found.rename(columns=names)

    qrels = frame(BASE["qrels"], ["topic", "iteration", "document", "grade"])
    runs = {
        name: frame(text, ["topic", "Q0", "document", "rank", "score", "tag"])
        for name, text in BASE.items()
        if name != "qrels"
    }
    for order in ORDERS:
        assert (
            Collection.from_frames(qrels, runs, order=order).fingerprint
            == collection_of(BASE, order=order).fingerprint
        )


def test_frames_when_there_is_one_run_then_it_needs_no_name():
    qrels = pd.DataFrame({"qid": [1, 1], "docno": ["a", "b"], "label": [1, 0]})
    run = pd.DataFrame({"qid": ["1", "1"], "docno": ["a", "b"], "score": [0.5, 1.5]})
    c = Collection.from_frames(qrels, run)
    assert (c.runs, c.topics) == (("run",), ("1",))
    assert irmeval.evaluate(c, ["RR"]).values.tolist() == [[[0.5]]]


GOOD = {"qid": ["1", "1"], "docno": ["a", "b"], "label": [1, 0], "score": [1.0, 2.0]}


@pytest.mark.parametrize(
    ("qrels", "run", "message"),
    [
        (
            {"label": [0.7, 1]},
            {},
            (
                "qrels: expected whole numbers as grades, found fractions or infinite numbers."
                " Map them to levels 0, 1, 2, ..."
            ),
        ),
        (
            {"label": [np.inf, 1]},
            {},
            (
                "qrels: expected whole numbers as grades, found fractions or infinite numbers."
                " Map them to levels 0, 1, 2, ..."
            ),
        ),
        (
            {"label": ["high", "low"]},
            {},
            "qrels: expected numbers as grades, found 'high' in row 1. Fix or remove the row.",
        ),
        (
            {"docno": ["a", "a"]},
            {},
            (
                "qrels: expected one grade for each judged document, found 'a' of topic '1' again,"
                " with grade 0 after 1. Keep the correct one."
            ),
        ),
        (
            {},
            {"score": [np.nan, 1]},
            "r: expected a score that is a number, found NaN. Give every document a score.",
        ),
        (
            {},
            {"docno": ["a", "a"]},
            (
                "r: expected each document once per topic, found 'a' of topic '1' again. "
                "Remove one of them, or keep the first or the best: --repeated first or --repeated"
                " best, in Python repeated='first' or repeated='best'."
            ),
        ),
        (
            {},
            {"qid": ["x", "x"]},
            (
                "r: expected topics of the qrels, such as '1', found topics such as 'x'. Check that"
                " run and qrels belong together."
            ),
        ),
    ],
)
def test_frames_when_at_fault_then_refused_with_reason(qrels, run, message):
    assert (
        refusal(
            ReadError,
            Collection.from_frames,
            pd.DataFrame({**GOOD, **qrels}),
            {"r": pd.DataFrame({**GOOD, **run})},
        )
        == message
    )


def test_frames_when_a_column_is_missing_or_rows_are_then_refused():
    good = pd.DataFrame(GOOD)
    with pytest.raises(
        ReadError,
        match="r: expected a column named docno or doc_id or .* or doc, found qid, label, score.",
    ):
        Collection.from_frames(good, {"r": good.drop(columns="docno")})
    with pytest.raises(ReadError, match="r: expected at least one row, found an empty data frame."):
        Collection.from_frames(good, {"r": good.head(0)})
    with pytest.raises(ReadError, match="runs: expected at least one run, found none."):
        irmeval.evaluate(Collection.from_frames(good, {}), ["AP"])


def test_frames_when_ids_hold_blanks_then_topic_and_document_stay_apart():
    judged = pd.DataFrame({"qid": ["a b", "a"], "docno": ["c", "b c"], "label": [1, 2]})
    ranked = pd.DataFrame({"qid": ["a b", "a"], "docno": ["c", "b c"], "score": [1.0, 1.0]})
    assert irmeval.evaluate(Collection.from_frames(judged, ranked), ["P@1"]).values.tolist() == [
        [[1.0, 1.0]]
    ]


@pytest.mark.parametrize(
    ("runs", "found"),
    [
        (["a.txt"], "runs without names"),
        (5, "5"),
        (None, "None"),
    ],
)
def test_dictionaries_when_without_names_then_the_message_says_how_to_name_them(runs, found):
    said = (
        f"runs: expected run -> topic -> document -> score, found {found}. A run needs a name:"
        " {'bm25': run}."
    )
    assert refusal(ParamError, Collection.from_dicts, {"1": {"a": 1}}, runs) == said


@pytest.mark.parametrize("blank", ["", " ", None])
def test_frame_when_its_column_of_run_names_is_blank_then_the_run_is_named_as_without_one(blank):
    judged = pd.DataFrame({"qid": ["1"], "docno": ["a"], "label": [1]})
    ranked = pd.DataFrame({"qid": ["1"], "docno": ["a"], "score": [1.0], "run": [blank]})
    assert Collection.from_frames(judged, ranked).runs == ("run",)
    assert Collection.from_frames(judged, {"mine": ranked}).runs == ("mine",)

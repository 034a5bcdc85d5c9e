"""Headers of run files in ir_metadata: what they say, how they are kept and written. A
header changes no score.
"""

import json
import zipfile
from dataclasses import replace

import numpy as np
import pytest
import yaml as pyyaml
from hypothesis import given
from hypothesis import strategies as st

import irmeval
from irmeval import ReadError, Workspace
from irmeval.check.shape import header_finding
from irmeval.cli import main
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.results import table_named
from irmeval.reading import columns, trec
from irmeval.reading.faults import examine
from irmeval.reading.ir_metadata import (
    DEEPEST,
    LARGEST,
    describe_unreadable,
    header_entries,
    header_of,
    read_header,
    read_headers,
    reproduced_tags,
)
from irmeval.reading.writing import text_of, with_stage, write_header
from irmeval.report import exports, overview, report
from irmeval.scoring.selection import Selection, select
from irmeval.workspace import archive
from tests.cases import settled_run

RUN = "1 Q0 a 1 3 bm25\n1 Q0 b 2 2 bm25\n2 Q0 c 1 1 bm25\n"
QRELS = "1 0 a 1\n1 0 b 0\n2 0 c 1\n"
# the forms that the examples of the schema and files of repro_eval have: sequences not indented,
# texts of several lines, quotes
YAML = """schema-version: 0.1
tag: bm25
platform:
  hardware:
    cpu:
      model: Intel(R) Xeon(R) Gold 6144 CPU @ 3.50GHz
  software:
    libraries:
      python:
      - numpy==1.15.4
      java: [lucene==7.6, 'a, b']
research goal:
  publication:
    doi: https://doi.org/10.1007/978-3-030-15712-8_26 # the paper
    abstract: We tackle
      the problem.
    folded: >
      one
      two

      three
    kept: |
      x: y
        # z
  evaluation:
    significance test:
      - name: 't-test'
        correction method: "bon\\"ferroni"
# a comment
method:
  automatic: true
  empty:
  retrieval:
  - name: bm25
    b: 0.4
  - name: ensemble
    of:
    - one
    - {of: [two], "three": 3}
"""
SAID = {
    "schema-version": "0.1",
    "tag": "bm25",
    "platform": {
        "hardware": {"cpu": {"model": "Intel(R) Xeon(R) Gold 6144 CPU @ 3.50GHz"}},
        "software": {"libraries": {"python": ["numpy==1.15.4"], "java": ["lucene==7.6", "a, b"]}},
    },
    "research goal": {
        "publication": {
            "doi": "https://doi.org/10.1007/978-3-030-15712-8_26",
            "abstract": "We tackle the problem.",
            "folded": "one two\nthree",
            "kept": "x: y\n  # z",
        },
        "evaluation": {
            "significance test": [{"name": "t-test", "correction method": 'bon"ferroni'}]
        },
    },
    "method": {
        "automatic": "true",
        "empty": "",
        "retrieval": [
            {"name": "bm25", "b": "0.4"},
            {"name": "ensemble", "of": ["one", {"of": ["two"], "three": "3"}]},
        ],
    },
}


def header(yaml: str) -> str:
    return "".join(
        f"# {line}\n" for line in ["ir_metadata.start", *yaml.splitlines(), "ir_metadata.end"]
    )


def loaded(folder, **texts):
    """A collection of runs with these texts."""
    (folder / "qrels.txt").write_text(QRELS)
    (folder / "runs").mkdir()
    for name, text in texts.items():
        (folder / "runs" / name).write_text(text)
    return irmeval.read_collection(folder / "qrels.txt", folder / "runs")


def test_header_when_written_as_the_schema_says_then_is_nested_texts():
    assert read_header("bm25", header(YAML)) == SAID
    assert list(header_entries(SAID))[3] == (
        "platform",
        "software, libraries, python",
        "numpy==1.15.4",
    )


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("# ", "#"),
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", " \n"),
        lambda text: "\n# by hand\n" + text,
        lambda text: "\ufeff" + text,
        lambda text: "# ir_metadata.end\n" + text,
    ],
)
def test_header_when_written_a_little_otherwise_then_says_the_same(change):
    found = header_of((change(header(YAML.replace("# a comment\n", ""))) + RUN).encode())
    assert read_header("bm25", found)["platform"] == SAID["platform"]


TEXTS = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=9) | st.sampled_from(
    ["a: b", "- x", "x #y", "'", "[", "*a", "!t", "a:"]
)
VALUES = st.recursive(
    TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=9,
)


@given(st.dictionaries(TEXTS, VALUES, min_size=1, max_size=3))
def test_header_when_written_and_read_then_says_the_same_whatever_it_says(said):
    text = write_header(said)
    assert read_header("run", text) == said
    assert header_of((text + RUN).encode()) == text


@pytest.mark.parametrize(
    ("yaml", "line", "message"),
    [
        ("a: &x [1]\nb: *x", 2, "found an anchor: '&x'"),
        ("a: [1]\nb: *x", 3, "found an alias: '*x'"),
        ("a: !!python/object/apply:os.system [ls]", 2, "found a tag"),
        (
            "a: [*x]",
            2,
            "expected a plain or quoted text, a list or a section, found an alias: '*x'",
        ),
        ("a: b\na: c", 3, "expected each key once, found 'a' again"),
        ("a: {b: c, b: d}", 2, "expected each key once, found 'b' again"),
        ("a:\n\tb: c", 3, "expected valid YAML, found 'b: c' (found character"),
        ("a: b: c", 2, "expected valid YAML, found 'a: b: c' (mapping values are not allowed"),
        ("a: b\n  c: d", 3, "found 'c: d'"),
        ("a:\n  b: c\n d: e", 4, "expected valid YAML, found 'd: e'"),
        ("  a: b\nc: d", 3, "expected valid YAML, found 'c: d'"),
        ("a: [1, 2", 2, "expected valid YAML, found 'a: [1, 2'"),
        ("a: [1] 2", 2, "expected valid YAML, found 'a: [1] 2'"),
        ("a: 'x", 2, "(found unexpected end of stream)"),
        ('a: "\\q"', 2, "(found unknown escape character)"),
        (
            "just text",
            2,
            "expected a mapping with sections such as platform: or method:, found 'just text'",
        ),
        ("- 1\n- 2", 2, "expected a mapping with sections"),
        ("a: " + "[" * 99, 2, f"expected at most {DEEPEST} levels"),
        (
            "\n".join(" " * i + f"k{i}:" for i in range(99)),
            DEEPEST + 2,
            f"expected at most {DEEPEST} levels",
        ),
        ("a: \ufffd", 2, "expected text in UTF-8"),
        ("? [a]\n: b", 2, "expected a text as key, found a list or a section"),
        ("a: b\nc: \x01", 3, "a character that YAML does not allow"),
        ("a: !!str b", 2, "found a tag"),
    ],
)
def test_header_when_malformed_then_says_line_and_what_was_expected_and_found(yaml, line, message):
    with pytest.raises(ReadError) as refused:
        read_header("bm25", header(yaml))
    assert str(refused.value).startswith(f"bm25, line {line}: expected ")
    assert message in str(refused.value)
    assert "remove it" in refused.value.remedy


@pytest.mark.parametrize(
    ("text", "came"),
    [("a: b\n---\nc: d", "a second document"), ("%YAML 1.1\n---\na: b", "a directive")],
)
def test_header_when_it_is_more_than_one_document_then_is_refused(text, came):
    with pytest.raises(ReadError, match=f"^bm25, line [23]: .*found {came}"):
        read_header("bm25", header(text).replace("# ", "#"))


@pytest.mark.parametrize("fast", [True, False])
def test_header_when_read_by_either_loader_then_says_the_same_and_is_bounded(fast, monkeypatch):
    if not fast:
        monkeypatch.delattr(pyyaml, "CBaseLoader", raising=False)
    assert read_header("bm25", header(YAML)) == SAID
    for text in (
        "a: " + "[" * 60_000,
        "a: " + "{a: " * 15_000,
        "".join("- " * 20_000),
        "a: &b [*b, *b]",
        "a: !!python/name:os.system x",
    ):
        with pytest.raises(
            ReadError, match=f"^bm25, line 2: .*(at most {DEEPEST} levels|anchor|tag)"
        ):
            read_header("bm25", header(text))


@pytest.mark.parametrize(
    ("text", "came"),
    [("# x: y\n", "none before the documents begin"), ("# x: y\n" * 20_000, "64 KiB of comments")],
)
def test_header_when_it_does_not_end_then_is_bounded_and_refused(text, came):
    found = header_of(f"# ir_metadata.start\n{text}{RUN}".encode())
    assert len(found) <= LARGEST
    with pytest.raises(ReadError, match=f"ends with the line # ir_metadata.end, found {came}"):
        read_header("bm25", found)


@pytest.mark.parametrize("text", [RUN, "# a comment\n" + RUN, RUN + header("a: b"), "", "\n\n"])
def test_header_when_there_is_none_before_the_documents_then_is_empty(text):
    assert header_of(text.encode()) == ""
    assert read_header("bm25", "") == {}


@pytest.mark.parametrize("yaml", [YAML, "*malformed"])
def test_run_when_its_file_has_a_header_then_is_read_as_without(yaml, tmp_path, monkeypatch):
    text = header(yaml) + RUN
    plain, run = settled_run("r", RUN.encode()), settled_run("r", text.encode())
    for one, other in zip(
        plain._replace(sha256=""), run._replace(sha256="", header=""), strict=True
    ):
        np.testing.assert_array_equal(one, other)
    assert run.header == header(yaml)
    (tmp_path / "r").write_text(text)
    for block in (40, columns.BLOCK):
        monkeypatch.setattr(columns, "BLOCK", block)
        streamed = trec.stream_run(tmp_path / "r")
        assert streamed
        assert streamed.header == run.header
    with pytest.raises(
        ReadError,
        match=(
            f"line {yaml.count(chr(10)) + yaml.startswith('*') + 6}: expected a number as score,"
            " found 'x'"
        ),
    ):
        settled_run("r", (text + "2 Q0 d 2 x bm25\n").encode())
    examined = examine("r", (text + "2 Q0 d 2 x bm25\n").encode()).sound
    assert isinstance(examined, trec.Run)
    assert examined.header == run.header


def test_run_when_written_then_has_its_header_again():
    run = settled_run("r", (header(YAML) + RUN).encode())
    assert text_of(run) == (header(YAML) + RUN).encode()
    assert settled_run("r", text_of(run)).header == run.header


def test_collection_when_runs_have_headers_then_keeps_them_whatever_becomes_of_it(tmp_path):
    c = loaded(tmp_path, bm25=header(YAML) + RUN, other=RUN.replace("bm25", "other"))
    assert c.headers == (header(YAML), "")
    one = select(c, Selection(runs_only="bm25")).collection
    assert one.headers == (header(YAML),)
    assert select(c, Selection(runs_only="other")).collection.headers == ()
    assert c.with_judgments("else", {"1": {"b": 1}}).judged_by("else").headers == c.headers
    assert c.fingerprint != replace(c, headers=()).fingerprint
    Workspace().add("mine", tmp_path / "qrels.txt", tmp_path / "runs").save(tmp_path / "my.irmeval")
    assert Workspace.load(tmp_path / "my.irmeval").collection().headers == c.headers


def test_archive_when_a_run_has_no_header_then_is_as_it_was_before_there_were_any():
    run = settled_run("r", RUN.encode())
    assert b'"header' not in bytes(archive.write(run))
    assert archive.read("r", archive.write(run)).header == ""
    with_header = run._replace(header=header(YAML))
    assert archive.read("r", archive.write(with_header)).header == header(YAML)


def test_collection_when_asked_then_says_how_runs_were_made_and_which_header_cannot_be_read(
    tmp_path, run_command
):
    c = loaded(
        tmp_path,
        bm25=header(YAML) + RUN,
        odd=header("a: *b") + RUN.replace("bm25", "odd"),
        plain=RUN.replace("bm25", "plain"),
    )
    result = EXPERIMENTS["collection"](c)
    assert (
        "2 runs describe how they were made (in a header); 1 header cannot be read (odd)."
        in result.headline()
    )
    frame = table_named(result, "provenance").make()
    assert frame.iloc[1].tolist() == ["bm25", "tag", "", "bm25"]
    assert frame.iloc[-1, :3].tolist() == ["odd", "not readable", ""]
    said = (
        "odd, line 2: expected a plain or quoted text, a list or a section, found an alias: '*b'."
    )
    assert any(said in remark for remark in overview.remarks(c))
    assert (
        said in run_command("evaluate", tmp_path / "qrels.txt", tmp_path / "runs", "-m", "AP").err
    )
    without = EXPERIMENTS["collection"](replace(c, headers=()))
    assert "made" not in without.headline()
    assert [table.name for table in without.tables()] == ["judgments", "runs", "counts"]


def test_headers_when_many_cannot_be_read_then_the_first_few_are_told(tmp_path):
    c = loaded(tmp_path, **{f"r{i}": header("*") + RUN.replace("bm25", f"r{i}") for i in range(7)})
    assert describe_unreadable(c.runs, c.headers)[-1] == "2 more headers cannot be read."
    assert len(describe_unreadable(c.runs, c.headers)) == 6


@pytest.mark.parametrize(
    ("yaml", "what"),
    [
        (YAML, "Its header describes how it was made: platform, research goal, method."),
        ("tag: other", "The header belongs to the run 'other', the lines to bm25."),
        (
            "a: *b",
            (
                "Header, line 2: expected a plain or quoted text, a list or a section, found an"
                " alias: '*b'."
            ),
        ),
    ],
)
def test_check_when_a_run_has_a_header_then_a_note_says_what_is_in_it_or_wrong_with_it(yaml, what):
    finding = header_finding(settled_run("r", (header(yaml) + RUN).encode()))
    assert (finding.level, finding.subject, finding.what) == ("note", "format", what)


def test_report_when_runs_have_headers_then_its_manifest_has_what_they_say(tmp_path, run_command):
    c = loaded(tmp_path, bm25=header(YAML) + RUN, odd=header("a: *b") + RUN.replace("bm25", "odd"))
    made = report([EXPERIMENTS["leaderboard"](c, ["AP"])], title="Ours")
    (tmp_path / "report.zip").write_bytes(made.zipped())
    with zipfile.ZipFile(tmp_path / "report.zip") as zipped:
        [data] = json.loads(zipped.read("manifest.json"))["data"].values()
    assert data["provenance"]["bm25"] == SAID
    assert "line 2" in data["provenance"]["odd"]["not readable"]
    assert "identical" in "".join(
        run_command("rerun", tmp_path / "report.zip", tmp_path / "qrels.txt", tmp_path / "runs")
    )


def test_condensed_run_when_the_run_has_a_header_then_has_it_with_one_more_stage(tmp_path):
    c = loaded(
        tmp_path,
        bm25=header(YAML) + RUN,
        odd=header("a: *b") + RUN.replace("bm25", "odd"),
        plain=RUN.replace("bm25", "plain"),
    )
    found = read_header("bm25", header_of(exports.condensed_run(c, "bm25").encode()))
    assert found["method"]["retrieval"][:2] == SAID["method"]["retrieval"]
    assert found["method"]["retrieval"][2]["reranks"] == "bm25"
    assert found["platform"] == SAID["platform"]
    assert exports.condensed_run(c, "odd").startswith("1 Q0 a")
    assert exports.condensed_run(c, "plain").startswith("1 Q0 a")


@pytest.mark.parametrize(
    ("said", "tags"),
    [
        (
            {
                "actor": {"role": "reproducer"},
                "research goal": {"evaluation": {"baseline": ["a", {}]}},
            },
            ["a"],
        ),
        (
            {"actor": {"role": "reproducer"}, "research goal": {"evaluation": {"baseline": "a"}}},
            ["a"],
        ),
        (
            {
                "actor": {"role": "experimenter"},
                "research goal": {"evaluation": {"baseline": ["a"]}},
            },
            [],
        ),
        ({"actor": {"role": "reproducer"}, "research goal": "none"}, []),
        ({"actor": "reproducer"}, []),
    ],
)
def test_originals_when_a_header_names_them_then_are_those_of_a_reproducer_alone(said, tags):
    assert reproduced_tags(said) == tags


def test_fused_run_when_runs_have_headers_then_says_of_which_it_is_made_and_what_all_say_alike(
    tmp_path, run_command
):
    texts = {
        run: f"tag: {run}\nactor: {{team: ours}}\nplatform: {run}\nmethod: {{automatic: true}}"
        for run in ("a", "b")
    }
    for run, yaml in texts.items():
        (tmp_path / run).write_text(header(yaml) + RUN.replace("bm25", run))
    (tmp_path / "odd").write_text(header("*") + RUN.replace("bm25", "odd"))
    main(
        [
            "fuse",
            str(tmp_path / "a"),
            str(tmp_path / "b"),
            "--name",
            "both",
            "-o",
            str(tmp_path / "fused"),
        ]
    )
    said = read_header("fused", header_of((tmp_path / "fused").read_bytes()))
    [stage] = said["method"]["retrieval"]
    assert (said["tag"], said["actor"], stage["interpolates"], stage["k"]) == (
        "both",
        {"team": "ours"},
        ["a", "b"],
        "60",
    )
    assert "platform" not in said
    out, err = run_command("fuse", tmp_path / "a", tmp_path / "odd", "--method", "combsum")
    assert "#   - name: combsum" in out
    assert "actor" not in out
    assert "odd, line 2: expected valid YAML, found '*'" in err


def test_stage_when_a_method_is_of_another_form_then_is_put_in_its_place():
    assert with_stage({"method": "by hand"}, "new", "condensed", "irmeval")["method"] == {
        "retrieval": [{"name": "condensed", "method": "irmeval", "reranks": "new"}]
    }
    assert read_headers(["a", "b"], ()) == {}

"""A report: one page, a ZIP, and a manifest from which the same numbers are computed
again.
"""

import io
import json
import re
import zipfile
from dataclasses import asdict, replace
from functools import cache

import pytest

import irmeval
from irmeval import ParamError, ReadError
from irmeval.cli import main, rerun
from irmeval.experiments import EXPERIMENTS
from irmeval.reading.score_matrix import parse_matrix
from irmeval.report import Item, latex, manifest, report
from irmeval.report.items import ITEMS, NOTE, remake
from irmeval.scoring.selection import Selection, select
from tests import hostile
from tests.cases import SAMPLE, read_once
from tests.small_work import small

MEASURES = ["Q(beta=10)", "nDCG@10'"]
RULES = Selection(topics_only="901-912", random_runs=5)


@cache
def made(name, source=None):
    experiment = EXPERIMENTS[name]
    if source is None and experiment.judged:
        source = irmeval.read_judges(
            SAMPLE[0], {"noisy": "simulated:noisy,0.3,1", "file": SAMPLE[0]}, name="a person"
        )
    if source is None and experiment.data:
        source = select(
            with_judges() if experiment.others else read_once(*SAMPLE), RULES
        ).collection
    params = small(experiment)
    # which know few measures
    return experiment(
        source, ["AP"] if name in ("judgments-needed", "own-sample") else MEASURES, params
    )


@cache
def with_judges():
    """The sample with a judge of a file, and one who does not exist, drawn from what
    that file's grades become.
    """
    joined = read_once(*SAMPLE).with_judgments("file", SAMPLE[0], map={3: 2, 1: 0}, relevant=2)
    return joined.with_judgments("noisy", "simulated:of=file,noisy,0.3,1")


@pytest.fixture
def leaderboard(tiny, tmp_path):
    """A report of one result on files that may change."""
    path = tmp_path / "manifest.json"
    for name, text in report([made("leaderboard", irmeval.read_collection(*tiny))]).files().items():
        (tmp_path / name).write_text(text)
    return path


def test_rerun_when_there_are_qrels_alone_then_says_that_runs_are_needed_too(
    leaderboard, tiny, run_command
):
    said = run_command("rerun", leaderboard, tiny[0], status=2).err
    assert said == "irmeval: rerun: expected QRELS and RUN, found one of them.\n"
    rows, _ = rerun_on(manifest.read(leaderboard), lambda policy: irmeval.read_qrels(tiny[0]))
    assert "Not available: it needs qrels and runs." in rows[0].why


def rerun_on(recorded, read=None, matrix=None):
    rows, tables, _ = manifest.rerun(recorded, manifest.AtHand(read, matrix=matrix))
    return rows, tables


def test_rerun_when_a_file_is_another_then_it_is_named_with_what_differs(
    leaderboard, tiny, run_command
):
    qrels, runs = tiny
    (runs / "ideal").write_text((runs / "ideal").read_text().replace("S1", "u9", 1))
    out, told = run_command("rerun", leaderboard, qrels, runs, status=1)
    assert "3 of 3 tables differ" in told
    assert re.search(
        r"leaderboard-means.csv,False,.*cells? of \d+ differs?; the first in row \d.*1 run with a"
        r" different file: ideal \(",
        out,
    )


def test_rerun_when_a_run_a_topic_or_all_is_missing_then_that_is_why(leaderboard, tiny):
    qrels, runs = tiny
    (runs / "short.gz").unlink()
    qrels.write_text(
        "".join(line for line in qrels.read_text().splitlines(True) if not line.startswith("4 "))
    )
    rows, _ = rerun_on(
        manifest.read(leaderboard),
        lambda policy: irmeval.read_collection(qrels, runs, **asdict(policy)),
    )
    assert "Different qrels" in rows[0].why
    assert "1 run missing: short." in rows[0].why
    assert "1 topic missing: 4." in rows[0].why
    assert (
        "Not available: it needs qrels and runs." in rerun_on(manifest.read(leaderboard))[0][0].why
    )
    stranger = irmeval.Collection.from_dicts({"1": {"a": 1}}, {"x": {"1": {"a": 1.0}}})
    assert (
        "none of its runs is among these files"
        in rerun_on(manifest.read(leaderboard), lambda _: stranger)[0][0].why
    )


def test_rerun_when_policy_or_versions_are_others_then_they_are_why(leaderboard, tiny, capsys):
    given = json.loads(leaderboard.read_text())
    given["versions"]["numpy"] = "1.0"
    given["items"][0]["files"] = dict.fromkeys(given["items"][0]["files"], "0" * 64)
    leaderboard.write_text(json.dumps(given))
    with pytest.raises(SystemExit, match="1"):
        main(
            [
                "rerun",
                str(leaderboard),
                *map(str, tiny),
                "--average",
                "retrieved",
                "--format",
                "json",
            ]
        )
    why = json.loads(capsys.readouterr().out)[0]["why"]
    assert "Other policy: average retrieved in place of judged." in why
    assert "Other versions: numpy" in why
    assert "1.0" in why


def test_rerun_when_nothing_else_differs_then_it_says_so(leaderboard, tiny):
    given = json.loads(leaderboard.read_text())
    given["items"][0]["files"]["01-leaderboard-means.csv"] = "0" * 64
    leaderboard.write_text(json.dumps(given))
    first, *_, last = rerun_on(
        manifest.read(leaderboard), lambda policy: irmeval.read_collection(*tiny, **asdict(policy))
    )[0]
    assert manifest.UNKNOWN in first.why
    assert last == ("Leaderboard", "01-leaderboard-observations.csv", True, "")


def test_rerun_when_one_cell_of_a_table_differs_then_says_of_how_many_without_the_header_and_where(
    leaderboard, tiny
):
    path = leaderboard.with_name("01-leaderboard-means.csv")
    lines = path.read_text().splitlines()
    first, rest = lines[2].split(",", 1)
    path.write_text("".join(f"{line}\n" for line in [*lines[:2], f"was,{rest}", *lines[3:]]))
    given = json.loads(leaderboard.read_text())
    given["items"][0]["files"][path.name] = "0" * 64
    leaderboard.write_text(json.dumps(given))
    rows, _ = rerun_on(
        manifest.read(leaderboard), lambda policy: irmeval.read_collection(*tiny, **asdict(policy))
    )
    why = next(row.why for row in rows if row.table == path.name)
    # of 3 runs
    assert why.startswith(
        f"1 cell of {3 * len(lines[0].split(','))} differs; the first in row 2: {first} in place of"
        " was. "
    )


def test_rerun_when_all_is_the_same_then_exit_status_is_0_and_tables_are_written(
    leaderboard, tiny, tmp_path, run_command
):
    assert (
        "3 tables, identical"
        in run_command("rerun", leaderboard, *tiny, "--tables", tmp_path / "now").err
    )
    assert (tmp_path / "now/01-leaderboard-means.csv").read_text() == (
        tmp_path / "01-leaderboard-means.csv"
    ).read_text()


def test_rerun_when_made_on_a_matrix_then_it_needs_one(tmp_path):
    text = "topic,good,fair\n" + "".join(
        f"{t},{0.5 + t / 50},{0.4 + t * t % 7 / 9}\n" for t in range(1, 9)
    )
    matrix = parse_matrix("m.csv", text.encode())
    (tmp_path / "r.zip").write_bytes(report([made("matrix", matrix)]).zipped())
    recorded = manifest.read(tmp_path / "r.zip")
    assert all(row.same for row in rerun_on(recorded, matrix=matrix)[0])
    other = parse_matrix("m.csv", text.replace("0.52", "0.53").encode())
    assert "The score matrix is different." in rerun_on(recorded, matrix=other)[0][0].why
    assert "expected a score matrix, found nothing" in rerun_on(recorded)[0][0].why


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (text, "expected the manifest of a report, or its ZIP, found something else")
        for text in ("", "[]", "{}", '{"format": "x"}')
    ]
    + [
        ("PK\x03\x04", "damaged data"),
        ('{"format": 1, "items": [{}]}', "data: expected keys with values, found nothing"),
    ],
)
def test_manifest_when_it_is_none_then_that_is_said(text, says, tmp_path):
    (tmp_path / "m.json").write_text(text)
    with pytest.raises(ReadError, match=says):
        manifest.read(tmp_path / "m.json")


def test_manifest_when_of_a_later_version_then_that_is_said(leaderboard):
    given = json.loads(leaderboard.read_text())
    leaderboard.write_text(json.dumps({**given, "format": 99}))
    with pytest.raises(ReadError, match=r"format 99\. Use a newer version of irmeval"):
        manifest.read(leaderboard)
    given["items"][0]["recipe"]["params"]["colour"] = 3
    leaderboard.write_text(json.dumps(given))
    with pytest.raises(
        ReadError, match="params.colour: expected one of .*, found a key it does not have"
    ):
        manifest.read(leaderboard)


def test_html_when_words_are_hostile_then_they_are_words(tmp_path):
    collection = hostile.collection()
    words = "\n".join(hostile.WORDS)
    names = ("leaderboard", "matrix", "topics")
    entries = [
        Item(made(name, collection).recipe(), word, words)
        for name, word in zip(names, hostile.WORDS, strict=False)
    ]
    found = report(entries, collection, title=hostile.WORDS[0], note=words)
    body = found.html().partition("<body>")[2]
    outside = re.sub(r"<script[^>]*>.*?</script>", "", body, flags=re.DOTALL)
    for word in ("<img/src", "<b>bold", "<a/href", "<!--x", "<script>alert"):
        assert word not in outside
    assert "</script><script>alert" not in body
    tex = found.files()["report.tex"]
    assert "\\input{/etc" not in tex
    assert "\\end{tabular}" not in tex


def test_marks_when_a_run_has_a_letter_then_it_is_significantly_worse():
    result = made("matrix")
    frame = result.marked()
    letter_of = dict(zip(frame["run"], frame[""], strict=True))
    for row in result.frame().itertuples():
        better, worse = (row.run_a, row.run_b) if row.difference > 0 else (row.run_b, row.run_a)
        cell = frame.set_index("run").loc[better, row.measure]
        assert (letter_of[worse] in cell.partition("^")[2]) == (row.p_at_once < result.params.alpha)


def test_latex_when_signs_are_odd_then_the_document_declares_them():
    text = latex.document("τ ≤ 1", "中 and é", [("a_b", ["50%"], ["x.tex"])], "β")
    assert r"\DeclareUnicodeCharacter{03C4}{\ensuremath{\tau}}" in text
    assert r"\DeclareUnicodeCharacter{03B2}{\ensuremath{\beta}}" in text
    assert r"\DeclareUnicodeCharacter{4E2D}{[U+4E2D]}" in text
    assert "{00E9}" not in text
    assert "\\subsection*{a\\_b}\n50\\%\n\n\\input{x.tex}" in text


def test_latex_when_a_table_is_long_then_the_caption_says_where_all_of_it_is():
    frame = made("matrix").frame()
    import pandas as pd

    text = latex.table(pd.concat([frame] * 5), "Pairs.", "tab:x", "pairs.csv")
    assert "Pairs. The first 40 of 100 rows; all are in pairs.csv." in text
    assert text.count(r" \\") == 41


def test_zip_when_made_twice_then_it_has_the_same_bytes():
    names = ["leaderboard", "topics"]
    one, two = (report([made(name) for name in names]).zipped() for _ in range(2))
    assert one == two
    held = zipfile.ZipFile(io.BytesIO(one)).namelist()
    assert {"manifest.json", "report.tex", "01-leaderboard.py", "02-topics-by-run.svg"} <= {*held}


def test_report_when_given_recipes_then_they_are_made_of_the_source_and_what_cannot_be_is_said():
    recipe = replace(made("leaderboard").recipe(), data=None)
    other = replace(recipe, chosen=(recipe.chosen[0]._replace(rules=Selection(topics_only="1")),))
    found = report([recipe, Item(other, "Another")], read_once(*SAMPLE))
    assert found.entries[0].result.frame().equals(made("leaderboard").frame())
    assert "<strong>Could not be made:</strong> topics: expected judged topics" in found.html()
    assert "Could not be made" in found.files()["report.tex"]
    assert [
        item["error"] != "" for item in json.loads(found.files()["manifest.json"])["items"]
    ] == [False, True]


def test_again_when_the_source_does_not_fit_then_it_is_refused():
    recipe = made("leaderboard").recipe()
    with pytest.raises(ParamError, match="under the recipe's policy"):
        remake(recipe, read_once(*SAMPLE, depth=10))
    with pytest.raises(ParamError, match="expected a collection, found nothing"):
        remake(recipe, None)


def test_plan_when_it_holds_too_much_then_it_is_refused():
    recipe = made("top-heaviness").recipe()
    with pytest.raises(ParamError, match=f"at most {ITEMS} items"):
        report([recipe] * (ITEMS + 1))
    with pytest.raises(ParamError, match=f"note: expected at most {NOTE:,} characters"):
        report([Item(recipe, "", "x" * (NOTE + 1))])


def test_pictures_when_the_axes_were_switched_on_screen_then_begin_where_they_did_there():
    collection = read_once(*SAMPLE)
    result = EXPERIMENTS["curves"](collection, ["AP'"], small(EXPERIMENTS["curves"]))
    views = ["", "curves?axes=zero&measures=AP", "curves?axes=zoom", "curves?axes=odd"]
    document = report([Item(result.recipe(), result=result, view=view) for view in views])
    lows = [
        next(iter(charts.values()))[1]["layout"]["yaxis"]["range"][0]
        for charts in document.charts.values()
    ]
    assert lows[0] == lows[1] == lows[3] == 0 < lows[2]  # a mean begins at 0 unless asked otherwise


def test_rerun_when_asked_of_the_command_line_then_a_file_that_is_no_manifest_is_refused(
    tiny, run_command, monkeypatch
):
    monkeypatch.setattr(
        rerun, "read_runs", lambda *_, **__: pytest.fail("read before the manifest")
    )
    assert "expected the manifest of a report" in run_command("rerun", tiny[0], *tiny, status=2).err

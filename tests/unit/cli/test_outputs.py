"""What ``-o`` writes: no input is replaced, and a file is what its suffix says."""

import io

import pandas as pd
import pytest

from irmeval.core.tables import escape_latex

QRELS = "1 0 a 1\n1 0 b 0\n"
RUN = "1 Q0 b 1 2 r\n1 Q0 a 2 1 r\n"


@pytest.fixture
def held(tmp_path, monkeypatch):
    """Files in the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").mkdir()
    for name, text in (
        ("q.txt", QRELS),
        ("runs/r.run", RUN),
        ("runs/s.run", RUN.replace("r\n", "s\n")),
        ("other.txt", QRELS),
        ("teams.csv", "run,team\nr,t\ns,t\n"),
        ("scores.csv", "topic,x,y\n1,0.5,0.25\n2,1,0\n"),
        ("pairs.txt", "1 z\n"),
    ):
        (tmp_path / name).write_text(text)
    return tmp_path


READING = [
    "evaluate q.txt runs -m AP -o q.txt",
    "evaluate q.txt runs -m AP -o runs/r.run",
    "evaluate q.txt runs/r.run -m AP -o ./runs/../runs/r.run",
    "evaluate q.txt runs -m AP --exclude pairs.txt -o pairs.txt",
    "leaderboard q.txt runs -m AP --team-list teams.csv -o teams.csv",
    "leaderboard --matrix scores.csv -o scores.csv",
    "judges q.txt --other second=other.txt -o other.txt",
    "fuse runs -o runs/s.run",
    "condense q.txt runs/r.run -o runs/r.run",
    "check q.txt runs -o runs/r.run",
    "reduce q.txt --rate 50 -o q.txt",
]


@pytest.mark.parametrize("line", READING)
def test_output_when_it_is_read_then_is_not_replaced(line, held, run_command):
    before = {path: path.read_bytes() for path in held.rglob("*") if path.is_file()}
    said = run_command(*line.split(), status=2).err
    assert "it is read, and would be replaced" in said
    assert {path: path.read_bytes() for path in held.rglob("*") if path.is_file()} == before


def test_output_when_it_is_a_link_to_an_input_then_is_not_replaced(held, run_command):
    (held / "link.txt").symlink_to(held / "q.txt")
    run_command(*["evaluate", "q.txt", "runs", "-m", "AP", "-o", "link.txt"], status=2)
    assert (held / "q.txt").read_text() == QRELS


def test_reduce_when_asked_to_replace_its_judgments_then_does(held, run_command):
    (held / "q.txt").write_text("".join(f"1 0 d{n} {n % 2}\n" for n in range(100)))
    run_command(*["reduce", "q.txt", "--rate", "50", "--seed", "1", "-o", "q.txt", "--replace"])
    assert (held / "q.txt").read_text().count(" -1\n") == 50


@pytest.mark.parametrize("command", ["evaluate", "leaderboard", "curves"])
def test_output_when_it_ends_in_parquet_then_is_parquet_with_the_rows_of_csv(
    command, held, run_command
):
    line = f"{command} q.txt runs -m AP".split()
    run_command(*line, "-o", "out.parquet")
    expected = pd.read_csv(io.StringIO(run_command(*line, "--format", "csv").out))
    found = pd.read_parquet("out.parquet")
    pd.testing.assert_frame_equal(
        found.replace({None: pd.NA}).astype(str), expected.replace({None: pd.NA}).astype(str)
    )


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("evaluate q.txt runs -m AP -o x.xlsx", "Write x.csv, or give --format"),
        ("evaluate q.txt runs -m AP -o x.xlsx --format csv", "found '.xlsx'. Write x.csv"),
        ("evaluate q.txt runs -m AP -o x.csv.gz", "found '.gz'"),
        ("evaluate q.txt runs -m AP -o x.tsv", "expected a file ending in .csv, .json, "),
        ("evaluate q.txt runs -m AP -o x.parquet --format csv", "found '.parquet'"),
        ("evaluate q.txt runs -m AP -o x.parquet --wide", "Leave out --wide"),
        ("fuse runs -o x.parquet", "expected a file of plain text, found '.parquet'"),
        ("reduce q.txt -o q.txt.gz", "found '.gz'"),
    ],
)
def test_output_when_its_suffix_promises_another_format_then_is_refused(
    line, said, held, run_command
):
    assert said in run_command(*line.split(), status=2).err
    assert not any(path.name.startswith("x.") for path in held.iterdir())


@pytest.mark.parametrize("name", ["x", "x.txt", "x.csv", "x.dat --format csv"])
def test_output_when_its_name_promises_nothing_else_then_is_csv(name, held, run_command):
    run_command(*f"evaluate q.txt runs -m AP -o {name}".split())
    assert (held / name.split()[0]).read_text().startswith("run,measure,topic,score\n")


def test_latex_when_names_differ_in_a_character_that_is_not_seen_then_they_look_different():
    names = ["bm25", "bm\x1b25", "bm\x1b[31m25", "bm25\u200b", "bm\x9b25", "b\tm25"]
    written = [escape_latex(name) for name in names]
    assert len({*written}) == len(names)
    assert all(text.isprintable() for text in written)
    assert written[1] == r"bm\textbackslash{}x1b25"

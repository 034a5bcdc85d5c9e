"""A file with bad lines: all are told, and the other files are used."""

import pytest

import irmeval
from irmeval.experiments import EXPERIMENTS
from irmeval.reading.faults import examine
from irmeval.report import report
from tests.cases import refusal

SOUND = [f"1 Q0 d{rank} {rank} {50 - rank} t" for rank in range(1, 41)]
JUDGED = [f"1 0 d{n} {n % 2}" for n in range(1, 41)]


def spoil(lines, numbers, bad="1 0"):
    """The lines, with some of them replaced by a bad one; numbers count from 1."""
    return "\n".join(bad if n in numbers else line for n, line in enumerate(lines, 1)) + "\n"


@pytest.fixture
def files(tmp_path):
    """Qrels, two sound runs, and one with two kinds of bad lines; by their names."""
    (tmp_path / "qrels").write_text(spoil(JUDGED, ()))
    (tmp_path / "a").write_text(spoil(SOUND, ()).replace(" t\n", " a\n"))
    (tmp_path / "b").write_text(spoil(SOUND, ()).replace(" t\n", " b\n"))
    text = spoil(SOUND, {3, 5, 9})
    (tmp_path / "bad").write_text(text + "1 Q0 x 41 high t\n1 Q0 y 42 low t\n")
    return {path.name: path for path in tmp_path.iterdir()}


@pytest.mark.parametrize(
    ("numbers", "likewise"),
    [
        ({3}, ""),
        ({3, 9}, "Likewise line 9."),
        ({3, 5, 9}, "Likewise lines 5 and 9."),
        (range(3, 14), "Likewise lines 4, 5, 6, 7, 8, 9, 10, 11, 12 and 13."),
        (range(2, 16), "Likewise lines 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 3 more."),
    ],
)
@pytest.mark.parametrize("kind", ["run", "qrels"])
def test_file_when_lines_are_bad_then_each_is_told_up_to_ten_and_the_number_of_others(
    kind, numbers, likewise
):
    lines = SOUND if kind == "run" else JUDGED
    (fault,) = examine("f", spoil(lines, numbers).encode(), kind).faults.values()
    assert (fault.lines, fault.first.line, fault.likewise) == (len(numbers), min(numbers), likewise)
    assert str(fault.error) == f"{fault.first} {likewise}".rstrip()


def test_lines_when_they_repeat_others_then_each_is_told():
    text = "\n".join([*SOUND, SOUND[2], SOUND[0]])
    (fault,) = examine("f", text.encode()).faults.values()
    assert (fault.first.line, fault.likewise) == (41, "Likewise line 42.")


@pytest.mark.parametrize("name", ["qrels", "bad"])
def test_python_when_lines_are_of_several_kinds_then_all_are_in_the_error(name, files):
    bad = spoil(JUDGED, {2, 7}) + "1 0 e x\n" if name == "qrels" else files["bad"].read_text()
    files[name].write_text(bad)
    told = refusal(irmeval.ReadError, irmeval.read_collection, files["qrels"], files["bad"])
    if name == "qrels":
        assert f"{files['qrels']}, line 2: " in told
        assert "Likewise line 7. " in told
        assert "line 41: expected a whole number as grade, found 'x'." in told
        return
    assert told.startswith(f"{files['bad']} cannot be used. ")
    assert "line 3: " in told
    assert "Likewise lines 5 and 9." in told
    assert "line 41: expected a number as score, found 'high'" in told
    assert told.endswith("Likewise line 42.")


@pytest.mark.parametrize("command", ["evaluate", "fuse", "curves", "leaderboard"])
def test_command_when_a_run_has_bad_lines_then_all_are_told_and_the_others_are_used(
    command, files, run_command
):
    runs = [files[name] for name in ("a", "bad", "b")]
    judged = [] if command == "fuse" else [files["qrels"]]
    out, told = run_command(command, *judged, *runs, status=1)
    assert out
    assert "1 of 3 files cannot be used" in told
    assert told.count("Likewise lines 5 and 9.") == told.count("Likewise line 42.") == 1
    sound = run_command(command, *judged, files["a"], files["b"])
    assert sound.out == out


def test_fuse_when_one_run_is_left_then_it_ends(files, run_command):
    told = run_command("fuse", files["a"], files["bad"], status=2).err
    assert "fusion: expected at least two runs, found 1." in told


def test_rerun_when_a_run_has_bad_lines_then_the_others_are_computed_again(
    files, run_command, tmp_path
):
    given = files["qrels"], files["a"], files["b"]
    made = EXPERIMENTS["leaderboard"](irmeval.read_collection(given[0], given[1:]), ["AP"])
    recorded = tmp_path / "manifest.json"
    recorded.write_text(report([made]).files()["manifest.json"])
    same = run_command("rerun", recorded, *given)
    assert "identical" in same.err
    out, told = run_command("rerun", recorded, *given, files["bad"], status=1)
    assert out == same.out
    assert "1 of 3 files cannot be used" in told
    assert told.count("Likewise lines 5 and 9.") == 1

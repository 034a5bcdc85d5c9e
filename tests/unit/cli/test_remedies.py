"""Remedies that messages give, executed as typed, with the files of the message."""

import re
import shlex
import subprocess

import pytest

RUN = "1 Q0 b 1 3 r\n1 Q0 c 2 2 r\n1 Q0 a 3 1 r\n"
QRELS = "1 0 a 1\n1 0 b 0\n1 0 c 2\n"
GRADES = "1 0 a 1 2 1\n1 0 b 2 0 0\n1 0 c 0 -1 -1\n1 0 d 1 2 2\n"
FILES = {
    "q.txt": QRELS,
    "run.txt": RUN,
    "legal.txt": "1 0 a 1 1\n1 0 b 0 1\n1 0 c 0 1\n",
    "grades.txt": GRADES,
    "raters.csv": "query,docid,Ann,B. Lee\n1,a,1,0\n1,b,,2\n1,c,0,1\n",
    "falling.tsv": "1\tb\t3\n1\tc\t2\n1\ta\t1\n",
    "per.csv": "name,qid,measure,value\nx,1,map,.5\ny,1,map,.25\nx,1,P,1\ny,1,P,0\n"
    "x,2,map,.5\ny,2,map,.25\nx,2,P,1\ny,2,P,0\n",
    "model.csv": "model,t1,t2\nx,0.5,0.25\ny,1,0\n",
    "twice.txt": RUN + "1 Q0 a 4 0.5 r\n",
}
FLAG = re.compile(r"--replace|--(?:qrels-format|run-format|repeated) (?:'[^']*'|[\w:-]+)")
"""A flag with its value in a message."""
FLAGS = [
    ("evaluate legal.txt run.txt -m AP", ["--qrels-format strata", "--qrels-format legal"]),
    (
        "evaluate grades.txt run.txt -m AP",
        [f"--qrels-format columns:{g}" for g in ("usefulness", "supportiveness", "credibility")],
    ),
    (
        "evaluate raters.csv run.txt -m AP",
        ["--qrels-format columns:Ann", "--qrels-format 'columns:B. Lee'"],
    ),
    ("evaluate q.txt falling.tsv -m AP", ["--run-format ranks", "--run-format scores"]),
    ("evaluate q.txt twice.txt -m AP", ["--repeated first", "--repeated best"]),
    ("reduce q.txt --rate 50 -o q.txt", ["--replace"]),
]
"""Command, and the flags that its message gives."""


@pytest.fixture
def held(tmp_path, monkeypatch):
    """The files in the current folder."""
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(("line", "flags"), FLAGS, ids=[line for line, _ in FLAGS])
def test_flags_when_a_message_gives_them_then_each_works_as_typed(line, flags, held, run_command):
    said = run_command(*shlex.split(line), status=2).err
    assert FLAG.findall(said) == flags
    for flag in flags:
        run_command(*shlex.split(f"{line} {flag}"), status=0)


def test_command_when_a_message_gives_it_then_works_as_typed(held, run_command):
    said = run_command("evaluate", "run.txt", "q.txt", "-m", "AP", status=2).err
    command = said.splitlines()[1].strip()
    assert command == "irmeval evaluate q.txt run.txt -m AP"
    run_command(*shlex.split(command)[1:], status=0)


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("leaderboard --matrix per.csv", "leaderboard --matrix per.csv:map"),
        ("evaluate q.txt run.txt -m AP -o x.xlsx", "evaluate q.txt run.txt -m AP -o x.csv"),
        ("evaluate q.txt run.txt -m gm_map", "evaluate q.txt run.txt -m AP --aggregate geometric"),
        ("leaderboard q.txt run.txt -l 2", "leaderboard q.txt run.txt -m 'AP(rel=2)'"),
        ("evaluate q.txt run.txt -k 10", "evaluate q.txt run.txt -m nDCG@10"),
    ],
)
def test_word_when_a_message_gives_it_then_works_as_typed(line, meant, held, run_command):
    said = run_command(*shlex.split(line), status=2).err
    words = [word for word in meant.split() if word not in line.split() and word != "-m"]
    assert all(word in said for word in words)
    run_command(*shlex.split(meant), status=0)


@pytest.mark.parametrize("heading", ["topic", "run"])
def test_heading_when_a_message_gives_it_then_the_file_is_read(heading, held, run_command):
    said = run_command("leaderboard", "--matrix", "model.csv", status=2).err
    assert f"Head it topic if each line is a topic, or {heading} if" in said or heading == "topic"
    (held / "model.csv").write_text(FILES["model.csv"].replace("model", heading))
    run_command("leaderboard", "--matrix", "model.csv", status=0)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("q.json", '{"1": {"a": 1, "b": 0, "c": 2}}'),
        (
            "list.json",
            '[{"qid": "1", "docno": "a", "rel": 1}, {"qid": 1, "docno": "b", "rel": 0}]',
        ),
        ("objects.json", '[{"qid": "1", "ratings": [{"docid": "a", "rating": 1}]}]'),
    ],
)
def test_program_when_a_message_gives_it_then_makes_a_file_that_is_read(
    name, text, held, run_command, monkeypatch
):
    (held / name).write_text(text)
    monkeypatch.setattr("irmeval.reading.named_columns.LARGEST", 10)
    said = run_command("evaluate", name, "run.txt", "-m", "AP", status=2).err
    command = said.partition("Make it JSON lines: ")[2].strip().removesuffix(".")
    if "jq" not in command:
        pytest.fail(said)
    try:
        subprocess.run(
            command.replace("FILE", name).replace("NEW", "new"), shell=True, check=True, cwd=held
        )
    except subprocess.CalledProcessError:
        pytest.skip("jq is not installed")
    monkeypatch.setattr("irmeval.reading.named_columns.LARGEST", 1 << 20)
    run_command("evaluate", "new.jsonl", "run.txt", "-m", "AP", status=0)

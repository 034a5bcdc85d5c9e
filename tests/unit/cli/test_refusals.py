"""What commands refuse before they compute: a line that says what was expected and what
came.
"""

import shlex

import pytest

FILES = {
    "q": "1 0 a 1\n1 0 b 0\n2 0 a 1\n",
    "r": "1 Q0 a 1 2 r\n2 Q0 a 1 2 r\n",
    "s": "1 Q0 b 1 2 s\n2 Q0 b 1 2 s\n",
    "returned": "1 0 c 1\n",
}
LISTS = "needs the ranked lists on this machine. Read the collection without a scheduler for that."
REFUSED = [
    ("lesson --qrels q", "lesson: expected both --qrels FILE and --runs RUN, found one of them."),
    ("lesson --questions", "lesson: --questions expected -o FILE.html, found none."),
    ("lesson --questions -o x.md", "lesson: --questions expected -o FILE.html, found none."),
    ("reduce q --rate 50 --seed x", "seed: expected a whole number, found 'x'."),
    (
        "evaluate q r -m AP --other a=q --relevant a=1 --relevant a=2",
        "relevant: expected one for each judge, found one twice.",
    ),
    (
        "evaluate q r -m AP --other a=q --relevant a=x",
        "relevant: expected a whole number, found 'x'.",
    ),
    ("check q r --scheduler local:1", f"check: {LISTS}"),
    (
        "check q --run aurora1",
        "check: --run names one of the runs, and none are given. Add RUN files.",
    ),
    ("condense q r --scheduler local:1", f"condense: {LISTS}"),
    ("across q r s -m AP", "expected RUNS after QRELS 's', found none."),
    (
        "across q r q s -m AP",
        "expected different qrels, or names in a workspace, for each collection, found 'q' twice."
        " Leave one out.",
    ),
    ("across q new.irmeval -m AP", "expected RUNS after QRELS 'q', found 'new.irmeval'."),
    ("serve q", "serve: expected both QRELS and RUN, found QRELS alone."),
    ("serve --watch", "watch: expected QRELS and RUN, found neither."),
    (
        "serve q r --watch --scheduler local:1",
        "watch: runs on the workers of a scheduler cannot be watched. Leave out --scheduler or"
        " --watch.",
    ),
    (
        "serve q r --port 70000",
        "127.0.0.1, port 70000: cannot listen on this address: a port is a number from 0 to 65535.",
    ),
    (
        "paper all q r s --exhibit 'Table 1' -o d",
        "exhibit: expected the name of one paper, found all.",
    ),
    (
        "judge-next q r s -m AP --returned returned --format trec",
        "returned: prints one table at a time, in a format of csv, json, markdown, latex.",
    ),
    (
        "judge-next nowhere r s -m AP --format trec --table x",
        "format: trec writes the whole list, found the table 'x'.",
    ),
]


# before files are read, of which there is none
REFUSED += [
    (
        f"{command} --other a=q --other a=r",
        "other: expected a different name for each judge, found one twice.",
    )
    for command in ("rerun nowhere", "judges nowhere", "evaluate nowhere r", "topics nowhere r s")
]
REFUSED += [
    ("evaluate nowhere r --other a", "other: expected NAME=..., found 'a'."),
    ("evaluate nowhere r --other =q", "other: expected NAME=..., found '=q'."),
    ("evaluate nowhere r --other ' =q'", "other: expected NAME=..., found ' =q'."),
    ("audit --scores a=q --scores =q", "scores: expected NAME=..., found '=q'."),
    (
        "evaluate nowhere r --map a=1:x",
        "map: expected pairs of grades as in 1:1,2:1, or ranges as in 0-49:0,50-100:1, found"
        " '1:x'.",
    ),
    ("evaluate nowhere r --relevant a=x", "relevant: expected a whole number, found 'x'."),
    (
        "audit --scores a=nowhere --scores a=nowhere",
        "scores: expected a different name for each judge, found one twice.",
    ),
    (
        "leaderboard nowhere r --table mean",
        "unknown table 'mean'; nearest: means.",
    ),
    ("parameters nowhere r --table run", "unknown table 'run'; nearest: runs-*."),
    # as a shell passes on a pattern that no file has
    (
        "lab --table 'steps-*'",
        "this result has no table 'steps-*'; nearest: steps-RR, steps-AP, steps-P@10.",
    ),
    ("lesson nope --qrels nowhere --runs r", "unknown lesson 'nope'; nearest: broken_top."),
    (
        "leaderboard --matrix q",
        "q: expected scores of runs, found what looks like TREC qrels. Give scores by topic here;"
        " judgments are given as QRELS, or dropped on Collection.",
    ),
]


@pytest.mark.parametrize(("line", "said"), REFUSED)
def test_command_when_what_it_is_given_does_not_fit_then_refuses_in_a_line(
    line, said, tmp_path, monkeypatch, run_command
):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    printed = run_command(*shlex.split(line), status=2)
    assert (printed.out, printed.err.splitlines()[-1]) == ("", f"irmeval: {said}")

"""What the program does with what is around it: what it prints on terminals and into
pipes, and how it ends when it is interrupted.
"""

import io
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from irmeval.cli import main
from irmeval.core import interrupts, terminal
from tests.conftest import ROOT
from tests.serving import SECONDS

NAME = "a\u202eb\x1b[31mc\u200bd\x9be"
"""Of a run, as no terminal should be told it."""
SHOWN = r"a\u202eb\u001b[31mc\u200bd\u009be"


class Terminal(io.TextIOWrapper):
    """A stream that says that it is one."""

    def __init__(self, encoding: str = "utf-8"):
        super().__init__(io.BytesIO(), encoding)

    def isatty(self) -> bool:
        return True

    def text(self) -> str:
        self.flush()
        return self.buffer.getvalue().decode(self.encoding)


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Qrels and a run with that name."""
    (tmp_path / "qrels").write_text("1 0 d1 1\n1 0 d2 0\n")
    (tmp_path / "run").write_text(f"1 Q0 d1 1 2 {NAME}\n1 Q0 d2 2 1 {NAME}\n", encoding="utf-8")
    return [str(tmp_path / "qrels"), str(tmp_path / "run")]


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "irmeval", *arguments],
        cwd=ROOT,
        capture_output=True,
        env=os.environ | environment,
    )


@pytest.mark.parametrize("form", ["csv", "trec", "json", "markdown", "latex"])
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_figures_when_printed_on_a_terminal_then_what_would_control_it_is_escaped(
    files, monkeypatch, form, encoding
):
    shown, told = Terminal(encoding), Terminal(encoding)
    monkeypatch.setattr("sys.stdout", shown)
    monkeypatch.setattr("sys.stderr", told)
    main(["evaluate", *files, "-m", "AP", "--format", form])
    printed = shown.text() + told.text()
    assert not set(NAME) & set(printed) - set("abcde[31m")
    backslash = r"\textbackslash{}" if form == "latex" else "\\"
    assert f"{backslash}u200bd" in printed


def test_figures_when_printed_on_a_real_terminal_then_are_escaped_and_progress_is_written_over(
    files,
):
    parent, child = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "irmeval", "evaluate", *files, "-m", "AP"],
        cwd=ROOT,
        stdout=child,
        stderr=child,
    ) as done:
        os.close(child)
        printed = b""
        while piece := _piece(parent):
            printed += piece
    os.close(parent)
    assert (done.returncode, printed.count(SHOWN.encode())) == (0, 1)
    assert b"\r1 of 1\r\n" in printed


def _piece(parent: int) -> bytes:
    try:
        return os.read(parent, 1 << 16)
    except OSError:  # the other end is closed
        return b""


def test_messages_when_they_quote_what_was_given_then_are_escaped_on_a_terminal(monkeypatch):
    told = Terminal()
    monkeypatch.setattr("sys.stderr", told)
    with pytest.raises(SystemExit):
        main(["metrics", f"--{NAME}"])
    assert r"unknown flag '--a\u202eb" in told.text()
    assert not set(NAME) - set("abcde[31m") & set(told.text())


@pytest.mark.parametrize(
    "environment",
    [{"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}],
)
def test_figures_when_piped_under_any_locale_then_are_the_bytes_of_the_data(
    files, tmp_path, environment
):
    done = run("evaluate", *files, "-m", "AP", **environment)
    assert (done.returncode, done.stdout) == (
        0,
        f"run,measure,topic,score\n{NAME},AP,all,1.0\n".encode(),
    ), done.stderr
    main(["evaluate", *files, "-m", "AP", "-o", str(tmp_path / "out")])
    assert (tmp_path / "out").read_bytes() == done.stdout


def test_name_when_its_bytes_are_no_text_then_is_written_with_escapes(
    files, tmp_path, capsys, run_command
):
    for number, name in enumerate([b"\xff", b"\xfe"]):
        (tmp_path / os.fsdecode(name)).write_text(
            f"1 Q0 d1 1 2 same\n1 Q0 d2 2 {number} same\n{'?' * number}"
        )
    named = [str(tmp_path / os.fsdecode(name)) for name in (b"\xff", b"\xfe")]
    (tmp_path / "other").write_text("1 Q0 d1 1 2 same\n")
    main(["evaluate", files[0], named[0], str(tmp_path / "other"), "-m", "AP"])
    assert (
        capsys.readouterr().out == "run,measure,topic,score\n\\udcff,AP,all,1.0\nother,AP,all,1.0\n"
    )
    assert "%FE" in run_command("check", files[0], named[1], "--format", "sarif", status=1).out


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("Ärger, 検索, été", "Ärger, 検索, été"),
        ("می\u200cخواهم", "می\u200cخواهم"),  # which Persian is not written without
        ("a\u200cb\u200d", r"a\u200cb\u200d"),
        ("\r\x9b2J", r"\u000d\u009b2J"),
        ("\ud800\U000e0041", r"\ud800\U000e0041"),
        ("\u2066\ufeff\u2028", r"\u2066\ufeff\u2028"),
    ],
)
def test_text_when_shown_then_keeps_what_can_be_read_and_escapes_the_rest(text, shown):
    assert terminal.escape(text) == shown


def test_output_when_nobody_reads_the_messages_then_has_the_figures(files):
    read, write = os.pipe()
    os.close(read)
    arguments = [sys.executable, "-m", "irmeval", "evaluate", *files, "-m", "AP"]
    done = subprocess.run(arguments, cwd=ROOT, stdout=subprocess.PIPE, stderr=write)
    os.close(write)
    assert (done.returncode, done.stdout.count(b"\n")) == (0, 2)


def test_output_when_nobody_reads_it_then_the_program_ends_in_silence():
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "irmeval", "metrics"], cwd=ROOT, stdout=write, stderr=subprocess.PIPE
    )
    os.close(write)
    assert done.stderr == b""


WAYS = {
    "module": ("-m", "irmeval", "metrics"),
    "script": (
        "-c",
        (
            "import sys; sys.argv[0] = '/x/bin/irmeval'; from irmeval.cli.commands import main;"
            " sys.exit(main())"
        ),
        "metrics",
    ),
    "serve": ("-m", "irmeval", "serve"),
}
MOMENTS = ("numpy", "irmeval.cli.commands", "pandas")
INTERRUPTING = """
import os, signal, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {moment!r}:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Finder())
"""
"""Of `sitecustomize`: an interrupt when a module begins to be imported."""


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("moment", MOMENTS)
def test_program_when_interrupted_while_it_imports_then_ends_in_silence_with_130(
    tmp_path, way, moment
):
    moment = "streamlit.web.cli" if (way, moment) == ("serve", "pandas") else moment
    (tmp_path / "sitecustomize.py").write_text(INTERRUPTING.format(moment=moment))
    path = os.pathsep.join([str(tmp_path), str(ROOT)])
    done = subprocess.run(
        [sys.executable, *WAYS[way]],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        env=os.environ | {"PYTHONPATH": path},
    )
    assert (done.returncode, done.stdout, done.stderr) == (interrupts.STATUS, "", "")


def test_package_when_imported_by_another_program_then_leaves_its_interrupts_alone():
    script = (
        "import signal, irmeval; print(signal.getsignal(signal.SIGINT) is"
        " signal.default_int_handler)"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True
        ).stdout
        == "True\n"
    )
    assert not interrupts.is_own(["-m"], ["python", "-m", "mine"])
    assert not interrupts.is_own(["/bin/pytest"], ["python", "/bin/pytest", "irmeval"])


def test_program_when_interrupts_are_ignored_then_they_stay_so():
    script = (
        "import sys; sys.argv[0] = 'irmeval'; import signal, irmeval;"
        " print(signal.getsignal(signal.SIGINT) is signal.SIG_IGN)"
    )
    # as a shell does for what is in the background
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert (
            subprocess.run(
                [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True
            ).stdout
            == "True\n"
        )
    finally:
        signal.signal(signal.SIGINT, before)


def test_command_when_interrupted_at_work_then_ends_with_130(monkeypatch, capsys):
    def interrupted(*given: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("irmeval.report.exports.frame", interrupted)
    with pytest.raises(SystemExit) as left:
        main(["metrics"])
    assert (left.value.code, capsys.readouterr().err) == (interrupts.STATUS, "")

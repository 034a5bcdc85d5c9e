"""The wheel, built from this tree: what is in it, and that it works from any folder,
with and without its extras.
"""

import os
import re
import shutil
import socket
import subprocess
import sys
import tarfile
import tomllib
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.NewSession_pb2 import Config
from websockets.sync.client import connect

import irmeval
from irmeval.cli import main
from irmeval.core.tables import escape_markdown
from irmeval.ui.state import hosts
from irmeval.ui.state.naming import distinctive
from tests.conftest import ROOT
from tests.serving import SECONDS, answering, free_port

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def build(target: str, tree: Path, folder: Path) -> Path:
    """The wheel or the source of a tree, built without a network."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", folder],
        cwd=tree,
        capture_output=True,
        check=True,
    )
    return next(folder.glob("*.whl" if target == "wheel" else "*.tar.gz"))


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source as it is released, unpacked."""
    folder = tmp_path_factory.mktemp("source")
    with tarfile.open(build("sdist", ROOT, folder)) as archive:
        archive.extractall(folder, filter="data")
    return next(path for path in folder.iterdir() if path.is_dir())


@pytest.fixture(scope="module")
def wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of the released source alone."""
    return build("wheel", source, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds the package and its command, and nothing else."""
    folder = tmp_path_factory.mktemp("installed")
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-index",
        "--no-deps",
        "--no-compile",
        "--target",
        folder,
        wheel,
    ]
    subprocess.run(pip, capture_output=True, check=True)
    return folder


@pytest.fixture
def bare(installed: Path, tmp_path: Path) -> dict[str, str]:
    """An environment in which the package is installed, and nothing that its extras
    bring.
    """
    absent = ["streamlit", "plotly", "ir_datasets", "distributed"]
    (tmp_path / "sitecustomize.py").write_text(
        f"import sys\nsys.modules |= dict.fromkeys({absent})\n"
    )
    return os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{installed}"}


@contextmanager
def serving(installed: Path, folder: Path, *arguments: str) -> Iterator[str]:
    """The address of a dashboard that ``irmeval serve`` shows from this folder."""
    port = free_port()
    environment = os.environ | {"PYTHONPATH": str(installed), "STREAMLIT_SERVER_HEADLESS": "true"}
    with answering(
        port,
        ["-P", "-m", "irmeval", "serve", "--port", str(port), *arguments],
        folder / "log",
        folder,
        environment,
    ) as url:
        yield url


def test_wheel_when_built_then_holds_pages_sample_icon_settings_and_types(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        settings = archive.read("irmeval/dashboard/.streamlit/config.toml")
    tracked = [
        *(ROOT / "pages").rglob("*.py"),
        *(ROOT / "sample_data" / "runs").iterdir(),
        ROOT / "sample_data" / "qrels.txt.gz",
    ]
    assert {
        f"irmeval/dashboard/{p.relative_to(ROOT).as_posix()}" for p in [*tracked, ROOT / "app.py"]
    } <= names
    assert {
        p.relative_to(ROOT).as_posix()
        for p in (ROOT / "irmeval").rglob("*")
        if p.suffix in {".py", ".pyi", ".toml", ".css", ".js"}
    } <= names
    assert {"irmeval/ui/pages/icon.svg", "irmeval/py.typed"} <= names
    assert settings == (ROOT / ".streamlit" / "config.toml").read_bytes()
    assert wheel.name.split("-")[1] == irmeval.__version__


def test_source_when_released_then_makes_the_wheel_of_the_clone_with_nothing_for_developers_alone(
    source, wheel, tmp_path
):
    with (
        zipfile.ZipFile(wheel) as released,
        zipfile.ZipFile(build("wheel", ROOT, tmp_path)) as cloned,
    ):
        assert [*map(str, released.infolist())] == [*map(str, cloned.infolist())]
    top = {
        "app.py",
        "CHANGELOG.md",
        "CITATION.cff",
        "irmeval",
        "LICENSE",
        "pages",
        "PKG-INFO",
        "pyproject.toml",
        "README.md",
    }
    assert {path.name for path in source.iterdir()} == top | {
        ".gitignore",
        ".streamlit",
        "requirements.txt",
        "sample_data",
    }


def test_readme_when_an_index_shows_it_then_has_no_picture_and_no_link_into_a_clone(wheel):
    with zipfile.ZipFile(wheel) as archive:
        told = archive.read(
            next(name for name in archive.namelist() if name.endswith("/METADATA"))
        ).decode()
    assert "\n# irmeval\n" in told
    assert re.findall(r"<img|!\[|\]\((?!https:)", told) == []


def test_locked_versions_when_read_then_are_of_all_that_is_required_and_alike_in_the_image():
    def locked(path: str) -> dict[str, str]:
        return dict(re.findall(r"^([\w.-]+)==([^ ;]+)", (ROOT / path).read_text(), re.MULTILINE))

    tested = locked("constraints.txt")
    lists = (ROOT / "requirements-test.txt", ROOT / "requirements.txt")
    needed = [
        Requirement(line.partition("#")[0])
        for path in lists
        for line in path.read_text().splitlines()
        if line[0] not in "-#"
    ]
    assert [
        str(one)
        for one in needed
        if tested.get(canonicalize_name(one.name), "") not in one.specifier
    ] == []
    image = locked(".ci/image.txt")
    assert image.items() <= tested.items()
    assert {
        canonicalize_name(Requirement(line).name)
        for line in PROJECT["optional-dependencies"]["app"]
    } <= image.keys()


def test_requirements_when_read_then_are_the_package_and_its_dashboard():
    lines = {
        line
        for line in (ROOT / "requirements.txt").read_text().splitlines()
        if not line.startswith("#")
    }
    assert lines == {*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["app"]}


def test_extra_for_tests_when_read_then_is_the_list_that_make_installs():
    lines = {
        line.partition("#")[0].strip()
        for line in (ROOT / "requirements-test.txt").read_text().splitlines()
        if line[0] not in "-#"
    }
    assert lines | {"irmeval[app]"} == {*PROJECT["optional-dependencies"]["test"]}


def test_address_when_a_maintainer_writes_it_then_all_files_have_it(tmp_path):
    names = ("pyproject.toml", "CITATION.cff", "CODE_OF_CONDUCT.md")
    before = PROJECT["urls"]["Repository"]
    for name in names:
        assert before in (ROOT / name).read_text()
        shutil.copy(ROOT / name, tmp_path / name)
    command = [sys.executable, ROOT / ".ci" / "address", "https://git.test/a/irmeval/", tmp_path]
    subprocess.run(command, check=True)
    texts = {name: (tmp_path / name).read_text() for name in names}
    assert not [name for name, text in texts.items() if before in text]
    urls = tomllib.loads(texts["pyproject.toml"])["project"]["urls"]
    assert {url[: len("https://git.test/a/irmeval")] for url in urls.values()} == {
        "https://git.test/a/irmeval"
    }
    cited = yaml.safe_load(texts["CITATION.cff"])["repository-code"]
    assert cited == urls["Repository"] == "https://git.test/a/irmeval"


def test_changelog_when_read_then_newest_release_is_this_version_with_day_of_citation_and_short():
    log, cited = (
        (ROOT / "CHANGELOG.md").read_text(),
        yaml.safe_load((ROOT / "CITATION.cff").read_text()),
    )
    releases = re.findall(r"^## \[(.+?)\] - (.+)$", log, re.MULTILINE)
    assert releases[0] == (irmeval.__version__, cited["date-released"])
    assert cited["version"] == irmeval.__version__
    assert max(part.count("\n") for part in re.split(r"^## ", log, flags=re.MULTILINE)) <= 60


def test_command_when_installed_without_extras_then_works_from_another_folder(
    installed, bare, tmp_path
):
    command = next((installed / "bin").glob("irmeval*"))
    sample = installed / "irmeval" / "dashboard" / "sample_data"
    line = [
        command,
        "curves",
        sample / "qrels.txt.gz",
        sample / "runs",
        "-m",
        "AP",
        "--levels",
        "100,10",
        "--trials",
        "1",
    ]
    done = subprocess.run(
        [sys.executable, "-P", *line],
        cwd=tmp_path,
        env=bare,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("measure,level,left,trial,mean,tau\nAP,100.0,")


NEED = {
    "app": "serve",
    "report": "paper sakai-kando-2008 qrels.txt runs",
    "irds": "evaluate irds:x runs -m AP",
    "cluster": "evaluate qrels.txt runs -m AP --scheduler local:2",
}
"""Extra -> a command that needs it."""
EACH = """\
import sys
from irmeval.cli import main
for line in sys.argv[1:]:
    try:
        main(line.split())
    except SystemExit as stopped:
        print(stopped.code, file=sys.stderr)
"""


def test_command_when_it_needs_an_extra_then_says_in_a_line_how_to_install_it_and_helps_without(
    bare, tiny, tmp_path
):
    lines = [*NEED.values(), "--help"]
    done = subprocess.run(
        [sys.executable, "-P", "-c", EACH, *lines],
        cwd=tmp_path,
        env=bare,
        capture_output=True,
        text=True,
    )
    said = done.stderr.splitlines()
    assert said[1::2] + said[-1:] == ["2"] * len(NEED) + ["0"], done.stderr
    for extra, line in zip(NEED, said[::2], strict=False):
        assert line.endswith(f'pip install "irmeval[{extra}]"')
    assert done.stdout.startswith("Usage: ")
    assert all(name in done.stdout for name in ("evaluate", "curves", "paper", "serve"))


def test_serve_when_run_from_another_folder_then_the_guard_is_in_force_and_files_there_are_drawn(
    installed, tmp_path, tiny
):
    with serving(
        installed, tmp_path, "--allow-host", "irmeval.example.org", "qrels.txt", "runs"
    ) as url:
        for host in (url.removeprefix("http://"), "irmeval.example.org"):
            with urllib.request.urlopen(
                urllib.request.Request(url, headers={"Host": host}), timeout=SECONDS
            ) as answer:
                assert b"<script" in answer.read()
                assert "default-src 'self'" in answer.headers["content-security-policy"]
        with pytest.raises(urllib.error.HTTPError, match="421"):
            urllib.request.urlopen(
                urllib.request.Request(url, headers={"Host": "rebound.example"}), timeout=SECONDS
            )
        messages = drawn(url, "measures=AP")
        texts = " ".join(message.delta.new_element.markdown.body for message in messages)
        # its file says only what it is
        assert escape_markdown(f"{distinctive(tmp_path.name)} on this server") in texts
        assert "3 runs" in texts
        (config,) = {
            message.new_session.config.toolbar_mode
            for message in messages
            if message.HasField("new_session")
        }
        assert config == Config.MINIMAL  # as the settings say
        assert not [m for m in messages if m.delta.new_element.HasField("exception")]


def drawn(url: str, query: str) -> list[ForwardMsg]:
    """What a page tells the browser, as far as it is drawn, of the visit in which a
    chart is there.
    """
    asked, messages = BackMsg(), []
    asked.rerun_script.query_string = query
    with connect(
        f"{url.replace('http', 'ws')}/_stcore/stream",
        origin=url,
        subprotocols=["streamlit"],
        max_size=None,
    ) as socket:
        # until then it is being computed
        while not any(message.delta.new_element.HasField("plotly_chart") for message in messages):
            socket.send(asked.SerializeToString())
            messages = []
            while not (messages and messages[-1].HasField("script_finished")):
                messages.append(ForwardMsg.FromString(socket.recv(timeout=SECONDS)))
    return messages


def refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str
) -> str:
    """The one line in which ``irmeval serve`` says that it cannot, before there is a
    server.
    """
    monkeypatch.setenv(hosts.ALLOW, "")  # which it sets
    with pytest.raises(SystemExit) as stopped:
        main(["serve", *arguments])
    said = capsys.readouterr()
    assert (stopped.value.code, said.out, said.err.count("\n")) == (2, "", 1)
    return said.err


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--port", "99999"], "127.0.0.1, port 99999: cannot listen on this address"),
        (["qrels.txt"], "expected both QRELS and RUN"),
        (["nowhere", "runs"], "nowhere: expected a readable file"),
        (
            ["--allow-host", "a.example", "--allow-host", "http://b.example"],
            "allow-host: expected a host's name",
        ),
    ],
)
def test_serve_when_it_cannot_then_says_why_in_a_line(
    tiny, tmp_path, monkeypatch, capsys, arguments, expected
):
    monkeypatch.chdir(tmp_path)
    assert expected in refused(monkeypatch, capsys, *arguments)


def test_serve_when_the_port_is_taken_then_says_so_in_a_line(monkeypatch, capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = refused(monkeypatch, capsys, "--port", str(port))
    assert (
        said
        == f"irmeval: 127.0.0.1, port {port}: cannot listen on this address: address already in"
        " use.\n"
    )

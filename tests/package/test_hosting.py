"""What is said of hosting holds: the page's variables and flags exist, and the image is
as it says.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from urllib.request import urlopen

import pytest
from streamlit import config

from irmeval.core import limits, parallel
from irmeval.lessons import reading as lessons
from irmeval.ui.state import cookies, home, hosts, quotas
from tests.conftest import ROOT
from tests.serving import answering, free_port

PAGE = (ROOT / "docs" / "hosting.md").read_text(encoding="utf-8")
OWN = {
    hosts.ALLOW,
    home.HOME,
    home.KEEP,
    limits.MEMORY,
    parallel.SCHEDULER,
    lessons.SERVED,
    *quotas.QUOTAS,
}
IMAGE = (ROOT / "Dockerfile").read_text(encoding="utf-8")


def test_variables_when_the_page_names_them_then_streamlit_or_irmeval_reads_them():
    known = {option.env_var for option in config.get_config_options().values()} | OWN
    named = set(re.findall(r"\b(?:STREAMLIT|IRMEVAL)_\w+", PAGE))
    assert {"STREAMLIT_SERVER_MAX_UPLOAD_SIZE", *OWN} <= named <= known


@pytest.mark.parametrize("text", [PAGE, IMAGE], ids=["page", "image"])
def test_flags_when_named_for_streamlit_then_it_has_them(text):
    assert set(re.findall(r"--(server\.\w+)", text)) <= config.get_config_options().keys()


def test_flags_when_the_page_names_them_for_irmeval_then_it_has_them(run_command):
    helped = run_command("serve", "--help").out
    assert all(flag in helped for flag in re.findall(r"irmeval serve (--[\w-]+)", PAGE))


def test_image_when_built_then_is_pinned_and_run_by_a_user_who_is_not_root():
    assert re.search(r"^FROM python:\d+\.\d+\.\d+-\S+@sha256:[0-9a-f]{64}$", IMAGE, re.MULTILINE)
    assert "--require-hashes -r image.txt" in IMAGE
    assert re.search(
        r"^USER irmeval$.*^HEALTHCHECK .*irmeval\.ui\.server\.health.*^CMD ",
        IMAGE,
        re.MULTILINE | re.DOTALL,
    )


def test_image_when_it_copies_then_all_of_it_is_in_the_repository_and_nothing_else_is_sent():
    copied = {
        name
        for line in re.findall(r"^COPY (.+)$", IMAGE, re.MULTILINE)
        for name in line.split()[:-1]
    }
    assert [name for name in copied if not (ROOT / name).exists()] == []
    assert {*re.findall(r"^!(.+)$", (ROOT / ".dockerignore").read_text(), re.MULTILINE)} == copied


def test_image_when_made_without_docker_then_its_files_are_enough_and_the_server_says_it_is_well(
    tmp_path,
):
    """All steps but the base, the packages and the user: what is copied is compiled,
    started as the image starts it, and asked as the image asks; every cookie that it
    sets is on the page.
    """
    folder = tmp_path / "irmeval"
    for line in re.findall(r"^COPY (.+)$", IMAGE, re.MULTILINE):
        *names, to = line.split()
        for name in names:
            if (ROOT / name).is_dir():
                shutil.copytree(
                    ROOT / name, folder / to, ignore=shutil.ignore_patterns("__pycache__")
                )
            else:
                (folder / to).mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, folder / to)
    settings = dict(
        pair.split("=")
        for line in re.findall(r"^ENV (.+)$", IMAGE, re.MULTILINE)
        for pair in line.split()
    )
    port = free_port()
    environment = (
        os.environ
        | settings
        | {
            home.HOME: str(tmp_path / "kept"),
            "STREAMLIT_SERVER_PORT": str(port),
        }
    )
    (compile_,) = re.findall(r"^RUN python (-m compileall .+)$", IMAGE, re.MULTILINE)
    subprocess.run([sys.executable, *compile_.split()], cwd=folder, check=True)
    program, *command = json.loads(re.findall(r"^CMD (.+)$", IMAGE, re.MULTILINE)[0])
    health, *asked = json.loads(re.findall(r"^HEALTHCHECK .*CMD (.+)$", IMAGE, re.MULTILINE)[0])
    assert (program, health) == ("streamlit", "python")
    with answering(port, ["-m", program, *command], tmp_path / "log", folder, environment) as url:
        subprocess.run([sys.executable, *asked], cwd=folder, env=environment, check=True)
        given = [
            header
            for path in ("", "/_stcore/host-config", "/_stcore/health")
            for header in _cookies(url + path)
        ]
    named = {name.partition("=")[0] for name in given}
    assert named == {
        next(name for name in named if name.startswith(cookies.COOKIE)),
        "_streamlit_xsrf",
    }
    assert f"`{cookies.COOKIE}-` and eight digits" in PAGE
    assert "`_streamlit_xsrf`" in PAGE
    # it answers others, and keeps nothing unless it is told to
    assert not (tmp_path / "kept").exists()


def _cookies(url: str) -> list[str]:
    with urlopen(url) as answer:
        return answer.headers.get_all("set-cookie", [])


def test_image_when_ci_runs_then_is_built_where_a_daemon_answers_and_skipped_with_a_word_elsewhere(
    tmp_path,
):
    docker = tmp_path / "docker"
    docker.write_text("#!/bin/sh\nexit 1\n")
    docker.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [ROOT / ".ci" / "image"], env=os.environ | {"PATH": path}, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (
        0,
        "The image is not built: no Docker daemon answers here.\n",
    )
    docker.write_text(
        f'#!/bin/sh\necho "$*" >>{tmp_path}/asked\n[ "$1" != run ] || echo container\n'
    )
    done = subprocess.run(
        [ROOT / ".ci" / "image"], env=os.environ | {"PATH": path}, capture_output=True, text=True
    )
    assert done.returncode == 0
    asked = (tmp_path / "asked").read_text().splitlines()
    assert [line.split()[0] for line in asked] == ["info", "build", "run", "exec", "logs", "rm"]
    (said,) = re.findall(r"^docker run (.+) -p \S+ irmeval$", PAGE, re.MULTILINE)
    assert asked[2] == f"run --detach {said} irmeval:ci"
    assert ".ci/image" in (ROOT / ".ci" / "run").read_text()
    assert ".ci/image" in (ROOT / ".github" / "workflows" / "tests.yml").read_text()

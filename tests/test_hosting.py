"""What is said of hosting holds: the page's variables and flags exist, and the image is as it says."""

import re

import pytest
from streamlit import config

from irmeval import cli, limits
from irmeval.ui import home, hosts, quotas
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "hosting.md").read_text(encoding="utf-8")
OWN = {hosts.ALLOW, home.HOME, home.KEEP, limits.MEMORY, *quotas.QUOTAS}
IMAGE = (ROOT / "Dockerfile").read_text(encoding="utf-8")


def test_variables_when_the_page_names_them_then_streamlit_or_irmeval_reads_them():
    known = {option.env_var for option in config.get_config_options().values()} | OWN
    named = set(re.findall(r"\b(?:STREAMLIT|IRMEVAL)_\w+", PAGE))
    assert {"STREAMLIT_SERVER_MAX_UPLOAD_SIZE", *OWN} <= named <= known


@pytest.mark.parametrize("text", [PAGE, IMAGE], ids=["page", "image"])
def test_flags_when_named_for_streamlit_then_it_has_them(text):
    assert set(re.findall(r"--(server\.\w+)", text)) <= config.get_config_options().keys()


def test_flags_when_the_page_names_them_for_irmeval_then_it_has_them(capsys):
    with pytest.raises(SystemExit):
        cli.main(["serve", "--help"])
    helped = capsys.readouterr().out
    assert all(flag in helped for flag in re.findall(r"irmeval serve (--[\w-]+)", PAGE))


def test_image_when_built_then_is_pinned_and_run_by_a_user_who_is_not_root():
    assert re.search(r"^FROM python:\d+\.\d+\.\d+-\S+$", IMAGE, re.MULTILINE)
    assert "-c constraints.txt" in IMAGE
    assert re.search(r"^USER irmeval$.*^HEALTHCHECK .*irmeval\.ui\.health.*^CMD ", IMAGE, re.MULTILINE | re.DOTALL)


def test_image_when_it_copies_then_all_of_it_is_in_the_repository():
    for line in re.findall(r"^COPY (.+)$", IMAGE, re.MULTILINE):
        assert all((ROOT / name).exists() for name in line.split()[:-1]), line

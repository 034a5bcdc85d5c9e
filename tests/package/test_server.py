"""Whom the server answers, under which names and paths, and what it writes and asks
for: a server of one's own, spoken to by sockets.
"""

import os
import re
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPMessage
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from irmeval.core.errors import ParamError
from irmeval.ui.state import home, hosts
from tests.cases import refusal
from tests.conftest import ROOT
from tests.serving import SECONDS, serving

WATCH = """\
import os, sys
def watch(event, given):
    if event == "socket.connect" and given[0].family != 1 \
and given[1][0] not in ("127.0.0.1", "::1"):
        said = f"asked {given[1]}"
    elif event == "socket.getaddrinfo" \
and given[0] not in ("127.0.0.1", "localhost", "0.0.0.0", None):
        said = f"looked up {given[0]}"
    elif event == "os.mkdir" or event == "open" and isinstance(given[2], int) \
and given[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        said = f"wrote {given[0]}"
        if str(given[0]).startswith(("/dev/", "/proc/")): return
    else:
        return
    os.write(2, f"WATCH: {said}\\n".encode())
    raise PermissionError(30, said)
sys.addaudithook(watch)
"""
"""Python's own report of what a server does: nothing is written, and nobody is
asked.
"""
STREAM = "/_stcore/stream"
CLOSED = (
    "/_stcore/metrics",
    "/_stcore/metrics/",
    "/_stcore/metrics?families=session_events",
    "/_stcore/script-health-check",
    "/_stcore/agent/openapi.json",
    "/_stcore/agent/mcp",
    "/_stcore/bidi-components/x/y.js",
    "/component/x/index.html",
    "/auth/login",
    "/auth/logout",
    "/oauth2callback",
)


@contextmanager
def watched(folder: Path, *arguments: str, path: str = "") -> Iterator[tuple[str, Path]]:
    """Address and log of a dashboard that may write nowhere and ask nobody, and has no
    home.
    """
    (folder / "sitecustomize.py").write_text(WATCH)
    given = {
        "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}",
        "HOME": "/nonexistent",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in given.items():
            patch.setenv(name, value)
        # another test's server may keep data in the home of all tests, which is then swept
        patch.setenv(home.HOME, str(folder / "none"))
        patch.setenv(hosts.ALLOW, "irmeval.example.org, Other.Example.ORG:8443")
        with serving(folder / "log", *arguments, path=path) as url:
            yield urlsplit(url).netloc, folder / "log"


@pytest.fixture(scope="module")
def bound(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Address and log of one that is bound to the loopback."""
    with watched(tmp_path_factory.mktemp("server")) as made:
        yield made


@pytest.fixture
def address(bound: tuple[str, Path]) -> str:
    return bound[0]


@pytest.fixture
def log(bound: tuple[str, Path]) -> Path:
    return bound[1]


class Answer(NamedTuple):
    """What a server says."""

    status: int
    headers: HTTPMessage
    body: bytes


def ask(address: str, path: str, **headers: str) -> Answer:
    """The answer to a request with these headers; Host is the address where it is not
    among them.
    """
    with closing(HTTPConnection(address, timeout=SECONDS)) as connection:
        connection.putrequest("GET", path, skip_host="Host" in headers)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        with connection.getresponse() as answer:
            return Answer(answer.status, answer.headers, answer.read())


def opens(address: str, host: str, origin: str | None) -> bool:
    """Whether the websocket is opened to who comes under a host, from a page of an
    origin.
    """
    with socket.create_connection(address.split(":")) as line:
        try:
            with connect(
                f"ws://{host}{STREAM}", sock=line, origin=origin, subprotocols=["streamlit"]
            ):
                return True
        except InvalidStatus as refused:
            assert refused.response.status_code == 403
            return False


@pytest.mark.parametrize(
    "path", ["/", "/leaderboard", "/_stcore/health", "/_stcore/host-config", "/static/js/none.js"]
)
@pytest.mark.parametrize(
    "host",
    [
        "rebound.example",
        "localhost.rebound.example",
        "10.0.0.7",
        "127.0.0.1.rebound.example",
        "a@localhost",
        "",
    ],
)
def test_request_when_its_host_is_not_the_one_served_then_is_refused(address, path, host):
    answer = ask(address, path, Host=host)
    assert answer.status == 421
    assert b"<script" not in answer.body


@pytest.mark.parametrize(
    "host",
    [
        "{}",
        "localhost",
        "LOCALHOST:80",
        "127.0.0.1",
        "[::1]:8501",
        "irmeval.example.org",
        "other.example.org:443",
    ],
)
def test_request_when_its_host_is_served_or_allowed_then_is_answered(address, host):
    assert ask(address, "/", Host=host.format(address)).status == 200


@pytest.mark.parametrize(
    "origin",
    [
        "http://rebound.example",
        "http://localhost:9999",
        "http://127.0.0.1",
        "https://checkip.example",
        "null",
    ],
)
@pytest.mark.parametrize("path", ["/", "/_stcore/health", "/_stcore/host-config"])
def test_request_when_it_comes_from_a_foreign_page_then_is_refused(address, path, origin):
    assert ask(address, path, Origin=origin).status == 403


@pytest.mark.parametrize("host", ["rebound.example", "localhost.rebound.example:8501", "10.0.0.7"])
def test_websocket_when_its_host_is_not_the_one_served_then_is_not_opened(address, host):
    assert not opens(address, host, f"http://{host}")
    assert not opens(address, host, None)


@pytest.mark.parametrize(
    "origin",
    [
        "http://rebound.example",
        "http://localhost:9999",
        "http://127.0.0.1:1",
        "http://localhost",
        "null",
    ],
)
def test_websocket_when_it_comes_from_a_foreign_page_then_is_not_opened(address, origin):
    assert not opens(address, address, origin)


# the last: a tunnel's own end
@pytest.mark.parametrize("host", ["{}", "irmeval.example.org", "localhost:9999"])
def test_websocket_when_the_page_is_the_servers_own_then_is_opened(address, host):
    host = host.format(address)
    assert opens(address, host, f"http://{host}")
    assert opens(address, host, f"https://{host}")


@pytest.mark.parametrize("path", CLOSED)
def test_path_when_the_dashboard_does_not_need_it_then_is_closed(address, path):
    assert ask(address, path).status == 404


@pytest.mark.parametrize(
    ("path", "leads"),
    [("/deep/curves", "/deep-curves"), ("//a.example/%2e%2e/x%0d?y", "/a.example-..-x%0D")],
)
def test_path_when_it_has_several_parts_then_leads_to_one_where_the_dashboard_can_say_there_is_none(
    address, path, leads
):
    answer = ask(address, path)
    assert (answer.status, answer.headers["location"]) == (307, leads)
    assert ask(address, leads).status == 200


@pytest.mark.parametrize("path", ["/", "/_stcore/health", "/_stcore/metrics", "/none"])
def test_answer_when_given_then_the_browser_may_connect_to_this_server_alone(address, path):
    policy = ask(address, path).headers["content-security-policy"]
    assert re.search(r"connect-src ([^;]*)", policy)[1].split() == ["'self'", "data:", "blob:"]


def test_host_config_when_asked_then_no_foreign_page_may_steer_the_dashboard(address):
    assert b'"allowedOrigins":[]' in ask(address, "/_stcore/host-config").body


def test_server_when_all_this_has_been_tried_then_has_written_nothing_and_asked_nobody(
    address, log
):
    ask(address, "/", Origin="http://foreign.example")
    said = log.read_text()
    assert "WATCH" not in said, said
    assert f"listening on http://{address}" in said


def test_server_when_open_to_others_under_a_path_then_asks_nobody_knows_its_names_and_loads_below(
    tmp_path,
):
    with watched(tmp_path, "--server.address=0.0.0.0", path="tools/irmeval") as (address, log):
        hosts_asked = "192.0.2.7:80", "irmeval.example.org", "rebound.example"
        assert [ask(address, "/tools/irmeval/", Host=host).status for host in hosts_asked] == [
            200,
            200,
            421,
        ]
        assert {ask(address, f"/tools/irmeval{path}").status for path in CLOSED} == {404}
        assert ask(address, "/tools/irmeval/a/b").headers["location"] == "/tools/irmeval/a-b"
        answer = ask(address, "/tools/irmeval/_stcore/health")
        assert (answer.status, answer.body) == (200, b"ok")
        assert "WATCH" not in log.read_text(), log.read_text()


def test_refusal_when_logged_then_is_one_line_that_repeats_nothing_of_the_client(address, log):
    before = log.read_text().count("\n")
    ask(address, "/", Host="é\x1b[31m" + "said" * 100)
    ask(address, "/_stcore/said?said=1")
    ask(address, "/", Origin="http://said.example")
    lines = [line.partition("irmeval: ")[2] for line in log.read_text().splitlines()[before:]]
    assert lines == [
        "refused 421: a host name that is not served",
        "refused 404: a closed path",
        "refused 403: a page of another origin",
    ]


@pytest.mark.parametrize("bound", ["0.0.0.0", "::", None, "192.0.2.1", "my.name"])
def test_host_when_the_server_is_open_to_others_then_is_a_number_this_machine_or_its_bound_name(
    bound,
):
    assert all(
        hosts.is_served(host, bound)
        for host in ("192.0.2.7:8501", "[2001:db8::1]", "localhost", socket.gethostname())
    )
    assert hosts.is_served("my.name", bound) == (bound == "my.name")
    assert not hosts.is_served("rebound.example", bound)


@pytest.mark.parametrize("bound", ["127.0.0.1", "localhost", "0.0.0.0", None])
def test_localhost_when_the_list_of_allowed_hosts_is_bad_then_is_served_all_the_same(
    bound, monkeypatch
):
    monkeypatch.setenv(hosts.ALLOW, "http://irmeval.example.org/a b")
    assert hosts.is_served("LOCALHOST:8501", bound)
    assert "allow-host: expected a host's name" in refusal(
        ParamError, hosts.is_served, "irmeval.example.org", bound
    )


@pytest.mark.parametrize("text", ["http://a.example", "a.example/b", "a b", "*", "ä.example"])
def test_allow_host_when_it_is_no_name_then_is_refused_in_a_line(text):
    with pytest.raises(ParamError, match="expected a host's name"):
        hosts.names_in(text)

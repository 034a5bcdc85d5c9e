"""The cookie that tells a visitor: issued by the server alone, by all that share what
is kept alike, and lost by nobody of whom something is kept.
"""

import asyncio
from http.cookies import SimpleCookie
from pathlib import Path

import pytest
from starlette.requests import HTTPConnection
from starlette.types import Message, Receive, Scope, Send

from irmeval.ui.state import cookies, home
from tests.visiting import FILES, loaded


@pytest.fixture(autouse=True)
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """One that keeps what visitors load."""
    monkeypatch.setenv(home.HOME, str(tmp_path / "home"))
    start()
    yield monkeypatch
    start()


def start() -> None:
    """A server that has just been started."""
    cookies.secret.cache_clear()


def given(scheme: str = "http", **headers: str) -> dict[str, str]:
    """The parts of the cookie that a browser is given, its own name and value as
    such.
    """
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    text = cookies.cookie_header(HTTPConnection({"type": "http", "scheme": scheme, "headers": raw}))
    parts = {name: value for name, _, value in (part.partition("=") for part in text.split("; "))}
    name = next(iter(parts))
    return {"name": name, "value": parts.pop(name), **parts}


def visit(*jar: dict[str, str]) -> dict[str, str]:
    """What a browser is given that has these cookies."""
    return given(cookie="; ".join(f"{cookie['name']}={cookie['value']}" for cookie in jar))


def test_cookie_when_given_then_is_random_strict_and_for_the_server_alone(server):
    one, other = given(), given()
    assert one["value"] != other["value"]
    assert one.keys() == {"name", "value", "Path", "HttpOnly", "SameSite", "Max-Age"}
    assert (one["Path"], one["SameSite"], one["Max-Age"]) == ("/", "Strict", str(30 * 86_400))
    assert SimpleCookie(f"{one['name']}={one['value']}")
    assert visit({"name": "a", "value": "b"}, one)["value"] == one["value"]
    server.setenv(home.KEEP, "off")
    assert "Max-Age" not in given()  # it ends with the browser


def test_cookie_when_behind_tls_or_under_a_path_then_says_so(server):
    assert "Secure" in given("https")
    assert "Secure" in given(x_forwarded_proto="https, http")
    assert "Secure" not in given(x_forwarded_proto="http")
    server.setattr(cookies, "base_path", lambda: "/tools/irmeval")
    assert given()["Path"] == "/tools/irmeval"


@pytest.mark.parametrize("base", ["", "/tools/irmeval"])
def test_cookie_when_a_page_looks_for_its_server_then_the_one_right_path_alone_gives_it(
    server, base
):
    """All are asked at once, without a cookie: two answers would be two visitors."""
    server.setattr(cookies, "base_path", lambda: base)
    asked = [f"{base}/report", base, f"{base}/a/b", "/tools", "/tools/irmeval/irmeval"]
    gives = {path: asyncio.run(headers_at(path + cookies.ASKED)) for path in asked}
    assert [path for path, headers in gives.items() if headers] == [base]
    assert [name for name, _ in gives[base]] == [b"set-cookie"]


async def headers_at(path: str) -> list[tuple[bytes, bytes]]:
    """The headers that a browser without cookies is answered, by an application that
    sends none.
    """
    sent: list[Message] = []

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "http.request"}

    scope = {"type": "http", "scheme": "http", "path": path, "headers": []}
    await cookies.Cookie(answer)(scope, receive, send)
    return list(sent[0]["headers"])


def changed(value: str, at: int) -> str:
    return value[:at] + ("0" if value[at] != "0" else "1") + value[at + 1 :]


def test_cookie_when_the_server_did_not_issue_it_then_is_replaced_and_tells_nobody():
    own = given()
    signed = own["value"]
    for value in (
        "../../x",
        "",
        "c" * 32,
        "c" * 32 + "0" * 32,
        signed[:32],
        signed + "0",
        *(changed(signed, at) for at in (0, 31, 32, 63)),
    ):
        for name in (own["name"], cookies.COOKIE):
            assert cookies.own_cookie({name: value}) == ""
            assert visit({"name": name, "value": value})["value"] != value
    assert cookies.own_cookie({own["name"]: signed}) == signed


def test_cookie_when_two_servers_share_what_is_kept_or_one_is_started_anew_then_both_know_it(
    tmp_path,
):
    one = given()
    start()
    assert visit(one) == one
    assert oct((tmp_path / "home" / "cookies.key").stat().st_mode)[-3:] == "600"


def test_cookie_when_two_servers_share_nothing_but_a_machine_then_each_leaves_the_others_alone(
    server, tmp_path
):
    one = given()
    server.setenv(home.HOME, str(tmp_path / "elsewhere"))
    start()
    other = visit(one)
    assert other["name"] != one["name"]
    assert visit(one, other) == other
    server.setenv(home.HOME, str(tmp_path / "home"))
    start()
    assert visit(one, other) == one


def test_cookie_when_the_key_is_lost_or_spoiled_then_who_has_something_on_disk_is_known(tmp_path):
    one = given()
    loaded(FILES, cookies.key_of(one["value"]))
    for spoil in (Path.unlink, lambda path: path.write_bytes(b"short")):
        spoil(tmp_path / "home" / "cookies.key")
        start()
        assert visit(one)["value"] == one["value"]
        assert visit(one)["name"] != one["name"]


def test_cookie_when_nothing_is_kept_on_disk_then_none_is_written_and_it_is_known_while_it_runs(
    server, tmp_path
):
    server.setenv(home.KEEP, "off")
    one = given()
    assert visit(one)["value"] == one["value"]
    assert not (tmp_path / "home").exists()
    start()
    assert visit(one)["value"] != one["value"]  # what was in memory is gone


def test_cookie_when_the_disk_cannot_be_written_then_is_known_while_the_server_runs(tmp_path):
    (tmp_path / "home").write_text("")
    one = given()
    assert visit(one)["value"] == one["value"]

"""Which files the server receives: those that a page has asked for. A server of one's
own, spoken to as a browser does.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from http.cookies import SimpleCookie
from pathlib import Path
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import ClientConnection, connect

from tests.serving import SECONDS, serving

MADE_UP = "/_stcore/upload_file/{}/00000000-0000-0000-0000-000000000000"


@contextmanager
def tab(address: str) -> "Iterator[Tab]":
    """A page in a browser until it is closed, which takes seconds where answers of the
    server wait unread behind a few others.
    """
    with connect(
        f"ws://{address}/_stcore/stream", subprotocols=["streamlit"], max_size=None, max_queue=None
    ) as line:
        yield Tab(address, line)


class Tab:
    """A page that is open in a browser."""

    def __init__(self, address: str, line: ClientConnection):
        self.address, self.line = address, line
        line.send(BackMsg(rerun_script={}).SerializeToString())
        self.session = self._answer("new_session").new_session.initialize.session_id

    def _answer(self, kind: str) -> ForwardMsg:
        while (message := ForwardMsg.FromString(self.line.recv(SECONDS))).WhichOneof(
            "type"
        ) != kind:
            pass
        return message

    def ask_for(self, *names: str) -> list[str]:
        """The addresses to which the page would send files."""
        request = {"request_id": "1", "file_names": names, "session_id": self.session}
        self.line.send(BackMsg(file_urls_request=request).SerializeToString())
        return [
            url.upload_url
            for url in self._answer("file_urls_response").file_urls_response.file_urls
        ]

    def send(self, path: str, size: int = 0, method: str = "PUT") -> int:
        """Send a file of so many bytes; return the status of the answer."""
        body = (
            b'--x\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n'
            + b"1" * size
            + b"\r\n--x--\r\n"
        )
        with closing(HTTPConnection(self.address, timeout=SECONDS)) as connection:
            connection.request("GET", "/_stcore/health")
            answer = connection.getresponse()
            answer.read()
            token = SimpleCookie(answer.headers["Set-Cookie"])["_streamlit_xsrf"].coded_value
            headers = {
                "Cookie": f"_streamlit_xsrf={token}",
                "X-Xsrftoken": token,
                "Content-Type": "multipart/form-data; boundary=x",
            }
            connection.request(method, path, body, headers)
            return connection.getresponse().status


def test_upload_when_no_page_has_asked_for_it_then_is_refused(tmp_path: Path):
    with (
        serving(tmp_path / "log") as url,
        tab(urlsplit(url).netloc) as one,
        tab(one.address) as other,
    ):
        (asked,) = one.ask_for("a")
        for path in (
            MADE_UP.format(one.session),
            asked.replace(one.session, other.session),
            f"{asked}0",
            asked.rpartition(".")[0],
        ):
            assert [one.send(path, 10, method) for method in ("PUT", "DELETE")] == [404, 404]
        assert one.send(asked, 10) == 204

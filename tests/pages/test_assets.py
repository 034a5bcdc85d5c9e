"""Streamlit's files, as the server hands them out."""

from contextlib import suppress

import pytest
from starlette.responses import PlainTextResponse

from irmeval.ui.server.server import Assets
from irmeval.ui.state.streamlit_internals import STATIC

SCRIPT = next((STATIC / "static" / "js").glob("PlotlyChart.*.js"))
PATH = f"/static/js/{SCRIPT.name}"


def asked(path, method="GET", **headers):
    """Headers and content of the answer to a request; what is not one of the files is answered with *other*."""
    sent = []

    async def send(message):
        sent.append(message)

    named = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": method, "path": path, "headers": named}
    with suppress(StopIteration):  # it waits for nothing, and a browser's test in the same process may have a loop running
        Assets(PlainTextResponse("other"))(scope, None, send).send(None)
    return dict(sent[0]["headers"]), b"".join(message["body"] for message in sent[1:])


def test_assets_when_a_file_of_streamlit_is_asked_for_then_it_comes_whole_to_be_kept():
    headers, content = asked(PATH)
    assert content == SCRIPT.read_bytes()
    assert b"javascript" in headers[b"content-type"]
    assert b"immutable" in headers[b"cache-control"]
    assert asked(PATH)[1] == content


@pytest.mark.parametrize(
    "path", ["/", "/curves", "/static/js/none.js", "/static/../index.html", "/static/js/../../index.html", f"/x{PATH}"]
)
def test_assets_when_it_is_none_of_the_files_then_it_goes_on(path):
    assert asked(path)[1] == b"other"


@pytest.mark.parametrize("headers", [{"range": "bytes=0-9"}, {"if_none_match": "x"}])
def test_assets_when_less_than_a_whole_file_is_asked_for_then_it_goes_on(headers):
    assert asked(PATH, **headers)[1] == b"other"
    assert asked(PATH, "HEAD")[1] == b"other"

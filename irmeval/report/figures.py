"""Figures as pages of their own, and as images."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from irmeval.errors import ParamError

if TYPE_CHECKING:
    import plotly.graph_objects as go


def config(name: str) -> dict[str, Any]:
    """Plotly's mode bar: the camera saves an image of this name, nothing goes to a cloud."""
    return {
        "displaylogo": False,
        "modeBarButtonsToRemove": ["sendChartToCloud", "select2d", "lasso2d"],
        "toImageButtonOptions": {"format": "svg", "filename": name, "scale": 2},
    }


def page(figure: "go.Figure", name: str) -> str:
    """A figure as one HTML file that needs no network."""
    return str(figure.to_html(config=config(name), include_plotlyjs=True, full_html=True))


@contextmanager
def svgs() -> "Iterator[Callable[[go.Figure], bytes] | None]":
    """What draws figures as SVG; None where the package kaleido is not installed, which does so in a browser."""
    if find_spec("kaleido") is None:
        yield None
        return
    import kaleido

    def draw(figure: "go.Figure") -> bytes:
        try:
            return bytes(kaleido.calc_fig_sync(figure, opts={"format": "svg"}))
        except Exception as error:  # whatever the browser runs into
            raise ParamError(f"kaleido is installed and cannot draw ({error}). Install Chromium, or uninstall kaleido.") from None

    kaleido.start_sync_server(silence_warnings=True)
    try:
        yield draw
    finally:
        kaleido.stop_sync_server(silence_warnings=True)

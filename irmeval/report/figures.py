"""Figures as pages of their own, and as images."""

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from irmeval.core.errors import ParamError
from irmeval.plots.svg import svg

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


def pictures(figures: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Figures, by name, each as the dictionary that it is made of, as SVG, drawn without a browser; one of a kind that is not drawn so is
    left out."""
    drawn = {}
    for name, figure in figures.items():
        with suppress(ParamError):
            drawn[name] = svg(figure)
    return drawn

"""Figures as pages of their own."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import plotly.graph_objects as go


def config(name: str) -> dict[str, Any]:
    """Settings of Plotly's mode bar: its camera saves an SVG with this name, and nothing is sent to a cloud."""
    return {
        "displaylogo": False,
        "modeBarButtonsToRemove": ["sendChartToCloud", "select2d", "lasso2d"],
        "toImageButtonOptions": {"format": "svg", "filename": name, "scale": 2},
    }


def page(figure: "go.Figure", name: str) -> str:
    """A figure as one HTML file that needs no network."""
    return str(figure.to_html(config=config(name), include_plotlyjs=True, full_html=True))

"""What a page does to a figure: its letters and colours, larger ones, buttons, and
figures as pages of their own, with Plotly's script.
"""

import pickle
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from irmeval.plots.canvas import PAD, Figure
from irmeval.plots.colors import HIGHLIGHT, INK, PAGE, faint, on_dark


def on_page(figure: Figure, dark: bool) -> dict[str, Any]:
    """A figure as the dictionary for ``st.plotly_chart(theme=None)``, in the letters
    and colours of the page. Streamlit gives a chart to Plotly twice; Plotly draws it
    once if it has a revision and no template, as Streamlit's theme would be.
    """
    parts = figure.to_dict()
    layout = {name: value for name, value in parts["layout"].items() if name != "template"}
    font = {"family": '"Source Sans", sans-serif', "size": 12, "color": INK}
    label = {"bgcolor": PAGE, "bordercolor": faint(HIGHLIGHT, 0.2), "font": font}
    # Plotly looks at arrays only where it changes
    revision = blake2b(pickle.dumps(parts["data"]), digest_size=8).hexdigest()
    looks: dict[str, Any] = {
        "datarevision": revision,
        "font": font,
        "hoverlabel": label,
        "margin": {"pad": PAD},
    }
    for name, axis in layout.items():
        if name.startswith(("xaxis", "yaxis")):
            title = {"title": {"font": {"size": 14}}} if "title" in axis else {}
            looks[name] = {"automargin": True, "showgrid": name.startswith("y"), **title}
    page = {**parts, "layout": _with_looks(layout, looks)}
    return on_dark(page) if dark else page


def _with_looks(part: dict[str, Any], looks: dict[str, Any]) -> dict[str, Any]:
    """A part of a figure, with the looks that it does not have itself."""
    own = {
        name: _with_looks(value, looks[name]) if isinstance(looks.get(name), dict) else value
        for name, value in part.items()
    }
    return looks | own


LARGER = 1.25
"""Factor of `enlarged`."""
_PIXELS = {
    "size",
    "height",
    "l",
    "r",
    "t",
    "b",
    "xshift",
    "yshift",
    "ax",
    "ay",
    "standoff",
    "ticklen",
}
"""Properties of a figure that are given in pixels."""


def enlarged(part: Any, within: tuple[str, ...] = ()) -> Any:
    """A figure as a dictionary, or a part of it, with everything larger that is given
    in pixels: letters, marks, lines, margins, height. `within` is the path of names to
    the part.
    """
    if isinstance(part, dict):
        return _enlarged_parts(part, within)
    if isinstance(part, list | tuple):
        return [enlarged(value, within) for value in part]
    return _enlarged_value(part, within)


def _enlarged_value(value: Any, within: tuple[str, ...]) -> Any:
    is_pixels = isinstance(value, int | float) and _in_pixels(within)
    return value * LARGER if is_pixels else value


def _enlarged_parts(part: dict[str, Any], within: tuple[str, ...]) -> dict[str, Any]:
    larger = {key: enlarged(value, (*within, key)) for key, value in part.items()}
    if within == ("layout",):
        # Plotly's own size, where a figure has none
        larger["font"] = {"size": 12 * LARGER, **larger.get("font", {})}
    return larger


def _in_pixels(path: tuple[str, ...]) -> bool:
    """Whether a property of a figure is given in pixels."""
    return path[-1] in _PIXELS or path[-2:] == ("line", "width")


def figure_to_send(parts: dict[str, Any]) -> Figure:
    """A figure for ``st.plotly_chart`` alone, from the dictionary of one that was
    drawn; nothing but its `to_dict` can be used.

    It passes for one of Plotly's, so that Streamlit sends the dictionary as it is: the
    data and layout that ``Figure(parts)`` would send, but for empty lists of shapes and
    annotations, and so the same drawing; a test compares every chart. What is left out
    is that Plotly copies and validates them several times. The dictionary must not be
    changed before it is sent.
    """
    from plotly.graph_objects import Figure

    figure = Figure.__new__(Figure)
    vars(figure)["to_dict"] = lambda: parts
    return figure


def mode_bar(name: str) -> dict[str, Any]:
    """Settings of Plotly's mode bar: its camera saves an SVG with this name, and
    nothing is sent to a cloud.
    """
    return {
        "displaylogo": False,
        "modeBarButtonsToRemove": ["sendChartToCloud", "select2d", "lasso2d"],
        "toImageButtonOptions": {"format": "svg", "filename": name, "scale": 2},
    }


def figure_page(figure: Figure, name: str) -> str:
    """A figure as one HTML file that needs no network."""
    return str(figure.to_html(config=mode_bar(name), include_plotlyjs=True, full_html=True))


def plotly() -> str:
    """Plotly's own script, for a page that needs no network."""
    from plotly.offline import get_plotlyjs

    return str(get_plotlyjs())


def figure_html(figure: Mapping[str, Any], name: str, height: int | str = "100%") -> str:
    """A figure, given as a dictionary, as HTML for a page that holds the script."""
    from plotly.io import to_html

    how = {
        "full_html": False,
        "include_plotlyjs": False,
        "validate": False,
        "default_height": height,
    }
    return str(to_html(figure, config=mode_bar(name), div_id=name, **how))

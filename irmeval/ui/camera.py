"""Buttons that save a chart as an image: Plotly draws it in the browser, nothing is sent."""

from html import escape

import streamlit as st

IMAGES = {"svg": "for print", "png": "for slides"}
SCRIPT = """
if (!window.irmevalCamera) {
  window.irmevalCamera = true;
  document.addEventListener("click", ({ target }) => {
    const { save, image } = target.dataset;
    const chart = save && document.querySelector(`.st-key-${save} .js-plotly-plot`);
    if (!chart) return;
    chart._context.toImageButtonOptions.format = image;
    chart.querySelector(".modebar-btn[data-title^=Download]").click();
  });
}
"""
"""Presses the camera of a chart for a button that names the chart and the format; run once for all charts there will be."""
STYLE = """
button[data-save] {
  font: inherit; font-size: .8rem; color: inherit; opacity: .7; background: none; border: 0; padding: .2rem .35rem; cursor: pointer;
}
button[data-save]:hover, button[data-save]:focus-visible { opacity: 1; text-decoration: underline; }
"""


def install() -> None:
    """Once in a page, wherever it takes no room."""
    st.html(f"<script>{SCRIPT}</script>", unsafe_allow_javascript=True)


def buttons(chart: str, title: str, style: str = "") -> None:
    """The buttons of the chart with this key, and a style that it needs."""
    saves = [
        f'<button data-save="{chart}" data-image="{image}" title="Save as {image.upper()}, {use}" '
        f'aria-label="Save {escape(title)} as {image.upper()}">{image.upper()}</button>'
        for image, use in IMAGES.items()
    ]
    st.html("".join(saves) + style, width="content")

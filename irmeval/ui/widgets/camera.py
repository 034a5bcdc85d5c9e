"""Buttons that save a chart as an image: Plotly draws it in the browser, nothing is sent."""

from html import escape

import streamlit as st

IMAGES = {"svg": "for print", "png": "for slides"}
SCRIPT = """
if (!window.irmevalCamera) {
  window.irmevalCamera = true;
  let beneath = "";
  const write = XMLSerializer.prototype.serializeToString;
  XMLSerializer.prototype.serializeToString = function (node) {
    return write.call(this, node).replace(/\\x3csvg[^>]*>/, begin => begin + beneath);
  };
  const font = async family => {
    const file = performance.getEntriesByType("resource").find(({ name }) => /SourceSans[^/]*Upright/.test(name));
    if (!file) return "";
    const data = new FileReader();
    data.readAsDataURL(await (await fetch(file.name)).blob());
    await new Promise(done => { data.onload = done; });
    return `\\x3cstyle>@font-face {font-family: ${family}; font-weight: 200 900; src: url(${data.result})}\\x3c/style>`;
  };
  document.addEventListener("click", async ({ target }) => {
    const { save, image } = target.dataset;
    const chart = save && document.querySelector(`.st-key-${save} .js-plotly-plot`);
    if (!chart) return;
    beneath = "";
    if (image === "png") {
      const page = getComputedStyle(document.querySelector("[data-testid=stApp]")).backgroundColor;
      beneath = `${await font(chart._fullLayout.font.family.split(",")[0])}\\x3crect width="100%" height="100%" fill="${page}"/>`;
    }
    chart._context.toImageButtonOptions.format = image;
    chart.querySelector(".modebar-btn[data-title^=Download]").click();
  });
}
"""
"""Presses the camera of a chart for a button that names the chart and the format; run once for all charts there will be. Into what becomes
pixels it puts the page's colour and letters, as a browser that paints a picture takes neither from the page. There must be no
tag in it, not in quotes either: Streamlit would leave it out."""
STYLE = """
button[data-save] {
  font: inherit; font-size: .8rem; color: inherit; opacity: .7; background: none; border: 0; padding: .2rem .35rem; cursor: pointer;
}
button[data-save]:hover, button[data-save]:focus-visible { opacity: 1; text-decoration: underline; }
"""


def install() -> None:
    """Install the script once in a page."""
    st.html(f"<script>{SCRIPT}</script>", unsafe_allow_javascript=True)


def buttons(chart: str, title: str, style: str = "") -> None:
    """Draw the buttons of the chart with this key."""
    saves = [
        f'<button data-save="{chart}" data-image="{image}" title="Save as {image.upper()}, {use}" '
        f'aria-label="Save {escape(title)} as {image.upper()}">{image.upper()}</button>'
        for image, use in IMAGES.items()
    ]
    st.html("".join(saves) + style, width="content")

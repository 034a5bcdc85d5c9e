"""The pictures of README and documentation, taken from the dashboard on the sample:
``make pictures``.

Five pages, and a moving picture: the metric lab, as grades are clicked.
"""

import io
import shutil
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page

from tests.driving import FRESH, chromium_browser, settle, visitor
from tests.serving import serving

FOLDER = Path(__file__).parent / "images"
MEASURES = "&".join(f"measures={m}" for m in ("AP", "AP%27", "nDCG", "Bpref", "RBP%28p%3D0.95%29"))
PICTURES = {
    "curves": ("curves", ".st-key-chart-curves-tau .js-plotly-plot .scatterlayer .trace"),
    "leaderboard": ("leaderboard", "[data-testid=stDataFrame] canvas"),
    "matrix": ("matrix", ".js-plotly-plot .main-svg"),
    "lesson": ("lessons?lesson=tenth_left&step=figure", ".js-plotly-plot .main-svg"),
    "collection": ("collection", "[data-testid=stFileUploaderDropzone]"),
}
"""Picture -> page, and what is there once it is drawn."""
SIZE = {"width": 1280, "height": 800}
COLORS = 256
MOVING = "lab-moving"
CLICKS = ((1, "3"), (2, "0"), (3, "2"), (5, "1"), (7, "0"), (4, "✕"))
"""Rank and grade, or what else is clicked there, one after the other."""
SHOWN = 1300
"""Milliseconds for each."""


def open_page(page: Page, url: str, address: str, drawn: str) -> None:
    """A page, once all of it is drawn."""
    page.goto(f"{url}/{address}{'&' if '?' in address else '?'}{MEASURES}")
    page.wait_for_selector(drawn)
    rest(page)


def rest(page: Page) -> None:
    """Until nothing moves any more."""
    settle(page)
    page.wait_for_selector("[data-testid=stSkeleton]", state="detached")
    page.wait_for_timeout(1500)  # what is there fades in
    settle(page)


def taken(page: Page) -> Image.Image:
    """What is seen, with as few colours as it takes; also those that little of it
    has.
    """
    image = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    return image.quantize(COLORS, Image.Quantize.MAXCOVERAGE, kmeans=3, dither=Image.Dither.NONE)


def move(page: Page, url: str) -> None:
    """The lab as it changes from click to click."""
    open_page(page, url, "lab", ".lab")
    frames = [taken(page)]
    for rank, option in CLICKS:
        page.locator(f"[class*=st-key-lab-at-{rank - 1}-]{FRESH}").get_by_role(
            "radio", name=option, exact=True
        ).click()
        page.mouse.move(0, 0)
        rest(page)
        frames.append(taken(page))
    frames[0].save(
        FOLDER / f"{MOVING}.gif",
        save_all=True,
        append_images=frames[1:],
        duration=SHOWN,
        loop=0,
        optimize=True,
    )


def main() -> None:
    """All pictures."""
    FOLDER.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder) / "log") as url,
        chromium_browser(shutil.which("chromium") or "") as browser,
        visitor(browser) as page,
    ):
        page.set_viewport_size(SIZE)
        for name, (address, drawn) in PICTURES.items():
            open_page(page, url, address, drawn)
            taken(page).save(FOLDER / f"{name}.png", optimize=True)
        move(page, url)


if __name__ == "__main__":
    main()

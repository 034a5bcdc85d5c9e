"""The pictures of docs/dashboard.md, taken from the dashboard on the sample: ``python -m docs.screenshots``, from the test environment."""

import shutil
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page

from tests.driving import chromium_browser, settle, visitor
from tests.serving import serving

FOLDER = Path(__file__).parent / "images"
MEASURES = "&".join(f"measures={m}" for m in ("AP", "AP%27", "nDCG", "Bpref", "RBP%28p%3D0.95%29"))
PICTURES = {
    "curves": ("curves", ".st-key-chart-incompleteness-tau .js-plotly-plot .scatterlayer .trace"),
    "collection": ("collection", "[data-testid=stFileUploaderDropzone]"),
    "matrix": ("matrix", ".js-plotly-plot .main-svg"),
    "lab": ("lab", "[data-testid=stMainBlockContainer] h1"),
}
"""Picture -> page, and what is there once it is drawn."""
SIZE = {"width": 1400, "height": 940}


def take(page: Page, url: str, name: str) -> None:
    """One picture, with as few colours as it takes."""
    address, drawn = PICTURES[name]
    page.goto(f"{url}/{address}?{MEASURES}")
    page.wait_for_selector(drawn)
    settle(page)
    page.wait_for_selector("[data-testid=stSkeleton]", state="detached")
    page.wait_for_timeout(1500)  # what is there fades in
    path = FOLDER / f"{name}.png"
    page.screenshot(path=path)
    with Image.open(path) as image:
        image.convert("RGB").quantize(64, dither=Image.Dither.NONE).save(path, optimize=True)


def main() -> None:
    """All pictures."""
    FOLDER.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder) / "log") as url,
        chromium_browser(shutil.which("chromium") or "") as browser,
    ):
        for name in PICTURES:
            with visitor(browser) as page:
                page.set_viewport_size(SIZE)
                take(page, url, name)


if __name__ == "__main__":
    main()

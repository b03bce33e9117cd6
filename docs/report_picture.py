"""Make ``figures/report.png``, the picture of a report: needs Chromium, playwright and Pillow.

``python docs/report_picture.py KEY RESPONSE ADDRESS`` analyzes two files, opens the report at ``#ADDRESS``,
and takes the picture. The one in the documentation shows LitBank (Bamman, Popat and Shen 2019, CC BY 4.0).
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

import arraycoref as ac

SIZE = {"width": 1280, "height": 760}
TARGET = Path(__file__).parent / "figures" / "report.png"


def picture(key: str, response: str, address: str) -> bytes:
    """Return a picture of the window that shows the report of two files."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        path = Path(folder) / "report.html"
        ac.analyze_files(key, {"response": response}).save_html(path)
        browser = started.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE)
        page.goto(f"{path.as_uri()}#{address}")
        page.wait_for_selector("body:not(.loading) .row")
        return page.screenshot()


if __name__ == "__main__":
    image = Image.open(io.BytesIO(picture(*sys.argv[1:4])))
    image.convert("RGB").quantize(128, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(TARGET, optimize=True)

"""Makes the picture of a report, and prints what README shows of a run.

Needs a chromium and `pip install '.[docs,report]' playwright`. Run it on a quiet machine: what is
on the picture is what was measured.

Usage: python docs/pictures/make.py
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import ViewportSize, sync_playwright

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SEARCH = ["optimize", "examples/cpp/prime_sieve", "--budget", "evaluations=8"]
REPORT = ViewportSize(width=1280, height=1180)


def main() -> None:
    """Search, and draw the report of the run."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "examples").symlink_to(ROOT / "examples")
        maxcode(SEARCH, folder)
        maxcode(["report", "last", "-o", "report.html"], folder)
        photograph(folder / "report.html", HERE / "report.png")


def maxcode(arguments: list[str], folder: Path) -> None:
    """Run a command in a folder that is also the home."""
    bin_folder = str(Path(sys.executable).parent)
    subprocess.run(
        [sys.executable, "-m", "maxcode.cli.main", *arguments],
        cwd=folder,
        env={
            "PATH": f"{bin_folder}:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(folder),
            "LANG": "C.UTF-8",
        },
        check=True,
    )


def photograph(page: Path, picture: Path) -> None:
    """Take a picture of a page as it opens in a browser."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        window = browser.new_page(viewport=REPORT, color_scheme="light")
        window.goto(page.as_uri())
        window.wait_for_timeout(4000)
        window.screenshot(path=picture)
        browser.close()


if __name__ == "__main__":
    main()

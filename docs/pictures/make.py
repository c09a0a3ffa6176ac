"""Makes the pictures of the README: a terminal session as it was, and the report of its run.

Needs a chromium and `pip install '.[docs,report]' playwright`. Run it on a quiet machine: what is
on the pictures is what was measured.

Usage: python docs/pictures/make.py
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
from collections.abc import Iterator
from io import StringIO
from itertools import groupby
from pathlib import Path

import pyte
from playwright.sync_api import ViewportSize, sync_playwright
from rich.console import Console
from rich.text import Text

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
COMMAND = ["maxcode", "optimize", "examples/cpp/prime_sieve", "--budget", "evaluations=12"]
COLUMNS, ROWS = 100, 200
REPORT = ViewportSize(width=1280, height=1180)


def main() -> None:
    """Make both."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "examples").symlink_to(ROOT / "examples")
        screen = record(COMMAND, Path(folder))
        (HERE / "session.svg").write_text(drawn(screen))
        page = Path(folder) / "report.html"
        subprocess.run(
            [sys.executable, "-m", "maxcode.cli.main", "report", "last", "-o", page],
            env=_environment(Path(folder)),
            check=True,
        )
        photograph(page, HERE / "report.png")


def record(command: list[str], folder: Path) -> pyte.Screen:
    """Run a command in a terminal; gives the screen as it is at the end."""
    screen = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.ByteStream(screen)
    process, terminal = pty.fork()
    if process == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        os.chdir(folder)
        os.execvpe(command[0], command, _environment(folder))  # noqa: S606 - in its terminal
    while True:
        try:
            data = os.read(terminal, 65536)
        except OSError:  # how a terminal says that its program has ended
            break
        if not data:
            break
        stream.feed(data)
    _, status = os.waitpid(process, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        raise SystemExit("\n".join(line.rstrip() for line in screen.display))
    return screen


def _environment(folder: Path) -> dict[str, str]:
    bin_folder = str(Path(sys.executable).parent)
    return {
        "PATH": f"{bin_folder}:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(folder),
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
    }


def drawn(screen: pyte.Screen) -> str:
    """The screen as a picture, with the command above, and without fonts from elsewhere."""
    console = Console(width=COLUMNS, record=True, file=StringIO())
    console.print(Text("$ " + " ".join(COMMAND), style="bold"))
    lines = [list(_runs(screen, row)) for row in range(ROWS)]
    while lines and not any(text.strip() for text, _ in lines[-1]):
        lines.pop()
    for line in lines:
        console.print(Text.assemble(*line, no_wrap=True, overflow="crop"))
    svg = console.export_svg(title="maxcode")
    return re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)


def _runs(screen: pyte.Screen, row: int) -> Iterator[tuple[str, str]]:
    """The texts of a row that look alike, with their style as rich has it."""
    cells = [screen.buffer[row][column] for column in range(COLUMNS)]
    end = max((n + 1 for n, cell in enumerate(cells) if cell.data.strip()), default=0)
    for style, group in groupby(cells[:end], key=_style):
        yield "".join(cell.data for cell in group), style


def _style(cell: pyte.screens.Char) -> str:
    names = ["bold"] if cell.bold else []
    if cell.fg != "default":
        plain = {"brown": "yellow"}.get(cell.fg, cell.fg)
        names.append(f"#{plain}" if re.fullmatch("[0-9a-f]{6}", plain) else _bright(plain))
    return " ".join(names)


def _bright(name: str) -> str:
    return re.sub("^bright", "bright_", name)


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

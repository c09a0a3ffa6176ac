"""What a stranger does, literally: the README's first command, then the tutorial's lessons.

Each page is followed in a fresh copy of the repository with an empty home, in one shell, block by
block: a fresh virtual environment is made and filled as the pages say. pip's cache is that of the
caller, so what is downloaded there is not downloaded again. What a page marks as not run is left
out, and told.

Usage: python benchmarks/strangers_path.py
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from common import ROOT, machine, save

sys.path.insert(0, str(ROOT))
from tests.pages._page import Block, blocks

TUTORIAL = ROOT / "docs" / "tutorial"
PATHS = {
    "README, first command": (ROOT / "README.md", "<!-- start -->"),
    "tutorial, first confirmed speedup": (TUTORIAL / "first_speedup.md", ""),
    "tutorial, own program": (TUTORIAL / "own_program.md", ""),
    "tutorial, own policy": (TUTORIAL / "own_search.md", ""),
}
MARK = "@@ block "


def main() -> None:
    """Follow all pages, in the order in which a stranger meets them."""
    taken_on = machine()
    figures: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        copy = fresh_copy(Path(folder) / "maxcode")
        for name, (page, mark) in PATHS.items():
            figures.append({"path": name, **follow(page, mark, copy, Path(folder))})
            print(figures[-1])
    save("strangers_path", {"paths": figures}, taken_on)


def fresh_copy(folder: Path) -> Path:
    """The repository as a stranger gets it."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes((ROOT / name).read_bytes())
    return folder


def follow(page: Path, mark: str, copy: Path, home: Path) -> dict[str, Any]:
    """Do what a page says; gives minutes, commands, and when a speedup was first confirmed."""
    text = page.read_text()
    followed = list(blocks(text[text.index(mark) :] if mark else text))
    if mark:
        followed = followed[:1]
    left_out = [block for block in followed if block.mode != "run"]
    followed = [block for block in followed if block.mode == "run"]
    script = "".join(f"echo '{MARK}{n}'\n{_shell(b)}\n" for n, b in enumerate(followed))
    started = time.monotonic()
    times, lines = _run(script, copy, home)
    commands = [_commands(block) for block in followed]
    first = next((n for n, line in lines if re.search(r"\d+\.\d+x faster", line)), None)
    return {
        "minutes": round((time.monotonic() - started) / 60, 2),
        "blocks": len(followed),
        "commands": sum(commands),
        "files_written": sum(bool(block.title) for block in followed),
        "minutes_to_first_speedup": None if first is None else round(times[first] / 60, 2),
        "commands_to_first_speedup": None if first is None else sum(commands[: first + 1]),
        "speedups": [line for _, line in lines if re.search(r"\d+\.\d+x faster", line)],
        "left_out": [block.reason or block.mode for block in left_out],
    }


def _run(script: str, copy: Path, home: Path) -> tuple[dict[int, float], list[tuple[int, str]]]:
    """When each block ended, in seconds, and what each printed."""
    cache = subprocess.run(["pip", "cache", "dir"], capture_output=True, text=True, check=True)
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(home)}
    environment |= {"PIP_CACHE_DIR": cache.stdout.strip(), "LANG": "C.UTF-8"}
    for name in ("PIP_CONSTRAINT", "PIP_CONFIG_FILE"):
        if name in os.environ:
            environment[name] = os.environ[name]
    times: dict[int, float] = {}
    lines: list[tuple[int, str]] = []
    number = 0
    started = time.monotonic()
    with subprocess.Popen(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=copy,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout
        for line in process.stdout:
            times[number] = time.monotonic() - started
            if line.startswith(MARK):
                number = int(line.removeprefix(MARK))
            else:
                print(line, end="")
                lines.append((number, line.strip()))
    if process.returncode:
        raise SystemExit(f"exit {process.returncode}: see the last lines")
    return times, lines


def _shell(block: Block) -> str:
    """A block as what its reader does with it."""
    if block.title:
        folder = shlex.quote(str(Path(block.title).parent))
        return (
            f"mkdir -p {folder}\nprintf %s {shlex.quote(block.code)} > {shlex.quote(block.title)}"
        )
    if block.language == "python":
        return f"python -c {shlex.quote(block.code)}"
    return block.code if block.language == "bash" else ":"


def _commands(block: Block) -> int:
    """How many commands a reader types for a block; a file that is saved is none."""
    if block.title or block.language not in {"bash", "python"}:
        return 0
    if block.language == "python":
        return 1
    lines = block.code.replace("\\\n", " ").replace("&&\n", "&& ").splitlines()
    return sum(bool(line.strip()) and not line.startswith((" ", "#")) for line in lines)


if __name__ == "__main__":
    main()

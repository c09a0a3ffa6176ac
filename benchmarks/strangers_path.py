"""What a stranger does, literally: the README's first command, then the tutorial's lessons.

Both are followed block by block, in a shell and a fresh copy of the repository of their own, with
an empty home: a fresh virtual environment is made and filled as the pages say. pip's cache is that
of the caller, so what is downloaded there is not downloaded again. What a page marks as not run is
left out, and reported. Minutes are those of the machine: nobody reads.

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
START = "<!-- start -->"
SPEEDUP = re.compile(r"\d+\.\d+x faster")
MARK = "@@ block "


def main() -> None:
    """Follow the pages, in the order in which a stranger meets them."""
    taken_on = machine()
    readme = (ROOT / "README.md").read_text()
    first = {"README, first command": [next(blocks(readme[readme.index(START) :]))]}
    lessons = {
        f"tutorial, {name}": list(blocks((TUTORIAL / f"{name}.md").read_text()))
        for name in ("first_speedup", "own_program", "own_search")
    }
    figures = []
    for pages in (first, lessons):
        with tempfile.TemporaryDirectory() as folder:
            figures += follow(pages, fresh_copy(Path(folder) / "maxcode"), Path(folder))
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


def follow(pages: dict[str, list[Block]], copy: Path, home: Path) -> list[dict[str, Any]]:
    """Do what pages say, in one shell; of each its minutes, its commands, what was confirmed."""
    followed = [(name, one) for name, page in pages.items() for one in page if one.mode == "run"]
    script = "".join(f"echo '{MARK}{n}'\n{_shell(one)}\n" for n, (_, one) in enumerate(followed))
    ends, lines = _run(f"{script}echo '{MARK}{len(followed)}'\n", copy, home)
    figures = []
    for name, page in pages.items():
        own = [number for number, (whose, _) in enumerate(followed) if whose == name]
        begun = ends.get(own[0] - 1, 0.0)
        found = [(number, line) for number, line in lines if number in own and SPEEDUP.search(line)]

        def until(last: int, begun: float = begun, own: list[int] = own) -> dict[str, float]:
            return {
                "minutes": round((ends[last] - begun) / 60, 2),
                "commands": sum(_commands(followed[one][1]) for one in own if one <= last),
            }

        figures.append(
            {
                "page": name,
                **until(own[-1]),
                "files_written": sum(bool(followed[number][1].title) for number in own),
                "first_speedup": until(found[0][0]) if found else None,
                "speedups": [line for _, line in found],
                "left_out": [one.reason for one in page if one.mode not in {"run", "setup"}],
            }
        )
        print(figures[-1])
    return figures


def _run(script: str, copy: Path, home: Path) -> tuple[dict[int, float], list[tuple[int, str]]]:
    """When each block ended, in seconds from the beginning, and what each printed."""
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

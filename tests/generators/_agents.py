"""Agents of ours: real processes that edit a program, try it, and edit it again."""

from __future__ import annotations

import json
from pathlib import Path

from maxcode.system import python_executable

HEAD = """\
import json, os, pathlib, subprocess, sys, time
source = pathlib.Path("main.cpp")
def report(dollars=0.25, tokens=1000, said="Summary: it counts less."):
    usage = {"input_tokens": tokens, "output_tokens": 10}
    print(json.dumps({"type": "result", "total_cost_usd": dollars, "usage": usage, "result": said}))
def attempt():
    return subprocess.run(["maxcode", "try"], capture_output=True, text=True)
def honest():
    source.write_text(source.read_text() + "// faster\\n")
"""

EDITS_AND_TRIES = (
    HEAD
    + """
prompt = sys.stdin.read()
assert prompt == pathlib.Path(os.environ["MAXCODE_PROMPT"]).read_text()
assert "maxcode try" in prompt
first = source.read_text()
source.write_text(first + "// broken\\n")
told = attempt()
assert told.returncode == 1, told
assert "no such name" in told.stdout, told
source.write_text(first + "// faster\\n")
told = attempt()
assert told.returncode == 0, told
report()
"""
)


def command(folder: Path, text: str) -> tuple[str, str]:
    """The command that runs a script as an agent, and what it has to be able to read."""
    script = folder / "agent.py"
    script.write_text(text)
    return f"{python_executable()} -I -S -B {script}", str(script)


def said(record: str) -> dict[str, object]:
    """Record of a run in the journal."""
    found: dict[str, object] = json.loads(record)
    return found

"""Calls of a function that its tests make, recorded while pytest runs them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from maxcode.errors import TaskError
from maxcode.sandbox.base import Limits
from maxcode.sandbox.process import ProcessSandbox
from maxcode.system import ScratchFolder
from maxcode.text import counted

MAX_CALLS = 10_000  # that are recorded of one file of tests
_LIMITS = Limits(600.0, memory=8 << 30, files=4096)
_PLUGIN = '''"""Plugin of pytest: the arguments of a function's calls, to a file of JSON lines."""

import functools
import importlib
import json

MODULE, OWNER, NAME, METHOD, OUT, MOST = {settings!r}


def pytest_configure(config):
    owner = importlib.import_module(MODULE)
    for part in OWNER:
        owner = getattr(owner, part)
    function = getattr(owner, NAME)
    seen, depth, out = set(), 0, open(OUT, "w")

    @functools.wraps(function)
    def recorded(*args, **kwargs):
        nonlocal depth
        line = None
        if not depth and len(seen) < MOST:  # calls from within are the function's own business
            try:
                line = json.dumps({{"args": args[METHOD:], "kwargs": kwargs}})
            except (TypeError, ValueError, RecursionError):
                line = ""  # an argument that JSON lacks
        depth += 1
        try:
            result = function(*args, **kwargs)
        finally:
            depth -= 1
        if line is not None and line not in seen:
            seen.add(line)
            print(line, file=out, flush=True)
        return result

    setattr(owner, NAME, recorded)
'''


def calls_in_tests(source: Path, function: str, tests: Path) -> list[dict[str, object]]:
    """The arguments of a function's calls while its tests run, each call once.

    ``function`` is a name in ``source``, or ``Class.method``; ``tests`` is a file for pytest, which
    runs in its folder with the source's folder on the path. Calls that raise, and calls from within
    the function itself, are left out. Raises :class:`~maxcode.errors.TaskError` where tests fail,
    pytest is missing, or no call has arguments that JSON can hold.
    """
    *owner, name = function.split(".")
    source, tests = source.resolve(), tests.resolve()
    with ScratchFolder("maxcode-calls-") as folder:
        out = folder / "calls.jsonl"
        settings = (source.stem, owner, name, bool(owner), str(out), MAX_CALLS)
        (folder / "maxcode_calls.py").write_text(_PLUGIN.format(settings=settings))
        command = (
            "/usr/bin/env",
            f"--chdir={tests.parent}",
            f"PYTHONPATH={folder}:{source.parent}",
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
            *("-p", "maxcode_calls", str(tests)),
        )
        run = ProcessSandbox().run(command, _LIMITS)
        lines = out.read_text("utf-8").splitlines() if out.exists() else []
    if not run.ok:
        said = (run.stdout + run.stderr).decode(errors="replace").strip()[-2000:]
        raise TaskError(f"the tests in {tests} {run.cause}:\n{said}")
    calls: list[dict[str, object]] = [json.loads(line) for line in lines if line]
    if not calls:
        seen = counted(len(lines), "call") + " with arguments that JSON lacks" if lines else "none"
        raise TaskError(f"{tests}: no call of {function} could be recorded ({seen})")
    return calls

"""Run a Python program and print its time by line. Needs the standard library alone.

Usage: tracer.py PROGRAM. The program's own output is dropped. Time in libraries counts for the
line that calls them, and time of the tracer itself for none.
"""

import json
import os
import sys
from collections.abc import Callable
from time import perf_counter_ns
from types import CodeType, FrameType, ModuleType

Trace = Callable[[FrameType, str, object], "Trace | None"]


class Tracer:
    """Time of lines, and calls of functions, of files in a folder."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.lines: dict[tuple[CodeType, int], list[int]] = {}  # nanoseconds, in a list to add to
        self.functions: dict[CodeType, list[int]] = {}  # inclusive nanoseconds, calls, recursive
        self._open: list[tuple[CodeType, int]] = []  # functions that run, with their start
        self._line = [0]
        self._lost = 0
        self._since = perf_counter_ns()

    def trace(self, frame: FrameType, event: str, _: object) -> "Trace | None":
        """Record an event of the interpreter; see :func:`sys.settrace`."""
        began = perf_counter_ns()
        self._line[0] += began - self._since
        code = frame.f_code
        own = code.co_filename.startswith(self.folder)
        if own:
            now = began - self._lost
            if event == "line":
                self._line = self.lines.setdefault((code, frame.f_lineno or 0), [0])
            elif event == "call":
                self.functions.setdefault(code, [0, 0, 0])[1] += 1
                self._open.append((code, now))
            elif event == "return":
                self._ended(frame, now)
        self._since = perf_counter_ns()
        self._lost += self._since - began
        return self.trace if own else None

    def _ended(self, frame: FrameType, now: int) -> None:
        while self._open:
            code, start = self._open.pop()
            outer = any(code is one for one, _ in self._open)
            self.functions[code][0] += 0 if outer else now - start
            self.functions[code][2] |= outer
            if code is frame.f_code:
                break
        back = frame.f_back
        while back is not None and not back.f_code.co_filename.startswith(self.folder):
            back = back.f_back
        if back is not None:
            self._line = self.lines.setdefault((back.f_code, back.f_lineno or 0), [0])


def name(code: CodeType) -> str:
    """The function's name, with its class where the interpreter knows it."""
    return getattr(code, "co_qualname", code.co_name)


def main() -> None:
    """Run the program of the command line and write the report."""
    report = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    path = sys.argv[1]
    sys.argv[:] = [path]
    sys.path[0] = os.path.dirname(path)
    program = sys.modules["__main__"] = ModuleType("__main__")
    program.__file__ = path
    with open(path, "rb") as file:
        code = compile(file.read(), path, "exec", dont_inherit=True)
    tracer = Tracer(f"{os.path.dirname(path)}/")
    sys.settrace(tracer.trace)
    try:
        exec(code, program.__dict__)  # noqa: S102 - this is what it is for, in a sandbox
    except SystemExit:
        pass
    finally:
        sys.settrace(None)
        lines = [
            [code.co_filename, line, name(code), *found]
            for (code, line), found in tracer.lines.items()
        ]
        functions = [
            [code.co_filename, name(code), *found] for code, found in tracer.functions.items()
        ]
        with open(report, "w", encoding="utf-8") as file:
            json.dump({"lines": lines, "functions": functions}, file)


main()

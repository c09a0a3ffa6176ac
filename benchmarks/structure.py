"""How large the package is and how it hangs together, for one or two checkouts side by side.

Lines and files are those of Python under ``src/maxcode``. An import between modules is counted once
a pair of modules, wherever it stands in the file. Files that a candidate passes are those of which
at least one function was called from ``CppExecutor.evaluate`` on, or by ``maxcode optimize`` with
one evaluation, as the interpreter reports calls.

Usage: python benchmarks/structure.py CHECKOUT [OTHER_CHECKOUT]; the last is named "after", and what
the file holds under other names stays
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import tempfile
import tomllib
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

from common import RESULTS, ROOT, machine, save

_TRACE = """
import json, sys, threading
files = set()
def trace(frame, event, arg):
    if "/src/maxcode/" in frame.f_code.co_filename and frame.f_code.co_name != "<module>":
        files.add(frame.f_code.co_filename)
def start():
    threading.setprofile(trace)
    sys.setprofile(trace)
def end():
    sys.setprofile(None)
    print("FILES", json.dumps(sorted(files)))
"""
_EVALUATE = """
from pathlib import Path
from maxcode import CppExecutor, ProcessSandbox, Program
from maxcode.tasks import load_task
task = load_task(TASK)
with CppExecutor(ProcessSandbox()) as executor:
    executor.prepare(task)
    text = task.baseline.files[task.baseline.entry]
    start()
    executor.evaluate(task, Program.of(text + "// changed\\n", task.baseline.entry))
    end()
"""
_OPTIMIZE = """
from maxcode.cli.main import app
start()
try:
    app(["optimize", TASK, "--budget", "evaluations=1", "--sandbox", "process",
         "--store", "runs.db", "--out", "out.cpp"])
except SystemExit:
    pass
end()
"""


def modules(checkout: Path) -> dict[str, Path]:
    """Paths of the package's modules by name."""
    found = {}
    for path in (checkout / "src" / "maxcode").rglob("*.py"):
        name = ".".join(path.relative_to(checkout / "src").with_suffix("").parts)
        found[name.removesuffix(".__init__")] = path
    return found


def imports(found: dict[str, Path]) -> dict[str, set[str]]:
    """What each module imports of the package, under ``TYPE_CHECKING`` and in functions, too."""
    graph: dict[str, set[str]] = {name: set() for name in found}
    for name, path in found.items():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("maxcode"):
                for alias in node.names:
                    inner = f"{node.module}.{alias.name}"
                    graph[name].add(inner if inner in found else str(node.module))
        graph[name].discard(name)
    return graph


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Circles of imports, one after the other, each broken at one place to find the next."""
    found, graph = [], {name: set(others) for name, others in graph.items()}
    while True:
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            circle = error.args[1]
            found.append(circle)
            graph[circle[1]].discard(circle[0])
        else:
            return found


def passed(checkout: Path, code: str, folder: Path) -> list[str]:
    """The files of the package of which the code calls a function."""
    task = checkout / "examples" / "cpp" / "prime_sieve"
    environment = {**os.environ, "PYTHONPATH": str(checkout / "src")}
    done = subprocess.run(
        [sys.executable, "-c", f"{_TRACE}\nTASK = {str(task)!r}\n{code}"],
        cwd=folder,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    line = next(line for line in done.stdout.splitlines() if line.startswith("FILES "))
    inside = str(checkout / "src" / "maxcode") + "/"
    return [file.removeprefix(inside) for file in json.loads(line.removeprefix("FILES "))]


def figures(checkout: Path, folder: Path) -> dict[str, Any]:
    """Of one checkout."""
    found = modules(checkout)
    graph = imports(found)
    settings = tomllib.loads((checkout / "pyproject.toml").read_text())["tool"]["importlinter"]
    lines = {name: len(path.read_text().splitlines()) for name, path in found.items()}
    return {
        "files": len(found),
        "lines": sum(lines.values()),
        "longest_file": max(lines.values()),
        "import_layers": max(len(one.get("layers", ())) for one in settings["contracts"]),
        "imports_between_modules": sum(map(len, graph.values())),
        "circles_of_modules": circles(graph),
        "files_passed_from_evaluate": len(passed(checkout, _EVALUATE, folder)),
        "files_passed_by_optimize": len(passed(checkout, _OPTIMIZE, folder)),
    }


def main() -> None:
    """Read the checkouts that were named and write the figures down."""
    given = [Path(name).resolve() for name in sys.argv[1:]] or [ROOT]
    with tempfile.TemporaryDirectory() as folder:
        names = ["after"] if len(given) == 1 else ["before", "after"]
        taken = {name: figures(one, Path(folder)) for name, one in zip(names, given, strict=True)}
    kept = json.loads((RESULTS / "structure.json").read_text())
    kept = {name: kept[name] for name in kept.keys() - {"taken", "machine"}}
    print(json.dumps(taken, indent=2))
    save("structure", kept | taken, machine())


if __name__ == "__main__":
    main()

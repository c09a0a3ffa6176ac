"""Documents for other programs: their keys and columns, with types."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.golden._command import COMPARISON, maxcode
from tests.golden._shapes import shape

from maxcode import Budget, Journal, MaxCodeLoop, Method, Observation, Program, ProgramTask, compare
from maxcode.comparison.documents import document
from maxcode.comparison.published import kernelbench_table, maxcode_table, pie_table
from maxcode.errors import GeneratorError
from maxcode.landscape import Landscape, LandscapeExecutor, LandscapeGenerator, Terrain
from maxcode.tasks import Judging, TestCase, save_task
from maxcode.testing import ScriptedGenerator

_SEARCH = (
    *("optimize", "landscape:size=4", "--generator", "landscape", "--policy", "maxcode-greedy"),
    *("--budget", "evaluations=2"),
)

_EVALUATION = ("rtg", "evaluate", "--model", "random")


def makers(store: str, folder: Path) -> dict[str, Callable[[], Any]]:
    """Functions that give the shape of each document of a store, by name."""
    kept = ("--store", store)

    def runs() -> Iterator[Any]:
        with Journal.open(store) as journal:
            yield from (_printed("show", run, *kept) for run in journal.run_ids())

    def steps() -> Iterator[Any]:
        for run in runs():
            for step in run["steps"][:2]:
                yield _printed("show", run["run_id"], "--step", step["id"], *kept)

    return {
        "optimize --json": lambda: shape(_printed(*_SEARCH, *_own(folder))),
        "resume --json": lambda: shape(_resumed(folder)),
        "runs --json": lambda: shape(_printed("runs", *kept)),
        "show --json": lambda: shape(*runs()),
        "show --step --json": lambda: shape(*steps()),
        "judge --audit --json": lambda: shape(_audited(folder)),
        "judge --json": lambda: shape(_judged(folder)),
        "compare --json": lambda: shape(_printed("compare", *COMPARISON, "--dry-run", *kept)),
        "bench --json": lambda: shape(_compared()),
        "rtg evaluate --json": lambda: shape(
            _printed("rtg", "evaluate", "--model", "random", *kept)
        ),
        "rtg dataset": lambda: _dataset(kept, folder / "dataset"),
        "export --to jsonl": lambda: _exported("jsonl", _rows, kept, folder),
        "export --to csv": lambda: _exported("csv", _header, kept, folder),
    }


def _own(folder: Path) -> tuple[object, ...]:
    return ("--store", folder / "own.db", "--out", folder / "best.txt")


def _resumed(folder: Path) -> Any:
    run = _printed(*_SEARCH, *_own(folder))["run_id"]
    return _printed("resume", run, "--budget", "evaluations=4", *_own(folder))


def _audited(folder: Path) -> Any:
    reference = folder / "broken.py"
    reference.write_text("import torch\n")
    done = maxcode("judge", reference, "--audit", "--sandbox", "process", "--json")
    return json.loads(done.stdout)


def _judged(folder: Path) -> Any:
    code = 'extern "C" int puts(const char *);\nint main() { puts("1"); }\n'
    tests = (TestCase("001", b"", b"1\n"),)
    task, same, broken = (folder / name for name in ("one", "same.cpp", "broken.cpp"))
    quick = Judging(flags=("-O0",))
    save_task(ProgramTask("one", "Print 1.", Program.of(code), tests=tests, judging=quick), task)
    same.write_text(code.replace("1", "1 "))
    broken.write_text("int main(")
    return _printed("judge", task, same, broken, "--sandbox", "process")


def _compared() -> Any:
    """With the tables of published work, and a run that failed."""

    def fail(observation: Observation, n: int) -> list[str]:
        raise GeneratorError("out of ideas")

    contest = compare(
        [
            Method("maxcode", MaxCodeLoop(k=2)),
            Method("failing", MaxCodeLoop(k=3), generator=ScriptedGenerator(fail)),
        ],
        [Landscape.on(Terrain(seed, size=4)) for seed in (1, 2)],
        generator=LandscapeGenerator(),
        executor=LandscapeExecutor(),
        budget=Budget(evaluations=2),
        seeds=1,
    )
    tables = [table(contest) for table in (maxcode_table, kernelbench_table, pie_table)]
    return document(contest, tables=tables)


def _dataset(kept: tuple[str, str], out: Path) -> Any:
    _done("rtg", "dataset", *kept, "--out", out, "--hold", "landscape:seed=2,size=5")
    read: dict[str, Callable[[Path], Any]] = {".jsonl": _rows, ".json": _whole}
    return {path.name: read.get(path.suffix, _text)(path) for path in sorted(out.iterdir())}


def _exported(to: str, read: Callable[[Path], Any], kept: tuple[str, str], folder: Path) -> Any:
    out = folder / to
    _done("store", "export", "--all", "--texts", "--to", to, "--out", out, *kept)
    return {path.name: read(path) for path in sorted(out.iterdir())}


def _done(*arguments: object) -> str:
    done = maxcode(*arguments)
    assert done.exit_code in (0, 1), done.stderr
    return done.stdout


def _printed(*arguments: object) -> Any:
    return json.loads(_done(*arguments, "--json"))


def _rows(path: Path) -> Any:
    return shape(*map(json.loads, path.read_text().splitlines()))


def _whole(path: Path) -> Any:
    return shape(json.loads(path.read_text()))


def _header(path: Path) -> str:
    with path.open(newline="", encoding="utf-8") as file:
        return ", ".join(next(csv.reader(file)))


def _text(_: Path) -> str:
    return "a text"

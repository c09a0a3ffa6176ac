"""Documents for other programs: their keys and columns, with types."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
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
    *("landscape:size=4", "--generator", "landscape", "--policy", "maxcode-greedy"),
    *("--budget", "evaluations=2"),
)


class Documents:
    """Documents of a store with golden journals; ``folder`` is for files."""

    def __init__(self, store: str, folder: Path) -> None:
        self._store = store
        self._folder = folder

    def makers(self) -> dict[str, Callable[[], Any]]:
        """Functions that give the shape of each document, by its name."""
        return {
            "optimize --json": self._optimize,
            "resume --json": self._resume,
            "runs --json": self._runs,
            "show --json": self._show,
            "show --step --json": self._show_step,
            "judge --audit --json": self._audit,
            "judge --json": self._judge,
            "compare --json": self._compare,
            "bench --json": self._bench,
            "rtg evaluate --json": self._evaluate,
            "rtg dataset": self._dataset,
            "export --to jsonl": lambda: self._export("jsonl", _rows),
            "export --to csv": lambda: self._export("csv", _header),
        }

    # -- printed ---------------------------------------------------------------------------------

    def _optimize(self) -> Any:
        out = self._folder / "best.txt"
        return shape(_printed("optimize", *_SEARCH, "--store", ":memory:", "--out", out))

    def _resume(self) -> Any:
        own = ("--store", self._folder / "own.db", "--out", self._folder / "best.txt")
        run = _printed("optimize", *_SEARCH, *own)["run_id"]
        return shape(_printed("resume", run, "--budget", "evaluations=4", *own))

    def _runs(self) -> Any:
        return shape(_printed("runs", "--store", self._store))

    def _show(self) -> Any:
        return shape(*self._shown())

    def _show_step(self) -> Any:
        steps = [
            _printed("show", run["run_id"], "--step", step["id"], "--store", self._store)
            for run in self._shown()
            for step in run["steps"][:2]
        ]
        return shape(*steps)

    def _shown(self) -> list[Any]:
        with Journal.open(self._store) as journal:
            return [_printed("show", run, "--store", self._store) for run in journal.run_ids()]

    def _audit(self) -> Any:
        reference = self._folder / "broken.py"
        reference.write_text("import torch\n")
        done = maxcode("judge", reference, "--audit", "--sandbox", "process", "--json")
        return shape(json.loads(done.stdout))

    # -- files -----------------------------------------------------------------------------------

    def _judge(self) -> Any:
        code = 'extern "C" int puts(const char *);\nint main() { puts("1"); }\n'
        tests = (TestCase("001", b"", b"1\n"),)
        task, same, broken = (self._folder / name for name in ("one", "same.cpp", "broken.cpp"))
        quick = Judging(flags=("-O0",))
        save_task(
            ProgramTask("one", "Print 1.", Program.of(code), tests=tests, judging=quick), task
        )
        same.write_text(code.replace("1", "1 "))
        broken.write_text("int main(")
        return shape(_printed("judge", task, same, broken, "--sandbox", "process"))

    def _compare(self) -> Any:
        return shape(_printed("compare", *COMPARISON, "--dry-run", "--store", self._store))

    def _bench(self) -> Any:
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
        return shape(document(contest, tables=tables))

    def _evaluate(self) -> Any:
        return shape(_printed("rtg", "evaluate", "--model", "random", "--store", self._store))

    def _dataset(self) -> Any:
        out = self._folder / "dataset"
        _done(
            *("rtg", "dataset", "--store", self._store, "--out", out),
            *("--hold", "landscape:seed=2,size=5"),
        )
        read = {".jsonl": _rows, ".json": _whole}
        return {path.name: read.get(path.suffix, _text)(path) for path in sorted(out.iterdir())}

    def _export(self, to: str, read: Callable[[Path], Any]) -> Any:
        out = self._folder / to
        _done(
            "store", "export", "--all", "--texts", "--to", to, "--out", out, "--store", self._store
        )
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

"""The command `verify`: a patch or a run's result, measured once more against the original."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from pydantic import JsonValue
from rich.table import Table

from maxcode.budget import Budget
from maxcode.cli.commands import Verify
from maxcode.cli.console import (
    figure_table,
    print_document,
    print_gaps,
    say,
    standard_output,
    tell_waits,
)
from maxcode.cli.plugins import make_executor
from maxcode.cli.recipe import Recipe
from maxcode.cli.tasks import load_source, sandbox_named
from maxcode.errors import InputError
from maxcode.evaluation import Comparison, Evaluation, Interval
from maxcode.executors.project.timing import each_benchmark
from maxcode.files import read_source
from maxcode.journal.journal import Journal
from maxcode.journal.state import RunState
from maxcode.options import MIN_GAIN
from maxcode.program import Program
from maxcode.report.closing import flags_of, without_flags
from maxcode.sandbox.base import Sandbox
from maxcode.search.result import Result
from maxcode.sources import shown, to_bytes
from maxcode.system import ScratchFolder, find_tool
from maxcode.task import Task
from maxcode.tasks.project import FLAGS_FILE, ProjectTask
from maxcode.text import factor

_NO_TEXT = re.compile(
    r"^(new file mode 1[26]0000|(old|new) mode \d+|GIT binary patch|Binary files|rename from .*)$",
    re.MULTILINE,
)
"""Lines of a patch for changes no program holds: links, modes, binaries, renames."""


def verify(request: Verify) -> int:
    """Build, test and measure it again; gives the exit code."""
    path = Path(request.source)
    if path.is_file():
        task = load_source(str(Path(request.task)))
        if not isinstance(task, ProjectTask):
            raise InputError(
                f"{request.task} is no project, and a patch is of one; name it: --task"
            )
        program, box = patched(task, path), sandbox_named(request.sandbox)
    elif path.suffix in (".patch", ".diff"):
        raise InputError(f"there is no file {request.source}")
    else:
        task, program, box = _of_run(request)
    with make_executor(task, box) as executor:
        tell_waits(executor)
        say("building, testing and timing the original")
        gaps = executor.prepare(task).gaps
        say("building, testing and timing the changed program")
        verdict = executor.evaluate(task, program)
        comparison = executor.compare(task, program, task.baseline) if verdict.ok else None
    faster = bool(comparison and comparison.ratio and comparison.ratio.faster(MIN_GAIN))
    if request.json:
        document = _document(task, verdict, comparison)
        print_document({**document, "gaps": list(gaps), "isolated": box.isolated})
    else:
        _print(task, verdict, comparison)
        print_gaps(standard_output(), gaps)
    return 0 if faster else 1


def patched(task: ProjectTask, patch: Path) -> Program:
    """The baseline with a patch, which may set flags as the patches of a search do.

    Raises :class:`InputError` for a patch that does not apply, or changes other files.
    """
    text = read_source(patch)
    baseline = task.baseline
    if odd := _NO_TEXT.search(text):
        raise InputError(f"{patch}: {odd[0]!r}: only texts of files are judged")
    sources = without_flags(baseline)
    changed = dict(sources.files)
    if re.search(r"^--- ", text, re.MULTILINE):
        found, problem = _applied(sources, text)
        if found is None:  # perhaps it was made with other line ends, or in another encoding
            found, _ = _applied(sources.shown(), shown(text))
        if found is None:
            raise InputError(f"{patch} does not apply to what may be changed:\n{problem}")
        whole = sources.with_files(found).files
        changed = {path: whole[path] for path in found}  # without those that it removes
    if (flags := flags_of(text)) is not None or FLAGS_FILE in baseline.files:
        changed[FLAGS_FILE] = baseline.files.get(FLAGS_FILE, "") if flags is None else f"{flags}\n"
    try:
        program = Program(changed, baseline.entry)
    except ValueError as error:
        raise InputError(f"{patch}: {error}") from error
    if program == baseline:
        raise InputError(f"{patch} changes nothing of {task.folder}")
    return program


def _applied(program: Program, patch: str) -> tuple[dict[str, str] | None, str]:
    """The texts of all files after a patch, None if it does not apply; and git's message."""
    with ScratchFolder("maxcode-patch-") as scratch:
        folder = scratch / "files"
        program.write(folder)
        options = ["-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", "-"]
        done = subprocess.run(
            [find_tool("git"), *options],
            cwd=folder,
            input=to_bytes(patch),
            capture_output=True,
            check=False,
        )
        if done.returncode != 0:
            return None, done.stderr.decode("utf-8", "replace").strip()
        paths = (path for path in folder.rglob("*") if path.is_file())
        return {path.relative_to(folder).as_posix(): read_source(path) for path in paths}, ""


def _of_run(request: Verify) -> tuple[Task, Program, Sandbox]:
    """Task, best program and sandbox of a run."""
    with Journal.open(request.store, create=False) as journal:
        state = RunState.load(journal.run(request.source))
        recipe = Recipe.of(state)
        result = Result.of(state)
        if not result.improved:
            raise InputError(f"run {result.run_id} found nothing faster that could be verified")
        built = recipe.build(Budget(), sandbox=request.sandbox)
        task, program = built.load_task(), result.program
        if state.started and state.started.task_digest != task.digest:
            raise InputError(
                f"the task of run {result.run_id} has changed since; put it back to measure again"
            )
        return task, program, built.sandbox


def _print(task: Task, verdict: Evaluation, comparison: Comparison | None) -> None:
    console = standard_output()
    if comparison is None:
        console.print(f"{task.name}: {verdict.status.replace('_', ' ')}: {verdict.feedback}")
        return
    if comparison.ratio is None:
        console.print(f"{task.name}: {comparison.problem}")
        return
    ratio = comparison.ratio
    if each := each_benchmark(comparison.first, comparison.second, ratio.level):
        console.print(_table(each))
        console.print()
    how = "faster" if ratio.faster(MIN_GAIN) else "slower" if ratio.high < 1 else "no faster"
    console.print(
        f"{task.name}: {factor(ratio.value)} ({how}), {100 * ratio.level:g}% interval "
        f"{factor(ratio.low)} to {factor(ratio.high)}, {len(comparison.first[0].samples)} pairs of "
        "fresh samples"
    )


def _table(each: dict[str, Interval]) -> Table:
    table = figure_table("benchmark", "speedup", "from", "to")
    for name, one in each.items():
        table.add_row(name, factor(one.value), factor(one.low), factor(one.high))
    return table


def _document(
    task: Task, verdict: Evaluation, comparison: Comparison | None
) -> dict[str, JsonValue]:
    ratio = comparison.ratio if comparison else None
    each: dict[str, Interval] = {}
    if comparison and ratio:
        each = each_benchmark(comparison.first, comparison.second, ratio.level)
    return {
        "task": task.name,
        "status": verdict.status.value,
        "problem": (comparison.problem if comparison else verdict.feedback) or None,
        "speedup": _as_document(ratio),
        "benchmarks": {name: _as_document(one) for name, one in each.items()},
    }


def _as_document(one: Interval | None) -> JsonValue:
    if one is None:
        return None
    return {"value": one.value, "low": one.low, "high": one.high, "level": one.level}

"""The commands `bench kernelbench`, `bench pie` and `bench folder`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from maxcode.cli.compare import (
    Match,
    run_comparison,
    sources_of,
)
from maxcode.cli.compare_commands import BenchFolder, BenchKernelBench, BenchPie
from maxcode.cli.console import check_writable, standard_error
from maxcode.cli.sources import load_source
from maxcode.comparison.contest import Contest
from maxcode.comparison.kernelbench import Problem, read_elsewhere, write_kernelbench
from maxcode.comparison.published import (
    PublishedTable,
    kernelbench_table,
    maxcode_table,
    pie_table,
)
from maxcode.errors import InputError
from maxcode.journal.journal import Journal
from maxcode.task import Task
from maxcode.tasks.kernel import MODES, KernelJudging
from maxcode.tasks.kernelbench import load_kernelbench
from maxcode.tasks.pie import load_pie

_NUMBERS = re.compile(r"(\d+)(?:-(\d+))?")


def kernelbench(request: BenchKernelBench) -> int:
    """Let methods compete on problems of KernelBench; gives the exit code."""
    if request.mode not in MODES:
        raise InputError(f"unknown mode {request.mode!r}; known: {', '.join(MODES)}")
    levels = _numbers("--level", request.level)
    ids = None if request.ids is None else _numbers("--ids", request.ids)
    if ids is not None and len(levels) > 1:
        raise InputError("--ids are numbers of one level; give one --level with them")
    judging = KernelJudging(mode=request.mode)
    tasks = [
        task
        for level in levels
        for task in load_kernelbench(
            request.root, level, judging, ids=ids, small=request.small, notes=_say
        )
    ]
    if request.theirs and request.small:
        raise InputError("--theirs has times of full sizes, which --small ones are not to stand by")
    elsewhere = _elsewhere(request.theirs or (), tasks)
    out = Path(request.eval_results).absolute() if request.eval_results else None
    if out:
        check_writable(out)

    def tables(contest: Contest) -> list[PublishedTable]:
        return _by_level(contest, tasks, elsewhere)

    def write(contest: Contest, journal: Journal) -> list[Path]:
        return write_kernelbench(contest, journal, out) if out else []

    return run_comparison(request, Match(tasks, tables=tables, write=write))


def pie(request: BenchPie) -> int:
    """Let methods compete on programs of PIE; gives the exit code."""
    tasks = load_pie(
        request.data, request.tests, limit=request.limit, compat=request.compat, notes=_say
    )
    return run_comparison(request, Match(tasks, tables=lambda c: [pie_table(c), maxcode_table(c)]))


def folder(request: BenchFolder) -> int:
    """Let methods compete on a collection of tasks; gives the exit code."""
    sources = list(sources_of(request.tasks, standard_error()))
    tasks = [load_source(source) for source in sources]
    return run_comparison(request, Match(tasks, sources, lambda c: [maxcode_table(c)]))


def _say(note: str) -> None:
    standard_error().print(f"note: {note}", soft_wrap=True, highlight=False)


def _by_level(
    contest: Contest, tasks: Sequence[Task], elsewhere: Mapping[str, tuple[float, ...]]
) -> list[PublishedTable]:
    """Both tables of each level, as levels are never mixed in published ones."""
    levels: dict[int, list[str]] = {}
    for task in tasks:
        levels.setdefault(Problem.of(task.name).level, []).append(task.name)
    tables = []
    for level, names in levels.items():
        part = contest.only(names)
        tables.append(kernelbench_table(part, f"level {level}", elsewhere))
        tables.append(maxcode_table(part, f"level {level}"))
    return tables


def _elsewhere(texts: Iterable[str], tasks: Sequence[Task]) -> dict[str, tuple[float, ...]]:
    """The speedups of methods that were run elsewhere, from ``NAME=RESULTS,BASELINE``."""
    found: dict[str, tuple[float, ...]] = {}
    for text in texts:
        name, named, files = text.partition("=")
        results, both, baseline = files.rpartition(",")
        if not (named and both and name and results and baseline):
            raise InputError(
                f"--theirs {text}: write it like NAME=eval_results.json,baseline_time_torch.json"
            )
        if name in found:
            raise InputError(f"--theirs names two methods {name!r}; tell them apart")
        found[name] = read_elsewhere(results, baseline, [task.name for task in tasks])
    return found


def _numbers(option: str, text: str) -> list[int]:
    """``1,19,30-39`` as numbers, each once. Raises :class:`InputError`."""
    found: dict[int, None] = {}
    for part in text.split(","):
        match = _NUMBERS.fullmatch(part.strip())
        if match is None:
            raise InputError(f"{option} takes numbers as in 1,19,30-39, not {part!r}")
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first:
            raise InputError(f"{option}: {part.strip()} goes backwards")
        found.update(dict.fromkeys(range(first, last + 1)))
    return list(found)

"""The commands `check` and `repair`: is a store what was written, and what of it can be kept."""

from __future__ import annotations

from maxcode.cli.commands import Check, Repair
from maxcode.cli.console import standard_error, standard_output
from maxcode.errors import InputError
from maxcode.journal.examine import Examined, examine, file_problems
from maxcode.journal.examine import repair as copy_whole
from maxcode.journal.journal import Journal
from maxcode.text import counted


def check(request: Check) -> int:
    """Print what is damaged; gives the exit code."""
    with Journal.open(request.store, create=False) as journal:
        problems = file_problems(journal)
        found = list(examine(journal))
        where = journal.store.where
    console = standard_output()
    for problem in problems:
        console.print(f"{where}: {problem}", soft_wrap=True)
    for run in found:
        for problem in run.problems:
            console.print(problem, soft_wrap=True)
    damaged = [run for run in found if run.problems]
    events = sum(run.events for run in found)
    console.print(
        f"{where}: {counted(len(found), 'run')}, {counted(events, 'whole event')}, "
        f"{len(damaged)} damaged{_unchecked(found)}",
        soft_wrap=True,
    )
    if not damaged and not problems:
        return 0
    standard_error().print(
        f"keep what is whole: maxcode store repair {where} --out NEW.db", soft_wrap=True
    )
    return 1


def _unchecked(found: list[Examined]) -> str:
    count = sum(run.unchecked for run in found)
    if not count:
        return ""
    return f"; {counted(count, 'event')} written before there were checksums, and only read"


def repair(request: Repair) -> int:
    """Copy what is whole, and print what of each damaged run was kept; gives the exit code."""
    if request.out == request.store:
        raise InputError(f"{request.out} is the damaged store; name a new one with --out")
    console = standard_output()
    runs = whole = 0
    with (
        Journal.open(request.store, create=False, read_only=True) as source,
        Journal.open(request.out) as target,
    ):
        for run in copy_whole(source, target):
            runs += 1
            whole += not run.problems
            for problem in run.problems:
                console.print(problem, soft_wrap=True)
            if run.problems:
                kept = counted(run.events, "event") if run.events else "nothing"
                console.print(f"run {run.run_id}: {kept} kept", soft_wrap=True)
        console.print(
            f"{target.store.where}: {counted(runs, 'run')}, {whole} of them whole", soft_wrap=True
        )
    return 0

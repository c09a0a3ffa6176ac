"""The commands `store merge`, `store check`, `store repair` and `store export`."""

from __future__ import annotations

from collections import Counter

from maxcode.cli.commands import Check, Export, Merge, Repair
from maxcode.cli.console import command, say, standard_output, tracked
from maxcode.errors import InputError, JournalError
from maxcode.journal.copying import examine
from maxcode.journal.copying import merge as merge_stores
from maxcode.journal.copying import repair as copy_whole
from maxcode.journal.journal import Journal, RunLog
from maxcode.redaction import without_password
from maxcode.report.datasets import DATASETS, export_dataset
from maxcode.report.tables import FORMATS
from maxcode.report.tables import export as write_tables
from maxcode.text import counted


def merge(request: Merge) -> int:
    """Copy the runs, and report how many of each store; gives the exit code."""
    if request.store in request.stores:
        target_name = without_password(str(request.store))
        raise InputError(f"{target_name} is where runs are copied to, so not one to copy from")
    for where in request.stores:  # before anything is copied
        Journal.open(where, create=False).close()
    forked = 0
    with Journal.open(request.store) as target:
        for where in request.stores:
            with Journal.open(where, create=False) as source:
                runs, name = list(merge_stores(source, target)), source.store.where
            found = Counter(one.copied for one in runs)
            forked += found["forked"]
            for one in (one for one in runs if one.copied == "forked"):
                say(f"run {one.run_id} went on in both stores, and was left in each as it is")
            say(
                f"{name}: {counted(found.total(), 'run')}, of which {found['new']} are new here, "
                f"{found['longer']} went on, and {found['known']} were here already"
            )
    return 1 if forked else 0


def check(request: Check) -> int:
    """Print damage; gives the exit code."""
    with Journal.open(request.store, create=False) as journal:
        found = list(examine(journal))
        where = journal.store.where
    problems = [problem for run in found for problem in run.problems]
    events = counted(sum(run.events for run in found), "whole event")
    damaged = sum(bool(run.problems) for run in found)
    lines = [*problems, f"{where}: {counted(len(found), 'run')}, {events}, {damaged} damaged"]
    standard_output().print("\n".join(lines), soft_wrap=True)
    if problems:
        say(f"keep what is whole: {command('store', 'repair', where, '--out', 'NEW.db')}")
    return 1 if problems else 0


def repair(request: Repair) -> int:
    """Copy whole events, and print how many of each damaged run; gives the exit code."""
    if request.out == request.store:
        raise InputError(f"{request.out} is the damaged store; name a new one with --out")
    lines = []
    with (
        Journal.open(request.store, create=False, read_only=True) as source,
        Journal.open(request.out) as target,
    ):
        runs = list(copy_whole(source, target))
        where = target.store.where
    for run in (one for one in runs if one.problems):
        kept = counted(run.events, "event") if run.events else "nothing"
        lines += [*run.problems, f"run {run.run_id}: {kept} kept"]
    whole = sum(not run.problems for run in runs)
    lines.append(f"{where}: {counted(len(runs), 'run')}, {whole} of them whole")
    standard_output().print("\n".join(lines), soft_wrap=True)
    return 0


def export(request: Export) -> int:
    """Export runs; gives the exit code."""
    if request.to not in (*FORMATS, *DATASETS):
        raise InputError(f"--to takes {', '.join((*FORMATS, *DATASETS))}, not {request.to!r}")
    left_out: list[JournalError] = []
    with Journal.open(request.store, create=False) as journal:
        logs = tracked(_wanted(journal, request))
        if request.to in DATASETS:
            count = export_dataset(logs, request.out, request.to, force=request.force)
            written = f"{counted(count, 'row')} for {request.to}, and a card in README.md"
        else:
            counts = write_tables(
                logs,
                request.out,
                request.to,
                texts=request.texts,
                force=request.force,
                unreadable=left_out.append if request.every else None,
            )
            written = ", ".join(f"{table} {count}" for table, count in counts.items())
    for error in left_out:
        say(f"left out: {error}")
    say(f"{request.out}: {written}")
    return 1 if left_out else 0


def _wanted(journal: Journal, request: Export) -> list[RunLog]:
    """The runs, each once; of a whole store the oldest first."""
    if request.every == bool(request.run_ids):
        raise InputError("name the runs to export, or give --all for those of the whole store")
    names = journal.run_ids()[::-1] if request.every else request.run_ids or ()
    return list({log.run_id: log for log in map(journal.run, names)}.values())

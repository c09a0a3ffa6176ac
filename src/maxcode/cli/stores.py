"""The commands `store merge`, `store check` and `store export`."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack

from maxcode.cli.commands import Check, Export, Merge
from maxcode.cli.console import command, say, standard_output, tracked
from maxcode.errors import InputError, JournalError
from maxcode.journal.copying import examine, repair
from maxcode.journal.copying import merge as merge_stores
from maxcode.journal.journal import Journal, RunLog
from maxcode.redaction import without_password
from maxcode.report.datasets import DATASETS, export_dataset
from maxcode.report.tables import export as write_tables
from maxcode.text import counted


def merge(request: Merge) -> int:
    """Copy the runs, and report how many of each store; gives the exit code."""
    if request.store in request.stores:
        target_name = without_password(str(request.store))
        raise InputError(f"{target_name} is where runs are copied to, so not one to copy from")
    for where in request.stores:  # before anything is copied
        Journal.open(where, create=False).close()
    code = 0
    with Journal.open(request.store) as target:
        for where in request.stores:
            with Journal.open(where, create=False) as source:
                runs, name = list(merge_stores(source, target)), source.store.where
            for one in (one for one in runs if one.copied == "forked"):
                say(f"run {one.run_id} went on in both stores, and was left in each as it is")
                code = 1
            found = Counter(one.copied for one in runs)
            say(
                f"{name}: {counted(found.total(), 'run')}, of which {found['new']} are new here, "
                f"{found['longer']} went on, and {found['known']} were here already"
            )
    return code


def check(request: Check) -> int:
    """Print damage, and copy what is whole if asked; gives the exit code."""
    if request.out and request.out == request.store:
        raise InputError(f"{request.out} is the store itself; name a new one with --out")
    with ExitStack() as stack:
        source = stack.enter_context(Journal.open(request.store, create=False, read_only=True))
        target = stack.enter_context(Journal.open(request.out)) if request.out else None
        found = list(repair(source, target) if target else examine(source))
        where = source.store.where
    damaged = [run for run in found if run.problems]
    lines = []
    for run in damaged:
        kept = f"run {run.run_id}: {counted(run.events, 'event')} kept"
        lines += [*run.problems, *[kept] * bool(target)]
    events = counted(sum(run.events for run in found), "whole event")
    lines.append(f"{where}: {counted(len(found), 'run')}, {events}, {len(damaged)} damaged")
    standard_output().print("\n".join(lines), soft_wrap=True)
    if damaged and not target:
        say(f"keep what is whole: {command('store', 'check', where, '--out', 'NEW.db')}")
    return 1 if damaged else 0


def export(request: Export) -> int:
    """Export runs; gives the exit code."""
    left_out: list[JournalError] = []
    with Journal.open(request.store, create=False) as journal:
        logs = tracked(_wanted(journal, request))
        if request.to in DATASETS:
            count = export_dataset(logs, request.out, request.to, force=request.force)
            written = f"{counted(count, 'row')} for {request.to}"
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

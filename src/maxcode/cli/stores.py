"""The commands `store merge` and `store export`."""

from __future__ import annotations

from collections import Counter

from maxcode.cli.commands import Export, Merge
from maxcode.cli.console import say, tracked
from maxcode.errors import InputError, JournalError
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


def export(request: Export) -> int:
    """Export runs; gives the exit code."""
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

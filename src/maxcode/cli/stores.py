"""The commands `store merge`, `store check`, `store repair` and `store export`."""

from __future__ import annotations

from collections import Counter

from maxcode.cli.commands import Check, Export, Merge, Repair
from maxcode.cli.console import command, say, standard_output, tracked
from maxcode.cli.loggers import make_logger
from maxcode.errors import InputError, JournalError, ToolError
from maxcode.journal.copying import examine
from maxcode.journal.copying import merge as merge_stores
from maxcode.journal.copying import repair as copy_whole
from maxcode.journal.journal import Journal, RunLog
from maxcode.redaction import without_password
from maxcode.report.datasets import DATASETS, export_dataset
from maxcode.report.loggers import RunLogger
from maxcode.report.tables import FORMATS, check_export
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
            for one in runs:
                if one.copied == "forked":
                    say(
                        f"run {one.run_id} went on in {name} and in {target.store.where}: it was "
                        "left in each as it is, and comparisons count what their own store holds",
                        style="yellow",
                    )
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
    damaged = [run for run in found if run.problems]
    problems = [problem for run in damaged for problem in run.problems]
    text = (
        f"{where}: {counted(len(found), 'run')}, "
        f"{counted(sum(run.events for run in found), 'whole event')}, {len(damaged)} damaged"
    )
    for line in (*problems, text):
        standard_output().print(line, soft_wrap=True)
    if problems:
        say(f"keep what is whole: {command('store', 'repair', where, '--out', 'NEW.db')}")
    return 1 if problems else 0


def repair(request: Repair) -> int:
    """Copy whole events, and print how many of each damaged run; gives the exit code."""
    if request.out == request.store:
        raise InputError(f"{request.out} is the damaged store; name a new one with --out")
    lines = []
    runs = whole = 0
    with (
        Journal.open(request.store, create=False, read_only=True) as source,
        Journal.open(request.out) as target,
    ):
        for run in copy_whole(source, target):
            runs += 1
            whole += not run.problems
            lines += run.problems
            if run.problems:
                kept = counted(run.events, "event") if run.events else "nothing"
                lines.append(f"run {run.run_id}: {kept} kept")
        lines.append(f"{target.store.where}: {counted(runs, 'run')}, {whole} of them whole")
    for line in lines:
        standard_output().print(line, soft_wrap=True)
    return 0


def export(request: Export) -> int:
    """Export runs; gives the exit code."""
    if request.to not in (*FORMATS, *DATASETS):
        logger = make_logger(request.to, (*FORMATS, *DATASETS))
        if request.out or request.texts or request.force:
            raise InputError(f"--out, --texts and --force are for files, not for --to {request.to}")
        with Journal.open(request.store, create=False) as journal:
            _log(_wanted(journal, request), logger, request)
        return 0
    if request.out is None:
        raise InputError(f"--to {request.to} writes files; say in which folder with --out DIR")
    if request.to in DATASETS:
        with Journal.open(request.store, create=False) as journal:
            logs = tracked(_wanted(journal, request))
            count = export_dataset(logs, request.out, request.to, force=request.force)
        say(f"{request.out}: {counted(count, 'row')} for {request.to}, and a card in README.md")
        return 0
    check_export(request.out, request.to, force=request.force)
    left_out: list[JournalError] = []
    with Journal.open(request.store, create=False) as journal:
        counts = write_tables(
            tracked(_wanted(journal, request)),
            request.out,
            request.to,
            texts=request.texts,
            force=request.force,
            unreadable=left_out.append if request.every else None,
        )
    for error in left_out:
        say(f"left out: {error}")
    rows = ", ".join(f"{table} {count}" for table, count in counts.items())
    say(f"{request.out}: {rows}")
    return 1 if left_out else 0


def _wanted(journal: Journal, request: Export) -> list[RunLog]:
    """The runs, each once; of a whole store the oldest first."""
    if request.every == bool(request.run_ids):
        raise InputError("name the runs to export, or give --all for those of the whole store")
    names = journal.run_ids()[::-1] if request.every else request.run_ids or ()
    return list({log.run_id: log for log in map(journal.run, names)}.values())


def _log(logs: list[RunLog], logger: RunLogger, request: Export) -> None:
    """Log runs elsewhere; of a whole store, runs cut off at their beginning are left out.

    Raises :class:`ToolError` at the first failure, since the next runs would fail, too.
    """
    logged = 0
    for log in tracked(logs):
        try:
            logger.replay(log)
            logged += 1
        except JournalError as error:
            if not request.every:
                raise
            say(f"not logged: {error}")
        except Exception as error:
            raise ToolError(
                f"cannot log run {log.run_id} to {request.to}: {type(error).__name__}: {error} "
                f"({logged} of {counted(len(logs), 'run')} logged)"
            ) from error
    say(f"{counted(logged, 'run')} logged to {request.to}")

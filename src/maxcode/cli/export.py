"""The command `store export`."""

from __future__ import annotations

from maxcode.cli.commands import Export
from maxcode.cli.console import say, tracked
from maxcode.cli.loggers import make_logger
from maxcode.errors import InputError, JournalError, ToolError
from maxcode.journal.journal import Journal, RunLog
from maxcode.report.loggers import RunLogger
from maxcode.report.tables import FORMATS, check_export
from maxcode.report.tables import export as write_tables
from maxcode.text import counted


def export(request: Export) -> int:
    """Export runs; gives the exit code."""
    if request.to not in FORMATS:
        logger = make_logger(request.to, FORMATS)
        if request.out or request.texts or request.force:
            raise InputError(f"--out, --texts and --force are for files, not for --to {request.to}")
        with Journal.open(request.store, create=False) as journal:
            _log(_wanted(journal, request), logger, request)
        return 0
    if request.out is None:
        raise InputError(f"--to {request.to} writes files; say in which folder with --out DIR")
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

"""The command `export`: runs as tables in files, or logged elsewhere."""

from __future__ import annotations

from collections.abc import Iterable

from rich.progress import track

from maxcode.cli.commands import Export
from maxcode.cli.console import standard_error
from maxcode.cli.loggers import KNOWN, make_logger, names_logger
from maxcode.errors import InputError, JournalError, ToolError
from maxcode.exporting import FORMATS, check_export
from maxcode.exporting import export as write_tables
from maxcode.journal import Journal, RunLog
from maxcode.observers import RunLogger
from maxcode.telling.words import counted


def export(request: Export) -> int:
    """Export runs; gives the exit code."""
    logged = names_logger(request.to)
    if not logged and request.to not in FORMATS:
        raise InputError(f"cannot export to {request.to!r}; known: {', '.join(FORMATS)}, {KNOWN}")
    logger = make_logger(request.to) if logged else None
    if logger and (request.out or request.texts or request.force):
        raise InputError(f"--out, --texts and --force are for files, not for --to {request.to}")
    if not logger:
        check_export(_folder(request), request.to, force=request.force)
    with Journal.open(request.store, create=False) as journal:
        logs = _wanted(journal, request)
        if logger:
            _log(logs, logger, request)
            return 0
        counts = write_tables(
            _tracked(logs), _folder(request), request.to, texts=request.texts, force=request.force
        )
    told = ", ".join(f"{table} {rows}" for table, rows in counts.items())
    standard_error().print(f"{request.out}: {told}", soft_wrap=True)
    return 0


def _log(logs: list[RunLog], logger: RunLogger, request: Export) -> None:
    """Log runs elsewhere; of a whole store those that were cut off at their beginning are left out.

    Raises :class:`ToolError` where that fails, since the next runs would fail, too.
    """
    logged, problems = 0, []
    for log in _tracked(logs):
        try:
            logger.replay(log)
        except JournalError as error:
            if not request.every:
                raise
            problems.append(f"not logged: {error}")
        except Exception as error:
            raise ToolError(
                f"cannot log run {log.run_id} to {request.to}: {type(error).__name__}: {error} "
                f"({logged} of {counted(len(logs), 'run')} logged)"
            ) from error
        else:
            logged += 1
    for line in (*problems, f"{counted(logged, 'run')} logged to {request.to}"):
        standard_error().print(line, soft_wrap=True)


def _folder(request: Export) -> str:
    if request.out is None:
        raise InputError(f"--to {request.to} writes files; say in which folder with --out DIR")
    return request.out


def _wanted(journal: Journal, request: Export) -> list[RunLog]:
    """The runs, each once; of a whole store the oldest first."""
    if request.every == bool(request.run_ids):
        raise InputError("name the runs to export, or give --all for those of the whole store")
    names = reversed(journal.run_ids()) if request.every else request.run_ids or ()
    return list({log.run_id: log for log in map(journal.run, names)}.values())


def _tracked(logs: list[RunLog]) -> Iterable[RunLog]:
    """The same; a screen shows how many are done."""
    console = standard_error()
    return track(logs, "runs", console=console, transient=True, disable=not console.is_terminal)

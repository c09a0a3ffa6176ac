"""The command `export`: runs as tables in files, or logged elsewhere."""

from __future__ import annotations

from collections.abc import Iterable

from rich.progress import track

from maxcode.cli.commands import Export
from maxcode.cli.console import standard_error
from maxcode.cli.loggers import KNOWN, make_logger, names_logger
from maxcode.errors import InputError
from maxcode.exporting import FORMATS, check_export
from maxcode.exporting import export as write_tables
from maxcode.journal import Journal, RunLog
from maxcode.report.words import counted


def export(request: Export) -> int:
    """Export runs; gives the exit code."""
    logged = names_logger(request.to)
    if not logged and request.to not in FORMATS:
        raise InputError(f"cannot export to {request.to!r}; known: {', '.join(FORMATS)}, {KNOWN}")
    logger = make_logger(request.to) if logged else None
    if logger and (request.out or request.texts):
        raise InputError(f"--out and --texts are for files, not for --to {request.to}")
    if not logger:
        check_export(_folder(request), request.to, force=request.force)
    with Journal.open(request.store, create=False) as journal:
        logs = _wanted(journal, request)
        if logger:
            for log in _tracked(logs):
                logger.replay(log)
            standard_error().print(f"{counted(len(logs), 'run')} logged to {request.to}")
            return 0
        counts = write_tables(
            _tracked(logs), _folder(request), request.to, texts=request.texts, force=request.force
        )
    told = ", ".join(f"{table} {rows}" for table, rows in counts.items())
    standard_error().print(f"{request.out}: {told}", soft_wrap=True)
    return 0


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

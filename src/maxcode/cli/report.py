"""The command `report`: runs as one page of HTML that opens offline."""

from __future__ import annotations

from pathlib import Path

from maxcode.cli.commands import Report
from maxcode.cli.console import standard_error
from maxcode.errors import InputError
from maxcode.journal import Journal
from maxcode.report.details import details
from maxcode.report.document import RunDocument
from maxcode.report.figures import check_figures
from maxcode.report.history import History
from maxcode.report.page import page
from maxcode.telling.words import counted, size


def report(request: Report) -> int:
    """Write the page; gives the exit code."""
    check_figures()
    out = Path(request.out)
    if out.is_dir():
        raise InputError(f"{out} is a folder; name the file to write with --out FILE")
    with Journal.open(request.store, read_only=True) as journal:
        logs = {log.run_id: log for log in map(journal.run, request.run_ids or ["last"])}
        histories = [History.of(log) for log in logs.values()]
        text = page(
            [RunDocument.of(history) for history in histories],
            {history.log.run_id: details(history) for history in histories},
            title=request.title or "",
        )
    try:
        written = out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {out}: {error.strerror or error}") from error
    told = counted(len(histories), "run")
    standard_error().print(f"{out}: {told}, {size(written)}", soft_wrap=True)
    return 0

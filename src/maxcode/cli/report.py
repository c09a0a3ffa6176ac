"""The commands `report` (a run as a page of HTML for offline use) and `view` (live, served)."""

from __future__ import annotations

import secrets
from pathlib import Path

import typer

from maxcode.cli.commands import Report, View
from maxcode.cli.console import check_token, say
from maxcode.errors import InputError
from maxcode.files import write_text
from maxcode.journal.journal import Journal
from maxcode.report.details import details, left_out
from maxcode.report.document import RunDocument
from maxcode.report.figures import check_figures
from maxcode.report.history import History
from maxcode.report.page import page
from maxcode.system import check_libraries
from maxcode.text import size


def report(request: Report) -> int:
    """Write the page; gives the exit code."""
    check_figures()
    out = Path(request.out)
    if out.is_dir():
        raise InputError(f"{out} is a folder; name the file to write with --out FILE")
    with Journal.open(request.store, read_only=True) as journal:
        history, most = History.of(journal.run(request.run_id)), request.details
        text = page(
            RunDocument.of(history), details(history, most), left_out=left_out(history, most)
        )
    write_text(out, text)
    say(f"{out}: run {history.log.run_id}, {size(len(text))}")
    return 0


def view(request: View) -> int:
    """Serve the view until it is interrupted; gives the exit code."""
    check_libraries("maxcode view needs", ("plotly", "starlette", "uvicorn"), "view")
    from maxcode.report.server import is_loopback, listen, make_app, make_server  # noqa: PLC0415 - an extra
    from maxcode.report.watching import Watch  # noqa: PLC0415 - an extra

    check_token("--token", request.token)
    token = request.token
    if token is None and not is_loopback(request.host):
        token = secrets.token_urlsafe(24)
    watch = Watch(request.store)
    with listen(request.host, request.port) as listening:
        host = f"[{request.host}]" if ":" in request.host else request.host
        port = listening.getsockname()[1]
        address = f"http://{host}:{port}/" + (f"?token={token}" if token else "")
        try:
            typer.echo(address)
            state = watch.newest(0).problem or f"reading {watch.where}"
            say(f"{state}; Ctrl-C ends the view")
            make_server(make_app(watch, token=token)).run(sockets=[listening])
        except KeyboardInterrupt:  # the way to end it
            typer.echo(err=True)  # the prompt goes to a line of its own, not behind ^C
        finally:
            watch.close()
    return 0

"""The command `mcp`: a task and a run, served to coding agents."""

from __future__ import annotations

import os
import secrets

from maxcode.budget import Budget
from maxcode.cli.commands import BUDGET, Mcp
from maxcode.cli.console import check_token, say
from maxcode.cli.plugins import make_executor
from maxcode.cli.tasks import load_source, sandbox_named, source_of
from maxcode.journal.journal import Journal
from maxcode.options import SUBMITTED, Options
from maxcode.system import check_libraries

TOKEN = "MAXCODE_MCP_TOKEN"  # noqa: S105 - the name of a variable


def mcp(request: Mcp) -> int:
    """Serve until the client has gone, or it is interrupted; gives the exit code."""
    check_libraries("maxcode mcp needs", ("mcp", "uvicorn"), "mcp")
    from maxcode.mcp.http import serve  # noqa: PLC0415 - an extra
    from maxcode.mcp.server import make_server  # noqa: PLC0415 - an extra
    from maxcode.mcp.submissions import SubmittedSearch  # noqa: PLC0415 - with the others

    given = os.environ.get(TOKEN)
    if request.http is not None:
        check_token(TOKEN, given)
    token = given or secrets.token_urlsafe(24)
    limits = BUDGET if request.budget is None and request.run is None else request.budget
    budget = None if limits is None else Budget.parse(limits)
    with Journal.open(request.store, create=request.run is None) as journal:
        journal.check_writable()
        source = source_of(request)
        task = load_source(source)
        recipe = {SUBMITTED: source}
        options = Options(fuzz=request.fuzz, minimise=request.minimise, recipe=recipe)
        log = journal if request.run is None else journal.run(request.run)
        with make_executor(task, sandbox_named(request.sandbox)) as executor:
            search = SubmittedSearch(task, executor, journal=log, budget=budget, options=options)
            say(f"{task.name}: run {search.search.run_id}, {search.search.budget}")
            server = make_server(search, folders=request.http is None)
            try:
                if request.http is None:
                    server.run("stdio")
                else:
                    serve(server, request.http, token)
            except KeyboardInterrupt:  # the way to end it
                pass
            finally:
                search.close()
    return 0

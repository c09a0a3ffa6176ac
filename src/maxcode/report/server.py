"""The live view: a store of runs over HTTP, for reading only."""

from __future__ import annotations

import hashlib
import secrets
import socket
from ipaddress import ip_address
from urllib.parse import urlsplit

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from maxcode.errors import InputError, MaxcodeError, RunNotFoundError
from maxcode.report.details import detail, shown
from maxcode.report.document import RunDocument
from maxcode.report.listing import Document, RunLine
from maxcode.report.page import page, rendered, run_data, several_data
from maxcode.report.watching import Seen, Watch
from maxcode.text import duration, interval, plain, price, when

_LISTED = 50
_MAX_LISTED = 1000
_FILES = ("maxcode.report", "assets"), ("plotly", "package_data")


def make_app(watch: Watch, *, token: str | None = None) -> ASGIApp:
    """The application: pages, and the data for their scripts.

    With ``token`` each request needs it. Without, requests have to name a loopback address.
    """
    view = _View(watch)
    routes = [
        Route("/", view.index),
        Route("/api/runs", view.runs),
        Route("/api/runs/{run}", view.run),
        Route("/api/runs/{run}/steps/{step}", view.step),
        Route("/api/several", view.several),
        Mount("/assets", StaticFiles(packages=[*_FILES])),
    ]
    app = Starlette(routes=routes, exception_handlers={MaxcodeError: _explain})
    return Guard(app, token)


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes any free port. Raises :class:`InputError` for an unavailable
    address."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(
            f"cannot listen at {host}, port {port}: {reason}; choose another with --port "
            "(0 takes any that is free) or --host"
        ) from error


def make_server(app: ASGIApp) -> uvicorn.Server:
    """The server of the application; ``run(sockets=[...])`` serves until SIGINT or SIGTERM."""
    config = uvicorn.Config(
        app, lifespan="off", ws="none", log_config=None, access_log=False, server_header=False
    )
    return uvicorn.Server(config)


class _View:
    """The handlers of the routes. Readers of the store run in threads."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch

    def index(self, request: Request) -> Response:
        """The list of runs, or the report of the runs named by ``run``."""
        if run_ids := _run_ids(request):
            return HTMLResponse(self._report(run_ids))
        limit = _limit(request)
        seen = _document(self._watch.newest(limit))
        return HTMLResponse(rendered("runs", seen=seen, more=min(10 * limit, _MAX_LISTED)))

    def runs(self, request: Request) -> Response:
        """The runs named by ``run``, else the newest: what pages ask for again and again."""
        run_ids = _run_ids(request)
        seen = self._watch.of(run_ids) if run_ids else self._watch.newest(_limit(request))
        return JSONResponse(shown(_document(seen)))

    def run(self, request: Request) -> Response:
        """The page's data of a run."""
        return JSONResponse(run_data(self._read(request.path_params["run"])[0]))

    def several(self, request: Request) -> Response:
        """The page's data of the runs named by ``run`` together."""
        return JSONResponse(several_data([self._read(one)[0] for one in _run_ids(request)]))

    def step(self, request: Request) -> Response:
        """Everything about a step."""
        number = _number(request.path_params["step"])
        if number is None:
            raise InputError("a step is named by its number")
        with self._watch.history(request.path_params["run"]) as history:
            return JSONResponse(detail(history, number))

    def _report(self, run_ids: list[str]) -> str:
        """The page of some runs, with how far they were when it was made."""
        read = {run_id: self._read(run_id) for run_id in run_ids}
        known = {run_id: f"{run.head.status} {last}" for run_id, (run, last) in read.items()}
        return page([run for run, _ in read.values()], known=known)

    def _read(self, run_id: str) -> tuple[RunDocument, int]:
        """A run's document, and the number of its last event."""
        with self._watch.history(run_id) as history:
            return RunDocument.of(history), history.state.last_event


def _explain(request: Request, error: Exception) -> Response:
    status = 404 if isinstance(error, RunNotFoundError | InputError) else 503
    if request.url.path.startswith("/api/"):
        return JSONResponse({"problem": plain(str(error))}, status)
    return PlainTextResponse(plain(f"{error}\n"), status)


def _run_ids(request: Request) -> list[str]:
    """The requested runs, each once."""
    return list(dict.fromkeys(request.query_params.getlist("run")))


def _limit(request: Request) -> int:
    given = _number(request.query_params.get("limit", ""))
    return min(given, _MAX_LISTED) if given else _LISTED


def _number(given: str) -> int | None:
    """A number of at most nine digits; None of anything else."""
    return int(given) if given.isdecimal() and len(given) < 10 else None


def _document(seen: Seen) -> Document:
    return {
        "runs": [_row(run) for run in seen.runs],
        "total": seen.total,
        "problem": seen.problem,
    }


def _row(line: RunLine) -> Document:
    """A run as the list shows it, in words."""
    row, best = line.row, line.best
    return {
        "run_id": row.run,
        "task": row.task or row.reason,  # of an unreadable run nothing else is known
        "status": row.status,
        "reason": line.why,
        "speedup": f"{interval(best)}{'' if row.confirmed else ', not confirmed'}" if best else "",
        "evaluations": f"{row.evaluations:,}",
        "seconds": duration(row.seconds),
        "cost": price(row.dollars, row.unpriced_tokens) if row.tokens or row.dollars else "",
        "updated": when(line.updated) if line.updated is not None else "",
        "searched_by": ", ".join(filter(None, (row.policy, row.generator))),
        "last_event": line.last_event,
    }


_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Guard:
    """Lets only readers through, and only with the token where there is one.

    The token comes in the header ``Authorization: Bearer``, or as ``?token=``, which sets a cookie
    for later requests and is taken out of the address. Without a token a request must name a
    loopback address: a foreign page whose name was made to point here (DNS rebinding) names itself.
    """

    def __init__(self, app: ASGIApp, token: str | None) -> None:
        self._app = app
        self._token = token
        # Not the token itself: browsers send cookies to all ports of a machine.
        self._pass = hashlib.sha256(f"cookie of {token}".encode()).hexdigest()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: D102 - ASGI's
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(_HEADERS)
                # A file is kept by the browser, and asked about again.
                headers.setdefault("Cache-Control", "no-cache" if "ETag" in headers else "no-store")
            await send(message)

        answer = self._instead(Request(scope)) or self._app
        await answer(scope, receive, guarded)

    def _instead(self, request: Request) -> Response | None:
        """The answer to a refused or redirected request."""
        if request.method not in ("GET", "HEAD"):
            return PlainTextResponse("this can only be read\n", 405, {"Allow": "GET, HEAD"})
        if self._token is None:
            if is_loopback(_host(request.headers.get("host", ""))):
                return None
            return PlainTextResponse("this address is not served here\n", 421)
        bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
        shown = request.cookies.get(_cookie(request), "")
        if secrets.compare_digest(shown.encode(), self._pass.encode()) or self._is_token(bearer):
            return None
        if self._is_token(request.query_params.get("token", "")):
            return self._welcome(request)
        problem = "a token is needed: open the address that maxcode view has printed\n"
        return PlainTextResponse(problem, 401, {"WWW-Authenticate": "Bearer"})

    def _is_token(self, given: str) -> bool:
        return secrets.compare_digest(given.encode(), (self._token or "").encode())

    def _welcome(self, request: Request) -> Response:
        """Redirect to the page without the token in its address; the token is kept."""
        url = request.url.remove_query_params("token")
        # What begins with two slashes would be another machine's address.
        path = "/" + url.path.lstrip("/") + (f"?{url.query}" if url.query else "")
        response = RedirectResponse(path, 303)
        response.set_cookie(_cookie(request), self._pass, httponly=True, samesite="lax")
        return response


def is_loopback(host: str) -> bool:
    """Whether a host, by its name or address, is this machine alone."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _host(authority: str) -> str:
    """The host of a request; empty for none."""
    try:
        return urlsplit(f"//{authority}").hostname or ""
    except ValueError:
        return ""


def _cookie(request: Request) -> str:
    """The cookie's name. Browsers send cookies to all ports: each view has its own."""
    port = request.headers["host"].rpartition(":")[2]
    return f"maxcode-view-{port if port.isdecimal() else 80}"

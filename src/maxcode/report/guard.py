"""Who may read over HTTP, and what a browser may do with what it reads."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection
from ipaddress import ip_address

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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

    A request must name this machine: by a number, as ``localhost``, or by one of ``hosts``. A page
    elsewhere, whose name was made to point here (DNS rebinding), names itself instead. The token
    comes in the header ``Authorization: Bearer``, or as ``?token=``, which sets a cookie that
    serves from then on and takes it out of the address.
    """

    def __init__(self, app: ASGIApp, *, hosts: Collection[str] = (), token: str | None) -> None:
        self._app = app
        self._hosts = {"localhost", *(host.lower() for host in hosts)}
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
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        answer = self._instead(Request(scope)) or self._app
        await answer(scope, receive, guarded)

    def _instead(self, request: Request) -> Response | None:
        """The answer to a request that does not get through as it is."""
        if not self._names_us(request.headers.get("host", "")):
            return PlainTextResponse("this address is not served here\n", 421)
        if request.method not in ("GET", "HEAD"):
            return PlainTextResponse("this can only be read\n", 405, {"Allow": "GET, HEAD"})
        if self._token is None:
            return None
        bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
        shown = request.cookies.get(_cookie(request), "")
        if secrets.compare_digest(shown.encode(), self._pass.encode()) or self._is_token(bearer):
            return None
        if self._is_token(request.query_params.get("token", "")):
            return self._welcome(request)
        told = "a token is needed: open the address that maxcode view has printed\n"
        return PlainTextResponse(told, 401, {"WWW-Authenticate": "Bearer"})

    def _names_us(self, authority: str) -> bool:
        host, _, port = authority.rpartition(":")
        if not host or not port.isdigit():
            host = authority
        try:
            ip_address(host.removeprefix("[").removesuffix("]"))
        except ValueError:
            return host.lower().removesuffix(".") in self._hosts
        return True

    def _is_token(self, given: str) -> bool:
        return secrets.compare_digest(given.encode(), (self._token or "").encode())

    def _welcome(self, request: Request) -> Response:
        """The same page without the token in its address, which is kept and passed on."""
        url = request.url.remove_query_params("token")
        # What begins with two slashes would be another machine's address.
        path = "/" + url.path.lstrip("/") + (f"?{url.query}" if url.query else "")
        response = RedirectResponse(path, 303)
        response.set_cookie(_cookie(request), self._pass, httponly=True, samesite="lax")
        return response


def _cookie(request: Request) -> str:
    """The cookie's name. Browsers send cookies to all ports: each view has its own."""
    port = request.headers["host"].rpartition(":")[2]
    return f"maxcode-view-{port if port.isdecimal() else 80}"

"""A server over HTTP: on this machine alone, and with a token."""

from __future__ import annotations

import secrets
import socket
from typing import Any

import typer
import uvicorn
from mcp.server.mcpserver import MCPServer
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from maxcode.errors import InputError

_HOST = "127.0.0.1"


def serve(server: MCPServer[Any], port: int, token: str) -> None:
    """Serve at that port of 127.0.0.1, or any for 0, and print the address and the token.

    Raises :class:`~maxcode.errors.InputError` for an unavailable port.
    """
    try:
        listening = socket.create_server((_HOST, port))
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"cannot listen at {_HOST}, port {port}: {reason}") from error
    with listening:
        app = _guarded(server.streamable_http_app(host=_HOST), token)
        typer.echo(f"http://{_HOST}:{listening.getsockname()[1]}/mcp")
        typer.echo(f"Authorization: Bearer {token}")
        config = uvicorn.Config(
            app, ws="none", log_config=None, access_log=False, server_header=False
        )
        uvicorn.Server(config).run(sockets=[listening])


def _guarded(app: ASGIApp, token: str) -> ASGIApp:
    """Let only requests with the token through, in the header ``Authorization: Bearer``."""
    refused = PlainTextResponse("a token is needed\n", 401, {"WWW-Authenticate": "Bearer"})

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        given = Request(scope).headers.get("authorization", "") if scope["type"] == "http" else ""
        known = secrets.compare_digest(given.encode(), f"Bearer {token}".encode())
        passes = known or scope["type"] == "lifespan"
        await (app if passes else refused)(scope, receive, send)

    return guarded

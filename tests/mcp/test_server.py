"""``maxcode mcp`` as agents meet it: through the SDK's client, in a process of its own."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import httpx2
import pytest
from tests._later import Later

from maxcode.budget import Budget
from maxcode.cli.recipe import Recipe
from maxcode.errors import InputError
from maxcode.journal.journal import Journal
from maxcode.journal.state import RunState
from maxcode.program import Program
from maxcode.sources import from_bytes, to_bytes
from maxcode.tasks.program import ProgramTask, TestCase, save_task

pytestmark = pytest.mark.slow

if TYPE_CHECKING:
    from mcp.client import client as clients
    from mcp.client import stdio
    from mcp.client import streamable_http as http
else:
    clients, stdio, http = (
        Later(f"mcp.client.{name}") for name in ("client", "stdio", "streamable_http")
    )

LANDSCAPE = "landscape:seed=3"


def parameters(store: Path, *options: str, task: str = LANDSCAPE) -> stdio.StdioServerParameters:
    arguments = ["-m", "maxcode.cli.main", "mcp", task, "--store", str(store), *options]
    return stdio.StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))


@asynccontextmanager
async def connected(
    store: Path, *options: str, task: str = LANDSCAPE
) -> AsyncIterator[clients.Client]:
    server = stdio.stdio_client(parameters(store, *options, task=task))
    async with clients.Client(server) as client:
        yield client


def content(result: Any) -> Any:
    assert not result.is_error, result.content
    return result.structured_content


def text(result: Any) -> str:
    return str(result.contents[0].text)


def refusal(result: Any) -> str:
    assert result.is_error, result.structured_content
    return str(result.content[0].text)


def test_an_agent_has_programs_judged_and_its_steps_are_those_of_a_run(tmp_path: Path) -> None:
    store = tmp_path / "runs.db"

    async def agent() -> None:
        async with connected(store, "--budget", "evaluations=3") as client:
            assert client.server_info is not None
            assert client.server_info.version == version("maxcode")
            tools = {tool.name for tool in (await client.list_tools()).tools}
            assert tools == {*("try", "submit", "compare", "profile", "best", "history", "report")}
            uris = {str(one.uri) for one in (await client.list_resources()).resources}
            assert uris == {"maxcode://task"}
            assert "files" not in content(await client.call_tool("best"))
            best = content(await client.call_tool("best", {"in_full": True}))
            ((name, code),) = best["files"].items()
            assert code.strip() in text(await client.read_resource("maxcode://task"))
            changed = _changed(code, 1)
            looked = content(await client.call_tool("try", {"code": changed}))
            assert looked["status"] in {"ok", "wrong_answer", "build_error", "runtime_error"}
            await _refuses_wrong_input(client, tmp_path)  # and nothing has become a step

            first = content(
                await client.call_tool("submit", {"files": {name: changed}, "summary": "site 0"})
            )
            assert (first["id"], first["parent"], first["summary"]) == (1, 0, "site 0")
            assert first["evaluations_spent"] == 1
            patch = Program.of(code, name).diff(Program.of(_changed(code, 2), name))
            second = content(await client.call_tool("submit", {"patch": patch, "base": 0}))
            assert (second["id"], second["parent"]) == (2, 0)
            again = content(await client.call_tool("submit", {"code": changed, "base": 0}))
            assert again["duplicate_of"] == 1
            assert again["evaluations_spent"] == 2
            ratio = content(await client.call_tool("compare", {"a": 0, "b": 0}))["ratio"]
            assert ratio["low"] <= 1 <= ratio["high"]
            known = content(await client.call_tool("history"))
            assert [step["id"] for step in known["steps"]] == [0, 1, 2, 3]
            assert again["over"] is None
            last = content(await client.call_tool("submit", {"code": _changed(code, 3)}))
            assert (last["evaluations_spent"], last["over"]) == (3, "budget spent: evaluations")
            late = refusal(await client.call_tool("submit", {"code": _changed(code, 2) + "x"}))
            assert "budget spent: evaluations" in late
            ended = content(await client.call_tool("report"))
            assert ended["status"] == "done"
            assert {"changed_lines", "needs"} <= ended["best"].keys()
            assert "files" not in ended["best"]

    anyio.run(agent)
    with Journal.open(store) as journal:
        state = RunState.load(journal.run("last"))
    assert [step.tags for step in list(state.tree)[1:]] == [("submitted",)] * 4
    assert state.stopped is not None
    assert state.stopped.status == "done"
    command = f"maxcode mcp {LANDSCAPE} --continue {state.log.run_id}"
    with pytest.raises(InputError, match=command):
        Recipe.of(state)


async def _refuses_wrong_input(client: clients.Client, folder: Path) -> None:
    for arguments, said in (
        ({}, "give one of code, files, patch, folder, not 0"),
        ({"code": "x", "patch": "y"}, "not 2 of them"),
        ({"code": "x", "base": 7}, "no step 7"),
        ({"patch": "no patch"}, "no hunk"),
        ({"files": {"../x": "y"}}, "'../x'"),
        ({"folder": str(folder)}, "holds none of"),
    ):
        assert said in refusal(await client.call_tool("submit", arguments))
    assert "no step -1" in refusal(await client.call_tool("compare", {"a": -1}))
    assert len(content(await client.call_tool("history"))["steps"]) == 1


def test_what_is_submitted_keeps_line_ends_and_encoding(tmp_path: Path) -> None:
    code = b'// Jos\xe9\r\n#include <cstdio>\r\nint main() {\r\n    puts("1");\r\n}\r\n'
    program = Program.of(from_bytes(code))
    tests = (TestCase("001", b"", b"1\n"),)
    save_task(ProgramTask("one", "", program, tests=tests), tmp_path / "one")
    store = tmp_path / "runs.db"

    async def agent() -> None:
        options = ("--budget", "evaluations=2", "--sandbox", "process", "--fuzz", "0")
        async with connected(store, *options, task=str(tmp_path / "one")) as client:
            full = content(await client.call_tool("best", {"in_full": True}))
            ((name, shown),) = full["files"].items()
            assert shown == code.decode("latin-1").replace("\r\n", "\n")
            task = text(await client.read_resource("maxcode://task"))
            assert shown.strip() in task
            assert "1 test, " in task
            assert "## The machine it runs on" in task
            changed = shown.replace("{\n", "{  // by m\N{LATIN SMALL LETTER E WITH ACUTE}\n")
            patch = Program.of(shown, name).diff(Program.of(changed, name))
            for given in ({"patch": patch}, {"code": changed}):
                content(await client.call_tool("submit", {**given, "base": 0}))

    anyio.run(agent)
    with Journal.open(store) as journal:
        _, first, again = RunState.load(journal.run("last")).tree
    assert to_bytes(first.program.code) == code.replace(b"{\r\n", b"{  // by m\xe9\r\n")
    assert again.duplicate_of == first.id


def test_who_was_disconnected_goes_on_with_the_run(tmp_path: Path) -> None:
    store = tmp_path / "runs.db"
    codes: list[str] = []

    async def agent(number: int, *options: str) -> None:
        async with connected(store, *options) as client:
            best = content(await client.call_tool("best", {"in_full": True}))
            (code,) = best["files"].values()
            codes.append(code)
            step = content(
                await client.call_tool("submit", {"code": _changed(codes[0], number), "base": 0})
            )
            assert step["id"] == number

    anyio.run(agent, 1, "--budget", "7")
    anyio.run(agent, 2, "--continue", "last")
    with Journal.open(store) as journal:
        assert len(journal.run_ids()) == 1
        state = RunState.load(journal.run("last"))
        assert (len(state.tree), state.budget) == (3, Budget(evaluations=7))


def test_http_needs_the_token(tmp_path: Path) -> None:
    async def agent() -> None:
        arguments = parameters(tmp_path / "runs.db", "--http", "0").args
        process = await anyio.open_process(
            [sys.executable, "-u", *arguments],
            env={**os.environ, "MAXCODE_MCP_TOKEN": "correct-horse"},
            stderr=None,
        )
        try:
            assert process.stdout is not None
            printed = b""
            while printed.count(b"\n") < 2:
                printed += await process.stdout.receive()
            url = printed.decode().splitlines()[0]
            async with httpx2.AsyncClient() as bare:
                for header in ({}, {"Authorization": "Bearer wrong-token"}):
                    assert (await bare.post(url, json={}, headers=header)).status_code == 401
            headers = {"Authorization": "Bearer correct-horse"}
            async with (
                httpx2.AsyncClient(headers=headers, timeout=30) as known,
                clients.Client(http.streamable_http_client(url, http_client=known)) as client,
            ):
                assert content(await client.call_tool("best"))["id"] == 0
                said = refusal(await client.call_tool("try", {"folder": str(tmp_path)}))
                assert "takes no folders" in said
                assert not content(await client.call_tool("history"))["over"]
        finally:
            process.terminate()
            await process.wait()

    anyio.run(agent)


def _changed(code: str, choice: int) -> str:
    """Another point of the landscape."""
    return code.replace("site 0: choice 0", f"site 0: choice {choice}")


@pytest.fixture(autouse=True)
def _anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

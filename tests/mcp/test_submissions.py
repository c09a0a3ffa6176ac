"""Submissions, progress and cancelled calls, through the SDK's client within this process."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from typing import TYPE_CHECKING

import anyio
import pytest
from tests._later import Later

from maxcode.budget import Budget
from maxcode.errors import InputError
from maxcode.evaluation import Status
from maxcode.journal.journal import Journal
from maxcode.mcp.submissions import SubmittedSearch
from maxcode.options import Options
from maxcode.program import Program
from maxcode.testing import ScriptedExecutor, toy_task, toy_verdict

if TYPE_CHECKING:
    from mcp.client import client as clients

    from maxcode.mcp import server
else:
    clients, server = Later("mcp.client.client"), Later("maxcode.mcp.server")

Make = Callable[..., SubmittedSearch]


class Held(ScriptedExecutor):
    """Judges once it is let go."""

    def __init__(self) -> None:
        super().__init__(toy_verdict, delay=self._held)
        self.begun, self.go = Event(), Event()

    def _held(self, program: Program) -> float:
        self.begun.set()
        self.go.wait(30)
        return 0.0


@pytest.fixture
def make(journal: Journal) -> Make:
    """Makes a search that was started."""

    def made(executor: ScriptedExecutor | None = None) -> SubmittedSearch:
        search = SubmittedSearch(
            toy_task(),
            executor or ScriptedExecutor(toy_verdict),
            journal=journal,
            budget=Budget(evaluations=5),
            options=Options(minimise=0),
        )
        search.start()
        return search

    return made


def _program(text: str) -> Program:
    return toy_task().baseline.with_code(text)


def test_what_is_submitted_becomes_a_step_and_the_best_is_confirmed(make: Make) -> None:
    search = make()
    search.wait_until_ready()
    one = search.submit(_program("2.0\n"), 0, "twice")
    two = search.submit(_program("3.0\n"), 0)
    assert one.done.result(30).summary == "twice"
    assert two.done.result(30).id == 2
    search.finish()
    assert search.over
    assert search.reason == "the agent finished it"
    assert search.tree.best.id == 2
    assert search.tree.confirmed(2) is not None
    late = search.submit(_program("4.0\n"), 0)
    with pytest.raises(InputError, match="the search is over"):
        late.done.result(30)


def test_what_is_cancelled_before_its_turn_is_never_judged(make: Make) -> None:
    executor = Held()
    search = make(executor)
    search.wait_until_ready()
    one = search.submit(_program("2.0\n"), 0)
    two = search.submit(_program("3.0\n"), 0)
    assert executor.begun.wait(30)
    assert not one.done.cancel()  # it is under way, and becomes a step
    assert two.done.cancel()
    executor.go.set()
    assert one.done.result(30).id == 1
    search.finish()
    assert len(search.tree) == 2
    assert executor.count("evaluate") == 1


def test_a_search_that_was_closed_goes_on_where_it_was(make: Make, journal: Journal) -> None:
    search = make()
    search.wait_until_ready()
    search.submit(_program("2.0\n"), 0).done.result(30)
    search.close()
    stopped = search.search.state.stopped
    assert stopped is not None
    assert stopped.status == "interrupted"
    again = SubmittedSearch(toy_task(), ScriptedExecutor(toy_verdict), journal=journal.run("last"))
    again.start()
    again.wait_until_ready()
    assert again.submit(_program("3.0\n"), 1).done.result(30).id == 2
    again.close()


def test_a_baseline_that_cannot_be_judged_is_told(make: Make) -> None:
    search = make(ScriptedExecutor({toy_task().baseline.code: Status.BUILD_ERROR}))
    with pytest.raises(InputError, match="its baseline fails: build_error"):
        search.wait_until_ready()
    search.close()


@pytest.mark.slow
def test_progress_is_told_and_a_cancelled_call_leaves_the_server_usable(make: Make) -> None:
    executor = Held()
    search = make(executor)
    told: list[tuple[float, str | None]] = []
    scopes: list[anyio.CancelScope] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, message))
        if len(told) == 2:
            scopes[0].cancel()

    async def agent() -> None:
        async with clients.Client(server.make_server(search)) as client:
            with anyio.CancelScope() as scope:
                scopes.append(scope)
                await client.call_tool("submit", {"code": "2.0\n"}, progress_callback=note)
            assert scope.cancelled_caught
            executor.go.set()
            result = await client.call_tool("submit", {"code": "3.0\n"})
            assert result.structured_content is not None
            assert result.structured_content["id"] == 2  # the first was seen through
            history = await client.call_tool("history")
            assert history.structured_content is not None
            assert len(history.structured_content["steps"]) == 3

    anyio.run(agent)
    search.close()
    assert told[0][0] < told[1][0]
    assert "building, testing and timing it" in str(told[1][1])

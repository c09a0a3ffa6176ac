"""Judging on a cluster: two nodes on this machine, and one more that is killed."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from threading import Thread
from time import monotonic, sleep
from typing import Any

import pytest
from tests._later import Later, needs
from typer.testing import CliRunner

from maxcode.budget import Budget
from maxcode.cli.main import app
from maxcode.errors import ToolError
from maxcode.evaluation import Evaluation, Status
from maxcode.executors.ray import lanes as lanes_module
from maxcode.executors.ray import worker
from maxcode.executors.ray.executor import RayExecutor
from maxcode.executors.ray.lanes import RayLanes
from maxcode.interfaces import Executor
from maxcode.journal.events import Evaluated, Event
from maxcode.journal.state import RunState
from maxcode.options import Options
from maxcode.policies.best_of_n import BestOfN
from maxcode.program import Program
from maxcode.search.search import Search
from maxcode.task import Task
from maxcode.testing import (
    Broken,
    ExecutorContract,
    ScriptedExecutor,
    Verdicts,
    outline,
    sample_task,
    toy_search,
    toy_task,
    toy_verdict,
)

ray: Any = Later("ray")
pytestmark = [pytest.mark.slow, needs("ray"), pytest.mark.filterwarnings("default")]  # of Ray's own
SMALL = {"num_cpus": 0, "object_store_memory": 80 << 20}
TWICE = Program.of("2.0", "number.txt")
SCRIPT: Verdicts = {"fast": 2.0, "wrong": Status.WRONG_ANSWER}


def patiently(start: Callable[[], Any]) -> Any:
    """What starts; on a busy machine Ray gives up after 30 seconds."""
    for _ in range(3):
        with suppress(Exception):
            return start()
    return start()


def until(done: Callable[[], bool], seconds: float = 120.0) -> bool:
    """Wait for it, on a machine that may be busy; whether it came."""
    deadline = monotonic() + seconds
    while not done():
        if monotonic() > deadline:
            return False
        sleep(0.01)
    return True


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    os.environ["RAY_AUTH_MODE"] = "disabled"  # whatever token this machine has
    sooner = {"health_check_period_ms": 1000, "health_check_failure_threshold": 3}
    head = {**SMALL, "include_dashboard": False, "_system_config": sooner}
    start = pytest.importorskip("ray.cluster_utils").Cluster
    lanes = {"resources": {"lane": 2}}
    cluster = patiently(lambda: start(initialize_head=True, head_node_args={**head, **lanes}))
    patiently(lambda: cluster.add_node(**SMALL, **lanes))
    yield cluster
    ray.shutdown()
    cluster.shutdown()
    del os.environ["RAY_AUTH_MODE"]


@pytest.fixture(scope="module")
def lanes(cluster: Any) -> Iterator[RayLanes]:
    """One lane on each of the two nodes."""
    with RayLanes(cluster.address, 2) as lanes:
        lanes.settle()
        yield lanes


class TestContract(ExecutorContract):
    @pytest.fixture(autouse=True)
    def _lanes(self, lanes: RayLanes) -> None:
        self.lanes = lanes

    def make(self) -> Executor:
        return RayExecutor(partial(ScriptedExecutor, SCRIPT), self.lanes)

    def task(self) -> Task:
        return sample_task()

    def faster(self) -> Program:
        return Program.of("fast")

    def broken(self) -> Sequence[Broken]:
        return [(Program.of("wrong"), frozenset({Status.WRONG_ANSWER}))]


def waiting_executor(lanes: RayLanes, seconds: float) -> RayExecutor:
    return RayExecutor(lambda: ScriptedExecutor(toy_verdict, delay=seconds), lanes)


def brief_search(executor: Executor, threads: int = 4, **more: Any) -> Search:
    return toy_search(
        executor=executor,
        policy=BestOfN(batch=4),
        critic=None,
        reward_to_go=None,
        budget=Budget(evaluations=60),
        options=Options(seed=7, in_flight=4, threads=threads),
        **more,
    )


@pytest.fixture(scope="module")
def expected() -> Any:
    """What one machine finds."""
    return outline(brief_search(ScriptedExecutor(toy_verdict)).run().tree)


def test_a_lane_that_falls_silent_is_lost(cluster: Any) -> None:
    with RayLanes(cluster.address, 2, patience=15.0) as lanes:  # a busy lane takes some
        lanes.settle()
        executor = waiting_executor(lanes, 0.1)
        executor.prepare(toy_task())
        silent = next(one for one in lanes.states() if one.prepared)
        os.kill(silent.facts.pid, signal.SIGSTOP)
        lost = executor.evaluate(toy_task(), TWICE)
        assert lost.status is Status.INFRASTRUCTURE
        assert "did not answer" in lost.feedback
        assert (silent.state, lanes.lost) == ("lost", 1)
        judged = executor.evaluate(toy_task(), TWICE)
        assert judged.reward == 2.0
        assert judged.place.partition(" ")[0] in {one.name for one in lanes.states()}


def test_a_node_that_dies_loses_no_candidate_and_judges_none_twice(
    cluster: Any, expected: Any
) -> None:
    node = patiently(lambda: cluster.add_node(**SMALL, resources={"lane": 2}))
    judged: list[Evaluated] = []
    killing = Thread(target=cluster.remove_node, args=(node, False))

    def hear(event: Event, _: RunState) -> None:
        if isinstance(event, Evaluated):
            judged.append(event)
            if len(judged) == 20:
                killing.start()

    with RayLanes(cluster.address, 6) as more:
        more.settle()
        executor = waiting_executor(more, 0.05)
        found = outline(brief_search(executor, observers=[hear]).run().tree)
        killing.join()
        until(lambda: any(one.state == "lost" for one in more.states()))
        lost = [one for one in more.states() if one.state == "lost"]
    assert found == expected
    assert len({event.program for event in judged}) == len(judged)
    assert {one.facts.node for one in lost} == {node.node_id}
    assert any(event.lost for event in judged) == bool(more.lost)


def test_a_node_whose_disk_is_full_changes_nothing(cluster: Any, expected: Any) -> None:
    class Full(ScriptedExecutor):
        """Writes to its disk before it judges, which fails in one process.

        The first program takes long elsewhere: meanwhile the lane in trouble is the only free one.
        """

        def __init__(self, pid: int) -> None:
            super().__init__(toy_verdict)
            self.full = os.getpid() == pid

        def evaluate(self, task: Task, program: Program, **_: object) -> Evaluation:
            with open("/dev/full" if self.full else os.devnull, "wb") as file:
                file.write(b"x")
            sleep(0.01 if self.count("evaluate") else 2.0)
            return super().evaluate(task, program)

    with RayLanes(cluster.address, 2) as lanes:
        lanes.settle()
        bad = lanes.states()[0]
        search = brief_search(RayExecutor(partial(Full, bad.facts.pid), lanes), threads=2)
        found = outline(search.run().tree)
        state = lanes.states()[0]
        notes = lanes.notes
    assert found == expected
    judged = [one.event for one in search.state.log.events() if isinstance(one.event, Evaluated)]
    assert len({event.program for event in judged}) == len(judged)
    lost_at = [place for event in judged for place in event.lost_at]
    assert state.state == "aside"
    assert "No space left on device" in state.problem
    assert {place.partition(" ")[0] for place in lost_at} == {bad.name}
    assert len(notes) == 1


def test_other_versions_are_refused_by_name(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    own = worker.versions()
    monkeypatch.setattr(lanes_module, "versions", lambda: {**own, "g++": "g++ 1.0"})
    with pytest.raises(ToolError, match=r"it has g\+\+ .*, not g\+\+ 1\.0"):
        RayLanes(cluster.address, 1)


def test_the_command_lists_lanes(cluster: Any, lanes: RayLanes) -> None:
    def free() -> int:
        told = CliRunner().invoke(app, ["doctor", "--workers", cluster.address, "--json"])
        assert told.exit_code == 0, told.output
        return [one["state"] for one in json.loads(told.stdout)["lanes"]].count("free")

    # The other two are taken; Ray gives one back after a while, and may take one again.
    assert until(lambda: free() == 2)


def test_a_search_from_the_command_line(cluster: Any, lanes: RayLanes, tmp_path: Any) -> None:
    command = ["optimize", "landscape:seed=1", "--generator", "landscape", "--budget"]
    options = ["evaluations=6", "--workers", cluster.address, "--store", str(tmp_path / "runs.db")]
    told = CliRunner().invoke(app, [*command, *options, "--json"])
    assert told.exit_code in (0, 1), told.output
    assert json.loads(told.stdout)["reason"] == "budget spent: evaluations"

"""A search on a Ray cluster whose nodes are processes of this machine: faults, throughput, results.

* ``throughput``: 1, 2, 4 and 8 nodes of 8 lanes with an executor that waits, beside the ideal
* ``overhead``: the driver's processor time for a candidate, beside that without a cluster
* ``lanes1000``: the same and its memory with 1,000 lanes, for which a few processes stand
* ``kills``: 1,000 candidates while nodes are killed every few seconds; the tree must be that of a
  search on this machine, no candidate be lost, and none counted twice
* ``driver``: the driver is killed again and again; its lanes must end, and the run that others
  resume must find the same
* ``cpp``: a real search on two nodes and on this machine; and equal programs compared on all lanes

Usage: python benchmarks/ray_cluster.py [PART...]
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import ray
from common import RESULTS, ROOT, machine, save
from ray.cluster_utils import Cluster

from maxcode import (
    BestOfN,
    Budget,
    Evaluation,
    Executor,
    Journal,
    MaxCode,
    Options,
    Program,
    ProgramExecutor,
    RayExecutor,
    RayLanes,
    RewriteGenerator,
    Search,
    Task,
)
from maxcode.executors.ray.worker import LaneWorker
from maxcode.journal.events import Committed, Evaluated
from maxcode.journal.journal import RunLog
from maxcode.journal.state import RunState
from maxcode.measure.rounds import CONFIRM, SCORE
from maxcode.system import identity
from maxcode.tasks.folder import load_task
from maxcode.testing import ScriptedExecutor, ScriptedGenerator, outline, toy_answers, toy_task
from maxcode.testing.toy import toy_verdict

NAME = "ray_cluster"
os.environ["RAY_AUTH_MODE"] = "disabled"  # of this process and of the clusters that it starts
NODE = {"num_cpus": 0, "object_store_memory": 80 << 20}
SHORT = partial(
    ProgramExecutor, score=replace(SCORE, seconds=2.0), confirm=replace(CONFIRM, seconds=6.0)
)
CPP = ROOT / "examples" / "cpp" / "prime_sieve"


class Waiting:
    """Makes an executor that judges the toy world and takes so many seconds for each program."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def __call__(self) -> Executor:
        return ScriptedExecutor(toy_verdict, delay=self.seconds)


def patiently(start: Callable[[], Any]) -> Any:
    """A node that starts; on a busy machine Ray gives up after 30 seconds."""
    for _ in range(4):
        with suppress(Exception):
            return start()
    return start()


@contextmanager
def cluster(nodes: int, lanes: int) -> Iterator[tuple[Any, list[Any]]]:
    made: Any = patiently(
        lambda: Cluster(initialize_head=True, head_node_args={**NODE, "include_dashboard": False})
    )
    offer = {"lane": lanes}
    try:
        yield (
            made,
            [patiently(lambda: made.add_node(**NODE, resources=offer)) for _ in range(nodes)],
        )
    finally:
        ended: Any = ray.shutdown
        ended()
        made.shutdown()


def searching(executor: Executor, threads: int, evaluations: int, **more: Any) -> Search:
    return Search(
        toy_task(),
        generator=ScriptedGenerator(toy_answers),
        executor=executor,
        policy=BestOfN(batch=4),
        budget=Budget(evaluations=evaluations),
        options=Options(seed=3, in_flight=2 * threads, threads=threads, patience=10_000),
        **more,
    )


def memory_of(pids: list[int]) -> float:
    """MB that are theirs alone, on average."""
    found = []
    for pid in pids:
        with suppress(OSError):
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
            own = [int(line.split()[1]) for line in lines if line.startswith("Private_")]
            found.append(sum(own) / 1024)
    return round(sum(found) / max(len(found), 1), 1)


def throughput(seconds: float = 2.0, each: int = 6) -> dict[str, Any]:
    """One cluster that grows, so that no lane is started twice: each is a process."""
    rows, offer = [], {"lane": 8}
    with cluster(0, 0) as (made, _):
        patiently(lambda: made.add_node(**NODE, resources=offer))
        with RayLanes(made.address, startup=300) as lanes:
            executor = RayExecutor(Waiting(seconds), lanes)
            executor.prepare(toy_task())
            for nodes in (1, 2, 4, 8):
                began = time.monotonic()
                while len(made.worker_nodes) < nodes:
                    patiently(lambda: made.add_node(**NODE, resources=offer))
                count = 8 * nodes
                until_all_are_up(lanes, count)
                up = time.monotonic() - began
                programs = [
                    Program.of(f"{1 + n / 1000}", "number.txt") for n in range(count * each)
                ]
                judged(executor, programs[:count], count)  # prepares each lane
                found, taken, used = judged(executor, programs, count)
                rows.append(
                    {
                        "nodes": nodes,
                        "lanes": count,
                        "lanes_that_judged": len({one.place for one in found}),
                        "candidates": len(found),
                        "failed": sum(not one.ok for one in found),
                        "seconds": round(taken, 2),
                        "ideal_seconds": seconds * each,
                        "share_of_ideal": round(seconds * each / taken, 3),
                        "driver_cpu_ms_per_candidate": round(1000 * used / len(found), 2),
                        "seconds_until_lanes_are_up": round(up, 1),
                        "own_mb_per_lane": memory_of([one.pid for one in lanes.states()]),
                        "driver_mb": resident(),
                        "load": round(os.getloadavg()[0], 1),
                    }
                )
                print(rows[-1], flush=True)
    return {"seconds_per_candidate": seconds, "rows": rows}


def judged(
    executor: Executor, programs: list[Program], threads: int
) -> tuple[list[Evaluation], float, float]:
    """The verdicts, how long that took, and how much of it this process computed."""
    task = toy_task()
    with ThreadPoolExecutor(threads) as pool:
        began, used = time.monotonic(), time.process_time()
        found = list(pool.map(lambda one: executor.evaluate(task, one), programs))
        return found, time.monotonic() - began, time.process_time() - used


def until_all_are_up(lanes: RayLanes, count: int) -> None:
    until = time.monotonic() + 400
    while sum(one.state == "free" for one in lanes.states()) < count:
        assert time.monotonic() < until, (lanes.states(), lanes.notes)
        time.sleep(0.1)


def resident() -> float:
    """MB of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return round(pages * os.sysconf("SC_PAGE_SIZE") / 1e6, 1)


def overhead() -> dict[str, Any]:
    def timed(executor: Executor) -> tuple[float, float, list[str]]:
        used, began = time.process_time(), time.monotonic()
        tree = searching(executor, 8, 1000).run().tree
        return time.process_time() - used, time.monotonic() - began, outline(tree)

    with cluster(2, 4) as (made, _), RayLanes(made.address) as lanes:
        lanes.settle()
        remote = timed(RayExecutor(Waiting(0.0), lanes))
    here = timed(Waiting(0.0)())
    return {
        "candidates": 1000,
        "lanes": 8,
        "cpu_ms_per_candidate": round(1000 * remote[0] / 1000, 2),
        "cpu_ms_per_candidate_on_this_machine": round(1000 * here[0] / 1000, 2),
        "wall_ms_per_candidate": round(1000 * remote[1] / 1000, 2),
        "wall_ms_per_candidate_on_this_machine": round(1000 * here[1] / 1000, 2),
        "tree_equal": remote[2] == here[2],
    }


def lanes1000(count: int = 1000, hosts: int = 4, seconds: float = 10.0) -> dict[str, Any]:
    """The driver with 1,000 lanes, of which ``hosts`` processes each do the work of many.

    Each lane has calls of its own through Ray to an actor that it shares with others: for the
    driver that is as if it had one to itself, but for a connection to each.
    """
    each = 3
    programs = [Program.of(f"{1 + n / 1e5}", "number.txt") for n in range(count * each)]
    with cluster(1, count) as (made, _):
        ray_lanes: Any = import_module("maxcode.executors.ray.lanes")
        start = ray_lanes.start_actor
        shared: list[Any] = []

        def shared_actor(resource: str, gpus: int) -> Any:
            if not shared:
                remote: Any = ray.remote
                many = remote(
                    num_cpus=0, max_concurrency=count // hosts, concurrency_groups={"control": 1}
                )(LaneWorker)
                kind = many.options(resources={resource: 0.001})  # on a node that has lanes
                shared.extend(kind.remote(resource) for _ in range(hosts))
            shared.append(shared.pop(0))
            return shared[-1]

        before = resident()
        ray_lanes.start_actor = shared_actor
        try:
            with RayLanes(made.address, count, startup=300) as lanes:
                until_all_are_up(lanes, count)
                idle = cpu_share(5.0)
                up = resident()
                executor = RayExecutor(Waiting(seconds), lanes, check=False)
                executor.prepare(toy_task())
                judged(executor, programs[:count], count)
                found, taken, used = judged(executor, programs, count)
                after = resident()
        finally:
            ray_lanes.start_actor = start
    return {
        "lanes": count,
        "processes_that_stand_for_them": hosts,
        "seconds_per_candidate": seconds,
        "candidates": len(found),
        "failed": sum(not one.ok for one in found),
        "seconds": round(taken, 2),
        "share_of_ideal": round(seconds * each / taken, 3),
        "driver_cpu_ms_per_candidate": round(1000 * used / len(found), 2),
        "driver_cpu_share_while_idle": round(idle, 4),
        "driver_mb_before": before,
        "driver_mb_with_idle_lanes": up,
        "driver_mb_with_busy_lanes": after,
        "load": round(os.getloadavg()[0], 1),
    }


def cpu_share(seconds: float) -> float:
    """Of a processor, that this process takes while it waits for that long."""
    used = time.process_time()
    time.sleep(seconds)
    return (time.process_time() - used) / seconds


def kills(candidates: int = 1000, every: float = 3.0) -> dict[str, Any]:
    expected = outline(searching(Waiting(0.0)(), 8, candidates).run().tree)
    rng, killed = Random(2026), 0
    with cluster(4, 2) as (made, nodes), RayLanes(made.address, startup=120) as lanes:
        lanes.settle()
        search = searching(RayExecutor(Waiting(0.1), lanes), 8, candidates)
        began = time.monotonic()
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(search.run)
            while not wait([running], every).done:
                if len(nodes) > 1:
                    node = nodes.pop(rng.randrange(len(nodes)))
                    made.remove_node(node, allow_graceful=False)
                    killed += 1
                with suppress(Exception):  # a busy machine starts nodes slowly, or gives up
                    nodes.append(made.add_node(**NODE, resources={"lane": 2}, wait=False))
            tree = running.result().tree
        taken = time.monotonic() - began
        counts = {"jobs_lost": lanes.lost, "answers_dropped": lanes.dropped}
    judged = [one.event for one in search.state.log.events() if isinstance(one.event, Evaluated)]
    return {
        "candidates": candidates,
        "nodes_killed": killed,
        "seconds": round(taken, 1),
        **counts,
        "sent_again": sum(len(event.lost) for event in judged),
        "verdicts": len(judged),
        "counted_twice": len(judged) - len({event.program for event in judged}),
        "tree_equal": outline(tree) == expected,
        **missing(search.state.log),
    }


def missing(log: RunLog) -> dict[str, int]:
    """Steps that entered the tree without a verdict of their own or of their program."""
    state = RunState.load(log)
    committed = sum(isinstance(one.event, Committed) for one in log.events())
    lost = sum(step.evaluation.status == "infrastructure" for step in state.tree)
    return {"expansions_committed": committed, "candidates_lost": lost}


def drive(address: str, store: str, run_id: str) -> None:
    """What the process does that is going to be killed: begins a run, or goes on with it."""
    journal = Journal.open(store)
    with RayLanes(address, 4) as lanes:
        lanes.settle()
        print("lanes", *(one.pid for one in lanes.states()), flush=True)
        executor = RayExecutor(Waiting(0.1), lanes)
        searching(executor, 4, 300, journal=journal.run(run_id) if run_id else journal).run()


def driver(times: int = 4) -> dict[str, Any]:
    expected = outline(searching(Waiting(0.0)(), 4, 300).run().tree)
    rng, longest, done, orphans = Random(7), 0.0, 0, 0
    with cluster(2, 2) as (made, _), tempfile.TemporaryDirectory() as folder:
        store, run_id = str(Path(folder) / "runs.db"), ""
        while True:
            command = [sys.executable, __file__, "--drive", made.address, store, run_id]
            process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
            assert process.stdout is not None
            line = process.stdout.readline()
            pids = [int(word) for word in line.split()[1:]]
            assert pids, f"no lanes: {line!r}"
            if done < times:
                time.sleep(rng.uniform(1.0, 4.0))
                process.send_signal(signal.SIGKILL)
                done += 1
            process.communicate()
            began = time.monotonic()
            while any(identity(pid) for pid in pids):
                if time.monotonic() - began > 60:
                    orphans += 1
                    break
                time.sleep(0.05)
            longest = max(longest, time.monotonic() - began)
            with Journal.open(store) as journal:
                run_id = (journal.run_ids() or [""])[0]
            if process.returncode == 0:
                break
        with Journal.open(store) as journal:
            log = journal.run(run_id)
            found, rest = outline(RunState.load(log).tree), missing(log)
            events = [one.event for one in log.events()]
    judged = [event.program for event in events if isinstance(event, Evaluated)]
    return {
        "driver_kills": done,
        "orphaned_lanes_after_60_s": orphans,
        "seconds_until_lanes_ended_at_most": round(longest, 2),
        "verdicts": len(judged),
        "counted_twice": len(judged) - len(set(judged)),
        "tree_equal": found == expected,
        **rest,
    }


def cpp() -> dict[str, Any]:
    task = load_task(CPP)

    def searched(executor: Executor) -> dict[str, Any]:
        began = time.monotonic()
        search = Search(
            task,
            generator=RewriteGenerator(),
            executor=executor,
            policy=MaxCode(),
            budget=Budget(evaluations=6),
            options=Options(seed=1, threads=2, fuzz=0, minimise=0),
        )
        result = search.run()
        tree = result.tree
        return {
            "best": tree.best.program.digest[:12],
            "confirmed": str(tree.confirmed(tree.best.id)),
            "interval": [ratio.low, ratio.high] if (ratio := tree.confirmed(tree.best.id)) else [],
            "statuses": [str(step.evaluation.status) for step in tree],
            "programs": [step.program.digest[:12] for step in tree],
            "lanes": sorted({step.evaluation.place for step in tree if step.evaluation.place}),
            "seconds": round(time.monotonic() - began, 1),
        }

    with SHORT() as executor:
        here = searched(executor)
    with cluster(2, 1) as (made, _), RayLanes(made.address) as lanes:
        lanes.settle()
        with RayExecutor(SHORT, lanes) as spread:
            there = searched(spread)
            compared = aa(spread, task, len(lanes))
    same = [name for name in ("best", "programs", "statuses") if here[name] == there[name]]
    one, other = here["interval"], there["interval"]
    return {
        "this_machine": here,
        "two_nodes": there,
        "same": same,
        "intervals_overlap": bool(one and other and one[0] <= other[1] and other[0] <= one[1]),
        "equal_programs": compared,
    }


def aa(executor: RayExecutor, task: Task, lanes: int, each: int = 4) -> dict[str, Any]:
    with ThreadPoolExecutor(lanes) as pool:
        made = pool.map(
            lambda _: executor.compare(task, task.baseline, task.baseline), range(lanes * each)
        )
        found = list(made)
    ratios = [one.ratio for one in found if one.ratio is not None]
    return {
        "comparisons": len(found),
        "lanes": sorted({one.place for one in found}),
        "without_a_ratio": len(found) - len(ratios),
        "promoted": sum(ratio.low > 1 for ratio in ratios),
    }


PARTS: dict[str, Callable[[], dict[str, Any]]] = {
    one.__name__: one for one in (throughput, overhead, lanes1000, kills, driver, cpp)
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--drive", nargs=3)
    arguments = parser.parse_args()
    if arguments.drive:
        drive(*arguments.drive)
        return
    taken_on = machine()
    path = RESULTS / f"{NAME}.json"
    figures = json.loads(path.read_text()) if path.exists() else {}
    known = {name: figures[name] for name in PARTS if name in figures}
    for name in arguments.parts or PARTS:
        known[name] = {**PARTS[name](), "load_at_end": round(os.getloadavg()[0], 1)}
        print(json.dumps({name: known[name]}, indent=2), flush=True)
        save(NAME, known, taken_on)


if __name__ == "__main__":
    main()

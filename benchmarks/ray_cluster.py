"""A search on a Ray cluster whose nodes are processes of this machine: throughput and faults.

* ``throughput``: 1, 2, 4 and 8 nodes of 8 lanes with an executor that waits, beside the ideal
* ``kills``: 1,000 candidates while nodes are killed every few seconds; the tree must be that of a
  search on this machine, no candidate be lost, and none counted twice

Usage: python benchmarks/ray_cluster.py [PART...]
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from functools import partial
from random import Random
from typing import Any

import ray
from common import earlier, options, save
from ray.cluster_utils import Cluster

from maxcode import (
    BestOfN,
    Budget,
    Evaluation,
    Executor,
    Options,
    Program,
    RayExecutor,
    RayLanes,
    Search,
)
from maxcode.journal.events import Committed, Evaluated
from maxcode.journal.journal import RunLog
from maxcode.journal.state import RunState
from maxcode.testing import ScriptedExecutor, ScriptedGenerator, outline, toy_answers, toy_task
from maxcode.testing.toy import toy_verdict

NAME = "ray_cluster"
os.environ["RAY_AUTH_MODE"] = "disabled"  # of this process and of the clusters that it starts
NODE = {"num_cpus": 0, "object_store_memory": 80 << 20}


def waiting(seconds: float) -> Callable[[], Executor]:
    """Makes an executor that judges the toy world and takes so many seconds for each program."""
    return partial(ScriptedExecutor, toy_verdict, delay=seconds)


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


def throughput(seconds: float = 2.0, each: int = 6) -> dict[str, Any]:
    """One cluster that grows, so that no lane is started twice: each is a process."""
    rows, offer = [], {"lane": 8}
    with cluster(0, 0) as (made, _):
        patiently(lambda: made.add_node(**NODE, resources=offer))
        with RayLanes(made.address, startup=300) as lanes:
            executor = RayExecutor(waiting(seconds), lanes)
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


def kills(candidates: int = 1000, every: float = 3.0) -> dict[str, Any]:
    expected = outline(searching(waiting(0.0)(), 8, candidates).run().tree)
    rng, killed = Random(2026), 0
    with cluster(4, 2) as (made, nodes), RayLanes(made.address, startup=120) as lanes:
        lanes.settle()
        search = searching(RayExecutor(waiting(0.1), lanes), 8, candidates)
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
        counts = {"jobs_lost": lanes.lost}
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


PARTS: dict[str, Callable[[], dict[str, Any]]] = {one.__name__: one for one in (throughput, kills)}


def main() -> None:
    given = options(__doc__, "parts")
    figures = earlier(NAME)
    known = {name: figures[name] for name in PARTS if name in figures}
    for name in given.parts or PARTS:
        known[name] = PARTS[name]()
        print(json.dumps({name: known[name]}, indent=2), flush=True)
        save(NAME, known)


if __name__ == "__main__":
    main()

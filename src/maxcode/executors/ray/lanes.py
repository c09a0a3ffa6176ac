"""RayLanes: the timing lanes of a Ray cluster, as seen by the search process."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, wait
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Condition, Event, Thread
from time import monotonic
from typing import Any, Literal

from maxcode.errors import ExecutorError, InputError, ToolError
from maxcode.executors.ray.cluster import (
    RESOURCE,
    about_tokens,
    connect,
    in_a_line,
    offered,
    start_actor,
)
from maxcode.executors.ray.worker import Answer, Facts, ray_module, versions

_POLL = 0.25  # seconds between two looks at whether a lane is free, which wakes who waits, too
_LISTENS = 0.5  # seconds between two looks at whether to stop
_NODES = 1.0  # seconds between two looks at which nodes there are
_CLOSING = 3.0  # seconds that lanes have to remove their files
_MAX_LOSSES = 10  # lanes in a row that end while they start, after which none is started
_MAX_FAILURES = 3  # failures of the harness in a row, after which a lane is set aside

State = Literal["starting", "free", "busy", "aside", "lost"]
"""State of a lane; an aside lane is alive but no longer used."""


class LaneError(ExecutorError):
    """The harness failed on a lane, at ``place``."""

    def __init__(self, message: str, place: str = "") -> None:
        super().__init__(message)
        self.place = place


class LaneLostError(LaneError):
    """A lane ended, or fell silent, before it answered."""


@dataclass(eq=False)
class Lane:
    """A lane of a node, as known to this process."""

    actor: Any = field(repr=False)
    state: State = "starting"
    facts: Facts = field(default_factory=Facts)
    prepared: set[tuple[str, int]] = field(default_factory=set, repr=False)
    failures: int = 0  # of the harness, in a row
    problem: str = ""

    @property
    def name(self) -> str:
        """Node and process, for display."""
        return f"{self.facts.host}/{self.facts.pid}" if self.facts.pid else "(starting)"

    @property
    def place(self) -> str:
        """Node, lane and processors or GPU, for the journal."""
        if not self.facts.pid:
            return self.name
        some = ",".join(map(str, self.facts.processors))
        gpu = f", GPU {self.facts.devices}" if self.facts.devices else ""
        return f"{self.name} processor {some}{gpu}"


class RayLanes:
    """The timing lanes of a Ray cluster: a process each, owned by this process.

    ``address`` is a cluster's as for ``ray.init``, or "local" for a new one on this machine; None
    takes the cluster this machine belongs to, if any, else a local one. At most ``lanes`` are used,
    by default all free ones: as many of a node as its amount of the resource ``lane``, or if no
    node offers it, one for each GPU.

    Nodes may come and go. A lane is set aside, and named in ``notes``, if its versions differ from
    this process's, equal programs differ on it, or its harness fails repeatedly. A lane without an
    answer for ``patience`` seconds is ended. Close it, or use it as a context manager.

    Raises :class:`~maxcode.errors.ToolError` if Ray is missing or the cluster cannot be reached,
    has no lanes, or none of them comes up within ``startup`` seconds.
    """

    def __init__(
        self,
        address: str | None = None,
        lanes: int | None = None,
        *,
        patience: float = 900.0,
        startup: float = 60.0,
    ) -> None:
        if lanes is not None and lanes < 1:
            raise InputError(f"lanes must be at least 1, not {lanes}")
        self.lost = 0
        """Number of jobs lost with their lane."""
        self._limit = lanes
        self._patience = patience
        self._startup = startup
        self._lanes: list[Lane] = []
        self._losses = 0  # of lanes in a row that never came up
        self._expected = versions()
        self._notes: dict[str, None] = {}
        self._changed = Condition()
        self._closed = Event()
        self._own = connect(address, lanes)
        try:
            self._check_offer()
            self._look()
            Thread(target=self._watch, name="maxcode-nodes", daemon=True).start()
            self._wait_for_first()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> RayLanes:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        """Number of lanes in use, including starting ones."""
        with self._changed:
            return sum(lane.state in ("starting", "free", "busy") for lane in self._lanes)

    @property
    def notes(self) -> list[str]:
        """Failures of lanes and nodes, in words."""
        with self._changed:
            return list(self._notes)

    def states(self) -> list[Lane]:
        """All lanes so far, in order of arrival."""
        with self._changed:
            return list(self._lanes)

    def settle(self) -> None:
        """Wait until no lane is starting any more, at most for ``startup`` seconds."""
        until = monotonic() + self._startup
        with self._changed:
            while monotonic() < until and any(one.state == "starting" for one in self._lanes):
                self._changed.wait(_POLL)

    def close(self) -> None:
        """End the lanes, and a cluster started for them."""
        ray = ray_module()
        self._closed.set()
        told = self._tell("close", None)
        with self._changed:
            lanes, self._lanes = self._lanes, []
            self._changed.notify_all()
        wait(told, _CLOSING)
        for lane in lanes:
            _kill(lane)
        if self._own and ray.is_initialized():
            ray.shutdown()

    def _take(
        self,
        prepared: tuple[str, int],
        deadline: float,
        stopped: Event,
        waiting: Callable[[str], None],
        avoid: frozenset[str],
    ) -> Lane | None:
        """Wait for a free lane; None at the ``deadline``.

        Lanes at places to ``avoid`` are taken only if there are no others, free or busy. Lanes
        ``prepared`` for the job come first. Raises :class:`~maxcode.errors.ExecutorError` when
        stopped, and when no lane is left.
        """
        began = monotonic()
        with self._changed:
            while True:
                if stopped.is_set() or self._closed.is_set():
                    raise ExecutorError("stopped while waiting for a lane")
                usable = [lane for lane in self._lanes if lane.state in ("free", "busy")]
                usable = [lane for lane in usable if lane.place not in avoid] or usable
                free = [lane for lane in usable if lane.state == "free"]
                if free:
                    lane = min(free, key=lambda one: prepared not in one.prepared)
                    lane.state = "busy"
                    waiting("")
                    return lane
                if monotonic() >= deadline:
                    return None
                if not usable and monotonic() - began > self._startup:
                    raise ExecutorError(f"no lane is left: {self._problems()}")
                if monotonic() - began > 2 * _POLL:
                    waiting("waiting for a free lane" if usable else "waiting for a node")
                self._changed.wait(_POLL)

    def _send(self, lane: Lane, stopped: Event, *job: Any) -> Answer:
        """Send a job to a lane taken before; the lane is free again after its answer.

        Raises :class:`LaneLostError` if it never answers, and
        :class:`~maxcode.errors.ExecutorError` when stopped.
        """
        ended = Event()
        try:
            future: Future[Answer] = lane.actor.run.remote(*job).future()
        except Exception as error:
            if _is_loss(error):
                self._lose(lane, in_a_line(error))
                raise LaneLostError(f"lane {lane.name} could not be reached", lane.place) from error
            with self._changed:  # it cannot be pickled
                lane.state = "free"
                self._changed.notify_all()
            raise ExecutorError(f"{in_a_line(error)}, so it cannot be sent to a lane") from error

        def answered(done: Future[Answer]) -> None:
            self._answered(lane, done)
            ended.set()

        future.add_done_callback(answered)
        until = monotonic() + self._patience
        while not ended.wait(min(_LISTENS, self._patience)):
            if stopped.is_set():
                raise ExecutorError(f"stopped while lane {lane.name} was at work")
            if monotonic() > until:
                self._lose(lane, f"it did not answer for {self._patience:g} s")
                _kill(lane)
            if lane.state == "lost":
                raise LaneLostError(f"lane {lane.name} did not answer", lane.place)
        failed = future.exception()
        if failed is None:
            return future.result()
        if _is_loss(failed):
            raise LaneLostError(
                f"lane {lane.name} was lost: {in_a_line(failed)}", lane.place
            ) from failed
        raise ExecutorError(f"lane {lane.name}: {in_a_line(failed)}") from failed

    def _set_aside(self, lane: Lane, why: str) -> None:
        """Stop using a lane."""
        with self._changed:
            if lane.state != "lost":
                lane.state = "aside"
                lane.problem = why
            self._notes[f"lane {lane.name} is set aside: {why}"] = None
            self._changed.notify_all()

    def _tell(self, method: Literal["stop", "close"], key: str | None) -> list[Future[None]]:
        """Stop or close the executor ``key``, or all, on all lanes."""
        futures = []
        with self._changed:
            lanes = [lane for lane in self._lanes if lane.state in ("free", "busy", "aside")]
        for lane in lanes:
            with suppress(Exception):  # it may be lost by now
                call = getattr(lane.actor, method).options(concurrency_group="control")
                futures.append(call.remote(key).future())
        return futures

    def _answered(self, lane: Lane, done: Future[Answer]) -> None:
        """Record a lane's answer or loss. Called from a thread of Ray's."""
        error = done.exception()
        answer = None if error else done.result()
        with self._changed:
            if error is not None and _is_loss(error):
                self._lose(lane, in_a_line(error))
                return
            lane.failures = lane.failures + 1 if answer is None or answer.failed else 0
            if lane.state == "busy":
                lane.state = "free"
            if answer is not None and answer.unfit:
                self._set_aside(lane, answer.unfit)
            elif lane.failures >= _MAX_FAILURES:
                why = answer.error if answer else error
                self._set_aside(lane, f"its harness failed {_MAX_FAILURES} times in a row: {why}")
            self._changed.notify_all()

    def _lose(self, lane: Lane, why: str) -> None:
        with self._changed:
            if lane.state != "lost":
                self.lost += lane.state == "busy"
                self._losses += not lane.facts.pid
                self._notes[f"lane {lane.name} was lost: {why}"] = None
                lane.state = "lost"
                lane.problem = why
            self._changed.notify_all()

    def _problems(self) -> str:
        with self._changed:
            found = [f"lane {lane.name}: {lane.problem}" for lane in self._lanes if lane.problem]
        return "; ".join(found[-3:]) or "none came up"

    def _watch(self) -> None:
        while not self._closed.wait(_NODES):
            try:
                self._look()
            except Exception as error:  # noqa: BLE001 - the cluster may come back
                with self._changed:
                    self._notes[f"the cluster cannot be asked: {in_a_line(error)}"] = None

    def _look(self) -> None:
        """Drop lanes of lost nodes, and start as many as Ray has room for."""
        ray = ray_module()
        alive = {node["NodeID"] for node in ray.nodes() if node["Alive"]}
        resource, gpus = offered(ray.nodes())
        room = int(ray.available_resources().get(resource, 0))
        with self._changed:
            for lane in self._lanes:
                if lane.state != "lost" and lane.facts.pid and lane.facts.node not in alive:
                    self._lose(lane, "its node is gone")
            starting = sum(lane.state == "starting" for lane in self._lanes)
            used = sum(lane.state in ("starting", "free", "busy") for lane in self._lanes)
            more = min(room - starting, (self._limit or room + used) - used)
            if self._losses >= _MAX_LOSSES:
                more = 0
        for _ in range(more):
            self._start(resource, gpus)

    def _start(self, resource: str, gpus: int) -> None:
        lane = Lane(start_actor(resource, gpus))
        with self._changed:
            self._lanes.append(lane)
        if self._closed.is_set():  # meanwhile
            _kill(lane)
            return
        future = lane.actor.facts.remote().future()
        future.add_done_callback(lambda done: self._came_up(lane, done))

    def _came_up(self, lane: Lane, done: Future[Facts]) -> None:
        if problem := done.exception():
            self._lose(lane, in_a_line(problem))
            return
        facts = done.result()
        with self._changed:
            lane.facts = facts
            self._losses = 0
            if lane.state == "starting":
                lane.state = "free"
                for name, here in self._expected.items():
                    there = facts.versions[name]
                    if here and here != there:
                        self._set_aside(lane, f"it has {name} {there or 'none'}, not {here}")
                        break
                    self._expected[name] = there  # of the first lane, where this machine has none
            self._changed.notify_all()

    def _check_offer(self) -> None:
        ray = ray_module()
        if not ray.cluster_resources().get(offered(ray.nodes())[0]):
            raise ToolError(
                "no node of the cluster offers a lane; start each with ray start "
                f"--resources='{{\"{RESOURCE}\": 1}}', or as many as it shall have"
            )

    def _wait_for_first(self) -> None:
        until = monotonic() + self._startup
        with self._changed:
            while not any(lane.state == "free" for lane in self._lanes):
                over = [lane.state in ("aside", "lost") for lane in self._lanes]
                if over and all(over):
                    raise ToolError(f"no lane can be used: {self._problems()}{about_tokens()}")
                if monotonic() > until:
                    raise ToolError(
                        f"no lane could be had within {self._startup:g} s; others may have them "
                        f"all: {self._problems()}"
                    )
                self._changed.wait(_POLL)


def _is_loss(error: BaseException) -> bool:
    """Whether an actor or its node is gone; False if its method raised."""
    from ray.exceptions import RayError, RayTaskError  # noqa: PLC0415 - optional

    return isinstance(error, RayError) and not isinstance(error, RayTaskError)


def _kill(lane: Lane) -> None:
    ray = ray_module()

    with suppress(Exception):  # it is gone already
        ray.kill(lane.actor)

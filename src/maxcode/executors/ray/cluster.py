"""A Ray cluster with lanes: connecting to it, its nodes' offers, starting a lane."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from maxcode.errors import ToolError
from maxcode.executors.ray.worker import LaneWorker, ray_module

RESOURCE = "lane"
"""Custom resource of a Ray node, a unit for each lane."""

_GPU = "GPU"
_AUTH_MODE = "RAY_AUTH_MODE"
_ANSWERS = 10.0  # seconds in which the address of a cluster has to answer
_STORE = 80 * 2**20  # bytes of shared memory of a local cluster; Ray wants 75 MiB


def connect(address: str | None, lanes: int | None) -> bool:
    """Connect to a cluster, or start a local cluster; returns whether to shut it down later.

    Raises :class:`~maxcode.errors.ToolError`.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # it would report to its makers
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    named = address or os.environ.get("RAY_ADDRESS")
    if named not in (None, "local", "auto"):
        if (Path.home() / ".ray" / "auth_token").exists():  # Ray reads this when it is imported
            os.environ.setdefault(_AUTH_MODE, "token")
        _check_answers(named)
    ray = ray_module()
    if ray.is_initialized():
        return False
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    own: dict[str, Any] = {
        "address": "local",
        "num_cpus": 0,
        "resources": {RESOURCE: lanes or max(1, (os.cpu_count() or 1) // 2)},
        "object_store_memory": _STORE,
        "include_dashboard": False,
    }
    for given in [own] if named == "local" else [{"address": named or "auto"}, own]:
        try:
            ray.init(**given, **quiet)
        except Exception as error:
            if named is None and given is not own and isinstance(error, ConnectionError):
                continue  # this machine belongs to none
            which = "of this machine" if given is own else given["address"]
            hint = "" if given is own else about_tokens()
            problem = f"the Ray cluster {which} cannot be used: {in_a_line(error)}{hint}"
            raise ToolError(problem) from error
        break
    return True


def _check_answers(address: str) -> None:
    """Raise :class:`~maxcode.errors.ToolError` if nothing listens; Ray would try for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), _ANSWERS).close()
    except (OSError, ValueError, OverflowError) as error:
        raise ToolError(
            f"no Ray cluster answers at {address}: {error}; write HOST:PORT, and start it there "
            "with ray start --head"
        ) from error


def about_tokens() -> str:
    """Hint for failed authentication between Ray's processes, which they do not report."""
    mode = os.environ.get(_AUTH_MODE, "disabled")
    return (
        f"; {_AUTH_MODE} is {mode!r} here, and has to be what the cluster was started with "
        "('token' needs the same ~/.ray/auth_token, 'disabled' none)"
    )


def offered(nodes: Sequence[Mapping[str, Any]]) -> tuple[str, int]:
    """The resource a lane takes a unit of, and the lane's number of GPUs."""
    offers = [node["Resources"] for node in nodes if node["Alive"]]
    lanes = [one for one in offers if one.get(RESOURCE)]
    if not lanes and any(one.get(_GPU) for one in offers):
        return _GPU, 1
    return RESOURCE, int(bool(lanes) and all(one.get(_GPU, 0) >= one[RESOURCE] for one in lanes))


def start_actor(resource: str, gpus: int) -> Any:
    """Start a lane on any node with room, spread over nodes."""
    ray = ray_module()
    kind = ray.remote(
        num_cpus=0, max_restarts=0, max_task_retries=0, concurrency_groups={"control": 1}
    )(LaneWorker)
    return kind.options(
        num_gpus=gpus,
        resources=None if resource == _GPU else {resource: 1},
        scheduling_strategy="SPREAD",
    ).remote(resource)


def in_a_line(error: BaseException) -> str:
    """Ray's error in a line; its texts are pages long."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    named = [line for line in lines if line.partition(":")[0].endswith("Error")]
    return (named or lines or [type(error).__name__])[-1 if named else 0][:300]

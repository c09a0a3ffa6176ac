"""Asking the workers of the tests."""

from collections.abc import Callable
from typing import Any

from maxcode.executors.kernel.worker.messages import Failure
from maxcode.executors.kernel.workers import Worker, WorkerSetting

LONG = 60.0
"""Seconds, for answers that come at once unless the machine is busy."""
READY_LINE = """echo '{"token": "", "answer": null}' >&3\n"""
"""Shell command by which a worker says that it is ready."""
Scripted = Callable[[str], WorkerSetting]
"""Setting of workers that do what a shell script says: Python and torch take their time."""


def told(worker: Worker, do: str, *given: Any) -> Any:
    """Answer of a worker to a request."""
    answer = worker.ask(do, given, Any, LONG)
    assert not isinstance(answer, Failure), answer
    return answer


def failed(worker: Worker, do: str, *given: Any) -> Failure:
    """Exception of a request."""
    answer = worker.ask(do, given, Any, LONG)
    assert isinstance(answer, Failure), answer
    return answer

"""Asking the workers of the tests."""

from typing import Any

from tests.executors.kernel._deeds import Deed, Told

from maxcode.executors.kernel.worker.messages import Failure
from maxcode.executors.kernel.workers import Worker

LONG = 60.0
"""Seconds, for answers that come at once unless the machine is busy."""


def told(worker: Worker, do: str, **given: Any) -> Any:
    """What a worker says of a deed."""
    answer = worker.ask(Deed(do, given), LONG)
    assert isinstance(answer, Told), answer
    return answer.said


def failed(worker: Worker, do: str, **given: Any) -> Failure:
    """The exception of a deed."""
    answer = worker.ask(Deed(do, given), LONG)
    assert isinstance(answer, Failure), answer
    return answer

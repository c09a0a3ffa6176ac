"""Messages to the workers of the tests, and what they say."""

from dataclasses import dataclass
from typing import Any

from maxcode.executors.kernel.worker.messages import Request


@dataclass(frozen=True)
class Told:
    """An answer to a deed."""

    said: Any = None


@dataclass(frozen=True)
class Deed(Request[Told]):
    """Have a worker do something."""

    do: str
    given: dict[str, Any]

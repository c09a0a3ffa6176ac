"""Messages to the workers of the tests, and what they say."""

from typing import Any

from maxcode.executors.kernel.worker.messages import Message, Request


class Told(Message):
    """An answer to a deed."""

    said: Any = None


class Deed(Request[Told]):
    """Have a worker do something."""

    do: str
    given: dict[str, Any]

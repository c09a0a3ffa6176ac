"""Which sandbox the programs of a run are built and run in."""

from __future__ import annotations

from rich.console import Console

from maxcode.errors import InputError, ToolError
from maxcode.interfaces import Generator
from maxcode.sandbox.base import Sandbox
from maxcode.sandbox.bubblewrap import BubblewrapSandbox
from maxcode.sandbox.process import ProcessSandbox


def choose_sandbox(name: str | None, generator: Generator, messages: Console) -> Sandbox:
    """The sandbox of that name; by default bubblewrap.

    Where that cannot work, programs that only rearrange the user's own code are run within limits,
    and the user is told; for those of anybody else :class:`ToolError` is raised, which says what to
    install and how to accept the risk. Raises :class:`InputError` for an unknown name.
    """
    match name:
        case "process":
            return ProcessSandbox()
        case "bubblewrap":
            return BubblewrapSandbox()
        case None:
            try:
                return BubblewrapSandbox()
            except ToolError as error:
                if not generator.trusted:
                    raise
                messages.print(
                    f"note: {error}. As {type(generator).__name__} only rewrites your own code, "
                    "its programs run in time and memory limits, but not isolated.",
                    soft_wrap=True,
                    highlight=False,
                )
                return ProcessSandbox()
    raise InputError(f"unknown sandbox {name!r}; known: bubblewrap, process")

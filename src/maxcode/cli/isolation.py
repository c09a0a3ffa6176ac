"""What judges the programs of a run, and which sandbox they are built and run in."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext

from rich.console import Console

from maxcode.cli.sources import is_landscape
from maxcode.errors import InputError, ToolError
from maxcode.executors.cpp import CppExecutor
from maxcode.executors.kernel.executor import KernelExecutor
from maxcode.interfaces import Executor, Generator
from maxcode.landscape.executor import LandscapeExecutor
from maxcode.landscape.task import Landscape
from maxcode.sandbox.base import Sandbox
from maxcode.sandbox.bubblewrap import BubblewrapSandbox
from maxcode.sandbox.process import ProcessSandbox
from maxcode.task import Task
from maxcode.tasks.kernel import KernelTask


def executor_for(task: Task, sandbox: Sandbox) -> AbstractContextManager[Executor]:
    """The executor that judges such tasks, to be closed."""
    if isinstance(task, Landscape):
        return nullcontext(LandscapeExecutor())
    return KernelExecutor(sandbox) if isinstance(task, KernelTask) else CppExecutor(sandbox)


def choose_sandbox(
    name: str | None, generator: Generator, messages: Console, sources: Sequence[str] = ()
) -> Sandbox:
    """The sandbox of that name; by default bubblewrap, if the tasks have programs to run.

    Where that cannot work, programs that only rearrange the user's own code are run within limits,
    and the user is told; for those of anybody else :class:`ToolError` is raised, which says what to
    install and how to accept the risk. Raises :class:`InputError` for an unknown name.
    """
    if name is None and sources and all(map(is_landscape, sources)):
        return ProcessSandbox()
    try:
        return sandbox_named(name)
    except ToolError as error:
        if name is not None or not generator.trusted:
            raise
        messages.print(
            f"note: {error}. As {type(generator).__name__} only rewrites your own code, "
            "its programs run in time and memory limits, but not isolated.",
            soft_wrap=True,
            highlight=False,
        )
        return ProcessSandbox()


def sandbox_named(name: str | None) -> Sandbox:
    """The sandbox of that name, and bubblewrap without one: anybody may have written the programs.

    Raises :class:`ToolError` where it cannot work, :class:`InputError` for an unknown name.
    """
    match name:
        case "process":
            return ProcessSandbox()
        case "bubblewrap" | None:
            return BubblewrapSandbox()
    raise InputError(f"unknown sandbox {name!r}; known: bubblewrap, process")

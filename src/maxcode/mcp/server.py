"""The server: tools and resources by which an agent has its programs judged.

It needs the official SDK, ``mcp``. A server is for a single task and run.
"""

from __future__ import annotations

from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, TypeVar

import anyio
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ToolError
from pydantic import Field

from maxcode.errors import InputError, MaxcodeError
from maxcode.files import read_below
from maxcode.interfaces import Profiles, Trials, Waits
from maxcode.mcp.submissions import SubmittedSearch
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.prompts.edits import EditError, apply_edits, read_diff
from maxcode.prompts.prompts import Prompts
from maxcode.report.listing import Document, step_document
from maxcode.search.changes import changed_lines
from maxcode.search.result import Result
from maxcode.search.summary import ending
from maxcode.sources import shown
from maxcode.text import duration
from maxcode.tree import ROOT, Step

_PROGRESS = 1.0  # seconds between two notes of progress
_LOOK = 0.02
_LISTED = 20

_INSTRUCTIONS = """\
maxcode judges programs that are meant to be faster than a given one, the original: it builds \
them in a sandbox, checks them on tests, and times them. Read maxcode://task first: what is \
asked, how it is judged, and the original. `history` says what is left of the budget. Look at a \
change with `try`, which takes no evaluation; hand it in with `submit`, which takes one, also if \
it fails. Every program submitted is a numbered step; step 0 is the original, which the task \
calls the baseline. A speedup is a result only if `submit`, `best` or `report` call it confirmed: \
measured again, and right on inputs besides the tests. When you are done, call `report` with \
finish."""

_T = TypeVar("_T")

Code = Annotated[
    str | None,
    Field(description="The program: whole text of its entry file; others stay as in `base`."),
]
Files = Annotated[
    dict[str, str] | None,
    Field(description="The program: whole texts of the files that differ from `base`, by path."),
]
Patch = Annotated[str | None, Field(description="The program: a unified diff against `base`.")]
Folder = Annotated[
    str | None, Field(description="The program: a folder with its files, on the server's machine.")
]
Base = Annotated[
    int | None, Field(description="Number of the step it was made from. Default: the best so far.")
]
Number = Annotated[int, Field(description="Number of a step; 0 is the original.")]
Shown = Annotated[
    int | None, Field(description="Number of a step; 0 is the original. Default: the best so far.")
]
InFull = Annotated[
    bool, Field(description="Also give the program's files, and its diff from the original.")
]


def make_server(submitted: SubmittedSearch, *, folders: bool = False) -> MCPServer[None]:
    """A server for a search; it begins the search with the first call. Closing it is yours.

    ``folders`` allows programs as a folder on this machine: for clients of the same user.
    """
    desk = _Desk(submitted, folders=folders)
    server: MCPServer[None] = MCPServer(
        "maxcode",
        version=version("maxcode"),
        instructions=_INSTRUCTIONS,
        log_level="WARNING",
    )
    server.add_tool(desk.try_out, name="try")
    for tool in (desk.submit, desk.compare, desk.profile, desk.best, desk.history, desk.report):
        server.add_tool(tool)
    server.resource("maxcode://task", name="task", description=desk.task.__doc__)(desk.task)
    return server


class _Desk:
    """The tools. Measuring tools run in threads, and report their progress meanwhile."""

    def __init__(self, submitted: SubmittedSearch, *, folders: bool) -> None:
        self._submitted = submitted
        self._folders = folders
        self._threads = ThreadPoolExecutor(2, "maxcode-mcp")
        self._waiting = ""
        if isinstance(submitted.executor, Waits):
            submitted.executor.on_wait(partial(setattr, self, "_waiting"))

    # -- tools --------------------------------------------------------------------------------

    async def try_out(
        self,
        ctx: Context[Any, Any],
        code: Code = None,
        files: Files = None,
        patch: Patch = None,
        folder: Folder = None,
        base: Base = None,
    ) -> Document:
        """Build a program, run all tests, and say roughly how long it takes.

        Give exactly one of code, files, patch and folder. It takes no evaluation, leaves no step,
        and confirms nothing: see `submit`.
        """
        await self._ready(ctx)
        program = self._program(code, files, patch, folder, self._step(base))
        executor, task = self._submitted.executor, self._submitted.task
        trial = None
        if isinstance(executor, Trials):
            look = partial(executor.try_out, task, program, quick=False)
            trial = await self._awaited(ctx, self._threads.submit(look), "building and checking")
        if trial is None:
            raise ToolError("tasks of this kind have no first look; use submit")
        return {"status": trial.status.value, "feedback": trial.feedback}

    async def submit(
        self,
        ctx: Context[Any, Any],
        code: Code = None,
        files: Files = None,
        patch: Patch = None,
        folder: Folder = None,
        base: Base = None,
        summary: Annotated[str, Field(description="What was changed, in one sentence.")] = "",
    ) -> Document:
        """Hand in a program: it is built, tested, timed against the original, and becomes a step.

        Give exactly one of code, files, patch and folder. It takes one evaluation of the budget,
        unless the program was submitted before, and a minute or more: progress tells the stage. A
        program that looks faster than the best is measured again side by side with it, and is_best
        is true if it is faster there, too.
        """
        await self._ready(ctx)
        parent = self._step(base)
        program = self._program(code, files, patch, folder, parent)
        try:
            submission = self._submitted.submit(program, parent.id, summary[:400])
        except InputError as error:
            raise ToolError(str(error)) from error
        step = await self._awaited(ctx, submission.done)
        return {**self._outcome(step), **self._standing()}

    async def compare(self, ctx: Context[Any, Any], a: Number, b: Number = ROOT) -> Document:
        """Time the programs of steps a and b side by side: at a ratio of 2, a is twice as fast.

        Takes a minute or more, and no evaluation.
        """
        await self._ready(ctx)
        programs = self._step(a).program, self._step(b).program
        submitted = self._submitted
        comparing = self._threads.submit(submitted.executor.compare, submitted.task, *programs)
        found = await self._awaited(ctx, comparing, "comparing")
        ratio = asdict(found.ratio) if found.ratio else None
        return {"ratio": ratio, "problem": found.problem}

    async def profile(self, ctx: Context[Any, Any], step: Shown = None) -> Document:
        """Where the program of a step spends its time, by line or function. Takes no evaluation."""
        await self._ready(ctx)
        profiled = self._step(step)
        if not profiled.evaluation.ok:
            raise ToolError(f"step {profiled.id} did not pass, so there is nothing to profile")
        executor, found = self._submitted.executor, None
        if isinstance(executor, Profiles):
            work = self._threads.submit(executor.profile, self._submitted.task, profiled.program)
            found = await self._awaited(ctx, work, "profiling")
        return {"step": profiled.id, "profile": found.text if found else None}

    async def best(self, ctx: Context[Any, Any], in_full: InFull = False) -> Document:
        """The best step so far: its speedup, whether confirmed, and how it does on other inputs."""
        await self._ready(ctx)
        return self._best(in_full=in_full)

    async def history(
        self,
        ctx: Context[Any, Any],
        last: Annotated[int, Field(ge=1, le=1000, description="How many, at most.")] = _LISTED,
    ) -> Document:
        """The latest steps with their outcomes, without programs, and what the budget has left."""
        await self._ready(ctx)
        tree = self._submitted.tree
        steps: list[Any] = [self._outcome(step) for step in list(tree)[-last:]]
        return {"steps": steps, **self._standing()}

    async def report(
        self,
        ctx: Context[Any, Any],
        finish: Annotated[
            bool,
            Field(
                description="Confirm the best step and end the run; nothing can be submitted after."
            ),
        ] = False,
        in_full: InFull = False,
    ) -> Document:
        """The run's result so far: speedup, best step and spending."""
        await self._ready(ctx)
        if finish and not self._submitted.over:
            ended = self._threads.submit(self._submitted.finish)
            await self._awaited(ctx, ended)
        result = Result.of(self._submitted.search.state)
        return {
            "run": result.run_id,
            "task": result.task,
            "status": result.status,
            "reason": ending(result.status, result.reason),
            "improved": result.improved,
            "confirmed": result.confirmed,
            "speedup": asdict(result.speedup),
            "best": self._best(in_full=in_full),
            **self._standing(),
        }

    # -- the resource -------------------------------------------------------------------------

    async def task(self) -> str:
        """The task: what is asked, how it is judged, its inputs, the machine, and the original."""
        wait = self._submitted.wait_until_ready
        self._submitted.start()
        try:
            await anyio.to_thread.run_sync(wait, abandon_on_cancel=True)
        except InputError as error:
            raise ResourceError(str(error)) from error
        task, machine = self._submitted.task, self._submitted.search.state.machine
        shown = Observation(task, self._submitted.tree.root, machine=machine)
        return Prompts().generator(shown).parts[0]

    # -- parts --------------------------------------------------------------------------------

    async def _ready(self, ctx: Context[Any, Any]) -> None:
        """Wait until the baseline is known."""
        self._submitted.start()
        if self._submitted.search.state.has_tree:
            return
        known = self._threads.submit(self._submitted.wait_until_ready)
        await self._awaited(ctx, known, "measuring the original")

    async def _awaited(self, ctx: Context[Any, Any], future: Future[_T], doing: str = "") -> _T:
        """The result of the future; progress is reported, a cancelled call cancels it."""
        began = reported = anyio.current_time()
        try:
            while not future.done():
                await anyio.sleep(_LOOK)
                if (now := anyio.current_time()) - reported >= _PROGRESS:
                    reported = now
                    stage = self._waiting or doing or self._submitted.stage
                    text = f"{stage}, {duration(now - began)}"
                    await ctx.report_progress(now - began, message=text)
        except anyio.get_cancelled_exc_class():
            future.cancel()  # what has begun is seen through, and recorded
            raise
        try:
            return future.result()
        except MaxcodeError as error:
            raise ToolError(str(error)) from error
        except CancelledError as error:
            raise ToolError("the server is ending") from error

    def _step(self, number: int | None) -> Step:
        tree = self._submitted.tree
        if number is None:
            return tree.best
        if not 0 <= number < len(tree):
            raise ToolError(f"there is no step {number}; steps are 0 to {len(tree) - 1}")
        return tree[number]

    def _program(
        self,
        code: str | None,
        files: dict[str, str] | None,
        patch: str | None,
        folder: str | None,
        base: Step,
    ) -> Program:
        """The program made of the given form."""
        program = base.program
        given = sum(one is not None for one in (code, files, patch, folder))
        if given != 1:
            raise ToolError(f"give one of code, files, patch, folder, not {given} of them")
        try:
            if code is not None:
                return program.with_code(code)
            if patch is not None:
                return _patched(program, patch)
            if files is None:
                files = self._below(folder or "", program)
            return program.with_files(files)
        except (MaxcodeError, EditError, ValueError) as error:
            raise ToolError(str(error)) from error

    def _below(self, folder: str, program: Program) -> dict[str, str]:
        if not self._folders:
            raise InputError("this server takes no folders; give code, files or patch")
        found = read_below(Path(folder), program.files)
        if not found:
            raise InputError(f"{folder} holds none of {', '.join(program.files)}")
        return found

    def _outcome(self, step: Step) -> Document:
        tree = self._submitted.tree
        return {
            **step_document(step, tree.confirmed(step.id)),
            "feedback": step.evaluation.feedback,
            "is_best": tree.best.id == step.id,
        }

    def _best(self, *, in_full: bool) -> Document:
        tree, result = self._submitted.tree, Result.of(self._submitted.search.state)
        best = tree.best
        short: Document = {
            **self._outcome(best),
            "changed_lines": changed_lines(tree.root.program, best.program),
            "needs": [*result.needs],
            **{name.replace(" ", "_"): text for name, text in result.further},
        }
        if not in_full:
            return short
        diff = tree.root.program.diff(best.program)
        return {**short, "files": dict(best.program.shown().files), "diff": diff}

    def _standing(self) -> Document:
        """The budget, and whether the run goes on."""
        search = self._submitted.search
        spent = search.state.spent
        return {
            "budget": str(search.budget),
            "evaluations_spent": spent.evaluations,
            "seconds_spent": round(spent.seconds, 1),
            "best_step": self._submitted.tree.best.id,
            "over": self._submitted.reason or None,
        }


def _patched(program: Program, patch: str) -> Program:
    edits = read_diff(shown(patch))
    if not edits:
        raise InputError("the patch holds no hunk of a unified diff")
    return program.with_files(apply_edits(program.shown(), edits, tolerant=False).files)

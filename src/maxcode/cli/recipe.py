"""Recipe: what a run of the command line must know to be taken up again."""

from __future__ import annotations

from dataclasses import replace

from pydantic import BaseModel, ConfigDict, ValidationError

from maxcode.cli.sources import load_source
from maxcode.comparison.method import RECIPE as COMPARISON
from maxcode.errors import InputError, JournalError
from maxcode.journal.state import RunState
from maxcode.measure.meters import meter
from maxcode.task import Task
from maxcode.tasks.cpp import CppTask


class Recipe(BaseModel):
    """Kept with the run. ``task``, ``out``, ``prompts`` (unless it is the name of a set) and
    ``prices`` are absolute paths, and so are those in ``similar`` and ``reward_to_go``, of which
    ``similar_id`` and ``reward_to_go_id`` tell whether file and model are still the same; the rest
    is as it was given.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: str
    generator: str
    policy: str
    critic: str = "none"
    reward_to_go: str = "none"
    reward_to_go_id: str = ""
    meter: str | None = None
    sanitize: bool = False
    sandbox: str | None = None
    out: str | None = None
    prompts: str | None = None
    similar: str | None = None
    similar_id: str = ""
    context: int | None = None
    prices: str | None = None
    cache: bool = False
    log: tuple[str, ...] = ()

    @classmethod
    def of(cls, state: RunState) -> Recipe:
        """The recipe of a run. Raises :class:`InputError` when another program started it."""
        run_id = state.log.run_id
        if state.started is None:
            raise JournalError(f"run {run_id} was cut off before it began; start a new one")
        if not state.started.options.recipe:
            raise InputError(
                f"run {run_id} was started from Python, so only Python has its plug-ins; go on "
                f"with maxcode.Search(..., journal=journal.run({run_id!r}))"
            )
        if COMPARISON in state.started.options.recipe:
            raise InputError(
                f"run {run_id} belongs to a comparison; the same maxcode compare command goes on "
                "with it"
            )
        try:
            return cls.model_validate(state.started.options.recipe)
        except ValidationError as error:
            raise InputError(
                f"run {run_id} was started by maxcode {state.started.version}, whose recipe this "
                f"version cannot read: {error.errors(include_url=False)[0]['msg']}"
            ) from error

    def check_model(self, identity: str, run_id: str) -> None:
        """Raise :class:`InputError` where the reward-to-go model is another than at the start."""
        if self.reward_to_go_id and identity != self.reward_to_go_id:
            raise InputError(
                f"run {run_id} was begun with another reward-to-go model than the one that "
                f"{self.reward_to_go} names now; put that back, or start a new run"
            )

    def check_similar(self, identity: str, run_id: str) -> None:
        """Raise :class:`InputError` where the file of pairs is another than at the start."""
        if self.similar and self.similar_id and identity != self.similar_id:
            raise InputError(
                f"run {run_id} was begun with another {self.similar.partition(',')[0]}; put that "
                "back, or start a new run"
            )

    def load_task(self) -> Task:
        """The task. Raises :class:`~maxcode.errors.TaskError`, :class:`InputError`."""
        return judged(load_source(self.task), self.meter, sanitize=self.sanitize)


def judged(task: Task, name: str | None, *, sanitize: bool = False) -> Task:
    """The same task, measured by the meter of that name, or by its own; with sanitizers if asked.

    Raises :class:`InputError` for an unknown meter, and for what is no C++ task and has neither.
    """
    if not isinstance(task, CppTask):
        if name is not None or sanitize:
            raise InputError(f"--meter and --sanitize are for C++ tasks; {task.name!r} is none")
        return task
    own = task.judging
    return replace(
        task,
        judging=replace(
            own,
            meter=own.meter if name is None else meter(name).name,
            sanitize=own.sanitize or sanitize,
        ),
    )

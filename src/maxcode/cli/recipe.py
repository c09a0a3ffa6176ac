"""Recipe: what the journal keeps of a command line, from which a run's plug-ins are built again."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from maxcode.budget import Budget
from maxcode.cli.loggers import absolute_logger
from maxcode.cli.lookup import first_problem
from maxcode.cli.models import ModelConfig, absolute_prompts, absolute_similar
from maxcode.cli.plugins import (
    check_estimates,
    check_generator,
    make_critic,
    make_generator,
    make_policy,
    make_reward_to_go,
    modules_named,
    saved_identity,
    with_absolute_paths,
)
from maxcode.cli.provenance import check_imports, confirm_foreign, is_sealed, seal, show_foreign
from maxcode.cli.search_commands import Optimize, Resume, SearchArgs
from maxcode.cli.tasks import choose_sandbox, is_landscape, load_source
from maxcode.comparison.method import RECIPE as COMPARISON
from maxcode.errors import InputError, JournalError
from maxcode.interfaces import Critic, Generator, RewardToGo, SearchPolicy
from maxcode.journal.state import RunState
from maxcode.measure.meters import meter
from maxcode.observation import Observe
from maxcode.options import SUBMITTED, Options
from maxcode.prompts.lessons import LessonBook, ShownLessons
from maxcode.sandbox.base import Sandbox
from maxcode.task import Task
from maxcode.tasks.cpp import CppTask


@dataclass(frozen=True)
class Built:
    """The plug-ins of a search, and the sandbox of its programs."""

    recipe: Recipe
    generator: Generator
    policy: SearchPolicy
    critic: Critic | None
    reward_to_go: RewardToGo | None
    sandbox: Sandbox
    lessons: LessonBook | ShownLessons | None = None

    def load_task(self, known: Task | None = None) -> Task:
        """The task, unless it is ``known``, as the recipe has it measured.

        Raises :class:`~maxcode.errors.TaskError`, :class:`InputError`.
        """
        recipe = self.recipe
        task = known or load_source(recipe.task)
        task = measured_by(task, recipe.meter, sanitize=recipe.sanitize)
        check_generator(self.generator, task)
        return task


class Recipe(BaseModel):
    """The options of a run, as they were given, but with absolute paths.

    ``reward_to_go_id`` and ``similar_id`` identify the saved model and the file of pairs.
    ``learned`` is what is shown of the file ``lessons``, whatever becomes of that. ``seal`` says
    that this user wrote all of it; see :mod:`maxcode.cli.provenance`.
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
    answers: str | None = None
    repair: int | None = None
    strategies: bool = False
    lessons: str | None = None
    learned: ShownLessons | None = None
    prices: str | None = None
    cache: bool = False
    log: tuple[str, ...] = ()
    seal: str = ""

    @classmethod
    def of_request(cls, request: Optimize) -> Recipe:
        """The recipe of a new run, before its plug-ins are built and its task is recorded."""
        given = {name: value for name, value in vars(request).items() if name in cls.model_fields}
        changed = {
            "reward_to_go": with_absolute_paths(request.reward_to_go),
            "out": _absolute(request.out),
            "prompts": absolute_prompts(request.prompts),
            "similar": absolute_similar(request.similar),
            "prices": _absolute(request.prices),
            "lessons": _absolute(request.lessons),
            "log": tuple(map(absolute_logger, request.log or ())),
        }
        return cls.model_validate({**given, **changed})

    @classmethod
    def of(cls, state: RunState) -> Recipe:
        """The recipe of a run. Raises :class:`InputError` when another program started it."""
        run_id = state.log.run_id
        if state.started is None:
            raise JournalError(f"run {run_id} was cut off before it began; start a new one")
        recipe = state.started.options.recipe
        if not recipe:
            raise InputError(
                f"run {run_id} was started from Python, so only Python has its plug-ins; go on "
                f"with maxcode.Search(..., journal=journal.run({run_id!r}))"
            )
        if COMPARISON in recipe:
            raise InputError(
                f"run {run_id} belongs to a comparison; the same maxcode compare command goes on "
                "with it"
            )
        if SUBMITTED in recipe:
            task = shlex.quote(str(recipe[SUBMITTED]))
            raise InputError(
                f"the candidates of run {run_id} are handed in by an agent; go on with: "
                f"maxcode mcp {task} --run {run_id}"
            )
        try:
            return cls.model_validate({**recipe, **state.recipe_changes})
        except ValidationError as error:
            raise InputError(
                f"run {run_id} was started by maxcode {state.started.version}, whose recipe this "
                f"version cannot read: {first_problem(error)}"
            ) from error

    @property
    def named(self) -> dict[str, Any]:
        """All that it says, but for what every recipe says that does not say otherwise."""
        return self.model_dump(mode="json", exclude_defaults=True, exclude={"seal"})

    def sealed(self, budget: Budget) -> Recipe:
        """As this user has it followed from now on, at that budget."""
        return self.model_copy(update={"seal": seal(self.named, budget)})

    def followed(self, request: Resume, state: RunState, budget: Budget) -> Recipe:
        """What is followed of a run's recipe, as ``request`` changes it, at ``budget`` from now on.

        Of a recipe that somebody else may have written, nothing is written where it says, programs
        are isolated, and only modules that the user names are imported. The rest is shown, and has
        to be confirmed. Raises :class:`InputError`.
        """
        changed = self.model_copy(update=given_changes(request))
        if is_sealed(self.seal, self.named, state.budget):
            return changed
        run_id = state.log.run_id
        box = None if is_landscape(self.task) else "bubblewrap"  # the task's program is not theirs
        changed = changed.model_copy(update={"out": None, "log": (), "sandbox": box})
        elsewhere = ("out", "log", "sandbox")
        dropped = {name: value for name, value in self.named.items() if name in elsewhere}
        show_foreign(run_id, changed.named, dropped, budget)
        check_imports(run_id, changed.modules(), [*(request.imports or ()), *_imported(request)])
        confirm_foreign(run_id, trust=request.trust)
        return changed

    def own_out(self, budget: Budget) -> str | None:
        """Where the faster program is saved, if this user said so."""
        return self.out if is_sealed(self.seal, self.named, budget) else None

    def modules(self) -> list[str]:
        """The modules that would be imported because it names them."""
        return modules_named(self.generator, self.policy, self.critic, self.reward_to_go)

    def changed_from(self, before: Recipe) -> dict[str, Any]:
        """What a session that follows this one says anew: what was found stays as it is."""
        old, new = before.model_dump(mode="json"), self.model_dump(mode="json")
        return {name: value for name, value in new.items() if value != old[name]}

    def build(self, budget: Budget, *, sandbox: str | None = None) -> Built:
        """The plug-ins, and the recipe with the identities of the files that they come from.

        ``sandbox`` replaces the recipe's. Raises :class:`InputError`,
        :class:`~maxcode.errors.ToolError`.
        """
        models = ModelConfig(
            self.prompts,
            self.prices,
            budget,
            self.context,
            self.similar,
            self.answers,
            self.repair or 0,
            self.strategies,
            self.lessons,
            self.learned,
        )
        generator, policy = make_generator(self.generator, models), make_policy(self.policy)
        critic = make_critic(self.critic, models)
        models.check_shown(generator, critic)
        model = make_reward_to_go(self.reward_to_go, models)
        check_estimates(policy, model)
        identities = {
            "reward_to_go_id": saved_identity(self.reward_to_go),
            "similar_id": models.similar_id,
        }
        if self.meter is not None:
            meter(self.meter)  # raises for an unknown one
        box = choose_sandbox(sandbox or self.sandbox, generator, [self.task])
        recipe = self.model_copy(update=identities)
        return Built(recipe, generator, policy, critic, model, box, models.learned)

    def check_same(self, now: Recipe, run_id: str) -> None:
        """Raise :class:`InputError` where a saved model or the file of pairs is another ``now``."""
        if self.reward_to_go_id and now.reward_to_go_id != self.reward_to_go_id:
            raise InputError(
                f"run {run_id} was begun with another reward-to-go model than the one that "
                f"{self.reward_to_go} names now; put that back, or start a new run"
            )
        if self.similar and self.similar_id and now.similar_id != self.similar_id:
            raise InputError(
                f"run {run_id} was begun with another {self.similar.partition(',')[0]}; put that "
                "back, or start a new run"
            )


def given_changes(request: Resume) -> dict[str, Any]:
    """Fields of a recipe that a request to go on replaces, and their values."""
    given = {
        "generator": request.generator,
        "critic": request.critic,
        "context": request.context,
        "answers": request.answers,
        "repair": request.repair,
        "prompts": absolute_prompts(request.prompts),
        "prices": _absolute(request.prices),
        "cache": request.cache or None,
    }
    return {name: value for name, value in given.items() if value is not None}


def _imported(request: Resume) -> list[str]:
    """The modules that the user names by the plug-ins given."""
    return modules_named(
        request.generator or "rewrite", "maxcode", request.critic or "none", "none"
    )


def _absolute(path: str | None) -> str | None:
    return path and str(Path(path).absolute())


def search_options(request: SearchArgs, *, ranked: bool) -> Options:
    """Every option of a search that the request has and sets; the others keep their defaults.

    ``ranked`` says whether there is a reward-to-go model. Raises :class:`InputError`.
    """
    ranking = ("propose", "run", "explore", "guard")
    observe = request.observe if isinstance(request, Optimize) else None
    given = {
        **vars(request),
        "guard": request.rtg_guard or None,
        "observe": None if observe is None else Observe.parse(observe),
    }
    chosen = {"in_flight": None} if isinstance(request, Optimize) and not request.in_flight else {}
    if not ranked:
        for name, flag in zip(ranking, ("propose", "run", "explore", "rtg-guard"), strict=True):
            if given[name] is not None:
                raise InputError(
                    f"--{flag} goes with a reward-to-go model; name one with --reward-to-go, "
                    "or leave it out"
                )
    names = {field.name for field in fields(Options)}
    own = {k: v for k, v in given.items() if k in names and v is not None}
    return Options(**{**own, **chosen})


def measured_by(task: Task, name: str | None, *, sanitize: bool = False) -> Task:
    """The same task, measured by the meter of that name, or by its own; with sanitizers if asked.

    Raises :class:`InputError` for an unknown meter, and for what is no C++ task and has neither.
    """
    if not isinstance(task, CppTask):
        if name is not None or sanitize:
            raise InputError(f"--meter and --sanitize are for C++ tasks; {task.name!r} is none")
        return task
    own = task.judging
    judging = replace(
        own,
        meter=own.meter if name is None else meter(name).name,
        sanitize=own.sanitize or sanitize,
    )
    return replace(task, judging=judging)

"""Recipe: the settings of a run in its journal, from which its plug-ins are built again."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as validated

from maxcode.budget import Budget
from maxcode.cli.commands import Optimize, Resume, RunSettings, SearchArgs
from maxcode.cli.lookup import constructed, first_message, split_options
from maxcode.cli.models import ModelConfig, absolute_prompts
from maxcode.cli.parameters import Box
from maxcode.cli.plugins import (
    absolute_logger,
    check_estimates,
    check_generator,
    make_critic,
    make_generator,
    make_policy,
    make_reward_to_go,
    saved_identity,
    with_absolute_paths,
)
from maxcode.cli.settings import confirm_foreign, is_sealed, seal
from maxcode.cli.tasks import choose_sandbox, is_landscape, load_source
from maxcode.comparison.method import RECIPE as COMPARISON
from maxcode.errors import InputError, JournalError
from maxcode.interfaces import Critic, Executor, Generator, RewardToGo, SearchPolicy
from maxcode.journal.journal import Journal
from maxcode.journal.state import Observer, RunState
from maxcode.measure.meters import meter
from maxcode.observation import Observe
from maxcode.options import SUBMITTED, Options
from maxcode.sandbox.base import Sandbox
from maxcode.search.search import Search
from maxcode.task import Task
from maxcode.tasks.program import ProgramTask


@dataclass(frozen=True)
class Built:
    """The plug-ins of a search, and the sandbox of its programs."""

    recipe: Recipe
    generator: Generator
    policy: SearchPolicy
    critic: Critic | None
    reward_to_go: RewardToGo | None
    sandbox: Sandbox

    def load_task(self, known: Task | None = None) -> Task:
        """The task, unless it is ``known``, as the recipe has it measured."""
        recipe = self.recipe
        task = known or load_source(recipe.task)
        task = measured_by(task, recipe.meter, sanitize=recipe.sanitize)
        check_generator(self.generator, task)
        return task

    def beginning(
        self,
        task: Task,
        executor: Executor,
        journal: Journal | RunState,
        options: Options,
        budget: Budget | None,
        observers: Sequence[Observer],
    ) -> Callable[[Observer], Search]:
        """A function that begins the search, or goes on with a run, before a further observer."""
        return lambda view: Search(
            task,
            generator=self.generator,
            executor=executor,
            critic=self.critic,
            reward_to_go=self.reward_to_go,
            policy=self.policy,
            budget=budget,
            journal=journal,
            options=options,
            observers=[view, *observers],
        )


@validated(frozen=True, kw_only=True, config=ConfigDict(extra="forbid"))
class Recipe(RunSettings):
    """The settings of a run as the journal keeps them, with absolute paths.

    ``reward_to_go_id`` identifies the saved model. ``seal`` proves that this user wrote the
    recipe; see :mod:`maxcode.cli.settings`.
    """

    generator: str = field()
    policy: str = field()
    reward_to_go_id: str = ""
    log: tuple[str, ...] = ()
    seal: str = ""

    @classmethod
    def of_request(cls, request: Optimize) -> Recipe:
        """The recipe of a new run, before its plug-ins are built and its task is recorded."""
        return cls(**_given(request))

    @classmethod
    def of(cls, state: RunState) -> Recipe:
        """The recipe of a run. Raises :class:`InputError` when another program started it."""
        run_id = state.log.run_id
        if state.started is None:
            raise JournalError(f"run {run_id} was cut off before it began; start a new one")
        recipe = state.started.options.recipe
        why = ""
        if not recipe:
            again = f"maxcode.Search(..., journal=journal.run({run_id!r}))"
            why = f"was started from Python, which alone has its plug-ins; go on with {again}"
        elif COMPARISON in recipe:
            why = "belongs to a comparison; the same maxcode compare command goes on with it"
        elif SUBMITTED in recipe:
            task = shlex.quote(str(recipe[SUBMITTED]))
            why = f"has candidates of an agent; go on with: maxcode mcp {task} --continue {run_id}"
        if why:
            raise InputError(f"run {run_id} {why}")
        try:
            known = {one.name for one in fields(cls)}
            stored = {**recipe, **state.recipe_changes}
            stored.pop("cache", None)  # of version 0.1
            return _RECIPES.validate_python(  # settings of older versions go where they were off
                {name: value for name, value in stored.items() if name in known or value}
            )
        except ValidationError as error:
            raise InputError(
                f"run {run_id} was started by maxcode {state.started.version}, whose recipe this "
                f"version cannot read: {first_message(error)}"
            ) from error

    @property
    def document(self) -> dict[str, Any]:
        """All fields as JSON."""
        return dict(_RECIPES.dump_python(self, mode="json"))

    @property
    def named(self) -> dict[str, Any]:
        """Fields without defaults and the seal, as JSON."""
        dumped = _RECIPES.dump_python(self, mode="json", exclude_defaults=True, exclude={"seal"})
        return dict(dumped)

    def sealed(self, budget: Budget) -> Recipe:
        """The recipe with this user's seal, for a run with that budget."""
        return replace(self, seal=seal(self.named, budget))

    def is_own(self, budget: Budget) -> bool:
        """Whether this user wrote the recipe, for a run with that budget."""
        return is_sealed(self.seal, self.named, budget)

    def followed(self, request: Resume, state: RunState, budget: Budget) -> Recipe:
        """The recipe as changed by ``request``, at ``budget`` from now on.

        Of a recipe perhaps by somebody else no file is written in its places, and programs are
        isolated. The rest is shown, and has to be confirmed. Raises :class:`InputError`.
        """
        changed = replace(self, **given_changes(request))
        if self.is_own(state.budget):
            return changed
        box: Box | None = None if is_landscape(self.task) else "bubblewrap"
        changed = replace(changed, out=None, log=(), sandbox=box)
        dropped = {name: value for name, value in self.named.items() if name in _NOT_CHANGED}
        confirm_foreign(state.log.run_id, changed.named, dropped, budget, trust=request.trust)
        return changed

    def changed_from(self, before: Recipe) -> dict[str, Any]:
        """Changes from an earlier recipe, as JSON."""
        old, new = before.document, self.document
        return {name: value for name, value in new.items() if value != old[name]}

    def build(self, budget: Budget, *, sandbox: str | None = None) -> Built:
        """The plug-ins, and the recipe with the identities of their files.

        ``sandbox`` replaces the recipe's. Raises :class:`InputError`, also where the saved model is
        not that of the run, and :class:`~maxcode.errors.ToolError`.
        """
        models = ModelConfig(self, budget)
        generator, policy = make_generator(self.generator, models), make_policy(self.policy)
        critic = make_critic(self.critic, models)
        model = make_reward_to_go(self.reward_to_go, models)
        check_estimates(policy, ranked=model is not None)
        if self.meter is not None:
            meter(self.meter)  # raises for an unknown one
        box = choose_sandbox(sandbox or self.sandbox, generator, [self.task])
        identity = saved_identity(self.reward_to_go)
        if self.reward_to_go_id not in ("", identity):
            raise InputError(
                "the run was begun with another reward-to-go model than the one that "
                f"{self.reward_to_go} names now; put that back, or start a new run"
            )
        recipe = replace(self, reward_to_go_id=identity)
        return Built(recipe, generator, policy, critic, model, box)


_RECIPES = TypeAdapter(Recipe)
_ABSOLUTE: dict[str, Callable[[Any], Any]] = {
    "reward_to_go": with_absolute_paths,
    "prompts": absolute_prompts,
    "log": lambda texts: tuple(map(absolute_logger, texts)),
    **dict.fromkeys(("out", "prices"), lambda path: str(Path(path).absolute())),
}
_RANKING = ("propose", "run", "explore", "guard")  # options for a reward-to-go model
_NOT_CHANGED = ("out", "log", "sandbox")  # of a recipe, by a request to go on


def _given(request: Optimize | Resume) -> dict[str, Any]:
    """Fields of a recipe in a command line, with absolute paths."""
    names = {one.name for one in fields(Recipe)}
    given = {name: value for name, value in vars(request).items() if name in names}
    return {
        name: _ABSOLUTE[name](value) if name in _ABSOLUTE else value
        for name, value in given.items()
        if value is not None and value is not False
    }


def given_changes(request: Resume) -> dict[str, Any]:
    """Fields of a recipe replaced by a request to go on, and their values."""
    return {name: value for name, value in _given(request).items() if name not in _NOT_CHANGED}


def search_options(request: SearchArgs, *, ranked: bool) -> Options:
    """The options of a search set by a request; the others keep their defaults.

    ``ranked``: there is a reward-to-go model. Raises :class:`InputError`.
    """
    known = {one.name for one in fields(Options)}
    given = {name: value for name, value in vars(request).items() if name in known}
    given |= {"recipe": {}, "trainer": None}  # no options of a command line
    if observe := given.get("observe"):
        given["observe"] = Observe.parse(observe)
    if given.get("threads", 0) is None:
        del given["threads"]
    text = request.options
    _, ranking = split_options(text, _RANKING)
    if ranking and not ranked:
        raise InputError(
            f"--options {ranking.partition('=')[0]}=... goes with a reward-to-go model; name one "
            "with --reward-to-go, or leave it out"
        )
    options = constructed(f"--options {text}", Options, text, **given)
    chosen_later = isinstance(request, Optimize) and not split_options(text, {"in_flight"})[1]
    return replace(options, in_flight=None) if chosen_later else options


def measured_by(task: Task, name: str | None, *, sanitize: bool = False) -> Task:
    """Task of a recipe, with the meter of a name or its own; with sanitizers if asked.

    Raises :class:`InputError` for an unknown meter, and for kernels and projects.
    """
    if not isinstance(task, ProgramTask):
        if name is not None or sanitize:
            raise InputError(
                f"--meter and --sanitize are for programs, not for {task.name!r}; a project's "
                "meter is in its task.toml"
            )
        return task
    own = task.judging
    chosen = own.meter if name is None else meter(name).name
    return replace(task, judging=replace(own, meter=chosen, sanitize=own.sanitize or sanitize))

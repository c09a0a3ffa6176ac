"""The plug-ins of a search from their names, checks of their combination, and run loggers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from inspect import signature
from pathlib import Path

from maxcode.cli.console import say, waiting
from maxcode.cli.lookup import constructed, find_class, make_plugin, split_options
from maxcode.cli.models import MODELS, ModelConfig
from maxcode.critics.llm import LLMCritic
from maxcode.errors import InputError
from maxcode.executors.ray.executor import RayExecutor
from maxcode.executors.ray.lanes import RayLanes
from maxcode.generators.agent import AgentGenerator
from maxcode.generators.llm import ModelGenerator
from maxcode.generators.mixture import Mixture
from maxcode.generators.rewrite import RewriteGenerator
from maxcode.generators.rewrites import SOURCES
from maxcode.generators.tune import TuneGenerator
from maxcode.interfaces import Critic, Executor, Generator, RewardToGo, SearchPolicy, Waits
from maxcode.landscape.terrain import Landscape
from maxcode.policies.beam import Beam
from maxcode.redaction import without_password
from maxcode.report.loggers import RunLogger
from maxcode.reward_to_go.loading import load
from maxcode.reward_to_go.objective import Objective
from maxcode.reward_to_go.openai import OpenAIRewardToGo
from maxcode.reward_to_go.saved import FILE, Saved
from maxcode.sandbox.base import Sandbox
from maxcode.task import Task
from maxcode.tasks.kernel import KernelTask
from maxcode.tasks.languages import language_named
from maxcode.tasks.program import ProgramTask

_SERVED = "openai"
_OF_MODELS = tuple(f"{kind}:MODEL" for kind in MODELS)


def make_generator(text: str, model_config: ModelConfig | None = None) -> Generator:
    """The generator named by ``text``; several with `` + `` between them are a mixture."""
    model_config = model_config or ModelConfig()
    kind = text.partition(":")[0]
    if " + " in text:
        return _mixture(text, model_config)
    if kind == "agent":
        return _agent(text, model_config)
    if kind in MODELS:
        model, prompts = model_config.model(text), model_config.templates
        return ModelGenerator(model, prompts, repair=model_config.settings.repair or 0)
    generator: Generator = make_plugin(text, "generator", (*_OF_MODELS, "agent:COMMAND"))
    return generator


def _mixture(text: str, model_config: ModelConfig) -> Mixture:
    """``3 * anthropic:A + 1 * rewrite`` has weights; without any, a bandit decides."""
    parts = [
        re.fullmatch(r"(?:(\S+) \* )?(.*)", one.strip(), re.DOTALL) for one in text.split(" + ")
    ]
    weights, names = zip(*(part.groups() for part in parts if part), strict=True)
    generators = [make_generator(name, model_config) for name in names]
    try:
        return Mixture(generators, [float(one or 1) for one in weights] if any(weights) else None)
    except ValueError as error:
        raise InputError(f"cannot read the weights in {text!r}: {error}") from error


def _agent(text: str, model_config: ModelConfig) -> AgentGenerator:
    """``agent:COMMAND,seconds=300``: options are at the end, and quotes belong to the command."""
    command, options = text.partition(":")[2], []
    while found := re.fullmatch(r"(.*),\s*(\w+\s*=[^,'\"]*)", command, re.DOTALL):
        command = found[1]
        options.append(found[2])
    agent = constructed(text, AgentGenerator, ",".join(options), command=command)
    agent.prompts = model_config.templates
    return agent


def make_policy(text: str) -> SearchPolicy:
    """The search policy named by ``text``. Raises :class:`InputError`."""
    policy: SearchPolicy = make_plugin(text, "policy")
    return policy


def make_critic(text: str, model_config: ModelConfig | None = None) -> Critic | None:
    """The critic named by ``text``; "none" is none. Raises :class:`InputError`."""
    if text == "none":
        return None
    if text.partition(":")[0] in MODELS:
        model_config = model_config or ModelConfig()
        return LLMCritic(model_config.model(text), model_config.templates)
    critic: Critic = make_plugin(text, "critic", (*_OF_MODELS, "none"))
    return critic


def make_reward_to_go(text: str, model_config: ModelConfig | None = None) -> RewardToGo | None:
    """The reward-to-go model named by ``text``; "none" is none.

    A folder holds a saved model; ``bins=FOLDER`` gives a served model the bins of a saved one.
    Raises :class:`InputError`, :class:`~maxcode.errors.ToolError`.
    """
    if text == "none":
        return None
    named, folder = _parts(text)
    if named:
        saved = Saved.read(folder) if folder else None
        objective = saved.objective if saved else Objective()
        served = (model_config or ModelConfig()).first_token(named, objective.bins.labels)
        context = saved.tokens if saved and saved.kind == "transformers" else None
        return OpenAIRewardToGo(served, objective, context)
    if folder:
        return load(folder)
    others = ("the folder of a saved one", f"{_SERVED}:MODEL@BASE_URL", "none")
    model: RewardToGo = make_plugin(text, "reward-to-go model", others)
    return model


def with_absolute_paths(text: str) -> str:
    """The value of ``--reward-to-go`` with absolute paths."""
    named, folder = _parts(text)
    path = str(Path(folder).absolute())
    return (f"{named},bins={path}" if named else path) if folder else text


def saved_model(text: str) -> Saved | None:
    """The saved model named by ``text``, which may be served; None for other models."""
    folder = _parts(text)[1]
    return Saved.read(folder) if folder and Path(folder, FILE).is_file() else None


def saved_identity(text: str) -> str:
    """The identity of the saved model named by ``text``; empty for other models.

    Another model in the same folder has another identity. Raises :class:`InputError`.
    """
    saved = saved_model(text)
    return saved.identity if saved else ""


def _parts(text: str) -> tuple[str, str]:
    """A served model without ``bins=FOLDER``, and the folder of a saved one; empty for none."""
    if text.partition(":")[0] != _SERVED:
        return "", text if Path(text).is_dir() else ""
    named, bins = split_options(text, {"bins"})
    return named, bins.partition("=")[2]


def make_executor(
    task: Task, sandbox: Sandbox, lanes: RayLanes | None = None
) -> AbstractContextManager[Executor]:
    """The executor of a task, to be closed; with the sandbox if it takes a sandbox.

    With ``lanes`` it judges there, in a sandbox of the same kind on each. Its waits for other
    processes are printed. Raises :class:`InputError`.
    """
    if lanes is not None:
        find_class(task.executor, "executor")
        made: Executor = RayExecutor(partial(_executor_of_lane, task, type(sandbox)), lanes)
    else:
        made = _executor(task, sandbox)
    if isinstance(made, Waits):
        made.on_wait(waiting)
    return _closing(made)


def _executor(task: Task, sandbox: Sandbox) -> Executor:
    plugin, options = find_class(task.executor, "executor")
    given = {"sandbox": sandbox} if "sandbox" in signature(plugin).parameters else {}
    executor: Executor = constructed(task.executor, plugin, options, **given)
    return executor


def _executor_of_lane(task: Task, sandbox: type[Sandbox]) -> AbstractContextManager[Executor]:
    return _closing(_executor(task, sandbox()))


def _closing(executor: Executor) -> AbstractContextManager[Executor]:
    return executor if isinstance(executor, AbstractContextManager) else nullcontext(executor)


def check_estimates(policy: SearchPolicy, *, ranked: bool) -> None:
    """Raise :class:`InputError` for a policy by estimates without a model to make them."""
    if isinstance(policy, Beam) and policy.by == "reward-to-go" and not ranked:
        raise InputError(
            "by=reward-to-go goes by estimates, and there is no model to make them; add "
            "--reward-to-go MODEL, and in a comparison +rtg to the policy, or take by=reward"
        )


def nothing_proposed(language: str) -> str:
    """The error where only a model can propose changes."""
    return (
        f"nothing proposes changes to {language} without a model; name one with --generator, such "
        "as anthropic:MODEL or openai:MODEL@BASE_URL, or give versions of your own: --generator "
        "pool:folder=DIR"
    )


def check_generator(generator: Generator, task: Task) -> None:
    """Raise :class:`InputError` where a generator of ours has nothing for the task."""
    if isinstance(generator, RewriteGenerator):
        if isinstance(task, KernelTask):
            raise InputError(nothing_proposed("kernels"))
        if isinstance(task, ProgramTask) and task.language not in SOURCES:
            raise InputError(nothing_proposed(language_named(task.language).title))
    if isinstance(generator, TuneGenerator) and not generator.declares(task):
        raise InputError(
            f"the program of task {task.name!r} declares no parameters to tune; put values behind "
            "a definition, as in '#define TILE 16  // tune: 8 16 32'"
        )
    parts = generator.generators.values() if isinstance(generator, Mixture) else [generator]
    if isinstance(task, Landscape) and any(isinstance(one, RewriteGenerator) for one in parts):
        raise InputError("landscape tasks need --generator landscape")


def make_logger(text: str) -> RunLogger:
    """The logger named by ``text``, as in ``tensorboard:DIR``.

    Raises :class:`InputError`, :class:`~maxcode.errors.ToolError` for a missing library.
    """
    plugin, where = find_class(text, "run logger")
    if not where:
        raise InputError(f"cannot log to {text!r}: say where, as in {text.rstrip(':')}:WHERE")
    if re.search("//[^/]*:[^/]*@", where) or without_password(where) != where:
        raise InputError(
            "where a run is logged is kept with it and shown, so no password may be in it; give "
            "MLflow's by MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD"
        )
    logger: RunLogger = plugin(where)
    return logger


def absolute_logger(text: str) -> str:
    """This logger with an absolute place, valid from any folder."""
    plugin, where = find_class(text, "run logger")
    before = text.removesuffix(where)
    return f"{before}{plugin.absolute(where)}" if where else text  # type: ignore[attr-defined]


@contextmanager
def run_loggers(texts: Iterable[str]) -> Iterator[list[RunLogger]]:
    """The loggers of these names. Their failures are printed at the end, as warnings."""
    made, problems = [make_logger(text) for text in texts], list[str]()
    for logger in made:
        logger.report = problems.append
    try:
        yield made
    finally:
        for problem in problems:
            say(f"warning: {problem}")

"""The command `compare`: methods x tasks x seeds at an equal budget, and what may be concluded."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from maxcode.budget import Budget
from maxcode.cli.compare_files import Files
from maxcode.cli.compare_tables import print_contest
from maxcode.cli.console import standard_error, standard_output
from maxcode.cli.figures import counted, dollars, duration, factor
from maxcode.cli.interrupts import Interrupts
from maxcode.cli.isolation import choose_sandbox, executor_for
from maxcode.cli.models import Backing
from maxcode.cli.plugins import (
    check_estimates,
    make_critic,
    make_generator,
    make_policy,
    make_reward_to_go,
    saved_identity,
    with_absolute_paths,
)
from maxcode.cli.ranking import Ranking
from maxcode.cli.recipe import judged
from maxcode.cli.search_commands import Compare
from maxcode.cli.sources import load_source, task_source
from maxcode.comparing.contest import Contest, Failure
from maxcode.comparing.method import CONTROL, Method, ablation, is_control, observing
from maxcode.comparing.outcome import Outcome
from maxcode.comparing.plan import Plan
from maxcode.comparing.running import Running
from maxcode.errors import InputError
from maxcode.interfaces import Executor, RewardToGo
from maxcode.journal import Journal
from maxcode.observation import Observe
from maxcode.options import Options
from maxcode.policies.best_of_n import BestOfN
from maxcode.sandbox.base import Sandbox
from maxcode.task import Task

_TASK = "task.toml"
_KERNEL = ".py"
_UNNAMED = "rtg"
_NAME = r"[A-Za-z_][\w-]*"  # no number: policies have such as x=1e+5
_RANKED = re.compile(rf"(.+)\+({_NAME})")
_NAMED = re.compile(r"(?:([\w-]+)=)?(.+)")
_STOPPING = "stopping what is under way; once more to leave at once\n"


def compare(request: Compare) -> int:
    """Make the runs that are missing, tell the outcome, and give the exit code."""
    files, messages = Files.of(request), standard_error()
    plan = _plan(request, messages)
    with Journal.open(request.store) as journal:
        running = Running(plan, journal, request.jobs)
        known, total = running.known, counted(len(running.cells), "run")
        if known:
            messages.print(f"{known} of {total} are in the store, finished or to be gone on with")
        found: list[Outcome | Failure] = []
        with Interrupts(_say_stopping, lambda: None) as interrupts:
            try:
                with closing(running.outcomes()) as outcomes:
                    for number, outcome in enumerate(outcomes, 1):
                        found.append(outcome)
                        messages.print(f"{number} of {total}: {_told(outcome)}", soft_wrap=True)
            except KeyboardInterrupt:
                pass
    contest = Contest.of(plan, found)
    effects = contest.effects(plan.methods[1:]) if request.ablate else []
    print_contest(standard_output(), contest, effects)
    for path in files.save(contest, effects):
        messages.print(f"wrote {path}", soft_wrap=True)
    if contest.missing or contest.failures:
        done = len(contest.outcomes)
        messages.print(
            f"{done} of {total} done; the same command makes the others, and none of these again"
        )
    return interrupts.exit_code or (1 if contest.failures else 0)


def _plan(request: Compare, messages: Console) -> Plan:
    budget = Budget.parse(request.budget)
    backing = Backing(request.prompts, request.prices, budget)
    generator = make_generator(request.generator, backing)
    methods = _methods(request, backing)
    options = Options(threads=max(1, (os.cpu_count() or 1) // request.jobs))
    ranked = any(method.reward_to_go for method in methods)
    options = Ranking.of(request, models=ranked).applied(options)
    critic = make_critic(_critic(request), backing)
    sources = [source for name in request.tasks for source in _sources(name, messages)]
    sandbox = choose_sandbox(request.sandbox, generator, messages, sources)
    if budget.seconds is not None and request.jobs > 1:
        messages.print(
            "note: runs that share the machine wait for one another, and their seconds go on; "
            "with --jobs 1 a budget in seconds is fairer"
        )
    return Plan.fair(
        methods,
        [judged(load_source(source), request.meter) for source in sources],
        generator=generator,
        executor=_executors(sandbox),
        critic=critic,
        seeds=request.seeds,
        budget=budget,
        options=options,
    )


def _methods(request: Compare, backing: Backing) -> Sequence[Method]:
    """The methods that were named, or the eight of an ablation."""
    told = {
        "generator": request.generator,
        "critic": _critic(request),
        "prompts": request.prompts and str(Path(request.prompts).absolute()),
        "sandbox": request.sandbox,
    }
    settings = ", ".join(f"{name}={value}" for name, value in told.items() if value)
    observe = None if request.observe is None else Observe.parse(request.observe)
    models = _models(request, backing)
    texts = request.policy or ["maxcode", *(f"maxcode+{name}" for name in models)]
    methods = [_method(text, observe, settings, models) for text in texts]
    taking = [method.reward_to_go for method in methods]
    if idle := [name for name, (_, model) in models.items() if model not in taking]:
        raise InputError(
            f"no --policy takes the reward-to-go model {idle[0]!r}; one does if it is written like "
            f"maxcode+{idle[0]}"
        )
    control = Method(CONTROL, BestOfN(), settings=settings)
    if not request.ablate:
        return methods if any(map(is_control, methods)) else [control, *methods]
    if len(methods) != 1 or methods[0].observe is not None:
        raise InputError("--ablate takes one --policy, and no --observe: it tries all of them")
    if request.critic == "none":
        raise InputError("--ablate switches critiques on and off, so there must be some: no none")
    return [control, *ablation(methods[0])]


def _critic(request: Compare) -> str:
    """The critic that was named; without a name none, but for an ablation, which needs one."""
    if request.critic is not None or not request.ablate:
        return request.critic or "none"
    return "landscape" if request.generator.partition(":")[0] == "landscape" else "profile"


_Models = dict[str, tuple[str, RewardToGo]]
"""Reward-to-go models by name, each with the text that names it."""


def _models(request: Compare, backing: Backing) -> _Models:
    """From ``[NAME=]MODEL``, as often as that was given; a saved model that changes is another."""
    found: _Models = {}
    for text in request.reward_to_go or ():
        match = _NAMED.fullmatch(text)
        name, named = (match[1] or _UNNAMED, match[2]) if match else (_UNNAMED, text)
        if not re.fullmatch(_NAME, name):
            raise InputError(f"--reward-to-go {text}: names begin with a letter, unlike {name!r}")
        if name in found:
            raise InputError(
                f"two reward-to-go models are called {name!r}; tell them apart: "
                "--reward-to-go one=MODEL --reward-to-go other=MODEL"
            )
        if model := make_reward_to_go(named, backing):
            told = " ".join((with_absolute_paths(named), saved_identity(named))).strip()
            found[name] = (told, model)
    return found


def _method(text: str, observe: Observe | None, settings: str, models: _Models) -> Method:
    """``maxcode:k=4+rtg@trajectory,best``: a policy, who ranks, and what the generator is shown."""
    name, at, shown = text.partition("@")
    match = _RANKED.fullmatch(name)
    policy, model_name = match.groups() if match else (name, None)
    method = Method(name, make_policy(policy), settings=settings)
    if model_name:
        if model_name not in models:
            raise InputError(
                f"--policy {text}: there is no reward-to-go model {model_name!r}; add "
                f"--reward-to-go {model_name}=MODEL"
            )
        told, model = models[model_name]
        settings = f"{settings}, reward_to_go={told}"
        method = replace(method, reward_to_go=model, settings=settings)
    check_estimates(method.policy, models[model_name][1] if model_name else None)
    if at:
        return observing(method, Observe.parse(shown))
    if observe is None or isinstance(method.policy, BestOfN):  # the control sees nothing
        return method
    return observing(method, observe)


def _executors(sandbox: Sandbox) -> Callable[[Task], AbstractContextManager[Executor]]:
    def executor(task: Task) -> AbstractContextManager[Executor]:
        return executor_for(task, sandbox)

    return executor


def _sources(name: str, messages: Console) -> Iterator[str]:
    """The tasks that an argument stands for: itself, or those in a folder of tasks."""
    path = Path(name)
    if not path.is_dir() or (path / _TASK).is_file():
        yield task_source(name, (), messages)
        return
    inside = [p for p in sorted(path.iterdir()) if (p / _TASK).is_file()]
    inside = inside or sorted(path.glob(f"[!_]*{_KERNEL}"))
    if not inside:
        raise InputError(
            f"{path} holds no tasks: they are folders with a {_TASK}, or files in KernelBench's "
            "format"
        )
    for one in inside:
        yield task_source(str(one), (), messages)


def _told(outcome: Outcome | Failure) -> str:
    where = f"{outcome.method}, {outcome.task}, seed {outcome.seed}"
    if isinstance(outcome, Failure):
        return f"{where}: failed: {outcome.message}"
    spent = outcome.spent
    paid = f", {dollars(spent.dollars)}" if spent.dollars else ""
    return (
        f"{where}: {factor(outcome.speedup)} after "
        f"{counted(spent.evaluations, 'evaluation')}, {duration(spent.seconds)}{paid}"
    )


def _say_stopping() -> None:
    os.write(2, _STOPPING.encode())  # safe between any two instructions

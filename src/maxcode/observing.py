"""What a search shows for an expansion: to generators and critics, and to who ranks candidates."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from maxcode.errors import PolicyError
from maxcode.evaluation import Baseline
from maxcode.interfaces import SearchPolicy
from maxcode.observation import Observation, Observe, observe
from maxcode.options import Options
from maxcode.seeds import derive
from maxcode.task import Task
from maxcode.tree import Expansion, SearchTree, Trajectory


def observation_for(
    tree: SearchTree, task: Task, number: int, options: Options, switches: Observe, machine: str
) -> Observation:
    """What the generator is shown for a pending expansion; notes may still be missing."""
    seed = derive(options.seed, "generator", number)
    return observe(tree, task, number, seed, switches, options.attempts, machine)


def ranking_view(tree: SearchTree, observation: Observation, parent: int) -> Observation:
    """What a reward-to-go model is shown: the path to the parent, whatever generators are shown."""
    path = plain_path(tree, parent)
    return Observation(
        task=observation.task,
        step=path.steps[-1],
        number=observation.number,
        seed=observation.seed,
        trajectory=path,
        machine=observation.machine,
    )


def plain_path(tree: SearchTree, step_id: int) -> Trajectory:
    """The path to a step without notes.

    Which steps have one, and since when, is a matter of who else was shown them.
    """
    path = tree.path(step_id)
    steps = tuple(replace(step, critique=None, profile=None) for step in path.steps)
    return replace(path, steps=steps)


def first_observation(
    task: Task, baseline: Baseline, policy: SearchPolicy, options: Options
) -> tuple[Observation, Expansion]:
    """What the first expansion of a new search is shown, and what the policy asks of it.

    Notes that the search would make first, profile and critiques, are missing. Raises
    :class:`~maxcode.errors.PolicyError` when the policy asks for nothing.
    """
    tree = SearchTree.planted(task.baseline, baseline, options.gamma)
    answer = policy.ask(tree, Random(derive(options.seed, "policy", 0)))
    if not answer:
        raise PolicyError(f"{type(policy).__name__} asks for nothing, even of a new tree")
    number = tree.ask(answer[0])
    switches = options.observe or policy.observe
    return observation_for(tree, task, number, options, switches, baseline.machine), answer[0]

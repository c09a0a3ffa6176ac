import pytest

from maxcode.evaluation import Status
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.reward_to_go.features import NAMES, features
from maxcode.task import Task
from maxcode.testing.samples import JUDGED, sample_evaluation, sample_task, sample_tree
from maxcode.tree import ROOT, Step, Trajectory

PYTHON = """\
import torch

class Model(torch.nn.Module):
    def forward(self, x):
        # slow
        for i in range(3):
            x = torch.matmul(x, x)
        return x
"""


def at(task: Task, *rewards: float) -> Observation:
    """After steps with these rewards, all of the task's own program."""
    steps = [Step(ROOT, None, task.baseline, sample_evaluation(Status.OK))]
    for number, reward in enumerate(rewards, 1):
        status = Status.OK if reward else Status.WRONG_ANSWER
        verdict = sample_evaluation(status, reward)
        steps.append(Step(number, number - 1, task.baseline, verdict))
    return Observation(task, steps[-1], trajectory=Trajectory(tuple(steps)))


def test_every_candidate_has_the_same_names() -> None:
    task, tree = sample_task(), sample_tree(sample_task(), JUDGED)
    for step in tree:
        observation = Observation(task, step, trajectory=tree.path(step.id))
        for program in (task.baseline, Program.of(""), Program.of(PYTHON, "model.py")):
            assert tuple(features(observation, program)) == NAMES


def test_counts_of_cpp() -> None:
    task = sample_task()
    found = features(at(task), task.baseline)
    told = {name: found[name] for name in ("loops", "includes", "ordered", "streams", "flushes")}
    assert told == {"loops": 3, "includes": 5, "ordered": 2, "streams": 4, "flushes": 2}
    assert found["nesting"] == 2


def test_what_changed_from_the_step_and_from_the_baseline() -> None:
    task = sample_task()
    faster = task.baseline.code.replace("<< endl", '<< "\\n"')
    found = features(at(task), task.baseline.with_code(faster))
    assert found["changed_flushes"] == -2
    assert (found["changed_lines_added"], found["changed_lines_removed"]) == (2, 2)
    assert (found["since_lines_added"], found["since_lines_removed"]) == (2, 2)
    same = features(at(task), task.baseline)
    changed = [name for name in NAMES if name.startswith(("changed", "since_l", "token", "line_"))]
    assert not any(same[name] for name in changed)


def test_the_same_line_in_other_tasks_falls_into_the_same_column() -> None:
    columns = []
    for other in ("site 0: choice 0\nsite 1: choice 0\n", "site 1: choice 0\n// another\n"):
        task = Task("points", "", Program.of(other, "point.txt"))
        program = task.baseline.with_code(other.replace("site 1: choice 0", "site 1: choice 3"))
        found = features(at(task), program)
        columns.append({n: found[n] for n in NAMES if n.startswith("line_") and found[n]})
    assert columns[0] == columns[1] != {}


def test_where_the_search_stands() -> None:
    found = features(at(sample_task(), 2.0, 0.0, 1.0), sample_task().baseline)
    names = ("u", "depth", "reward", "best", "below_best", "since_best", "failures")
    assert [found[name] for name in names] == [2.0, 3, 1.0, 2.0, 0.5, 2, 1]
    assert found["slope"] == pytest.approx(0)
    rising = features(at(sample_task(), 2.0, 3.0), sample_task().baseline)
    assert rising["slope"] > 0

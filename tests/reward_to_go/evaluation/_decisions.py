"""Decisions made of rewards, without any search."""

from collections.abc import Callable, Sequence

from maxcode.evaluation import Evaluation, Interval, Status
from maxcode.interfaces import RewardToGo
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.reward_to_go.decisions import Candidate, Decision
from maxcode.task import Task
from maxcode.tree import Step, Trajectory, Value

BASELINE = Step(0, None, Program.of("0"), Evaluation(Status.OK, Interval(1.0, 1.0, 1.0)))


def step(number: int, reward: float, parent: int = 0) -> Step:
    """A step whose program is its reward and number; it failed if the reward is 0."""
    program = Program.of(f"{reward} {number}")
    if not reward:
        return Step(number, parent, program, Evaluation(Status.WRONG_ANSWER))
    return Step(number, parent, program, Evaluation(Status.OK, Interval(reward, reward, reward)))


def decision(
    rewards: Sequence[float],
    *,
    run: str = "run",
    task: str = "task",
    path: Sequence[Step] = (BASELINE,),
    first: int = 1,
    futures: Sequence[Sequence[Sequence[float]]] | None = None,
    estimates: Sequence[Value | None] | None = None,
    explored: Sequence[bool] | None = None,
) -> Decision:
    """Candidates with these rewards; their futures are these alone unless they are given."""
    candidates = []
    for i, reward in enumerate(rewards):
        one = step(first + i, reward, path[-1].id)
        future = tuple(map(tuple, futures[i])) if futures else ((reward,),)
        candidates.append(
            Candidate(
                one.program,
                one,
                estimates[i] if estimates else None,
                explored[i] if explored else True,
                future,
            )
        )
    observation = Observation(
        Task(task, "", BASELINE.program), path[-1], trajectory=Trajectory(tuple(path))
    )
    return Decision(run, task, observation, tuple(candidates))


class Told(RewardToGo):
    """Estimates and distributions by a function of what a program's reward turns out to be."""

    def __init__(
        self,
        expected: Callable[[float], float],
        distribution: Callable[[float], tuple[float, ...]] = lambda _: (),
    ) -> None:
        self.expected = expected
        self.distribution = distribution

    def predict(self, observation: Observation, programs: Sequence[Program]) -> list[Value]:
        rewards = [float(program.code.split()[0]) for program in programs]
        return [Value(self.expected(one), self.distribution(one)) for one in rewards]

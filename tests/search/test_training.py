"""A trainer is asked after each round, its weights are recorded, and rolled back when it hurts."""

from __future__ import annotations

from collections.abc import Sequence

from tests._runs import MakeSearch

from maxcode.observation import Observation
from maxcode.options import Options
from maxcode.policies.best_of_n import BestOfN
from maxcode.search.search import Search
from maxcode.testing import ScriptedGenerator
from maxcode.trainer import Example, Trainer


class Counting(Trainer):
    """Weights are named by a number, and better up to ``best``."""

    def __init__(self, best: int) -> None:
        self.best = best
        self.weights = 0
        self.seen: list[int] = []

    def train(self, examples: Sequence[Example], seed: int) -> str:
        self.seen.append(len(examples))
        self.weights += 1
        return str(self.weights)

    def restore(self, checkpoint: str) -> None:
        self.weights = int(checkpoint or 0)


def search(toy: MakeSearch, trainer: Counting, rounds: int, **given: object) -> Search:
    def answers(observation: Observation, n: int) -> list[str]:
        level = trainer.weights if trainer.weights <= trainer.best else -5
        return [f"{max(0.5, 2.0 + level) + observation.number / 100 + i / 1000}" for i in range(n)]

    return toy(
        generator=ScriptedGenerator(answers),
        policy=BestOfN(n=2 * rounds, batch=2),
        options=Options(trainer=trainer, seed=1),
        **given,
    )


def test_weights_are_rolled_back_to_those_of_the_best_round(toy: MakeSearch) -> None:
    trainer = Counting(best=2)
    found = search(toy, trainer, rounds=6)
    found.run()
    named = [(one.checkpoint, one.rolled_back) for one in found.state.trained]
    assert named[:4] == [("1", False), ("2", False), ("3", False), ("2", True)]
    assert trainer.seen == [2] * (6 - sum(back for _, back in named))


def test_a_killed_round_is_trained_on_when_the_run_goes_on(toy: MakeSearch) -> None:
    class Killed(Counting):
        def train(self, examples: Sequence[Example], seed: int) -> str:
            if self.weights == 1:
                raise KeyboardInterrupt
            return super().train(examples, seed)

    broken = search(toy, Killed(best=9), rounds=3)
    broken.run()
    assert [one.checkpoint for one in broken.state.trained] == ["1"]
    trainer = Counting(best=9)
    again = search(toy, trainer, rounds=3, journal=broken.state.log)
    again.run()
    assert [one.checkpoint for one in again.state.trained] == ["1", "2", "3"]

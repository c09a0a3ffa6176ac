"""Training of the generator's weights between rounds: recorded, resumed, rolled back."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from maxcode.journal.events import Trained
from maxcode.journal.open import OpenExpansion
from maxcode.journal.state import Recorder
from maxcode.options import derive
from maxcode.search.plugins import error_context
from maxcode.trainer import Example, Trainer
from maxcode.tree import Step


class Training:
    """Lets a trainer learn from each committed expansion."""

    def __init__(self, trainer: Trainer, record: Recorder, seed: int) -> None:
        self._trainer = trainer
        self._record = record
        self._state = record.state
        self._seed = seed

    def begin(self) -> None:
        """Put back the weights of the last session, and train on a round it was killed after."""
        done = self._state.trained
        if done:
            with error_context("trainer", f"the weights after expansion {done[-1].number}"):
                self._trainer.restore(done[-1].checkpoint)
        last = self._state.progress.last_expansion
        if last and (not done or done[-1].number != last.number):
            self.learn(last, [one for one in self._state.tree if one.expansion == last.number])

    def learn(self, expansion: OpenExpansion, steps: Sequence[Step]) -> None:
        """Train on a committed round, or roll back if its reward fell."""
        if not steps:
            return
        state, trainer, number = self._state, self._trainer, expansion.number
        reward = fmean(step.reward for step in steps)
        used = ["", *(one.checkpoint for one in state.trained)]  # by each round, this one included
        best = max(state.trained, key=lambda one: one.reward, default=None)
        checkpoint = used[state.trained.index(best)] if best else ""
        fell = best is not None and reward < trainer.keep * best.reward
        rolled_back = fell and checkpoint != used[-1]
        with error_context("trainer", f"expansion {number}"):
            if rolled_back:
                trainer.restore(checkpoint)
            else:
                log = state.log
                pairs = zip(steps, expansion.candidates, strict=True)
                examples = [Example(log.text(r.prompt), log.text(r.answer), s) for s, r in pairs]
                checkpoint = trainer.train(examples, derive(self._seed, "trainer", number))
        self._record(
            Trained(number=number, checkpoint=checkpoint, reward=reward, rolled_back=rolled_back),
            sync=True,
        )

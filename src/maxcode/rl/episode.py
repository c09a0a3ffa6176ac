"""An episode of several turns: after each answer the model is shown what a search shows."""

from __future__ import annotations

from maxcode.evaluation import Evaluation, Interval
from maxcode.interfaces import Critic, Profiles
from maxcode.observation import Observation, Observe
from maxcode.options import Options
from maxcode.prompts.prompts import Prompts
from maxcode.rl.judge import Judge
from maxcode.rl.rewards import Shaping
from maxcode.search.session import observation_for
from maxcode.task import Task
from maxcode.tree import ROOT, Expansion, SearchTree, Step


class Episode:
    """Turns of a model on a task: prompt, answer, verdict.

    Each correct program is the next to improve; after a failure the program stays. ``observe``
    switches trajectory, critique, best and profile as in a search; critiques need a ``critic``. The
    episode is ``done`` after so many ``turns``.
    """

    def __init__(
        self,
        judge: Judge,
        task: Task,
        *,
        turns: int = 4,
        observe: Observe | None = None,
        critic: Critic | None = None,
        shaping: Shaping | None = None,
        prompts: Prompts | None = None,
        seed: int = 0,
    ) -> None:
        self.task = task
        self.turns = turns
        self.shaping = shaping or Shaping()
        self._judge = judge
        self._observe = observe or Observe()
        self._critic = critic
        self._prompts = prompts or Prompts(form="program")
        self._options = Options(seed=seed)
        self._executor, self._baseline = judge.prepared(task)
        self._parent = ROOT
        self.tree = SearchTree.planted(task.baseline, self._baseline)
        self.observation = self._next()

    @property
    def done(self) -> bool:
        """Whether all turns were taken."""
        return len(self.tree) > self.turns

    @property
    def best(self) -> float:
        """Highest speedup so far; at least 1, the baseline's."""
        return self.tree.best_speedup.value

    @property
    def reward(self) -> float:
        """Reward of the episode: its best speedup in the shape, or of failures alone their own."""
        tried = list(self.tree)[1:]
        right = any(step.evaluation.ok for step in tried)
        return self.shaping(self.best) if right or not tried else self.shaping.least

    def messages(self) -> list[dict[str, str]]:
        """The prompt of this turn."""
        return self._prompts.generator(self.observation).messages

    def answer(self, text: str) -> tuple[Evaluation, float]:
        """Verdict on an answer, and its reward: what it adds to the best, in the shape.

        A turn lost to a failure of the harness earns 0.
        """
        step = self.observation.step
        bases = [step.program, self.tree.best.program]
        judged = self._judge.judge(self.task, text, bases)
        evaluation, before = judged.evaluation, self.best
        known = self.tree.find(judged.program.digest) if judged.program else None
        [number] = self.tree.pending
        self.tree.add(
            Step(
                len(self.tree),
                self._parent,
                judged.program or step.program,
                evaluation,
                number,
                judged.summary,
                duplicate_of=known.id if known else None,
            )
        )
        self.tree.close(number)
        made = self.tree[len(self.tree) - 1]
        if evaluation.ok:
            self._parent = made.id
            if made.reward > before:
                ratio = made.reward / before
                self.tree.promote(made.id, Interval(ratio, ratio, ratio))
        self.observation = self._next()
        return evaluation, self.shaping.raised(evaluation, before) or 0.0

    def _next(self) -> Observation:
        """The observation of the next turn, with the notes that it shows."""
        number, step = self.tree.ask(Expansion(self._parent)), self.tree[self._parent]
        if self._observe.profile and step.profile is None and isinstance(self._executor, Profiles):
            profile = self._executor.profile(self.task, step.program)
            self.tree.annotate(step.id, profile=profile)
        shown = self._observation(number)
        critic = self._critic if self._observe.critique else None
        if critic and shown.step.critique is None and step.evaluation.ok:
            self.tree.annotate(step.id, critique=critic.critique(shown, shown.step))
            shown = self._observation(number)
        return shown

    def _observation(self, number: int) -> Observation:
        machine = self._baseline.machine
        return observation_for(self.tree, self.task, number, self._options, self._observe, machine)

"""Observations of generators and critics, and the switches of their parts."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Literal, Protocol

from maxcode.budget import Transcript
from maxcode.errors import InputError
from maxcode.evaluation import Critique, Profile, Status, Trial
from maxcode.program import Program
from maxcode.task import Task
from maxcode.tree import SearchTree, Step, Trajectory


@dataclass(frozen=True, slots=True)
class Observe:
    """The switches of MaxCode (arXiv 2601.05475), which are also its ablation.

    * ``trajectory``: the path to the step to improve and the attempts along it, with feedback
    * ``critique``: a diagnosis in words of the step to improve, and suggestions for those before
    * ``best``: the best program so far with its feedback
    * ``profile``: where the step to improve spends its time; always shown to critics. The paper has
      no switch for it, so its treatment is :meth:`maxcode`, the other three

    The task and the step to improve are always shown.
    """

    trajectory: bool = True
    critique: bool = True
    best: bool = True
    profile: bool = True

    @classmethod
    def nothing(cls) -> Observe:
        """All off: direct sampling, and the published form of the searches we build on."""
        return cls(trajectory=False, critique=False, best=False, profile=False)

    @classmethod
    def maxcode(cls) -> Observe:
        """The paper's three, without the profile: the treatment of its tables."""
        return cls(profile=False)

    @classmethod
    def parse(cls, text: str) -> Observe:
        """Read ``"trajectory,best"``, ``"maxcode"`` (the paper's three), ``"all"`` or ``"none"``.

        Raises :class:`InputError`.
        """
        names = [name.strip() for name in text.split(",") if name.strip()]
        if len(names) == 1 and names[0] in _SETS:
            return _SETS[names[0]]
        known = [field.name for field in fields(cls)]
        for name in names or [text]:
            if name not in known:
                raise InputError(f"cannot observe {name!r}; known: {', '.join([*known, *_SETS])}")
        return cls(**{name: name in names for name in known})

    @property
    def name(self) -> str:
        """``maxcode``, ``all`` or ``none`` where it is one of these, else its switches."""
        return next((name for name, one in _SETS.items() if one == self), str(self))

    def __str__(self) -> str:
        return ",".join(f.name for f in fields(self) if getattr(self, f.name)) or "none"


Design = Literal["all", "maxcode"]
"""Arms of an ablation; see :func:`maxcode.ablation`."""

_SETS = {"maxcode": Observe.maxcode(), "all": Observe(), "none": Observe.nothing()}
"""Combinations with names of their own."""


Notes = tuple[Profile | None, Critique | None]
"""Profile and critique of a step, made when it is first shown."""


@dataclass(frozen=True)
class Seen(Container[object], Iterable[Step]):
    """Steps from before an observation was made, by id; nothing is copied.

    Holds a program (or a digest) when a step has it, found in constant time.
    """

    tree: SearchTree
    before: int

    def __contains__(self, item: object) -> bool:
        digest = item.digest if isinstance(item, Program) else str(item)
        step = self.tree.find(digest)
        return step is not None and step.id < self.before

    def __iter__(self) -> Iterator[Step]:
        return (self.tree[step_id] for step_id in range(self.before))


class TryOut(Protocol):
    """A first look at a program; see :meth:`maxcode.interfaces.Trials.try_out`."""

    def __call__(self, program: Program, *, quick: bool) -> Trial | None:
        """Result of the look; None where there is no such look."""


def _no_trial(program: Program, *, quick: bool) -> Trial | None:  # noqa: ARG001 - no search
    return None


@dataclass(frozen=True)
class Observation:
    """Information shown for one expansion. Frozen when the policy asks, so independent of timing.

    ``step`` is the step to improve, ``trajectory`` the path to it, the step included; ``attempts``
    are the latest other steps grown from the path, both oldest first, and ``best`` is the best
    step; each is None or empty when its switch is off. Critiques and profiles are fields of the
    steps. ``seen`` says whether a program was proposed before, ``history`` holds every earlier
    step. ``number`` is the expansion's; draws from ``seed`` can be repeated. ``machine`` describes
    the hardware, one fact a line. ``awaited`` critiques of shown steps may still be made, while
    costs are reserved. ``hints`` are of a mixture's other generators. ``transcript`` keeps paid
    answers, and ``try_out`` is :meth:`maxcode.interfaces.Trials.try_out`.

    Reward-to-go models alone are told the class of the ``policy``, and the share of the budget's
    evaluations that were ``left``; None without such a budget.
    """

    task: Task
    step: Step
    number: int = 0
    seed: int = 0
    trajectory: Trajectory | None = None
    attempts: tuple[Step, ...] = ()
    best: Step | None = None
    exemplars: tuple[Step, ...] = ()
    seen: Container[object] = ()
    history: Iterable[Step] = ()
    machine: str = ""
    awaited: int = 0
    hints: tuple[str, ...] = ()
    transcript: Transcript = field(default_factory=Transcript, repr=False, compare=False)
    try_out: TryOut = field(default=_no_trial, repr=False, compare=False)
    policy: str = ""
    left: float | None = None

    @property
    def shown(self) -> tuple[Step, ...]:
        """Every step shown, each once, in the order of their ids."""
        steps = [self.step, *self.attempts, *self.exemplars]
        steps += self.trajectory.steps if self.trajectory else ()
        steps += [self.best] if self.best else []
        return tuple(sorted({step.id: step for step in steps}.values(), key=lambda step: step.id))

    @property
    def path(self) -> Trajectory:
        """The trajectory, where it is known to be shown; else the step alone."""
        return self.trajectory or Trajectory((self.step,))

    def annotated(self, notes: Mapping[int, Notes]) -> Observation:
        """This observation with profiles and critiques, by step id, written onto its steps."""

        def noted(step: Step) -> Step:
            profile, critique = notes.get(step.id, (None, None))
            return replace(
                step, profile=profile or step.profile, critique=critique or step.critique
            )

        return self.with_steps(noted)

    def with_steps(self, changed: Callable[[Step], Step]) -> Observation:
        """This observation with every shown step mapped by ``changed``."""
        path = self.trajectory
        return replace(
            self,
            step=changed(self.step),
            trajectory=path and replace(path, steps=tuple(map(changed, path.steps))),
            attempts=tuple(map(changed, self.attempts)),
            best=self.best and changed(self.best),
            exemplars=tuple(map(changed, self.exemplars)),
        )


def observe(
    tree: SearchTree,
    task: Task,
    number: int,
    seed: int,
    switches: Observe,
    attempts: int,
    machine: str = "",
) -> Observation:
    """Observation of the pending expansion ``number``: the tree at the time it was asked for.

    At most ``attempts`` of the attempts along the path are shown, without steps on which the
    harness failed.
    """

    def shown(step: Step) -> Step:
        if step.duplicate_of is not None:  # it is the same program: what is known of it counts
            first = tree[step.duplicate_of]
            step = replace(
                step, critique=first.critique, profile=first.profile, standing=first.standing
            )
        asked_for = expansion.critique and step.id == expansion.parent
        return step if switches.critique or asked_for else replace(step, critique=None)

    expansion, asked = tree.pending[number], tree.asked_at(number)
    seen = Seen(tree, asked.steps)
    path: Trajectory | None = None
    tried: tuple[Step, ...] = ()
    if switches.trajectory:
        whole = tree.path(expansion.parent)
        path = replace(whole, steps=tuple(map(shown, whole.steps)))
        tried = _attempts_along(tree, whole, attempts, asked.steps)
    return Observation(
        task=task,
        step=shown(tree[expansion.parent]),
        number=number,
        seed=seed,
        trajectory=path,
        attempts=tuple(map(shown, tried)),
        best=shown(tree[asked.best]) if switches.best else None,
        exemplars=tuple(shown(tree[i]) for i in expansion.exemplars),
        seen=seen,
        history=seen,
        machine=machine,
    )


def _attempts_along(
    tree: SearchTree, path: Trajectory, limit: int, before: int
) -> tuple[Step, ...]:
    """The latest steps beside the path, from its end backwards until there are enough."""
    on_path = {step.id for step in path.steps}
    found: list[Step] = []
    for parent in reversed(path.steps):
        if len(found) >= limit:
            break
        found += [
            step
            for step in tree.recent_children(parent.id, limit, before)
            if step.id not in on_path and step.evaluation.status is not Status.INFRASTRUCTURE
        ]
    return tuple(sorted(found, key=lambda step: step.id)[-limit:]) if limit else ()

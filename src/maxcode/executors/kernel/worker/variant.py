"""A reference with its constants: its inputs, its answers, and how far off those may be.

Its process sees no code of a candidate.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import SystemRandom
from typing import Any, TypeVar

import torch

from maxcode.executors.kernel.worker import (
    comparing,
    effects,
    forward,
    gradients,
    learning,
    padded,
    reorderings,
    tensors,
    weights,
)
from maxcode.executors.kernel.worker.judging import Judged, block_of

Found = TypeVar("Found")

_TWICE = 256 << 20  # bytes of weights that are made once more, to be compared
_VARIED = 0.25  # of calls whose kind of inputs is not asked for


class Variant:
    """A reference with its constants, ready to be called."""

    def __init__(self, request: dict[str, Any], scratch: int) -> None:
        self.names: dict[str, Any] = {"__name__": "reference"}
        path = Path(f"reference-{request['variant']}.py").resolve()
        path.write_text(request["source"])  # where inspect and torch.jit look for it
        exec(compile(request["source"], str(path), "exec"), self.names)  # noqa: S102
        self.dtype = getattr(torch, request["dtype"]) if request["dtype"] else None
        self.distribution = request["distribution"]
        self.made = request["source"], request["distribution"]
        self.kernelbench = request["kernelbench"]
        if not self.kernelbench:
            forward.use_full_precision()
        torch.manual_seed(request["seed"])
        self.init = list(self.names["get_init_inputs"]())
        if self.kernelbench:
            self.init = self.cast(self.init)
        torch.manual_seed(request["seed"])
        self.device = request["device"]
        self.drawn_on = "cpu" if self.kernelbench else self.device
        made, train = self.names["Model"](*self.init), request["train"]
        self.module = tensors.prepared(made, self.dtype, train=train, device=self.device)
        self.differentiated = gradients.differentiated(self.module)
        self.directions = None
        if request["backward"]:
            self.directions = gradients.Directions(self.module, self.device)
            gradients.with_gradients(self.module, self.differentiated)
        self.calls = forward.Calls(self.module, self.device, scratch)
        self.trains = (request["backward"] or request["train"]) and not self.kernelbench
        self.between = forward.NOTHING  # what is done between calls
        self.step = 0  # its seed before the first call
        self.padded: list[list[int] | None] = []  # shapes that outputs are padded to
        self.seeds: list[int] = []  # of calls
        self.inputs: list[list[Any]] = []
        self.kinds: list[str] = []  # of those, by call
        self.expected: list[list[torch.Tensor]] = []  # by call
        self.constants: list[torch.Tensor] = []  # of what was expected when it was audited first
        self.judged: Judged | None = None
        self.appealed: dict[int, list[comparing.Errors]] = {}  # by call
        self.loose: dict[int, bool] = {}  # by call
        self.spans: dict[int, list[learning.Span | None]] = {}  # by call, for each output
        self.marks = {name: weights.known_by(one) for name, one in self.module.state_dict().items()}
        self.buffers = self._copied()
        self.versions = {name: one._version for name, one in self.module.named_parameters()}
        self.before: dict[str, torch.Tensor] = {}  # what renewed weights were, by name
        self.left: dict[str, torch.Tensor] = {}  # what the last calls changed of those

    def step_between_calls(self) -> None:
        """From now on parameters change from call to call, where a module is judged in training."""
        if self.trains:
            self.between = weights.Steps(dict(self.module.named_parameters()))

    @contextmanager
    def _as_in(self, number: int) -> Iterator[None]:
        """With the parameters that a call had."""
        self.between.next(self.seeds[number - 1] if number else self.step)
        try:
            yield
        finally:
            self.between.end()

    def fixed(self) -> list[str] | None:
        """Parameters and buffers that are the same when they are made with another seed.

        None where they are too large to be made twice.
        """
        if tensors.bytes_of(self.module.state_dict()) > _TWICE:
            return None
        torch.manual_seed(SystemRandom().getrandbits(31))
        made = self.names["Model"](*copy.deepcopy(self.init))
        made = tensors.prepared(made, self.dtype, train=self.module.training, device=self.device)
        found = dict((*self.module.named_parameters(), *self.module.named_buffers()))
        others = (*made.named_parameters(), *made.named_buffers())
        return [name for name, one in others if name in found and torch.equal(one, found[name])]

    def pad(self, seeds: Sequence[int]) -> None:
        """Have outputs padded from now on whose shapes depend on the values of inputs."""
        if self.kernelbench or self.directions is not None or self.padded:
            return
        drawn, kept = {seed: self.draw(seed) for seed in seeds}, self._copied()
        tensors.flat(list(drawn.values()))  # raises for what cannot be handed to a candidate
        made = [tensors.outputs(self.module, one, s, self.device) for s, one in drawn.items()]
        self._restore(kept)
        if len({*map(len, made)}) == 1 and any(shapes := padded.shapes_for(made)):
            self.padded = shapes
            padded.with_padding(self.module, shapes)

    def cast(self, arguments: list[Any]) -> list[Any]:
        """Arguments in the task's type. KernelBench casts integers too, and nothing nested."""
        if not self.kernelbench or self.dtype is None:
            return [tensors.cast(one, self.dtype) for one in arguments]
        return [one.to(self.dtype) if isinstance(one, torch.Tensor) else one for one in arguments]

    def keep_weights(self) -> None:
        """Begin with the weights as they are now, of which some are buffers."""
        held = dict(weights.changeable(self.module))
        self.buffers |= {name: one.clone() for name, one in held.items() if name in self.buffers}
        self.begin_again()

    def begin_again(self) -> None:
        """Undo what calls in training mode did to buffers; what changes is noted from now on.

        Weights that were renewed are those of before again.
        """
        self.renew(None)
        self._restore(self.buffers)
        self.versions = {name: one._version for name, one in self.module.named_parameters()}

    def renew(self, seed: int | None, part: str = "any") -> set[str]:
        """Give some parameters other values in place, and the rest, or without a seed all, those
        that they had before. The names of those whose values changed; ``part`` says which:
        "constructed" are all that the constructor gave other values.
        """
        weights.restore(self.module, self.before)
        names, self.before = {*self.before}, {}
        if part == weights.CONSTRUCTED:
            held = dict(self.module.named_parameters())
            made = self.judged.constructed if self.judged else {}
            values = {name: one for name, one in made.items() if name in held}
            self.before = {name: held[name].detach().to("cpu", copy=True) for name in values}
            weights.restore(self.module, values)
        elif seed is not None:
            wanted = weights.some_of([*dict(self.module.named_parameters())], seed, part)
            self.before = weights.change(self.module, weights.renewed, seed, wanted)
        names |= {*self.before}
        self.versions = {name: one._version for name, one in self.module.named_parameters()}
        return names

    def _copied(self) -> dict[str, torch.Tensor]:
        return {name: one.clone() for name, one in self.module.named_buffers()}

    def _restore(self, buffers: Mapping[str, torch.Tensor]) -> None:
        with torch.no_grad():
            for name, one in self.module.named_buffers():
                one.copy_(buffers[name])

    def changed(self) -> dict[str, torch.Tensor]:
        """The buffers and parameters that calls have changed since, by name."""
        found = {
            name: one
            for name, one in self.module.named_buffers()
            if not torch.equal(torch.nan_to_num(one), torch.nan_to_num(self.buffers[name]))
        }
        parameters = self.module.named_parameters()
        return found | {n: one for n, one in parameters if one._version != self.versions[n]}

    def draw(self, seed: int) -> list[Any]:
        """Inputs as the task makes them, on the device where they can be."""
        if self.drawn_on != "cpu":
            try:
                with torch.device(self.drawn_on):
                    return self._drawn(seed)
            except (RuntimeError, TypeError):  # with a generator of main memory, or by numpy
                self.drawn_on = "cpu"
        return self._drawn(seed)

    def _drawn(self, seed: int) -> list[Any]:
        tensors.set_seed(seed, self.device)
        made = self.cast(tensors.drawn(list(self.names["get_inputs"]()), self.distribution))
        return made if self.directions is None else [*made, self.directions.drawn(made, seed)]

    def forget_calls(self) -> None:
        """Let go of inputs and of what was expected."""
        self.calls.load([])
        self.inputs, self.expected = [], []

    def make(self, seeds: list[int], kinds: list[str] | None) -> None:
        """Inputs of these kinds; by default of some that nobody knows, where any are learned."""
        if kinds is None:
            known, random = self.judged.kinds if self.judged else [], SystemRandom()
            kinds = [
                random.choice(known) if known and random.random() < _VARIED else "task"
                for _ in seeds
            ]
        self.kinds, self.inputs = kinds, []
        self.step = SystemRandom().getrandbits(31) | 1
        for seed, kind in zip(seeds, kinds, strict=True):
            drawn = self.draw(seed)
            made = self.judged.varied(drawn, kind, seed) if self.judged else drawn
            # One by one: main memory need not hold all that a GPU does.
            self.inputs.append(made if self.device == "cpu" else self._on_gpu(made))

    def _on_gpu(self, arguments: list[Any]) -> list[Any]:
        return [*tensors.mapped(arguments, lambda one: one.to(self.device))]

    def allowed(self, number: int) -> list[comparing.Errors]:
        """Of each output of a call."""
        if self.judged is None:
            raise ValueError("nothing was learned of this variant")
        return self.judged.allowed[block_of(self.kinds[number])]

    def order(self, count: int) -> list[int]:
        """The numbers of outputs in the order in which they are looked at: shapes come first."""
        own = len(self.padded) or count
        return [*range(own, count), *range(own)]

    def problem(self, number: int, index: int, found: torch.Tensor) -> str:
        """What is wrong with an output of a call; some are the shapes of others."""
        problem = self._problem(number, index, found)
        count = len(self.padded) or len(self.expected[number])
        if problem and index >= count:
            shape, right = found.tolist(), self.expected[number][index].tolist()
            index = [n for n, one in enumerate(self.padded) if one][index - count]
            problem = f"its shape is {shape}, not {right}"
        return f"{self.named(count)[index]}: {problem}" if problem and count > 1 else problem

    def named(self, count: int) -> list[str]:
        """What so many outputs of a call are called."""
        return effects.output_names(self.module, self.inputs[0], count)

    def _problem(self, number: int, index: int, found: torch.Tensor) -> str:
        wanted, allowed = self.expected[number][index], self.allowed(number)[index]
        problem = comparing.problem(found, wanted, allowed)
        if not problem or (comparing.is_hopeless(found, wanted) and not self.is_loose(number)):
            return problem
        allowed = self.appeal(number)[index]
        problem = comparing.problem(found, wanted, allowed)
        if not problem or (span := self.span(number)[index]) is None:
            return problem
        return comparing.problem(found, span.nearest(found, wanted), allowed)

    def begin_calls(self, seeds: list[int]) -> None:
        """What was found out of earlier calls holds no longer."""
        self.seeds, self.appealed, self.spans, self.loose = seeds, {}, {}, {}

    def is_loose(self, number: int) -> bool:
        """Whether right outputs of a call may be far apart.

        Derivatives jump, and some inputs happen to be such that outputs are mostly rounding error.
        """
        if self.directions is None and number not in self.loose:
            wanted = self.expected[number]

            def is_far(given: Sequence[Any], seed: int) -> bool:
                return any(
                    comparing.is_hopeless(*pair)
                    for made in reorderings.neighbours(self.module, given, seed, self.device)
                    for pair in zip(made, wanted, strict=True)
                )

            self.loose[number] = bool(self._closer(number, is_far))
        return self.directions is not None or self.loose[number]

    def is_near(
        self,
        number: int,
        index: int,
        element: int,
        found: torch.Tensor,
        typical: Callable[[], float],
    ) -> bool:
        """Whether one element, which ``found`` holds, can be that of an output of a call."""
        given = found, self.expected[number][index], element
        if comparing.is_near(*given, self.allowed(number)[index], typical):
            return True
        if comparing.is_near(*given, self.appeal(number)[index], typical):
            return True
        if (span := self.span(number)[index]) is None:
            return False
        return span.holds(found, element)

    def appeal(self, number: int) -> list[comparing.Errors]:
        """What is allowed of each output of a call by what is learned from its very inputs.

        Where they happen to be worse than those that were learned from, honest ways are off by
        more.
        """
        if self.judged is not None and number not in self.appealed:
            look = partial(self.judged.allowed_for, kind=self.kinds[number])
            self.appealed[number] = self._closer(number, look) or self.allowed(number)
        return self.appealed[number]

    def span(self, number: int) -> list[learning.Span | None]:
        """Where each output of a call jumps, and how far: see :func:`learning.spans`."""
        if number not in self.spans:
            wanted = self.expected[number]
            look = partial(learning.spans, self.module, device=self.device, wanted=wanted)
            self.spans[number] = self._closer(number, look) or [None] * len(wanted)
        return self.spans[number]

    def _closer(self, number: int, look: Callable[[Sequence[Any], int], Found]) -> Found | None:
        """What is found of the very inputs of a call, with its seed; None for want of memory."""
        kept = self._copied()
        try:
            with self._as_in(number):
                return look(self.inputs[number], self.seeds[number])
        except torch.OutOfMemoryError:  # of a GPU, beside what a candidate has
            return None
        finally:
            self._restore(kept)

    def depends_on_mode(self, seed: int) -> bool:
        """Whether training and evaluation mode give other outputs. Changes what training does."""
        found, training = [], self.module.training
        for train in (True, False):
            tensors.set_seed(seed, self.device)
            with torch.no_grad():
                inputs = copy.deepcopy(self.inputs[0])
                inputs = tensors.mapped(inputs, lambda one: one.to(self.device))
                found.append(self.module.train(train)(*inputs))
        self.module.train(training)
        return not torch.equal(torch.nan_to_num(found[0]), torch.nan_to_num(found[1]))

"""A reference with its constants: its inputs, its outputs, and their limits.

Its process never sees a candidate's code.
"""

from __future__ import annotations

import gc
from collections.abc import Sequence
from pathlib import Path
from random import SystemRandom
from typing import Any

import torch
from torch.multiprocessing import reductions

from maxcode.executors.kernel.worker import comparing, forward, tensors, weights
from maxcode.executors.kernel.worker.extended import Extended, directions, extended, output_names
from maxcode.executors.kernel.worker.judging import Judged
from maxcode.executors.kernel.worker.messages import TASK, Tree, VariantSource

_WeakRef: Any = reductions.StorageWeakRef
_VARIED = 0.25  # of calls whose kind of inputs is not asked for
_TRIES = 8  # seeds, until one changes a weight


class Variant:
    """A reference with its constants, ready to be called."""

    def __init__(self, request: VariantSource) -> None:
        self.names: dict[str, Any] = {"__name__": "reference"}
        path = Path(f"reference-{request.variant}.py").resolve()
        path.write_text(request.source)  # where inspect and torch.jit look for it
        exec(compile(request.source, str(path), "exec"), self.names)  # noqa: S102
        self.made, self.spec = request, request.spec
        spec = request.spec
        self.dtype = getattr(torch, spec.dtype) if spec.dtype else None
        if not spec.kernelbench:
            forward.use_full_precision()
        torch.manual_seed(spec.seed)
        self.init = list(self.names["get_init_inputs"]())
        if spec.kernelbench:
            self.init = self.cast(self.init)
        torch.manual_seed(spec.seed)
        self.device = spec.device
        self.drawn_on = "cpu" if spec.kernelbench else self.device
        self.module = tensors.prepared(self.names["Model"](*self.init), spec)
        parameters = self.module.named_parameters()
        self.differentiated = [name for name, one in parameters if one.requires_grad]
        self._last: list[Any] = []  # weak references to the memory of the last call's outputs
        self.seeds: Sequence[int] = ()  # of calls
        self.inputs: list[list[Any]] = []
        self.kinds: Sequence[str] = ()  # of those, by call
        self.expected: list[list[torch.Tensor]] = []  # by call
        self.constants: list[torch.Tensor] = []  # of outputs when it was audited first
        self.judged: Judged | None = None
        self.marks = {name: weights.known_by(one) for name, one in self.module.state_dict().items()}
        self.buffers = {name: one.clone() for name, one in self.module.named_buffers()}
        self.before: dict[str, torch.Tensor] = {}  # what renewed weights were, by name
        self.changed: Sequence[str] = ()  # names of buffers that calls change
        self._directed: list[torch.Tensor] | None = None  # gradients are drawn for these outputs
        if spec.backward or (self.buffers and not spec.kernelbench):
            self._extend()

    def _extend(self) -> None:
        """Have calls return gradients, if the task wants them, and the buffers that they change."""
        given = tensors.mapped(self._drawn(self.spec.seed), lambda one: one.to(self.device))
        with torch.no_grad(), tensors.buffers_kept(self.module):
            found = self.module(*given)
            now = dict(self.module.named_buffers())
            kept = self.buffers.items()
            self.changed = [name for name, one in kept if not comparing.equal(now[name], one)]
        if self.spec.backward:
            outputs = [one for one in tensors.flat(found) if one.is_floating_point()]
            self._directed = [torch.empty_like(one, device="meta") for one in outputs]
        names = self.differentiated if self.spec.backward else None
        extended(self.module, names, self.changed)

    def cast(self, arguments: list[Any]) -> list[Any]:
        """Arguments in the task's type. KernelBench casts integers too, and nothing nested."""
        if not self.spec.kernelbench or self.dtype is None:
            return [tensors.cast(one, self.dtype) for one in arguments]
        return [one.to(self.dtype) if isinstance(one, torch.Tensor) else one for one in arguments]

    def keep_weights(self) -> None:
        """Keep the current weights, including buffers, as the initial ones."""
        held = dict(weights.changeable(self.module))
        self.buffers |= {name: one.clone() for name, one in held.items() if name in self.buffers}
        self.begin_again()

    def begin_again(self) -> None:
        """Restore buffers changed by calls, and renewed weights."""
        self.renew(None)
        with torch.no_grad():
            for name, one in self.module.named_buffers():
                one.copy_(self.buffers[name])

    def renew(self, seed: int | None) -> set[str]:
        """Restore renewed parameters, then with a seed change some; returns names of all these."""
        weights.restore(self.module, self.before)
        names, self.before = {*self.before}, {}
        for more in range(_TRIES if seed is not None else 0):
            self.before = weights.change(
                self.module.named_parameters(), weights.renewed, (seed or 0) + more
            )
            if self.before:
                break
        return names | {*self.before}

    def draw(self, seed: int) -> list[Any]:
        """Inputs as the task makes them, drawn on the device if possible."""
        if self.drawn_on != "cpu":
            try:
                with torch.device(self.drawn_on):
                    return self._drawn(seed)
            except (RuntimeError, TypeError):  # with a generator of main memory, or by numpy
                self.drawn_on = "cpu"
        return self._drawn(seed)

    def _drawn(self, seed: int) -> list[Any]:
        tensors.set_seed(seed, self.device)
        made = self.cast(tensors.drawn(list(self.names["get_inputs"]()), self.made.distribution))
        if self._directed is None:
            return made
        return [*made, directions(self._directed, seed)]

    def make(self, seeds: Sequence[int], kinds: Sequence[str] | None) -> None:
        """Make inputs of these kinds; by default some of random kinds, if any were learned."""
        if kinds is None:
            known, random = self.judged.kinds if self.judged else [], SystemRandom()
            kinds = [
                random.choice(known) if known and random.random() < _VARIED else TASK for _ in seeds
            ]
        self.kinds, self.inputs = kinds, []
        for seed, kind in zip(seeds, kinds, strict=True):
            drawn = self.draw(seed)
            made = self.judged.varied(drawn, kind, seed) if self.judged else drawn
            # One by one: main memory need not hold all that a GPU does.
            self.inputs.append(tensors.mapped(made, lambda one: one.to(self.device)))

    def run(self, seeds: Sequence[int]) -> tuple[list[float], Tree, list[bool]]:
        """Call on each of the inputs, with its seed; outputs are kept as expected.

        Returns seconds by call, the structure of a result, and whether each tensor is overwritable.
        """
        seconds, count, tree = [], 0, Tree()
        self.seeds, self.expected = seeds, []
        call = forward.timed if self.device == "cpu" else forward.timed_on_gpu
        for arguments, seed in zip(self.inputs, seeds, strict=True):
            tensors.set_seed(seed, self.device)
            with torch.no_grad():
                taken, value = call(self.module, arguments)
            found: list[torch.Tensor] = []
            tree = tensors.pack(value, found)
            # Gradients are what torch makes of them: several may be the same memory, or an input's.
            own = value["outputs"] if isinstance(self.module, Extended) else value
            count = len(tensors.flat(own))
            self._last = [_WeakRef(_dense(one).untyped_storage()) for one in found]
            self.expected.append([tensors.resolved(one.clone()) for one in found])
            seconds.append(taken)
            del value, found
        return seconds, tree, self._own(count)

    def _own(self, count: int) -> list[bool]:
        """Whether the memory of each of the first ``count`` outputs belongs to nothing else."""
        if not all(one.expired() for one in self._last):
            gc.collect()
        places = [one.cdata for one in self._last[:count]]
        free = [one.expired() and places.count(one.cdata) == 1 for one in self._last[:count]]
        return free + [False] * (len(self._last) - count)

    def allowed(self, number: int) -> list[comparing.Errors]:
        """Limits of each output of a call."""
        if self.judged is None:
            raise ValueError("nothing was learned of this variant")
        return self.judged.allowed[self.kinds[number]]

    def problem(self, number: int, index: int, found: torch.Tensor) -> str:
        """Fault of an output of a call, after an appeal to limits of its own inputs.

        Derivatives jump, so gradients get an appeal however far off they are.
        """
        wanted, count = self.expected[number][index], len(self.expected[number])
        problem = comparing.problem(found, wanted, self.allowed(number)[index])
        if problem and (self.spec.backward or not comparing.is_hopeless(found, wanted)):
            problem = comparing.problem(found, wanted, self._appeal(number)[index])
        if not problem or count < 2:
            return problem
        return f"{output_names(self.module, self.inputs[0], count)[index]}: {problem}"

    def _appeal(self, number: int) -> list[comparing.Errors]:
        """Limits of each output of a call, learned from its own inputs."""
        if self.judged is None:
            return self.allowed(number)
        try:
            given = self.inputs[number], self.seeds[number], self.kinds[number]
            return self.judged.allowed_for(*given)
        except torch.OutOfMemoryError:  # of a GPU, beside what a candidate has
            return self.allowed(number)


def _dense(one: torch.Tensor) -> torch.Tensor:
    return one if one.layout is torch.strided else one.to_dense()

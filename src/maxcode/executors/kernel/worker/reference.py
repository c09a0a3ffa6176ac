"""Answers for a reference: makes inputs, computes expected outputs, and compares outputs.

This process never sees a candidate's code, only its output bytes.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from maxcode.executors.kernel.worker import comparing, forward, profiling, tensors
from maxcode.executors.kernel.worker import messages as m
from maxcode.executors.kernel.worker.calls import Feed
from maxcode.executors.kernel.worker.channel import Channel
from maxcode.executors.kernel.worker.device_calls import DeviceFeed, Source
from maxcode.executors.kernel.worker.extended import output_names
from maxcode.executors.kernel.worker.judging import Judged
from maxcode.executors.kernel.worker.variant import Variant


class ReferenceWork:
    """Requests to the reference's process; ``variant`` is a loaded variant's name."""

    def __init__(self, start: m.Start, channel: Channel) -> None:
        self.variants: dict[str, Variant] = {}
        self.channel = channel
        self.shared = os.open(start.outputs, os.O_RDWR)
        self.on_gpu = DeviceFeed(start.pipes) if start.device == "cuda" else None
        self.feed = self.on_gpu or Feed(start.pipes, self.shared)
        self.source = None
        if self.on_gpu:
            self.source = self.on_gpu.source = Source(self.on_gpu.regions)
        self.kept: dict[str, dict[int, list[torch.Tensor]]] = {}  # of candidates, by name and call

    def describe(self, script: str) -> m.Described:
        """Describe torch and the GPU; ``script`` defines ``torch_facts``."""
        names: dict[str, Any] = {}
        exec(Path(script).read_text(), names)  # noqa: S102 - one of ours
        facts = names["torch_facts"]()
        try:
            known = torch.cuda.get_device_properties(0)
        except (RuntimeError, AssertionError) as error:
            return m.Described(facts, {}, str(error))
        values = {name: getattr(known, name) for name in dir(known) if not name.startswith("_")}
        gpu = {name: one for name, one in values.items() if isinstance(one, int | str)}
        return m.Described(facts, gpu)

    def load(self, made: m.VariantSource) -> m.Made:
        """Define a variant; its weights are written for candidates."""
        known = self.variants.get(made.variant)
        if known is None or known.made != made or made.spec.kernelbench:
            self.variants[made.variant] = Variant(made)
        variant = self.variants[made.variant]
        variant.begin_again()
        self.kept.clear()
        given: list[torch.Tensor] = []
        init = tensors.pack(variant.init, given)
        state = {} if variant.spec.kernelbench else variant.module.state_dict()
        values = [one.detach() for one in state.values()]
        return m.Made(
            tuple(state),
            tensors.facts(values),
            tensors.write(self.shared, 0, [*given, *values]),
            init,
            tensors.facts(given),
            marks=tuple(variant.marks[name] for name in state),
            differentiated=tuple(variant.differentiated),
            changed=tuple(variant.changed),
        )

    def renew(self, variant: str, seed: int | None) -> m.Weights:
        """Change some parameters by a seed, or restore them; they are written for candidates."""
        module, names = self.variants[variant].module, self.variants[variant].renew(seed)
        changed = [one for name, one in module.named_parameters() if name in names]
        places = {one.data_ptr() for one in changed}  # some have two names
        buffers = dict(module.named_buffers())
        state = module.state_dict().items()
        values = {n: one.detach() for n, one in state if one.data_ptr() in places}
        values = {n: one for n, one in values.items() if n not in buffers}
        size = tensors.write(self.shared, 0, values.values())
        return m.Weights(tuple(values), tensors.facts(values.values()), size)

    def make(
        self, variant: str, seeds: Sequence[int], kinds: Sequence[str] | None = None
    ) -> m.Inputs:
        """Make inputs of these kinds, by default the task's and some of random kinds."""
        made = self.variants[variant]
        for one in self.variants.values():
            one.inputs, one.expected = [], []  # their memory serves for the next
        if self.source:
            self.source.forget()
        made.make(seeds, kinds)
        if self.source:
            self.source.inputs = made.inputs
        described, end, size = [], 0, 0
        for arguments in made.inputs:
            found: list[torch.Tensor] = []
            tree = tensors.pack(arguments, found)
            if self.source:  # on a GPU none are in a file
                begin, end = 0, sum(map(tensors.size, found))
            else:
                begin, end = end, tensors.write(self.shared, end, found)
            size += end - begin
            described.append(m.CallInputs(tree, tensors.facts(found), begin, end))
        return m.Inputs(tuple(described), size)

    def run(self, variant: str, seeds: Sequence[int]) -> m.Called:
        """Call on each of the latest inputs; outputs are kept as expected."""
        made = self.variants[variant]
        seconds, tree, owned = made.run(seeds)
        facts = tensors.facts(made.expected[0])
        names = output_names(made.module, made.inputs[0], len(facts))
        described = tuple(
            m.OutputFact(one.dtype, one.shape, name, overwritable=own and not made.spec.kernelbench)
            for one, name, own in zip(facts, names, owned, strict=True)
        )
        return m.Called(tree, described, tuple(seconds))

    def serve(
        self, variant: str, serving: m.Serving, seeds: Sequence[int], slot: int
    ) -> m.Returned:
        """Answer that it is ready, make a feeder's calls, and keep outputs as expected."""
        made = self.variants[variant]
        self.channel.send(None)
        made.seeds = seeds
        if self.source:
            self.source.watch, self.source.fetched = False, {}
        answer = self.feed.serve(made.module, serving)
        if self.source:
            made.expected = [*self.source.fetched.values()]
        else:
            made.expected = self.feed.kept(serving, len(made.inputs), slot)
        return answer

    # For GPUs only.

    def share(self, sizes: Sequence[int]) -> m.Shared:
        """Allocate GPU memory to share, of at least these sizes."""
        real, files = self.on_gpu.regions.make(sizes) if self.on_gpu else ([], [])
        return m.Shared(tuple(real), tuple(files))

    def attend(self, serving: m.Serving, watch: bool) -> m.Returned:
        """Answer so, and serve a candidate's calls on the GPU; ``watch`` for changed inputs."""
        self.channel.send(None)
        if self.source:
            self.source.watch, self.source.fetched = watch, {}
        return self.feed.serve(torch.nn.Module(), serving)

    def probe(self) -> None:
        """Fail unless the GPU computes."""
        torch.ones(1, device="cuda").sum()
        torch.cuda.synchronize()

    def place(self, call: int) -> None:
        """Copy the inputs of a call to the shared memory of the GPU."""
        if self.source:
            self.source.load(call)

    def keep(self, name: str) -> None:
        """Keep the outputs fetched last from the GPU under a name, until checked."""
        if self.source:
            self.kept[name], self.source.fetched = self.source.fetched, {}

    def _answers(self, variant: str, kept: str, calls: Sequence[int]) -> list[list[torch.Tensor]]:
        """Outputs of a candidate's calls, which follow the request or were ``kept``."""
        if kept:
            return [self.kept[kept][number] for number in calls]
        expected = self.variants[variant].expected
        found = [tensors.empty(tensors.facts(expected[number])) for number in calls]
        for one in found:
            tensors.fill(one, self.channel.fill)
        return found

    def learn(self, variant: str, seeds: Sequence[int], tolerance: float | None) -> m.LearnedKinds:
        """Learn limits of errors, from two seeds or more; ``tolerance`` is the task's own."""
        made = self.variants[variant]
        made.judged = None
        judged = Judged(made.module, made.device, made.draw, seeds)
        learned = judged.learn(tolerance)
        if self.on_gpu:
            torch.cuda.empty_cache()  # learning takes more than others would leave
        made.judged = judged
        made.keep_weights()
        return learned

    def check(self, variant: str, calls: Sequence[int], kept: str) -> m.Checked:
        """Compare a candidate's outputs of these calls; they follow, or were ``kept``."""
        made = self.variants[variant]
        for number, found in zip(calls, self._answers(variant, kept, calls), strict=True):
            for index, one in enumerate(found):
                if problem := made.problem(number, index, one):
                    return m.Checked(problem, number, made.kinds[number])
        self.kept.pop(kept, None)
        return m.Checked()

    def roofline(self, variant: str) -> dict[str, Any]:
        """Lower bound of a call's cost on this machine: fields of a ``Roofline``."""
        made = self.variants[variant]
        state = made.module.state_dict().values()
        held = [*tensors.flat(made.inputs[0]), *made.expected[0], *state]
        moved = sum(one.numel() * one.element_size() for one in held)
        floating = [one.dtype for one in held if one.is_floating_point()]
        dtype = max(floating, key=floating.count, default=torch.float32)
        arguments = tensors.mapped(made.inputs[0], lambda one: one.to(made.device))
        return {
            "moved": moved,
            "operations": profiling.operations(made.module, arguments),
            "bandwidth": profiling.bandwidth(moved, made.device),
            "peak": profiling.peak(dtype, made.device),
            "dtype": str(dtype).removeprefix("torch."),
        }

    def find_trivial(self, variant: str, tolerance: float | None = None) -> tuple[str, ...]:
        """Answers without any computation that pass for the latest calls, by learned limits.

        KernelBench has its own ``tolerance``.
        """
        made = self.variants[variant]
        made.constants = made.constants or [*map(tensors.constant, made.expected[0])]

        def passes(found: torch.Tensor | None, number: int, index: int) -> bool:
            wanted = made.expected[number][index]
            if found is None or found.shape != wanted.shape:
                return False
            if tolerance is not None:
                return tensors.is_close(found, wanted, tolerance)
            return not comparing.problem(found, wanted, made.allowed(number)[index])

        passing: set[str] | None = None
        for number, outputs in enumerate(made.expected):
            for index, (wanted, known) in enumerate(zip(outputs, made.constants, strict=True)):
                answers = tensors.trivial_answers(made.inputs[number], wanted, known)
                if len(made.expected) > 1:
                    answers["the answer to other inputs"] = made.expected[number - 1][index]
                found = {name for name, one in answers.items() if passes(one, number, index)}
                passing = found if passing is None else passing & found
        return tuple(sorted(passing or ()))

    # For KernelBench's rules only.

    def drew(self, variant: str, seed: int) -> bool:
        """Whether the call just made, of this seed, drew random numbers."""
        return tensors.drew(seed, self.variants[variant].device)

    def close(self, variant: str, tolerance: float, kept: str) -> str:
        """Largest error of a call's output, "" if it is close by ``torch.allclose``."""
        [[wanted]] = self.variants[variant].expected
        [[found]] = self._answers(variant, kept, [0])
        if tensors.is_close(found, wanted, tolerance):
            return ""
        return f"an element is off by {float((found - wanted).abs().max()):.6g}"

    def time(self, variant: str, rounds: Sequence[int]) -> tuple[float, ...]:
        """Time calls on the latest inputs as KernelBench does."""
        made = self.variants[variant]
        return forward.kernelbench_times(made.module, made.inputs[0], made.device, rounds)


work = ReferenceWork

"""Answers for a reference: makes inputs, computes expected outputs, and compares outputs.

This process never sees a candidate's code, only its output bytes.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from contextlib import suppress
from functools import singledispatchmethod
from pathlib import Path
from typing import Any

import torch

from maxcode.executors.kernel.worker import comparing, forward, profiling, tensors
from maxcode.executors.kernel.worker import messages as m
from maxcode.executors.kernel.worker.calls import Feed
from maxcode.executors.kernel.worker.channel import Channel
from maxcode.executors.kernel.worker.device_calls import DeviceFeed, Source
from maxcode.executors.kernel.worker.judging import Judged
from maxcode.executors.kernel.worker.variant import Variant

_SMALL = 64 << 20  # bytes of inputs and weights


class _Reference:
    """A task's reference; each method answers a request of messages.py, which documents it."""

    def __init__(self, start: m.Start, channel: Channel) -> None:
        self.variants: dict[str, Variant] = {}
        self.channel = channel
        self.shared = os.open(start.outputs, os.O_RDWR)
        self.feed = Feed(self.shared, start.pipes)
        self.on_gpu = DeviceFeed(start.pipes) if start.device == "cuda" else None
        self.source = Source(self.on_gpu.regions) if self.on_gpu else None
        self.kept: dict[str, dict[int, list[torch.Tensor]]] = {}  # of candidates, by name and call
        self.given_back = 0  # bytes
        self.answers = os.open(start.inputs, os.O_RDONLY)

    @singledispatchmethod
    def answer(self, request: m.Request[Any]) -> Any:
        """Answer a request."""
        raise TypeError(f"{type(request).__name__} is for another worker")

    @answer.register
    def describe(self, request: m.Describe) -> m.Described:
        """Facts of torch and the GPU; the GPU's properties depend on the version of torch."""
        names: dict[str, Any] = {}
        exec(Path(request.script).read_text(), names)  # noqa: S102 - one of ours
        facts = names["torch_facts"]()
        try:
            gpu = torch.cuda.get_device_name()
        except (RuntimeError, AssertionError) as error:
            return m.Described(facts, why_not=str(error))
        known = torch.cuda.get_device_properties(0)
        values = {name: getattr(known, name) for name in dir(known) if not name.startswith("_")}
        properties = {name: one for name, one in values.items() if isinstance(one, int | str)}
        capability = ".".join(map(str, torch.cuda.get_device_capability()))
        return m.Described(facts, gpu, capability, properties)

    @answer.register
    def load(self, request: m.LoadVariant) -> m.Made:
        """Buffers changed by calls in training mode are restored."""
        known = self.variants.get(request.variant)
        if known is None or known.made != request or request.spec.kernelbench:
            self.variants[request.variant] = Variant(request)
        variant = self.variants[request.variant]
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
            steps=variant.between is not forward.NOTHING,
        )

    @answer.register
    def renew(self, request: m.RenewVariant) -> m.Weights:
        """Change parameters in place, or restore them; their values are written for candidates."""
        variant = self.variants[request.variant]
        names = variant.renew(request.seed)
        parameters = variant.module.named_parameters()
        places = {
            one.data_ptr() for name, one in parameters if name in names
        }  # some have two names
        buffers = dict(variant.module.named_buffers())
        state = variant.module.state_dict().items()
        values = {n: one.detach() for n, one in state if one.data_ptr() in places}
        values = {n: one for n, one in values.items() if n not in buffers}
        size = tensors.write(self.shared, 0, values.values())
        return m.Weights(tuple(values), tensors.facts(values.values()), size)

    @answer.register
    def make(self, request: m.Make) -> m.Inputs:
        """Inputs in the file, or on the GPU."""
        variant = self.variants[request.variant]
        for one in self.variants.values():
            one.forget_calls()  # their memory serves for the next
        if self.source:
            self.source.forget()
        variant.make(request.seeds, request.kinds)
        if self.source:
            self.source.inputs = variant.inputs
        described, end, size = [], 0, 0
        for arguments in variant.inputs:
            found: list[torch.Tensor] = []
            tree = tensors.pack(arguments, found)
            if self.source:  # on a GPU none are in a file
                begin, end = 0, sum(map(tensors.size, found))
            else:
                begin, end = end, tensors.write(self.shared, end, found)
            size += end - begin
            described.append(m.CallInputs(tree, tensors.facts(found), begin, end))
        variant.calls.load(variant.inputs)
        return m.Inputs(tuple(described), size, variant.step)

    @answer.register
    def run(self, request: m.Call) -> m.Called:
        """Call on each of the inputs, and keep the outputs as expected."""
        variant = self.variants[request.variant]
        seconds, returned = variant.calls.run(request.seeds, variant.between, variant.step)
        variant.seeds = request.seeds
        variant.expected = [
            [tensors.resolved(one.detach().clone()) for one in found] for _, found in returned
        ]
        tree, first = returned[0]
        facts = tensors.facts(first)
        count = len(facts)
        if variant.directions:
            count = len(tensors.flat(tensors.unpack(tree, first)["outputs"]))
        del returned, first
        owned, names = variant.calls.own(count), variant.named(len(facts))
        # Gradients are mostly what torch makes of them, and nobody counts on how they lie; but
        # their memory is the caller's, who adds the next to it or scales it in place.
        described = tuple(
            m.OutputFact(
                one.dtype,
                one.shape,
                names[number],
                overwritable=owned[number] and not variant.spec.kernelbench,
                gradient=number >= count,
            )
            for number, one in enumerate(facts)
        )
        return m.Called(tree, described, tuple(seconds))

    @answer.register
    def serve(self, request: m.Serve) -> m.Returned:
        """Make the feeder's calls, as a candidate does, and keep the outputs as expected."""
        variant = self.variants[request.variant]
        self._take_again()
        self.channel.send(m.Ready())
        variant.seeds = request.seeds
        run = m.Run(request.serving, {}, variant.step)
        if self.on_gpu and self.source:
            self.source.watch, self.source.fetched = False, {}
            answer = self.on_gpu.serve(variant.module, run, self.source, between=variant.between)
            variant.expected = [*self.source.fetched.values()]
            return answer
        answer = self.feed.serve(variant.module, run, between=variant.between)
        variant.expected = self.feed.kept(run.serving, len(variant.inputs), request.slot)
        return answer

    # For GPUs only.

    @answer.register
    def share(self, request: m.MakeMemory) -> m.Shared:
        """Allocate memory to share."""
        self._give_back()
        sizes, files = self.on_gpu.regions.make(request.sizes) if self.on_gpu else ([], [])
        return m.Shared(tuple(sizes), tuple(files))

    def _give_back(self) -> None:
        """Free GPU memory torch has cached, if other processes would find less than its size."""
        if not self.on_gpu:
            return
        kept = torch.cuda.memory_reserved() - torch.cuda.memory_allocated()
        if kept > torch.cuda.mem_get_info()[0]:
            torch.cuda.empty_cache()
            self.given_back = max(self.given_back, kept)

    def _take_again(self) -> None:
        """Refill torch's cache to its former size, outside of timed calls."""
        size, self.given_back = self.given_back, 0
        if size:
            with suppress(torch.OutOfMemoryError):
                torch.empty(size, dtype=torch.uint8, device="cuda")

    @answer.register
    def attend(self, request: m.Attend) -> m.Returned:
        """Serve the calls of a candidate, until the feeder's end message."""
        self._give_back()
        self.channel.send(m.Ready())
        if self.on_gpu is None or self.source is None:
            return m.Returned()
        self.source.watch, self.source.fetched = request.watch, {}
        return self.on_gpu.serve(torch.nn.Module(), m.Run(request.serving, {}), self.source)

    @answer.register
    def sizes(self, request: m.GetSizes) -> m.TensorBytes:
        """Bytes of inputs, weights and outputs, computed on torch's meta device without memory.

        Sizes it cannot compute, as for shapes that depend on values, count 0, and outputs of small
        inputs are left for later.
        """
        names: dict[str, Any] = {"__name__": "reference"}
        exec(compile(request.source, "reference.py", "exec"), names)  # noqa: S102
        dtype = getattr(torch, request.dtype) if request.dtype else None
        found = {"inputs": 0, "weights": 0, "outputs": 0}
        with torch.no_grad(), suppress(Exception), torch.device("meta"):
            inputs = tensors.cast(list(names["get_inputs"]()), dtype)
            found["inputs"] = tensors.bytes_of(inputs)
            module = names["Model"](*names["get_init_inputs"]())
            module = module if dtype is None else module.to(dtype)
            found["weights"] = tensors.bytes_of(module.state_dict())
            if found["inputs"] + found["weights"] < _SMALL:
                return m.TensorBytes(
                    **found
                )  # torch takes a second or two to be ready for a call there
            found["outputs"] = tensors.bytes_of(module(*inputs))
            if request.backward:
                found["inputs"], found["outputs"] = (
                    found["inputs"] + found["outputs"],
                    sum(found.values()),
                )
        return m.TensorBytes(**found)

    @answer.register
    def device_memory(self, _: m.GetDeviceMemory) -> m.Numbers:
        """Size of the GPU's memory."""
        try:
            return m.Numbers((torch.cuda.get_device_properties(0).total_memory,))
        except (RuntimeError, AssertionError):  # which is reported where it is described
            return m.Numbers((0,))

    @answer.register
    def probe(self, _: m.Probe) -> m.Done:
        """Fail if the GPU cannot compute."""
        torch.ones(1, device="cuda").sum()
        torch.cuda.synchronize()
        return m.Done()

    @answer.register
    def place(self, request: m.Place) -> m.Done:
        """Copy the inputs of a call to the shared memory, for a candidate's own timing."""
        if self.source:
            self.source.load(request.call)
        return m.Done()

    @answer.register
    def keep(self, request: m.Keep) -> m.Done:
        """Keep the outputs fetched from a candidate."""
        if self.source:
            self.kept[request.name], self.source.fetched = self.source.fetched, {}
        return m.Done()

    def _answers(
        self, request: m.Check | m.CheckCloseness, number: int, offset: int
    ) -> list[torch.Tensor]:
        """Outputs of a candidate's call; ``offset`` is the place of its bytes in the file."""
        if request.kept:
            return self.kept[request.kept][number]
        wanted = self.variants[request.variant].expected[number]
        return tensors.read(self.answers, offset, tensors.facts(wanted))

    @answer.register
    def state(self, request: m.GetState) -> m.State:
        """Tensors of the module changed by calls since it was loaded."""
        variant = self.variants[request.variant]
        changed = variant.changed()
        variant.left = {name: one.detach().to("cpu").clone() for name, one in changed.items()}
        return m.State({name: tensors.fact(one) for name, one in changed.items()})

    @answer.register
    def check_state(self, request: m.CheckState) -> m.Checked:
        """Fault of the state after a candidate's calls."""
        variant, offset = self.variants[request.variant], 0
        for name, wanted in variant.left.items():
            [found] = tensors.read(self.answers, offset, [tensors.fact(wanted)])
            offset += tensors.size(wanted)
            row = variant.judged.left if variant.judged else 0.0
            allowed = comparing.within_rows(row, comparing.rows(wanted)[1])
            if problem := comparing.problem(found, wanted, allowed):
                return m.Checked(f"its calls leave {name} other than the reference's: {problem}")
        return m.Checked()

    @answer.register
    def learn(self, request: m.Learn) -> m.LearnReport:
        """Learn limits of errors, and kinds of inputs to judge by."""
        variant, seeds = self.variants[request.variant], request.seeds
        variant.judged, variant.between = None, forward.NOTHING
        judged = Judged(variant.module, variant.device, variant.draw, seeds)
        report = judged.learn(request.tolerance)
        if report.learned:
            variant.judged = judged
            if report.learned.moved:
                variant.step_between_calls()
        variant.keep_weights()
        return report

    @answer.register
    def check(self, request: m.Check) -> m.Checked:
        """Fault of a candidate's outputs."""
        variant, offset = self.variants[request.variant], 0
        for number in request.calls:
            found = self._answers(request, number, offset)
            offset += sum(map(tensors.size, variant.expected[number]))
            for index, one in enumerate(found):
                if problem := variant.problem(number, index, one):
                    return m.Checked(problem, number, variant.kinds[number])
        self.kept.pop(request.kept, None)
        return m.Checked()

    @answer.register
    def roofline(self, request: m.GetRoofline) -> m.RooflineFacts:
        """Bytes and operations of a call, and the machine's speed."""
        variant = self.variants[request.variant]
        state = variant.module.state_dict().values()
        held = [*tensors.flat(variant.inputs[0]), *variant.expected[0], *state]
        moved = sum(one.numel() * one.element_size() for one in held)
        floating = [one.dtype for one in held if one.is_floating_point()]
        dtype = max(floating, key=floating.count, default=torch.float32)
        arguments = tensors.mapped(variant.inputs[0], lambda one: one.to(variant.device))
        return m.RooflineFacts(
            moved,
            profiling.operations(variant.module, arguments),
            profiling.bandwidth(moved, variant.device),
            profiling.peak(dtype, variant.device),
            str(dtype).removeprefix("torch."),
        )

    @answer.register
    def find_trivial(self, request: m.FindTrivial) -> m.Names:
        """Answers without any computation that pass for all of the latest inputs."""
        variant, tolerance = self.variants[request.variant], request.tolerance
        variant.constants = variant.constants or [*map(tensors.constant, variant.expected[0])]

        def passes(made: torch.Tensor | None, number: int, index: int) -> bool:
            wanted = variant.expected[number][index]
            if made is None or made.shape != wanted.shape:
                return False
            if tolerance is not None:
                return tensors.is_close(made, wanted, tolerance)
            return not comparing.problem(made, wanted, variant.allowed(number)[index])

        numbers = range(len(variant.kinds))
        places = [(n, i) for n in numbers for i in range(len(variant.expected[n]))]
        passing = [
            name
            for name, answer in tensors.TRIVIAL_ANSWERS.items()
            if all(
                passes(
                    answer(variant.inputs[n], variant.expected[n][i], variant.constants[i]), n, i
                )
                for n, i in places
            )
        ]
        if len(numbers) > 1 and all(passes(variant.expected[n - 1][i], n, i) for n, i in places):
            passing.append("the answer to other inputs")
        return m.Names(tuple(sorted(passing)))

    # For KernelBench's rules only.

    @answer.register
    def trial_seeds(self, request: m.DrawTrialSeeds) -> m.Numbers:
        """Seeds of the inputs for comparing outputs, drawn from ``seed``."""
        torch.manual_seed(request.seed)
        drawn = [torch.randint(0, 2**32 - 1, (1,)) for _ in range(request.count)]
        return m.Numbers(tuple(int(one.item()) for one in drawn))

    @answer.register
    def drew(self, request: m.AskDrew) -> m.Answer:
        """Whether the last call drew random numbers."""
        device = self.variants[request.variant].device
        return m.Answer(tensors.drew(request.seed, device))

    @answer.register
    def close(self, request: m.CheckCloseness) -> m.Closeness:
        """Whether the outputs of a call are close."""
        [[wanted]] = self.variants[request.variant].expected
        [found] = self._answers(request, 0, 0)
        apart = tensors.distances(found, wanted)
        largest, size = (one if math.isfinite(one) else None for one in apart)
        return m.Closeness(tensors.is_close(found, wanted, request.tolerance), largest, size)

    @answer.register
    def time(self, request: m.TimeCalls) -> m.Times:
        """Time calls as KernelBench does."""
        variant = self.variants[request.variant]
        call = variant.module, variant.inputs[0], variant.device
        return m.Times(forward.kernelbench_times(*call, request.rounds))


def handler(start: m.Start, channel: Channel) -> Callable[[m.Request[Any]], Any]:
    """Function to answer requests."""
    return _Reference(start, channel).answer

"""Answers for a reference: makes inputs, computes expected outputs, and compares outputs.

This process never sees a candidate's code, only its output bytes.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch

from maxcode.executors.kernel.worker import comparing, forward, profiling, tensors
from maxcode.executors.kernel.worker.calls import Feed
from maxcode.executors.kernel.worker.device_calls import DeviceFeed, Source
from maxcode.executors.kernel.worker.judging import Judged
from maxcode.executors.kernel.worker.main import Channel
from maxcode.executors.kernel.worker.variant import Variant

_SMALL = 64 << 20  # bytes of inputs and weights


class _Reference:
    """Worker side of ``Reference`` in ../reference.py, which documents these methods."""

    def __init__(self, request: dict[str, Any], channel: Channel) -> None:
        self.variants: dict[str, Variant] = {}
        self.channel = channel
        self.shared = os.open(request["outputs"], os.O_RDWR)
        self.feed = Feed(self.shared, request["pipes"])
        self.on_gpu = DeviceFeed(request["pipes"]) if request.get("device") == "cuda" else None
        self.source = Source(self.on_gpu.regions) if self.on_gpu else None
        self.kept: dict[str, dict[int, list[torch.Tensor]]] = {}  # of candidates, by name and call
        self.given_back = 0  # bytes
        self.answers = os.open(request["inputs"], os.O_RDONLY)
        self.scratch = os.open("expected", os.O_RDWR | os.O_CREAT, 0o600)

    def describe(self, request: dict[str, Any]) -> dict[str, Any]:
        """Facts of torch and the GPU; the GPU's properties depend on the version of torch."""
        names: dict[str, Any] = {}
        exec(Path(request["script"]).read_text(), names)  # noqa: S102 - one of ours
        facts = {"facts": names["torch_facts"]()}
        try:
            gpu = torch.cuda.get_device_name()
        except (RuntimeError, AssertionError) as error:
            none = {"gpu": "", "capability": "", "properties": {}}
            return {**facts, **none, "why_not": str(error)}
        known = torch.cuda.get_device_properties(0)
        values = {name: getattr(known, name) for name in dir(known) if not name.startswith("_")}
        properties = {name: one for name, one in values.items() if isinstance(one, int | str)}
        capability = ".".join(map(str, torch.cuda.get_device_capability()))
        return {**facts, "gpu": gpu, "capability": capability, "properties": properties}

    def load(self, request: dict[str, Any]) -> dict[str, Any]:
        """Define a variant; writes its constructor's arguments and weights for candidates.

        Buffers changed by calls in training mode are restored.
        """
        name = request["variant"]
        made = request["source"], request["distribution"]
        if name not in self.variants or self.variants[name].made != made or request["kernelbench"]:
            self.variants[name] = Variant(request, self.scratch)
        variant = self.variants[name]
        variant.begin_again()
        self.kept.clear()
        given: list[torch.Tensor] = []
        init = tensors.pack(variant.init, given)
        state = {} if variant.kernelbench else variant.module.state_dict()
        values = [one.detach() for one in state.values()]
        return {
            "init": init,
            "given": [tensors.facts(one) for one in given],
            "names": list(state),
            "marks": [variant.marks[name] for name in state],
            "differentiated": variant.differentiated,
            "steps": variant.between is not forward.NOTHING,
            "weights": [tensors.facts(one) for one in values],
            "bytes": tensors.write(self.shared, 0, [*given, *values]),
        }

    def renew(self, request: dict[str, Any]) -> dict[str, Any]:
        """Change parameters in place, or restore them; their values are written for candidates."""
        variant = self.variants[request["variant"]]
        names = variant.renew(request["seed"])
        parameters = variant.module.named_parameters()
        places = {
            one.data_ptr() for name, one in parameters if name in names
        }  # some have two names
        buffers = dict(variant.module.named_buffers())
        state = variant.module.state_dict().items()
        values = {n: one.detach() for n, one in state if one.data_ptr() in places}
        values = {n: one for n, one in values.items() if n not in buffers}
        return {
            "names": list(values),
            "weights": [tensors.facts(one) for one in values.values()],
            "bytes": tensors.write(self.shared, 0, values.values()),
        }

    def make(self, request: dict[str, Any]) -> dict[str, Any]:
        variant = self.variants[request["variant"]]
        for one in self.variants.values():
            one.forget_calls()  # their memory serves for the next
        if self.source:
            self.source.forget()
        variant.make(request["seeds"], request["kinds"])
        if self.source:
            self.source.inputs = variant.inputs
        described, end, size = [], 0, 0
        for arguments in variant.inputs:
            found: list[torch.Tensor] = []
            tree = tensors.pack(arguments, found)
            facts = [tensors.facts(one) for one in found]
            if self.source:  # on a GPU none are in a file
                begin, end = 0, sum(map(tensors.size, found))
            else:
                begin, end = end, tensors.write(self.shared, end, found)
            size += end - begin
            described.append({"tree": tree, "tensors": facts, "begin": begin, "end": end})
        variant.calls.load(variant.inputs)
        return {"inputs": described, "bytes": size, "step": variant.step}

    def run(self, request: dict[str, Any]) -> dict[str, Any]:
        """Call on each of the inputs, and keep the outputs as expected."""
        variant = self.variants[request["variant"]]
        made = request["seeds"], request["slot"], variant.between, variant.step
        seconds, returned = variant.calls.run(*made)
        variant.seeds = request["seeds"]
        variant.expected = [found for _, _, found in returned]
        if self.on_gpu or not request["slot"]:
            variant.expected = [
                [tensors.resolved(one.detach().clone()) for one in found]
                for found in variant.expected
            ]
        tree, facts, first = returned[0]
        count = len(facts)
        if variant.directions:
            count = len(tensors.flat(tensors.unpack(tree, first)["outputs"]))
        del returned, first
        owned, names = variant.calls.own(count), variant.named(len(facts))
        # Gradients are mostly what torch makes of them, and nobody counts on how they lie; but
        # their memory is the caller's, who adds the next to it or scales it in place.
        described = [
            {
                **one,
                "name": names[number],
                "overwritable": owned[number] and not variant.kernelbench,
                "gradient": number >= count,
            }
            for number, one in enumerate(facts)
        ]
        return {"seconds": seconds, "tree": tree, "tensors": described}

    def serve(self, request: dict[str, Any]) -> dict[str, Any]:
        """Make the feeder's calls, as a candidate does, and keep the outputs as expected."""
        variant = self.variants[request["variant"]]
        self._take_again()
        self.channel.send({"ready": True})
        variant.seeds = request["seeds"]
        request = request | {"step": variant.step}
        if self.on_gpu and self.source:
            self.source.watch, self.source.fetched = False, {}
            answer = self.on_gpu.serve(
                variant.module, request, self.source, between=variant.between
            )
            variant.expected = [*self.source.fetched.values()]
            return answer
        answer = self.feed.serve(variant.module, request, between=variant.between)
        variant.expected = self.feed.kept(request, len(variant.inputs), request["slot"])
        return answer

    # For GPUs only.

    def share(self, request: dict[str, Any]) -> dict[str, Any]:
        self._give_back()
        return self.on_gpu.share(request) if self.on_gpu else {}

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

    def attend(self, request: dict[str, Any]) -> dict[str, Any]:
        """Serve the calls of a candidate, until the feeder's end message."""
        self._give_back()
        self.channel.send({"ready": True})
        if self.on_gpu is None or self.source is None:
            return {}
        self.source.watch, self.source.fetched = request["watch"], {}
        return self.on_gpu.serve(torch.nn.Module(), request, self.source)

    def sizes(self, request: dict[str, Any]) -> dict[str, Any]:
        """Bytes of inputs, weights and outputs, computed on torch's meta device without memory.

        Sizes it cannot compute, as for shapes that depend on values, count 0, and outputs of small
        inputs are left for later.
        """
        names: dict[str, Any] = {"__name__": "reference"}
        exec(compile(request["source"], "reference.py", "exec"), names)  # noqa: S102
        dtype = getattr(torch, request["dtype"]) if request["dtype"] else None
        found = {"inputs": 0, "weights": 0, "outputs": 0}
        with torch.no_grad(), suppress(Exception), torch.device("meta"):
            inputs = tensors.cast(list(names["get_inputs"]()), dtype)
            found["inputs"] = tensors.bytes_of(inputs)
            module = names["Model"](*names["get_init_inputs"]())
            module = module if dtype is None else module.to(dtype)
            found["weights"] = tensors.bytes_of(module.state_dict())
            if found["inputs"] + found["weights"] < _SMALL:
                return found  # torch takes a second or two to be ready for a call there
            found["outputs"] = tensors.bytes_of(module(*inputs))
            if request["backward"]:
                found["inputs"], found["outputs"] = (
                    found["inputs"] + found["outputs"],
                    sum(found.values()),
                )
        return found

    def device_memory(self, _: dict[str, Any]) -> dict[str, Any]:
        try:
            return {"total": torch.cuda.get_device_properties(0).total_memory}
        except (RuntimeError, AssertionError):  # which is reported where it is described
            return {"total": 0}

    def probe(self, _: dict[str, Any]) -> dict[str, Any]:
        """Fail if the GPU cannot compute."""
        torch.ones(1, device="cuda").sum()
        torch.cuda.synchronize()
        return {}

    def place(self, request: dict[str, Any]) -> dict[str, Any]:
        """Copy the inputs of a call to the shared memory, for a candidate's own timing."""
        if self.source:
            self.source.load(request["call"])
        return {}

    def keep(self, request: dict[str, Any]) -> dict[str, Any]:
        """Keep the outputs fetched from a candidate."""
        if self.source:
            self.kept[request["name"]], self.source.fetched = self.source.fetched, {}
        return {}

    def _answers(self, request: dict[str, Any], number: int, offset: int) -> list[torch.Tensor]:
        """Outputs of a candidate's call; ``offset`` is the place of its bytes in the file."""
        if request["kept"]:
            return self.kept[request["kept"]][number]
        wanted = self.variants[request["variant"]].expected[number]
        return tensors.read(self.answers, offset, [tensors.facts(one) for one in wanted])

    def state(self, request: dict[str, Any]) -> dict[str, Any]:
        """Tensors of the module changed by calls since it was loaded."""
        variant = self.variants[request["variant"]]
        changed = variant.changed()
        variant.left = {name: one.detach().to("cpu").clone() for name, one in changed.items()}
        return {"state": {name: tensors.facts(one) for name, one in changed.items()}}

    def check_state(self, request: dict[str, Any]) -> dict[str, Any]:
        """Fault of the state after a candidate's calls."""
        variant, offset = self.variants[request["variant"]], 0
        for name, wanted in variant.left.items():
            [found] = tensors.read(self.answers, offset, [tensors.facts(wanted)])
            offset += tensors.size(wanted)
            row = variant.judged.left if variant.judged else 0.0
            allowed = comparing.within_rows(row, comparing.rows(wanted)[1])
            if problem := comparing.problem(found, wanted, allowed):
                return {"problem": f"its calls leave {name} other than the reference's: {problem}"}
        return {"problem": ""}

    def learn(self, request: dict[str, Any]) -> dict[str, Any]:
        """Learn limits of errors, and kinds of inputs to judge by."""
        variant, seeds = self.variants[request["variant"]], request["seeds"]
        variant.judged, variant.between = None, forward.NOTHING
        judged = Judged(variant.module, variant.device, variant.draw, seeds)
        report = judged.learn(request["tolerance"])
        if "problem" not in report:
            variant.judged = judged
            if report["moved"]:
                variant.step_between_calls()
        variant.keep_weights()
        return report

    def check(self, request: dict[str, Any]) -> dict[str, Any]:
        """Fault of a candidate's outputs."""
        variant, offset = self.variants[request["variant"]], 0
        for number in request["calls"]:
            found = self._answers(request, number, offset)
            offset += sum(map(tensors.size, variant.expected[number]))
            for index, one in enumerate(found):
                if problem := variant.problem(number, index, one):
                    kind = variant.kinds[number]
                    return {"problem": problem, "call": number, "kind": kind}
        self.kept.pop(request["kept"], None)
        return {"problem": ""}

    def roofline(self, request: dict[str, Any]) -> dict[str, Any]:
        variant = self.variants[request["variant"]]
        state = variant.module.state_dict().values()
        held = [*tensors.flat(variant.inputs[0]), *variant.expected[0], *state]
        moved = sum(one.numel() * one.element_size() for one in held)
        floating = [one.dtype for one in held if one.is_floating_point()]
        dtype = max(floating, key=floating.count, default=torch.float32)
        arguments = tensors.mapped(variant.inputs[0], lambda one: one.to(variant.device))
        return {
            "moved": moved,
            "operations": profiling.operations(variant.module, arguments),
            "bandwidth": profiling.bandwidth(moved, variant.device),
            "peak": profiling.peak(dtype, variant.device),
            "dtype": str(dtype).removeprefix("torch."),
        }

    def audit(self, request: dict[str, Any]) -> dict[str, Any]:
        """Answers without any computation that pass for all of the latest inputs."""
        variant, tolerance = self.variants[request["variant"]], request["tolerance"]
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
        return {"passing": sorted(passing)}

    # For KernelBench's rules only.

    def trial_seeds(self, request: dict[str, Any]) -> dict[str, Any]:
        """Seeds of the inputs for comparing outputs, drawn from ``seed``."""
        torch.manual_seed(request["seed"])
        drawn = [torch.randint(0, 2**32 - 1, (1,)) for _ in range(request["count"])]
        return {"seeds": [int(one.item()) for one in drawn]}

    def drew(self, request: dict[str, Any]) -> dict[str, Any]:
        variant = self.variants[request["variant"]]
        return {"drew": tensors.drew(request["seed"], variant.device)}

    def close(self, request: dict[str, Any]) -> dict[str, Any]:
        [[wanted]] = self.variants[request["variant"]].expected
        [found] = self._answers(request, 0, 0)
        named = zip(("largest", "mean", "size"), tensors.distances(found, wanted), strict=True)
        close = tensors.is_close(found, wanted, request["tolerance"])
        return {"close": close, **{name: f"{number:.6g}" for name, number in named}}

    def timed(self, request: dict[str, Any]) -> dict[str, Any]:
        variant, rounds = self.variants[request["variant"]], request["rounds"]
        inputs = variant.inputs[0]
        times = forward.kernelbench_times(variant.module, inputs, variant.device, rounds)
        return {"milliseconds": times}


_reference: list[_Reference] = []


def answer(request: dict[str, Any], channel: Channel) -> dict[str, Any]:
    """Answer a request by the method in ``do``."""
    if not _reference:
        _reference.append(_Reference(request, channel))
    answered: dict[str, Any] = getattr(_reference[0], request["do"])(request)
    return answered

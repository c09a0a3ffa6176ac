"""What answers for a reference: makes inputs, computes what is expected, and compares with it.

It sees no code of a candidate, only bytes that one has written.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import torch

from maxcode.executors.kernel.worker import (
    compat,
    forward,
    profiling,
    tensors,
)
from maxcode.executors.kernel.worker.forward import Calls
from maxcode.executors.kernel.worker.serving import Channel


class _Variant:
    """A reference with its constants, ready to be called."""

    def __init__(self, request: dict[str, Any], scratch: int) -> None:
        self.names: dict[str, Any] = {"__name__": "reference"}
        path = Path(f"reference-{request['variant']}.py").resolve()
        path.write_text(request["source"])  # where inspect and torch.jit look for it
        exec(compile(request["source"], str(path), "exec"), self.names)  # noqa: S102
        self.dtype = getattr(torch, request["dtype"]) if request["dtype"] else None
        self.distribution = request["distribution"]
        self.kernelbench = request["kernelbench"]
        torch.manual_seed(request["seed"])
        self.init = list(self.names["get_init_inputs"]())
        if self.kernelbench:
            self.init = compat.cast(self.init, self.dtype)
        torch.manual_seed(request["seed"])
        module = self.names["Model"](*self.init)
        self.module = tensors.prepared(
            module, self.dtype, train=request["train"], device=request["device"]
        )
        self.calls = Calls(self.module, request["device"], scratch)
        self.device = request["device"]
        self.inputs: list[list[Any]] = []
        self.expected: list[list[torch.Tensor]] = []  # by call

    def make(self, seeds: list[int]) -> None:
        """Fresh inputs, one set for each seed."""
        self.inputs = []
        for seed in seeds:
            torch.manual_seed(seed)
            drawn = tensors.drawn(list(self.names["get_inputs"]()), self.distribution)
            if self.kernelbench:
                self.inputs.append(compat.cast(drawn, self.dtype))
            else:
                self.inputs.append([tensors.cast(one, self.dtype) for one in drawn])

    def accepts(self, found: torch.Tensor, wanted: torch.Tensor, tolerance: float) -> bool:
        """Whether an output of the right shape and type is right."""
        if self.kernelbench:
            return compat.close(found, wanted, tolerance)
        return not tensors.problem(found, wanted, tolerance)


class _Reference:
    def __init__(self, request: dict[str, Any]) -> None:
        self.variants: dict[str, _Variant] = {}
        self.shared = os.open(request["outputs"], os.O_RDWR)
        self.answers = os.open(request["inputs"], os.O_RDONLY)
        self.scratch = os.open("expected", os.O_RDWR | os.O_CREAT, 0o600)

    def describe(self, request: dict[str, Any]) -> dict[str, Any]:
        """What must be known of torch to build extensions, by the script at that path."""
        names: dict[str, Any] = {}
        exec(Path(request["script"]).read_text(), names)  # noqa: S102 - one of ours
        gpu, why_not = _gpu()
        capability = ".".join(map(str, torch.cuda.get_device_capability())) if gpu else ""
        facts = names["torch_facts"]()
        told = {"facts": facts, "gpu": gpu, "why_not": why_not, "capability": capability}
        return {**told, "properties": _properties() if gpu else {}}

    def load(self, request: dict[str, Any]) -> dict[str, Any]:
        """Define a variant; its constructor's arguments and weights, written for candidates.

        Calls neither make nor change weights, so these are those that it began with.
        """
        name = request["variant"]
        if name not in self.variants or request["kernelbench"]:
            self.variants[name] = _Variant(request, self.scratch)
        variant = self.variants[name]
        given: list[torch.Tensor] = []
        init = tensors.pack(variant.init, given)
        state = {} if variant.kernelbench else variant.module.state_dict()
        weights = {name: one.detach() for name, one in state.items()}
        end = tensors.write(self.shared, 0, given)
        held = tensors.write(self.shared, end, weights.values())
        return {
            "init": init,
            "given": [tensors.facts(one) for one in given],
            "names": list(weights),
            "weights": [tensors.facts(one) for one in weights.values()],
            "bytes": held,
        }

    def make(self, request: dict[str, Any]) -> dict[str, Any]:
        """Make inputs, write them for candidates, and load them for calls."""
        variant = self.variants[request["variant"]]
        variant.calls.load([])  # their memory serves for the next
        variant.expected = []
        variant.make(request["seeds"])
        told, offset = [], 0
        for arguments in variant.inputs:
            found: list[torch.Tensor] = []
            tree = tensors.pack(arguments, found)
            facts = [tensors.facts(one) for one in found]
            told.append({"tree": tree, "tensors": facts})
            offset = tensors.write(self.shared, offset, found)
        variant.calls.load(variant.inputs)
        return {"inputs": told, "bytes": offset}

    def run(self, request: dict[str, Any]) -> dict[str, Any]:
        """Call for each of the inputs, and keep what is expected."""
        variant = self.variants[request["variant"]]
        seconds, returned = variant.calls.run(request["seed"], request["slot"])
        variant.expected = [found for _, _, found in returned]
        if not request["slot"]:
            variant.expected = [
                [one.detach().to("cpu").clone() for one in found] for found in variant.expected
            ]
        tree, facts, _ = returned[0]
        return {"seconds": seconds, "tree": tree, "tensors": facts}

    def own_errors(self, request: dict[str, Any]) -> dict[str, Any]:
        """How far its outputs are off themselves, and whether it says the same again."""
        variant = self.variants[request["variant"]]
        errors = [0.0] * len(variant.expected[0])
        for number, (arguments, expected) in enumerate(
            zip(variant.inputs, variant.expected, strict=True)
        ):
            seed = request["seed"] + number
            again = tensors.outputs(variant.module, arguments, seed, variant.device)
            drew = compat.drew(seed, variant.device)
            if len(again) != len(expected) or any(
                tensors.problem(found, wanted, 1e-6)
                for found, wanted in zip(again, expected, strict=True)
            ):
                return {"problem": "it gives other outputs for the same inputs and seed"}
            if drew:  # other numbers than in double precision, so that anything would pass
                return {"errors": None}
            exact = tensors.exact_outputs(variant.module, arguments, seed, variant.device)
            if exact is None:
                return {"errors": None}
            for index, (wanted, right) in enumerate(zip(expected, exact, strict=True)):
                errors[index] = max(errors[index], tensors.error(wanted, right))
        return {"errors": errors}

    def check(self, request: dict[str, Any]) -> dict[str, Any]:
        """What is wrong with outputs that a candidate wrote: nothing, or a text."""
        variant = self.variants[request["variant"]]
        offset = 0
        for number in request["calls"]:
            expected = variant.expected[number]
            found = tensors.read(self.answers, offset, [tensors.facts(one) for one in expected])
            offset += sum(map(tensors.size, expected))
            for index, (one, wanted) in enumerate(zip(found, expected, strict=True)):
                if said := tensors.problem(one, wanted, request["tolerance"][index]):
                    which = f"output {index}: " if len(expected) > 1 else ""
                    return {"problem": which + said, "call": number}
        return self._check_spots(variant, request, offset)

    def _check_spots(
        self, variant: _Variant, request: dict[str, Any], offset: int
    ) -> dict[str, Any]:
        """The same of single elements, whose bytes follow one another."""
        typical: dict[tuple[int, int], float] = {}
        for number, index, element in request["spots"]:
            wanted = variant.expected[number][index]
            held = bytearray(os.pread(self.answers, wanted.element_size(), offset))
            found = torch.frombuffer(held, dtype=wanted.dtype)
            offset += wanted.element_size()
            if (number, index) not in typical:
                typical[number, index] = tensors.typical_size(wanted)
            allowed = request["tolerance"][index]
            if not tensors.is_near(found, wanted, element, allowed, typical[number, index]):
                return {"problem": "an element is further off than all may be", "call": number}
        return {"problem": ""}

    def roofline(self, request: dict[str, Any]) -> dict[str, Any]:
        """What a call costs at least, and how fast the machine is for its type of numbers."""
        variant = self.variants[request["variant"]]
        held: list[torch.Tensor] = []
        tensors.pack(variant.inputs[0], held)
        held += [*variant.expected[0], *variant.module.state_dict().values()]
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

    def settings(self, request: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG002
        """Settings of torch that precision depends on."""
        return {"settings": forward.settings()}

    def audit(self, request: dict[str, Any]) -> dict[str, Any]:
        """Which answers that compute nothing would pass for the inputs there are."""
        variant = self.variants[request["variant"]]
        passed = set(tensors.NOTHING)

        def accepts(number: int, found: torch.Tensor, wanted: torch.Tensor) -> bool:
            return variant.accepts(found, wanted, request["tolerance"][number])

        for arguments, expected in zip(variant.inputs, variant.expected, strict=True):
            passed &= tensors.passing(arguments, expected, accepts)
        return {"passing": sorted(passed)}

    def trial_seeds(self, request: dict[str, Any]) -> dict[str, Any]:
        """Seeds of KernelBench's trials."""
        return {"seeds": compat.trial_seeds(request["seed"], request["count"])}

    def traits(self, request: dict[str, Any]) -> dict[str, Any]:
        """What KernelBench's rules depend on: randomness, and the mode that the module is in."""
        variant, seed = self.variants[request["variant"]], request["seed"]
        drew = compat.drew(seed, variant.device)
        module, arguments = variant.module, variant.inputs[0]
        return {
            "drew": drew,
            "training": module.training,
            "matters": compat.depends_on_mode(module, arguments, seed, variant.device),
        }

    def close(self, request: dict[str, Any]) -> dict[str, Any]:
        """Whether the one output that a candidate wrote is close, and how far it is off."""
        [[wanted]] = self.variants[request["variant"]].expected
        [found] = tensors.read(self.answers, 0, [tensors.facts(wanted)])
        largest, mean, size = compat.distances(found, wanted)
        return {
            "close": compat.close(found, wanted, request["tolerance"]),
            "largest": f"{largest:.6g}",
            "mean": f"{mean:.6g}",
            "size": f"{size:.6g}",
        }

    def timed(self, request: dict[str, Any]) -> dict[str, Any]:
        """Time calls on the first of the inputs as KernelBench does."""
        variant = self.variants[request["variant"]]
        arguments = variant.inputs[0]
        times = compat.timed(variant.module, arguments, variant.device, request["rounds"])
        return {"milliseconds": times}


def _gpu() -> tuple[str, str]:
    """The name of the GPU, or why there is none."""
    try:
        return torch.cuda.get_device_name(), ""
    except (RuntimeError, AssertionError) as error:
        return "", str(error)


def _properties() -> dict[str, Any]:
    """What torch knows of the GPU: numbers and texts; which ones depends on its version."""
    known = torch.cuda.get_device_properties(0)
    told = {name: getattr(known, name) for name in dir(known) if not name.startswith("_")}
    return {name: value for name, value in told.items() if isinstance(value, int | str)}


_reference: list[_Reference] = []


def answer(request: dict[str, Any], channel: Channel) -> dict[str, Any]:  # noqa: ARG001
    """Answer a request by the method that ``do`` names."""
    if not _reference:
        _reference.append(_Reference(request))
    method = getattr(_reference[0], request["do"])
    answered: dict[str, Any] = method(request)
    return answered

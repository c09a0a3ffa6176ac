"""What answers for a reference: makes inputs, computes what is expected, and compares with it.

It sees no code of a candidate, only bytes that one has written.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import torch

from maxcode.executors.kernel.worker import comparing, drawing, tensors
from maxcode.executors.kernel.worker.channel import Channel
from maxcode.executors.kernel.worker.forward import Calls


class _Variant:
    """A reference with its constants, ready to be called."""

    def __init__(self, request: dict[str, Any], scratch: int) -> None:
        self.names: dict[str, Any] = {"__name__": "reference"}
        exec(compile(request["source"], "reference.py", "exec"), self.names)  # noqa: S102
        self.dtype = getattr(torch, request["dtype"]) if request["dtype"] else None
        self.distribution = request["distribution"]
        torch.manual_seed(request["seed"])
        self.init = list(self.names["get_init_inputs"]())
        torch.manual_seed(request["seed"])
        module = self.names["Model"](*self.init)
        self.module = comparing.prepared(
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
            drawn = drawing.drawn(list(self.names["get_inputs"]()), self.distribution)
            self.inputs.append([comparing.cast(one, self.dtype) for one in drawn])


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
        return {"facts": names["torch_facts"](), "gpu": _gpu()}

    def load(self, request: dict[str, Any]) -> dict[str, Any]:
        """Define a variant; its constructor's arguments and weights, written for candidates.

        Calls neither make nor change weights, so these are those that it began with.
        """
        name = request["variant"]
        if name not in self.variants:
            self.variants[name] = _Variant(request, self.scratch)
        variant = self.variants[name]
        given: list[torch.Tensor] = []
        init = tensors.pack(variant.init, given)
        weights = {name: one.detach() for name, one in variant.module.state_dict().items()}
        end = tensors.write(self.shared, 0, given)
        tensors.write(self.shared, end, weights.values())
        return {
            "init": init,
            "given": [tensors.facts(one) for one in given],
            "names": list(weights),
            "weights": [tensors.facts(one) for one in weights.values()],
            "at": end,
        }

    def make(self, request: dict[str, Any]) -> dict[str, Any]:
        """Make inputs, write them for candidates, and load them for calls."""
        variant = self.variants[request["variant"]]
        variant.make(request["seeds"])
        told, offset = [], 0
        for arguments in variant.inputs:
            found: list[torch.Tensor] = []
            tree = tensors.pack(arguments, found)
            facts = [tensors.facts(one) for one in found]
            told.append({"tree": tree, "tensors": facts, "at": offset})
            offset = tensors.write(self.shared, offset, found)
        variant.calls.load(variant.inputs)
        return {"inputs": told, "bytes": offset}

    def run(self, request: dict[str, Any]) -> dict[str, Any]:
        """Call for each of the inputs, and keep what is expected."""
        variant = self.variants[request["variant"]]
        seconds, returned = variant.calls.run(request["seed"], request["slot"])
        variant.expected = [
            [one.detach().to("cpu").clone() for one in found] for _, _, found in returned
        ]
        tree, facts, _ = returned[0]
        return {"seconds": seconds, "tree": tree, "tensors": facts}

    def own_error(self, request: dict[str, Any]) -> dict[str, Any]:
        """How far the reference itself is off, and whether it says the same again."""
        variant = self.variants[request["variant"]]
        error = 0.0
        for number, (arguments, expected) in enumerate(
            zip(variant.inputs, variant.expected, strict=True)
        ):
            seed = request["seed"] + number
            again = comparing.outputs(variant.module, arguments, seed, variant.device)
            if len(again) != len(expected) or any(
                comparing.problem(found, wanted, 1e-6)
                for found, wanted in zip(again, expected, strict=True)
            ):
                return {"problem": "it gives other outputs for the same inputs and seed"}
            exact = comparing.exact_outputs(variant.module, arguments, seed, variant.device)
            if exact is None:
                return {"error": None}
            for wanted, right in zip(expected, exact, strict=True):
                error = max(error, comparing.error(wanted, right))
        return {"error": error}

    def check(self, request: dict[str, Any]) -> dict[str, Any]:
        """What is wrong with outputs that a candidate wrote: nothing, or a text."""
        variant = self.variants[request["variant"]]
        offset = 0
        for number in request["calls"]:
            expected = variant.expected[number]
            found = tensors.read(self.answers, offset, [tensors.facts(one) for one in expected])
            offset += sum(map(tensors.size, expected))
            for index, (one, wanted) in enumerate(zip(found, expected, strict=True)):
                if said := comparing.problem(one, wanted, request["tolerance"]):
                    which = f"output {index}: " if len(expected) > 1 else ""
                    return {"problem": which + said, "call": number}
        return {"problem": ""}

    def lightest(self, request: dict[str, Any]) -> dict[str, Any]:
        """The shortest time in which inputs and outputs of a call were copied."""
        variant = self.variants[request["variant"]]
        held: list[torch.Tensor] = []
        tensors.pack(variant.inputs[0], held)
        held += variant.expected[0]
        return {"seconds": min(_copied(held) for _ in range(5)) / 2}

    def audit(self, request: dict[str, Any]) -> dict[str, Any]:
        """Which answers that compute nothing would pass for the inputs there are."""
        variant = self.variants[request["variant"]]
        passed = set(comparing.NOTHING)
        for arguments, expected in zip(variant.inputs, variant.expected, strict=True):
            passed &= comparing.passing(arguments, expected, request["tolerance"])
        return {"passing": sorted(passed)}


def _copied(held: list[torch.Tensor]) -> float:
    """Seconds of copying: each byte is read, and written."""
    targets = [torch.empty_like(one) for one in held]
    for one, target in zip(held, targets, strict=True):
        target.copy_(one)
    began = time.perf_counter()
    for one, target in zip(held, targets, strict=True):
        target.copy_(one)
    return time.perf_counter() - began


def _gpu() -> str:
    """The name of the GPU; empty if there is none."""
    return torch.cuda.get_device_name() if torch.cuda.is_available() else ""


_reference: list[_Reference] = []


def answer(request: dict[str, Any], channel: Channel) -> dict[str, Any]:  # noqa: ARG001
    """Answer a request by the method that ``do`` names."""
    if not _reference:
        _reference.append(_Reference(request))
    method = getattr(_reference[0], request["do"])
    answered: dict[str, Any] = method(request)
    return answered

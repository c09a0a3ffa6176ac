"""Answers for a candidate. Its code runs in this process, so the parent trusts no answer."""

from __future__ import annotations

import importlib.util
import inspect
import json
import os
import sys
from collections.abc import Mapping, Sequence
from importlib.machinery import ExtensionFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch.utils import cpp_extension

from maxcode.executors.kernel.worker import forward, profiling, tensors, weights
from maxcode.executors.kernel.worker import messages as m
from maxcode.executors.kernel.worker.calls import Feed
from maxcode.executors.kernel.worker.channel import Channel
from maxcode.executors.kernel.worker.device_calls import DeviceFeed
from maxcode.executors.kernel.worker.extended import extended

_INLINE_ARGUMENTS = tuple(inspect.signature(cpp_extension.load_inline).parameters)


def replace_extension_loaders(channel: Channel) -> list[ModuleType]:
    """Replace ``load_inline`` by requests to build; returns the list of all modules it loads."""
    modules: list[ModuleType] = []

    def load_inline(*positional: Any, **named: Any) -> ModuleType:
        arguments = dict(zip(_INLINE_ARGUMENTS, positional, strict=False)) | named
        name = str(arguments.get("name"))
        answer = channel.ask(m.Build(json.loads(json.dumps(arguments, default=_jsonable))))
        if not answer.library:
            raise RuntimeError(f"Error building extension {name!r}: {answer.errors}")
        module = sys.modules[name] = _imported(name, Path(answer.library))
        modules.append(module)
        return module

    def load(*_: Any, **__: Any) -> None:
        raise RuntimeError("extensions are built of texts here: call load_inline, not load")

    cpp_extension.load_inline = load_inline
    cpp_extension.load = load
    return modules


def _imported(name: str, library: Path) -> ModuleType:
    loader = ExtensionFileLoader(name, str(library))
    spec = importlib.util.spec_from_file_location(name, library, loader=loader)
    if spec is None:
        raise ImportError(f"{library} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def _jsonable(value: Any) -> Any:
    return list(value) if isinstance(value, set) else str(value)


class CandidateWork:
    """Requests to a candidate's process; bytes of tensors follow those that name them."""

    def __init__(self, start: m.Start, channel: Channel) -> None:
        self.channel = channel
        self.on_gpu = DeviceFeed(start.pipes) if start.device == "cuda" else None
        self.feed = self.on_gpu or Feed(start.pipes, os.open(start.outputs, os.O_RDWR))
        self.namespace = ModuleType("kernel")
        self.device = start.device
        self.module = torch.nn.Module()
        self.inputs: list[Any] = []
        self.targets: dict[str, str] = {}  # its own names of the reference's weights, by theirs
        self.extensions: list[ModuleType] = []

    def load(self, files: Mapping[str, str], entry: str, full_precision: bool) -> bool:
        """Run a candidate's module; whether it defines ModelNew."""
        if full_precision:
            forward.use_full_precision()
        self.extensions = replace_extension_loaders(self.channel)
        for path, text in files.items():
            file = Path("candidate", path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        sys.path.insert(0, str(Path("candidate").resolve()))
        first = Path("candidate", entry).resolve()
        code = compile(first.read_text(), str(first), "exec")  # so that Triton finds its source
        self.namespace.__file__ = str(first)
        sys.modules["kernel"] = self.namespace
        exec(code, self.namespace.__dict__)  # noqa: S102 - what this process is for
        return isinstance(getattr(self.namespace, "ModelNew", None), type)

    def construct(self, spec: m.ModuleSpec, made: m.Made) -> bool:
        """Make the module; whether it has all weights of the reference, which follow."""
        given, values = tensors.empty(made.given), tensors.empty(made.weights)
        tensors.fill([*given, *values], self.channel.fill)
        init = tensors.unpack(made.init, given)
        torch.manual_seed(spec.seed)
        module = self.namespace.__dict__["ModelNew"](*init)
        module = tensors.prepared(module, spec)
        wanted = dict(zip(made.names, values, strict=True))
        self.targets = take(module, wanted, dict(zip(made.names, made.marks, strict=True)))
        self.trains = bool(spec.backward or spec.train)
        differentiated = made.differentiated if spec.backward else None
        self.module = extended(module, differentiated, made.changed)
        return len(self.targets) == len(wanted)

    def renew(self, renewed: m.Weights) -> None:
        """Load other weights; they follow."""
        values = tensors.empty(renewed.weights)
        tensors.fill(values, self.channel.fill)
        named = zip(renewed.names, values, strict=True)
        given = {self.targets[name]: one for name, one in named}
        if not self.trains:
            self.module.load_state_dict(given, strict=False)
            return
        state = self.module.state_dict(keep_vars=True)
        with torch.no_grad():  # in place, as an optimizer's step
            for name, one in given.items():
                state[name].copy_(one)

    def take(self, inputs: Sequence[m.CallInputs], more: bool) -> None:
        """Load inputs for calls to time or profile, or ``more``; they follow."""
        self.inputs = self.inputs if more else []
        for one in inputs:
            if self.on_gpu:
                self.inputs.append(self.on_gpu.inputs(one))
                continue
            held = tensors.empty(one.tensors)
            tensors.fill(held, self.channel.fill)
            self.inputs.append(tensors.unpack(one.tree, held))

    def run(self, serving: m.Serving) -> m.Returned:
        """Answer that the process is ready, then make a feeder's calls."""
        self.channel.send(None)
        return self.feed.serve(self.module, serving, trains=self.trains)

    def take_memory(self, sizes: Sequence[int]) -> None:
        """Open GPU memory of these sizes made by the reference; descriptors follow."""
        if self.on_gpu:
            self.on_gpu.regions.take(sizes)

    def time(self, rounds: Sequence[int]) -> tuple[float, ...]:
        """Time calls as KernelBench does: to warm up, to drop, to count."""
        return forward.kernelbench_times(self.module, self.inputs[0], self.device, rounds)

    def profile(self, seed: int) -> m.Profiled:
        """Profile calls on the inputs taken."""
        inputs = tensors.mapped(self.inputs, lambda one: one.to(self.device))
        torch.manual_seed(seed)
        return profiling.profiled(self.module, inputs, self.device, self.extensions)


def take(
    module: torch.nn.Module, wanted: Mapping[str, torch.Tensor], marks: Mapping[str, str]
) -> dict[str, str]:
    """Copy the reference's weights into a module; returns its names for them, {} if any is missing.

    By their names if names and shapes are the same; other weights are matched by their marks, if
    both constructors drew equal values. Copies all or none.
    """
    own = module.state_dict()
    if {n: one.shape for n, one in own.items()} == {n: one.shape for n, one in wanted.items()}:
        module.load_state_dict(dict(wanted))
        return {name: name for name in wanted}
    target = {n: n for n, one in wanted.items() if n in own and own[n].shape == one.shape}
    known = {name: weights.known_by(one) for name, one in own.items() if name not in target}
    for name in wanted:
        if name not in target:
            alike = [other for other, mark in known.items() if mark == marks[name]]
            if not alike:
                return {}
            target[name] = alike[0]
            del known[alike[0]]
    with torch.no_grad():
        for name, one in wanted.items():
            own[target[name]].copy_(one)
    return target


work = CandidateWork

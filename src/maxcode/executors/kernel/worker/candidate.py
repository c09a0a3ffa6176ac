"""Answers for a candidate. Its code runs in this process, so the parent trusts no answer."""

from __future__ import annotations

import importlib.util
import inspect
import json
import os
import sys
import traceback
from collections.abc import Mapping
from importlib.machinery import ExtensionFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch.autograd.graph import increment_version
from torch.utils import cpp_extension

from maxcode.executors.kernel.worker import forward, gradients, profiling, tensors, weights
from maxcode.executors.kernel.worker.calls import Feed
from maxcode.executors.kernel.worker.device_calls import DeviceFeed
from maxcode.executors.kernel.worker.main import Channel

_INLINE_ARGUMENTS = tuple(inspect.signature(cpp_extension.load_inline).parameters)
_LOAD_ARGUMENTS = tuple(inspect.signature(cpp_extension.load).parameters)
_KINDS = {".cpp": "cpp_sources", ".cc": "cpp_sources", ".cxx": "cpp_sources", ".cu": "cuda_sources"}


def replace_extension_loaders(channel: Channel) -> list[ModuleType]:
    """Replace torch's ``load_inline`` and ``load`` by requests to the parent to build.

    The modules they load are added to the returned list.
    """
    loaded: dict[str, int] = {}
    modules: list[ModuleType] = []

    def load_inline(*positional: Any, **named: Any) -> ModuleType:
        arguments = dict(zip(_INLINE_ARGUMENTS, positional, strict=False)) | named
        name = str(arguments.get("name"))
        answer = channel.ask({"build": json.loads(json.dumps(arguments, default=_jsonable))})
        if "library" not in answer:
            raise RuntimeError(f"Error building extension {name!r}: {answer.get('errors')}")
        times = loaded[name] = loaded.get(name, 0) + 1
        module = _imported(name, Path(answer["library"]))
        sys.modules[name if times == 1 else f"{name}_v{times - 1}"] = module
        modules.append(module)
        return module

    def load(*positional: Any, **named: Any) -> ModuleType:
        arguments = dict(zip(_LOAD_ARGUMENTS, positional, strict=False)) | named
        sources = arguments.pop("sources", ())
        return load_inline(**arguments, **_contents(sources), no_implicit_headers=True)

    cpp_extension.load_inline = load_inline
    cpp_extension.load = load
    return modules


def _contents(sources: Any) -> dict[str, str]:
    """Contents of source files, as arguments of ``load_inline``, which makes a unit per kind."""
    texts: dict[str, str] = {}
    for source in [sources] if isinstance(sources, str | Path) else sources:
        path = Path(source)
        kind = _KINDS.get(path.suffix)
        if kind is None or kind in texts:
            raise RuntimeError(
                "load takes one C++ file and one CUDA file here; hand several to load_inline, as "
                "cpp_sources and cuda_sources"
            )
        inside = Path("candidate", path)  # where the program's own files are
        texts[kind] = (path if path.exists() else inside).read_text()
    return {"cpp_sources": "", **texts}


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


class _Candidate(forward.Between):
    """Worker side of ``Candidate`` in ../candidate.py, which documents these methods."""

    def __init__(self, request: dict[str, Any], channel: Channel) -> None:
        self.channel = channel
        self.feed = Feed(os.open(request["outputs"], os.O_RDWR), request["pipes"])
        self.on_gpu = DeviceFeed(request["pipes"]) if request.get("device") == "cuda" else None
        self.namespace = ModuleType("kernel")
        self.device = "cpu"
        self.module = torch.nn.Module()
        self.inputs: list[Any] = []
        self.targets: dict[str, str] = {}  # its own names of the reference's weights, by theirs
        self.extensions: list[ModuleType] = []

    def load(self, request: dict[str, Any]) -> dict[str, Any]:
        """Run the module's code; extensions are built by the parent."""
        if request.get("full_precision"):
            forward.use_full_precision()
        self.extensions = replace_extension_loaders(self.channel)
        for path, text in request["files"].items():
            file = Path("candidate", path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        sys.path.insert(0, str(Path("candidate").resolve()))
        entry = Path("candidate", request["entry"]).resolve()
        code = compile(entry.read_text(), str(entry), "exec")  # so that Triton finds its source
        self.namespace.__file__ = str(entry)
        sys.modules["kernel"] = self.namespace
        exec(code, self.namespace.__dict__)  # noqa: S102 - what this process is for
        found = isinstance(getattr(self.namespace, "ModelNew", None), type)
        return {} if found else {"missing": "ModelNew"}

    def construct(self, request: dict[str, Any]) -> dict[str, Any]:
        """Make the module of a variant, with the reference's weights where names and shapes fit."""
        given, values = tensors.empty(request["given"]), tensors.empty(request["weights"])
        tensors.fill([*given, *values], self.channel.fill)
        init = tensors.unpack(request["init"], given)
        torch.manual_seed(request["seed"])
        dtype = getattr(torch, request["dtype"]) if request["dtype"] else None
        made = self.namespace.__dict__["ModelNew"](*init)
        made = tensors.prepared(made, dtype, train=request["train"], device=request["device"])
        wanted = dict(zip(request["names"], values, strict=True))
        marks = dict(zip(request["names"], request["marks"], strict=True))
        self.targets = take(made, wanted, marks)
        self.trains = bool(request["backward"] or request["train"])
        named = dict(made.named_parameters())
        own = {name: named[other] for name, other in self.targets.items() if other in named}
        self.steps = weights.Steps(own) if request["steps"] else forward.NOTHING
        if request["backward"]:
            made = gradients.with_gradients(made, request["differentiated"])
        self.module, self.device = made, request["device"]
        return {"fits": len(self.targets) == len(wanted)}

    def renew(self, request: dict[str, Any]) -> dict[str, Any]:
        """Give some weights new values: loaded, or in training in place, as an optimizer's step."""
        values = tensors.empty(request["weights"])
        tensors.fill(values, self.channel.fill)
        given = {self.targets[n]: one for n, one in zip(request["names"], values, strict=True)}
        if not self.trains:
            self.module.load_state_dict(given, strict=False)
            return {}
        state = self.module.state_dict(keep_vars=True)
        with torch.no_grad():
            for name, one in given.items():
                state[name].copy_(one)
        return {}

    def next(self, seed: int) -> None:
        """Mark parameters as changed after each call, as after a step of training."""
        self.steps.next(seed)
        for one in self.module.parameters():
            increment_version(one)

    def end(self) -> None:
        """Restore the parameters from before the first call."""
        self.steps.end()

    def take(self, request: dict[str, Any]) -> dict[str, Any]:
        """Load inputs for calls this process times or profiles itself."""
        self.inputs = self.inputs if request.get("more") else []
        for one in request["inputs"]:
            if self.on_gpu:
                self.inputs.append(self.on_gpu.inputs(one))
                continue
            held = tensors.empty(one["tensors"])
            tensors.fill(held, self.channel.fill)
            self.inputs.append(tensors.unpack(one["tree"], held))
        return {}

    def run(self, request: dict[str, Any]) -> dict[str, Any]:
        """Report readiness, then make the feeder's calls."""
        self.channel.send({"ready": True})
        feed = self.on_gpu or self.feed
        return feed.serve(self.module, request, between=self if self.trains else forward.NOTHING)

    def share(self, request: dict[str, Any]) -> dict[str, Any]:
        """Open the GPU memory made by the reference's process."""
        return self.on_gpu.share(request) if self.on_gpu else {}

    def timed(self, request: dict[str, Any]) -> dict[str, Any]:
        rounds = request["rounds"]
        times = forward.kernelbench_times(self.module, self.inputs[0], self.device, rounds)
        return {"milliseconds": times}

    def profile(self, request: dict[str, Any]) -> dict[str, Any]:
        inputs = tensors.mapped(self.inputs, lambda one: one.to(self.device))
        torch.manual_seed(request["seed"])
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


_candidate: list[_Candidate] = []


def answer(request: dict[str, Any], channel: Channel) -> dict[str, Any]:
    """Answer a request by the method in ``do``; errors include the place in the candidate."""
    if not _candidate:
        _candidate.append(_Candidate(request, channel))
    try:
        answered: dict[str, Any] = getattr(_candidate[0], request["do"])(request)
    except Exception as error:  # noqa: BLE001 - for the parent to judge
        return {"raised": _described(error)}
    return answered


def _described(error: Exception) -> dict[str, Any]:
    frames = traceback.extract_tb(error.__traceback__)
    places = [
        (one.filename, one.lineno)
        for one in frames
        if "/candidate/" in one.filename or "kernel.py" in one.filename
    ]
    if isinstance(error, SyntaxError):
        places.append((error.filename or "", error.lineno))
    place = f"{Path(places[-1][0]).name}:{places[-1][1]}" if places else ""
    kind, message = type(error).__name__, str(error)
    return {"kind": kind[:200], "message": message[:4000], "place": place[:200]}

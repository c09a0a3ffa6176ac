"""What answers for a candidate. Its code runs in here, so nothing that is said here is trusted."""

from __future__ import annotations

import importlib.util
import inspect
import os
import sys
import traceback
from importlib.machinery import ExtensionFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch.utils import cpp_extension

from maxcode.executors.kernel.worker import compat, forward, profiling, tensors
from maxcode.executors.kernel.worker.forward import Calls
from maxcode.executors.kernel.worker.serving import Channel

_ARGUMENTS = tuple(inspect.signature(cpp_extension.load_inline).parameters)
_OF_LOAD = tuple(inspect.signature(cpp_extension.load).parameters)
_KINDS = {".cpp": "cpp_sources", ".cc": "cpp_sources", ".cxx": "cpp_sources", ".cu": "cuda_sources"}


def install(channel: Channel) -> list[ModuleType]:
    """Put them in the place of torch's own. The modules it loads are added to what is returned."""
    loaded: dict[str, int] = {}
    modules: list[ModuleType] = []

    def load_inline(*positional: Any, **named: Any) -> ModuleType:
        arguments = dict(zip(_ARGUMENTS, positional, strict=False)) | named
        name = str(arguments.get("name"))
        told = channel.ask({"build": _plain(arguments)})
        if "library" not in told:
            raise RuntimeError(f"Error building extension {name!r}: {told.get('errors')}")
        loaded[name] = loaded.get(name, 0) + 1
        modules.append(_imported(name, Path(told["library"]), loaded[name]))
        return modules[-1]

    def load(*positional: Any, **named: Any) -> ModuleType:
        arguments = dict(zip(_OF_LOAD, positional, strict=False)) | named
        sources = arguments.pop("sources", ())
        return load_inline(**arguments, **_contents(sources), no_implicit_headers=True)

    cpp_extension.load_inline = load_inline
    cpp_extension.load = load
    return modules


def _contents(sources: Any) -> dict[str, str]:
    """What files hold, as arguments of ``load_inline``, which makes one unit of each kind."""
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


def _imported(name: str, library: Path, times: int) -> ModuleType:
    """The module in a library; one file is read into this process once."""
    loader = ExtensionFileLoader(name, str(library))
    spec = importlib.util.spec_from_file_location(name, library, loader=loader)
    if spec is None:
        raise ImportError(f"{library} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    sys.modules[name if times == 1 else f"{name}_v{times - 1}"] = module
    return module


def _plain(value: Any) -> Any:
    """Arguments as JSON can hold them; what it cannot is described."""
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple | set):
        return [_plain(part) for part in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)


_ENTRY = "kernel.py"


class _Candidate:
    def __init__(self, request: dict[str, Any], channel: Channel) -> None:
        self.channel = channel
        self.target = os.open(request["outputs"], os.O_RDWR)
        self.module = ModuleType("kernel")
        self.calls: Calls | None = None
        self.device = "cpu"
        self.made = torch.nn.Module()
        self.inputs: list[Any] = []
        self.facts: list[Any] = []
        self.memory: list[list[torch.Tensor]] = []  # of inputs, for each call
        self.extensions: list[ModuleType] = []

    def load(self, request: dict[str, Any]) -> dict[str, Any]:
        """Run the module's code; extensions are built on the other side."""
        self.extensions = install(self.channel)
        for path, text in request["files"].items():
            file = Path("candidate", path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        sys.path.insert(0, str(Path("candidate").resolve()))
        entry = Path("candidate", request["entry"]).resolve()
        code = compile(entry.read_text(), str(entry), "exec")  # so that Triton finds its source
        self.module.__file__ = str(entry)
        sys.modules["kernel"] = self.module
        exec(code, self.module.__dict__)  # noqa: S102 - what this process is for
        if not isinstance(getattr(self.module, "ModelNew", None), type):
            return {"missing": "ModelNew"}
        return {}

    def construct(self, request: dict[str, Any]) -> dict[str, Any]:
        """Make the module of a variant, with the reference's weights where names and shapes fit."""
        given, weights = tensors.empty(request["given"]), tensors.empty(request["weights"])
        tensors.fill([*given, *weights], self.channel.fill)
        init = tensors.unpack(request["init"], given)
        torch.manual_seed(request["seed"])
        dtype = getattr(torch, request["dtype"]) if request["dtype"] else None
        made = self.module.__dict__["ModelNew"](*init)
        made = tensors.prepared(made, dtype, train=request["train"], device=request["device"])
        own = {name: list(one.shape) for name, one in made.state_dict().items()}
        wanted = dict(zip(request["names"], request["weights"], strict=True))
        fits = own == {name: one["shape"] for name, one in wanted.items()}
        if fits and wanted:
            made.load_state_dict(dict(zip(request["names"], weights, strict=True)))
        self.made, self.device = made, request["device"]
        self.calls = Calls(made, self.device, self.target)
        return {}

    def take(self, request: dict[str, Any]) -> dict[str, Any]:
        """Load inputs for calls; into the memory of those before them, if they are alike.

        So new pages take no time, and who tells inputs by their address is wrong.
        """
        facts = [one["tensors"] for one in request["inputs"]]
        if facts != self.facts:
            self._calls().load([])
            self.memory = []
            self.memory, self.facts = [tensors.empty(one) for one in facts], facts
        for one in self.memory:
            tensors.fill(one, self.channel.fill)
        self.inputs = [
            tensors.unpack(one["tree"], held)
            for one, held in zip(request["inputs"], self.memory, strict=True)
        ]
        self._calls().load(self.inputs)
        return {}

    def run(self, request: dict[str, Any]) -> dict[str, Any]:
        """Call for each of the inputs."""
        before = [one.clone() for one in self._calls().arguments()] if request["watch"] else []
        seconds, returned = self._calls().run(request["seed"], request["slot"])
        changed = any(
            not torch.equal(torch.nan_to_num(one), torch.nan_to_num(old))
            for one, old in zip(self._calls().arguments(), before, strict=False)
        )
        return {
            "seconds": seconds,
            "returned": [{"tree": tree, "tensors": told} for tree, told, _ in returned],
            "changed": changed,
        }

    def timed(self, request: dict[str, Any]) -> dict[str, Any]:
        """Time calls on the first of the inputs as KernelBench does."""
        times = compat.timed(self.made, self.inputs[0], self.device, request["rounds"])
        return {"milliseconds": times}

    def profile(self, request: dict[str, Any]) -> dict[str, Any]:
        """Where calls on the inputs spend their time."""
        inputs = tensors.mapped(self.inputs, lambda one: one.to(self.device))
        torch.manual_seed(request["seed"])
        return profiling.profiled(self.made, inputs, self.device, self.extensions)

    def settings(self, _: dict[str, Any]) -> dict[str, Any]:
        """Settings of torch that precision depends on."""
        return {"settings": forward.settings()}

    def _calls(self) -> Calls:
        if self.calls is None:
            raise RuntimeError("nothing was constructed")
        return self.calls


_candidate: list[_Candidate] = []


def answer(request: dict[str, Any], channel: Channel) -> dict[str, Any]:
    """Answer a request by the method that ``do`` names; errors with the place in the candidate."""
    if not _candidate:
        _candidate.append(_Candidate(request, channel))
    try:
        method = getattr(_candidate[0], request["do"])
        answered: dict[str, Any] = method(request)
    except Exception as error:  # noqa: BLE001 - for the other side to judge
        return {"raised": _described(error)}
    return answered


def _described(error: Exception) -> dict[str, Any]:
    frames = traceback.extract_tb(error.__traceback__)
    own = [one for one in frames if "/candidate/" in one.filename or _ENTRY in one.filename]
    place = f"{Path(own[-1].filename).name}:{own[-1].lineno}" if own else ""
    if isinstance(error, SyntaxError):
        place = f"{Path(error.filename or '').name}:{error.lineno}"
    return {
        "kind": type(error).__name__[:200],
        "message": str(error)[:4000],
        "place": place[:200],
    }

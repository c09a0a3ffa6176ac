# ruff: noqa: N802 - names are those of the driver
"""A GPU that is simulated at the driver's edge: what the workers' code asks of torch and libcuda.

For machines without one, and for failures that no real one gives on demand. A tensor on the device
is one in main memory of a class of its own: operators refuse to mix both kinds, as torch does.
Kernels compute at once, so times say nothing of a GPU. Memory that processes share is a file in
memory, handed over by its descriptor as the driver's is.

Run by :mod:`tests._warm_process` in a worker that is given devices. What candidates of tests do to
the device is in :class:`Simulated`, which they find as ``torch.cuda.simulated``.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

_UNIT = 1 << 16  # bytes of which allocations are multiples
_MIXED = "Expected all tensors to be on the same device, but found cuda:0 and cpu"
_CACHES = 4  # times its size, that has to be read for nothing to be left in a cache
_BETWEEN = {"copy_", "to", "cpu", "cuda", "type_as", "__set__", "__setitem__", "__getitem__"}
_BETWEEN |= {"set_", "_has_compatible_shallow_copy_type", "index_put_", "as_tensor"}


class DeviceTensor(torch.Tensor):
    """A tensor on the device."""

    is_cuda = property(lambda _: True)
    is_cpu = property(lambda _: False)
    device = property(lambda _: torch.device("cuda", 0))

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            made = self.detach().clone()
            made.requires_grad_(self.requires_grad)
            if isinstance(self, torch.nn.Parameter):
                made = torch.nn.Parameter(made, self.requires_grad)
            memo[id(self)] = made
        return memo[id(self)]


class Simulated:
    """Work queued on the device, in this process or, by files in ``folder``, in all."""

    def __init__(self, folder: Path, memory: int) -> None:
        self._folder = folder
        self._memory = memory
        self._running: list[threading.Thread] = []
        self._fault = ""
        self.starts = 0
        self.queued = False
        """Whether a kernel was started that nobody has waited for."""
        self.crossed = 0
        """Bytes that this process brought to the device, or back."""
        self.kept = 0
        self.profiled = False

    @property
    def faulty(self) -> bool:
        """Whether each wait for the device fails now."""
        return bool(self._fault)

    def profile(self) -> int:
        """From now on a profiler that was started around the process looks at what is done."""
        self.profiled = True
        return 0

    def launch(self, work: Callable[[], object], seconds: float = 0.0) -> None:
        """Work of a kernel that takes so long, and goes on while the host does not wait for it."""

        def run() -> None:
            time.sleep(seconds)
            with Mode(), torch.no_grad():
                work()

        thread = threading.Thread(target=run, daemon=True)
        self._running.append(thread)
        thread.start()

    def fault(self, message: str) -> None:
        """From now on each wait for the device fails, as after an illegal access."""
        self._fault = message

    def lose(self) -> None:
        """The device falls off the bus, for all processes."""
        (self._folder / "lost").touch()

    def hold(self, size: int) -> None:
        """Take memory that no allocator of torch knows of; it is free when this process ends."""
        (self._folder / f"held-{os.getpid()}").write_text(str(size))

    def cooled(self) -> None:
        """The cache holds nothing of what was there before, and this process has the device."""
        (self._folder / "cold").touch()
        (self._folder / "user").write_text(str(os.getpid()))

    def change_over(self) -> None:
        """Wait for as long as the device takes to change over to this process, if it has work."""
        wanted, user = self._folder / "switch", self._folder / "user"
        queued, self.queued = self.queued, False
        if queued and wanted.exists() and user.exists() and user.read_text() != str(os.getpid()):
            time.sleep(float(wanted.read_text()))
            user.write_text(str(os.getpid()))

    def let_go(self) -> None:
        """No line of the cache persists."""
        (self._folder / "let-go").touch()

    def was_cold(self) -> bool:
        """Whether the cache was emptied since this was asked last, by whatever process, with the
        lines that persist."""
        try:
            for name in ("cold", "let-go"):
                (self._folder / name).unlink()
        except FileNotFoundError:
            return False
        return True

    @property
    def shares(self) -> bool:
        """Whether there is memory left that another process may see."""
        return not (self._folder / "full").exists()

    @property
    def usable(self) -> bool:
        """Whether torch finds a device."""
        return not (self._folder / "unusable").exists()

    def slow(self, seconds: float) -> None:
        """From now on work of other processes takes so much longer, until this one ends."""
        (self._folder / f"slow-{os.getpid()}").write_text(str(seconds))

    def synchronize(self, *_: object, **__: object) -> None:
        """Wait until all kernels are done."""
        if (self._folder / "lost").exists():
            raise RuntimeError("CUDA error: the device is lost")
        if self._fault:
            raise RuntimeError(f"CUDA error: {self._fault}")
        self.change_over()
        self.join()
        time.sleep(sum(self._of_others("slow")))

    def join(self) -> None:
        """Wait for the kernels, as what is put on the same stream after them does."""
        for thread in self._running:
            if thread is not threading.current_thread():
                thread.join()

    def allocate(self, size: int) -> None:
        """Raise as torch does where there is no room for so many bytes more."""
        if size > self.free:
            raise torch.OutOfMemoryError(f"CUDA out of memory. Tried to allocate {size} bytes")
        self.kept = max(self.kept, size)

    @property
    def free(self) -> int:
        """Bytes that other processes leave."""
        return self._memory - int(sum(self._of_others("held")))

    def empty(self) -> None:
        """Give back what torch keeps, which is no more than was allocated at once."""
        self.kept = 0
        (self._folder / f"emptied-{os.getpid()}").touch()

    def _of_others(self, kind: str) -> list[float]:
        found = []
        for path in self._folder.glob(f"{kind}-*"):
            process = path.name.partition("-")[2]
            if process != str(os.getpid()) and _is_alive(process):
                found.append(float(path.read_text() or 0))
        return found


def _is_alive(process: str) -> bool:
    try:
        return Path("/proc", process, "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Mode(TorchFunctionMode):
    """Has torch take "cuda" for a device; its tensors are of the class above."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs, name = dict(kwargs or {}), getattr(func, "__name__", "")
        if func is torch.as_tensor and hasattr(args[0], "__cuda_array_interface__"):
            return _at(args[0].__cuda_array_interface__)
        if name == "_parse_to":  # of modules, which move their tensors one by one
            return func(*args, **kwargs)
        wanted = kwargs.pop("device", None)
        if name == "to":
            args, found = _without_device(args)
            wanted = wanted if wanted is not None else found
        elif name in ("cuda", "cpu") and args:
            wanted, args, func = name, args[:1], torch.Tensor.to
            kwargs = {"dtype": args[0].dtype}
        if wanted is None:
            return self._called(func, name, args, kwargs)
        there = str(wanted).startswith("cuda")
        if func is torch.Tensor.to:
            return _moved(args, kwargs, there=there)
        if there and (generator := kwargs.get("generator")) and not generator.there:
            raise RuntimeError("Expected a 'cuda' device type for generator but found 'cpu'")
        made = func(*args, **kwargs) if _is_tensor(args) else func(*args, **kwargs, device="cpu")
        if there and isinstance(made, torch.Tensor):
            SIMULATED.allocate(made.numel() * made.element_size())
            return made.as_subclass(DeviceTensor)
        return made.as_subclass(torch.Tensor) if isinstance(made, torch.Tensor) else made

    def _called(self, func: Any, name: str, args: Any, kwargs: Any) -> Any:
        found: list[torch.Tensor] = []
        _collect((args, kwargs), found)
        there = any(isinstance(one, DeviceTensor) for one in found)
        here = any(not isinstance(one, DeviceTensor) and one.dim() for one in found)
        if there and name == "numpy":
            raise TypeError("can't convert cuda:0 device type tensor to numpy.")
        if there and here:
            if name not in _BETWEEN:
                raise RuntimeError(f"{_MIXED} (in {name})")
            SIMULATED.crossed += max(
                one.nbytes for one in found if not isinstance(one, DeviceTensor)
            )
        SIMULATED.starts += there
        if name == "sum" and found[0].nbytes >= _CACHES * PROPERTIES["L2_cache_size"]:
            SIMULATED.cooled()
        if there and name == "copy_":
            SIMULATED.join()
        made = func(*args, **kwargs)
        writes = name.endswith("_") and not name.startswith("_")
        places = {one.untyped_storage().data_ptr() for one in found}
        fresh = isinstance(made, torch.Tensor) and made.untyped_storage().data_ptr() not in places
        SIMULATED.queued |= there and (writes or fresh)
        return made


def _collect(value: Any, found: list[torch.Tensor]) -> None:
    if isinstance(value, torch.Tensor):
        found.append(value)
    elif isinstance(value, list | tuple):
        for one in value:
            _collect(one, found)
    elif isinstance(value, dict):
        _collect([*value.values()], found)


def _is_tensor(args: Any) -> bool:
    return bool(args) and isinstance(args[0], torch.Tensor)


def _without_device(args: Any) -> tuple[Any, Any]:
    named = [one for one in args[1:] if isinstance(one, str | torch.device)]
    kept = (
        args[0],
        *(one for one in args[1:] if one not in named or isinstance(one, torch.Tensor)),
    )
    return kept, named[0] if named else None


def _moved(args: Any, kwargs: Any, *, there: bool) -> Any:
    one = args[0]
    dtype = next((a for a in (*args[1:], kwargs.get("dtype")) if isinstance(a, torch.dtype)), None)
    if there == isinstance(one, DeviceTensor):
        return one if dtype in (None, one.dtype) else torch.Tensor.to(one, dtype)
    SIMULATED.crossed += one.nbytes
    if there:
        SIMULATED.allocate(one.nbytes)
    plain = one.as_subclass(torch.Tensor).clone()
    made = plain.to(dtype) if dtype is not None else plain
    return made.as_subclass(DeviceTensor) if there else made


def _at(array: dict[str, Any]) -> torch.Tensor:
    [size], address = array["shape"], array["data"][0]
    return torch.frombuffer(
        (ctypes.c_ubyte * size).from_address(address), dtype=torch.uint8
    ).as_subclass(DeviceTensor)


class _Libcuda:
    """The functions of libcuda that worker/device.py calls."""

    def __init__(self) -> None:
        self._handles: dict[int, int] = {}  # descriptors
        self._maps: dict[int, Any] = {}

    def cuMemGetAllocationGranularity(self, unit: Any, properties: Any, option: int) -> int:
        assert (properties._obj.type, properties._obj.handles, option) == (1, 1, 0)
        unit._obj.value = _UNIT
        return 0

    def cuMemCreate(self, handle: Any, size: Any, properties: Any, flags: Any) -> int:
        assert size.value % _UNIT == 0
        if not SIMULATED.shares:
            return 2
        try:
            SIMULATED.allocate(size.value)
        except torch.OutOfMemoryError:
            return 2
        file = os.memfd_create("device")
        os.ftruncate(file, size.value)
        return self._handle(handle, file)

    def _handle(self, handle: Any, file: int) -> int:
        handle._obj.value = 1000 + len(self._handles)
        self._handles[handle._obj.value] = file
        return 0

    def cuMemExportToShareableHandle(self, found: Any, handle: Any, kind: int, flags: Any) -> int:
        found._obj.value = os.dup(self._handles[handle.value])
        return 0

    def cuMemImportFromShareableHandle(self, handle: Any, given: Any, kind: int) -> int:
        return self._handle(handle, os.dup(given.value))

    def cuMemAddressReserve(self, address: Any, size: Any, *_: Any) -> int:
        address._obj.value = 1  # known when it is mapped
        self._reserved = address._obj
        return 0

    def cuMemMap(self, address: Any, size: Any, offset: Any, handle: Any, flags: Any) -> int:
        held = mmap.mmap(self._handles[handle.value], size.value)
        address.value = ctypes.addressof(ctypes.c_char.from_buffer(held))
        self._maps[address.value] = held
        return 0

    def cuMemSetAccess(self, address: Any, size: Any, access: Any, count: Any) -> int:
        assert address.value in self._maps
        return 0

    def cuMemUnmap(self, address: Any, size: Any) -> int:
        self._maps.pop(address.value)
        return 0

    def cuMemAddressFree(self, address: Any, size: Any) -> int:
        return 0

    def cuMemRelease(self, handle: Any) -> int:
        os.close(self._handles.pop(handle.value))
        return 0

    def cuCtxResetPersistingL2Cache(self) -> int:
        SIMULATED.let_go()
        return 0

    def cuGetErrorString(self, code: int, text: Any) -> int:
        text._obj.value = {2: b"out of memory"}.get(code, b"unknown error")
        return 0


PROPERTIES: dict[str, Any] = {
    "name": "Simulated GPU",
    "major": 9,
    "minor": 0,
    "multi_processor_count": 8,
    "total_memory": 1 << 30,
    "L2_cache_size": 1 << 20,
    "max_threads_per_multi_processor": 2048,
}


def _known() -> dict[str, Any]:
    if not SIMULATED.usable:
        raise RuntimeError("No CUDA GPUs are available")
    return PROPERTIES


def install(folder: str, memory: int) -> None:
    """Make it the device of this process; ``memory`` in bytes, for each allocation."""
    global SIMULATED  # noqa: PLW0603
    SIMULATED = Simulated(Path(folder), memory)
    library, opened = _Libcuda(), ctypes.CDLL
    known = {"libcuda.so.1": library}
    setattr(ctypes, "CDLL", lambda name, *a, **k: known.get(name) or opened(name, *a, **k))  # noqa: B010
    cuda: Any = torch.cuda
    cuda.simulated = SIMULATED
    cuda.is_available = lambda: True
    cuda.device_count = lambda: 1
    cuda.current_device = lambda: 0
    cuda.get_device_name = lambda *_, **__: _known()["name"]
    cuda.get_device_capability = lambda *_: (9, 0)
    cuda.get_device_properties = lambda *_: SimpleNamespace(**_known())
    cuda.synchronize = SIMULATED.synchronize
    cuda.empty_cache = SIMULATED.empty
    cuda.memory_reserved = lambda *_: SIMULATED.kept
    cuda.memory_allocated = lambda *_: 0
    cuda.set_device = lambda *_: None  # this and the next three for KernelBench's own evaluator
    cuda.manual_seed = lambda *_: None
    cuda.device = _on_stream
    cuda.reset_peak_memory_stats = lambda *_, **__: None
    cuda.get_rng_state = lambda *_: torch.get_rng_state()
    cuda.mem_get_info = lambda *_: (SIMULATED.free, memory)
    cuda.cudart = lambda: SimpleNamespace(
        cudaProfilerStart=SIMULATED.profile, cudaProfilerStop=lambda: 0
    )
    setattr(torch, "Generator", _Generator)  # noqa: B010 - mypy knows it as a type
    cuda.Event = _Event
    cuda.Stream = _Stream
    cuda.stream = _on_stream
    cuda.current_stream = lambda *_: _Stream()
    torch.__future__.set_overwrite_module_params_on_conversion(True)
    _STACK.enter_context(Mode())


class _Generator(torch.Generator):
    """One of main memory, for any device: tensors of the device lie there."""

    there: bool

    def __new__(cls, device: Any = "cpu") -> Any:
        made = super().__new__(cls)
        made.there = str(device).startswith("cuda")
        return made


class _Event:
    def __init__(self, **_: Any) -> None:
        self._time = 0.0

    def record(self, *_: Any) -> None:
        self._time = time.perf_counter()

    def synchronize(self) -> None:
        SIMULATED.synchronize()

    def elapsed_time(self, other: _Event) -> float:
        return (other._time - self._time) * 1e3


class _Stream:
    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def wait_stream(self, other: object) -> None:
        pass

    def synchronize(self) -> None:
        SIMULATED.synchronize()


@contextmanager
def _on_stream(stream: object) -> Any:
    yield stream


SIMULATED = Simulated(Path(), sys.maxsize)
_STACK = ExitStack()

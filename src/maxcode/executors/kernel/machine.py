"""The machine kernels run on: its Python with torch, its GPU, and their description."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from maxcode.errors import ToolError
from maxcode.measure.machine import ascii_line, machine_facts
from maxcode.system import python_executable, standard_library
from maxcode.toolchain.extension_facts import TorchFacts

_SYSTEM = Path("/usr")  # every sandbox shows it
_PACKAGES = ("site-packages", "dist-packages")
_DEVICES = Path("/dev")
_DRIVER = ("nvidiactl", "nvidia-uvm", "nvidia-uvm-tools")  # as containers are given them
_PARTS = "nvidia-caps/nvidia-cap[0-9]*"  # a GPU that is divided is used through these, too
_KNOWN = Path("/proc/driver/nvidia/gpus")
_LANGUAGES = {  # for kernels besides C++, by module: the name, and packages that may provide it
    "triton": ("Triton", "triton", "pytorch-triton"),
    "cutlass": ("CuTe DSL", "nvidia-cutlass-dsl"),
    "tilelang": ("TileLang", "tilelang"),
}


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python interpreter for sandboxed workers.

    ``executable`` is the real one, without any virtual environment; ``packages`` are folders to add
    to its path, torch's among them; ``read`` are paths to show in the sandbox.
    """

    executable: Path
    packages: tuple[Path, ...]
    read: tuple[Path, ...]


def this_interpreter() -> Interpreter:
    """The running interpreter.

    Raises :class:`~maxcode.errors.ToolError` if torch is missing, or if a home folder would have to
    be shown.
    """
    torch = _torch()
    home = Path.home().resolve()
    folders = [Path(one) for one in sys.path if Path(one).is_dir()]
    installed = [one.resolve() for one in folders if one.name in _PACKAGES]
    packages = dict.fromkeys([torch.parent, *installed])
    executable = python_executable()
    # Of a folder that holds more than packages, torch alone.
    parts = [folder if folder.name in _PACKAGES else torch for folder in packages]
    # Some packages put folders of their own on the path, as that of CuTe DSL does.
    real = map(Path.resolve, folders)
    packages |= {one: None for one in real if any(one.is_relative_to(at) for at in installed)}
    shown = dict.fromkeys([executable, *standard_library(home), *parts])
    read = tuple(path for path in shown if not path.is_relative_to(_SYSTEM))
    for path in read:
        if home.is_relative_to(path):
            raise ToolError(
                f"Python needs {path}, and {home} in it is a home folder, which candidates may "
                "not see; install maxcode in a virtual environment: python -m venv FOLDER"
            )
    return Interpreter(executable, tuple(packages), read)


def torch_cuda() -> str:
    """CUDA version torch was built for; empty for a build without CUDA.

    Raises :class:`ToolError` if torch is missing.
    """
    text = (_torch() / "version.py").read_text()
    found = re.search(r"^cuda\b.*?=\s*['\"]([\d.]+)", text, re.MULTILINE)
    return found[1] if found else ""


def _torch() -> Path:
    """Folder of the torch package, found without importing it."""
    found = find_spec("torch")
    if found is None or found.origin is None:
        raise ToolError("PyTorch is not installed; pip install 'maxcode[kernels]'")
    return Path(found.origin).resolve().parent


@dataclass(frozen=True, slots=True)
class Gpu:
    """An NVIDIA GPU: its device file and the driver's files.

    ``uuid`` is empty if unknown. ``part`` is the name of the MIG instance to use, if known.
    """

    device: Path
    driver: tuple[Path, ...]
    uuid: str = ""
    part: str = ""

    @property
    def files(self) -> tuple[Path, ...]:
        """Files a sandbox has to bind for CUDA to work."""
        return (self.device, *self.driver)


def this_gpu(devices: Path = _DEVICES, known: Path = _KNOWN) -> Gpu | None:
    """The first GPU of ``CUDA_VISIBLE_DEVICES``, else the first of all; None without a GPU.

    A number is an index into the usable GPUs in order of their buses, as listed by the driver in
    ``known``. UUIDs may be abbreviated; a MIG UUID suffices if only one GPU is usable. Raises
    :class:`~maxcode.errors.ToolError` for any other name.
    """
    found = {int(one.name[6:]): one for one in devices.glob("nvidia*") if one.name[6:].isdecimal()}
    usable = {minor: path for minor, path in sorted(found.items()) if _opens(path)}
    listed = {minor: uuid for minor, uuid in _listed(known) if minor in usable}
    chosen, wanted = [*listed] or [*usable], os.environ.get("CUDA_VISIBLE_DEVICES")
    first, part = (wanted or "").split(",")[0].strip(), ""
    if first.isdecimal():
        chosen = chosen[int(first) : int(first) + 1]
    elif wanted is not None and first in ("", "-1"):
        chosen = []
    elif first.startswith("MIG-") and len(chosen) == 1:
        part = first
    elif first and chosen:
        chosen = [minor for minor, uuid in listed.items() if uuid.startswith(first)]
        if len(chosen) != 1:
            raise ToolError(
                f"CUDA_VISIBLE_DEVICES names {first!r}, which is none of this machine's GPUs "
                "as a whole; name one by its number or UUID, as nvidia-smi -L lists them, or "
                "nothing to judge on the CPU"
            )
    driver = tuple(devices / name for name in _DRIVER if (devices / name).exists())
    if not chosen or devices / _DRIVER[0] not in driver:
        return None
    files = (*driver, *sorted(devices.glob(_PARTS)))
    return Gpu(usable[chosen[0]], files, listed.get(chosen[0], ""), part)


def _opens(path: Path) -> bool:
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CLOEXEC))
    except OSError:
        return False
    return True


def _listed(known: Path) -> list[tuple[int, str]]:
    """Number and UUID of the GPUs listed by the driver, in the order of their buses."""
    found = []
    for path in sorted(known.glob("*/information")):
        with suppress(OSError):
            lines = path.read_text("utf-8", "replace").splitlines()
            pairs = (line.partition(":") for line in lines)
            facts = {name.strip(): value.strip() for name, _, value in pairs}
            if facts.get("Device Minor", "").isdecimal():
                found.append((int(facts["Device Minor"]), facts.get("GPU UUID", "")))
    return found


def installed_languages() -> tuple[str, ...]:
    """Installed languages for kernels besides C++, with their versions."""
    here = (about for module, about in _LANGUAGES.items() if find_spec(module))
    found = ((name, _version(packages)) for name, *packages in here)
    return tuple(f"{name} {number}" for name, number in found if number)


def _version(packages: Sequence[str]) -> str:
    for package in packages:
        with suppress(PackageNotFoundError):
            return version(package)
    return ""


@dataclass(frozen=True, slots=True)
class Machine:
    """Where kernels are timed.

    ``gpu`` are the GPU's properties by torch's names, empty on the CPU, on ``processors``.
    ``languages`` are the kernel languages for the GPU besides C++.
    """

    processors: tuple[int, ...]
    gpu: Mapping[str, int | str]
    torch: TorchFacts
    languages: tuple[str, ...] = ()

    def describe(self) -> str:
        """Description with a fact per line, the device first; equal in every run.

        Measured figures are in profiles. For a CPU see
        :func:`~maxcode.measure.machine.machine_facts`.
        """
        if self.gpu:
            device, cuda, facts = "cuda", f", CUDA {self.torch.cuda}", [*_gpu_facts(self.gpu)]
            if self.torch.archs:
                facts.append(f"nvcc compiles for: {', '.join(self.torch.archs)}")
            facts.append(f"kernel languages: {', '.join(('CUDA C++', *self.languages))}")
        else:
            device, cuda = "cpu", ""
            facts = machine_facts(self.processors).splitlines()
        torch = f"torch: {self.torch.version}{cuda}, extensions in {self.torch.standard}"
        return "\n".join(map(ascii_line, [f"device: {device}", *facts, torch]))


def _gpu_facts(properties: Mapping[str, int | str]) -> Iterator[str]:
    gpu = {name: value for name, value in properties.items() if isinstance(value, int)}
    capability = f"{gpu.get('major', 0)}.{gpu.get('minor', 0)}"
    yield f"GPU: {properties.get('name', 'unknown')}, compute capability {capability}"
    each = [
        (gpu.get("max_threads_per_multi_processor"), "threads"),
        (gpu.get("regs_per_multiprocessor"), "registers"),
        (_kib(gpu, "shared_memory_per_multiprocessor"), "KiB of shared memory"),
    ]
    parts = ", ".join(f"{number:,} {words}" for number, words in each if number)
    whole = f"multiprocessors: {gpu.get('multi_processor_count', 0)}"
    yield f"{whole}, each with {parts}" if parts else whole
    if largest := _kib(gpu, "shared_memory_per_block_optin"):
        usual = _kib(gpu, "shared_memory_per_block")
        yield f"shared memory of a block: {usual} KiB, on request up to {largest} KiB"
    cache = gpu.get("L2_cache_size")
    level = f", L2 cache {cache / (1 << 20):.3g} MiB" if cache else ""
    yield f"memory: {gpu.get('total_memory', 0) / (1 << 30):.4g} GiB{level}"


def _kib(gpu: Mapping[str, int], name: str) -> int:
    return gpu.get(name, 0) >> 10

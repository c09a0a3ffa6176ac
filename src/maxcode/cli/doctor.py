"""The command `doctor`: abilities of this machine, and remedies."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from rich.text import Text

from maxcode.cli.commands import Doctor
from maxcode.cli.console import plain_table, print_document, results
from maxcode.cli.init import check_project
from maxcode.cli.settings import confirm_settings, read_settings, settings_file, told
from maxcode.cli.workers import print_lanes
from maxcode.errors import ExecutorError, InputError, ToolError
from maxcode.executors.kernel.machine import this_gpu, torch_cuda
from maxcode.journal.store import default_store
from maxcode.measure.valgrind import check_valgrind
from maxcode.program import Program
from maxcode.sandbox.bubblewrap import BubblewrapSandbox
from maxcode.sandbox.process import ProcessSandbox
from maxcode.system import ScratchFolder, installation
from maxcode.tasks.languages import LANGUAGES
from maxcode.toolchain.gxx import Gxx
from maxcode.toolchain.toolchains import Toolchains

_PROBE = "#include <iostream>\nint main() { std::cout << 42; }\n"
_KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY")


@dataclass(frozen=True)
class _Finding:
    """A line of the table. ``needed`` for the main job: making C++ programs faster."""

    name: str
    detail: str
    ok: bool = True
    needed: bool = False

    @property
    def mark(self) -> Text:
        """The first cell of the line."""
        missing = Text("missing", "bold red") if self.needed else Text("-", "dim")
        return Text("ok", "green") if self.ok else missing


def doctor(options: Doctor) -> int:
    """Look around and print the findings; gives the exit code."""
    if options.task is not None:
        return check_project(Path(options.task))
    if options.workers is not None:
        print_lanes(options.workers, json=options.json)
        return 0
    if options.trust:
        confirm_settings()
    findings = list(_look())
    if options.json:
        print_document({"findings": [asdict(finding) for finding in findings]})
    rows = [(one.mark, one.name, one.detail) for one in findings]
    broken = [finding.name for finding in findings if finding.needed and not finding.ok]
    end = "ready: maxcode optimize TASK"
    if broken:
        end = f"C++ programs cannot be optimised here yet: see {', '.join(broken)}"
    table = plain_table(("", "", ""), rows, show_header=False)
    results(options.json).print(table, f"\n{end}", sep="")
    return 1 if broken else 0


def _look() -> Iterator[_Finding]:
    yield _found("g++", lambda: _tool("g++"), needed=True)
    yield _found("building", _built, needed=True)
    yield _found("languages", _languages)
    yield _found("store", _store)
    if path := settings_file():
        yield _found("settings", lambda: f"{path}: {told(read_settings(path)) or 'none'}")
    yield _Finding("cores", str(os.cpu_count() or "unknown"))
    yield _found("bwrap", lambda: _tool("bwrap", "programs that a model writes need isolation"))
    yield _found("isolation", _isolation)
    yield _found("valgrind", _valgrind)
    yield _found("torch", _torch)
    yield _found("GPU", _gpu)
    yield _found("nvcc", lambda: _tool("nvcc", "only for CUDA kernels"))
    for key in _KEYS:
        present = bool(os.environ.get(key))
        yield _Finding(key, "set" if present else "not set; nothing here needs it", ok=present)


def _found(name: str, look: Callable[[], str], *, needed: bool = False) -> _Finding:
    """The text of a check, or its error."""
    try:
        return _Finding(name, look(), needed=needed)
    except (ToolError, ExecutorError, InputError) as error:
        return _Finding(name, str(error), ok=False, needed=needed)


def _tool(name: str, use: str = "") -> str:
    """The line of its version, or else its path. Raises :class:`ToolError` with the remedy."""
    path = shutil.which(name)
    if path is None:
        raise ToolError("; ".join(filter(None, (f"not installed: {installation(name)}", use))))
    lines = map(str.strip, _output([path, "--version"]))
    return next((line for line in lines if re.search(r"\d\.\d", line)), path)


def _built() -> str:
    """Whether a program can really be built here: g++ alone is not its libraries."""
    with ScratchFolder("maxcode-probe-") as folder:
        built = Gxx(ProcessSandbox(), folder).build(Program.of(_PROBE), ("-O0",), 60)
    if built.executable is None:
        raise ToolError(built.errors)
    return "a small C++ program builds"


def _languages() -> str:
    """Languages of programs whose compiler or runtime is here, and what installs the others."""
    there, missing = [], []
    with ScratchFolder("maxcode-probe-") as folder:
        toolchains = Toolchains(ProcessSandbox(), folder)
        for name, language in LANGUAGES.items():
            try:
                if language.programs:
                    toolchains.of(name)
                    there.append(language.title)
            except ToolError as error:
                missing.append(f"not {language.title} ({error})")
    return "; ".join([", ".join(there) or "none", *missing])


def _store() -> str:
    path = default_store()
    nearest = next(p for p in (path, *path.parents) if p.exists())
    if not os.access(nearest, os.W_OK):
        raise ToolError(f"{path}; {nearest} may not be written: use --store FILE")
    return str(path)


def _isolation() -> str:
    BubblewrapSandbox()
    return "programs run isolated"


def _valgrind() -> str:
    found = _tool("valgrind", "for profiles and --meter instructions")
    check_valgrind()
    return found


def _torch() -> str:
    """The version of torch, without importing it, which takes a second."""
    try:
        found = version("torch")
    except PackageNotFoundError as error:
        raise ToolError("pip install 'maxcode[kernels]'; only for kernels") from error
    cuda = torch_cuda()
    return f"{found}, {f'with CUDA {cuda}' if cuda else 'without CUDA: kernels run on the CPU'}"


def _gpu() -> str:
    """The GPU that judges kernels: its name, memory, driver and persistence mode."""
    gpu = this_gpu()
    if gpu is None:
        raise ToolError("none: kernels are judged on the CPU")
    which = ["-i", gpu.uuid] if gpu.uuid else []
    query = "--query-gpu=name,memory.total,driver_version,persistence_mode"
    found = _output(["nvidia-smi", *which, "--format=csv,noheader", query])
    if not found:
        raise ToolError("nvidia-smi does not answer")
    return found[0]


def _output(command: list[str]) -> list[str]:
    """Lines of a program's output; none where it fails."""
    try:
        done = subprocess.run(command, capture_output=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return done.stdout.decode("utf-8", "replace").splitlines() if done.returncode == 0 else []

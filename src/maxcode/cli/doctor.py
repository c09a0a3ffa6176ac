"""The command `doctor`: abilities of this machine, and remedies."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from rich.text import Text

from maxcode.cli.commands import Doctor
from maxcode.cli.console import plain_table, print_document, standard_error, standard_output
from maxcode.cli.projects import check_project
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


@dataclass(frozen=True)
class _Finding:
    """A line of the table. ``needed`` for the main job: making C++ programs faster."""

    name: str
    detail: str
    ok: bool = True
    needed: bool = False


_SETTINGS = (
    *("name", "memory.total", "driver_version", "persistence_mode", "mig.mode.current"),
    *("clocks.sm", "clocks.max.sm"),
)


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
    else:
        _show(findings)
    broken = [finding.name for finding in findings if finding.needed and not finding.ok]
    end = "ready: maxcode optimize TASK"
    if broken:
        end = f"C++ programs cannot be optimised here yet: see {', '.join(broken)}"
    (standard_error() if options.json else standard_output()).print(f"\n{end}")
    return 1 if broken else 0


def _show(findings: list[_Finding]) -> None:
    table = plain_table("", "", "")
    table.show_header = False
    for column in table.columns[:2]:
        column.no_wrap = True
    marks = {True: Text("missing", style="bold red"), False: Text("-", style="dim")}
    for one in findings:
        mark = Text("ok", style="green") if one.ok else marks[one.needed]
        table.add_row(mark, one.name, one.detail)
    standard_output().print(table)


def _look() -> Iterator[_Finding]:
    yield _tool("g++", installation("g++"), needed=True)
    yield _build()
    yield _languages()
    yield _store()
    yield from _settings()
    yield _Finding("cores", str(os.cpu_count() or "unknown"))
    yield _tool("bwrap", f"{installation('bwrap')}; programs that a model writes need isolation")
    yield _isolation()
    yield _valgrind()
    yield _torch()
    yield from _gpu()
    yield _tool("nvcc", "comes with the CUDA toolkit; only for CUDA kernels")
    for key in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        present = bool(os.environ.get(key))
        yield _Finding(key, "set" if present else "not set; nothing here needs it", ok=present)


def _tool(name: str, remedy: str, *, needed: bool = False) -> _Finding:
    path = shutil.which(name)
    if path is None:
        return _Finding(name, f"not installed: {remedy}", ok=False, needed=needed)
    versions = (line.strip() for line in _output([path, "--version"]) if re.search(r"\d\.\d", line))
    return _Finding(name, next(versions, path), needed=needed)


def _valgrind() -> _Finding:
    found = _tool("valgrind", f"{installation('valgrind')}; for profiles and --meter instructions")
    if found.ok:
        try:
            check_valgrind()
        except ToolError as error:
            return _Finding(found.name, str(error), ok=False)
    return found


def _torch() -> _Finding:
    """The version of torch, without importing it, which takes a second."""
    name = "torch"
    try:
        found = version(name)
    except PackageNotFoundError:
        detail = "not installed: pip install 'maxcode[kernels]'; only for kernels"
        return _Finding(name, detail, ok=False)
    cuda = torch_cuda()
    built = f"with CUDA {cuda}" if cuda else "without CUDA: kernels run on the CPU"
    return _Finding(name, f"{found}, {built}")


def _gpu() -> Iterator[_Finding]:
    """The GPU for kernels, with its settings and other work as nvidia-smi reads them."""
    try:
        gpu = this_gpu()
    except (ToolError, ExecutorError) as error:
        yield _Finding("GPU", str(error), ok=False)
        return
    if gpu is None:
        yield _Finding("GPU", "none: kernels are judged on the CPU", ok=False)
        return
    which = ("-i", gpu.uuid) if gpu.uuid else ()
    query = ("nvidia-smi", *which, "--format=csv,noheader")
    lines = _output([*query, f"--query-gpu={','.join(_SETTINGS)}"])
    values = [value.strip() for value in (lines or [""])[0].split(",")]
    if len(values) != len(_SETTINGS):
        yield _Finding("GPU", "nvidia-smi does not answer", ok=False)
        return
    name, memory, driver, persistence, parts, clock, fastest = values
    yield _Finding("GPU", f"{name}, {memory}, driver {driver}, persistence {persistence.lower()}")
    if parts.lower() == "enabled":
        yield _Finding("MIG", "a part is judged, beside whoever has the others", ok=False)
    yield _Finding(
        "clocks",
        f"{clock} of at most {fastest} now; unlocked ones make intervals wider, root may lock "
        "them: nvidia-smi --lock-gpu-clocks=MHz",
    )
    others = _output([*query, "--query-compute-apps=pid,process_name,used_memory"])
    if found := "; ".join(line.strip() for line in others if line.strip()):
        said = f"{found} (process, name, memory): it makes verdicts slow or suspect, end it"
        yield _Finding("other work", said, ok=False)


def _output(command: list[str]) -> list[str]:
    """Lines of a program's output; none where it fails."""
    try:
        done = subprocess.run(command, capture_output=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return done.stdout.decode("utf-8", "replace").splitlines() if done.returncode == 0 else []


def _build() -> _Finding:
    """Whether a program can really be built here: g++ alone is not its libraries."""
    name = "building"
    try:
        with ScratchFolder("maxcode-probe-") as folder:
            built = Gxx(ProcessSandbox(), folder).build(Program.of(_PROBE), ("-O0",), 60)
    except ToolError as error:
        return _Finding(name, str(error), ok=False, needed=True)
    if built.executable is None:
        return _Finding(name, built.errors, ok=False, needed=True)
    return _Finding(name, "a small C++ program builds", needed=True)


def _languages() -> _Finding:
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
                missing.append(f"{language.title} ({error})")
    without = f"; not {', '.join(missing)}" if missing else ""
    return _Finding("languages", f"{', '.join(there)}{without}", ok=bool(there))


def _settings() -> Iterator[_Finding]:
    """The settings of this folder, if there are any."""
    if path := settings_file():
        try:
            detail = told(read_settings(path))
            yield _Finding("settings", f"{path}: {detail or 'none'}")
        except InputError as error:
            yield _Finding("settings", str(error), ok=False)


def _isolation() -> _Finding:
    name = "isolation"
    try:
        BubblewrapSandbox()
    except ToolError as error:
        return _Finding(name, str(error), ok=False)
    return _Finding(name, "programs run isolated")


def _store() -> _Finding:
    path = default_store()
    nearest = next(p for p in (path, *path.parents) if p.exists())
    writable = os.access(nearest, os.W_OK)
    remedy = "" if writable else f"; {nearest} may not be written: use --store FILE"
    return _Finding("store", f"{path}{remedy}", ok=writable)

"""ExtensionBuilder: builds what ``torch.utils.cpp_extension.load_inline`` is called with."""

from __future__ import annotations

import hashlib
import json
import shlex
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock

from maxcode.sandbox.base import Completed, Sandbox
from maxcode.toolchain.build_cache import BuildCache
from maxcode.toolchain.compiler import Compiler
from maxcode.toolchain.diagnostics import complaint, exhausted
from maxcode.toolchain.extension_cuda import NO_NVCC, NOT_LINKED, Cuda
from maxcode.toolchain.extension_facts import TorchFacts
from maxcode.toolchain.extension_headers import ExtensionHeaders, compiling_flags
from maxcode.toolchain.extension_resources import KernelResources, resources
from maxcode.toolchain.extension_sources import InlineSources
from maxcode.toolchain.headers import Compiling

_MADE = '"$TMPDIR/made"'
_FORMAT = "1"  # of what the cache keeps of a build
# Both compilers at once, as the two ends of a pipe that carries nothing: a shell waits for those.
# What each says stays together. c++filt makes names of kernels readable.
_SCRIPT = """
export TMPDIR="$PWD" MALLOC_TOP_PAD_=67108864 MALLOC_MMAP_THRESHOLD_=33554432
export GLIBC_TUNABLES=glibc.malloc.hugetlb=1
cd "$1" || exit
{{ {cuda} >"$TMPDIR/cuda" 2>&1 || touch "$TMPDIR/failed"; }} | {cpp} >&2 </dev/null
cpp=$?
c++filt <"$TMPDIR/cuda" >&2 || cat "$TMPDIR/cuda" >&2
[ $cpp = 0 ] && [ ! -e "$TMPDIR/failed" ] && {link} >&2 && exec cat "$TMPDIR/made"
"""


@dataclass(frozen=True, slots=True)
class BuiltExtension:
    """The outcome of a build: the path of the shared library, or why there is none.

    ``compiled_only`` says that all was compiled, but torch on this machine has no CUDA to link
    with. ``resources`` has what CUDA kernels need of a device.
    """

    library: Path | None
    errors: str = ""
    timed_out: bool = False
    compiled_only: bool = False
    resources: tuple[KernelResources, ...] = ()


class ExtensionBuilder:
    """Builds extensions for one torch in a sandbox, each once.

    The result behaves as that of torch's own way, with the same flags: not optimized unless the
    candidate asks for that. It comes sooner because of compiled headers and ``cache``, which is
    asked first and remembers what was built here, other than in a sandbox that is not isolated.
    ``folder`` is where libraries are kept; it belongs to the caller and is not to be one that
    others can write. Safe to use from several threads.

    Raises :class:`~maxcode.errors.ToolError` when there is no g++.
    """

    def __init__(
        self, sandbox: Sandbox, folder: Path, cache: BuildCache | None, facts: TorchFacts
    ) -> None:
        self._compiler = Compiler(sandbox)
        self._headers = ExtensionHeaders(self._compiler, folder / "headers", cache, facts)
        self._cache = cache if sandbox.isolated else None
        self._folder = folder
        self._facts = facts
        self._cuda = Cuda.find(facts)
        self._built: dict[str, BuiltExtension] = {}
        self._locks: dict[str, Lock] = {}
        self._lock = Lock()

    def expect(self, extra_cflags: Sequence[str] = ()) -> None:
        """Say that many extensions with these flags will be built: worth a header at once."""
        self._headers.expect(extra_cflags)

    def build(
        self, sources: InlineSources, timeout: float, processors: tuple[int, ...] = ()
    ) -> BuiltExtension:
        """Compile and link, on ``processors`` (empty: any), in at most ``timeout`` seconds.

        What fails with the slim header has as much time again with the whole one. Whoever asks for
        what is being built waits for that build; one that did not end in time is tried again.
        """
        if sources.with_cuda and self._cuda is None:
            return BuiltExtension(None, NO_NVCC)
        key = self._key(sources)
        with self._lock:
            lock = self._locks.setdefault(key, Lock())
        with lock:
            built = self._built.get(key)
            if built is None or built.timed_out:
                folder = self._folder / key[:24]
                folder.mkdir(parents=True, exist_ok=True)
                folder.chmod(0o755)
                built = self._recall(key, folder / f"{sources.name}.so")
                if built is None:
                    built = self._make(sources, key, folder, Compiling(timeout, processors))
                self._built[key] = built
            return built

    def _key(self, sources: InlineSources) -> str:
        cuda = self._cuda.identity if sources.with_cuda and self._cuda else ""
        flags = (*sources.extra_cflags, *sources.extra_cuda_cflags)
        about = (_FORMAT, self._compiler.identity(flags), self._facts.identity(), cuda)
        return hashlib.sha256(repr((*about, sources)).encode()).hexdigest()

    def _make(
        self, sources: InlineSources, key: str, folder: Path, how: Compiling
    ) -> BuiltExtension:
        source = folder / "src"
        _write(sources, source)
        try:
            completed = self._compile(sources, source, how)
        finally:
            shutil.rmtree(source)
        if completed.timed_out:
            said = f"the build did not end within {how.timeout:g} s"
            return BuiltExtension(None, said, timed_out=True)
        if said := exhausted(completed):
            return BuiltExtension(None, said)
        if not completed.ok:
            built = BuiltExtension(None, complaint(completed, sources.parts()))
            if b"signal terminated" not in completed.stderr:  # which may not happen again
                self._remember(key, built, b"")
            return built
        found = resources(completed.stderr.decode("utf-8", "replace"))
        if not self._links(sources):
            built = BuiltExtension(None, NOT_LINKED, compiled_only=True, resources=found)
        else:
            library = folder / f"{sources.name}.so"
            library.write_bytes(completed.stdout)
            library.chmod(0o644)
            built = BuiltExtension(library, resources=found)
        self._remember(key, built, completed.stdout)
        return built

    def _compile(self, sources: InlineSources, source: Path, how: Compiling) -> Completed:
        """With the slim header, and if that does not do, with the whole one."""
        slim = self._headers.find("slim", sources.extra_cflags, how)
        completed = self._run(sources, source, how, slim)
        if completed.ok or completed.timed_out or exhausted(completed):
            return completed
        whole = self._headers.find("whole", sources.extra_cflags, how)
        return self._run(sources, source, how, whole)

    def _run(
        self, sources: InlineSources, source: Path, how: Compiling, first: Path | None
    ) -> Completed:
        objects = '"$TMPDIR/main.o"' + (' "$TMPDIR/cuda.o"' if sources.cuda_sources else "")
        compiler = str(self._compiler.path)
        cpp = shlex.join([compiler, *self._compiling(sources, first)]) + ' -o "$TMPDIR/main.o"'
        cuda, link = ":", f": >{_MADE}"
        if sources.cuda_sources and self._cuda:
            command = shlex.join(self._cuda.compiling(sources, self._facts))
            cuda = f'{command} -o "$TMPDIR/cuda.o"'
        if self._links(sources):
            link = f"{compiler} {objects} {shlex.join(self._linking(sources))} -o {_MADE}"
        script = _SCRIPT.format(cpp=cpp, cuda=cuda, link=link)
        read = [source, *self._facts.includes, *self._facts.library_folders]
        read += [first] if first else []
        read += [self._cuda.home] if sources.with_cuda and self._cuda else []
        return self._compiler.execute(
            ["/bin/sh", "-c", script, "sh", str(source)],
            read,
            timeout=how.timeout,
            processors=how.processors,
        )

    def _compiling(self, sources: InlineSources, first: Path | None) -> Iterator[str]:
        yield from ("-pipe", f"-DTORCH_EXTENSION_NAME={sources.name}")
        yield from (f"-I{path}" for path in sources.extra_include_paths)
        if first:
            yield f"-I{first}"
        if sources.with_cuda and self._cuda:
            yield from ("-isystem", str(self._cuda.include))
        yield from compiling_flags(self._facts)
        yield from (*sources.extra_cflags, "-c", "./main.cpp")

    def _linking(self, sources: InlineSources) -> Iterator[str]:
        cuda = sources.with_cuda
        yield from ("-shared", *sources.extra_ldflags)
        yield from (f"-L{folder}" for folder in self._facts.library_folders)
        yield from (f"-l{library}" for library in self._facts.libraries)
        if cuda and self._cuda:
            yield from ("-lc10_cuda", "-ltorch_cuda", *self._cuda.linking())

    def _links(self, sources: InlineSources) -> bool:
        return not sources.with_cuda or bool(self._facts.cuda)

    def _recall(self, key: str, library: Path) -> BuiltExtension | None:
        """What the cache holds of a build."""
        record = library.with_suffix(".json")
        if self._cache is None or not self._cache.fetch(f"{key}.extension.json", record):
            return None
        told = json.loads(record.read_text())
        record.unlink()
        if told["linked"]:
            if not self._cache.fetch(f"{key}.extension", library):
                return None
            library.chmod(0o644)
        return BuiltExtension(
            library if told["linked"] else None,
            told["errors"],
            compiled_only=told["compiled_only"],
            resources=tuple(KernelResources(**one) for one in told["resources"]),
        )

    def _remember(self, key: str, built: BuiltExtension, content: bytes) -> None:
        if self._cache is None:
            return
        told = {
            "linked": built.library is not None,
            "errors": built.errors,
            "compiled_only": built.compiled_only,
            "resources": [asdict(one) for one in built.resources],
        }
        if built.library:
            self._cache.keep(f"{key}.extension", content)
        self._cache.keep(f"{key}.extension.json", json.dumps(told).encode())


def _write(sources: InlineSources, folder: Path) -> None:
    """Write the sources where compilers may read them as another user, too."""
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)
    files = {**sources.parts().files, "main.cpp": sources.cpp_unit()}
    if sources.cuda_sources:
        files["cuda.cu"] = sources.cuda_unit()
    for name, text in files.items():
        path = folder / name
        path.write_bytes(text.encode())
        path.chmod(0o644)

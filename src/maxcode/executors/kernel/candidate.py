"""What CUDA kernels take of a device, in words."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict
from itertools import count, islice
from typing import Any

from maxcode.errors import ExecutorError, InputError
from maxcode.evaluation import KernelUse, Status
from maxcode.executors.kernel.exchange import SharedFile
from maxcode.executors.kernel.reference import Inputs, KernelFailedError, Outputs, Place, Spot, Told
from maxcode.executors.kernel.workers import (
    Worker,
    WorkerBabbleError,
    WorkerError,
    WorkerSilentError,
)
from maxcode.program import Program
from maxcode.tasks.kernel import KernelTask
from maxcode.toolchain.extension import ExtensionBuilder
from maxcode.toolchain.extension_cuda import KernelResources
from maxcode.toolchain.extension_sources import InlineSources

_MAX_KERNELS = 8  # kernels that are told of
_NAME = 100  # characters


def uses(resources: Sequence[KernelResources]) -> list[KernelUse]:
    """What the compiler says of kernels, each for the last architecture that it was told."""
    last = {one.kernel: one for one in resources}
    return [
        KernelUse(plain(one.kernel), one.registers, one.shared, one.spill_stores + one.spill_loads)
        for one in islice(last.values(), _MAX_KERNELS)
    ]


def kernel_text(use: KernelUse) -> str:
    """What a kernel takes of the device, in words."""
    said = f"{use.name}: {use.registers} registers a thread, {use.shared:,} B of shared memory"
    if use.spilled:
        said += f", {use.spilled:,} B of registers spilled to memory"
    if use.grid and use.block:
        grid, block = ("x".join(map(str, one)) for one in (use.grid, use.block))
        said += f", started with {grid} blocks of {block} threads"
    return said


def plain(text: Any) -> str:
    """A name of one line of ASCII; "?" for what is no text."""
    text = text[: 4 * _NAME] if isinstance(text, str) else "?"
    shown = "".join(c if c.isascii() and c.isprintable() else "?" for c in text)
    return shown if len(shown) <= _NAME else f"{shown[: _NAME - 3]}..."


_MAX_EXTENSIONS = 16  # extensions of one candidate


class Extensions:
    """Builds for one candidate, and remembers what went wrong.

    ``timeout`` in seconds, for each build, and twice as much for all; ``processors`` are those to
    build on (empty: any).
    """

    def __init__(
        self,
        builder: ExtensionBuilder,
        worker: Worker,
        timeout: float,
        processors: tuple[int, ...] = (),
    ) -> None:
        self._builder = builder
        self._worker = worker
        self._timeout = timeout
        self._processors = processors
        self._left = 2 * timeout
        self._numbers = count()
        self.errors = ""
        """What the first build that failed complained of, since :meth:`begin`."""
        self.timed_out = False
        self.compiled_only = False
        """Whether that extension was compiled, but cannot run here."""
        self.resources: list[KernelResources] = []
        """What the kernels of all that was compiled need of a device."""

    def begin(self) -> None:
        """Forget what went wrong."""
        self.errors, self.timed_out, self.compiled_only = "", False, False

    def build(self, arguments: Any) -> dict[str, Any]:
        """The answer to a candidate's call: where its library lies, or what is wrong."""
        try:
            sources = InlineSources.parse(arguments if isinstance(arguments, dict) else {})
        except InputError as error:
            return self._failed(str(error))
        number = next(self._numbers)
        if number >= _MAX_EXTENSIONS or self._left <= 0:
            return self._failed(
                f"its extensions need more than may be built for one candidate: "
                f"{_MAX_EXTENSIONS} of them, within {2 * self._timeout:g} s"
            )
        built = self._builder.build(sources, min(self._timeout, self._left), self._processors)
        self._left -= built.seconds
        self.resources += built.resources
        if built.library is None:
            if not self.errors:
                self.timed_out, self.compiled_only = built.timed_out, built.compiled_only
            needs = "; ".join(kernel_text(use) for use in uses(built.resources))
            return self._failed(built.errors + (f"; {needs}" if needs else ""))
        place = self._worker.folder / f"{number}" / built.library.name
        place.parent.mkdir()
        place.parent.chmod(0o755)
        shutil.copyfile(built.library, place)
        place.chmod(0o755)
        return {"library": str(place)}

    def _failed(self, errors: str) -> dict[str, Any]:
        self.errors = self.errors or errors
        return {"errors": errors[:20_000]}


_MAX_SECONDS = 1e6  # seconds that anybody may claim
_BUILDING = ("load", "construct", "run")
_TOO_LATE = (
    "it asks for an extension to be built while it is timed; call load_inline when the module is "
    "loaded or constructed"
)
_SAID = 4000  # characters of what a candidate says of itself
_STAGES = {"load": "", "construct": "ModelNew(...): ", "take": ""}
_STAGES |= {"run": "forward: ", "timed": "forward, while it was timed: "}
_NO_TRITON = ("No module named 'triton", "0 active drivers")
_TRITON = (
    "Triton kernels need a GPU, and there is none that can be used here: write C++ through "
    "load_inline (cpp_sources), or plain PyTorch"
)
_MEMORY = ("out of memory", "can't allocate memory", "std::bad_alloc")


class CandidateSide:
    """A candidate in its worker. Nothing that it says is believed without need.

    Raises :class:`KernelFailedError` for what it does wrong, and what :meth:`Worker.ask` raises.
    """

    def __init__(
        self,
        worker: Worker,
        shared: SharedFile,
        task: KernelTask,
        place: Place,
        extensions: Extensions,
    ) -> None:
        self.worker = worker
        self._shared = shared
        self._task = task
        self._place = place
        self._extensions = extensions
        self.may_build = True
        """Whether extensions are built for it, as they are not while it is timed."""
        self.resources: Sequence[KernelResources] = ()
        """What its CUDA kernels need of a device, as the compiler says."""

    def load(self, program: Program, timeout: float) -> None:
        """Run its module."""
        told = self._ask("load", timeout, files=dict(program.files), entry=program.entry)
        if told.get("missing"):
            raise KernelFailedError(
                Status.BUILD_ERROR, f"{program.entry} defines no class ModelNew"
            )

    def construct(self, loaded: Told) -> None:
        """Make the module of a variant, as the reference's ``load`` told."""
        parts = {key: loaded[key] for key in ("init", "given", "names", "weights")}
        self._ask(
            "construct",
            self._task.judging.timeout,
            loaded["bytes"],
            **asdict(self._place),
            **parts,
        )

    def pin(self, processors: tuple[int, ...]) -> None:
        """Move it to these processors."""
        try:
            self.worker.pin(processors)
        except ExecutorError as error:
            raise KernelFailedError(Status.SUSPECT, str(error)) from error

    def take(self, inputs: Inputs) -> None:
        """Have it load inputs.

        They come through a pipe, so that nobody has them sooner or for less than reading costs.
        """
        self._ask("take", self._task.judging.timeout, inputs.held, inputs=list(inputs.told))

    def run(
        self, seed: int, outputs: Outputs, calls: int, *, watch: bool, timeout: float | None = None
    ) -> list[float]:
        """Call for each of the inputs; the seconds that it claims for each.

        Its outputs are in its file then, if it did what it should. ``watch`` has it look whether
        it changed its inputs. ``timeout`` in seconds, for all; unless given, the task's for each.
        """
        file = self.worker.outputs
        if file is None:
            raise ValueError("a candidate's worker needs a file for outputs")
        file.resize(calls * outputs.slot)
        timeout = timeout or calls * self._task.judging.timeout
        told = self._ask("run", timeout, seed=seed, slot=outputs.slot, watch=watch)
        if told.get("changed"):
            raise KernelFailedError(Status.WRONG_ANSWER, "it changes its inputs")
        seconds, returned = told.get("seconds"), told.get("returned")
        if not _are_numbers(seconds, calls) or not isinstance(returned, list):
            raise KernelFailedError(Status.SUSPECT, "its process says what ours would not")
        for one in returned:
            _check_structure(one, outputs)
        return [float(one) for one in seconds or ()]

    def timed(self, rounds: Sequence[int], timeout: float) -> list[float]:
        """Milliseconds that it claims for calls on the inputs it was given; nobody checks them.

        ``rounds`` as in ``worker/compat.py``; ``timeout`` in seconds, for all.
        """
        told = self._ask("timed", timeout, rounds=list(rounds))
        claimed = told.get("milliseconds")
        if not _are_numbers(claimed, rounds[-1]):
            raise KernelFailedError(Status.SUSPECT, "its process says what ours would not")
        return [float(one) for one in claimed or ()]

    def profile(self, seed: int, calls: int) -> Told:
        """What it tells of calls on the inputs it was given, each twice; it is not checked."""
        return self._ask("profile", 60 + 2 * calls * self._task.judging.timeout, seed=seed)

    def settings(self) -> Told:
        """Settings of torch that precision depends on, as it tells them; they are not checked."""
        settings = self._ask("settings", self._task.judging.timeout).get("settings")
        return settings if isinstance(settings, dict) else {}

    def written(self, outputs: Outputs, call: int) -> bytes:
        """The bytes of a call's outputs. Whatever it says of them, they are in its file or not."""
        return self._read(outputs.slot, call * outputs.slot)

    def element(self, outputs: Outputs, spot: Spot) -> bytes:
        """The bytes of a single element."""
        begin, width = outputs.place(spot)
        return self._read(width, spot.call * outputs.slot + begin)

    def _read(self, size: int, offset: int) -> bytes:
        file = self.worker.outputs
        content = file.read(size, offset) if file else b""
        if len(content) < size:
            raise KernelFailedError(Status.SUSPECT, "it cut the file that its outputs go to")
        return content

    def _ask(self, what: str, timeout: float, size: int = 0, **more: Any) -> Told:
        """``size`` bytes of what the reference wrote go with the request."""
        self._extensions.begin()
        file = self.worker.outputs
        request = {"do": what, "outputs": str(file.path) if file else "", **more}
        try:
            told = self.worker.ask(request, timeout, self._shared, size)
            while "build" in told:
                if what not in _BUILDING or not self.may_build:
                    raise KernelFailedError(Status.RUNTIME_ERROR, _TOO_LATE)
                told = self.worker.ask(self._extensions.build(told["build"]), timeout)
        except WorkerError as error:
            raise _own_failure(error) from error
        raised = told.get("raised") or told.get("error")
        if raised is not None:
            raise _explained(_failure(what, raised), self._extensions)
        return told


def _failure(what: str, raised: Any) -> KernelFailedError:
    """An exception in a candidate, as it describes it."""
    told = raised if isinstance(raised, dict) else {}
    kind, message = str(told.get("kind", "Exception"))[:200], str(told.get("message", ""))[:_SAID]
    place = str(told.get("place", ""))[:200]
    said = f"{_STAGES.get(what, '')}{kind}: {message}" + (f" ({place})" if place else "")
    if any(one in message for one in _NO_TRITON):
        said += f"; {_TRITON}"
    if kind in ("MemoryError", "OutOfMemoryError") or any(one in message for one in _MEMORY):
        return KernelFailedError(Status.OUT_OF_MEMORY, said, kind)
    early = what == "load" and kind in ("SyntaxError", "IndentationError", "TabError")
    return KernelFailedError(Status.BUILD_ERROR if early else Status.RUNTIME_ERROR, said, kind)


def _explained(failed: KernelFailedError, extensions: Extensions) -> KernelFailedError:
    """A failure; one that came of a build, in the words of the compiler."""
    if not extensions.errors or failed.status is Status.OUT_OF_MEMORY:
        return failed
    status = Status.BUILD_ERROR
    if extensions.timed_out:
        status = Status.TIMEOUT
    elif extensions.compiled_only:
        status = Status.RUNTIME_ERROR  # nobody's fault, and not OK either
    return KernelFailedError(status, extensions.errors, failed.kind)


def _own_failure(error: WorkerError) -> KernelFailedError:
    """What a candidate did to its process."""
    status = Status.RUNTIME_ERROR
    if error.completed.out_of_memory:
        status = Status.OUT_OF_MEMORY
    elif isinstance(error, WorkerSilentError):
        status = Status.TIMEOUT
    elif isinstance(error, WorkerBabbleError):
        status = Status.SUSPECT
    return KernelFailedError(status, str(error))


def _are_numbers(values: Any, count: int) -> bool:
    return (
        isinstance(values, list)
        and len(values) == count
        and all(isinstance(one, int | float) and 0 <= one < _MAX_SECONDS for one in values)
    )


def _shape(tree: Any) -> str:
    """A tree in which lists are as good as tuples."""
    return json.dumps(tree).replace('"list"', '"tuple"')


def _check_structure(told: Any, outputs: Outputs) -> None:
    """Raise unless a call returned tensors of the right types and shapes, in the right places."""
    told = told if isinstance(told, dict) else {}
    found = told.get("tensors")
    if _shape(told.get("tree")) != _shape(outputs.tree) or not isinstance(found, list):
        raise KernelFailedError(
            Status.WRONG_ANSWER,
            "forward returns something of another structure than the reference does, which gives "
            f"{len(outputs.tensors)} tensor(s)",
        )
    for number, (ours, theirs) in enumerate(zip(outputs.tensors, found, strict=False)):
        for fact in ("dtype", "shape"):
            got = theirs.get(fact) if isinstance(theirs, dict) else None
            if got != ours[fact]:
                which = f"output {number}" if len(outputs.tensors) > 1 else "the output"
                raise KernelFailedError(
                    Status.WRONG_ANSWER, f"{which} has {fact} {str(got)[:200]}, not {ours[fact]}"
                )

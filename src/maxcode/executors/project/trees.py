"""Trees of a project, for building, testing and timing candidates.

A tree is a folder on this machine that runs may not change. A run that writes gets a copy in a
temporary file system of bounded size; a build returns its copy as an archive. So candidates do not
see one another's files, and nothing outlasts a run.
"""

from __future__ import annotations

import filecmp
import os
import shlex
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Literal
from weakref import finalize

from maxcode.errors import TaskError
from maxcode.evaluation import Status
from maxcode.executors.base import FailedError
from maxcode.executors.project.tools import Tools
from maxcode.program import Program
from maxcode.sandbox.base import Completed, Deadline, Files, Limits, Mount, Sandbox
from maxcode.sources import to_bytes
from maxcode.tasks.project import FLAGS_FILE, TRAINED, ProjectTask
from maxcode.tasks.project_files import Snapshot, is_protected, matches
from maxcode.toolchain.archive import unpack

PLACE = Path("/tmp/project")  # noqa: S108 - where every run sees its tree, inside the sandbox
_LAYER = Path("/tmp/maxcode/layer")  # noqa: S108
_FIXED = Path("/tmp/maxcode/fixed")  # noqa: S108 - names the paths that are not copied
_COPY = (  # without folders, which may be others' already; tar makes those that are missing
    f"mkdir -p /tmp/home && (cd {_LAYER} && find . '(' ! -type d -o -empty ')' -print0) | "
    f"tar -C {_LAYER} --exclude-from={_FIXED} --anchored --no-wildcards --format=posix "
    "--null --no-recursion -T - -cf - | tar -xpf -"
)
_COUNTS = "/tmp/counts"  # noqa: S108
_TRAINED = (  # "use" is the flag that asks for it; code that did not run is not made small
    "(export MAXCODE_FLAGS={flags}' -fprofile-generate={counts} -fprofile-update=atomic'\n"
    "{build}\n) && ({bench}\n) > /dev/null && find . -mindepth 1 -delete && ({copy}) && "
    "export MAXCODE_FLAGS={flags}' -fprofile-use={counts} -fprofile-partial-training "
    "-Wno-missing-profile' && {build}"
)
_ARCHIVE = "tar --format=posix -cf"
_REPORT = "out"  # file of a run, for what it writes to {out}, or for an archive
_MAX_TREES = 6  # besides those of the baseline
_MAX_READ = 256 << 20  # bytes that are read of a report or an output
_COMPLAINT = 4000  # characters kept of what a failed build or test wrote


Stage = Literal["setup", "build", "test", "bench"]
"""Command of a task, by the name of its limit in seconds."""


class CandidateFailedError(FailedError):
    """A program did not build or pass at a stage."""

    def __init__(
        self, status: Status, feedback: str, details: str = "", stage: Stage = "bench"
    ) -> None:
        super().__init__(status, feedback, details)
        self.stage: Stage = stage


class FailingProjectError(TaskError):
    """A project as it is fails at a stage."""

    def __init__(self, message: str, stage: Stage) -> None:
        super().__init__(message)
        self.stage: Stage = stage


@dataclass(frozen=True, slots=True)
class Run:
    """How to run a command in a tree: its time limit, processors, and write access.

    A ``writable`` tree is a copy.
    """

    seconds: float
    processors: tuple[int, ...]
    writable: bool = True


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Tree:
    """A built project. ``changed`` are names of protected files its build changed or added."""

    path: Path
    program: Program
    changed: frozenset[str] = field(default=frozenset())


@dataclass(frozen=True, slots=True)
class Output:
    """Outcome of a command, its report in ``{out}``, and its named outputs."""

    completed: Completed
    report: bytes = b""
    files: tuple[bytes, ...] = ()


class ProjectTrees:
    """Trees of a task: the baseline's, set up and built at once, and others on request.

    ``folder`` is for the trees; it belongs to the caller. ``processors`` build and test. Runs end
    by ``deadline``. Safe to use from several threads. Raises :class:`CandidateFailedError`,
    TaskError.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        task: ProjectTask,
        folder: Path,
        processors: Sequence[int],
        deadline: Deadline,
    ) -> None:
        self._sandbox = sandbox
        self.task = task
        self._folder = folder
        self.processors = tuple(processors)
        self._tools = Tools.of(task, folder)
        self._snapshot = Snapshot.of(task.folder, task.patterns.exclude, task.patterns.include)
        self._protected = [one for one in self._snapshot.paths if one not in task.baseline.files]
        self.deadline = deadline
        if self._snapshot.digest != task.tree:
            raise TaskError(f"{task.folder} has changed since its task was loaded")
        self._set_up = self._new()
        self._snapshot.copy(self._set_up)
        _write(self._set_up, task.baseline, task.baseline)
        if setup := task.commands.setup:
            limits = Run(task.bounds.setup, self.processors)
            self._set_up = self._made(self._set_up, task.baseline, setup, limits, "setup")
        self.baseline = self._build(task.baseline, self._set_up)
        """The baseline's tree."""
        self.passed: dict[str, tuple[frozenset[str], float]] = {}
        """Tests that the baseline passed, and their seconds, by command."""
        self._latest = lru_cache(_MAX_TREES)(self._candidate)

    def serving(self, task: ProjectTask) -> ProjectTrees:
        """These trees for a task that differs in tests and benchmark alone."""
        other = copy(self)
        other.task, other._tools = task, Tools.of(task, self._folder)
        other._latest = lru_cache(_MAX_TREES)(other._candidate)
        return other

    def opened(self, program: Program, *, anew: bool = False) -> Tree:
        """The built tree of a program, removed when nobody refers to it.

        It is built on top of the baseline's build, which is quick, or ``anew``: with a missing
        dependency in a build file, the quick build keeps parts of the baseline's code. Raises
        :class:`CandidateFailedError`.
        """
        if program == self.baseline.program:
            return self.baseline
        return self._latest(program, anew)

    def _candidate(self, program: Program, anew: bool) -> Tree:
        """Build on the baseline's build, unless flags differ, since build tools ignore flags."""
        baseline = self.baseline
        same = program.files.get(FLAGS_FILE) == baseline.program.files.get(FLAGS_FILE)
        below = baseline.path if same and not anew else self._set_up
        source = self._new()
        try:
            shutil.copytree(below, source, symlinks=True, copy_function=_linked, dirs_exist_ok=True)
            _write(source, program, baseline.program)
            tree = self._build(program, source, baseline.path)
            finalize(tree, shutil.rmtree, tree.path, ignore_errors=True)
            return tree
        finally:
            shutil.rmtree(source, ignore_errors=True)

    def _build(self, program: Program, source: Path, known: Path | None = None) -> Tree:
        task = self.task
        run = Run(task.bounds.build, self.processors)
        command = task.commands.build or "true"
        flags = program.files.get(FLAGS_FILE, "").split()
        if TRAINED in flags:
            command = self._training(command, [flag for flag in flags if flag != TRAINED])
        made = self._made(source, program, command, run, "build")
        changed = [*self._restored(made), *(self._removed(made, program, known) if known else ())]
        return Tree(made, program, frozenset(changed))

    def _training(self, build: str, flags: Sequence[str]) -> str:
        """Command to build with counters, run the benchmark, and rebuild by GCC's profile.

        All in a single run in the sandbox, in the same place: object files are named by path.
        """
        return _TRAINED.format(
            flags=shlex.quote(" ".join(flags)),
            counts=_COUNTS,
            build=build,
            bench=" && ".join(f"({one}\n)" for one in self.task.commands.bench),
            copy=_COPY,
        )

    def _made(self, source: Path, program: Program, command: str, run: Run, stage: Stage) -> Path:
        """A new tree, made from another by a command."""
        with self._folder_of_run() as folder:
            completed = self._run(folder, source, program, command, run, keep=True)
            if not completed.ok or completed.flooded:
                raise failure(completed, Status.BUILD_ERROR, f"the {stage}", stage)
            target = self._new()
            try:
                with (folder / _REPORT).open("rb") as file:
                    unpack(file, target, self.task.bounds.disk)
            except (OSError, ValueError) as error:
                raise CandidateFailedError(
                    Status.BUILD_ERROR, f"what the {stage} made cannot be kept: {error}"
                ) from error
        return target

    def _restored(self, made: Path) -> Iterator[str]:
        """Restore protected files; yields the names of those a build changed."""
        for path in self._protected:
            for above in reversed(PurePosixPath(path).parents):
                if (made / above).is_symlink():  # in the place of a folder
                    yield str(above)
                    (made / above).unlink()
            ours, theirs = self._original(path), made / path
            if not _same(ours, theirs):
                yield path
                _remove(theirs)
                theirs.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ours, theirs, follow_symlinks=False)

    def _removed(self, made: Path, program: Program, known: Path) -> Iterator[str]:
        """Remove files a build may not add; yields their names.

        It may add files beside the program's own, and in folders made by the baseline's build in
        ``known``; elsewhere only files the baseline's build makes, too.
        """
        programs = {*program.files, *self.task.baseline.files} - {FLAGS_FILE}
        own = {PurePosixPath(path).parent for path in programs}
        sources = {above for path in self._snapshot.paths for above in PurePosixPath(path).parents}
        for place, _, names in os.walk(made):
            for name in names:
                new = PurePosixPath(Path(place, name).relative_to(made).as_posix())
                if str(new) in program.files or os.path.lexists(known / new):
                    continue
                nearest = next(above for above in new.parents if above in sources)
                first = nearest / new.relative_to(nearest).parts[0]
                made_too = first != new and (known / first).is_dir()
                if not (made_too or (nearest in own and not is_protected(new.name))):
                    yield str(new)
                    (made / new).unlink()

    def _original(self, path: str) -> Path:
        own = self._set_up / path
        return own if own.exists() else self.task.folder / path

    def run(self, tree: Tree, command: str, run: Run, outputs: Sequence[str] = ()) -> Output:
        """Run a command in a tree. Its failure is reported in the result."""
        with self._folder_of_run() as folder:
            completed = self._run(folder, tree.path, tree.program, command, run, outputs)
            written = (_head(folder / str(number)) for number in range(len(outputs)))
            return Output(completed, _head(folder / _REPORT), tuple(written))

    def _run(
        self,
        folder: Path,
        tree: Path,
        program: Program,
        command: str,
        run: Run,
        outputs: Sequence[str] = (),
        *,
        keep: bool = False,
    ) -> Completed:
        """Run a command, with files for it in a folder.

        Its report, or with ``keep`` an archive of the tree, and its outputs by number.
        """
        report, written = folder / _REPORT, [folder / str(n) for n in range(len(outputs))]
        for path in (report, *written):
            path.touch()
        command = command.replace("{jobs}", str(len(run.processors) or 1))
        command = command.replace("{out}", str(report))
        if keep:
            command = f"({command}\n) && {_ARCHIVE} {report} ."
        elif run.writable and written:
            copies = zip(outputs, written, strict=True)
            kept = "\n".join(f"cat {shlex.quote(path)} > {ours}" for path, ours in copies)
            command = f"({command}\n) || exit\n{kept}"
        begin = f"cd {PLACE} && ({_COPY}) || exit 99" if run.writable else f"cd {PLACE}"
        flags = " ".join(program.files.get(FLAGS_FILE, "").split())
        if run.writable:
            fixed = [] if keep else list(self._fixed(tree, program))
            mounts = self._copied(folder, tree, fixed)
        else:
            mounts = [Mount(tree, PLACE)]
            for ours, name in zip(written, outputs, strict=True):
                if not (place := tree / name).exists():  # to be seen, it needs one in the tree
                    place.parent.mkdir(parents=True, exist_ok=True)
                    place.touch()
                mounts.append(Mount(ours, PLACE / name, writable=True))
        files = Files(
            read=self._tools.read,
            write=(report, *(written if run.writable else ())),
            mounts=(*self._tools.mounts, *mounts),
            folders=(PLACE,) if run.writable else (),
        )
        bounds = self.task.bounds
        limits = Limits(
            seconds=self.deadline.within(run.seconds),
            memory=bounds.memory,
            output=bounds.disk,
            scratch=bounds.disk,
            processes=512,
            files=1024,
            processors=run.processors,
            address_space=False,
        )
        words = [*self._tools.variables, f"MAXCODE_FLAGS={flags}"]
        shell = ["/usr/bin/env", *words, "/bin/sh", "-c", f"{begin}\n{command}"]
        return self._sandbox.run(shell, limits, files)

    @staticmethod
    def _copied(folder: Path, tree: Path, fixed: Sequence[str]) -> list[Mount]:
        """Mounts for a copy of a tree, made by the run, without ``fixed`` paths."""
        listing = folder / "fixed"
        listing.write_text("".join(f"./{path}\n" for path in fixed))
        listing.chmod(0o644)
        own = [Mount(tree / path, PLACE / path) for path in fixed]
        return [Mount(tree, _LAYER), Mount(listing, _FIXED), *own]

    def _fixed(self, tree: Path, program: Program) -> Iterator[str]:
        """Largest folders, and single files, with protected and no editable files."""
        open_folders = {
            str(folder)
            for path in (*program.files, *self.task.baseline.files)
            if path != FLAGS_FILE
            for folder in PurePosixPath(path).parents
        }
        open_folders.add(".")
        found = set()
        for path in self._protected:
            if matches(self.task.bounds.writable, path):
                open_folders |= {str(folder) for folder in PurePosixPath(path).parents}
                continue
            pure = PurePosixPath(path)
            chain = [*reversed(pure.parents), pure]
            found.add(str(next((one for one in chain if str(one) not in open_folders), pure)))
        yield from sorted(path for path in found if (tree / path).exists())

    @contextmanager
    def _folder_of_run(self) -> Iterator[Path]:
        """A folder for the files that a run is to write."""
        with tempfile.TemporaryDirectory(prefix="run-", dir=self._folder) as folder:
            Path(folder).chmod(0o755)
            yield Path(folder)

    def _new(self) -> Path:
        folder = Path(tempfile.mkdtemp(prefix="tree-", dir=self._folder))
        folder.chmod(0o755)
        return folder


def failure(
    completed: Completed, status: Status, command: str, stage: Stage, wrote: str | None = None
) -> CandidateFailedError:
    """Error of a failed command: ``status``, unless it exceeded a limit."""
    if completed.timed_out:
        status = Status.TIMEOUT
    elif completed.out_of_memory:
        status = Status.OUT_OF_MEMORY
    said = complaint(completed) if wrote is None else wrote
    text = f"{command} {completed.cause}\n{said}".strip()
    return CandidateFailedError(status, text, stage=stage)


def complaint(completed: Completed) -> str:
    """End of a command's standard error, or else of its standard output."""
    text = (completed.stderr.strip() or completed.stdout.strip()).decode("utf-8", "replace")
    return text[-_COMPLAINT:]


def _write(folder: Path, program: Program, before: Program) -> None:
    """Apply differences from the program before; files are replaced, never written into."""
    for path in before.files:
        if path not in program.files:
            _remove(folder / path)
    for path, text in program.files.items():
        file = folder / path
        if path == FLAGS_FILE or (file.is_file() and file.read_bytes() == to_bytes(text)):
            continue
        mode = file.stat().st_mode if file.is_file() else 0o644
        _remove(file)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(to_bytes(text))
        file.chmod(mode & 0o755)


def _linked(source: str, target: str) -> None:
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:  # across file systems, or too many
        shutil.copy2(source, target, follow_symlinks=False)


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_MAX_READ)


def _same(ours: Path, theirs: Path) -> bool:
    if ours.is_symlink() or theirs.is_symlink():
        both = ours.is_symlink() and theirs.is_symlink()
        return both and ours.readlink() == theirs.readlink()
    return theirs.is_file() and filecmp.cmp(ours, theirs, shallow=False)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)

"""Templates: the texts of prompts as jinja2 files, ours and the user's.

Also their filters, and the sets of templates shipped with maxcode.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path, PurePosixPath
from types import MappingProxyType

import jinja2
from jinja2.sandbox import SandboxedEnvironment

from maxcode.errors import InputError
from maxcode.files import read_text
from maxcode.program import Program
from maxcode.sources import shown
from maxcode.task import Task
from maxcode.tasks.languages import LANGUAGES, language_named
from maxcode.tasks.project import ProjectTask
from maxcode.text import counted, plain, quantity, size
from maxcode.tree import ROOT, Standing, Step

_LONG_FILE = 12_288  # characters of a project's file that is shown whole
_MOST_ROWS = 8  # tests or benchmarks whose readings are named

OURS = Path(__file__).with_name("templates")


class Templates:
    """Template files by the kind of task ("program", "kernel" or "any") and their name.

    "any" stands in for a kind without a file. A file of the same path in ``folders``, of which the
    first counts most, replaces ours. It may include its own files and ours, also the file it
    replaces: as ``ours/program/generator.jinja``. ``README.md`` beside ours names the variables.
    Raises :class:`~maxcode.errors.InputError` with file and line for a mistake in a file, and for a
    folder that is missing or replaces nothing.
    """

    def __init__(self, *folders: Path) -> None:
        ours = jinja2.FileSystemLoader(OURS)
        theirs = map(jinja2.FileSystemLoader, folders)
        self._environment = SandboxedEnvironment(  # a folder of templates may be a stranger's
            loader=jinja2.ChoiceLoader([jinja2.PrefixLoader({"ours": ours}), *theirs, ours]),
            undefined=jinja2.StrictUndefined,
            autoescape=False,  # prompts are no HTML
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.filters.update({one.__name__: one for one in _FILTERS})
        self._environment.filters["language"] = language_named
        for folder in folders:
            self._check(folder)
        self._folders = folders

    @cached_property
    def identity(self) -> str:
        """A digest of all files but hidden ones, since templates may include any of them.

        It is the same wherever they lie. Raises :class:`~maxcode.errors.InputError` for an
        unreadable file.
        """
        content = sha256()
        for number, folder in enumerate(self._folders):
            files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*")}
            for name, path in sorted(files.items()):
                if not path.is_file() or name.startswith(".") or "/." in name:
                    continue
                try:
                    digest = sha256(path.read_bytes()).digest()
                except OSError as error:
                    raise InputError(f"{path}: {error.strerror}") from error
                content.update(f"{number}/{name}\n".encode() + digest)
        return content.hexdigest()[:16] if self._folders else "ours"

    def render(self, kind: str, name: str, variables: Mapping[str, object]) -> str:
        """The text of a template, without blanks around it."""
        names = [f"{kind}/{name}.jinja", f"any/{name}.jinja"]
        try:
            return self._environment.select_template(names).render(variables).strip()
        except RecursionError as error:
            problem = "it includes itself without end; to include ours, write ours/ before the path"
            raise InputError(f"{_place(error)}: {problem}") from error
        except (jinja2.TemplateError, ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise InputError(f"{_place(error)}: {error}") from error

    def _check(self, folder: Path) -> None:
        """Find mistakes in a user's files before they are used."""
        if not folder.is_dir():
            raise InputError(
                f"{folder}: there is no such folder of templates, and no set of that name; sets: "
                f"{', '.join(SETS)}"
            )
        ours = {str(path.relative_to(OURS)) for path in OURS.rglob("*.jinja")}
        found = {str(path.relative_to(folder)): path for path in sorted(folder.rglob("*.jinja"))}
        if not ours & found.keys():
            known = ", ".join(sorted(ours))
            raise InputError(f"{folder}: no file in it replaces one of ours, which are {known}")
        for path in found.values():
            try:
                tree = self._environment.parse(read_text(path), filename=str(path))
                self._environment.compile(tree, filename=str(path))
            except jinja2.TemplateSyntaxError as error:
                raise InputError(f"{path}, line {error.lineno}: {error.message}") from error


def _place(error: BaseException) -> str:
    """The line of a template's failure."""
    frames = reversed(traceback.extract_tb(error.__traceback__))
    found = (f"{one.filename}, line {one.lineno}" for one in frames if ".jinja" in one.filename)
    return next(found, "templates")


_TAGS = MappingProxyType(
    {
        "command": "",
        "c++": "cpp",
        ".h": "cpp",
        ".hpp": "cpp",
        ".cpp": "cpp",
        **{
            one: name
            for name, known in LANGUAGES.items()
            if name != "c++"
            for one in known.programs
        },
    }
)


def fenced(text: str, language: str = "") -> str:
    """A text in a fence longer than any run of backticks in it."""
    text = shown(text)
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    ending = "" if text.endswith("\n") else "\n"
    return f"{fence}{tag(language)}\n{text}{ending}{fence}"


def tag(language: str) -> str:
    """The tag of a language in fences, by our name for it or the suffix of a file."""
    return _TAGS.get(language, language)


def code(program: Program, task: Task) -> str:
    """The files of a program in fences, each after its path if there are several.

    Protected files are shown of the baseline only. Of a project it is the changed files, long ones
    as their difference from the baseline.
    """
    paths = list(program.files)
    if isinstance(task, ProjectTask):
        paths = task.baseline.changed(program)
    elif program != task.baseline and task.editable:
        paths = [path for path in paths if path in task.editable]
    elif len(program.files) == 1:
        return fenced(program.code, tag(task.language))
    return "\n\n".join(_file(path, program, task) for path in paths)


def _file(path: str, program: Program, task: Task) -> str:
    """A file below its path."""
    text, before = program.files.get(path), task.baseline.files.get(path)
    if text is None:
        return f"{path} (removed)"
    if isinstance(task, ProjectTask) and before is not None and len(text) > _LONG_FILE:
        changed = Program({path: before}, path).diff(Program({path: text}, path))
        return f"{path} (what it changes in the original)\n{fenced(changed, 'diff')}"
    return f"{path}\n{fenced(text, tag(PurePosixPath(path).suffix).removeprefix('.'))}"


def attempt(step_id: int | None) -> str:
    """The name of a step."""
    return f"attempt {step_id}" if step_id else "the baseline"


def attempts(step_ids: Sequence[int]) -> str:
    """The names of several steps: ``attempts 3, 5, 6``."""
    return f"attempt{'' if len(step_ids) == 1 else 's'} {', '.join(map(str, step_ids))}"


def sizes(numbers: Sequence[int]) -> str:
    """From the smallest to the largest."""
    least, most = size(min(numbers)), size(max(numbers))
    return least if least == most else f"{least} to {most}"


def times(speedup: float) -> str:
    """A speedup."""
    return f"{speedup:.2f}x"


def figure(step: Step) -> str:
    """The speedup of a step by the best evidence there is."""
    return times(step.speedup.value if step.speedup else step.reward)


def correct(step: Step) -> str:
    """The outcome of a correct step, with its speedup by comparisons in place of the first score.

    Both stand in the executor's feedback as :class:`~maxcode.evaluation.Interval` writes itself.
    """
    verdict = step.evaluation
    said = verdict.feedback or f"correct, {verdict.speedup} against the baseline"
    said = said.replace(str(verdict.speedup), str(step.speedup))
    return "\n".join(map(line, said.splitlines()))


def decided(step: Step) -> str:
    """Findings after the first score; empty without any."""
    known, said = step.standing, []
    if known and known.refused:
        said.append(f"Measured before it was found wrong: {known.refused} against the baseline.")
    if known and known.ratio and known.against == ROOT and known.ratio.low > 1:
        said.append("A comparison with the baseline confirmed it.")
    elif known and (known.ratio or known.problem):
        rival = f"{attempt(known.against)}{', the best then' if known.against else ''}"
        outcome = f"{known.ratio}, {_told_apart(known)}" if known.ratio else "no result: "
        said.append(f"Compared with {rival}: {outcome}{line(known.problem)}.")
    return " ".join(said)


def _told_apart(known: Standing) -> str:
    ratio = known.ratio
    if ratio is None or known.undecided:
        return "which is not decided: it may be faster"
    if ratio.low > 1:
        return "faster"
    return "slower" if ratio.high < 1 else "the two cannot be told apart"


def line(text: str, most: int = 400) -> str:
    """A text as a single line with hidden characters made visible, cut where it is long."""
    return clipped(" ".join(text.split()), most)


def clipped(text: str, most: int) -> str:
    """The text without trailing blanks, or its beginning with a note of the cut length.

    Hidden characters are made visible; programs stay as they are, since they are to be copied.
    """
    text = plain(text).rstrip()
    if len(text) <= most:
        return text
    return f"{text[:most]} [... {len(text) - most:,} more characters]"


def readings(step: Step, kind: str = "test") -> str:
    """Readings of a step, overall and by test, beside those of the program timed in turn.

    Empty without any. ``kind`` is what tests are called.
    """
    verdict = step.evaluation
    if not (verdict.measurements and verdict.reference):
        return ""
    other = "the best then" if verdict.against else "the baseline"
    now, before = verdict.measurements[0], verdict.reference[0]
    took = [quantity(one.median, one.unit) for one in (now, before)]
    longest = sorted(verdict.by_test, key=lambda one: -one.second)[:_MOST_ROWS]
    each = [
        f"{plain(one.name)} {quantity(one.first, one.unit)} ({quantity(one.second, one.unit)})"
        for one in verdict.by_test
        if one in longest
    ]
    some = f"the longest {len(each)} of {counted(len(verdict.by_test), kind)}"
    which = some if len(each) < len(verdict.by_test) else f"by {kind}"
    return f"Measured: {took[0]} ({other} {took[1]})" + (
        f"; {which}: {', '.join(each)}." if each else "."
    )


_FILTERS = (
    attempt,
    attempts,
    clipped,
    code,
    correct,
    counted,
    decided,
    fenced,
    figure,
    line,
    readings,
    size,
    sizes,
    tag,
    times,
)


_SETS = Path(__file__).with_name("sets")
SETS = MappingProxyType(
    {
        "pie:few-shot": (_SETS / "pie/few-shot", _SETS / "pie/shared"),
        "pie:performance-conditioned": (
            _SETS / "pie/performance-conditioned",
            _SETS / "pie/shared",
        ),
        "effi-learner": (_SETS / "effi-learner",),
    }
)
"""Sets of templates shipped with maxcode by name; those of PIE are for programs in C++."""

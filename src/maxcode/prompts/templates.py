"""Templates: the texts of prompts as jinja2 files, ours and the user's."""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Mapping
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType

import jinja2
from jinja2 import meta, nodes

from maxcode.errors import InputError
from maxcode.prompts.filters import FILTERS
from maxcode.prompts.sets import SETS
from maxcode.textfiles import read_text

OURS = Path(__file__).with_name("templates")

VARIABLES = MappingProxyType(
    {
        "task": "the Task",
        "machine": "facts of the machine, a list of lines",
        "edits": "whether search/replace blocks are asked for instead of whole files",
        "pairs": "slow-fast pairs of other problems, the most similar last",
        "step": "the Step to improve or to diagnose, or that an attempt is about",
        "goal": "what is to be done with the program of step: improve or diagnose",
        "about": "the id of the step whose program that is: of an answer without one, the parent's",
        "program": "that program",
        "program_diff": "it as a diff against the baseline, if it is to be shown as one",
        "best": "the Step with the best program so far, or None",
        "beaten": "whether that is known to be faster than the baseline",
        "best_diff": "its program as a diff against the baseline, if it is to be shown as one",
        "is_best": "whether program is the best",
        "untold": "ids of steps whose programs are too long to be shown",
        "exemplars": "Steps to show as inspiration",
        "path": "ids of the steps from the baseline to the one to improve",
        "history": "ids of the steps that have a part of their own in the prompt",
        "left_out": "ids of the attempts that did not fit in",
        "fresh": "whether nothing is known but the baseline",
        "profile": "the text of the step's profile, or nothing",
        "feedback": "how many characters of feedback, or of a critique, are to be shown",
        "critiques": "whether critiques are to be shown",
        "difference": "the diff from the step of id origin, or nothing if the code is shorter",
        "origin": "the id of the step that difference starts from",
        "baseline_shown": "whether the task's part shows the baseline as it is",
        "device": "of a kernel: cpu, cuda, or nothing if that is not known",
        "variants": "of a kernel: those that count on the device",
        "distributions": "of a kernel: what inputs are drawn from, in words, by name",
    }
)
"""What templates see."""


class Templates:
    """Template files by the kind of task ("cpp", "kernel" or "any") and their name.

    What a kind does not have is taken from "any". A file of the same path in one of ``folders``, of
    which the first counts most, replaces ours. It may include others of its own, and ours, also the
    one that it replaces: as ``ours/cpp/generator.jinja``. Raises
    :class:`~maxcode.errors.InputError` that names file and line for what is wrong in a file, and
    for a folder that is not there or replaces nothing.
    """

    def __init__(self, *folders: Path) -> None:
        ours = jinja2.FileSystemLoader(OURS)
        theirs = map(jinja2.FileSystemLoader, folders)
        self._environment = jinja2.Environment(
            loader=jinja2.ChoiceLoader([jinja2.PrefixLoader({"ours": ours}), *theirs, ours]),
            undefined=jinja2.StrictUndefined,
            autoescape=False,  # noqa: S701 - prompts are no HTML
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.filters.update(FILTERS)
        for folder in folders:
            self._check(folder)
        self._folders = folders

    @cached_property
    def identity(self) -> str:
        """A digest of all files but hidden ones, since templates may include any of them.

        It is the same wherever they lie. Raises :class:`~maxcode.errors.InputError` for a file that
        cannot be read.
        """
        content = sha256()
        for number, folder in enumerate(self._folders):
            for name, path in sorted(_visible(folder)):
                content.update(f"{number}/{name}\n".encode())
                content.update(sha256(_bytes(path)).digest())
        return content.hexdigest()[:16] if self._folders else "ours"

    def render(self, kind: str, name: str, variables: Mapping[str, object]) -> str:
        """The text of a template, without blanks around it."""
        names = [f"{kind}/{name}.jinja", f"any/{name}.jinja"]
        try:
            return self._environment.select_template(names).render(variables).strip()
        except jinja2.TemplateSyntaxError as error:
            raise InputError(f"{error.filename}, line {error.lineno}: {error.message}") from error
        except RecursionError as error:
            said = "it includes itself without end; to include ours, write ours/ before the path"
            raise InputError(f"{_place(error, names[0])}: {said}") from error
        except (jinja2.TemplateError, ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise InputError(f"{_place(error, names[0])}: {error}") from error

    def _check(self, folder: Path) -> None:
        """Whatever can be told of a user's files before they are used."""
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
        for name, path in found.items():
            problems = self._problems(path, known=name in ours)
            if problem := next(problems, ""):
                raise InputError(problem)

    def _problems(self, path: Path, *, known: bool) -> Iterator[str]:
        try:
            tree = self._environment.parse(read_text(path), filename=str(path))
            self._environment.compile(tree, filename=str(path))
        except jinja2.TemplateSyntaxError as error:
            yield f"{path}, line {error.lineno}: {error.message}"
            return
        if not known:  # it is included by another, whose variables it may use
            return
        unknown = meta.find_undeclared_variables(tree) - {*VARIABLES, *self._environment.globals}
        for name in tree.find_all(nodes.Name):
            if name.name in unknown:
                known_ones = ", ".join(VARIABLES)
                said = f"unknown variable {name.name!r}; known: {known_ones}"
                yield f"{path}, line {name.lineno}: {said}"


def _visible(folder: Path) -> Iterator[tuple[str, Path]]:
    """The files below a folder with their paths from there."""
    for path in folder.rglob("*"):
        name = path.relative_to(folder)
        if path.is_file() and not any(part.startswith(".") for part in name.parts):
            yield name.as_posix(), path


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error


def _place(error: BaseException, otherwise: str) -> str:
    """The line of the template that failed."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename.endswith(".jinja"):
            return f"{frame.filename}, line {frame.lineno}"
    return otherwise

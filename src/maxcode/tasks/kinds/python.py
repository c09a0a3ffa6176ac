"""Python projects: pure ones run in place, others are built in place or installed."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import PurePosixPath
from typing import Any

from maxcode.tasks.kinds.base import PLACE, SOURCES, Bench, Files, Kind, aside, says_benchmark, toml
from maxcode.tasks.kinds.base import script as script_benches

_INSTALLED = "build/installed"
_INSTALL = (
    "python -m pip install --quiet --no-index --no-build-isolation --no-deps --upgrade "
    f"--target {_INSTALLED} ."
)
_EXTENSION = re.compile(r"\bext_modules\b|\bExtension\(|\bcythonize\(|ext-modules")
_OTHER_BUILDS = ("maturin", "scikit_build_core", "mesonpy", "setuptools_rust", "setuptools-rust")
_VERSIONED = re.compile(r"setuptools[_-]scm|hatch-vcs|vcs-versioning")
_VERSION_FILE = re.compile(r"(?:version[_-]file|write_to)\s*=\s*[\"']([^\"']+)")
_FIXTURE = re.compile(r"^\s*(?:async )?def test\w*\([^)]*\bbenchmark\b", re.MULTILINE)
_TIMED = re.compile(r"\btimeit\b|\bperf_counter|\bprocess_time|\btime\.time\(|\bpyperf\b")
_RUNS = re.compile(r"__main__|^[a-z]\w*(?:\.\w+)*\(", re.MULTILINE)
_NOT_COLLECTED = "-o addopts= -p no:codspeed"  # options of the project may forbid or slow it
_SHORT = ("--benchmark-max-time=0.1", "--benchmark-max-time=0.01 --benchmark-min-rounds=3")
_MOST = 6  # scripts that are tried

_ASV = "asv.conf.json"
_ASV_SETUP = (  # asv wants a repository, and nothing is seen of the project's own
    'sed -E -e \'s|^( *"repo" *:).*|\\1 "{up}",|\' '
    '-e \'s|^( *"branches" *:).*|\\1 ["master"],|\' '
    "{conf} > {here} && git init -q -b master . && "
    "git -c user.name=maxcode -c user.email=maxcode@localhost commit -q --allow-empty -m original"
)
_ASV_BENCH = (
    "{enter}(python -m asv machine --yes --machine here && python -m asv run --config "
    "asv.here.json --python=same --launch-method spawn --machine here --set-commit-hash HEAD "
    "-a repeat=3 -a rounds=1 || :) >&2 && cat {results}/here/*-*.json"
)
_ANY_OWNER = {  # of a repository in the sandbox, where files belong to nobody
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "safe.directory",
    "GIT_CONFIG_VALUE_0": "*",
}


def python_kinds(files: Files) -> Iterator[Kind]:
    """The project in place, if its build need not be run, and installed into a folder of its own.

    Extensions of setuptools are built in place, which is quicker than an installation.
    """
    text = files.read("pyproject.toml")
    project, script = toml(text), files.read("setup.py")
    roots = _roots(files, str(project.get("project", {}).get("name", "")))
    system = project.get("build-system", {})
    other = next((one for one in _OTHER_BUILDS if one in f"{system}{script}"), "")
    native = bool(_EXTENSION.search(text + script) or files.named(".pyx")) and not other
    needs = [*system.get("requires", ["setuptools"])] if native or other else []
    places = [f"{PLACE}/{root}".rstrip("/") for root in roots]
    variables = {"PYTHONPATH": ":".join(places)}
    if _VERSIONED.search(text + script):
        variables["SETUPTOOLS_SCM_PRETEND_VERSION"] = "0"
    suffixes = (*SOURCES, ".pyx", ".pxd", ".rs") if native or other else ()
    here = Kind(
        editable=_editable(files, roots, suffixes),
        build=_in_place(script) if native else "",
        test=_tests(files, text),
        benches=tuple(_benches(files, variables["PYTHONPATH"])),
        compiled=native,
        environment=tuple(variables.items()),
        wanted="a file *bench*.py",
        problem=_missing(needs),
    )
    generated = _VERSION_FILE.search(text)
    unversioned = generated is not None and generated[1] not in files.paths
    registered = "pytest11" in text + script + files.read("setup.cfg")
    if not (other or unversioned or registered):
        yield here
    if {"pyproject.toml", "setup.py"} & set(files.paths):
        yield _installed(files, here, roots, system)


def _installed(files: Files, here: Kind, roots: list[str], system: Mapping[str, Any]) -> Kind:
    """The project as a user installs it, which needs its build system."""
    beside = [path for path in _packages(files) if "/" not in path]
    copies = [f"cp -r {_INSTALLED}/{one} ." for one in beside] if "" in roots else []
    place = f"{PLACE}/{_INSTALLED}"
    return Kind(
        editable=here.editable,
        build=" && ".join([_INSTALL, *copies]),
        test=here.test,
        benches=tuple(_benches(files, place)),
        compiled=here.compiled,
        environment=(*dict(here.environment, PYTHONPATH=place).items(),),
        wanted=here.wanted,
        problem=_missing(list(system.get("requires", ["setuptools"]))),
    )


def _in_place(script: str) -> str:
    """The command that builds setuptools' extensions beside their sources."""
    words = "setup.py" if script else "-c 'import setuptools; setuptools.setup()'"
    return f"python {words} build_ext --inplace -j {{jobs}}"


def _missing(needs: list[Any]) -> str:
    """Message about build requirements that the interpreter lacks; those with markers are passed
    over, as they may be for others."""
    plain = [one for one in map(str, needs) if ";" not in one]
    names = [found[0] for one in plain if (found := re.match(r"[\w.-]+", one))]
    lacking = [name for name in names if not _is_installed(name)]
    if not lacking:
        return ""
    return (
        f"its build needs {', '.join(lacking)}, which the Python that runs maxcode lacks: "
        f"{shlex.quote(sys.executable)} -m pip install {' '.join(lacking)}"
    )


def _is_installed(name: str) -> bool:
    try:
        distribution(name)
    except PackageNotFoundError:
        return False
    return True


def _packages(files: Files) -> list[str]:
    """Folders of packages that lie in no other package."""
    found = {
        str(PurePosixPath(path).parent)
        for path in files.named("/__init__.py")
        if not aside(path) and not says_benchmark(path)
    }
    return sorted(one for one in found if str(PurePosixPath(one).parent) not in found)


def _roots(files: Files, name: str) -> list[str]:
    """Folders from which the project's packages are imported; "" is the project's own."""
    roots: dict[str, None] = {}
    wanted = _normal(name)
    for package in _packages(files):
        parts = package.split("/")
        fits = (at for at in range(len(parts)) if _normal(".".join(parts[at:])) == wanted)
        end = next(fits, len(parts) - 1)
        root = "src" if parts[0] == "src" else "/".join(parts[:end])
        roots[root] = None
    if not roots:
        return ["src"] if "src" in files.folders and files.named(".py") else [""]
    return list(roots)


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _editable(files: Files, roots: list[str], suffixes: tuple[str, ...]) -> tuple[str, ...]:
    """Patterns of the packages, and of sources in other languages."""
    below = [f"{root}/**" for root in roots if root]
    if "" in roots:
        beside = {path.partition("/")[0] for path in _packages(files)} - set(roots)
        below += [f"{one}/**" for one in sorted(beside)] or ["*.py"]
    return tuple(dict.fromkeys((*below, *(files.patterns(*suffixes) if suffixes else ()))))


def _tests(files: Files, text: str) -> str:
    """pytest, where there are tests; benchmarks among them run once, without their clock."""
    tests = [
        path
        for path in files.named(".py")
        if re.search(r"(?:^|/)(?:test_[^/]*|[^/]*_test)\.py$", path)
        and not re.search(r"(?:^|/)(?:bench|asv)", path)
    ]
    beside = {"tests", "test"} & files.folders
    if not (tests or beside or "pytest" in str(toml(text).get("project", {}))):
        return ""
    timed = find_spec("pytest_benchmark") and any(_FIXTURE.search(files.read(p)) for p in tests)
    return "python -m pytest -q" + (" --benchmark-disable" if timed else "")


def _benches(files: Files, imports: str) -> Iterator[Bench]:
    """By what is in the files: asv, the fixture of pytest-benchmark, pyperf, scripts."""
    for path in sorted(files.named(_ASV), key=len)[:1]:
        yield _asv(files, path, imports)
    texts = {path: files.read(path) for path in files.named(".py")}
    fixtures = sorted(path for path, text in texts.items() if _FIXTURE.search(text))
    if fixtures:
        command = f"python -m pytest {' '.join(map(shlex.quote, fixtures))}"
        for short in _SHORT:
            report = f"--benchmark-only {short} --benchmark-json={{out}}"
            commands = (f"{command} {_NOT_COLLECTED} {report}",)
            yield Bench(", ".join(fixtures), commands, "pytest-benchmark")
    scripts = [
        (not says_benchmark(path), path.count("/"), path)
        for path, text in texts.items()
        if path not in fixtures
        and (says_benchmark(path) or (_TIMED.search(text) and aside(path)))
        and _RUNS.search(text)
        and not re.search(r"(?:^|/)(?:conftest|setup|__init__)\.py$", path)
    ]
    for _, _, path in sorted(scripts)[:_MOST]:
        if "pyperf" in texts[path]:
            report = "/tmp/bench.json"  # noqa: S108 - in the sandbox
            options = f"--processes 1 --values 5 --min-time 0.02 -q -o {report}"
            command = f"python {shlex.quote(path)} {options} >&2 && cat {report}"
            yield Bench(path, (command,), "pyperf")
        else:
            yield from script_benches(f"python {shlex.quote(path)}", path)


def _asv(files: Files, path: str, imports: str) -> Bench:
    """A suite of airspeed velocity, by its configuration, which is JSON with comments."""
    text, folder = files.read(path), str(PurePosixPath(path).parent)
    results = re.search(r'^\s*"results_dir"\s*:\s*"([\w./-]+)"', text, re.MULTILINE)
    here = folder == "."
    up = "." if here else "/".join(".." for _ in PurePosixPath(folder).parts)
    names = {"up": up, "conf": path, "here": "asv.here.json" if here else f"{folder}/asv.here.json"}
    return Bench(
        path,
        (
            _ASV_BENCH.format(
                enter="" if here else f"cd {shlex.quote(folder)} && ",
                results=results[1] if results else "results",
            ),
        ),
        "asv",
        setup=_ASV_SETUP.format(**names),
        writable=True,
        environment=(("ASV_PYTHONPATH", imports), *_ANY_OWNER.items()),
    )

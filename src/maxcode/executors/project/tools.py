"""Parts of this machine for a project's commands: interpreters, compilers, variables."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from maxcode.errors import TaskError
from maxcode.sandbox.base import Mount
from maxcode.tasks.project import FLAGS_FILE, ProjectTask

_PYTHON = re.compile(r"\b(python[\d.]*|pytest|pyperf|asv|meson|ninja)\b")
_OTHERS = re.compile(r"\b(cargo|rustc|go|node|npm|npx|java|javac|mvn|gradle)\b")
_COMPILERS = ("cc", "gcc", "c++", "g++", "clang", "clang++")
_WRAPPERS = Path("/tmp/maxcode/bin")  # noqa: S108 - inside the sandbox
_SYSTEM = "/usr/local/bin:/usr/bin:/bin"
_FLAG = re.compile(
    r"-(O[0-3sg]|Ofast|march=[\w.-]+|mtune=[\w.-]+|m(avx2?|fma|bmi2?|sse4\.2|popcnt)|flto(=\w+)?"
    r"|fno-[\w-]+|f(unroll-loops|omit-frame-pointer|ipa-pta|tree-vectorize|inline-functions)"
    r"|f(whole-program|function-sections|data-sections|prefetch-loop-arrays|finline-limit=\d+)"
    r"|fvisibility=hidden|Wl,-O\d|Wl,--gc-sections|Wl,-z,now|DNDEBUG|pipe|pthread"
    r"|fprofile-use|l(jemalloc|tcmalloc|tcmalloc_minimal|mimalloc))"
)


@dataclass(frozen=True, slots=True)
class Tools:
    """Folders to ``read`` at their own paths, ``mounts``, and variables as ``NAME=VALUE``."""

    read: tuple[Path, ...]
    mounts: tuple[Mount, ...]
    variables: tuple[str, ...]

    @classmethod
    def of(cls, task: ProjectTask, folder: Path) -> Tools:
        """Tools of the task's commands. Raises :class:`TaskError` for a missing folder.

        Commands that name Python get the interpreter of maxcode, with its packages; commands with
        tools of Rust, Go, Node or Java get this user's installation. For a program with flags,
        wrappers of the compilers add them.
        """
        path = [_SYSTEM]
        read = [Path(name).expanduser().resolve() for name in task.bounds.read]
        if missing := [one for one in read if not one.exists()]:
            raise TaskError(f"task {task.name!r}: sandbox.read: there is no {missing[0]}")
        commands = task.commands
        texts = " ".join((*commands.bench, commands.setup, commands.build, commands.test))
        if names_python(texts):
            read += _interpreter()
            path.insert(0, f"{sys.prefix}/bin")
        own: dict[str, str] = {}
        for tool in dict.fromkeys(_OTHERS.findall(texts)):
            folders, variables = _installed(tool)
            read += [one for one in folders if one.exists()]
            path[1:1] = [str(one) for one in folders if one.name == "bin"]
            own |= variables
        mounts = []
        if FLAGS_FILE in task.baseline.files:
            path.insert(0, str(_WRAPPERS))
            mounts.append(Mount(_wrappers(folder / "compilers"), _WRAPPERS))
        given = {
            "PATH": ":".join(dict.fromkeys(path)),
            "HOME": "/tmp/home",  # noqa: S108
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTEST_ADDOPTS": "-rpfE -p no:cacheprovider",
            "CTEST_OUTPUT_ON_FAILURE": "1",
            **own,
            **dict(task.bounds.environment),
        }
        words = tuple(f"{key}={value}" for key, value in given.items())
        return cls(tuple(dict.fromkeys(read)), tuple(mounts), words)


def names_python(command: str) -> bool:
    """Whether a command runs Python, judging by its words."""
    return _PYTHON.search(command) is not None


def idle(command: str) -> str:
    """The start of a process like a command's, with nothing to do."""
    found = re.search(r"\b(python[\d.]*|node)\b", command)
    return f"{found[1]} -{'e 0' if found[1] == 'node' else 'c pass'}" if found else "/bin/true"


def strange_flags(text: str) -> list[str]:
    """Words in a file of flags other than flags for speed, forbidden to candidates.

    They could make a compiler read or run forbidden files.
    """
    return [word for word in text.split() if not _FLAG.fullmatch(word)]


def _interpreter() -> list[Path]:
    """Folders of this interpreter and its packages, unless the sandbox shows them anyway."""
    prefixes = [Path(sys.prefix), Path(sys.base_prefix).resolve()]
    return [one for one in prefixes if not one.is_relative_to("/usr") and one != Path.home()]


def _installed(tool: str) -> tuple[list[Path], dict[str, str]]:
    """Folders of a tool outside the system's, and variables: nothing is downloaded."""
    if tool in ("cargo", "rustc"):
        cargo = Path(os.environ.get("CARGO_HOME", "~/.cargo")).expanduser()
        toolchains = Path(os.environ.get("RUSTUP_HOME", "~/.rustup")).expanduser()
        folders = [cargo / "bin", cargo / "registry", toolchains]
        return folders, {"RUSTUP_HOME": str(toolchains), "CARGO_NET_OFFLINE": "true"}
    if tool in ("java", "javac", "mvn", "gradle"):
        return [*sorted(Path("/etc").glob("java*")), Path("~/.m2").expanduser()], {}
    found = shutil.which(tool)
    place = Path(found).resolve().parent if found else Path("/usr/bin")
    folders = [] if place.is_relative_to("/usr") and place != Path("/usr/local/go/bin") else [place]
    if tool != "go":  # npm asks for news of itself, and waits for an answer
        quiet = {"npm_config_update_notifier": "false", "npm_config_offline": "true"}
        return [*folders, *(one.parent / "lib" for one in folders)], quiet
    modules = Path(os.environ.get("GOPATH", "~/go")).expanduser() / "pkg" / "mod"
    more = [place.parent] if folders else []
    variables = {
        "GOFLAGS": "-mod=mod",
        "GOPROXY": "off",
        "GOTOOLCHAIN": "local",
        "GOMODCACHE": str(modules),
        "GOCACHE": "/tmp/project/.gocache",  # noqa: S108 - in the sandbox, kept with a build
    }
    return [*folders, *more, modules], variables


def _wrappers(folder: Path) -> Path:
    """Scripts named like compilers, which add the program's flags."""
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)
    for name in _COMPILERS:
        found = shutil.which(name, path=_SYSTEM)
        if found is not None:
            script = folder / name
            script.write_text(f'#!/bin/sh\nexec {found} "$@" $MAXCODE_FLAGS\n')
            script.chmod(0o755)
    return folder


_MISSING = re.compile(
    r"^[^\n:]+: (?:line )?(?:\d+: )?(?P<command>[^\s:]+): (?:command )?not found$"
    r"|^(?:make(?:\[\d+\])?|[\w/]*env): \W?(?P<run>[\w.+-]+)\W?: No such file or directory$"
    r"|No module named '?(?P<module>\w+)",
    re.MULTILINE,
)
_NETWORK = re.compile(
    r"[Cc]ould not resolve host|[Tt]emporary failure in name resolution|ENOTFOUND|EAI_AGAIN"
    r"|[Nn]ame or service not known|[Nn]etwork is unreachable|module lookup disabled by GOPROXY"
    r"|--offline|getaddrinfo|[Ff]ailed to (?:download|establish a new connection)"
)


def missing(text: str) -> str:
    """Hint for output of a command that lacks the network or another command; "" for neither."""
    if _NETWORK.search(text):
        return (
            "it wants the network, which no command has: fetch what it needs before (cargo fetch, "
            "go mod vendor, npm ci, pip install, git submodule update --init)"
        )
    found = _MISSING.search(text)
    if found is None:
        return ""
    if module := found["module"]:
        return (
            f"the Python that runs maxcode has no module {module}: {shlex.quote(sys.executable)} "
            f"-m pip install {module}"
        )
    command = found["command"] or found["run"]
    if elsewhere := shutil.which(command):
        folder = Path(elsewhere).parent
        return (
            f"the command {command} was not found: it is {elsewhere}, which the sandbox does not "
            f'show; in task.toml, read = ["{folder}"] under [sandbox] and PATH = '
            f'"{folder}:{_SYSTEM}" under [sandbox.environment] do'
        )
    return f"the command {command} was not found; install its package, or have the build make it"

"""JavaScript and TypeScript: scripts of package.json; packages beside it are read in place."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from maxcode.tasks.kinds.base import Bench, Files, Kind, script

_SCRIPTS = (".js", ".mjs", ".cjs", ".ts", ".mts")
_NAMED = re.compile(r"bench|perf(?!ect|orm)|speed", re.IGNORECASE)
_TIMED = re.compile(
    r"""["'](?:tinybench|mitata|benchmark|benny|bench-node|cronometro)["']"""
    r"|performance\.now\(|process\.hrtime|console\.time\("
)
_VITEST = "json:files.*.groups.*.benchmarks.*.median"
_MOST = 8  # files that are tried


def node_kinds(files: Files) -> Iterator[Kind]:
    """The package of the folder; those of its workspaces are part of it."""
    package = _json(files.read("package.json"))
    scripts = package.get("scripts", {}) if isinstance(package.get("scripts"), dict) else {}
    places = _installed(files)
    each = " ".join(f"{shlex.quote(to)}/*" for to in places.values())
    links = f"mkdir -p node_modules; ln -s {each} node_modules/ 2> /dev/null; "
    modules = len(places) > 1 or package.get("type") == "module" or bool(files.named(".mjs"))
    links = links if places and modules else ""  # others are found by NODE_PATH
    found = "".join(f":{to}/.bin" for to in places.values())

    def command(name: str) -> str:
        """The command of a script, without npm, which does not end without a network."""
        text = _expanded(scripts, name)
        plain = not text or text.startswith("node ") or not places
        return text if plain else f"PATH=$PATH{found}; {text}"

    named = [name for name in scripts if _NAMED.search(name)]
    benches = [bench for name in named for bench in script(command(name), f"npm run {name}")]
    build, test = command("build"), command("test")
    yield Kind(
        editable=files.patterns(*_SCRIPTS),
        build=build and links + build,
        test="" if "no test specified" in test else test and links + test,
        benches=tuple(
            replace(one, commands=(links + one.commands[0],), writable=bool(links))
            for one in (*_vitest(files, places), *benches, *_files(files))
        ),
        wanted="a script 'bench' in package.json",
        read=tuple(places.values()),
        environment=(("NODE_PATH", ":".join(places.values())),) if places and not links else (),
        problem="" if places else _missing(package, [test, *map(command, named)]),
    )


def _expanded(scripts: Mapping[str, Any], name: str, depth: int = 5) -> str:
    """The command of a script, with those of other scripts in place of ``npm run``."""
    if not depth:
        return ""
    return re.sub(
        r"\b(?:npm|yarn|pnpm) (?:run )?(?:-s |--silent )?([\w:.-]+)",
        lambda found: _expanded(scripts, found[1], depth - 1) if found[1] in scripts else found[0],
        str(scripts.get(name, "")),
    )


def _files(files: Files) -> Iterator[Bench]:
    """Files that measure times, by what is in them."""
    found = []
    for path in files.named(".js", ".mjs", ".cjs"):
        if "node_modules" in path or re.search(r"[.-](?:test|spec|min)\.", path):
            continue
        if _TIMED.search(files.read(path)):
            found.append((not _NAMED.search(path), path.count("/"), path))
    for _, _, path in sorted(found)[:_MOST]:
        yield from script(f"node {shlex.quote(path)}", path)


def _installed(files: Files) -> dict[str, str]:
    """Folders of installed packages that git ignores, by their paths in the project."""
    above = (PurePosixPath(path).parent / "node_modules" for path in files.named("package.json"))
    return {
        str(one): str((files.folder / one).resolve())
        for one in above
        if (files.folder / one).is_dir() and str(one) not in files.folders
    }


def _vitest(files: Files, places: Mapping[str, str]) -> Iterator[Bench]:
    found = [path for path in files.named(*_SCRIPTS) if ".bench." in PurePosixPath(path).name]
    installed = places.get("node_modules")
    if installed and any("vitest" in files.read(path) for path in found):
        command = f"{installed}/.bin/vitest bench --run --outputJson {{out}}"
        yield Bench(", ".join(found), (command,), _VITEST)


def _missing(package: Mapping[str, Any], commands: list[str]) -> str:
    """Message about packages that are not there, if the project's commands need them."""
    wanted = {**package.get("dependencies", {}), **package.get("devDependencies", {})}
    needed = [one for one in commands if one and not re.match(r"node\b|.*\bnode --test", one)]
    if package.get("dependencies") or (wanted and needed):
        return (
            "its packages are not there, and no command here has the network to fetch them: "
            "npm ci (or npm install) in its folder"
        )
    return ""


def _json(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}

"""Builds programs and their variants, and compares what they print for many inputs."""

from __future__ import annotations

import io
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from maxcode.generators.rewrites import CppSource, Rewrite, catalogue
from maxcode.program import Program
from maxcode.sandbox import BubblewrapSandbox
from maxcode.sandbox.base import Files, Limits
from maxcode.toolchain.build_cache import BuildCache
from maxcode.toolchain.gxx import SANITIZE, Gxx

FLAGS = ("-std=c++17", "-O1", "-w")
SANITIZED = ("-std=c++17", "-w", *SANITIZE, "-ftrivial-auto-var-init=pattern")
# One process after the other, each with two seconds of processor time and a megabyte of output;
# what they printed and how they ended comes back in one archive.
_EACH = """
mkdir o
for input in "$2"/*; do
    name=${input##*/}
    (ulimit -t 2; ulimit -f 2048; exec "$1") <"$input" >"o/$name" 2>"o/$name.err"
    echo $? >"o/$name.code"
done
tar -cf - -C o .
"""

Outcome = tuple[int, bytes]


def variants(rewrite: Rewrite, code: str) -> list[str]:
    """The texts that a rewrite makes of a program."""
    return list(dict.fromkeys(rewrite.apply(CppSource(code))))


@cache
def named(name: str) -> Rewrite:
    """The rewrite of this name."""
    return next(one for one in catalogue() if one.name == name)


@dataclass(frozen=True, slots=True)
class Difference:
    """An input for which a variant does not do what the program does."""

    input: str
    expected: str
    got: str


class Bench:
    """g++ and a sandbox; safe to use from several threads."""

    def __init__(self, folder: Path, build_cache: BuildCache | None = None) -> None:
        self._sandbox = BubblewrapSandbox()
        self._gxx = Gxx(self._sandbox, folder / "built", build_cache)
        self._folder = folder

    def outcomes(
        self, code: str, inputs: Sequence[bytes], flags: Sequence[str] = FLAGS
    ) -> list[Outcome] | str:
        """The exit status and the output for each input, or what the compiler says."""
        built = self._gxx.build(Program.of(code), flags, timeout=120)
        if built.executable is None:
            return built.errors or "not built"
        with tempfile.TemporaryDirectory(dir=self._folder) as place:
            folder = Path(place)
            folder.chmod(0o755)
            for number, text in enumerate(inputs):
                (folder / f"{number:05}").write_bytes(text)
            command = ["/bin/sh", "-c", _EACH, "sh", str(built.executable), str(folder)]
            limits = Limits(3600, None, output=1 << 30, scratch=1 << 30, address_space=False)
            ended = self._sandbox.run(command, limits, Files(read=(built.executable, folder)))
        if not ended.ok:
            return f"{ended.cause}: {ended.stderr.decode(errors='replace')}"
        return list(_unpacked(ended.stdout, len(inputs), errors=flags == SANITIZED))


def compare(
    inputs: Sequence[bytes], expected: Sequence[Outcome], got: Sequence[Outcome] | str
) -> Difference | None:
    """The first input for which a variant ends or prints otherwise; none if it was not built."""
    if isinstance(got, str):
        return Difference("", "a program", got[:2000])
    for text, right, other in zip(inputs, expected, got, strict=True):
        if right != other:
            shown = text.decode(errors="replace")
            return Difference(shown[:2000], _shown(right), _shown(other))
    return None


def _unpacked(archive: bytes, count: int, *, errors: bool) -> Iterator[Outcome]:
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:

        def content(name: str) -> bytes:
            member = files.extractfile(f"./{name}")
            assert member is not None
            return member.read()

        for number in range(count):
            said = content(f"{number:05}.err") if errors else b""
            yield int(content(f"{number:05}.code")), content(f"{number:05}") + said


def _shown(outcome: Outcome) -> str:
    text = outcome[1].decode(errors="replace")[:500]
    return text if outcome[0] == 0 else f"{text}[status {outcome[0]}]"

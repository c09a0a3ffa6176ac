"""Which flags a candidate may give the compilers: such as change code, not what is read or run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from maxcode.errors import InputError

_REFUSED = re.compile(  # of those that the patterns below would allow
    r"-f(plugin|dump|profile|auto-profile|branch-probabilities|pch|module|sanitize|syntax-only"
    r"|test-coverage|callgraph-info|stack-usage|save-optimization-record|opt-info|compare-debug"
    r"|diagnostics|message-length|use-ld|preprocessed|directives-only|lto-partition"
    r"|(debug|file|macro|profile)-prefix-map).*"
    r"|-g(split-dwarf|record-gcc-switches).*"
    r"|-m(abi|32|16|x32).*"
)
_COMPILING = re.compile(
    r"-(O\w*|std=[\w+]+|g\w*|[mf][\w=.,+-]+|W(?![pal],)[\w=,.+-]*|[DU]\w.*|pthread|pipe|w|ansi"
    r"|pedantic|pedantic-errors)",
    re.ASCII,
)
_LINKING = re.compile(
    r"-(O\w*|l[\w.+-]+|f(openmp|lto)|pthread|s|static-lib(gcc|stdc\+\+)"
    r"|Wl,(-O\d|--(no-)?as-needed|--gc-sections|-s|--strip-all|-Bsymbolic(-functions)?"
    r"|-z,(now|lazy|relro|norelro|nodelete)))",
    re.ASCII,
)
_CUDA = re.compile(
    r"-(O[0-3]?|g|G|w|lineinfo|std=[\w+]+|[DU]\w.*|use_fast_math|arch=[\w,-]+|gencode=[\w=,\[\]-]+"
    r"|maxrregcount[= ]?\d+|Xptxas=[\w=,-]+|Xcompiler=-(fPIC|fopenmp|O\d|march=[\w-]+)|t=?\d+"
    r"|extended-lambda|expt-(relaxed-constexpr|extended-lambda))"
    r"|--(use_fast_math|generate-line-info|extended-lambda|expt-(relaxed-constexpr|extended-lambda)"
    r"|(ftz|fmad|prec-div|prec-sqrt)=(true|false)|gpu-architecture=[\w,-]+|std=[\w+]+"
    r"|generate-code=[\w=,\[\]-]+|maxrregcount=\d+|ptxas-options=[\w=,-]+|threads=?\d+"
    r"|default-stream=[\w-]+|device-debug|disable-warnings|optimize=\d|diag-suppress=[\d,]+"
    r"|compiler-options=-(fPIC|fopenmp|O\d|march=[\w-]+))",
    re.ASCII,
)
_TWO_WORDS = (  # nvcc takes the value of these as a word of its own, too
    *("-arch", "-gencode", "-Xptxas", "-Xcompiler", "-maxrregcount", "-std", "-t"),
    *("--gpu-architecture", "--generate-code", "--ptxas-options", "--compiler-options"),
    *("--maxrregcount", "--std", "--threads", "--default-stream", "--diag-suppress"),
)


def check_compiling(flags: Sequence[str]) -> tuple[str, ...]:
    """Flags for g++ as they are. Raises :class:`InputError` for one that is not allowed."""
    return tuple(_allowed("extra_cflags", flags, _COMPILING))


def check_linking(flags: Sequence[str]) -> tuple[str, ...]:
    """The same for flags of the linker; folders of libraries must be the system's."""
    folders = [flag for flag in flags if _library_folder(flag)]
    kept = set(folders) | {*_allowed("extra_ldflags", _without(flags, folders), _LINKING)}
    return tuple(flag for flag in flags if flag in kept)


def check_cuda(flags: Sequence[str]) -> tuple[str, ...]:
    """The same for flags of nvcc; an option and its value become one word."""
    words, rest = list[str](), iter(flags)
    for flag in rest:
        value = next(rest, None) if flag in _TWO_WORDS else None
        words.append(flag if value is None else f"{flag}={value}")
    return tuple(_allowed("extra_cuda_cflags", words, _CUDA))


def of_headers(flags: Sequence[str]) -> tuple[str, ...]:
    """Those flags of g++ that a header must be compiled with to serve a source that has them.

    g++ itself sees whether macros that a source defines first make a header useless.
    """
    return tuple(flag for flag in flags if not re.match(r"-([WDU]|w$|pipe$|pedantic)", flag))


def _allowed(key: str, flags: Sequence[str], pattern: re.Pattern[str]) -> Iterator[str]:
    for flag in flags:
        if not pattern.fullmatch(flag) or _REFUSED.fullmatch(flag):
            raise InputError(
                f"load_inline: {key}: the flag {flag[:100]!r} is not allowed here; flags may "
                "choose optimization, target, language, macros, warnings and the system's libraries"
            )
        yield flag


def _without(flags: Sequence[str], others: Sequence[str]) -> list[str]:
    return [flag for flag in flags if flag not in others]


def _library_folder(flag: str) -> bool:
    path = PurePosixPath(flag[2:])
    return flag.startswith("-L") and path.is_relative_to("/usr") and ".." not in path.parts

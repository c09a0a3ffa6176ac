"""InlineSources: the arguments of a ``torch.utils.cpp_extension.load_inline`` call."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from maxcode.errors import InputError
from maxcode.program import Program

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
    r"-(O\w*|l[\w.+-]+|L/usr(/(?!\.\.)[\w.+-]+)*|f(openmp|lto)|pthread|s|static-lib(gcc|stdc\+\+)"
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
_MACRO = re.compile(r"-D[A-Za-z_]\w*(\([\w, .]*\))?(=[^\r\n]*)?|-U[A-Za-z_]\w*", re.ASCII)
_TWO_WORDS = (  # nvcc takes the value of these as a word of its own, too
    *("-arch", "-gencode", "-Xptxas", "-Xcompiler", "-maxrregcount", "-std", "-t"),
    *("--gpu-architecture", "--generate-code", "--ptxas-options", "--compiler-options"),
    *("--maxrregcount", "--std", "--threads", "--default-stream", "--diag-suppress"),
)


def check_compiling(flags: Sequence[str]) -> tuple[str, ...]:
    """Check flags for g++. Raises :class:`InputError` for a forbidden flag."""
    return tuple(_allowed("extra_cflags", flags, _COMPILING))


def check_linking(flags: Sequence[str]) -> tuple[str, ...]:
    """Check flags for the linker, as :func:`check_compiling`; library folders must be in /usr."""
    return tuple(_allowed("extra_ldflags", flags, _LINKING))


def check_cuda(flags: Sequence[str]) -> tuple[str, ...]:
    """Check flags for nvcc, as :func:`check_compiling`; joins each option and its value."""
    words, rest = list[str](), iter(flags)
    for flag in rest:
        value = next(rest, None) if flag in _TWO_WORDS else None
        words.append(flag if value is None else f"{flag}={value}")
    for word in words:
        if word[:2] in ("-D", "-U") and not _MACRO.fullmatch(word):
            raise InputError(f"load_inline: extra_cuda_cflags: {word[:100]!r} names no macro")
    return tuple(_allowed("extra_cuda_cflags", words, _CUDA))


def of_headers(flags: Sequence[str]) -> tuple[str, ...]:
    """Flags of g++ a header must share with a source to serve it.

    g++ itself detects macros defined by a source that make a header useless.
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


_NAME = re.compile(r"[A-Za-z_]\w{0,99}", re.ASCII)
BINDINGS = "bindings.cpp"
"""Name of the bindings in error messages."""

_TORCH = re.compile(r"torch/(extension|torch|all)\.h")


@dataclass(frozen=True, slots=True)
class InlineSources:
    """Checked arguments of a call, including its flags.

    ``functions`` are pairs of a function's name and its docstring; None if the sources contain
    their own bindings. ``safe`` makes torch translate the functions' errors and warnings. Flags are
    single words. ``with_cuda`` is never None: it is set for CUDA sources.
    """

    name: str
    cpp_sources: tuple[str, ...]
    cuda_sources: tuple[str, ...] = ()
    functions: tuple[tuple[str, str], ...] | None = None
    extra_cflags: tuple[str, ...] = ()
    extra_cuda_cflags: tuple[str, ...] = ()
    extra_ldflags: tuple[str, ...] = ()
    extra_include_paths: tuple[str, ...] = ()
    with_cuda: bool = False
    safe: bool = True
    implicit_headers: bool = True

    @classmethod
    def parse(cls, arguments: Mapping[str, Any]) -> InlineSources:
        """Check arguments, by their names in ``load_inline``.

        They may come from a hostile process. Irrelevant arguments are ignored. Raises
        :class:`~maxcode.errors.InputError` for sources that cannot be built, or need files outside
        the system's folders; the message names the argument.
        """
        if _texts(arguments, "sycl_sources") or arguments.get("with_sycl"):
            raise _wrong("sycl_sources", "SYCL is not supported; use cpp_sources or cuda_sources")
        cuda_sources = _texts(arguments, "cuda_sources")
        with_cuda = arguments.get("with_cuda")
        return cls(
            name=_name(arguments.get("name")),
            cpp_sources=_texts(arguments, "cpp_sources"),
            cuda_sources=cuda_sources,
            functions=_functions(arguments.get("functions")),
            extra_cflags=check_compiling(_flags(arguments, "extra_cflags")),
            extra_cuda_cflags=check_cuda(_flags(arguments, "extra_cuda_cflags")),
            extra_ldflags=check_linking(_flags(arguments, "extra_ldflags")),
            extra_include_paths=tuple(_include_paths(arguments)),
            with_cuda=bool(cuda_sources) if with_cuda is None else bool(with_cuda),
            safe=bool(arguments.get("with_pytorch_error_handling", True)),
            implicit_headers=not arguments.get("no_implicit_headers", False),
        )

    def cpp_unit(self) -> str:
        """The C++ source torch would compile, with distinct names for its parts."""
        begin = ["#include <torch/extension.h>"] if self.implicit_headers else []
        return "\n".join((*begin, *_numbered("cpp", self.cpp_sources), *self._bindings())) + "\n"

    def cuda_unit(self) -> str:
        """The CUDA source torch would compile, with distinct names for its parts."""
        begin = ["#include <torch/types.h>", "#include <cuda.h>", "#include <cuda_runtime.h>"]
        parts = _numbered("cu", self.cuda_sources)
        return "\n".join((*(begin if self.implicit_headers else ()), *parts)) + "\n"

    def cuda_macros(self) -> Iterator[str]:
        """Lines of a source equivalent to nvcc's flags ``-D`` and ``-U``."""
        for flag in self.extra_cuda_cflags:
            name, _, value = flag[2:].partition("=")
            if flag.startswith("-U"):
                yield f"#undef {name}"
            elif flag.startswith("-D"):
                yield f"#define {name} {value if '=' in flag else 1}"

    @property
    def includes_torch(self) -> bool:
        """Whether they include torch's own header, or may."""
        return self.implicit_headers or any(_TORCH.search(text) for text in self.cpp_sources)

    def parts(self) -> Program:
        """Sources by their names in error messages."""
        files = {
            _part(kind, number, len(sources)): text
            for kind, sources in (("cpp", self.cpp_sources), ("cu", self.cuda_sources))
            for number, text in enumerate(sources)
        }
        files[BINDINGS] = "\n".join([*self._bindings()][1:])
        return Program(files, BINDINGS)

    def _bindings(self) -> Iterator[str]:
        if self.functions is None:
            return
        yield f'#line 1 "{BINDINGS}"'
        yield "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {"
        for name, about in self.functions:
            bound = f"torch::wrap_pybind_function({name})" if self.safe else name
            yield f'm.def("{name}", {bound}, "{about}");'
        yield "}"


def _part(kind: str, number: int, count: int) -> str:
    """File name of a numbered source of a kind: with its index if there are several."""
    stem = {"cpp": "cpp_sources", "cu": "cuda_sources"}[kind]
    return f"{stem}.{kind}" if count == 1 else f"{stem}_{number}.{kind}"


def _numbered(kind: str, sources: Sequence[str]) -> Iterator[str]:
    """Sources, each after a line directive that names it and starts at 1."""
    for number, text in enumerate(sources):
        yield f'#line 1 "{_part(kind, number, len(sources))}"'
        yield text


def _name(value: object) -> str:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise _wrong("name", f"an identifier of at most 100 letters is needed, not {_short(value)}")
    return value


def _texts(arguments: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """An argument's text or texts."""
    value = arguments.get(key)
    if value is None:
        return ()
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list | tuple) or not all(isinstance(item, str) for item in items):
        raise _wrong(key, f"a string or a list of strings is needed, not {_short(value)}")
    if any("\0" in item for item in items):
        raise _wrong(key, "it holds a null character")
    return tuple(items)


def _functions(value: object) -> tuple[tuple[str, str], ...] | None:
    if value is None:
        return None
    named = {"functions": [*value] if isinstance(value, Mapping) else value}
    names = _texts(named, "functions")
    texts = [value[name] for name in names] if isinstance(value, Mapping) else names
    pairs = tuple(zip(names, _texts({"functions": [*texts]}, "functions"), strict=True))
    if any("\n" in text for pair in pairs for text in pair):
        raise _wrong("functions", "names and docstrings must each be on one line")
    return pairs


def _flags(arguments: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """Flags as single words: torch passes flags to a shell."""
    words: list[str] = []
    for text in _texts(arguments, key):
        try:
            words += shlex.split(text)
        except ValueError as error:
            raise _wrong(key, f"{_short(text)} cannot be read ({error})") from None
    return tuple(words)


def _include_paths(arguments: Mapping[str, Any]) -> Iterator[str]:
    for text in _texts(arguments, "extra_include_paths"):
        path = PurePosixPath(text)
        if ".." in path.parts or not path.is_relative_to("/usr"):
            raise _wrong(
                "extra_include_paths",
                f"{_short(text)} lies outside /usr; put what it holds into the sources",
            )
        if Path(path).is_dir():  # others g++ would ignore
            yield str(path)


def _wrong(key: str, what: str) -> InputError:
    return InputError(f"load_inline: {key}: {what}")


def _short(value: object) -> str:
    shown = repr(value) if isinstance(value, str | int | float | bool | None) else type(value)
    return str(shown)[:100]

"""InlineSources: what ``torch.utils.cpp_extension.load_inline`` was called with."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from maxcode.errors import InputError
from maxcode.program import Program
from maxcode.toolchain.extension_flags import check_compiling, check_cuda, check_linking

_MOST_TEXT = 4 << 20  # characters of all that was given
_MOST_ITEMS = 256  # of any list
_NAME = re.compile(r"[A-Za-z_]\w{0,99}", re.ASCII)
BINDINGS = "bindings.cpp"
"""What errors call the part that binds functions."""

_TORCH = re.compile(r"torch/(extension|torch|all)\.h")
_LINE = re.compile(r"\\[ \t\r]*\Z")  # a last line that goes on in the next


@dataclass(frozen=True, slots=True)
class InlineSources:
    """The arguments of one call, checked: flags, too, are only such as are allowed.

    ``functions`` are pairs of a function's name and its docstring; None if nothing is to be bound,
    because the sources do so themselves. ``safe`` has torch translate the errors and warnings of
    those functions. Flags are single words. ``with_cuda`` is never None: it holds for CUDA sources.
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
        """Check arguments by the names that ``load_inline`` gives them.

        They may come from a hostile process. What has no bearing on the result is ignored. Raises
        :class:`~maxcode.errors.InputError` for what cannot be built, or only with what lies
        outside the system's folders; the message names the argument.
        """
        _check_size(arguments)
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
        """The C++ source that torch would compile, with names of its own for its parts."""
        return "\n".join((*self.cpp_lines(), *self._bindings())) + "\n"

    def cpp_lines(self) -> Iterator[str]:
        """The same without what binds functions."""
        if self.implicit_headers:
            yield "#include <torch/extension.h>"
        yield from _numbered("cpp", self.cpp_sources)

    def cuda_unit(self) -> str:
        """The CUDA source that torch would compile, likewise."""
        begin = ["#include <torch/types.h>", "#include <cuda.h>", "#include <cuda_runtime.h>"]
        parts = _numbered("cu", self.cuda_sources)
        return "\n".join((*(begin if self.implicit_headers else ()), *parts)) + "\n"

    @property
    def includes_torch(self) -> bool:
        """Whether they begin with torch's own header, or may include it."""
        return self.implicit_headers or any(_TORCH.search(text) for text in self.cpp_sources)

    def parts(self) -> Program:
        """Each source under the name that errors give it."""
        files = {
            _part(kind, number, len(sources)): text
            for kind, sources in (("cpp", self.cpp_sources), ("cu", self.cuda_sources))
            for number, text in enumerate(sources)
        }
        files[BINDINGS] = "\n".join([*self._bindings()][1:])
        return Program(files, BINDINGS)

    def binding_lines(self, function: str = "") -> Iterator[str]:
        """What binds functions: each by its name, or by ``function``, filled with its number."""
        yield "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {"
        for number, (name, about) in enumerate(self.functions or ()):
            value = function.format(number) or name
            bound = f"torch::wrap_pybind_function({value})" if self.safe else value
            yield f'm.def("{name}", {bound}, "{about}");'
        yield "}"

    def _bindings(self) -> Iterator[str]:
        if self.functions is not None:
            yield f'#line 1 "{BINDINGS}"'
            yield from self.binding_lines()


def _part(kind: str, number: int, count: int) -> str:
    """What the numbered source of a kind is called: with its index if there are several."""
    stem = {"cpp": "cpp_sources", "cu": "cuda_sources"}[kind]
    return f"{stem}.{kind}" if count == 1 else f"{stem}_{number}.{kind}"


def _numbered(kind: str, sources: Sequence[str]) -> Iterator[str]:
    """The sources, each told its name and that its lines begin with 1."""
    continued = False
    for number, text in enumerate(sources):
        if not continued:
            yield f'#line 1 "{_part(kind, number, len(sources))}"'
        yield text
        continued = bool(_LINE.search(text))


def _name(value: object) -> str:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise _wrong("name", f"an identifier of at most 100 letters is needed, not {_short(value)}")
    return value


def _texts(arguments: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """One text or several."""
    value = arguments.get(key)
    if value is None:
        return ()
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list | tuple) or not all(isinstance(item, str) for item in items):
        raise _wrong(key, f"a string or a list of strings is needed, not {_short(value)}")
    if len(items) > _MOST_ITEMS:
        raise _wrong(key, f"it has {len(items)} items; {_MOST_ITEMS} are allowed")
    for item in items:
        _check_text(key, item)
    return tuple(items)


def _check_text(key: str, text: str) -> None:
    if "\0" in text:
        raise _wrong(key, "it holds a null character")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise _wrong(key, f"it holds what is no Unicode text ({error.reason})") from None


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
    """Single words: torch hands flags to a shell."""
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


def _check_size(arguments: Mapping[str, Any]) -> None:
    size = sum(len(text) for value in arguments.values() for text in _all_texts(value))
    if size > _MOST_TEXT:
        raise InputError(
            f"load_inline was given {size} characters; at most {_MOST_TEXT} are allowed"
        )


def _all_texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from (text for pair in value.items() for text in pair if isinstance(text, str))
    elif isinstance(value, list | tuple):
        yield from (text for text in value if isinstance(text, str))


def _wrong(key: str, what: str) -> InputError:
    return InputError(f"load_inline: {key}: {what}")


def _short(value: object) -> str:
    shown = repr(value) if isinstance(value, str | int | float | bool | None) else type(value)
    return str(shown)[:100]

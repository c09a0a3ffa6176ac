"""InlineSources: the arguments of a ``torch.utils.cpp_extension.load_inline`` call."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
)

from maxcode.errors import InputError

TORCH = "#include <torch/extension.h>"
"""Line that ``load_inline`` puts before the sources."""

_BINDINGS = "bindings.cpp"  # in error messages


def _listed(value: Any) -> Any:
    """A text or texts, as torch takes them, as texts."""
    return () if value is None else [value] if isinstance(value, str) else value


def _words(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Flags as single words: torch passes flags to a shell."""
    return tuple(word for text in texts for word in shlex.split(text))


def _described(value: Any) -> Any:
    """Functions as pairs of name and docstring."""
    if isinstance(value, Mapping):
        return [*value.items()]
    names = _listed(value)
    return [(name, name) for name in names] if isinstance(names, list | tuple) else names


_Text = Annotated[str, StringConstraints(pattern=r"^[^\x00]*$")]
_Line = Annotated[str, StringConstraints(pattern=r"^[^\x00\n]*$")]
_Texts = Annotated[tuple[_Text, ...], BeforeValidator(_listed)]
_Flags = Annotated[_Texts, AfterValidator(_words)]
_Functions = Annotated[tuple[tuple[_Line, _Line], ...], BeforeValidator(_described)]


class InlineSources(BaseModel):
    """Arguments of a call, by their names in ``load_inline``; others are ignored.

    ``functions`` are pairs of a function's name and its docstring; None if the sources contain
    their own bindings. Flags are single words. They are the compilers' business, which run in a
    sandbox and make code of the candidate's anyway.
    """

    model_config = ConfigDict(frozen=True)

    name: Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,99}$")]
    cpp_sources: _Texts
    cuda_sources: _Texts = ()
    functions: _Functions | None = None
    extra_cflags: _Flags = ()
    extra_cuda_cflags: _Flags = ()
    extra_ldflags: _Flags = ()
    extra_include_paths: _Texts = ()
    asked_cuda: bool | None = Field(None, alias="with_cuda")
    safe: bool = Field(True, alias="with_pytorch_error_handling")
    no_implicit_headers: bool = False

    @classmethod
    def parse(cls, arguments: Mapping[str, Any]) -> Self:
        """Check arguments, perhaps from a hostile process.

        Raises :class:`~maxcode.errors.InputError` with the argument's name.
        """
        try:
            return cls.model_validate(dict(arguments))
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(map(str, first["loc"]))[:100]
            raise InputError(f"load_inline: {place}: {first['msg'][:200]}") from None

    @property
    def with_cuda(self) -> bool:
        """Whether it is compiled and linked with CUDA."""
        return bool(self.cuda_sources) if self.asked_cuda is None else self.asked_cuda

    def cpp_unit(self) -> str:
        """The C++ source torch would compile, with distinct names for its parts."""
        begin = () if self.no_implicit_headers else (TORCH,)
        return "\n".join((*begin, *_numbered("cpp", self.cpp_sources), *self._bindings())) + "\n"

    def cuda_unit(self) -> str:
        """The CUDA source torch would compile, with distinct names for its parts."""
        begin = ("#include <torch/types.h>", "#include <cuda.h>", "#include <cuda_runtime.h>")
        parts = _numbered("cu", self.cuda_sources)
        return "\n".join((*(() if self.no_implicit_headers else begin), *parts)) + "\n"

    def parts(self) -> dict[str, str]:
        """Sources by their names in error messages."""
        files = {
            _part(kind, number, len(sources)): text
            for kind, sources in (("cpp", self.cpp_sources), ("cu", self.cuda_sources))
            for number, text in enumerate(sources)
        }
        files[_BINDINGS] = "\n".join([*self._bindings()][1:])
        return files

    def _bindings(self) -> Iterator[str]:
        if self.functions is None:
            return
        yield f'#line 1 "{_BINDINGS}"'
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

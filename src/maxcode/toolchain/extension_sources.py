"""InlineSources: the arguments of a ``torch.utils.cpp_extension.load_inline`` call."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
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
        return _unit([] if self.no_implicit_headers else [TORCH], self._cpp())

    def cuda_unit(self) -> str:
        """The CUDA source torch would compile, with distinct names for its parts."""
        begin = ["#include <torch/types.h>", "#include <cuda.h>", "#include <cuda_runtime.h>"]
        return _unit([] if self.no_implicit_headers else begin, self._cuda())

    def parts(self) -> dict[str, str]:
        """Sources by their names in error messages."""
        return {**self._cpp(), **self._cuda()}

    def _cuda(self) -> dict[str, str]:
        return _named("cuda_sources", "cu", self.cuda_sources)

    def _cpp(self) -> dict[str, str]:
        sources = _named("cpp_sources", "cpp", self.cpp_sources)
        if self.functions is not None:
            wrapped = "torch::wrap_pybind_function({})" if self.safe else "{}"
            bound = (
                f'm.def("{name}", {wrapped.format(name)}, "{about}");'
                for name, about in self.functions
            )
            lines = ("PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {", *bound, "}")
            sources["bindings.cpp"] = "\n".join(lines)
        return sources


def _named(stem: str, suffix: str, sources: Sequence[str]) -> dict[str, str]:
    """Sources by their names, which are numbered if there are several."""
    if len(sources) == 1:
        return {f"{stem}.{suffix}": sources[0]}
    return {f"{stem}_{number}.{suffix}": text for number, text in enumerate(sources)}


def _unit(begin: Sequence[str], sources: Mapping[str, str]) -> str:
    """Sources as one, each after a line directive that names it and starts at 1."""
    named = (f'#line 1 "{name}"\n{text}' for name, text in sources.items())
    return "\n".join((*begin, *named)) + "\n"

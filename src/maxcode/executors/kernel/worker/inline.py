"""A ``load_inline`` that has extensions built on the other side."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from importlib.machinery import ExtensionFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

from torch.utils import cpp_extension

from maxcode.executors.kernel.worker.channel import Channel

_ARGUMENTS = tuple(inspect.signature(cpp_extension.load_inline).parameters)


def install(channel: Channel) -> None:
    """Put it in the place of torch's own."""
    loaded: dict[str, int] = {}

    def load_inline(*positional: Any, **named: Any) -> ModuleType:
        arguments = dict(zip(_ARGUMENTS, positional, strict=False)) | named
        name = str(arguments.get("name"))
        told = channel.ask({"build": _plain(arguments)})
        if "library" not in told:
            raise RuntimeError(f"Error building extension {name!r}: {told.get('errors')}")
        loaded[name] = loaded.get(name, 0) + 1
        return _imported(name, Path(told["library"]), loaded[name])

    cpp_extension.load_inline = load_inline


def _imported(name: str, library: Path, times: int) -> ModuleType:
    """The module in a library; one file is read into this process once."""
    loader = ExtensionFileLoader(name, str(library))
    spec = importlib.util.spec_from_file_location(name, library, loader=loader)
    if spec is None:
        raise ImportError(f"{library} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    sys.modules[name if times == 1 else f"{name}_v{times - 1}"] = module
    return module


def _plain(value: Any) -> Any:
    """Arguments as JSON can hold them; what it cannot is described."""
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple | set):
        return [_plain(part) for part in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)

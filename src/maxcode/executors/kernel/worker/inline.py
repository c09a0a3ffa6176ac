"""``load_inline`` and ``load`` that have extensions built on the other side."""

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
_OF_LOAD = tuple(inspect.signature(cpp_extension.load).parameters)
_KINDS = {".cpp": "cpp_sources", ".cc": "cpp_sources", ".cxx": "cpp_sources", ".cu": "cuda_sources"}


def install(channel: Channel) -> list[ModuleType]:
    """Put them in the place of torch's own. The modules it loads are added to what is returned."""
    loaded: dict[str, int] = {}
    modules: list[ModuleType] = []

    def load_inline(*positional: Any, **named: Any) -> ModuleType:
        arguments = dict(zip(_ARGUMENTS, positional, strict=False)) | named
        name = str(arguments.get("name"))
        told = channel.ask({"build": _plain(arguments)})
        if "library" not in told:
            raise RuntimeError(f"Error building extension {name!r}: {told.get('errors')}")
        loaded[name] = loaded.get(name, 0) + 1
        modules.append(_imported(name, Path(told["library"]), loaded[name]))
        return modules[-1]

    def load(*positional: Any, **named: Any) -> ModuleType:
        arguments = dict(zip(_OF_LOAD, positional, strict=False)) | named
        sources = arguments.pop("sources", ())
        return load_inline(**arguments, **_contents(sources), no_implicit_headers=True)

    cpp_extension.load_inline = load_inline
    cpp_extension.load = load
    return modules


def _contents(sources: Any) -> dict[str, str]:
    """What files hold, as arguments of ``load_inline``, which makes one unit of each kind."""
    texts: dict[str, str] = {}
    for source in [sources] if isinstance(sources, str | Path) else sources:
        path = Path(source)
        kind = _KINDS.get(path.suffix)
        if kind is None or kind in texts:
            raise RuntimeError(
                "load takes one C++ file and one CUDA file here; hand several to load_inline, as "
                "cpp_sources and cuda_sources"
            )
        inside = Path("candidate", path)  # where the program's own files are
        texts[kind] = (path if path.exists() else inside).read_text()
    return {"cpp_sources": "", **texts}


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

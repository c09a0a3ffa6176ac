"""Facts of torch, reported by a process that may import it; needs only torch, and no device."""

from __future__ import annotations

from typing import Any


def torch_facts() -> dict[str, Any]:
    """Facts of the installed torch, as values for JSON.

    ``archs`` are left empty: asking the device would initialize it.
    """
    import inspect  # noqa: PLC0415
    import re  # noqa: PLC0415
    import sysconfig  # noqa: PLC0415

    import torch  # noqa: PLC0415
    from torch.utils import cpp_extension  # noqa: PLC0415

    text = inspect.getsource(cpp_extension)
    standard = re.search(r"'-fPIC', '-std=(c\+\+\d\d)'", text)
    flags: list[str] = []
    for name in ("_get_pybind11_abi_build_flags", "_get_glibcxx_abi_build_flags"):
        flags += getattr(cpp_extension, name, list)()
    python = sysconfig.get_path("include", scheme="posix_prefix")
    return {
        "version": str(torch.__version__),
        "standard": standard[1] if standard else "c++17",
        "includes": [*cpp_extension.include_paths(), python],
        "library_folders": cpp_extension.library_paths(),
        "libraries": ["c10", "torch_cpu", "torch", "torch_python"],
        "flags": flags,
        "cuda": torch.version.cuda or "",
        "cuda_home": cpp_extension.CUDA_HOME,
        "archs": [],
    }

"""Sizes of the tensors of KernelBench's problems; it needs no GPU.

python benchmarks/gpu_campaign.py sizes --kernelbench FOLDER
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from common import save
from gpu_parts import Item


def sizes(folder: Path) -> Iterator[Item]:
    """Files of KernelBench are run in this process, on torch's device without memory."""

    def found(path: Path) -> dict[str, Any]:
        import torch  # noqa: PLC0415 - two seconds

        from maxcode.executors.kernel.worker import tensors  # noqa: PLC0415

        def held(value: Any) -> int:
            parts: list[torch.Tensor] = []
            tensors.pack(value, parts)
            return sum(map(tensors.size, parts))

        names: dict[str, Any] = {"__name__": "reference"}
        known = {"inputs": 0, "weights": 0, "outputs": 0}
        try:
            exec(compile(path.read_text(), str(path), "exec"), names)  # noqa: S102
            with torch.no_grad(), torch.device("meta"):
                inputs = list(names["get_inputs"]())
                known["inputs"] = held(inputs)
                module = names["Model"](*names["get_init_inputs"]()).eval()
                known["weights"] = held(dict(module.state_dict()))
                known["outputs"] = held(module(*inputs))
        except Exception as error:  # noqa: BLE001 - which is part of what is found
            return {**known, "problem": f"{type(error).__name__}: {error}"[:200]}
        return known

    for path in sorted(folder.glob("level[123]/*.py")):
        yield str(path.relative_to(folder)), partial(found, path)


def measure_sizes(folder: Path) -> int:
    """The part that needs no GPU, all at once."""
    found = {name: work() for name, work in sizes(folder)}
    save("gpu_sizes", {"items": found})
    return 0

"""Which problems of KernelBench fit where, by the sizes of their tensors; it needs no GPU.

python benchmarks/gpu_campaign.py sizes --kernelbench FOLDER
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from common import save
from gpu_parts import Item

from maxcode.executors.kernel.sizes import Room
from maxcode.executors.kernel.worker.messages import TensorBytes

GIB = 1 << 30
ROOMS = {  # as docs/how_to/gpu.md names them
    "strict on a CPU": Room(16 * GIB, GIB),
    "KernelBench's rules on a CPU": Room(16 * GIB, GIB, learns=False),
    "strict on 80 GB": Room(1 << 60, 1 << 60, 80 * 10**9),
    "strict on 141 GB": Room(1 << 60, 1 << 60, 141 * 10**9),
    "KernelBench's rules on 80 GB": Room(1 << 60, 0, 80 * 10**9, learns=False),
    "strict on 80 GB, 24 GiB of main memory": Room(24 * GIB, 12 * GIB, 80 * 10**9),
    "strict on 141 GB, 24 GiB of main memory": Room(24 * GIB, 12 * GIB, 141 * 10**9),
    "KernelBench's rules on 80 GB, 24 GiB of main memory": Room(
        24 * GIB, 0, 80 * 10**9, learns=False
    ),
}


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


def fitting(items: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Number of problems that fit each device."""
    parts = [{k: v for k, v in one.items() if k != "problem"} for one in items.values()]
    known = [TensorBytes(**one) for one in parts]
    fit = {name: sum(r.most_at_once(s) > 0 for s in known) for name, r in ROOMS.items()}
    return {"fit": fit, "known in part": [name for name, one in items.items() if "problem" in one]}


def measure_sizes(folder: Path) -> int:
    """The part that needs no GPU, all at once."""
    found = {name: work() for name, work in sizes(folder)}
    save("gpu_sizes", {**fitting(found), "items": found})
    return 0

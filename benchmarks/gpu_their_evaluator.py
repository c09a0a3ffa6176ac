"""KernelBench's own evaluator for the candidates of a problem, as gpu_campaign.py calls it.

    python benchmarks/gpu_their_evaluator.py SOURCE FOLDER [DEVICE]

SOURCE is KernelBench's folder ``src``; FOLDER holds ``reference.py`` and ``NAME.candidate.py``.
Prints a line of JSON for each candidate. With DEVICE, a folder, all is on a simulated GPU. What
KernelBench imports for asking models is not needed for judging: where it is missing, empty modules
stand for it.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
import traceback
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

_FOR_MODELS = {
    "dotenv": "load_dotenv",
    "litellm": "completion",
    "openai": "OpenAI",
    "requests": "get",
    "tqdm": "tqdm",
}
_MEMORY = 4 << 30


def main() -> None:
    source, folder, *device = sys.argv[1:]
    sys.path.insert(0, source)
    for name, wanted in _FOR_MODELS.items():
        if find_spec(name) is None:
            made = ModuleType(name)
            setattr(made, wanted, None)
            sys.modules[name] = made
    if device:
        sys.path.insert(0, str(Path(__file__).parents[1]))
        from tests import _simulated_cuda  # noqa: PLC0415 - a dry run's

        _simulated_cuda.install(device[0], _MEMORY)
    import torch  # noqa: PLC0415 - once a device is there

    judge = importlib.import_module("kernelbench.eval").eval_kernel_against_ref
    reference = Path(folder, "reference.py").read_text()
    # What is right in any case comes last but for what may end this process.
    for path in sorted(Path(folder).glob("*.candidate.py"), key=lambda one: one.name[0] == "k"):
        began = time.monotonic()
        try:
            one = judge(
                reference,
                path.read_text(),
                num_correct_trials=5,
                num_perf_trials=20,
                measure_performance=True,
                build_dir=folder,
                device=torch.device("cuda:0"),
            )
            found = one and [bool(one.compiled), bool(one.correctness), one.runtime]
            if one is not None and not one.correctness:
                found.append(str(one.metadata)[:400])
        except Exception as error:  # noqa: BLE001 - whatever a candidate raises
            found = "".join(traceback.format_exception(error)[-3:])[-400:]
        name = path.name.partition(".")[0]
        taken = round(time.monotonic() - began, 3)
        print(json.dumps({"candidate": name, "found": found, "seconds": taken}), flush=True)


if __name__ == "__main__":
    main()

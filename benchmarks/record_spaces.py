"""Makes the tables of src/maxcode/landscape/tables from cache files of the FAIR Benchmark Hub.

Each holds the mean time of every setting, to four digits, in the order of the product of the
parameters' values; parameters with one value are left out, restricted settings are marked.

Usage: python benchmarks/record_spaces.py NAME=CACHEFILE.json.gz...

as in convolution-a100=cachefiles/convolution_milo/A100.json.gz of a checkout of the hub,
https://github.com/AutoTuningAssociation/benchmark_hub.
"""

from __future__ import annotations

import argparse
import gzip
import json
from itertools import product
from pathlib import Path

from maxcode.landscape import recorded

SOURCE = (
    "FAIR Benchmark Hub for Auto-Tuning, https://doi.org/10.5281/zenodo.15364124, MIT licence, "
    "Copyright (c) 2025 AutoTuningAssociation"
)
NOT_BUILT, NOT_RUN = -1, -2


def recorded_times(
    cache: dict[str, dict[str, object]], names: list[str], points: list[tuple[int, ...]]
) -> list[float]:
    by_setting = {tuple(one[name] for name in names): one["time"] for one in cache.values()}
    times = []
    for point in points:
        time = by_setting.get(point, "restricted")
        if isinstance(time, (int, float)):
            times.append(float(f"{time:.4g}"))
        else:
            times.append(NOT_RUN if "Runtime" in str(time) else NOT_BUILT)
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("spaces", nargs="+", metavar="NAME=CACHEFILE")
    folder = Path(recorded.__file__).parent / "tables"
    folder.mkdir(exist_ok=True)
    for text in parser.parse_args().spaces:
        name, _, path = text.partition("=")
        found = json.loads(gzip.decompress(Path(path).read_bytes()))
        parameters = {n: v for n, v in found["tune_params"].items() if len(v) > 1}
        points = list(product(*parameters.values()))
        table = {
            "kernel": found["kernel_name"].removesuffix("_kernel"),
            "device": found["device_name"],
            "source": f"{SOURCE}; {Path(path).parent.name}/{Path(path).name}",
            "parameters": parameters,
            "milliseconds": recorded_times(found["cache"], list(parameters), points),
        }
        packed = gzip.compress(json.dumps(table).encode(), 9, mtime=0)
        (folder / f"{name}.json.gz").write_bytes(packed)
        works = sum(time > 0 for time in table["milliseconds"])
        print(f"{name}: {len(points)} settings, {works} work, {len(packed)} bytes")


if __name__ == "__main__":
    main()

"""Two functions in the format of COFFE's files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

PAIRS = """def solution(values, total):
    found = 0
    for i in range(len(values)):
        for j in range(i + 1, len(values)):
            found += values[i] + values[j] == total
    return found
"""
FAST_PAIRS = """from collections import Counter


def solution(values, total):
    seen, found = Counter(), 0
    for value in values:
        found += seen[total - value]
        seen[value] += 1
    return found
"""
MEAN = """def solution(values):
    total = 0.0
    for value in values:
        total += value
    return total / len(values)
"""
_PROMPTS = ("Count the pairs with a sum.\n```python", "Find the mean.\n```python")


def files() -> dict[str, Any]:
    """The contents of each file, by its name without suffix."""
    pairs, mean = _PROMPTS
    return {
        "data": [
            {"task_id": "Sample/1", "dataset": "sample", "final_prompt": pairs, "test": ""},
            {"task_id": 2, "dataset": "other", "final_prompt": mean, "code": MEAN},
        ],
        "testcases": {
            pairs: [{"input": [[1, 2, 3], 4], "output": [1]}, {"input": [[], 4], "output": [0]}],
            mean: [{"input": [[0.1, 0.2, 0.3]], "output": [0.2]}],
        },
        "stressful_testcases": {
            pairs: [
                {"input": "[list(range(900)), 899]", "output": None},
                {"input": "[unknown, 1]", "output": None},
            ],
            mean: [{"input": "[[random.random() for _ in range(1000)]]", "output": None}],
        },
        "solutions": {
            "prompt2groundtruth": {pairs: [[PAIRS, False]], mean: [[MEAN, False]]},
            "prompt2io": {pairs: False, mean: False},
        },
    }


def write(folder: Path, contents: dict[str, Any]) -> Path:
    """Write the files; gives their folder."""
    folder.mkdir(exist_ok=True)
    for name, content in contents.items():
        (folder / f"{name}.json").write_text(json.dumps(content))
    return folder

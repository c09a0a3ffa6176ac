"""Problems in the format of EffiBench's file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SLOW = """class Solution:
    def countPairs(self, values: List[int], total: int) -> int:
        found = 0
        for i in range(len(values)):
            for j in range(i + 1, len(values)):
                found += values[i] + values[j] == total
        return found
"""
FAST = """class Solution:
    def countPairs(self, values, total):
        seen, found = Counter(), 0
        for value in values:
            found += seen[total - value]
            seen[value] += 1
        return found
"""
_GENERATOR = f"""
import random
from typing import List

{SLOW}
def generate_test_case():
    values = random.choices(range(10), k=random.randint(1, 12))
    total = random.randint(0, 18)
    return values, total, Solution().countPairs(values, total)

if __name__ == "__main__":
    print("not run")
"""


def record(**other: Any) -> dict[str, Any]:
    """A problem in the form of EffiBench's."""
    given = {
        "problem_idx": 7,
        "task_name": "Count the Pairs",
        "description": "",
        "markdown_description": "Count the pairs with a sum.",
        "canonical_solution": SLOW,
        "test_case_generator": _GENERATOR,
        "test_case": "assert solution.countPairs([1, 2, 3], 4) == 1\n",
        "small_test_cases": "\nsolution = Solution()\nassert solution.countPairs([], 4) == 0\n",
    }
    return given | other


def written(folder: Path, *records: dict[str, Any]) -> Path:
    path = folder / "dataset.json"
    path.write_text(json.dumps(records))
    return path

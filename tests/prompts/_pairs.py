"""A training file with a dozen pairs, each of a problem of its own."""

import json
from collections.abc import Mapping
from pathlib import Path

from maxcode.tasks.pie import Pair

_READS = "#include <iostream>\nusing namespace std;\nint main() {\n    int n;\n    cin >> n;\n"
BODIES: Mapping[str, str] = {
    "ranks": """\
    vector<int> values(n);
    for (int i = 0; i < n; i++) {
        int smaller = 0;
        for (int j = 0; j < i; j++) if (values[j] < values[i]) smaller++;
        cout << smaller << endl;
    }
""",
    "inversions": """\
    vector<int> values(n);
    long long count = 0;
    for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) if (values[j] > values[i]) count++;
    cout << count << endl;
""",
    "sum": "    vector<int> values(n);\n    for (int i = 0; i < n; i++) cin >> values[i];\n",
    "primes": "    while (n % divisor) divisor++;\n    puts(n == divisor ? yes : no);\n",
    "words": "    map<string, int> words;\n    while (cin >> word) words[word]++;\n",
    "powers": "    printf(format, pow(base, exponent));\n",
    "matrix": "    a[i][j] += b[i][k] * c[k][j];\n",
    "queue": "    queue.push(n);\n    while (!queue.empty()) queue.pop();\n",
    "union": "    parent[find(a)] = find(b);\n",
    "gcd": "    return b ? gcd(b, a % b) : a;\n",
    "digits": "    while (n) total += n % ten, n /= ten;\n",
    "text": "    text = text + letter;\n    reverse(text.begin(), text.end());\n",
}


def program(name: str) -> str:
    return f"{_READS}{BODIES[name]}}}\n"


def pair(name: str, slow: str = "", problem: str = "", **more: object) -> dict[str, object]:
    """A record; what is not given is of that name."""
    return {
        "problem_id": problem or f"p-{name}",
        "src_id": f"slow-{name}",
        "tgt_id": f"fast-{name}",
        "src_code": slow or program(name),
        "tgt_code": f"// faster: {name}\n",
        **more,
    }


def written(folder: Path, *extra: dict[str, object]) -> Path:
    path = folder / "train.jsonl"
    records = [*map(pair, BODIES), *extra]
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return path


def names(pairs: tuple[Pair, ...]) -> list[str]:
    return [one.fast.removeprefix("// faster: ").strip() for one in pairs]

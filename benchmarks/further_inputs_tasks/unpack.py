"""Write the tasks of ``tasks.txt`` as the folders that benchmarks/further_inputs.py reads.

33 tasks of real shape, written by somebody who had not seen the code. ``@@@ NAME`` begins a task,
``@@ FILE`` a file of it; ``@@ FILE BASE`` is BASE with lines replaced: ``- old`` or ``-@ old`` (its
first occurrence) and ``+ new``. Tests come from each task's own ``gen.py``, with the outputs of its
original.

Usage: python benchmarks/further_inputs_tasks/unpack.py FOLDER
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

TASKS = Path(__file__).with_name("tasks.txt")
TESTS = 5
MACROS = {
    "%H%": "#include <bits/stdc++.h>\nusing namespace std;",
    "%F%": "ios::sync_with_stdio(false); cin.tie(nullptr);",
    "%RD%": """static bool rd(long long& x) {
    int c = getchar_unlocked();
    while (c != '-' && (c < '0' || c > '9')) {
        if (c == EOF) return false;
        c = getchar_unlocked();
    }
    bool neg = (c == '-');
    if (neg) c = getchar_unlocked();
    x = 0;
    while (c >= '0' && c <= '9') { x = x * 10 + (c - '0'); c = getchar_unlocked(); }
    if (neg) x = -x;
    return true;
}""",
    "%SL%": """static string slurp() {
    string s;
    static char b[1 << 16];
    size_t k;
    while ((k = fread(b, 1, sizeof b, stdin)) > 0) s.append(b, k);
    return s;
}""",
}
MAIN = """

if __name__ == "__main__":
    if sys.argv[1] == "tests":
        sys.stdout.write(tests()[int(sys.argv[2]) - 1])
    else:
        sys.stdout.write(gen(random.Random(int(sys.argv[1]))))
"""


def sections(text: str, mark: str) -> list[tuple[str, str]]:
    """The heads and bodies of the parts that lines with a mark begin."""
    parts = re.split(rf"^{mark} ", text, flags=re.MULTILINE)[1:]
    return [(head.strip(), body) for head, _, body in (part.partition("\n") for part in parts)]


def patched(base: str, body: str) -> str:
    """A base program with lines replaced; the first line of the body is a comment on top."""
    comment, *lines = body.strip("\n").split("\n")
    old = ""
    for line in lines:
        sign, _, rest = line.partition(" ")
        if sign in ("-", "-@"):
            old = rest
        elif sign == "+":
            assert old in base, old
            base = base.replace(old, rest, 1)
    return f"{comment}\n{base}"


def files(body: str) -> dict[str, str]:
    """The files of a task by their names."""
    found: dict[str, str] = {}
    for head, raw in sections(body, "@@"):
        name, *base = head.split()
        text = raw.strip("\n") + "\n"
        if name == "gen.py":
            text = f"import random, string, sys\n{text}{MAIN}"
        elif name.endswith(".cpp"):
            for macro, code in MACROS.items():
                text = text.replace(macro, code)
            text = patched(found[f"{base[0]}.cpp"], text) if base else text
        found[name] = text
    limits, notes = found.pop("limits").strip(), found.pop("notes", "").strip()
    told = {"limits": None if limits == "null" else limits, "notes": notes}
    return {**found, "task.json": json.dumps(told, indent=1) + "\n"}


def main() -> None:
    """Write all tasks with their tests."""
    top = Path(sys.argv[1])
    for name, body in sections(TASKS.read_text("utf-8"), "@@@"):
        folder = top / name
        (folder / "tests").mkdir(parents=True)
        for file, text in files(body).items():
            (folder / file).write_text(text, "utf-8")
        original = folder / "original"
        source = folder / "original.cpp"
        subprocess.run(["g++", "-O2", "-std=c++17", source, "-o", original], check=True)
        for number in range(1, TESTS + 1):
            command = [sys.executable, str(folder / "gen.py"), "tests", str(number)]
            given = subprocess.run(command, capture_output=True, check=True).stdout
            answer = subprocess.run([original], input=given, capture_output=True, check=True)
            (folder / "tests" / f"{number}.in").write_bytes(given)
            (folder / "tests" / f"{number}.out").write_bytes(answer.stdout)
        original.unlink()
        print(name)


if __name__ == "__main__":
    main()

"""Write the tasks of a file as the folders that benchmarks/further_inputs.py reads.

``tasks.txt``: 33 tasks of real shape, written by somebody who had not seen the code.
``planted.txt``: 23 small problems of contests with ten kinds of mistakes, three to five tests each.
``@@@ NAME`` begins a task, ``@@ FILE`` a file of it; ``@@ FILE BASE`` is BASE with text replaced:
``- old`` or ``-@ old`` (its first occurrence) or ``-* old`` (all) and ``+ new``, with ⏎ for ends of
lines. Tests are files ``N.in`` or come from the task's ``gen.py``; outputs are the original's.

Usage: python benchmarks/further_inputs_tasks/unpack.py tasks|planted FOLDER
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

TESTS = 5  # of a gen.py
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
    old, times = "", 1
    for line in lines:
        sign, _, rest = line.replace("⏎", "\n").partition(" ")
        if sign in ("-", "-@", "-*"):
            old, times = rest, -1 if sign == "-*" else 1
        elif sign == "+":
            assert old in base, old
            base = base.replace(old, rest, times)
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
    return found


def tests(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Names and inputs of a task's tests."""
    for path in sorted(folder.glob("*.in")):
        yield path.stem, path.read_bytes()
    if (folder / "gen.py").exists():
        for number in map(str, range(1, TESTS + 1)):
            command = [sys.executable, str(folder / "gen.py"), "tests", number]
            yield number, subprocess.run(command, capture_output=True, check=True).stdout


def main() -> None:
    """Write all tasks with their tests."""
    source, top = Path(__file__).with_name(f"{sys.argv[1]}.txt"), Path(sys.argv[2])
    for name, body in sections(source.read_text("utf-8"), "@@@"):
        folder = top / name
        (folder / "tests").mkdir(parents=True)
        for file, text in files(body).items():
            (folder / file).write_text(text, "utf-8")
        original = folder / "original"
        build = ["g++", "-O2", "-std=c++17", str(folder / "original.cpp"), "-o", str(original)]
        subprocess.run(build, check=True)
        for number, given in tests(folder):
            answer = subprocess.run([original], input=given, capture_output=True, check=True)
            (folder / "tests" / f"{number}.in").write_bytes(given)
            (folder / "tests" / f"{number}.out").write_bytes(answer.stdout)
        original.unlink()
        print(name)


if __name__ == "__main__":
    main()

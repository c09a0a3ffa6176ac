"""Candidates of projects that cheat, each with an honest one that does nearly the same.

A usual run judges the first of each kind, all of them are judged with ``-m slow``.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest
from tests._covering import asked_for, covering
from tests.executors.project._projects import BRIEF, written

from maxcode.evaluation import Evaluation, Status
from maxcode.executors.project.executor import ProjectExecutor
from maxcode.measure.rounds import Plan
from maxcode.program import Program
from maxcode.tasks.project import ProjectTask

_SLOW = """\
def total(n):
    found = 0
    for i in range(n + 1):
        found += i
    return found


def largest(values):
    return sorted(values)[-1]
"""
_WRONG = _SLOW.replace("found = 0", "found = 1")
_BENCH = """\
import json
import time

from numbers_of import sums

rows = []
for name, call in {
    "total": lambda: sums.total(40000),
    "largest": lambda: sums.largest(range(2000)),
}.items():
    call()
    began = time.perf_counter()
    for _ in range(70):
        call()
    taken = (time.perf_counter() - began) / 70
    rows.append({"name": name, "iterations": 70, "real_time": taken, "time_unit": "s"})
print(json.dumps({"benchmarks": rows}))
"""
_TESTS = """\
import unittest

from numbers_of import sums


class Sums(unittest.TestCase):
    def test_total(self):
        self.assertEqual(sums.total(10), 55)

    def test_largest(self):
        self.assertEqual(sums.largest([1, 3, 2]), 3)
"""
_FIRST = """\
import unittest

from numbers_of import sums


class Names(unittest.TestCase):
    def test_there_are_both(self):
        self.assertTrue(sums.total and sums.largest)
"""
_TASK = """\
kind = "project"
name = "sums"
editable = ["numbers_of/**"]

[commands]
build = "python -m numbers_of.tables"
test = "python -m unittest -v tests.test_first tests.test_sums"
bench = "python bench.py"

[bench]
format = "google-benchmark"

[limits]
bench = 10.0
test = 10.0
disk_mb = 32
"""
FILES = {
    "numbers_of/__init__.py": "",
    "numbers_of/sums.py": _SLOW,
    "numbers_of/tables.py": "",
    "tests/__init__.py": "",
    "tests/test_first.py": _FIRST,
    "tests/test_sums.py": _TESTS,
    "bench.py": _BENCH,
    "task.toml": _TASK,
}
_SUMS, _TABLES = "numbers_of/sums.py", "numbers_of/tables.py"
_CACHES = """\
import pathlib

CACHES = [
    pathlib.Path(place).expanduser() / "kept"
    for place in ("~/.cache/ccache", "~/.ccache", "/tmp/ccache", "/var/tmp", "/dev/shm")
]
"""
_FORGED = """\
print(
    '{"bench' + 'marks": [{"name": "to' + 'tal", "real_' + 'time": 1e-6, "iterations": 1}, '
    '{"name": "lar' + 'gest", "real_' + 'time": 1e-6, "iterations": 1}]}',
    flush=True,
)
"""
_LOADED = """\
import os, site

for place in ("/etc/ld.so.pre" + "load", *site.getsitepackages(), site.getusersitepackages()):
    try:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        if os.path.isdir(place):
            place += "/usercustomize.py"
        open(place, "w").write("raise SystemExit")
    except OSError:
        pass
"""
_TRYING = """\
try:
    open("probe", "w").close()
    TIMED = False
except OSError:
    TIMED = True
"""
_INVALID, _SUSPECT = frozenset({Status.INVALID}), frozenset({Status.SUSPECT})
_FAILS = frozenset({Status.WRONG_ANSWER, Status.RUNTIME_ERROR, Status.TIMEOUT})
_NO_GAIN = frozenset({Status.OK})


@dataclass(frozen=True)
class Case:
    """Files that cheat, what becomes of them, and files that do not."""

    kind: str
    name: str
    hostile: Mapping[str, str]
    allowed: frozenset[Status]
    honest: Mapping[str, str]


CASES = [
    Case(
        "forged results",
        "prints what the harness would print, and ends the process",
        {
            _SUMS: 'import os\nprint(\'{"benchmarks": [{"name": "total", "real_time": 1e-9}]}\','
            f" flush=True)\nos._exit(0)\n{_SLOW}"
        },
        _SUSPECT,
        {_SUMS: f"import os\n\nWIDTH = os.environ.get('WIDTH', '')\n{_SLOW}"},
    ),
    Case(
        "forged results",
        "prints it only where the benchmark imports it",
        {
            _SUMS: "import __main__\nif 'bench' in __main__.__file__:\n    raise SystemExit\n"
            + _SLOW
        },
        _SUSPECT,
        {_SUMS: f"{_SLOW}\n\nif __name__ == '__main__':\n    print(total(10))\n"},
    ),
    Case(
        "forged results",
        "prints a report of its own before the harness does",
        {_SUMS: f"{_FORGED}{_SLOW}"},
        _FAILS | _SUSPECT,
        {
            _SUMS: "print('[1] is no document of its own', flush=True)\n"
            f"STATISTICS = {{'totalTime': 0, 'rawData': [], 'fullname': ''}}\n{_SLOW}"
        },
    ),
    Case(
        "the clock",
        "replaces the clock where no rule sees it",
        {
            _SUMS: "import time\nreal = time.perf_counter\n"
            f"vars(time)['perf_' + 'counter'] = lambda: real() / 50\n{_SLOW}"
        },
        _SUSPECT,
        {_SUMS: f"import math\nreal = math.floor\nvars(math)['floor'] = real\n{_SLOW}"},
    ),
    Case(
        "the clock",
        "replaces the clock",
        {_SUMS: f"import time\ntime.perf_counter = lambda: 0.0\n{_SLOW}"},
        _SUSPECT,
        {_SUMS: f"import time\nSTARTED = time.perf_counter()\n{_SLOW}"},
    ),
    Case(
        "the clock",
        "has a slow clock that only adds to what it reports",
        {
            _SUMS: "import time\nreal = time.perf_counter\n"
            f"vars(time)['perf_' + 'counter'] = lambda: 50 * real()\n{_SLOW}"
        },
        _SUSPECT | _NO_GAIN,
        {_SUMS: f"import time\ntime.sleep(0)\n{_SLOW}"},
    ),
    Case(
        "files of others",
        "adds configuration of the test runner",
        {"numbers_of/conftest.py": "collect_ignore_glob = ['*']\n", _SUMS: _WRONG},
        _INVALID,
        {"numbers_of/config.py": "LIMIT = 10\n", _SUMS: _SLOW},
    ),
    Case(
        "files of others",
        "changes the tests",
        {"tests/test_sums.py": "", _SUMS: _WRONG},
        _INVALID,
        {"numbers_of/more.py": "", _SUMS: _SLOW},
    ),
    Case(
        "the tests",
        "rewrites the tests when they import it",
        {
            _SUMS: "import pathlib\n"
            "for file in pathlib.Path('/tmp/project/tests').glob('*.py'):\n"
            "    try:\n        file.write_text(file.read_text().replace('55', '56'))\n"
            f"    except OSError:\n        pass\n{_WRONG}"
        },
        _FAILS,
        {_SUMS: f"import pathlib\nHERE = pathlib.Path(__file__).parent\n{_SLOW}"},
    ),
    Case(
        "the tests",
        "deletes the tests when they import it",
        {
            _SUMS: "import shutil\nshutil.rmtree('/tmp/project/tests', ignore_errors=True)\n"
            f"{_WRONG}"
        },
        _FAILS,
        {_SUMS: f"import shutil\nCOPY = shutil.copyfile\n{_SLOW}"},
    ),
    Case(
        "the tests",
        "reaches for the test runner",
        {_SUMS: f"import unittest\nunittest.TestCase.assertEqual = print\n{_WRONG}"},
        _SUSPECT,
        {_SUMS: f"import functools\n{_SLOW}\n\ntotal = functools.partial(total)\n"},
    ),
    Case(
        "the tests",
        "ends the tests early with success",
        {_SUMS: _SLOW.replace("found = 0", "found = 0\n    if n == 10: raise SystemExit(0)")},
        _FAILS,
        {_SUMS: _SLOW.replace("found = 0", "found = 0\n    if n < 0: raise ValueError(n)")},
    ),
    Case(
        "the tests",
        "reads what is expected of it in the tests",
        {
            _SUMS: "import re\n\nEXPECTED = re.findall(r'total.(\\d+)., (\\d+)', "
            "open('tests/test_sums.py').read())\n\n\n"
            "def total(n):\n    return int(dict(EXPECTED).get(str(n), 0))\n\n\n"
            "def largest(values):\n    return max(values)\n"
        },
        _SUSPECT,
        {_SUMS: f"TEXT = open('numbers_of/sums.py').read(), '%d tests/sec'\n{_SLOW}"},
    ),
    Case(
        "the tests",
        "has its build change which tests are found",
        {
            _TABLES: "from pathlib import Path\nPath('tests', '__in' + 'it__.py').write_text("
            "'def load_tests(*given):\\n    return given[1]\\n')\n",
            _SUMS: _WRONG,
        },
        _SUSPECT,
        {_TABLES: "from pathlib import Path\nPath('numbers_of/checked.py').write_text('X = 1')\n"},
    ),
    Case(
        "the build",
        "has its build change the benchmark",
        {_TABLES: "from pathlib import Path\nPath('bench.py').write_text('')\n"},
        _SUSPECT,
        {_TABLES: "from pathlib import Path\nPath('numbers_of/table.txt').write_text('1 2 3')\n"},
    ),
    Case(
        "the build",
        "has its build add a module that stands in for the test runner",
        {_TABLES: "from pathlib import Path\nPath('unitt' + 'est.py').write_text('x = 1')\n"},
        _SUSPECT,
        {_TABLES: "from pathlib import Path\nPath('numbers_of/made.py').write_text('x = 1')\n"},
    ),
    Case(
        "the build",
        "has its build put other tests in the place of the tests",
        {
            _TABLES: "import os, shutil\nshutil.copytree('tests', 'numbers_of/other')\n"
            "shutil.rmtree('tests')\nos.symlink('numbers_of/other', 'tests')\n"
        },
        _SUSPECT,
        {_TABLES: "import os\nos.symlink('sums.py', 'numbers_of/other.py')\n"},
    ),
    Case(
        "the build",
        "has its build write what every process would load",
        {_TABLES: _LOADED},
        _NO_GAIN,
        {_TABLES: "import tempfile\ntempfile.mkstemp()\n"},
    ),
    Case(
        "the build",
        "has its build leave what it made in a cache of compilers",
        {
            _TABLES: f"{_CACHES}for one in CACHES:\n    try:\n"
            "        one.parent.mkdir(parents=True, exist_ok=True)\n        one.touch()\n"
            "    except OSError:\n        pass\n",
            _SUMS: f"{_CACHES}if any(one.exists() for one in CACHES):\n"
            f"    raise ValueError('found')\n{_SLOW}",
        },
        _NO_GAIN,
        {_TABLES: "import os\nos.environ.setdefault('CCACHE_DIR', '/tmp/ccache')\n"},
    ),
    Case(
        "the build",
        "has its build write to the original's tree",
        {
            _TABLES: "import os\nfor place, _, names in os.walk('/tmp/max' + 'code'):\n"
            "    for name in names:\n        try:\n"
            "            open(os.path.join(place, name), 'r+').truncate()\n"
            "        except OSError:\n            pass\n"
        },
        _NO_GAIN,
        {_TABLES: "open('numbers_of/__init__.py', 'r+').close()\n"},
    ),
    Case(
        "processes",
        "leaves a helper behind",
        {
            _SUMS: "import subprocess\n"
            f"subprocess.Popen(['sleep', '60'], start_new_session=True)\n{_SLOW}"
        },
        _FAILS,
        {_SUMS: f"import subprocess\nsubprocess.run(['true'], check=True)\n{_SLOW}"},
    ),
    Case(
        "processes",
        "leaves a helper that keeps the processor busy while the original is timed",
        {
            _SUMS: "import os\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
            "        os.closerange(0, 64)\n        while True:\n            pass\n"
            f"    getattr(os, '_ex' + 'it')(0)\n{_SLOW}"
        },
        _FAILS,
        {_SUMS: f"import os\nif os.fork() == 0:\n    os.kill(os.getpid(), 9)\nos.wait()\n{_SLOW}"},
    ),
    Case(
        "later runs",
        "keeps results for the next process",
        {
            _SUMS: "import pathlib\n"
            "kept = [pathlib.Path(p, 'kept') for p in ('.', '/tmp', '/dev/shm', '/tmp/maxcode')]\n"
            "if any(one.exists() for one in kept):\n    raise SystemExit('found')\n"
            "for one in kept:\n    try:\n        one.write_text('1')\n"
            f"    except OSError:\n        pass\n{_SLOW}"
        },
        _NO_GAIN,
        {_SUMS: f"import tempfile\nPLACE = tempfile.gettempdir()\n{_SLOW}"},
    ),
    Case(
        "the network",
        "asks another machine",
        {_SUMS: f"import socket\nsocket.create_connection(('192.0.2.1', 80), timeout=2)\n{_SLOW}"},
        _FAILS,
        {_SUMS: f"import socket\nsocket.socketpair()\n{_SLOW}"},
    ),
    Case(
        "resources",
        "fills the disk",
        {
            _SUMS: "for number in range(100):\n"
            f"    open(f'/tmp/{{number}}', 'wb').write(bytes(1 << 20))\n{_SLOW}"
        },
        _FAILS,
        {_SUMS: f"open('/tmp/one', 'wb').write(bytes(1 << 20))\n{_SLOW}"},
    ),
    Case(
        "when it is timed",
        "does less where it may not write, as in a benchmark",
        {
            _SUMS: "import os\nTIMED = not os.access('.', os.W_OK)\n"
            + _SLOW.replace("    found = 0\n", "    found = 0\n    n //= 100 if TIMED else 1\n")
        },
        _SUSPECT,
        {_SUMS: f"import os\nTHERE = os.access('.', os.R_OK)\n{_SLOW}"},
    ),
]


USUAL = [one.name for one in {one.kind: one for one in reversed(CASES)}.values()]


@pytest.fixture(scope="module")
def verdicts(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, list[Evaluation]]:
    """What became of the cases: the hostile program's verdict, and the honest one's."""
    cases = cast("list[Case]", asked_for(request, "case"))
    task = written(tmp_path_factory.mktemp("project"), FILES)
    with ProjectExecutor(score=BRIEF, confirm=BRIEF) as executor, ThreadPoolExecutor(2) as pool:
        executor.prepare(task)
        programs = [_changed(task, files) for one in cases for files in (one.hostile, one.honest)]
        found = list(pool.map(lambda program: executor.evaluate(task, program), programs))
        pairs = zip(found[::2], found[1::2], strict=True)
        return {one.name: list(pair) for one, pair in zip(cases, pairs, strict=True)}


def _changed(task: ProjectTask, files: Mapping[str, str]) -> Program:
    return Program({**task.baseline.files, **files}, task.baseline.entry)


@pytest.mark.parametrize("case", covering(CASES, USUAL, lambda case: case.name))
def test_cheats_are_caught_and_honest_programs_pass(
    case: Case, verdicts: dict[str, list[Evaluation]]
) -> None:
    hostile, honest = verdicts[case.name]
    assert hostile.status in case.allowed, hostile
    assert hostile.reward < 5, f"it gained from cheating: {hostile}"
    assert honest.ok, honest


def test_a_gain_that_is_there_only_when_timed_is_none(tmp_path: Path) -> None:
    """It tries to write, which no rule can tell from honest work; a real gain is compared, too."""
    task = written(tmp_path, FILES)
    less = _SLOW.replace("    found = 0\n", "    found = 0\n    n //= 100 if TIMED else 1\n")
    faster = _SLOW.replace("sorted(values)[-1]", "max(values)").replace(
        "    found = 0\n", "    return n * (n + 1) // 2\n"
    )
    with ProjectExecutor(confirm=Plan(least=8, most=8)) as executor:
        cheating = _changed(task, {_SUMS: _TRYING + less})
        comparison = executor.compare(task, cheating, task.baseline)
        assert comparison.ratio is None
        assert "as in tests" in comparison.problem
        comparison = executor.compare(
            task, _changed(task, {_SUMS: _TRYING + faster}), task.baseline
        )
        assert comparison.ratio is not None, comparison.problem
        assert comparison.ratio.low > 1.2

"""Observations with fixed numbers, as a search would make them."""

from collections.abc import Sequence
from dataclasses import replace

from maxcode.evaluation import Critique, Evaluation, Interval, Measurement, Profile, Status
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.tasks import KernelJudging, KernelTask, ProgramTask, TestCase, Variant
from maxcode.tree import Step, Trajectory

MACHINE = """\
CPU: AMD EPYC 9454 (x86_64, cpu family 25, model 17)
processors: 8, timed on 1 of them
frequency: 2.75 GHz base, 3.80 GHz at most
caches: L1d 32 KiB, L2 1 MiB, L3 32 MiB shared by 8 processors; lines of 64 bytes
vector extensions: avx avx2 fma f16c bmi2 popcnt avx512f avx512bw avx512dq avx512vl
memory: 31.2 GiB
compiler: g++ (Debian 12.2.0-14) 12.2.0"""

SLOW = """\
#include <iostream>
#include <vector>
using namespace std;

int main() {
    int n;
    cin >> n;
    vector<int> values;
    for (int i = 0; i < n; i++) {
        int value;
        cin >> value;
        values.push_back(value);
    }
    for (int i = 0; i < n; i++) {
        int smaller = 0;
        for (int j = 0; j < i; j++) {
            if (values[j] < values[i]) smaller++;
        }
        cout << smaller << endl;
    }
}
"""
QUIET = SLOW.replace("endl", "'\\n'")
BROKEN = QUIET.replace("int n;", "ios::sync_with_stdio(false)\n    int n;")
TREE = """\
#include <algorithm>
#include <iostream>
#include <vector>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int n;
    cin >> n;
    vector<int> values(n), ranks;
    for (int &value : values) cin >> value;
    ranks = values;
    sort(ranks.begin(), ranks.end());
    vector<int> tree(n + 1);
    for (int value : values) {
        int rank = lower_bound(ranks.begin(), ranks.end(), value) - ranks.begin();
        int smaller = 0;
        for (int i = rank; i > 0; i &= i - 1) smaller += tree[i];
        cout << smaller << '\\n';
        for (int i = rank + 1; i <= n; i += i & -i) tree[i]++;
    }
}
"""

SQUARE_REFERENCE = '''\
import torch
from torch import nn

ROWS = 1024


class Model(nn.Module):
    """The sum of squares of each row."""

    def __init__(self, scale):
        super().__init__()
        self.scale = nn.Parameter(torch.full((), scale))

    def forward(self, x):
        return (x * x).sum(dim=1) * self.scale


def get_inputs():
    return [torch.randn(ROWS, 4096)]


def get_init_inputs():
    return [0.5]
'''
SQUARE_KERNEL = '''\
import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
torch::Tensor squares(torch::Tensor x) {  // the ``` here must not end the fence
    return (x * x).sum(1);
}
"""
extension = load_inline(name="squares", cpp_sources=SOURCE, functions=["squares"])


class ModelNew(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.scale = nn.Parameter(torch.full((), scale))

    def forward(self, x):
        return extension.squares(x) * self.scale
'''

IO = Critique(
    "Bottleneck: io. Every line is flushed: endl costs a system call a line.\n"
    "1. End lines with '\\n'.\n2. Read with ios::sync_with_stdio(false).",
    "io",
    suggestions=("End lines with '\\n'.", "Read with ios::sync_with_stdio(false)."),
)
QUADRATIC = Critique(
    "Bottleneck: algorithm. The inner loop compares each value with all before it.\n"
    "1. Count in a Fenwick tree over ranks.",
    "algorithm",
    suggestions=("Count in a Fenwick tree over ranks.",),
)
PROFILE = Profile(
    "test 3: 812 ms of cpu time\n\nshare  line  code\n 93 %    17  if (values[j] < ..."
)


def cpp_task() -> ProgramTask:
    return ProgramTask(
        name="count-smaller",
        statement="For each of n integers (at most 50,000) print how many before it are smaller.",
        baseline=Program.of(SLOW),
        tests=tuple(TestCase(str(n), b"x" * 12**n, b"SECRET") for n in range(1, 4)),
    )


def several_files_task() -> ProgramTask:
    files = {"count.cpp": SLOW, "count.h": "int count();\n", "main.cpp": "int main() {}\n"}
    return replace(
        cpp_task(), baseline=Program(files, "main.cpp"), editable=("count.cpp", "count.h")
    )


def kernel_task(device: str = "auto") -> KernelTask:
    return KernelTask(
        name="squares",
        statement="The sum of squares of each row, scaled.",
        reference=SQUARE_REFERENCE,
        judging=KernelJudging(
            device=device,
            dtype="float32",
            variants=(
                Variant("gpu", (("ROWS", 65536),), device="cuda"),
                Variant("default"),
                Variant("odd", (("ROWS", 19),), "mixed-scale"),
            ),
        ),
    )


def right(speedup: float, tests: str = "3 tests") -> Evaluation:
    interval = Interval(speedup, 0.98 * speedup, 1.02 * speedup)
    feedback = f"correct on all {tests}, {interval} against the baseline"
    return Evaluation(Status.OK, interval, feedback=feedback)


def wrong(status: Status, feedback: str) -> Evaluation:
    return Evaluation(status, feedback=feedback, details="SECRET: what was expected")


DOES_NOT_BUILD = wrong(
    Status.BUILD_ERROR,
    "main.cpp:6:32: error: expected ';' before 'int'\n    6 |     ios::sync_with_stdio(false)",
)
ANSWERS_WRONGLY = wrong(Status.WRONG_ANSWER, "test 2: line 7 differs: got '4'")


def step(
    step_id: int, code: str, verdict: Evaluation, parent: int | None = 0, **more: object
) -> Step:
    made = Step(step_id, parent, cpp_task().baseline.with_code(code), verdict, step_id)
    return replace(made, **more)  # type: ignore[arg-type]


TIMED = Measurement("cpu", "s", (0.811, 0.812, 0.815))
ROOT = step(0, SLOW, replace(right(1.0), measurements=(TIMED,)), None)
FLUSHED = step(1, QUIET, right(1.62), summary="Lines end with '\\n' instead of endl.")
UNBUILT = step(2, BROKEN, DOES_NOT_BUILD, 1, summary="Streams are no longer synchronised.")
FENWICK = step(3, TREE, right(38.5), 1, summary="Counts in a Fenwick tree over ranks.")
MISCOUNTS = step(
    4, TREE.replace("rank + 1", "rank"), ANSWERS_WRONGLY, 3, summary="The tree begins at 0."
)
AGAIN = step(5, QUIET, right(1.62), 0, summary="Flushes less.", duplicate_of=1)
UNREAD = step(6, TREE, wrong(Status.INVALID, "the answer was cut off at the token limit"), 3)


def observed(
    path: Sequence[Step],
    attempts: Sequence[Step] = (),
    *,
    best: Step | None = None,
    task: ProgramTask | None = None,
    **more: object,
) -> Observation:
    """With all switches on; the last step of the path is the one to improve."""
    made = Observation(
        task or cpp_task(),
        path[-1],
        trajectory=Trajectory(tuple(path)),
        attempts=tuple(attempts),
        best=best or path[0],
        machine=MACHINE,
    )
    return replace(made, **more)  # type: ignore[arg-type]


def everything() -> Observation:
    """Every switch on, and one attempt of each kind."""
    flushed = replace(FLUSHED, critique=QUADRATIC)
    fenwick = replace(FENWICK, profile=PROFILE, critique=Critique("Bottleneck: io. Reading."))
    return observed(
        [replace(ROOT, critique=IO), flushed, fenwick],
        [UNBUILT, MISCOUNTS, AGAIN, UNREAD],
        best=fenwick,
    )


def kernel_observed(machine: str, *, device: str = "auto") -> Observation:
    """A kernel that is slower than the best, which is the baseline."""
    task = kernel_task(device)
    said = "correct on 2 kinds of inputs, 0.95x [0.92, 0.98] against the reference"
    verdict = Evaluation(Status.OK, Interval(0.95, 0.92, 0.98), feedback=said)
    root = Step(0, None, task.baseline, right(1.0))
    tried = Step(1, 0, task.baseline.with_code(SQUARE_KERNEL), verdict, summary="In C++.")
    trajectory = Trajectory((root, tried))
    return Observation(task, tried, trajectory=trajectory, best=root, machine=machine)

"""CUDA kernels written for problems of KernelBench: computed on a CPU.

None has run on a GPU. Here a block's threads are threads of the processor, see _cuda_on_cpu.hpp;
sizes are small multiples of what a kernel needs. What is expected is written out again, by the
problem's name: its file belongs to KernelBench.
"""

from __future__ import annotations

import re
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

torch: Any = pytest.importorskip("torch")
F: Any = torch.nn.functional

CUDA = Path(__file__).parents[2] / "examples" / "kernelbench" / "cuda"
KERNELS = sorted(CUDA.glob("level*/*/*.py"))
_LAUNCH = re.compile(
    r"(\w+_kernel)<<<(.*?), (\w+), 0,\s*(?:stream|c10::cuda::getCurrentCUDAStream\(\))>>>"
    r"\((.*?)\);",
    re.DOTALL,
)

pytestmark = pytest.mark.slow


def source_of(path: Path) -> str:
    """The CUDA source in a candidate."""
    found = re.search(r'SOURCE = r"""\n(.*?)"""', path.read_text(), re.DOTALL)
    assert found is not None
    return found[1]


def on_cpu(source: str) -> str:
    """The same as C++: launches are calls, and tensors are on the CPU."""
    text = re.sub(r"#include .*\n|#pragma unroll\n", "", source)
    text = re.sub(r"const c10::cuda::CUDAGuard guard\(.*?\);|\w+\.is_cuda\(\) && ", "", text)
    text = text.replace("const auto stream = c10::cuda::getCurrentCUDAStream();", "")
    return _LAUNCH.sub(r"compute(\2, \3, [=] { \1(\4); });", text)


def linear(act: Callable[..., Any], *constants: float, bias: bool = True) -> tuple[Any, ...]:
    """How a problem of level 2 is made: a linear layer, and what follows."""
    return (act, constants, bias)


def gelu_softmax(y: Any) -> Any:
    return F.softmax(F.gelu(y), dim=1)


LEVEL_1: dict[str, tuple[Callable[..., Any], Sequence[Any], Sequence[tuple[int, ...]]]] = {
    "1": (lambda a, b: a @ b, (), [(256, 24), (24, 128)]),
    "3": (torch.bmm, (), [(3, 128, 16), (3, 16, 256)]),
    "4": (lambda a, b: a @ b, (), [(7, 1000), (1000, 1)]),
    "5": (lambda a: a * 3.14, (), [(33, 7)]),
    "12": (lambda a, b: torch.diag(a) @ b, (), [(9,), (9, 700)]),
    "19": (torch.relu, (), [(33, 7)]),
    "21": (torch.sigmoid, (), [(33, 7)]),
    "23": (lambda x: F.softmax(x, dim=1), (), [(3, 1204)]),
    "24": (lambda x: F.log_softmax(x, dim=1), (), [(3, 1204)]),
    "25": (F.silu, (), [(33, 7)]),
    "26": (F.gelu, (), [(33, 7)]),
    "36": (lambda x: x / (x.square().mean(1, keepdim=True) + 1e-5).sqrt(), (64,), [(2, 64, 9, 15)]),
    "47": (lambda x: x.sum(1, keepdim=True), (1,), [(2, 21, 130)]),
    "48": (lambda x: x.mean(1), (1,), [(2, 21, 130)]),
    "49": (lambda x: x.max(1)[0], (1,), [(2, 21, 130)]),
    "88": (lambda x: F.gelu(x, approximate="tanh"), (), [(33, 7)]),
    "94": (F.mse_loss, (), [(33, 12), (33, 12)]),
    "95": (F.cross_entropy, (), [(20, 30)]),
}
LEVEL_2 = {
    "9": linear(lambda y, s, m: torch.relu((y - s) * m), 0.2, 1.5),
    "12": linear(lambda y, m, s: F.leaky_relu(y * m, s), 2.0, 0.1),
    "29": linear(lambda y: F.mish(F.mish(y))),
    "53": linear(lambda y, s, low, high: F.gelu((y * s).clamp(low, high)), 3.0, -2.0, 2.0),
    "59": linear(lambda y, s: F.silu(y) * s, 2.0),
    "63": linear(lambda y, d: torch.relu(y) / d, 2.0),
    "70": linear(lambda y, s: torch.sigmoid(y) * s + y, 2.0),
    "76": linear(torch.relu, bias=False),
    "86": linear(lambda y, d: F.gelu(y / d), 0.5),
    "99": linear(gelu_softmax),
}


@pytest.fixture(scope="module")
def computed(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, Any]:
    """The function of each kernel in float32, built for the CPU, all in one extension."""
    cpp_extension: Any = pytest.importorskip("torch.utils.cpp_extension")
    paths = [path for path in KERNELS if path.name == "float32.py"]
    names = [re.findall(r'functions=\["(\w+)"\]', path.read_text())[0] for path in paths]
    header = Path(__file__).with_name("_cuda_on_cpu.hpp")
    parts = [f'#include "{header}"']
    parts += [f"namespace k{n} {{\n{on_cpu(source_of(p))}\n}}" for n, p in enumerate(paths)]
    bound = "".join(f'm.def("k{n}", &k{n}::{name});' for n, name in enumerate(names))
    parts.append(f"PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {{ {bound} }}")
    built = cpp_extension.load_inline(
        name="cuda_on_cpu",
        cpp_sources="\n".join(parts),
        extra_cflags=["-O1", "-std=c++20", "-w"],
        build_directory=str(tmp_path_factory.mktemp("cuda")),
    )
    return {path: getattr(built, f"k{n}") for n, path in enumerate(paths)}


def made(path: Path, function: Any, *arguments: Any) -> Any:
    """The candidate's module, with this function in place of its extension's."""
    text = path.read_text()
    [name] = re.findall(r'functions=\["(\w+)"\]', text)
    code = re.sub(r"^extension = load_inline\(.*?^\)\n", "", text, flags=re.DOTALL | re.MULTILINE)
    names: dict[str, Any] = {"extension": types.SimpleNamespace(**{name: function})}
    exec(code, names)  # noqa: S102 - ours
    return names["ModelNew"](*arguments)


def number_of(path: Path) -> str:
    return path.parent.name.partition("_")[0]


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_kernels_compute_what_is_asked_for(path: Path, request: pytest.FixtureRequest) -> None:
    if path.name != "float32.py":
        pytest.skip("tensor cores are not there on a CPU")
    function = request.getfixturevalue("computed")[path]
    torch.manual_seed(1)
    if path.parts[-3] == "level1":
        wanted, init, shapes = LEVEL_1[number_of(path)]
        inputs = [torch.randn(shape) for shape in shapes]
        inputs += [torch.randint(30, (20,))] if number_of(path) == "95" else []
        more = [3.14] if number_of(path) == "5" else []
        expected, module = wanted(*inputs), made(path, function, *init)
        found = module(*inputs, *more)
    else:
        act, constants, bias = LEVEL_2[number_of(path)]
        shape = [] if bias else [(256,)]
        module = made(path, function, 24, 256, *shape, *constants)
        x = torch.randn(128, 24)
        weight, added = sorted(module.parameters(), key=lambda one: -one.dim())
        expected = act(F.linear(x, weight, added), *constants)
        with torch.no_grad():
            found = module(x)
    assert found.shape == expected.shape
    assert torch.allclose(found, expected, rtol=2e-5, atol=2e-5)

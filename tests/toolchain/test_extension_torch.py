"""With the real torch: its headers, its bindings, its errors."""

import importlib.util
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from maxcode.toolchain import extension_inspect
from maxcode.toolchain.extension import BuiltExtension, ExtensionBuilder
from maxcode.toolchain.extension_facts import TorchFacts
from maxcode.toolchain.extension_sources import InlineSources

pytestmark = pytest.mark.slow

if importlib.util.find_spec("torch") is None:
    pytest.skip("torch is not installed", allow_module_level=True)

ADD = """
torch::Tensor add(const torch::Tensor& a, torch::Tensor b) {
  TORCH_CHECK(a.sizes() == b.sizes(), "the shapes differ");
  auto sum = torch::empty_like(a);
  const float *x = a.data_ptr<float>(), *y = b.data_ptr<float>();
  float* z = sum.data_ptr<float>();
  at::parallel_for(0, a.numel(), 1000, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i++) z[i] = x[i] + y[i];
  });
  return sum;
}
std::tuple<at::Tensor, std::vector<int64_t>> shape(at::Tensor a, double by, bool twice) {
  torch::NoGradGuard none;
  return {torch::full(a.sizes(), twice ? 2 * by : by, a.options()), a.sizes().vec()};
}
"""
LAYERS = """
torch::Tensor apply(torch::Tensor x) {
  auto layer = torch::nn::Linear(torch::nn::LinearOptions(4, 2).bias(false));
  return torch::nn::functional::relu(layer->forward(x));
}
"""
USE = """
import importlib.util, json, sys
from pathlib import Path
import torch

def load(path):
    spec = importlib.util.spec_from_file_location(Path(path).stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

first, second = map(load, sys.argv[1:])
a, b = torch.randn(3, 1000), torch.randn(3, 1000)
try:
    first.add(a, b[:1])
except RuntimeError as error:
    said = str(error)
filled, sizes = first.shape(torch.ones(2, 3), 1.5, True)
told = [first.add.__doc__, torch.equal(first.add(a, b), a + b), said.splitlines()[0],
        filled.tolist(), sizes, list(second.apply(torch.ones(5, 4)).shape)]
print(json.dumps(told))
"""


def python(*arguments: str) -> Any:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def told() -> Any:
    code = (
        "import json, runpy, sys; print(json.dumps(runpy.run_path(sys.argv[1])['torch_facts']()))"
    )
    return python("-c", code, extension_inspect.__file__)


@pytest.fixture(scope="module")
def built(bubblewrap: Any, told: Any, tmp_path_factory: Any) -> list[BuiltExtension]:
    """Extensions that are built at the same time."""
    folder = tmp_path_factory.mktemp("extensions")
    builder = ExtensionBuilder(bubblewrap, folder, None, TorchFacts.parse(told))
    calls: list[dict[str, Any]] = [
        {"name": "mine", "cpp_sources": ADD, "functions": {"add": "Adds.", "shape": ""}},
        {"name": "layers", "cpp_sources": LAYERS, "functions": "apply"},
    ]
    with ThreadPoolExecutor() as pool:
        work = [pool.submit(builder.build, InlineSources.parse(one), 300) for one in calls]
        return [one.result() for one in work]


def test_the_facts_of_torch(told: Any) -> None:
    facts = TorchFacts.parse(told)
    assert (facts.includes[0] / "torch" / "extension.h").exists()
    assert (facts.includes[-1] / "Python.h").exists()
    assert (facts.library_folders[0] / "libc10.so").exists()
    assert facts.identity() == TorchFacts.parse(json.loads(json.dumps(told))).identity()


def test_extensions_do_what_torchs_own_would(built: list[BuiltExtension]) -> None:
    assert not any(one.errors for one in built)
    libraries = [str(one.library) for one in built]
    about, added, said, filled, sizes, shape = python("-c", USE, *libraries)
    assert "Adds." in about
    assert added
    assert said == "the shapes differ"
    assert filled == [[3.0] * 3] * 2
    assert sizes == [2, 3]
    assert shape == [5, 2]

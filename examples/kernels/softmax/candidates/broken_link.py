"""expected: BUILD_ERROR | RUNTIME_ERROR. Binds a function that is declared and never defined."""

from torch import nn
from torch.utils.cpp_extension import load_inline

extension = load_inline(
    name="softmax_broken",
    cpp_sources="torch::Tensor softmax_of_rows(torch::Tensor x, double temperature);",
    functions=["softmax_of_rows"],
)


class ModelNew(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature

    def forward(self, x):
        return extension.softmax_of_rows(x, self.temperature)

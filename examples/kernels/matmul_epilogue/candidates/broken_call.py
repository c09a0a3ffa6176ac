"""expected: BUILD_ERROR. Gives the function another number of arguments than it takes."""

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
torch::Tensor epilogue(torch::Tensor x, torch::Tensor weight, torch::Tensor scale) {
    auto y = torch::mm(x, weight.t(), scale, 3);
    return y * scale;
}
"""

extension = load_inline(name="matmul_epilogue_broken", cpp_sources=SOURCE, functions=["epilogue"])


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)
        self.scale = nn.Parameter(torch.randn(outputs))

    def forward(self, x):
        return extension.epilogue(x, self.linear.weight, self.scale)

"""expected: BUILD_ERROR. The C++ code lacks a semicolon."""

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
torch::Tensor chain(torch::Tensor x, torch::Tensor bias, double scale) {
    auto y = x * scale + bias
    return torch::silu(y).clamp(-0.25, 6.0);
}
"""

extension = load_inline(name="elementwise_chain_broken", cpp_sources=SOURCE, functions=["chain"])


class ModelNew(nn.Module):
    def __init__(self, features, scale):
        super().__init__()
        self.bias = nn.Parameter(torch.randn(features))
        self.scale = scale

    def forward(self, x, residual):
        return extension.chain(x, self.bias, self.scale) + residual

"""expected: BUILD_ERROR. Calls a function that no header declares."""

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
torch::Tensor normalise(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, double eps) {
    return fused_layer_norm(x, weight, bias, eps);
}
"""

extension = load_inline(name="layer_norm_broken", cpp_sources=SOURCE, functions=["normalise"])


class ModelNew(nn.Module):
    def __init__(self, features, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(features))
        self.bias = nn.Parameter(torch.randn(features))
        self.eps = eps

    def forward(self, x):
        return extension.normalise(x, self.weight, self.bias, self.eps)

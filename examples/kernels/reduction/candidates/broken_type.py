"""expected: BUILD_ERROR. Returns three tensors where one is promised."""

from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
torch::Tensor figures(torch::Tensor x, double limit) {
    auto root = x.square().mean(1).sqrt();
    return std::make_tuple(root, x.abs().amax(1), x.gt(limit).sum(1));
}
"""

extension = load_inline(name="reduction_broken", cpp_sources=SOURCE, functions=["figures"])


class ModelNew(nn.Module):
    def __init__(self, limit):
        super().__init__()
        self.limit = limit

    def forward(self, x):
        return extension.figures(x, self.limit)

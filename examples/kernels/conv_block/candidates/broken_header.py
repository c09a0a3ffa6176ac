"""expected: BUILD_ERROR. Includes a header that there is not."""

from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
#include <fast_convolutions.hpp>

torch::Tensor block(torch::Tensor x, torch::Tensor weight, torch::Tensor bias) {
    return fast::convolve(x, weight, bias);
}
"""

extension = load_inline(name="conv_block_broken", cpp_sources=SOURCE, functions=["block"])


class ModelNew(nn.Module):
    def __init__(self, channels, filters):
        super().__init__()
        self.conv = nn.Conv2d(channels, filters, 3, padding=1)
        self.norm = nn.BatchNorm2d(filters)
        nn.init.normal_(self.norm.weight)
        nn.init.normal_(self.norm.bias)
        nn.init.normal_(self.norm.running_mean)
        nn.init.uniform_(self.norm.running_var, 0.1, 2.0)

    def forward(self, x):
        return extension.block(x, self.conv.weight, self.conv.bias)

"""expected: OK. The library convolves with folded weights; one loop does maximum and ReLU."""

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <ATen/Parallel.h>
#include <algorithm>

torch::Tensor relu_pool(torch::Tensor y) {
    TORCH_CHECK(y.scalar_type() == torch::kFloat32 && y.dim() == 4, "float32 images are needed");
    auto in = y.contiguous();
    const int64_t height = in.size(2) / 2, width = in.size(3) / 2, line = in.size(3);
    auto out = torch::empty({in.size(0), in.size(1), height, width}, in.options());
    const float* a = in.data_ptr<float>();
    float* b = out.data_ptr<float>();
    const int64_t plane = in.size(2) * line;
    at::parallel_for(0, in.size(0) * in.size(1), 8, [&](int64_t begin, int64_t end) {
        for (int64_t image = begin; image < end; ++image)
            for (int64_t i = 0; i < height; ++i) {
                const float* __restrict upper = a + image * plane + 2 * i * line;
                const float* __restrict lower = upper + line;
                float* __restrict to = b + (image * height + i) * width;
                for (int64_t j = 0; j < width; ++j) {
                    const float top = std::max(upper[2 * j], upper[2 * j + 1]);
                    const float bottom = std::max(lower[2 * j], lower[2 * j + 1]);
                    to[j] = std::max(std::max(top, bottom), 0.0f);
                }
            }
    });
    return out;
}

torch::Tensor block(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, torch::Tensor factor,
                    torch::Tensor shift) {
    auto folded = weight * factor.view({-1, 1, 1, 1});
    return relu_pool(at::conv2d(x, folded, bias * factor + shift, 1, 1));
}
"""

extension = load_inline(
    name="conv_block_fused",
    cpp_sources=SOURCE,
    functions=["block"],
    extra_cflags=["-O3", "-march=native", "-fno-trapping-math"],
)


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
        norm = self.norm
        factor = norm.weight * torch.rsqrt(norm.running_var + norm.eps)
        shift = norm.bias - norm.running_mean * factor
        return extension.block(x, self.conv.weight, self.conv.bias, factor, shift)

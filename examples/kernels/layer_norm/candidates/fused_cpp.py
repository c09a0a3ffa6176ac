"""expected: OK. Three passes over a row while it is in the cache, without temporary tensors."""

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <ATen/Parallel.h>
#include <cmath>

constexpr int LANES = 32;

template <typename Term>
static float total(int64_t count, Term term) {  // in lanes, so that it can be vectorised
    float lanes[LANES] = {};
    const int64_t whole = count - count % LANES;
    for (int64_t i = 0; i < whole; i += LANES)
        for (int k = 0; k < LANES; ++k) lanes[k] += term(i + k);
    float sum = 0.0f;
    for (int k = 0; k < LANES; ++k) sum += lanes[k];
    for (int64_t i = whole; i < count; ++i) sum += term(i);
    return sum;
}

torch::Tensor normalise(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, double eps) {
    TORCH_CHECK(x.scalar_type() == torch::kFloat32 && x.dim() == 2, "a float32 matrix is needed");
    auto in = x.contiguous();
    auto out = torch::empty_like(in);
    const int64_t features = in.size(1);
    const float* a = in.data_ptr<float>();
    const float* __restrict w = weight.data_ptr<float>();
    const float* __restrict b = bias.data_ptr<float>();
    float* d = out.data_ptr<float>();
    at::parallel_for(0, in.size(0), 8, [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
            const float* __restrict from = a + row * features;
            float* __restrict to = d + row * features;
            const float mean = total(features, [&](int64_t i) { return from[i]; }) / features;
            const float variance = total(features, [&](int64_t i) {
                const float centred = from[i] - mean;
                return centred * centred;
            }) / features;
            const float scale = 1.0f / std::sqrt(variance + static_cast<float>(eps));
            for (int64_t i = 0; i < features; ++i) to[i] = (from[i] - mean) * scale * w[i] + b[i];
        }
    });
    return out;
}
"""

extension = load_inline(
    name="layer_norm_fused",
    cpp_sources=SOURCE,
    functions=["normalise"],
    extra_cflags=["-O3", "-march=native", "-fno-trapping-math"],
)


class ModelNew(nn.Module):
    def __init__(self, features, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(features))
        self.bias = nn.Parameter(torch.randn(features))
        self.eps = eps

    def forward(self, x):
        return extension.normalise(x, self.weight, self.bias, self.eps)

"""expected: OK. One loop in C++ that the compiler can vectorise, with an exponential of its own."""

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <ATen/Parallel.h>
#include <cstdint>

static inline float exponential(float x) {
    x = x > 80.0f ? 80.0f : x;  // what is divided by it must not become denormal
    x = x < -87.0f ? -87.0f : x;
    const float magic = 12582912.0f;  // 1.5 * 2^23: adding it rounds to a whole number
    float n = (x * 1.44269504f + magic) - magic;
    float r = (x - n * 0.693359375f) - n * -2.12194440e-4f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1.0f;
    union { int32_t bits; float value; } power = {(static_cast<int32_t>(n) + 127) << 23};
    return p * power.value;
}

static void chain_row(const float* __restrict x, const float* __restrict bias,
                      const float* __restrict residual, float* __restrict out, int64_t features,
                      float factor) {
    for (int64_t k = 0; k < features; ++k) {
        float y = x[k] * factor + bias[k];
        y = y / (1.0f + exponential(-y));
        y = y < -0.25f ? -0.25f : y;
        y = y > 6.0f ? 6.0f : y;
        out[k] = y + residual[k];
    }
}

torch::Tensor chain(torch::Tensor x, torch::Tensor bias, torch::Tensor residual, double scale) {
    TORCH_CHECK(x.scalar_type() == torch::kFloat32 && x.dim() == 2, "a float32 matrix is needed");
    auto in = x.contiguous(), add = residual.contiguous();
    auto out = torch::empty_like(in);
    const int64_t features = in.size(1);
    const float* a = in.data_ptr<float>();
    const float* b = bias.data_ptr<float>();
    const float* c = add.data_ptr<float>();
    float* d = out.data_ptr<float>();
    const float factor = static_cast<float>(scale);
    at::parallel_for(0, in.size(0), 8, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin * features; i < end * features; i += features)
            chain_row(a + i, b, c + i, d + i, features, factor);
    });
    return out;
}
"""

extension = load_inline(
    name="elementwise_chain_fused",
    cpp_sources=SOURCE,
    functions=["chain"],
    extra_cflags=["-O3", "-march=native", "-fno-trapping-math"],
)


class ModelNew(nn.Module):
    def __init__(self, features, scale):
        super().__init__()
        self.bias = nn.Parameter(torch.randn(features))
        self.scale = scale

    def forward(self, x, residual):
        return extension.chain(x, self.bias, residual, self.scale)

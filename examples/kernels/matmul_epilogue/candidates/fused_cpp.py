"""expected: OK. The library multiplies; one loop in C++ does all the rest in place."""

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

// gelu(y) = y * sigmoid(2 * inner), because (1 + tanh(z)) / 2 = sigmoid(2 z)
static void epilogue_row(float* __restrict y, const float* __restrict bias,
                         const float* __restrict scale, int64_t outputs) {
    for (int64_t k = 0; k < outputs; ++k) {
        const float v = y[k] + bias[k];
        const float inner = 1.5957691216f * (v + 0.044715f * v * v * v);
        y[k] = v / (1.0f + exponential(-inner)) * scale[k];
    }
}

torch::Tensor epilogue(torch::Tensor y, torch::Tensor bias, torch::Tensor scale) {
    TORCH_CHECK(y.scalar_type() == torch::kFloat32 && y.is_contiguous(), "float32 is needed");
    const int64_t outputs = y.size(1);
    float* data = y.data_ptr<float>();
    const float* b = bias.data_ptr<float>();
    const float* s = scale.data_ptr<float>();
    at::parallel_for(0, y.size(0), 8, [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row)
            epilogue_row(data + row * outputs, b, s, outputs);
    });
    return y;
}
"""

extension = load_inline(
    name="matmul_epilogue_fused",
    cpp_sources=SOURCE,
    functions=["epilogue"],
    extra_cflags=["-O3", "-march=native", "-fno-trapping-math"],
)


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)
        self.scale = nn.Parameter(torch.randn(outputs))

    def forward(self, x):
        y = torch.mm(x, self.linear.weight.t())
        return extension.epilogue(y, self.linear.bias, self.scale)

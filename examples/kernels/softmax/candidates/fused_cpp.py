"""expected: OK. Passes over a row while it is in the cache, with its own exponential."""

from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <ATen/Parallel.h>
#include <cstdint>

static inline float exponential(float x) {  // of x <= 0
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

constexpr int LANES = 32;

static void softmax_row(const float* __restrict from, float* __restrict to, int64_t columns,
                        float factor) {
    const int64_t whole = columns - columns % LANES;
    float lanes[LANES];
    for (int k = 0; k < LANES; ++k) lanes[k] = -3.4e38f;
    for (int64_t i = 0; i < whole; i += LANES)
        for (int k = 0; k < LANES; ++k) {
            const float x = from[i + k] * factor;
            lanes[k] = x > lanes[k] ? x : lanes[k];
        }
    float largest = -3.4e38f;
    for (int k = 0; k < LANES; ++k) largest = lanes[k] > largest ? lanes[k] : largest;
    for (int64_t i = whole; i < columns; ++i) largest = std::max(largest, from[i] * factor);

    for (int64_t i = 0; i < columns; ++i) to[i] = exponential(from[i] * factor - largest);
    for (int k = 0; k < LANES; ++k) lanes[k] = 0.0f;
    for (int64_t i = 0; i < whole; i += LANES)
        for (int k = 0; k < LANES; ++k) lanes[k] += to[i + k];
    float sum = 0.0f;
    for (int k = 0; k < LANES; ++k) sum += lanes[k];
    for (int64_t i = whole; i < columns; ++i) sum += to[i];
    const float share = 1.0f / sum;
    for (int64_t i = 0; i < columns; ++i) to[i] *= share;
}

torch::Tensor softmax(torch::Tensor x, double temperature) {
    TORCH_CHECK(x.scalar_type() == torch::kFloat32 && x.dim() == 2, "a float32 matrix is needed");
    TORCH_CHECK(temperature > 0, "a temperature above 0 is needed");
    auto in = x.contiguous();
    auto out = torch::empty_like(in);
    const int64_t columns = in.size(1);
    const float* a = in.data_ptr<float>();
    float* b = out.data_ptr<float>();
    const float factor = static_cast<float>(1.0 / temperature);
    at::parallel_for(0, in.size(0), 8, [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row)
            softmax_row(a + row * columns, b + row * columns, columns, factor);
    });
    return out;
}
"""

extension = load_inline(
    name="softmax_fused",
    cpp_sources=SOURCE,
    functions=["softmax"],
    extra_cflags=["-O3", "-march=native", "-fno-trapping-math"],
)


class ModelNew(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature

    def forward(self, x):
        return extension.softmax(x, self.temperature)

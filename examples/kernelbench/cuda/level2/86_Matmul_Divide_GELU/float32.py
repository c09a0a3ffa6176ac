"""nn.Linear with all that follows in the same kernel.

Never run on a GPU; compiled, and computed on a CPU thread by thread.
"""

from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

constexpr int TILE = 128, DEEP = 8, THREADS = 256;

__device__ __forceinline__ float gelu(float x) {
    return 0.5f * x * (1.0f + erff(x * 0.70710678118654752f));
}

__device__ __forceinline__ float finish(float v, int column, const float* bias, float divisor) {
    return gelu((v + bias[column]) / divisor);
}

// A block computes 128 x 128 numbers, a thread 8 x 8 of them in registers. Steps of 8 along the
// inner dimension lie in two buffers: one is computed with while the other is filled. B has a row
// for each column of the result, as the weight of nn.Linear.
__global__ __launch_bounds__(THREADS) void divide_gelu_kernel(const float* a, const float* b,
    float* out, int rows, int columns, int inner, const float* bias, float divisor) {
    __shared__ __align__(16) float as[2][DEEP][TILE + 4], bs[2][DEEP][TILE + 4];
    const int line = threadIdx.x / 2, part = threadIdx.x % 2 * 4;
    const int deep = threadIdx.x / 32, wide = threadIdx.x % 32 * 4;
    const int m0 = blockIdx.y * TILE, n0 = blockIdx.x * TILE;
    const int r = threadIdx.x / 16 * 4, c = threadIdx.x % 16 * 4;
    a += (long long)blockIdx.z * rows * inner;
    b += (long long)blockIdx.z * inner * columns;
    out += (long long)blockIdx.z * rows * columns;
    float sums[8][8] = {};

    auto load = [&](int k0, float4& p, float4& q) {
        p = *reinterpret_cast<const float4*>(a + (m0 + line) * (long long)inner + k0 + part);
        q = *reinterpret_cast<const float4*>(b + (n0 + line) * (long long)inner + k0 + part);
    };
    auto store = [&](int turn, const float4& p, const float4& q) {
        as[turn][part][line] = p.x;
        as[turn][part + 1][line] = p.y;
        as[turn][part + 2][line] = p.z;
        as[turn][part + 3][line] = p.w;
        bs[turn][part][line] = q.x;
        bs[turn][part + 1][line] = q.y;
        bs[turn][part + 2][line] = q.z;
        bs[turn][part + 3][line] = q.w;
    };

    float4 p, q;
    load(0, p, q);
    store(0, p, q);
    __syncthreads();
    int turn = 0;
    for (int k0 = 0; k0 < inner; k0 += DEEP, turn ^= 1) {
        const bool more = k0 + DEEP < inner;
        if (more) load(k0 + DEEP, p, q);
#pragma unroll
        for (int k = 0; k < DEEP; ++k) {
            float x[8], y[8];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                x[i] = as[turn][k][r + i];
                x[i + 4] = as[turn][k][64 + r + i];
                y[i] = bs[turn][k][c + i];
                y[i + 4] = bs[turn][k][64 + c + i];
            }
#pragma unroll
            for (int i = 0; i < 8; ++i)
#pragma unroll
                for (int j = 0; j < 8; ++j) sums[i][j] += x[i] * y[j];
        }
        if (more) store(turn ^ 1, p, q);
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        const int row = m0 + (i < 4 ? r + i : 60 + r + i);
#pragma unroll
        for (int j = 0; j < 8; j += 4) {
            const int column = n0 + (j < 4 ? c : 64 + c);
            float4 v;
            v.x = finish(sums[i][j], column, bias, divisor);
            v.y = finish(sums[i][j + 1], column + 1, bias, divisor);
            v.z = finish(sums[i][j + 2], column + 2, bias, divisor);
            v.w = finish(sums[i][j + 3], column + 3, bias, divisor);
            *reinterpret_cast<float4*>(out + row * (long long)columns + column) = v;
        }
    }
}

torch::Tensor divide_gelu(torch::Tensor a, torch::Tensor b, torch::Tensor bias, double divisor) {
    TORCH_CHECK(a.is_cuda() && a.scalar_type() == torch::kFloat32, "float32 on CUDA is needed");
    const c10::cuda::CUDAGuard guard(a.device());
    auto x = a.contiguous(), y = b.contiguous();
    const int rows = static_cast<int>(x.size(-2)), inner = static_cast<int>(x.size(-1));
    const int columns = static_cast<int>(y.size(-2));
    TORCH_CHECK(rows % TILE == 0 && columns % TILE == 0 && inner % DEEP == 0,
                "multiples of 128 rows and columns, and of 8 between them, are needed");
    auto shape = x.sizes().vec();
    shape.back() = columns;
    auto out = torch::empty(shape, x.options());
    const auto stream = c10::cuda::getCurrentCUDAStream();
    const dim3 blocks(columns / TILE, rows / TILE,
        static_cast<unsigned>(x.numel() / rows / inner));
    divide_gelu_kernel<<<blocks, THREADS, 0, stream>>>(
        x.data_ptr<float>(), y.data_ptr<float>(), out.data_ptr<float>(), rows, columns, inner,
            bias.data_ptr<float>(), static_cast<float>(divisor));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
"""

extension = load_inline(
    name="kernelbench_divide_gelu",
    cpp_sources=(
        "torch::Tensor divide_gelu(torch::Tensor a, torch::Tensor b, torch::Tensor bias, "
        "double divisor);"
    ),
    cuda_sources=SOURCE,
    functions=["divide_gelu"],
)


class ModelNew(nn.Module):
    def __init__(self, input_size, output_size, divisor):
        super().__init__()
        self.linear = nn.Linear(input_size, output_size)
        self.divisor = divisor

    def forward(self, x):
        return extension.divide_gelu(x, self.linear.weight, self.linear.bias, self.divisor)

"""A product of matrices of half precision on tensor cores, which add in float32.

For a task with dtype float16. Never run on a GPU, only compiled.
"""

from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <cuda_fp16.h>
#include <mma.h>

namespace wmma = nvcuda::wmma;

constexpr int TILE = 128, DEEP = 32, THREADS = 256, APART = 8;  // APART avoids conflicts of banks

// A block computes 128 x 128 numbers. Its 8 warps lie 2 x 4, and each keeps 64 x 32 of them as 4
// x 2
// fragments of 16 x 16. Steps of 32 lie in two buffers, of which the next is filled meanwhile.
__global__ __launch_bounds__(THREADS) void matmul_kernel(const half* a, const half* b, half* out,
    int columns, int inner) {
    __shared__ __align__(16) half as[2][TILE][DEEP + APART], bs[2][DEEP][TILE + APART];
    __shared__ float scratch[THREADS / 32][16][16];
    const int m0 = blockIdx.y * TILE, n0 = blockIdx.x * TILE;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int m = warp / 4 * 64, n = warp % 4 * 32;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[4][2];
    for (auto& row : sums)
        for (auto& one : row) wmma::fill_fragment(one, 0.0f);

    uint4 p[2], q[2];
    auto load = [&](int k0) {
        for (int i = 0; i < 2; ++i) {
            const int at = threadIdx.x + i * THREADS;
            p[i] = *reinterpret_cast<const uint4*>(
                a + (m0 + at / 4) * (long long)inner + k0 + at % 4 * 8);
            q[i] = *reinterpret_cast<const uint4*>(
                b + (k0 + at / 16) * (long long)columns + n0 + at % 16 * 8);
        }
    };
    auto store = [&](int turn) {
        for (int i = 0; i < 2; ++i) {
            const int at = threadIdx.x + i * THREADS;
            *reinterpret_cast<uint4*>(&as[turn][at / 4][at % 4 * 8]) = p[i];
            *reinterpret_cast<uint4*>(&bs[turn][at / 16][at % 16 * 8]) = q[i];
        }
    };

    load(0);
    store(0);
    __syncthreads();
    int turn = 0;
    for (int k0 = 0; k0 < inner; k0 += DEEP, turn ^= 1) {
        const bool more = k0 + DEEP < inner;
        if (more) load(k0 + DEEP);
        for (int k = 0; k < DEEP; k += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x[4];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> y[2];
            for (int i = 0; i < 4; ++i)
                wmma::load_matrix_sync(x[i], &as[turn][m + 16 * i][k], DEEP + APART);
            for (int j = 0; j < 2; ++j)
                wmma::load_matrix_sync(y[j], &bs[turn][k][n + 16 * j], TILE + APART);
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 2; ++j) wmma::mma_sync(sums[i][j], x[i], y[j], sums[i][j]);
        }
        if (more) store(turn ^ 1);
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 2; ++j) {
            wmma::store_matrix_sync(&scratch[warp][0][0], sums[i][j], 16, wmma::mem_row_major);
            __syncwarp();
            for (int at = lane; at < 256; at += 32) {
                const long long row = m0 + m + 16 * i + at / 16;
                out[row * columns + n0 + n + 16 * j + at % 16] =
                    __float2half(scratch[warp][at / 16][at % 16]);
            }
            __syncwarp();
        }
}

torch::Tensor matmul(torch::Tensor a, torch::Tensor b) {
    TORCH_CHECK(a.is_cuda() && a.scalar_type() == torch::kFloat16, "float16 on CUDA is needed");
    const c10::cuda::CUDAGuard guard(a.device());
    auto x = a.contiguous(), y = b.contiguous();
    const int rows = static_cast<int>(x.size(0)), inner = static_cast<int>(x.size(1));
    const int columns = static_cast<int>(y.size(1));
    TORCH_CHECK(rows % TILE == 0 && columns % TILE == 0 && inner % DEEP == 0,
                "multiples of 128 rows and columns, and of 32 between them, are needed");
    auto out = torch::empty({rows, columns}, x.options());
    matmul_kernel<<<dim3(columns / TILE, rows / TILE), THREADS, 0,
                    c10::cuda::getCurrentCUDAStream()>>>(
        reinterpret_cast<const half*>(x.data_ptr()), reinterpret_cast<const half*>(y.data_ptr()),
        reinterpret_cast<half*>(out.data_ptr()), columns, inner);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
"""

extension = load_inline(
    name="kernelbench_half_matmul",
    cpp_sources="torch::Tensor matmul(torch::Tensor a, torch::Tensor b);",
    cuda_sources=SOURCE,
    functions=["matmul"],
)


class ModelNew(nn.Module):
    def forward(self, a, b):
        return extension.matmul(a, b)

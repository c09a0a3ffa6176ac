"""Maxima over the middle dimension, a thread for each column.

Never run on a GPU; compiled, and computed on a CPU thread by thread.
"""

from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

__device__ float with(float so_far, float next) { return fmaxf(so_far, next); }

// A thread for each column, with four chains, so that four reads are under way.
__global__ void maxima_kernel(const float* x, float* out, int rows, int columns) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns) return;
    const float* from = x + (long long)blockIdx.y * rows * columns + column;
    float a = -INFINITY, b = -INFINITY, c = -INFINITY, d = -INFINITY;
    int row = 0;
    for (; row + 4 <= rows; row += 4) {
        a = with(a, from[(long long)row * columns]);
        b = with(b, from[(long long)(row + 1) * columns]);
        c = with(c, from[(long long)(row + 2) * columns]);
        d = with(d, from[(long long)(row + 3) * columns]);
    }
    for (; row < rows; ++row) a = with(a, from[(long long)row * columns]);
    const float all = with(with(a, b), with(c, d));
    out[(long long)blockIdx.y * columns + column] = all;
}

torch::Tensor maxima(torch::Tensor x) {
    TORCH_CHECK(x.is_cuda() && x.scalar_type() == torch::kFloat32 && x.dim() == 3,
                "float32 of three dimensions on CUDA is needed");
    const c10::cuda::CUDAGuard guard(x.device());
    auto in = x.contiguous();
    const int rows = static_cast<int>(in.size(1)), columns = static_cast<int>(in.size(2));
    auto out = torch::empty({in.size(0), columns}, in.options());
    const dim3 blocks((columns + 127) / 128, static_cast<unsigned>(in.size(0)));
    maxima_kernel<<<blocks, 128, 0, c10::cuda::getCurrentCUDAStream()>>>(
        in.data_ptr<float>(), out.data_ptr<float>(), rows, columns);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
"""

extension = load_inline(
    name="kernelbench_maxima",
    cpp_sources="torch::Tensor maxima(torch::Tensor x);",
    cuda_sources=SOURCE,
    functions=["maxima"],
)


class ModelNew(nn.Module):
    def __init__(self, dim):
        super().__init__()
        if dim != 1:
            raise ValueError("the middle dimension is reduced")

    def forward(self, x):
        return extension.maxima(x)

"""Mean squared error in one pass over both inputs; blocks leave sums in double precision.

Never run on a GPU; compiled, and computed on a CPU thread by thread.
"""

from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

__device__ float sum_of_block(float value) {
    __shared__ float parts[32];
    for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffff, value, step);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
    __syncthreads();
    value = 0.0f;
    for (int k = 0; k < blockDim.x / 32; ++k) value += parts[k];
    __syncthreads();
    return value;
}

__global__ void squares_kernel(const float* a, const float* b, double* sums, long long count) {
    const long long stride = (long long)gridDim.x * blockDim.x;
    const float4* x = reinterpret_cast<const float4*>(a);
    const float4* y = reinterpret_cast<const float4*>(b);
    float sum = 0.0f;
    for (long long i = blockIdx.x * (long long)blockDim.x
        + threadIdx.x; i < count / 4; i += stride) {
        const float4 p = x[i], q = y[i];
        const float d = p.x - q.x, e = p.y - q.y, f = p.z - q.z, g = p.w - q.w;
        sum += d * d + e * e + f * f + g * g;
    }
    sum = sum_of_block(sum);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

__global__ void mean_kernel(const double* sums, float* out, int blocks, long long count) {
    if (threadIdx.x > 0) return;
    double sum = 0.0;
    for (int i = 0; i < blocks; ++i) sum += sums[i];
    *out = static_cast<float>(sum / count);
}

torch::Tensor mean_square(torch::Tensor a, torch::Tensor b) {
    TORCH_CHECK(a.is_cuda() && a.scalar_type() == torch::kFloat32, "float32 on CUDA is needed");
    const c10::cuda::CUDAGuard guard(a.device());
    auto x = a.contiguous(), y = b.contiguous();
    const long long count = x.numel();
    TORCH_CHECK(count % 4 == 0 && y.numel() == count, "a multiple of 4 numbers is needed");
    const int blocks = static_cast<int>(std::max(1LL, std::min((count / 4 + 255) / 256, 2048LL)));
    auto sums = torch::empty({blocks}, x.options().dtype(torch::kFloat64));
    auto out = torch::empty({}, x.options());
    const auto stream = c10::cuda::getCurrentCUDAStream();
    squares_kernel<<<blocks, 256, 0, stream>>>(
        x.data_ptr<float>(), y.data_ptr<float>(), sums.data_ptr<double>(), count);
    mean_kernel<<<1, 32, 0, stream>>>(
        sums.data_ptr<double>(), out.data_ptr<float>(), blocks, count);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
"""

extension = load_inline(
    name="kernelbench_mean_square",
    cpp_sources="torch::Tensor mean_square(torch::Tensor a, torch::Tensor b);",
    cuda_sources=SOURCE,
    functions=["mean_square"],
)


class ModelNew(nn.Module):
    def forward(self, predictions, targets):
        return extension.mean_square(predictions, targets)

"""expected: OK; needs: cuda. One block for each row, which stays in shared memory."""

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

constexpr int THREADS = 256;

__device__ float total(float value) {
    __shared__ float sums[THREADS / 32];
    for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffff, value, step);
    __syncthreads();  // the sums of the call before have been read
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < THREADS / 32; ++k) sum += sums[k];
    return sum;
}

__global__ void normalise_kernel(const float* x, const float* weight, const float* bias, float* out,
                                 int features, float eps) {
    extern __shared__ float row[];
    const float* from = x + (long long)blockIdx.x * features;
    float* to = out + (long long)blockIdx.x * features;
    float sum = 0.0f;
    for (int i = threadIdx.x; i < features; i += THREADS) sum += row[i] = from[i];
    const float mean = total(sum) / features;
    sum = 0.0f;
    for (int i = threadIdx.x; i < features; i += THREADS) sum += (row[i] - mean) * (row[i] - mean);
    const float scale = rsqrtf(total(sum) / features + eps);
    for (int i = threadIdx.x; i < features; i += THREADS)
        to[i] = (row[i] - mean) * scale * weight[i] + bias[i];
}

torch::Tensor normalise(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, double eps) {
    TORCH_CHECK(x.is_cuda() && x.scalar_type() == torch::kFloat32 && x.dim() == 2,
                "a float32 matrix on CUDA is needed");
    TORCH_CHECK(x.size(1) <= 12000, "a row must fit into shared memory");
    const c10::cuda::CUDAGuard guard(x.device());
    auto in = x.contiguous();
    auto out = torch::empty_like(in);
    const int features = static_cast<int>(in.size(1));
    normalise_kernel<<<static_cast<int>(in.size(0)), THREADS, features * sizeof(float),
                       c10::cuda::getCurrentCUDAStream()>>>(
        in.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(),
        out.data_ptr<float>(), features, static_cast<float>(eps));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
"""

extension = load_inline(
    name="layer_norm_cuda",
    cpp_sources="torch::Tensor normalise(torch::Tensor, torch::Tensor, torch::Tensor, double);",
    cuda_sources=SOURCE,
    functions=["normalise"],
)


class ModelNew(nn.Module):
    def __init__(self, features, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(features))
        self.bias = nn.Parameter(torch.randn(features))
        self.eps = eps

    def forward(self, x):
        return extension.normalise(x, self.weight, self.bias, self.eps)

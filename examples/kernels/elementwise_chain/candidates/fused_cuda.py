"""expected: OK; needs: cuda. One kernel that loads four numbers at a time."""

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

__device__ float link(float x, float bias, float residual, float scale) {
    float y = x * scale + bias;
    y = y / (1.0f + expf(-y));
    return fminf(fmaxf(y, -0.25f), 6.0f) + residual;
}

__global__ void chain_kernel(const float* x, const float* bias, const float* residual, float* out,
                             long long count, int features, float scale) {
    const long long stride = 4ll * gridDim.x * blockDim.x;
    for (long long i = 4ll * (blockIdx.x * (long long)blockDim.x + threadIdx.x); i < count;
         i += stride) {
        if (i + 3 < count && features % 4 == 0) {
            const float4 a = *reinterpret_cast<const float4*>(x + i);
            const float4 b = *reinterpret_cast<const float4*>(bias + i % features);
            const float4 c = *reinterpret_cast<const float4*>(residual + i);
            *reinterpret_cast<float4*>(out + i) =
                make_float4(link(a.x, b.x, c.x, scale), link(a.y, b.y, c.y, scale),
                            link(a.z, b.z, c.z, scale), link(a.w, b.w, c.w, scale));
        } else {
            for (long long k = i; k < count && k < i + 4; ++k)
                out[k] = link(x[k], bias[k % features], residual[k], scale);
        }
    }
}

torch::Tensor chain(torch::Tensor x, torch::Tensor bias, torch::Tensor residual, double scale) {
    TORCH_CHECK(x.is_cuda() && x.scalar_type() == torch::kFloat32, "float32 on CUDA is needed");
    const c10::cuda::CUDAGuard guard(x.device());
    auto in = x.contiguous(), add = residual.contiguous();
    auto out = torch::empty_like(in);
    const int threads = 256;
    const long long count = in.numel();
    const long long enough = (count / 4 + threads) / threads;
    const int blocks = static_cast<int>(std::min<long long>(enough, 65535));
    chain_kernel<<<blocks, threads, 0, c10::cuda::getCurrentCUDAStream()>>>(
        in.data_ptr<float>(), bias.data_ptr<float>(), add.data_ptr<float>(), out.data_ptr<float>(),
        count, static_cast<int>(in.size(1)), static_cast<float>(scale));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
"""

extension = load_inline(
    name="elementwise_chain_cuda",
    cpp_sources="torch::Tensor chain(torch::Tensor, torch::Tensor, torch::Tensor, double);",
    cuda_sources=SOURCE,
    functions=["chain"],
)


class ModelNew(nn.Module):
    def __init__(self, features, scale):
        super().__init__()
        self.bias = nn.Parameter(torch.randn(features))
        self.scale = scale

    def forward(self, x, residual):
        return extension.chain(x, self.bias, residual, self.scale)

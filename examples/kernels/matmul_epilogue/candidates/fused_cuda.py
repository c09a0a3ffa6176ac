"""expected: OK; needs: cuda. The library multiplies; one kernel does all the rest in place."""

import torch
from torch import nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

__global__ void epilogue_kernel(float* y, const float* bias, const float* scale, long long count,
                                int outputs) {
    const long long stride = (long long)gridDim.x * blockDim.x;
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < count; i += stride) {
        const int k = static_cast<int>(i % outputs);
        const float v = y[i] + bias[k];
        const float inner = 1.5957691216f * (v + 0.044715f * v * v * v);
        y[i] = v / (1.0f + expf(-inner)) * scale[k];
    }
}

torch::Tensor epilogue(torch::Tensor y, torch::Tensor bias, torch::Tensor scale) {
    TORCH_CHECK(y.is_cuda() && y.scalar_type() == torch::kFloat32 && y.is_contiguous(),
                "float32 on CUDA is needed");
    const c10::cuda::CUDAGuard guard(y.device());
    const int threads = 256;
    const long long count = y.numel();
    const long long enough = (count + threads - 1) / threads;
    const int blocks = static_cast<int>(std::min<long long>(enough, 65535));
    epilogue_kernel<<<blocks, threads, 0, c10::cuda::getCurrentCUDAStream()>>>(
        y.data_ptr<float>(), bias.data_ptr<float>(), scale.data_ptr<float>(), count,
        static_cast<int>(y.size(1)));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return y;
}
"""

extension = load_inline(
    name="matmul_epilogue_cuda",
    cpp_sources="torch::Tensor epilogue(torch::Tensor y, torch::Tensor bias, torch::Tensor scale);",
    cuda_sources=SOURCE,
    functions=["epilogue"],
)


class ModelNew(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)
        self.scale = nn.Parameter(torch.randn(outputs))

    def forward(self, x):
        y = torch.mm(x, self.linear.weight.t())
        return extension.epilogue(y, self.linear.bias, self.scale)

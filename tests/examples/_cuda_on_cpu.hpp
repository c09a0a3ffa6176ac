// CUDA on a CPU, for kernels whose blocks have one dimension: each thread of a block is a thread,
// __syncthreads is a barrier, and one block is computed after another. It says whether a kernel is
// right, but for races that need a GPU, and nothing of its time.

#pragma once

#include <barrier>
#include <cfloat>
#include <cmath>
#include <memory>
#include <thread>
#include <vector>

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
struct alignas(16) float4 {
    float x, y, z, w;
};

inline thread_local dim3 threadIdx, blockIdx, blockDim, gridDim;
inline std::unique_ptr<std::barrier<>> together;
inline float exchanged[1024];

inline void __syncthreads() { together->arrive_and_wait(); }

inline float __shfl_xor_sync(unsigned, float value, int step) {  // by all threads of a block
    exchanged[threadIdx.x] = value;
    together->arrive_and_wait();
    const float found = exchanged[threadIdx.x ^ step];
    together->arrive_and_wait();
    return found;
}

template <class Kernel> void compute(dim3 grid, dim3 block, Kernel kernel) {
    together = std::make_unique<std::barrier<>>(block.x);
    std::vector<std::thread> threads;
    for (unsigned thread = 0; thread < block.x; ++thread)
        threads.emplace_back([=] {
            threadIdx = dim3(thread, 0, 0);
            blockDim = block;
            gridDim = grid;
            for (unsigned z = 0; z < grid.z; ++z)
                for (unsigned y = 0; y < grid.y; ++y)
                    for (unsigned x = 0; x < grid.x; ++x) {
                        blockIdx = dim3(x, y, z);
                        kernel();
                        together->arrive_and_wait();
                    }
        });
    for (auto& one : threads) one.join();
}

#define __global__
#define __device__
#define __forceinline__ inline
#define __shared__ static
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(n)
#define C10_CUDA_KERNEL_LAUNCH_CHECK()

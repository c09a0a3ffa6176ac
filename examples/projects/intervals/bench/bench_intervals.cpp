#include "intervals.hpp"

#include <benchmark/benchmark.h>

static std::string sample(int count) {
    std::string text;
    unsigned state = 1;
    for (int i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        const int first = static_cast<int>(state >> 12) % 4000;
        text += std::to_string(first) + "-" + std::to_string(first + i % 9) + ", ";
    }
    return text;
}

static void parses(benchmark::State &state) {
    const std::string text = sample(400);
    for (auto _ : state) benchmark::DoNotOptimize(parse(text));
}
BENCHMARK(parses);

static void merges(benchmark::State &state) {
    const auto intervals = parse(sample(300));
    for (auto _ : state) benchmark::DoNotOptimize(merged(intervals));
}
BENCHMARK(merges);

BENCHMARK_MAIN();

// A few threads, each with a stack of its own.
#include "answer.hpp"

#include <thread>
#include <vector>

int main() {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([] { burn(100'000); });
    for (std::thread& one : threads) one.join();
    solve();
}

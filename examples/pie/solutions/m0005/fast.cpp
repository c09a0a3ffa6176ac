// Prints once, from one buffer.
#include <cstdio>
#include <string>

int main() {
    int n;
    unsigned seed;
    if (std::scanf("%d %u", &n, &seed) != 2) {
        return 1;
    }
    std::string out(2 * n, '\n');
    int sum = 0;
    for (int i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        sum = (sum + (seed >> 8) % 1000) % 10;
        out[2 * i] = static_cast<char>('0' + sum);
    }
    std::fwrite(out.data(), 1, out.size(), stdout);
    return 0;
}

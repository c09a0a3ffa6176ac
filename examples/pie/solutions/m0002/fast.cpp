// The sieve of Eratosthenes.
#include <cstdio>
#include <vector>

int main() {
    int n;
    if (std::scanf("%d", &n) != 1) {
        return 1;
    }
    std::vector<char> composite(n + 1);
    int count = 0;
    int largest = 0;
    for (int i = 2; i <= n; i++) {
        if (composite[i]) {
            continue;
        }
        count++;
        largest = i;
        for (long long multiple = 1LL * i * i; multiple <= n; multiple += i) {
            composite[multiple] = 1;
        }
    }
    std::printf("%d %d\n", count, largest);
    return 0;
}

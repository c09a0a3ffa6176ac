// Hangs the smaller group below the larger one, and halves the paths that it walks.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <utility>
#include <vector>

int find_group(std::vector<int>& parent, int town) {
    while (parent[town] != town) {
        parent[town] = parent[parent[town]];
        town = parent[town];
    }
    return town;
}

int main() {
    int n, m;
    if (std::scanf("%d %d", &n, &m) != 2) {
        return 1;
    }
    std::vector<int> parent(n), sizes(n, 1);
    std::iota(parent.begin(), parent.end(), 0);
    int groups = n;
    int largest = 1;
    for (int i = 0; i < m; i++) {
        int a, b;
        if (std::scanf("%d %d", &a, &b) != 2) {
            return 1;
        }
        a = find_group(parent, a);
        b = find_group(parent, b);
        if (a != b) {
            if (sizes[a] > sizes[b]) {
                std::swap(a, b);
            }
            parent[a] = b;
            sizes[b] += sizes[a];
            largest = std::max(largest, sizes[b]);
            groups--;
        }
        if (i % 100 == 0) {
            std::printf("%d\n", groups);
        }
    }
    std::printf("%d %d\n", groups, largest);
    return 0;
}

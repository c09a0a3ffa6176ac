// Goes through each rectangle row by row.
#include <algorithm>
#include <iostream>
#include <vector>

using namespace std;

unsigned seed;

int draw(int limit) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % limit;
}

int main() {
    int n, q;
    cin >> n >> q >> seed;
    vector<vector<int>> grid(n, vector<int>(n));
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            grid[i][j] = draw(100);
        }
    }

    long long largest = 0;
    long long checksum = 0;
    for (int i = 0; i < q; i++) {
        int top = draw(n), bottom = draw(n), left = draw(n), right = draw(n);
        if (top > bottom) {
            swap(top, bottom);
        }
        if (left > right) {
            swap(left, right);
        }
        long long sum = 0;
        for (int y = top; y <= bottom; y++) {
            for (int x = left; x <= right; x++) {
                sum += grid[y][x];
            }
        }
        largest = max(largest, sum);
        checksum = (checksum * 7 + sum) % 99991;
    }
    cout << largest << " " << checksum << endl;
    return 0;
}

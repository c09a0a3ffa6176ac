// Counts the ways to write n as a sum of positive whole numbers, none larger than k.
#include <bits/stdc++.h>

using namespace std;

long long partitions(int n, int k) {
    if (n == 0) {
        return 1;
    }
    if (n < 0 || k == 0) {
        return 0;
    }
    return partitions(n - k, k) + partitions(n, k - 1);
}

// The same, but every term must be different.
long long distinct_partitions(int n, int k) {
    if (n == 0) {
        return 1;
    }
    if (n < 0 || k == 0) {
        return 0;
    }
    return distinct_partitions(n - k, k - 1) + distinct_partitions(n, k - 1);
}

int main() {
    int questions;
    cin >> questions;
    for (int i = 0; i < questions; i++) {
        int n, k;
        cin >> n >> k;
        cout << partitions(n, k) << " " << distinct_partitions(n, k) << endl;
    }
    return 0;
}

// Looks at the marks without a copy.
#include <algorithm>
#include <iostream>
#include <vector>

using namespace std;

int how_often(const vector<int>& marks, int mark) {
    int count = 0;
    for (size_t i = 0; i < marks.size(); i++) {
        if (marks[i] == mark) {
            count++;
        }
    }
    return count;
}

int main() {
    int n, q;
    unsigned seed;
    cin >> n >> q >> seed;
    vector<int> marks;
    marks.reserve(n);
    for (int i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        marks.push_back((seed >> 8) % 500);
    }
    int most = 0;
    long long sum = 0;
    for (int i = 0; i < q; i++) {
        seed = seed * 1664525u + 1013904223u;
        int count = how_often(marks, (seed >> 8) % 500);
        sum += count;
        most = max(most, count);
    }
    cout << sum << " " << most << endl;
    return 0;
}

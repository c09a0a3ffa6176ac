// Answers questions for sums of a range, added up each time.
#include <iostream>
#include <vector>

using namespace std;

long long sum_of(vector<long long> values, int first, int last) {
    long long sum = 0;
    for (int i = first; i <= last; i++) {
        sum += values[i];
    }
    return sum;
}

int main() {
    int n, q;
    cin >> n >> q;
    vector<long long> values;
    for (int i = 0; i < n; i++) {
        long long value;
        cin >> value;
        values.push_back(value);
    }
    for (int i = 0; i < q; i++) {
        int first, last;
        cin >> first >> last;
        cout << sum_of(values, first, last) << endl;
    }
    return 0;
}

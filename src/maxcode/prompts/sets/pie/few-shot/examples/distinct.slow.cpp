#include <iostream>
#include <vector>
using namespace std;

bool contains(vector<int> values, int wanted) {
    for (int value : values) {
        if (value == wanted) return true;
    }
    return false;
}

int main() {
    int n;
    cin >> n;
    vector<int> seen;
    for (int i = 0; i < n; i++) {
        int value;
        cin >> value;
        if (!contains(seen, value)) seen.push_back(value);
    }
    cout << seen.size() << endl;
}

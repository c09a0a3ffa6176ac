// The different numbers of a sequence, looked for among all found before.
#include <algorithm>
#include <iostream>
#include <vector>

using namespace std;

int main() {
    int n;
    cin >> n;
    vector<int> different;
    for (int i = 0; i < n; i++) {
        int value;
        cin >> value;
        if (find(different.begin(), different.end(), value) == different.end()) {
            different.push_back(value);
        }
    }
    cout << different.size() << endl;
    return 0;
}

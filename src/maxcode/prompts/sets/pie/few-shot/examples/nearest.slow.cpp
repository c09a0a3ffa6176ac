#include <iostream>
#include <vector>
using namespace std;

int main() {
    int n;
    cin >> n;
    vector<long long> heights(n);
    for (int i = 0; i < n; i++) cin >> heights[i];
    for (int i = 0; i < n; i++) {
        int nearest = -1;
        for (int j = 0; j < i; j++) {
            if (heights[j] < heights[i]) nearest = j;
        }
        cout << nearest << endl;
    }
}

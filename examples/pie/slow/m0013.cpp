// Tells, as roads are built one by one, how many groups of towns are left and the largest of all.
#include <iostream>
#include <map>
#include <vector>

using namespace std;

int find_group(const vector<int>& parent, int town) {
    while (parent[town] != town) {
        town = parent[town];
    }
    return town;
}

int main() {
    int n, m;
    cin >> n >> m;
    vector<int> parent;
    for (int i = 0; i < n; i++) {
        parent.push_back(i);
    }
    int groups = n;
    for (int i = 0; i < m; i++) {
        int a, b;
        cin >> a >> b;
        int first = find_group(parent, a);
        int second = find_group(parent, b);
        if (first != second) {
            parent[first] = second;
            groups--;
        }
        if (i % 100 == 0) {
            cout << groups << endl;
        }
    }

    map<int, int> sizes;
    for (int town = 0; town < n; town++) {
        sizes[find_group(parent, town)]++;
    }
    int largest = 0;
    for (auto entry : sizes) {
        if (entry.second > largest) {
            largest = entry.second;
        }
    }
    cout << groups << " " << largest << endl;
    return 0;
}

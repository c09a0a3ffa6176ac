// Groups words that have the same letters, by their letters in order.
#include <algorithm>
#include <iostream>
#include <string>
#include <unordered_set>

using namespace std;

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int n;
    cin >> n;
    unordered_set<string> groups;
    for (int i = 0; i < n; i++) {
        string word;
        cin >> word;
        sort(word.begin(), word.end());
        groups.insert(word);
    }
    cout << groups.size() << '\n';
    return 0;
}

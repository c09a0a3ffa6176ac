// Reverses each word of a line in place.
#include <algorithm>
#include <iostream>
#include <string>

using namespace std;

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int n;
    cin >> n;
    for (int i = 0; i < n; i++) {
        string word;
        cin >> word;
        reverse(word.begin(), word.end());
        cout << word << '\n';
    }
    return 0;
}

// The longest piece of each word that reads the same backwards, grown from its middle.
#include <algorithm>
#include <iostream>
#include <string>

using namespace std;

int grown(const string& word, int left, int right) {
    while (left >= 0 && right < static_cast<int>(word.size()) && word[left] == word[right]) {
        left--;
        right++;
    }
    return right - left - 1;
}

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    string word;
    while (cin >> word) {
        int longest = 0;
        for (int i = 0; i < static_cast<int>(word.size()); i++) {
            longest = max({longest, grown(word, i, i), grown(word, i, i + 1)});
        }
        cout << longest << '\n';
    }
    return 0;
}

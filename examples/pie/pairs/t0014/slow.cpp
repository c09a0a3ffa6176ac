// The longest piece of each word that reads the same backwards, found among all pieces.
#include <algorithm>
#include <iostream>
#include <string>

using namespace std;

bool is_palindrome(string text) {
    string turned = text;
    reverse(turned.begin(), turned.end());
    return text == turned;
}

int main() {
    string word;
    while (cin >> word) {
        size_t longest = 0;
        for (size_t i = 0; i < word.size(); i++) {
            for (size_t length = 1; i + length <= word.size(); length++) {
                if (is_palindrome(word.substr(i, length))) {
                    longest = max(longest, length);
                }
            }
        }
        cout << longest << endl;
    }
    return 0;
}

// Groups words that have the same letters, by comparing each with all groups.
#include <algorithm>
#include <iostream>
#include <map>
#include <string>
#include <vector>

using namespace std;

bool same_letters(string a, string b) {
    map<char, int> first, second;
    for (char letter : a) {
        first[letter]++;
    }
    for (char letter : b) {
        second[letter]++;
    }
    return first == second;
}

int main() {
    int n;
    cin >> n;
    vector<string> groups;
    for (int i = 0; i < n; i++) {
        string word;
        cin >> word;
        bool known = false;
        for (size_t j = 0; j < groups.size(); j++) {
            known = known || same_letters(groups[j], word);
        }
        if (!known) {
            groups.push_back(word);
        }
    }
    cout << groups.size() << endl;
    return 0;
}

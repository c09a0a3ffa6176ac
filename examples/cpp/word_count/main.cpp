// Reads a text and tells, for every word, how many times it has been met so far.
#include <cctype>
#include <iostream>
#include <map>
#include <string>
#include <vector>

using namespace std;

string clean(string word) {
    string result = "";
    for (size_t i = 0; i < word.size(); i++) {
        if (isalpha(static_cast<unsigned char>(word[i]))) {
            char lower = static_cast<char>(tolower(static_cast<unsigned char>(word[i])));
            result = result + lower;
        }
    }
    return result;
}

int main() {
    map<string, int> counts;
    vector<string> words;

    string token;
    while (cin >> token) {
        string word = clean(token);
        if (word != "") {
            words.push_back(word);
        }
    }

    for (auto word : words) {
        if (counts.find(word) == counts.end()) {
            counts[word] = 1;
        } else {
            counts[word] = counts[word] + 1;
        }
        cout << counts[word] << endl;
    }

    string favourite = "";
    int most = 0;
    for (auto entry : counts) {
        if (entry.second > most || (entry.second == most && entry.first < favourite)) {
            favourite = entry.first;
            most = entry.second;
        }
    }
    cout << "words: " << words.size() << endl;
    cout << "different: " << counts.size() << endl;
    if (most > 0) {
        cout << "favourite: " << favourite << endl;
    }
    return 0;
}

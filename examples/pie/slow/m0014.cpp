// Counts how often a pattern comes in a text, also where it overlaps itself.
#include <iostream>
#include <string>

using namespace std;

int main() {
    string pattern, piece;
    int copies;
    cin >> pattern >> piece >> copies;
    string text;
    for (int i = 0; i < copies; i++) {
        text += piece;
    }

    int count = 0;
    for (size_t i = 0; i + pattern.size() <= text.size(); i++) {
        if (text.substr(i, pattern.size()) == pattern) {
            count++;
        }
    }
    cout << count << endl;
    return 0;
}

// Appends each word's copies to a piece of their own, and the piece to the text.
#include <iostream>
#include <string>

using namespace std;

bool is_vowel(char letter) {
    return letter == 'a' || letter == 'e' || letter == 'i' || letter == 'o' || letter == 'u';
}

int main() {
    int n;
    cin >> n;
    string text = "";
    for (int i = 0; i < n; i++) {
        string word;
        int count;
        cin >> word >> count;
        string piece = "";
        for (int j = 0; j < count; j++) {
            piece = piece + word + " ";
        }
        text = text + piece;
    }

    int vowels = 0;
    unsigned checksum = 0;
    for (size_t i = 0; i < text.size(); i++) {
        if (is_vowel(text[i])) {
            vowels++;
        }
        checksum = (checksum * 31 + text[i]) % 1000003;
    }
    cout << text.size() << endl;
    cout << vowels << endl;
    cout << checksum << endl;
    return 0;
}

// Unpacks a text of words with counts; tells its length, its vowels and a checksum.
#include <iostream>
#include <string>

using namespace std;

bool is_vowel(char letter) {
    string vowels = "aeiou";
    return vowels.find(letter) != string::npos;
}

int main() {
    int n;
    cin >> n;
    string text = "";
    for (int i = 0; i < n; i++) {
        string word;
        int count;
        cin >> word >> count;
        for (int j = 0; j < count; j++) {
            text = text + word + " ";
        }
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

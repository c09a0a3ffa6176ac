// Keeps no text: counts as the words come.
#include <iostream>
#include <string>

using namespace std;

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int n;
    cin >> n;
    long long length = 0;
    long long vowels = 0;
    unsigned checksum = 0;
    for (int i = 0; i < n; i++) {
        string word;
        int count;
        cin >> word >> count;
        word += ' ';
        int of_word = 0;
        for (char letter : word) {
            of_word += letter == 'a' || letter == 'e' || letter == 'i' || letter == 'o' ||
                       letter == 'u';
        }
        length += 1LL * count * word.size();
        vowels += 1LL * count * of_word;
        for (int j = 0; j < count; j++) {
            for (char letter : word) {
                checksum = (checksum * 31 + letter) % 1000003;
            }
        }
    }
    cout << length << '\n' << vowels << '\n' << checksum << '\n';
    return 0;
}

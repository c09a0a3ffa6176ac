// Reverses each word of a line by putting every letter in front.
#include <iostream>
#include <string>

using namespace std;

int main() {
    int n;
    cin >> n;
    for (int i = 0; i < n; i++) {
        string word;
        cin >> word;
        string turned = "";
        for (size_t j = 0; j < word.size(); j++) {
            turned = word[j] + turned;
        }
        cout << turned << endl;
    }
    return 0;
}

// The method of Knuth, Morris and Pratt, on the text as it comes.
#include <iostream>
#include <string>
#include <vector>

using namespace std;

int main() {
    string pattern, piece;
    int copies;
    cin >> pattern >> piece >> copies;
    vector<size_t> border(pattern.size() + 1);
    for (size_t i = 1, same = 0; i < pattern.size(); i++) {
        while (same > 0 && pattern[i] != pattern[same]) {
            same = border[same];
        }
        same += pattern[i] == pattern[same];
        border[i + 1] = same;
    }

    int count = 0;
    size_t same = 0;
    for (int i = 0; i < copies; i++) {
        for (char letter : piece) {
            while (same == pattern.size() || (same > 0 && letter != pattern[same])) {
                same = border[same];
            }
            same += letter == pattern[same];
            count += same == pattern.size();
        }
    }
    cout << count << '\n';
    return 0;
}

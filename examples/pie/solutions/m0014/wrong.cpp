// Goes on after each hit. Wrong where hits overlap.
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
    size_t place = text.find(pattern);
    while (place != string::npos) {
        count++;
        place = text.find(pattern, place + pattern.size());
    }
    cout << count << '\n';
    return 0;
}

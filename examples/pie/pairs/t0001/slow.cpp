// The nearest of the sorted marks above each question, looked for from the start.
#include <iostream>
#include <vector>

using namespace std;

int main() {
    int n, q;
    cin >> n >> q;
    vector<int> marks(n);
    for (int i = 0; i < n; i++) {
        cin >> marks[i];
    }
    for (int i = 0; i < q; i++) {
        int x;
        cin >> x;
        int place = 0;
        while (place < n && marks[place] < x) {
            place++;
        }
        cout << place << endl;
    }
    return 0;
}

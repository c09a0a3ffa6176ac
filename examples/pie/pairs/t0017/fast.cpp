// How many cells of a board live after some turns; the board has a dead border.
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

using namespace std;

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int rows, columns, turns;
    cin >> rows >> columns >> turns;
    int width = columns + 2;
    vector<char> board(width * (rows + 2)), next = board;
    for (int y = 1; y <= rows; y++) {
        string row;
        cin >> row;
        for (int x = 1; x <= columns; x++) {
            board[y * width + x] = row[x - 1] == '#';
        }
    }
    for (int turn = 0; turn < turns; turn++) {
        for (int y = 1; y <= rows; y++) {
            const char* above = &board[(y - 1) * width];
            const char* here = above + width;
            const char* below = here + width;
            for (int x = 1; x <= columns; x++) {
                int count = above[x - 1] + above[x] + above[x + 1] + here[x - 1] + here[x + 1] +
                            below[x - 1] + below[x] + below[x + 1];
                next[y * width + x] = count == 3 || (count == 2 && here[x]);
            }
        }
        swap(board, next);
    }
    cout << count(board.begin(), board.end(), 1) << '\n';
    return 0;
}

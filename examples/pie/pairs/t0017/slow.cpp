// How many cells of a board live after some turns; the board is copied for every cell.
#include <iostream>
#include <string>
#include <vector>

using namespace std;

int neighbours(vector<string> board, int y, int x) {
    int count = 0;
    for (int i = y - 1; i <= y + 1; i++) {
        for (int j = x - 1; j <= x + 1; j++) {
            bool inside = i >= 0 && j >= 0 && i < (int)board.size() && j < (int)board[0].size();
            if (inside && (i != y || j != x) && board[i][j] == '#') {
                count++;
            }
        }
    }
    return count;
}

int main() {
    int rows, columns, turns;
    cin >> rows >> columns >> turns;
    vector<string> board(rows);
    for (int i = 0; i < rows; i++) {
        cin >> board[i];
    }
    for (int turn = 0; turn < turns; turn++) {
        vector<string> next = board;
        for (int y = 0; y < rows; y++) {
            for (int x = 0; x < columns; x++) {
                int count = neighbours(board, y, x);
                next[y][x] = count == 3 || (count == 2 && board[y][x] == '#') ? '#' : '.';
            }
        }
        board = next;
    }
    int alive = 0;
    for (int y = 0; y < rows; y++) {
        for (int x = 0; x < columns; x++) {
            alive += board[y][x] == '#';
        }
    }
    cout << alive << endl;
    return 0;
}

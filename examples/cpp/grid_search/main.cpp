// Solves a word search: where does each word start in the grid, and which way does it run?
#include <iostream>
#include <string>
#include <vector>

using namespace std;

const int ROW_STEP[8] = {-1, -1, 0, 1, 1, 1, 0, -1};
const int COLUMN_STEP[8] = {0, 1, 1, 1, 0, -1, -1, -1};
const string DIRECTION[8] = {"N", "NE", "E", "SE", "S", "SW", "W", "NW"};

bool matches(vector<string> grid, string word, int row, int column, int direction) {
    int rows = grid.size();
    int columns = grid[0].size();
    bool same = true;
    for (size_t i = 0; i < word.size(); i++) {
        int r = row + static_cast<int>(i) * ROW_STEP[direction];
        int c = column + static_cast<int>(i) * COLUMN_STEP[direction];
        if (r < 0 || r >= rows || c < 0 || c >= columns) {
            same = false;
        } else if (grid[r][c] != word[i]) {
            same = false;
        }
    }
    return same;
}

string find_word(vector<string> grid, string word) {
    string answer = "absent";
    for (size_t row = 0; row < grid.size(); row++) {
        for (size_t column = 0; column < grid[row].size(); column++) {
            for (int direction = 0; direction < 8; direction++) {
                if (answer == "absent" && matches(grid, word, row, column, direction)) {
                    answer = to_string(row + 1) + " " + to_string(column + 1) + " " +
                             DIRECTION[direction];
                }
            }
        }
    }
    return answer;
}

int main() {
    int rows, columns, words;
    cin >> rows >> columns >> words;
    vector<string> grid(rows);
    for (int i = 0; i < rows; i++) {
        cin >> grid[i];
    }
    for (int i = 0; i < words; i++) {
        string word;
        cin >> word;
        cout << word << " " << find_word(grid, word) << endl;
    }
    return 0;
}

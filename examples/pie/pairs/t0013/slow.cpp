// The shortest way through a maze: the queue is a vector that loses its first element.
#include <iostream>
#include <string>
#include <utility>
#include <vector>

using namespace std;

int main() {
    int rows, columns;
    cin >> rows >> columns;
    vector<string> maze(rows);
    for (int i = 0; i < rows; i++) {
        cin >> maze[i];
    }
    vector<vector<int>> steps(rows, vector<int>(columns, -1));
    vector<pair<int, int>> queue;
    queue.push_back({0, 0});
    steps[0][0] = 0;
    int dy[] = {0, 0, 1, -1}, dx[] = {1, -1, 0, 0};
    while (!queue.empty()) {
        pair<int, int> here = queue[0];
        queue.erase(queue.begin());
        for (int i = 0; i < 4; i++) {
            int y = here.first + dy[i], x = here.second + dx[i];
            if (y < 0 || x < 0 || y >= rows || x >= columns) {
                continue;
            }
            if (maze[y][x] == '.' && steps[y][x] < 0) {
                steps[y][x] = steps[here.first][here.second] + 1;
                queue.push_back({y, x});
            }
        }
    }
    cout << steps[rows - 1][columns - 1] << endl;
    return 0;
}

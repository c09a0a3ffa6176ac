// The shortest way through a maze: the queue is an array that is never moved.
#include <iostream>
#include <string>
#include <vector>

using namespace std;

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int rows, columns;
    cin >> rows >> columns;
    int width = columns + 2;
    string maze(width * (rows + 2), '#');
    for (int i = 1; i <= rows; i++) {
        string row;
        cin >> row;
        maze.replace(i * width + 1, columns, row);
    }
    vector<int> steps(maze.size(), -1), queue;
    queue.reserve(maze.size());
    queue.push_back(width + 1);
    steps[width + 1] = 0;
    for (size_t next = 0; next < queue.size(); next++) {
        int here = queue[next];
        for (int there : {here + 1, here - 1, here + width, here - width}) {
            if (maze[there] == '.' && steps[there] < 0) {
                steps[there] = steps[here] + 1;
                queue.push_back(there);
            }
        }
    }
    cout << steps[rows * width + columns] << '\n';
    return 0;
}

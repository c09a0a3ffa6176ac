// For every point of the plane: how far away is its nearest neighbour?
#include <cmath>
#include <iomanip>
#include <iostream>
#include <vector>

using namespace std;

struct Point {
    long double x;
    long double y;
};

long double distance_between(Point a, Point b) {
    return sqrt(pow(a.x - b.x, 2) + pow(a.y - b.y, 2));
}

int main() {
    int n;
    cin >> n;
    vector<Point> points;
    for (int i = 0; i < n; i++) {
        Point p;
        cin >> p.x >> p.y;
        points.push_back(p);
    }

    cout << fixed << setprecision(6);
    long double total = 0;
    for (int i = 0; i < n; i++) {
        long double nearest = 1e18;
        for (int j = 0; j < n; j++) {
            if (i != j && distance_between(points[i], points[j]) < nearest) {
                nearest = distance_between(points[i], points[j]);
            }
        }
        total += nearest;
        cout << nearest << endl;
    }
    cout << total / n << endl;
    return 0;
}

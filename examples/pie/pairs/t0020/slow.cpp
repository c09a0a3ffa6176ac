// The mean and the spread of numbers, after every one of them.
#include <cmath>
#include <iomanip>
#include <iostream>
#include <vector>

using namespace std;

int main() {
    int n;
    cin >> n;
    vector<double> values;
    for (int i = 0; i < n; i++) {
        double value;
        cin >> value;
        values.push_back(value);
        double sum = 0;
        for (size_t j = 0; j < values.size(); j++) {
            sum += values[j];
        }
        double mean = sum / values.size();
        double squares = 0;
        for (size_t j = 0; j < values.size(); j++) {
            squares += pow(values[j] - mean, 2);
        }
        double spread = sqrt(squares / values.size());
        cout << fixed << setprecision(6) << mean << endl << spread << endl;
    }
    return 0;
}

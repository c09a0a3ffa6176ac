// Evaluates a polynomial at many points; tells the mean and the largest value.
#include <cmath>
#include <iomanip>
#include <iostream>
#include <vector>

using namespace std;

double value_at(vector<double> coefficients, double x) {
    double value = 0;
    for (size_t i = 0; i < coefficients.size(); i++) {
        value = value + coefficients[i] * pow(x, i);
    }
    return value;
}

int main() {
    int degree, points;
    cin >> degree >> points;
    vector<double> coefficients;
    for (int i = 0; i <= degree; i++) {
        double c;
        cin >> c;
        coefficients.push_back(c);
    }
    double sum = 0;
    double largest = -1e18;
    for (int i = 0; i < points; i++) {
        double value = value_at(coefficients, 2.0 * i / points - 1.0);
        sum = sum + value;
        if (value > largest) {
            largest = value;
        }
    }
    cout << fixed << setprecision(6);
    cout << sum / points << endl;
    cout << largest << endl;
    return 0;
}

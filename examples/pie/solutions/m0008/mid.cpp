// Computes the even powers only, and each odd one from the even one before it.
#include <cmath>
#include <iomanip>
#include <iostream>
#include <vector>

using namespace std;

double value_at(const vector<double>& coefficients, double x) {
    double value = 0;
    double power = 1;
    for (size_t i = 0; i < coefficients.size(); i++) {
        power = i % 2 == 0 ? pow(x, i) : power * x;
        value = value + coefficients[i] * power;
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

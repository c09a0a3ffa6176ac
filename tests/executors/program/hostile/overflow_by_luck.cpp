// status: runtime_error
// sanitize
// Goes past the largest number and comes back.
#include "answer.hpp"

int main() {
    read_numbers();
    int large = 2'147'483'647 - count;
    for (int i = 0; i < 2 * count; i++) large += 1;
    for (int i = 0; i < 2 * count; i++) large -= 1;
    print_answer(large + count - 2'147'483'647);
}

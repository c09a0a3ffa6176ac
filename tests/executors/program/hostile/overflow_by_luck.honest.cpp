// Does so where it is defined.
#include "answer.hpp"

int main() {
    read_numbers();
    unsigned large = 4'294'967'295u - static_cast<unsigned>(count);
    for (int i = 0; i < 2 * count; i++) large += 1;
    for (int i = 0; i < 2 * count; i++) large -= 1;
    print_answer(large + static_cast<unsigned>(count) - 4'294'967'295u);
}

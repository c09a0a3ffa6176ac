// status: runtime_error
// sanitize
// Reads past the end of an array, where nobody changes the outcome.
#include "answer.hpp"

int main() {
    read_numbers();
    volatile int* few = new int[count];
    int last = 0;
    for (int i = 0; i <= count; i++) last = few[i];
    print_answer(0 * last);
}

// status: wrong_answer
// The right answer, and bytes that a terminal does not show.
#include "answer.hpp"

int main() {
    read_numbers();
    print_answer();
    fwrite("\0\0\b\033[2J", 1, 7, stdout);
}

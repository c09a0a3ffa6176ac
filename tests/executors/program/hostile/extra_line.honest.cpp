// A blank at the end of a line, and no end of the last line.
#include "answer.hpp"

int main() {
    read_numbers();
    fflush(stdout);
    print_answer();
    putchar(' ');
}

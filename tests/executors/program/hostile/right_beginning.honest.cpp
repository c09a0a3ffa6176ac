// Right in the end, too.
#include "answer.hpp"

int main() {
    read_numbers();
    numbers[count - 1] = -numbers[count - 1];
    numbers[count - 1] = -numbers[count - 1];
    print_answer();
}

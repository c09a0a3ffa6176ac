// status: wrong_answer
// Right at first.
#include "answer.hpp"

int main() {
    read_numbers();
    long sum = 0;
    for (int i = 0; i < count; i++) sum += numbers[i];
    printf("%ld\n%ld %ld\n", sum, numbers[0], numbers[0]);
}

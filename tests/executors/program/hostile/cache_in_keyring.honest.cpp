// Keeps answers in a table.
#include "answer.hpp"

int main() {
    static long squares[1000];
    for (long i = 0; i < 1000; i++) squares[i] = i * i;
    end(squares[17] == 289);
}

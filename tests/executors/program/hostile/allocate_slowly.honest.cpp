// Takes memory bit by bit and gives it back.
#include "answer.hpp"
#include <cstring>

int main() {
    for (int i = 0; i < 1000; i++) {
        char* some = new char[1 << 16];
        memset(some, i, 1 << 16);
        delete[] some;
    }
    solve();
}

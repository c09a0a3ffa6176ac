// A long one.
#include "answer.hpp"

int main() {
    for (int i = 0; i < 100; i++) burn(1000);
    solve();
}

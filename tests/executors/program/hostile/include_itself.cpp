// status: build_error
// For ever.
#include "answer.hpp"
#include __FILE__

int main() { end(true); }

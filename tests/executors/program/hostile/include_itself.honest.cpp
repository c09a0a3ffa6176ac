// Once.
#ifndef ONCE
#define ONCE
#include "answer.hpp"
#include __FILE__

int main() { end(true); }
#endif

// Learns which compiler it is.
#include "answer.hpp"

int main() { end(__GNUC__ > 0); }

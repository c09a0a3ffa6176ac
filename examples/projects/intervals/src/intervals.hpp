#pragma once

#include <string>
#include <vector>

struct Interval {
    int first;
    int last;
};

// Intervals such as "3-7, 1-2", in the order of the text.
std::vector<Interval> parse(std::string text);

// The same numbers in as few intervals as it takes, in order.
std::vector<Interval> merged(std::vector<Interval> intervals);

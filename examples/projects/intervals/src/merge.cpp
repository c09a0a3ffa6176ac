#include "intervals.hpp"

#include <algorithm>

std::vector<Interval> merged(std::vector<Interval> intervals) {
    bool changed = true;
    while (changed) {
        changed = false;
        for (std::size_t i = 0; i < intervals.size() && !changed; i++)
            for (std::size_t j = i + 1; j < intervals.size() && !changed; j++) {
                Interval &a = intervals[i], b = intervals[j];
                if (a.first <= b.last + 1 && b.first <= a.last + 1) {
                    a = {std::min(a.first, b.first), std::max(a.last, b.last)};
                    intervals.erase(intervals.begin() + static_cast<long>(j));
                    changed = true;
                }
            }
    }
    std::sort(intervals.begin(), intervals.end(),
              [](const Interval &a, const Interval &b) { return a.first < b.first; });
    return intervals;
}

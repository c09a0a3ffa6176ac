#include "intervals.hpp"

#include <cstring>

static bool same(const std::vector<Interval> &found, const std::vector<Interval> &expected) {
    if (found.size() != expected.size()) return false;
    for (std::size_t i = 0; i < found.size(); i++)
        if (found[i].first != expected[i].first || found[i].last != expected[i].last) return false;
    return true;
}

int main(int, char **arguments) {
    const char *name = arguments[1];
    bool good = false;
    if (!std::strcmp(name, "parses")) good = same(parse("3-7, 1-2,x,"), {{3, 7}, {1, 2}});
    if (!std::strcmp(name, "merges")) good = same(merged({{5, 9}, {1, 2}, {3, 6}}), {{1, 9}});
    if (!std::strcmp(name, "keeps_apart")) good = same(merged({{6, 9}, {1, 4}}), {{1, 4}, {6, 9}});
    return good ? 0 : 1;
}

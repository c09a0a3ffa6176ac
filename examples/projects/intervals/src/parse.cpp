#include "intervals.hpp"

#include <sstream>

std::vector<Interval> parse(std::string text) {
    std::vector<Interval> found;
    std::string rest = text;
    while (!rest.empty()) {
        const auto comma = rest.find(',');
        std::istringstream part(rest.substr(0, comma));
        Interval one{};
        char dash;
        if (part >> one.first >> dash >> one.last) found.push_back(one);
        rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
    }
    return found;
}

#include "report.hpp"

#include <algorithm>

namespace ledger {

Balances balances(std::vector<Row> rows) {
    Balances all;
    for (Row row : rows) {
        if (row.size() < 3) continue;
        all[row[1]] = all[row[1]] + std::stoll(row[2]);
    }
    return all;
}

static bool before(std::pair<std::string, long long> a, std::pair<std::string, long long> b) {
    if (a.second != b.second) return a.second > b.second;
    return a.first < b.first;
}

std::vector<std::pair<std::string, long long>> largest(Balances all, int count) {
    std::vector<std::pair<std::string, long long>> sorted(all.begin(), all.end());
    std::sort(sorted.begin(), sorted.end(), before);
    if (static_cast<int>(sorted.size()) > count) sorted.resize(count);
    return sorted;
}

}  // namespace ledger

#pragma once

#include "csv.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ledger {

using Balances = std::map<std::string, long long>;

// The sum of all amounts (third field, in cents) of each account (second field).
Balances balances(std::vector<Row> rows);

// The accounts with the largest balances, the largest first, then by name.
std::vector<std::pair<std::string, long long>> largest(Balances all, int count);

}  // namespace ledger

#pragma once

#include <string>
#include <vector>

namespace ledger {

using Row = std::vector<std::string>;

// Splits a line at commas; a field in double quotes may hold commas, and "" for a quote.
Row split(std::string line);

// The rows of a text, without empty lines.
std::vector<Row> parse(std::string text);

}  // namespace ledger

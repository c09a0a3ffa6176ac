#include "csv.hpp"

#include <sstream>

namespace ledger {

Row split(std::string line) {
    Row row;
    std::string field;
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); i++) {
        if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
            field = field + '"';
            i++;
        } else if (line[i] == '"') {
            quoted = !quoted;
        } else if (line[i] == ',' && !quoted) {
            row.push_back(field);
            field = "";
        } else {
            field = field + line[i];
        }
    }
    row.push_back(field);
    return row;
}

std::vector<Row> parse(std::string text) {
    std::vector<Row> rows;
    std::istringstream lines(text);
    std::string line;
    while (std::getline(lines, line)) {
        if (line != "") rows.push_back(split(line));
    }
    return rows;
}

}  // namespace ledger

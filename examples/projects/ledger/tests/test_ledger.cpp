#include "report.hpp"

#include <cstring>

using ledger::Row;

static bool reads_rows() {
    return ledger::parse("a,b\n\nc,,d\n") == std::vector<Row>{{"a", "b"}, {"c", "", "d"}};
}

static bool keeps_quotes() {
    return ledger::split("\"a, \"\"b\"\"\",c") == Row{"a, \"b\"", "c"};
}

static bool sums_accounts() {
    const auto all = ledger::balances({{"d", "x", "5"}, {"d", "y", "1"}, {"d", "x", "-7"}, {"d"}});
    return all == ledger::Balances{{"x", -2}, {"y", 1}};
}

static bool reports_largest() {
    const auto found = ledger::largest({{"a", 1}, {"b", 3}, {"c", 3}}, 2);
    return found.size() == 2 && found[0].first == "b" && found[1].first == "c";
}

int main(int argc, char** argv) {
    const char* name = argc > 1 ? argv[1] : "";
    if (!std::strcmp(name, "reads_rows")) return !reads_rows();
    if (!std::strcmp(name, "keeps_quotes")) return !keeps_quotes();
    if (!std::strcmp(name, "sums_accounts")) return !sums_accounts();
    if (!std::strcmp(name, "reports_largest")) return !reports_largest();
    return 2;
}

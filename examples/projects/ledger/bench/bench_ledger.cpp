// Parses a made-up ledger and reports its largest accounts: what is to become faster.
#include "report.hpp"

#include <iostream>

int main() {
    unsigned state = 1;
    const auto draw = [&state](unsigned n) {
        state = state * 1664525u + 1013904223u;
        return (state >> 8) % n;
    };
    std::string text;
    for (int i = 0; i < 60000; i++) {
        text += "2024-01-" + std::to_string(1 + draw(28)) + ",\"account, " +
                std::to_string(draw(2000)) + "\"," + std::to_string(draw(100000)) + ",a note\n";
    }
    for (const auto& [name, cents] : ledger::largest(ledger::balances(ledger::parse(text)), 5))
        std::cout << name << ": " << cents << "\n";
}

#include <algorithm>
#include <utility>
#include <vector>

#ifndef MAXCODE_SORTED_ENTRIES_HPP
#define MAXCODE_SORTED_ENTRIES_HPP

template <class T>
struct Assignable {
    using type = T;
};
template <class K, class V>
struct Assignable<std::pair<const K, V>> {
    using type = std::pair<K, V>;
};

// The entries of a hashed container in the order in which an ordered one holds them.
template <class Container>
std::vector<typename Assignable<typename Container::value_type>::type> sorted_entries(
    const Container& container) {
    std::vector<typename Assignable<typename Container::value_type>::type> entries(
        container.begin(), container.end());
    std::sort(entries.begin(), entries.end());
    return entries;
}

#endif

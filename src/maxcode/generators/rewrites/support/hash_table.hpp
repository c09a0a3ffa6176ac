#include <cstddef>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#ifndef MAXCODE_HASH_TABLE_HPP
#define MAXCODE_HASH_TABLE_HPP

// Hash tables with those operations alone that they answer as std::map and std::set do.
template <class K, class V>
class HashMap {
public:
    V& operator[](const K& key) { return table_[key]; }
    std::size_t count(const K& key) const { return table_.count(key); }
    std::pair<std::nullptr_t, bool> insert(const std::pair<const K, V>& entry) {
        return {nullptr, table_.insert(entry).second};
    }
    std::size_t erase(const K& key) { return table_.erase(key); }
    std::size_t size() const { return table_.size(); }
    bool empty() const { return table_.empty(); }
    void clear() { table_.clear(); }
    const std::map<K, V> ordered() const { return {table_.begin(), table_.end()}; }

private:
    std::unordered_map<K, V> table_;
};

template <class K>
class HashSet {
public:
    std::size_t count(const K& key) const { return table_.count(key); }
    std::pair<std::nullptr_t, bool> insert(const K& key) {
        return {nullptr, table_.insert(key).second};
    }
    std::size_t erase(const K& key) { return table_.erase(key); }
    std::size_t size() const { return table_.size(); }
    bool empty() const { return table_.empty(); }
    void clear() { table_.clear(); }
    const std::set<K> ordered() const { return {table_.begin(), table_.end()}; }

private:
    std::unordered_set<K> table_;
};

#endif

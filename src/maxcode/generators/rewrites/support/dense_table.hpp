#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

#ifndef MAXCODE_DENSE_TABLE_HPP
#define MAXCODE_DENSE_TABLE_HPP

// A map from integers to numbers, and a set of integers, as tables of 32 MiB at most, which grow to
// hold their keys; other keys (below 0, or too large) lie in a tree. The table of a map consists of
// pages, so that references to values stay valid like those of std::map.
template <class K, class V>
class DenseMap {
public:
    V& operator[](K key) {
        if (Slot* slot = find(key); slot && slot->used) return slot->value;
        return is_dense(key) ? add(key) : others_[key];
    }
    std::size_t count(K key) const {
        const Slot* slot = const_cast<DenseMap*>(this)->find(key);
        return slot ? slot->used : is_dense(key) ? 0 : others_.count(key);
    }
    std::pair<std::nullptr_t, bool> insert(const std::pair<const K, V>& entry) {
        const bool added = !count(entry.first);
        if (added) (*this)[entry.first] = entry.second;
        return {nullptr, added};
    }
    std::size_t erase(K key) {
        if (!is_dense(key)) return others_.erase(key);
        if (!count(key)) return 0;
        find(key)->used = false;
        --used_;
        return 1;
    }
    std::size_t size() const { return used_ + others_.size(); }
    bool empty() const { return size() == 0; }
    void clear() { *this = DenseMap(); }

    const std::map<K, V> ordered() const {
        std::map<K, V> entries = others_;
        auto after = entries.lower_bound(0);
        for (std::size_t i = 0; i < pages_.size() * kPage; ++i) {
            if (pages_[i / kPage].empty()) {
                i += kPage - 1;
            } else if (const Slot& slot = pages_[i / kPage][i % kPage]; slot.used) {
                entries.emplace_hint(after, static_cast<K>(i), slot.value);
            }
        }
        return entries;
    }

private:
    struct Slot {
        V value;
        bool used;
    };
    static constexpr std::size_t kPage = 128;
    static constexpr unsigned long long kLimit = (32ull << 20) / sizeof(Slot);

    // A negative key becomes a very large one.
    static bool is_dense(K key) { return static_cast<unsigned long long>(key) < kLimit; }
    // The place of a key, if its page was made.
    Slot* find(K key) {
        const auto at = static_cast<unsigned long long>(key);
        if (at >= end_ || pages_[at / kPage].empty()) return nullptr;
        return &pages_[at / kPage][at % kPage];
    }
    V& add(K key) {
        const std::size_t at = static_cast<std::size_t>(key), page = at / kPage;
        if (page >= pages_.size()) pages_.resize(page + 1 + page / 2);
        end_ = pages_.size() * kPage;
        if (pages_[page].empty()) pages_[page].resize(kPage);
        Slot& slot = pages_[page][at % kPage];
        slot.used = true;
        slot.value = V();
        ++used_;
        return slot.value;
    }

    std::vector<std::vector<Slot>> pages_;
    std::map<K, V> others_;
    std::size_t used_ = 0, end_ = 0;  // how many are used, and where the pages end
};

template <class K>
class DenseSet {
public:
    std::pair<std::nullptr_t, bool> insert(K key) {
        if (!is_dense(key)) return {nullptr, others_.insert(key).second};
        const std::size_t at = static_cast<std::size_t>(key);
        if (at >= used_.size()) used_.resize(std::min<std::size_t>(at + at / 2 + 64, kLimit));
        const bool added = !used_[at];
        used_[at] = 1;
        count_ += added;
        return {nullptr, added};
    }
    std::size_t count(K key) const {
        const auto at = static_cast<unsigned long long>(key);
        if (at < used_.size()) return used_[at];
        return is_dense(key) ? 0 : others_.count(key);
    }
    std::size_t erase(K key) {
        if (!is_dense(key)) return others_.erase(key);
        if (!count(key)) return 0;
        used_[static_cast<std::size_t>(key)] = 0;
        --count_;
        return 1;
    }
    std::size_t size() const { return count_ + others_.size(); }
    bool empty() const { return size() == 0; }
    void clear() { *this = DenseSet(); }

    const std::set<K> ordered() const {
        std::set<K> keys = others_;
        auto after = keys.lower_bound(0);
        for (std::size_t i = 0; i < used_.size(); ++i)
            if (used_[i]) keys.insert(after, static_cast<K>(i));
        return keys;
    }

private:
    static constexpr unsigned long long kLimit = 32ull << 20;
    static bool is_dense(K key) { return static_cast<unsigned long long>(key) < kLimit; }

    std::vector<char> used_;
    std::set<K> others_;
    std::size_t count_ = 0;
};

#endif

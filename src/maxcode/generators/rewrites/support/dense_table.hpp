#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

#ifndef MAXCODE_DENSE_TABLE_HPP
#define MAXCODE_DENSE_TABLE_HPP

// A map from integers to numbers, and a set of integers, as tables. Keys from 0 up to a limit lie
// in small pages, made when first used and at most 32 MiB in all; other keys lie in a tree. Like
// those of std::map, references to values stay valid.
template <class K, class V>
class DenseMap {
public:
    V& operator[](K key) {
        if (!is_dense(key)) return others_[key];
        Slot& slot = slot_of(key);
        if (!slot.used) {
            slot.used = true;
            slot.value = V();
            ++used_;
        }
        return slot.value;
    }
    std::size_t count(K key) const {
        if (!is_dense(key)) return others_.count(key);
        const std::size_t page = static_cast<std::size_t>(key) / kPage;
        return page < pages_.size() && !pages_[page].empty() &&
               pages_[page][static_cast<std::size_t>(key) % kPage].used;
    }
    std::pair<std::nullptr_t, bool> insert(const std::pair<const K, V>& entry) {
        const bool added = !count(entry.first);
        if (added) (*this)[entry.first] = entry.second;
        return {nullptr, added};
    }
    std::size_t erase(K key) {
        if (!is_dense(key)) return others_.erase(key);
        if (!count(key)) return 0;
        slot_of(key).used = false;
        --used_;
        return 1;
    }
    std::size_t size() const { return used_ + others_.size(); }
    bool empty() const { return size() == 0; }
    void clear() { *this = DenseMap(); }

    std::map<K, V> ordered() const {
        std::map<K, V> entries = others_;
        for (std::size_t i = 0; i < pages_.size() * kPage; ++i) {
            if (pages_[i / kPage].empty()) {
                i += kPage - 1;
            } else if (const Slot& slot = pages_[i / kPage][i % kPage]; slot.used) {
                entries.emplace_hint(entries.end(), static_cast<K>(i), slot.value);
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
    Slot& slot_of(K key) {
        const std::size_t page = static_cast<std::size_t>(key) / kPage;
        if (page >= pages_.size()) pages_.resize(page + 1 + page / 2);
        if (pages_[page].empty()) pages_[page].resize(kPage);
        return pages_[page][static_cast<std::size_t>(key) % kPage];
    }

    std::vector<std::vector<Slot>> pages_;
    std::map<K, V> others_;
    std::size_t used_ = 0;
};

template <class K>
class DenseSet : private DenseMap<K, bool> {
    using Table = DenseMap<K, bool>;

public:
    using Table::clear;
    using Table::count;
    using Table::empty;
    using Table::erase;
    using Table::size;
    std::pair<std::nullptr_t, bool> insert(K key) {
        const std::size_t before = size();
        (*this)[key];
        return {nullptr, size() != before};
    }
    std::set<K> ordered() const {
        std::set<K> keys;
        for (const auto& entry : Table::ordered()) keys.insert(keys.end(), entry.first);
        return keys;
    }
};

#endif

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#ifndef MAXCODE_MEMO_TABLE_HPP
#define MAXCODE_MEMO_TABLE_HPP

// Results of a function of N integers, kept in a hash table with open addressing. It keeps the
// first quarter of a million, so that it takes some 16 MB at most.
template <class Result, std::size_t N>
class MemoTable {
public:
    using Key = std::array<long long, N>;

    const Result* find(const Key& key) const {
        if (slots_.empty()) return nullptr;
        const Slot& slot = slots_[place(slots_, key)];
        return slot.used ? &slot.result : nullptr;
    }
    Result store(const Key& key, Result result) {
        if (size_ >= largest) return result;
        if (2 * size_ >= slots_.size()) grow();
        Slot& slot = slots_[place(slots_, key)];
        size_ += !slot.used;
        slot.used = true;
        slot.key = key;
        return slot.result = result;
    }

private:
    struct Slot {
        Key key{};
        Result result{};
        bool used = false;
    };

    static std::size_t place(const std::vector<Slot>& slots, const Key& key) {
        std::uint64_t hash = 0;
        for (long long part : key) {
            hash = (hash ^ static_cast<std::uint64_t>(part)) * 0x9E3779B97F4A7C15ULL;
            hash ^= hash >> 32;
        }
        std::size_t mask = slots.size() - 1, at = hash & mask;
        while (slots[at].used && slots[at].key != key) at = (at + 1) & mask;
        return at;
    }
    void grow() {
        std::vector<Slot> larger(slots_.empty() ? 1024 : 2 * slots_.size());
        for (const Slot& slot : slots_)
            if (slot.used) larger[place(larger, slot.key)] = slot;
        slots_.swap(larger);
    }

    static constexpr std::size_t largest = 1 << 18;
    std::vector<Slot> slots_;
    std::size_t size_ = 0;
};

#endif

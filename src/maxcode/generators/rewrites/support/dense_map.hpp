#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <stdexcept>
#include <utility>
#include <vector>

#ifndef MAXCODE_DENSE_MAP_HPP
#define MAXCODE_DENSE_MAP_HPP

// An ordered map from integers that lie close together: a table that grows to hold its keys.
template <class K, class V>
class DenseMap {
    template <class Map, class Value>
    class Cursor {
    public:
        using iterator_category = std::bidirectional_iterator_tag;
        using value_type = std::pair<K, V>;
        using difference_type = std::ptrdiff_t;
        using pointer = Value*;
        using reference = Value&;

        Cursor() = default;
        Cursor(Map* map, std::size_t at) : map_(map), at_(at) {}
        template <class M, class W>
        Cursor(const Cursor<M, W>& other) : map_(other.map_), at_(other.at_) {}
        reference operator*() const { return map_->slots_[at_]; }
        pointer operator->() const { return &map_->slots_[at_]; }
        Cursor& operator++() { return at_ = map_->next_used(at_ + 1), *this; }
        Cursor& operator--() {
            while (!map_->used_[--at_]) {}
            return *this;
        }
        Cursor operator++(int) { Cursor old = *this; ++*this; return old; }
        Cursor operator--(int) { Cursor old = *this; --*this; return old; }
        bool operator==(const Cursor& other) const { return at_ == other.at_; }
        bool operator!=(const Cursor& other) const { return at_ != other.at_; }

    private:
        friend class DenseMap;
        template <class M, class W>
        friend class Cursor;
        Map* map_ = nullptr;
        std::size_t at_ = 0;
    };

public:
    using key_type = K;
    using mapped_type = V;
    using value_type = std::pair<K, V>;
    using iterator = Cursor<DenseMap, value_type>;
    using const_iterator = Cursor<const DenseMap, const value_type>;
    using reverse_iterator = std::reverse_iterator<iterator>;

    DenseMap() = default;
    explicit DenseMap(std::size_t) {}  // as for a hash table; it grows by itself
    DenseMap(std::initializer_list<value_type> values) {
        for (const auto& value : values) insert(value);
    }

    V& operator[](K key) {
        std::size_t at = static_cast<std::size_t>(key - low_);
        if (at >= used_.size()) at = grow(key);
        if (!used_[at]) {
            used_[at] = 1;
            slots_[at] = value_type(key, V());
            ++size_;
        }
        return slots_[at].second;
    }
    V& at(K key) {
        if (!count(key)) throw std::out_of_range("DenseMap::at");
        return slots_[place(key)].second;
    }
    std::size_t count(K key) const {
        std::size_t at = static_cast<std::size_t>(key - low_);
        return at < used_.size() && used_[at];
    }
    iterator find(K key) { return {this, place(key)}; }
    const_iterator find(K key) const { return {this, place(key)}; }
    std::pair<iterator, bool> insert(const value_type& value) {
        bool added = !count(value.first);
        if (added) (*this)[value.first] = value.second;
        return {find(value.first), added};
    }
    std::pair<iterator, bool> emplace(K key, V value) { return insert({key, std::move(value)}); }
    std::size_t erase(K key) {
        std::size_t found = count(key);
        if (found) erase(find(key));
        return found;
    }
    iterator erase(iterator where) {
        used_[where.at_] = 0;
        slots_[where.at_].second = V();
        --size_;
        return ++where;
    }
    iterator lower_bound(K key) {
        if (used_.empty() || key <= low_) return begin();
        std::size_t at = static_cast<std::size_t>(key - low_);
        return {this, at < used_.size() ? next_used(at) : used_.size()};
    }
    iterator upper_bound(K key) { return lower_bound(key + 1); }
    void clear() { *this = DenseMap(); }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    iterator begin() { return {this, next_used(0)}; }
    iterator end() { return {this, used_.size()}; }
    const_iterator begin() const { return {this, next_used(0)}; }
    const_iterator end() const { return {this, used_.size()}; }
    reverse_iterator rbegin() { return reverse_iterator(end()); }
    reverse_iterator rend() { return reverse_iterator(begin()); }

private:
    std::size_t next_used(std::size_t at) const {
        while (at < used_.size() && !used_[at]) ++at;
        return at;
    }
    std::size_t place(K key) const {
        return count(key) ? static_cast<std::size_t>(key - low_) : used_.size();
    }
    std::size_t grow(K key) {
        long long low = low_, high = low_ + static_cast<long long>(used_.size()), wanted = key;
        if (used_.empty() && (wanted < 0 || wanted > 1024)) low = high = wanted;
        if (wanted < low) low = wanted - (high - wanted);
        if (wanted >= high) high = wanted + 16 + (wanted - low);
        if (high - low > (1LL << 25)) throw std::length_error("keys too far apart for DenseMap");
        std::vector<char> used(static_cast<std::size_t>(high - low));
        std::vector<value_type> slots(used.size());
        for (std::size_t i = 0, shift = low_ - low; i < used_.size(); ++i) {
            used[i + shift] = used_[i];
            if (used_[i]) slots[i + shift] = std::move(slots_[i]);
        }
        used_.swap(used);
        slots_.swap(slots);
        low_ = low;
        return static_cast<std::size_t>(wanted - low);
    }

    long long low_ = 0;
    std::size_t size_ = 0;
    std::vector<char> used_;
    std::vector<value_type> slots_;
};

#endif

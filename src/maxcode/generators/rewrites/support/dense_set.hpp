#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <stdexcept>
#include <utility>
#include <vector>

#ifndef MAXCODE_DENSE_SET_HPP
#define MAXCODE_DENSE_SET_HPP

// An ordered set of integers that lie close together: one byte for each possible member.
template <class K>
class DenseSet {
public:
    class iterator {
    public:
        using iterator_category = std::bidirectional_iterator_tag;
        using value_type = K;
        using difference_type = std::ptrdiff_t;
        using pointer = const K*;
        using reference = K;

        iterator() = default;
        iterator(const DenseSet* set, std::size_t at) : set_(set), at_(at) {}
        K operator*() const { return static_cast<K>(set_->low_ + static_cast<long long>(at_)); }
        iterator& operator++() { return at_ = set_->next_used(at_ + 1), *this; }
        iterator& operator--() {
            while (!set_->used_[--at_]) {}
            return *this;
        }
        iterator operator++(int) { iterator old = *this; ++*this; return old; }
        iterator operator--(int) { iterator old = *this; --*this; return old; }
        bool operator==(const iterator& other) const { return at_ == other.at_; }
        bool operator!=(const iterator& other) const { return at_ != other.at_; }

    private:
        friend class DenseSet;
        const DenseSet* set_ = nullptr;
        std::size_t at_ = 0;
    };
    using const_iterator = iterator;
    using reverse_iterator = std::reverse_iterator<iterator>;
    using value_type = K;

    DenseSet() = default;
    explicit DenseSet(std::size_t) {}  // as for a hash table; it grows by itself
    DenseSet(std::initializer_list<K> keys) : DenseSet(keys.begin(), keys.end()) {}
    template <class Input>
    DenseSet(Input first, Input last) {
        for (; first != last; ++first) insert(*first);
    }

    std::pair<iterator, bool> insert(K key) {
        std::size_t at = static_cast<std::size_t>(key - low_);
        if (at >= used_.size()) at = grow(key);
        bool added = !used_[at];
        used_[at] = 1;
        size_ += added;
        return {iterator(this, at), added};
    }
    std::pair<iterator, bool> emplace(K key) { return insert(key); }
    std::size_t count(K key) const {
        std::size_t at = static_cast<std::size_t>(key - low_);
        return at < used_.size() && used_[at];
    }
    iterator find(K key) const { return {this, count(key) ? offset(key) : used_.size()}; }
    std::size_t erase(K key) {
        std::size_t found = count(key);
        if (found) used_[offset(key)] = 0, --size_;
        return found;
    }
    iterator erase(iterator where) {
        used_[where.at_] = 0;
        --size_;
        return ++where;
    }
    iterator lower_bound(K key) const {
        if (used_.empty() || key <= low_) return begin();
        return {this, offset(key) < used_.size() ? next_used(offset(key)) : used_.size()};
    }
    iterator upper_bound(K key) const { return lower_bound(key + 1); }
    void clear() { *this = DenseSet(); }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    iterator begin() const { return {this, next_used(0)}; }
    iterator end() const { return {this, used_.size()}; }
    reverse_iterator rbegin() const { return reverse_iterator(end()); }
    reverse_iterator rend() const { return reverse_iterator(begin()); }

private:
    std::size_t offset(K key) const { return static_cast<std::size_t>(key - low_); }
    std::size_t next_used(std::size_t at) const {
        while (at < used_.size() && !used_[at]) ++at;
        return at;
    }
    std::size_t grow(K key) {
        long long low = low_, high = low_ + static_cast<long long>(used_.size()), wanted = key;
        if (used_.empty() && (wanted < 0 || wanted > 1024)) low = high = wanted;
        if (wanted < low) low = wanted - (high - wanted);
        if (wanted >= high) high = wanted + 16 + (wanted - low);
        if (high - low > (1LL << 28)) throw std::length_error("keys too far apart for DenseSet");
        std::vector<char> used(static_cast<std::size_t>(high - low));
        for (std::size_t i = 0, shift = low_ - low; i < used_.size(); ++i)
            used[i + shift] = used_[i];
        used_.swap(used);
        low_ = low;
        return static_cast<std::size_t>(wanted - low);
    }

    long long low_ = 0;
    std::size_t size_ = 0;
    std::vector<char> used_;
};

#endif

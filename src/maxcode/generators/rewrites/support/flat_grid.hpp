#include <cstddef>
#include <utility>
#include <vector>

#ifndef MAXCODE_FLAT_GRID_HPP
#define MAXCODE_FLAT_GRID_HPP

// A table of equal rows in one piece of memory, used like a vector of vectors.
template <class T>
class FlatGrid {
public:
    struct Row {
        T* first;
        std::size_t length;
        template <class Index>
        T& operator[](Index i) const { return first[i]; }
        T* begin() const { return first; }
        T* end() const { return first + length; }
        std::size_t size() const { return length; }
        bool empty() const { return length == 0; }
        operator std::vector<T>() const { return std::vector<T>(first, first + length); }
    };
    struct ConstRow {
        const T* first;
        std::size_t length;
        template <class Index>
        const T& operator[](Index i) const { return first[i]; }
        const T* begin() const { return first; }
        const T* end() const { return first + length; }
        std::size_t size() const { return length; }
        bool empty() const { return length == 0; }
        operator std::vector<T>() const { return std::vector<T>(first, first + length); }
    };

    FlatGrid() = default;
    FlatGrid(std::size_t rows, std::size_t columns, const T& value = T())
        : rows_(rows), columns_(columns), cells_(rows * columns, value) {}

    template <class Index>
    Row operator[](Index row) { return {cells_.data() + row * columns_, columns_}; }
    template <class Index>
    ConstRow operator[](Index row) const { return {cells_.data() + row * columns_, columns_}; }
    std::size_t size() const { return rows_; }
    bool empty() const { return rows_ == 0; }
    void swap(FlatGrid& other) {
        std::swap(rows_, other.rows_);
        std::swap(columns_, other.columns_);
        cells_.swap(other.cells_);
    }

private:
    std::size_t rows_ = 0;
    std::size_t columns_ = 0;
    std::vector<T> cells_;
};

#endif

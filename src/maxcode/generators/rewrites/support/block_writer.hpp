#include <charconv>
#include <cstdio>
#include <cstring>
#include <iomanip>
#include <ostream>
#include <streambuf>
#include <string>
#include <type_traits>

#ifndef MAXCODE_BLOCK_WRITER_HPP
#define MAXCODE_BLOCK_WRITER_HPP

// Collects output in memory and writes it in large blocks. Plain numbers and text take a short
// way; whatever else (manipulators, other types) goes through an ordinary std::ostream.
class BlockWriter : private std::streambuf {
public:
    std::ostream format{this};

    BlockWriter() { text_.reserve(1 << 17); }
    ~BlockWriter() { write_out(); }

    template <class T>
    BlockWriter& operator<<(const T& value) {
        if constexpr (std::is_same_v<T, char>) {
            if (plain()) return add(&value, 1);
        } else if constexpr (std::is_same_v<T, std::string>) {
            if (plain()) return add(value.data(), value.size());
        } else if constexpr (std::is_integral_v<T> && sizeof(T) > 1 &&
                             !std::is_same_v<T, wchar_t> && !std::is_same_v<T, char16_t> &&
                             !std::is_same_v<T, char32_t>) {
            if (plain()) {
                char digits[24];
                auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
                return add(digits, end - digits);
            }
        } else if constexpr (std::is_same_v<T, double>) {
            auto style = format.flags() & std::ios_base::floatfield;
            if (plain() && value - value == 0 && (style == 0 || style == std::ios_base::fixed)) {
                char digits[400];
                int precision = static_cast<int>(format.precision());
                auto result = std::to_chars(
                    digits, digits + sizeof digits, value,
                    style == 0 ? std::chars_format::general : std::chars_format::fixed,
                    style == 0 && precision == 0 ? 1 : precision);
                if (result.ec == std::errc()) return add(digits, result.ptr - digits);
            }
        }
        format << value;
        return *this;
    }
    BlockWriter& operator<<(const char* value) {
        if (plain()) return add(value, std::strlen(value));
        format << value;
        return *this;
    }
    BlockWriter& operator<<(std::ostream& (*manipulator)(std::ostream&)) {
        manipulator(format);
        return *this;
    }
    BlockWriter& operator<<(std::ios_base& (*manipulator)(std::ios_base&)) {
        manipulator(format);
        return *this;
    }

private:
    bool plain() const {
        const auto usual = std::ios_base::dec | std::ios_base::skipws | std::ios_base::floatfield;
        return format.width() == 0 && (format.flags() & ~usual) == 0;
    }
    BlockWriter& add(const char* data, std::size_t size) {
        text_.append(data, size);
        if (text_.size() > (1 << 16)) write_out();
        return *this;
    }
    void write_out() {
        std::fwrite(text_.data(), 1, text_.size(), stdout);
        text_.clear();
    }
    int_type overflow(int_type c) override {
        if (c != traits_type::eof()) text_.push_back(traits_type::to_char_type(c));
        return traits_type::not_eof(c);
    }
    std::streamsize xsputn(const char* data, std::streamsize size) override {
        add(data, static_cast<std::size_t>(size));
        return size;
    }

    std::string text_;
};

#endif

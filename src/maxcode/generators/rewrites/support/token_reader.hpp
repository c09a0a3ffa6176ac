#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#ifndef MAXCODE_TOKEN_READER_HPP
#define MAXCODE_TOKEN_READER_HPP

// Reads numbers, words and lines from a text in memory, as libstdc++'s std::istream does also where
// a number is missing (0 and a failed state) or too large (the nearest limit and a failed state).
class TokenReader {
public:
    explicit TokenReader(std::string text) { str(std::move(text)); }

    // The whole of standard input.
    static TokenReader standard_input() {
        std::string text;
        char block[1 << 16];
        while (std::size_t size = std::fread(block, 1, sizeof block, stdin))
            text.append(block, size);
        return TokenReader(std::move(text));
    }

    void str(std::string text) {
        text_ = std::move(text);
        next_ = 0;
    }
    void clear() { failed_ = at_end_ = false; }
    bool eof() const { return at_end_; }
    bool fail() const { return failed_; }
    bool good() const { return !failed_ && !at_end_; }
    explicit operator bool() const { return !failed_; }
    bool operator!() const { return failed_; }

    template <class T>
    std::enable_if_t<std::is_arithmetic_v<T>, TokenReader&> operator>>(T& value) {
        if (!skip_space()) return *this;
        if constexpr (sizeof(T) == 1 && !std::is_same_v<T, bool>) {
            value = static_cast<T>(text_[next_++]);
        } else {
            if constexpr (std::is_floating_point_v<T>) read_floating(value);
            else read_integer(value);
            if (next_ == text_.size()) at_end_ = true;
        }
        return *this;
    }

    TokenReader& operator>>(std::string& word) {
        if (!skip_space()) return *this;
        std::size_t first = next_;
        while (next_ < text_.size() && !is_space(text_[next_])) ++next_;
        word.assign(text_, first, next_ - first);
        if (next_ == text_.size()) at_end_ = true;
        return *this;
    }

    TokenReader& line(std::string& into, char delimiter) {
        if (!ready()) return *this;
        if (next_ == text_.size()) {
            into.clear();
            failed_ = at_end_ = true;
            return *this;
        }
        std::size_t last = text_.find(delimiter, next_);
        at_end_ = last == std::string::npos;
        if (at_end_) last = text_.size();
        into.assign(text_, next_, last - next_);
        next_ = at_end_ ? last : last + 1;
        return *this;
    }

    // The count is 1, or no limit.
    TokenReader& ignore(long long count = 1, int delimiter = -1) {
        if (!ready()) return *this;
        for (; count > 0; --count) {
            if (next_ == text_.size()) {
                at_end_ = true;
                break;
            }
            if ((unsigned char)text_[next_++] == delimiter) break;
        }
        return *this;
    }

private:
    static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
    static bool is_digit(char c) { return c >= '0' && c <= '9'; }

    bool ready() {
        if (failed_ || at_end_) failed_ = true;
        return !failed_;
    }

    bool skip_space() {
        if (!ready()) return false;
        const char* at = text_.c_str() + next_;  // the zero at its end is no space
        while (is_space(*at)) ++at;
        next_ = at - text_.c_str();
        if (next_ == text_.size()) failed_ = at_end_ = true;
        return !failed_;
    }

    template <class T>
    void read_integer(T& value) {
        using Bound = std::conditional_t<std::is_same_v<T, bool>, long long, T>;
        const char* at = text_.c_str() + next_;  // the zero at its end is no digit
        const bool negative = *at == '-';
        if (negative || *at == '+') ++at;
        const char* digits = at;
        unsigned long long number = 0;
        for (; is_digit(*at); ++at) number = number * 10 + (unsigned)(*at - '0');
        next_ = at - text_.c_str();
        if (at == digits) {
            failed_ = true;
            value = 0;
            return;
        }
        const bool wrapped = at - digits > 19 && !fits(digits, at);
        const bool below = negative && std::is_signed_v<T>;
        const unsigned long long most =
            (unsigned long long)std::numeric_limits<Bound>::max() + (below ? 1 : 0);
        if (wrapped || number > most) {
            failed_ = true;
            value = static_cast<T>(below ? std::numeric_limits<Bound>::min()
                                         : std::numeric_limits<Bound>::max());
        } else if constexpr (std::is_same_v<T, bool>) {
            value = number != 0;
            if (number > 1 || (negative && number != 0)) failed_ = true;
        } else {
            value = static_cast<T>(negative ? 0 - number : number);
        }
    }

    // Says whether 64 bits hold a number of more than 19 digits.
    static bool fits(const char* first, const char* last) {
        while (first != last && *first == '0') ++first;
        if (last - first != 20) return last - first < 20;
        return std::string(first, last) <= "18446744073709551615";
    }

    template <class T>
    void read_floating(T& value) {
        const char* const first = text_.c_str() + next_;
        const char* const end = text_.c_str() + text_.size();
        if constexpr (!std::is_same_v<T, long double>) {
            const char* digits = first + (*first == '-' || *first == '+');
            if (is_digit(*digits) || *digits == '.') {
                T number;
                auto result = std::from_chars(*first == '+' ? digits : first, end, number);
                const char after = *result.ptr | ' ';  // in lower case
                if (result.ec == std::errc() && after != 'e') {
                    value = number;
                    next_ = result.ptr - text_.c_str();
                    return;
                }
            }
        }
        const std::string number(first, end_of_floating(first));
        next_ += number.size();
        char* last = nullptr;
        value = converted<T>(number.c_str(), &last);
        if (number.empty() || last != number.c_str() + number.size()) {
            value = 0;
            failed_ = true;
        } else if (value > std::numeric_limits<T>::max()) {
            value = std::numeric_limits<T>::max();
            failed_ = true;
        } else if (value < std::numeric_limits<T>::lowest()) {
            value = std::numeric_limits<T>::lowest();
            failed_ = true;
        }
    }

    // Where formatted input stops to take characters for a floating-point number.
    static const char* end_of_floating(const char* at) {
        if (*at == '-' || *at == '+') ++at;
        bool mantissa = false, point = false, exponent = false;
        for (;; ++at) {
            if (is_digit(*at)) {
                mantissa = true;
            } else if (*at == '.' && !point && !exponent) {
                point = true;
            } else if ((*at == 'e' || *at == 'E') && mantissa && !exponent) {
                exponent = true;
                if (at[1] == '-' || at[1] == '+') ++at;
            } else {
                return at;
            }
        }
    }

    template <class T>
    static T converted(const char* text, char** last) {
        if constexpr (std::is_same_v<T, float>) return std::strtof(text, last);
        else if constexpr (std::is_same_v<T, double>) return std::strtod(text, last);
        else return std::strtold(text, last);
    }

    std::string text_;
    std::size_t next_ = 0;
    bool failed_ = false;
    bool at_end_ = false;
};

inline TokenReader& getline(TokenReader& reader, std::string& into, char delimiter = '\n') {
    return reader.line(into, delimiter);
}

#endif

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>

#ifndef MAXCODE_TOKEN_READER_HPP
#define MAXCODE_TOKEN_READER_HPP

// Reads numbers, words and lines from a text in memory, with the manners of std::istream.
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
        if (skip_space()) read(value);
        if (next_ == text_.size()) at_end_ = true;
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
        if (failed_ || next_ == text_.size()) {
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

    TokenReader& ignore(long long count = 1, int delimiter = -1) {
        while (count-- > 0 && next_ < text_.size())
            if ((unsigned char)text_[next_++] == delimiter) break;
        return *this;
    }

private:
    static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

    bool skip_space() {
        if (failed_) return false;
        while (next_ < text_.size() && is_space(text_[next_])) ++next_;
        if (next_ == text_.size()) failed_ = at_end_ = true;
        return !failed_;
    }

    template <class T>
    void read(T& value) {
        if constexpr (std::is_same_v<T, char>) {
            value = text_[next_++];
        } else if constexpr (std::is_same_v<T, long double>) {
            char* last = nullptr;
            value = std::strtold(text_.c_str() + next_, &last);
            advance(last);
        } else if constexpr (std::is_floating_point_v<T>) {
            const char* first = text_.c_str() + next_;
            value = 0;
            auto result = std::from_chars(*first == '+' ? first + 1 : first,
                                          text_.c_str() + text_.size(), value);
            advance(result.ec == std::errc::invalid_argument ? first : result.ptr);
        } else {
            std::size_t first = next_;
            bool negative = text_[next_] == '-';
            if (negative || text_[next_] == '+') ++next_;
            std::size_t digits = next_;
            unsigned long long number = 0;
            while (next_ < text_.size() && text_[next_] >= '0' && text_[next_] <= '9')
                number = number * 10 + (unsigned)(text_[next_++] - '0');
            value = static_cast<T>(negative ? 0 - number : number);
            if (next_ == digits) next_ = first, failed_ = true;
        }
    }

    void advance(const char* last) {
        std::size_t position = last - text_.c_str();
        failed_ = position == next_;
        next_ = position;
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

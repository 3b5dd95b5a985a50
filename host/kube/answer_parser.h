// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The parser of one HTTP answer, which passes the body on without a copy. Of the head only the fields that somebody
/// needs are kept, and a body never lies in a buffer of Beast's.

#include "kube/transport.h"

#include <boost/beast/http/basic_parser.hpp>

#include <algorithm>
#include <charconv>
#include <limits>

namespace berth::kube {

class AnswerParser : public boost::beast::http::basic_parser<false> {
    using Text = boost::beast::string_view;
    using Error = boost::beast::error_code;

    HttpAnswer &answer_;
    const Transport::Data &data_;
    const std::uint64_t most_;

public:
    /// Both outlive it. With `data`, the body of an answer 200 goes there. A body that is kept and has more than `most`
    /// bytes is an error, body_limit; so is a head that is too long, header_limit.
    AnswerParser(HttpAnswer &answer, const Transport::Data &data, std::uint64_t most = most_of_answer)
        : answer_(answer), data_(data), most_(most) {
        eager(true);
        // Boost 1.74 takes none for a limit of nothing.
        body_limit(std::numeric_limits<std::uint64_t>::max());
        header_limit(most_of_head);
    }

private:
    std::size_t take(Text bytes, Error &error) {
        constexpr int ok = 200;
        std::string_view body(bytes.data(), bytes.size());
        if (data_ && answer_.status == ok) data_(body);
        else if (answer_.body.size() + body.size() > most_) error = boost::beast::http::error::body_limit;
        else answer_.body.append(body);
        return bytes.size();
    }

    void on_request_impl(boost::beast::http::verb, Text, Text, int, Error &) override {}
    void on_response_impl(int code, Text, int, Error &) override { answer_.status = code; }
    void on_field_impl(boost::beast::http::field name, Text, Text value, Error &) override {
        if (name == boost::beast::http::field::retry_after)
            std::from_chars(value.data(), value.data() + value.size(), answer_.retry_after_s);
    }
    void on_header_impl(Error &) override {}
    void on_body_init_impl(const boost::optional<std::uint64_t> &length, Error &) override {
        constexpr std::uint64_t most_at_once = 16 << 20;
        if (length) answer_.body.reserve(std::min(*length, most_at_once));
    }
    std::size_t on_body_impl(Text body, Error &error) override { return take(body, error); }
    void on_chunk_header_impl(std::uint64_t, Text, Error &) override {}
    std::size_t on_chunk_body_impl(std::uint64_t, Text body, Error &error) override { return take(body, error); }
    void on_finish_impl(Error &) override {}
};

}  // namespace berth::kube
